"""toolparse as mlx-lm's tool parser.

mlx-lm finds the block of a call by its markers and hands over what stands between them::

    model, tokenizer = mlx_lm.load("...")
    tokenizer = toolparse.integrations.mlx_lm.wrap(tokenizer, format="hermes")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from toolparse._async import Json
from toolparse._core import formats, parse_tool_calls
from toolparse.integrations import compiled, find

if TYPE_CHECKING:
    from toolparse._core import FormatLike

TESTED = "0.32"

_CUT = {"closed_string", "closed_array", "closed_object", "dropped_partial_key", "dropped_partial_literal"}


def wrap(tokenizer: Any, *, format: str) -> Any:
    """A ``TokenizerWrapper`` that reads the calls of ``format``; ``tokenizer`` is mlx-lm's or one of transformers."""
    wrapper = find("mlx-lm", TESTED, "TokenizerWrapper", "mlx_lm.tokenizer_utils")
    start, end = markers(format)
    options: Json = {}
    if isinstance(tokenizer, wrapper):
        options = {
            "detokenizer_class": type(tokenizer.detokenizer),
            "eos_token_ids": tokenizer.eos_token_ids,
            "chat_template": tokenizer._chat_template,
        }
        tokenizer = tokenizer._tokenizer
    parser = tool_parser(format)
    return wrapper(tokenizer, tool_parser=parser, tool_call_start=start, tool_call_end=end, **options)


def markers(format: str) -> tuple[str, str]:
    """The first opener and the first closer of a format, ``""`` when it has none. ``ValueError`` for an unknown one."""
    for info in formats():
        if format == info.name or format in info.aliases:
            return "".join(info.openers[:1]), "".join(info.closers[:1])
    raise ValueError(f"unknown format: {format!r}")


def tool_parser(format: str) -> Callable[..., list[Json]]:
    """``parse_tool_call(text, tools=None)`` for blocks of ``format``, without their markers."""
    start, end = markers(format)

    def parse_tool_call(text: str, tools: Iterable[Json] | None = None) -> list[Json]:
        """``[{"name", "arguments"[, "id"]}, ...]``; ``ValueError``, which mlx-lm expects, when there is no call."""
        return _calls(start + text + end, tools, format)

    return parse_tool_call


def _calls(text: str, tools: Iterable[Json] | None, format: FormatLike) -> list[Json]:
    result = parse_tool_calls(text, compiled(tools) if tools else None, format=format, max_bytes=None)
    # The block may have been cut, and the closer behind it is ours: what that ends was not finished.
    calls = [call for call in result.calls if call.complete and not any(r.kind in _CUT for r in call.repairs)]
    if not calls:
        cut = "the reply ended inside the tool call" if result.calls else "there is no tool call in this text"
        raise ValueError("; ".join(result.errors) or cut)
    return [call.to_dict() | ({"id": call.native_id} if call.native_id else {}) for call in calls]
