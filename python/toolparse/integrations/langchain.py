"""toolparse as an output parser of LangChain.

Behind a model that leaves tool calls in its text::

    chain = model | toolparse.integrations.langchain.output_parser(tools)
    chain.invoke("...").tool_calls

Whole, what failed stands in ``invalid_tool_calls`` with the message for the model. In a stream it is logged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from toolparse._core import Tools, parse_tool_calls
from toolparse.integrations import Delta, Reader, find

if TYPE_CHECKING:
    from toolparse._core import FormatLike, ToolsLike

TESTED = "1.8"


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
        result = parse_tool_calls(_text(input), self._tools, format=self._format, prompt=self._prompt, max_bytes=None)
        calls = [{"name": c.name, "args": c.arguments, "id": c.id, "type": "tool_call"} for c in result.calls]
        failed = [
            {"name": error.name, "args": error.raw, "id": None, "error": str(error), "type": "invalid_tool_call"}
            for error in result.errors
        ]
        extra = {"reasoning_content": result.reasoning} if result.reasoning else {}
        return _message("AIMessage")(
            content=result.text, tool_calls=calls, invalid_tool_calls=failed, additional_kwargs=extra
        )

    def transform(self, input: Iterator[Any], config: Any = None, **kwargs: Any) -> Iterator[Any]:
        reader = self._reader()
        for piece in input:
            yield from _chunk(reader.push(_text(piece)))
        yield from _chunk(reader.finish())

    async def atransform(self, input: AsyncIterator[Any], config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
        reader = self._reader()
        async for piece in input:
            for chunk in _chunk(reader.push(_text(piece))):
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


def _chunk(delta: Delta) -> list[Any]:
    """One ``AIMessageChunk``, or none when there is nothing in it."""
    if not delta:
        return []
    calls = [
        {"name": call.name, "args": call.arguments, "id": call.id, "index": call.index, "type": "tool_call_chunk"}
        for call in delta.calls
    ]
    extra = {"reasoning_content": delta.reasoning} if delta.reasoning else {}
    return [_message("AIMessageChunk")(content=delta.content, tool_call_chunks=calls, additional_kwargs=extra)]


@cache
def _message(name: str) -> Any:
    return find("langchain-core", TESTED, name, "langchain_core.messages")


@cache
def _parser_class() -> Any:
    base = find("langchain-core", TESTED, "Runnable", "langchain_core.runnables")
    return type("ToolparseOutputParser", (ParserMixin, base), {"__module__": __name__})
