"""A drop-in for transformers' ``ResponseParser`` that repairs instead of raising.

:class:`ResponseParser` and :func:`parse_response` take the same arguments, give the same events and the same message as
``transformers.utils.chat_parsing``. A response template says how the reply is read, as ``format`` does elsewhere. Of
one that says more than a format can, they take the defaults and the name of the reasoning field, and how calls are
written is found out from the text. The name of a format, or ``"auto"``, does in its place. transformers itself is
needed only when ``tools`` holds Python functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from toolparse._async import Json
from toolparse._core import ArgumentsDelta, CallEnd, CallStart, ReasoningDelta, TextDelta, Tools, ToolStream
from toolparse._types import ParsedCall
from toolparse.integrations import compiled, find

if TYPE_CHECKING:
    from toolparse._core import Event

TESTED = "5.24"

_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")


def parse_response(
    text: str,
    response_template: Mapping[str, Any] | str = "auto",
    *,
    prefix: str | None = None,
    tools: Iterable[Json | Callable[..., Any]] | None = None,
) -> Json:
    """The message of a whole reply: ``role``, ``content``, reasoning and ``tool_calls``, those that are not empty."""
    parser = ResponseParser(response_template, prefix, tools=tools)
    parser.feed(text)
    return parser.finalize()[0]


class ResponseParser:
    """Reads a reply that streams, and tells of its fields as they open, grow and close.

    ``prefix`` is the prompt, which says whether the reply starts inside reasoning; ``None`` raises ``ValueError``, as
    in transformers. Without ``tools`` every well-marked name is a call. ``result`` is the whole result after
    :meth:`finalize`, with errors and repairs.
    """

    def __init__(
        self,
        response_template: Mapping[str, Any] | str = "auto",
        prefix: str | None = None,
        *,
        tools: Iterable[Json | Callable[..., Any]] | None = None,
    ) -> None:
        if prefix is None:
            raise ValueError('prefix, the prompt that was given to the model, is needed; pass prefix="" to do without')
        name, template = (response_template, {}) if isinstance(response_template, str) else ("auto", response_template)
        self._stream = _stream(_tools(tools), template or name, prefix)
        self._defaults: Json = dict(template.get("defaults") or {"role": "assistant"})
        fields = template.get("fields") or {}
        self._reasoning = next((name for name in _REASONING_FIELDS if name in fields), _REASONING_FIELDS[0])
        self._open = ""
        self._value: list[str] = []
        self._finalized = False
        self.initial_events: list[Json] = []

    def feed(self, text: str) -> list[Json]:
        """The events of the next piece; ``RuntimeError`` after :meth:`finalize`."""
        self._check()
        return self._events(self._stream.push(text))

    def finalize(self) -> tuple[Json, list[Json]]:
        """The message and the last events."""
        self._check()
        self._finalized = True
        events = self._events(self._stream.finish())
        self._close(events)
        self.result = self._stream.result()
        found = {
            "content": self.result.text,
            self._reasoning: self.result.reasoning,
            "tool_calls": [_tool_call(call) for call in self.result.calls],
        }
        return self._defaults | {name: value for name, value in found.items() if value}, events

    def _check(self) -> None:
        if self._finalized:
            raise RuntimeError("this ResponseParser is already finalized")

    def _events(self, read: list[Event]) -> list[Json]:
        out: list[Json] = []
        for event in read:
            if isinstance(event, TextDelta):
                self._chunk(out, "content", event.text)
            elif isinstance(event, ReasoningDelta):
                self._chunk(out, self._reasoning, event.text)
            elif isinstance(event, CallStart):
                self._close(out)
                self._start(out, "tool_calls")
            elif isinstance(event, ArgumentsDelta):
                out.append({"type": "region_chunk", "field": "tool_calls", "text": event.json, "dirty": True})
            elif isinstance(event, CallEnd):
                self._close(out, _tool_call(event.call))
        return out

    def _chunk(self, out: list[Json], field: str, text: str) -> None:
        if self._open != field:
            self._close(out)
            self._start(out, field)
        self._value.append(text)
        out.append({"type": "region_chunk", "field": field, "text": text, "dirty": False})

    def _start(self, out: list[Json], field: str) -> None:
        self._open, self._value = field, []
        out.append({"type": "region_open", "field": field})

    def _close(self, out: list[Json], value: Json | None = None) -> None:
        if self._open:
            out.append({"type": "region_close", "field": self._open, "value": value or "".join(self._value)})
        self._open = ""


def _stream(tools: Tools | None, template: Mapping[str, Any] | str, prefix: str) -> ToolStream:
    if isinstance(template, str):
        return ToolStream(tools, format=template, prompt=prefix)
    try:
        return ToolStream(tools, format=template, prompt=prefix)
    except ValueError:
        return ToolStream(tools, format="auto", prompt=prefix)


def _tool_call(call: ParsedCall) -> Json:
    return {"type": "function", "function": call.to_dict()}


def _tools(tools: Iterable[Json | Callable[..., Any]] | None) -> Tools | None:
    if tools is None:
        return None
    return compiled([_schema(tool) if callable(tool) else tool for tool in tools])


def _schema(function: Callable[..., Any]) -> Any:
    return find("transformers", TESTED, "get_json_schema", "transformers.utils.chat_template_utils")(function)
