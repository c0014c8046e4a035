"""toolparse as an output parser of LangChain.

Behind a model that leaves tool calls in its text::

    chain = model | toolparse.integrations.langchain.output_parser(tools)
    chain.invoke("...").tool_calls

Whole, what failed or was cut stands in ``invalid_tool_calls`` with the message for the model. In a stream what failed
is logged. Calls that the model's own server has read stay as they are, and so does what else a message says.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from toolparse._core import Tools, parse_tool_calls
from toolparse.integrations import Delta, Reader, find, written_or_random

if TYPE_CHECKING:
    from toolparse._core import FormatLike, ToolsLike

TESTED = "1.8"

_CUT = "The reply ended inside this tool call."


def output_parser(tools: ToolsLike, *, format: FormatLike = "auto", prompt: str = "") -> Any:
    """A ``Runnable`` from text or messages to messages: ``invoke``, ``stream``, ``transform`` and their async kin.

    ``tools`` is as in :func:`toolparse.parse_tool_calls`. Reasoning stands in
    ``additional_kwargs["reasoning_content"]``.
    """
    return _parser_class()(tools, format, prompt)


class ParserMixin:
    """What makes LangChain's ``Runnable`` ours."""

    def __init__(self, tools: ToolsLike, format: FormatLike, prompt: str) -> None:
        self._tools = tools if isinstance(tools, Tools) else Tools(tools)
        self._format: FormatLike = format
        self._prompt = prompt

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        if getattr(input, "tool_calls", None):
            return input
        result = parse_tool_calls(
            _text(input),
            self._tools,
            format=self._format,
            prompt=self._prompt,
            max_bytes=None,
            ids=written_or_random,
            finish_reason=_finish_reason(input),
        )
        calls = [
            {"name": c.name, "args": c.arguments, "id": c.id, "type": "tool_call"} for c in result.calls if c.complete
        ]
        cut = [_invalid(c.name, c.arguments_json, c.id, _CUT) for c in result.calls if not c.complete]
        failed = [_invalid(error.name, error.raw, None, str(error)) for error in result.errors]
        return _message("AIMessage")(
            content=result.text, tool_calls=calls, invalid_tool_calls=cut + failed, **_kept(input, result.reasoning)
        )

    def transform(self, input: Iterator[Any], config: Any = None, **kwargs: Any) -> Iterator[Any]:
        reader = self._reader()
        for piece in input:
            if _is_made(piece):
                yield piece
            else:
                yield from _chunk(reader.push(_text(piece)), piece)
        yield from _chunk(reader.finish())

    async def atransform(self, input: AsyncIterator[Any], config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
        reader = self._reader()
        async for piece in input:
            for chunk in [piece] if _is_made(piece) else _chunk(reader.push(_text(piece)), piece):
                yield chunk
        for chunk in _chunk(reader.finish()):
            yield chunk

    def stream(self, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
        yield from self.transform(iter([input]), config, **kwargs)

    async def astream(self, input: Any, config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
        for chunk in self.stream(input, config, **kwargs):
            yield chunk

    def _reader(self) -> Reader:
        return Reader(self._tools, format=self._format, prompt=self._prompt)


def _text(piece: Any) -> str:
    """The text of a string or a message."""
    if isinstance(piece, str):
        return piece
    content = piece.content
    if isinstance(content, str):
        return content
    return "".join(block if isinstance(block, str) else block.get("text", "") for block in content)


def _is_made(piece: Any) -> bool:
    """Whether the model's own server has read a call in this message or chunk: it stays as it is."""
    return bool(getattr(piece, "tool_calls", None) or getattr(piece, "tool_call_chunks", None))


def _finish_reason(input: Any) -> str | None:
    """What the server said of the end of a message, under OpenAI's key or Anthropic's."""
    said = getattr(input, "response_metadata", None) or {}
    word = said.get("finish_reason") or said.get("stop_reason")
    return word if isinstance(word, str) else None


def _invalid(name: str | None, args: str, id: str | None, error: str) -> dict[str, Any]:
    return {"name": name, "args": args, "id": id, "error": error, "type": "invalid_tool_call"}


def _kept(input: Any, reasoning: str | None) -> dict[str, Any]:
    """What a message says beside its text, and the reasoning that was read behind that which came apart."""
    extra = dict(getattr(input, "additional_kwargs", None) or {})
    if reasoning:
        extra["reasoning_content"] = (extra.get("reasoning_content") or "") + reasoning
    fields = {name: getattr(input, name, None) for name in ("id", "response_metadata", "usage_metadata")}
    return {"additional_kwargs": extra, **{name: value for name, value in fields.items() if value}}


def _chunk(delta: Delta, piece: Any = None) -> list[Any]:
    """One ``AIMessageChunk``, or none when there is nothing in it."""
    kept = _kept(piece, delta.reasoning)
    if not delta and kept == {"additional_kwargs": {}}:
        return []
    calls = [
        {"name": call.name, "args": call.arguments, "id": call.id, "index": call.index, "type": "tool_call_chunk"}
        for call in delta.calls
    ]
    return [_message("AIMessageChunk")(content=delta.content, tool_call_chunks=calls, **kept)]


@cache
def _message(name: str) -> Any:
    return find("langchain-core", TESTED, name, "langchain_core.messages")


@cache
def _parser_class() -> Any:
    base = find("langchain-core", TESTED, "Runnable", "langchain_core.runnables")
    return type("ToolparseOutputParser", (ParserMixin, base), {"__module__": __name__})
