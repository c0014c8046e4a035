"""toolparse around a model of pydantic-ai whose server leaves tool calls in the text.

::

    agent = Agent(toolparse.integrations.pydantic_ai.wrap(model), tools=[...])
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from toolparse._core import ArgumentsDelta, CallStart, ReasoningDelta, TextDelta, Tools, ToolStream, parse_tool_calls
from toolparse.anthropic import parts
from toolparse.integrations import find

if TYPE_CHECKING:
    from toolparse._core import Event, FormatLike

TESTED = "2.68"


def wrap(model: Any, *, format: FormatLike = "auto") -> Any:
    """A model that asks ``model`` and reads the text of its answers; ``model`` is a model or its name."""
    base = find("pydantic-ai-slim", TESTED, "WrapperModel", "pydantic_ai.models.wrapper")
    wrapped = _class("ToolparseModel", ModelMixin, base)(model)
    wrapped.format = format
    return wrapped


class ModelMixin:
    """What makes pydantic-ai's ``WrapperModel`` ours."""

    format: FormatLike
    wrapped: Any

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        tools = _offered(model_request_parameters)
        response.parts = [new for old in response.parts for new in self._read(old, tools, response.finish_reason)]
        return response

    def _read(self, part: Any, tools: Tools, finish_reason: str | None) -> list[Any]:
        """The parts that one part of a response becomes; only text is read."""
        if part.part_kind != "text":
            return [part]
        options: Any = {"format": self.format, "max_bytes": None, "finish_reason": finish_reason}
        return [_part(kind, value) for kind, value in parts(parse_tool_calls(part.content, tools, **options))]

    @asynccontextmanager
    async def request_stream(self, *arguments: Any) -> AsyncIterator[Any]:
        base = find("pydantic-ai-slim", TESTED, "StreamedResponse", "pydantic_ai.models")
        async with self.wrapped.request_stream(*arguments) as inner:
            parameters = inner.model_request_parameters
            response = _class("ToolparseStream", StreamMixin, base)(model_request_parameters=parameters)
            response.inner, response.format = inner, self.format
            yield response


class StreamMixin:
    """What makes pydantic-ai's ``StreamedResponse`` ours: ``inner`` is the stream of the wrapped model."""

    inner: Any
    format: FormatLike
    model_request_parameters: Any
    _parts_manager: Any

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        stream = ToolStream(_offered(self.model_request_parameters), format=self.format)
        async for event in self.inner:
            kind, text = _said(event)
            events: list[Event] = [ReasoningDelta(text)] if kind == "thinking" and text else []
            for out in self._events(stream.push(text) if kind == "text" else events):
                yield out
        for out in self._events(stream.finish(self.inner.finish_reason)):
            yield out
        for part in self.inner.get().parts:
            if part.part_kind not in ("text", "thinking"):
                yield self._parts_manager.handle_part(vendor_part_id=None, part=part)
        self.finish_reason = self.inner.finish_reason
        self.provider_details = self.inner.provider_details

    def _events(self, events: list[Event]) -> list[Any]:
        out: list[Any] = []
        manager = self._parts_manager
        for event in events:
            if isinstance(event, TextDelta):
                out += manager.handle_text_delta(vendor_part_id=None, content=event.text)
            elif isinstance(event, ReasoningDelta):
                out += manager.handle_thinking_delta(vendor_part_id=None, content=event.text)
            elif isinstance(event, CallStart):
                new = {"tool_name": event.name, "args": "", "tool_call_id": event.id}
                out.append(manager.handle_tool_call_delta(vendor_part_id=event.index, **new))
            elif isinstance(event, ArgumentsDelta):
                out.append(manager.handle_tool_call_delta(vendor_part_id=event.index, args=event.json))
        return [event for event in out if event is not None]

    usage = property(lambda self: self.inner.usage)
    model_name = property(lambda self: self.inner.model_name)
    provider_name = property(lambda self: self.inner.provider_name)
    provider_url = property(lambda self: self.inner.provider_url)
    timestamp = property(lambda self: self.inner.timestamp)

    async def close_stream(self) -> None:
        await self.inner.close_stream()


def _part(kind: str, value: Any) -> Any:
    module = "pydantic_ai.messages"
    if kind == "text":
        return find("pydantic-ai-slim", TESTED, "TextPart", module)(value)
    if kind == "reasoning":
        return find("pydantic-ai-slim", TESTED, "ThinkingPart", module)(value)
    call = find("pydantic-ai-slim", TESTED, "ToolCallPart", module)
    return call(tool_name=value.name, args=value.arguments, tool_call_id=value.id)


def _said(event: Any) -> tuple[str, str]:
    """``("text" or "thinking", what is new)`` of a wrapped model's event; ``("", "")`` of others."""
    if event.event_kind == "part_start" and event.part.part_kind in ("text", "thinking"):
        return event.part.part_kind, event.part.content
    if event.event_kind == "part_delta" and event.delta.part_delta_kind in ("text", "thinking"):
        return event.delta.part_delta_kind, event.delta.content_delta or ""
    return "", ""


def _offered(parameters: Any) -> Tools:
    definitions = [*parameters.function_tools, *parameters.output_tools]
    return Tools([{"name": tool.name, "input_schema": tool.parameters_json_schema} for tool in definitions])


@cache
def _class(name: str, mixin: type, base: type) -> Any:
    return type(name, (mixin, base), {"__module__": __name__})
