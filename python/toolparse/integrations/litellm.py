"""toolparse as a callback of the LiteLLM proxy, for models behind it whose servers leave tool calls in the text.

In the proxy's configuration::

    litellm_settings:
      callbacks: toolparse.integrations.litellm.handler
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from toolparse._async import Json, result_word
from toolparse._core import Tools, parse_tool_calls
from toolparse.integrations import CallDelta, Delta, Reader, compiled, find, format_wanted, written_or_random
from toolparse.openai import to_message

TESTED = "1.110"


class HandlerMixin:
    """What makes LiteLLM's ``CustomLogger`` ours. Replies to requests without tools, and calls already made, stay."""

    async def async_post_call_success_hook(self, data: Json, user_api_key_dict: Any, response: Any) -> Any:
        """A whole response: its messages are read and replaced."""
        tools = _offered(data)
        for choice in (getattr(response, "choices", None) or ()) if tools else ():
            message = choice.message
            if message.content and not message.tool_calls:
                said = choice.finish_reason
                result = parse_tool_calls(
                    message.content,
                    compiled(tools),
                    format=format_wanted(),
                    max_bytes=None,
                    ids=written_or_random,
                    finish_reason=said,
                )
                choice.message = type(message)(**_merged(message, to_message(result)))
                choice.finish_reason = result_word(result, said)
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: Json
    ) -> AsyncIterator[Any]:
        """A stream: each chunk's text is read. When the stream breaks, what was held back comes out first."""
        tools = _offered(request_data)
        if not tools:
            async for chunk in response:
                yield chunk
            return
        choices = _Choices(compiled(tools))
        last = None
        broken: Exception | None = None
        try:
            async for chunk in response:
                # Streams of other APIs than chat completions are passed on as they are.
                if hasattr(chunk, "choices"):
                    last = chunk
                    chunk = choices.read(chunk)
                yield chunk
        except Exception as error:
            broken = error
        if last is not None and choices.open():
            yield choices.rest(last)
        if broken is not None:
            raise broken


class _Choices:
    """The choices of one streamed response, each with its reader."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._readers: dict[int, Reader] = {}
        self._native: set[int] = set()

    def read(self, chunk: Any) -> Any:
        """The chunk with text turned into what it means."""
        for choice in chunk.choices or ():
            if choice.delta.tool_calls:
                self._native.add(choice.index)
                continue
            reader = self._readers.setdefault(choice.index, Reader(self._tools))
            delta = reader.push(choice.delta.content or "")
            if choice.finish_reason:
                delta += reader.finish(choice.finish_reason)
                if choice.index not in self._native:
                    choice.finish_reason = reader.word(choice.finish_reason)
                del self._readers[choice.index]
            _put(choice, delta)
        return chunk

    def open(self) -> bool:
        """True while a choice has not ended."""
        return bool(self._readers)

    def rest(self, chunk: Any) -> Any:
        """What is still held back, in a chunk made from the last one."""
        chunk = chunk.model_copy(deep=True)
        template = chunk.choices[0]
        chunk.choices = []
        for index, reader in self._readers.items():
            choice = template.model_copy(update={"index": index})
            _put(choice, reader.finish("length"))
            chunk.choices.append(choice)
        return chunk


def _offered(request: Json) -> Any:
    """The tools that a request lets the model call."""
    return None if request.get("tool_choice") == "none" else request.get("tools")


def _merged(old: Any, new: Json) -> Json:
    """The fields of a message, those that were read in place of its own; reasoning that came apart stands before."""
    kept = {name: value for name, value in _fields(old).items() if value is not None}
    thought = (kept.get("reasoning_content") or "") + (new.get("reasoning_content") or "")
    return {**kept, **new, **({"reasoning_content": thought} if thought else {})}


def _fields(value: Any) -> Json:
    """The fields of one of LiteLLM's objects, which are pydantic models."""
    return dict(value.model_dump() if hasattr(value, "model_dump") else vars(value))


def _put(choice: Any, delta: Delta) -> None:
    fields: Json = {**_fields(choice.delta), "content": delta.content or None}
    if delta.reasoning:
        fields["reasoning_content"] = (fields.get("reasoning_content") or "") + delta.reasoning
    if delta.calls:
        fields["tool_calls"] = [_tool_call(call) for call in delta.calls]
    choice.delta = type(choice.delta)(**fields)


def _tool_call(call: CallDelta) -> Json:
    head: Json = {"id": call.id, "type": "function"} if call.name is not None else {}
    function = {"name": call.name, "arguments": call.arguments}
    return {"index": call.index, **head, "function": function}


@cache
def __getattr__(name: str) -> Any:
    if name != "handler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = find("litellm", TESTED, "CustomLogger", "litellm.integrations.custom_logger")
    return type("ToolparseHandler", (HandlerMixin, base), {"__module__": __name__})()
