"""What an OpenAI client receives: chat completions and responses, whole and as a stream.

A result becomes a message (:func:`to_message`, :func:`to_completion`) or the items of a response
(:func:`to_response_items`, :func:`to_response`); the events of a :class:`toolparse.ToolStream` become chunks
(:class:`ChunkEncoder`) or the events of a response (:class:`ResponseEncoder`), and :func:`to_wire` makes the
server-sent event of one of them. Nothing here imports the ``openai`` package.

``finish_reason`` is always what the server said: OpenAI's or Anthropic's word, or ``None`` when nobody knows. A reply
that was cut off ends as ``length``, never as ``tool_calls``.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any

from toolparse._async import FinishReason, Json, StreamOptions, aencoded, finish_word, result_word
from toolparse._core import ArgumentsDelta, CallEnd, CallFailed, CallStart, ReasoningDelta, TextDelta
from toolparse._types import ParsedCall, ParseResult
from toolparse.anthropic import OnError, parts

if TYPE_CHECKING:
    from typing import Unpack

    from toolparse._core import Event, ToolsLike, ToolStream

DONE = "data: [DONE]\n\n"
"""The last line of a stream of chat completion chunks."""

# ASCII only: U+2028 and U+0085 end a line for some readers of event streams, and a lone surrogate has no UTF-8.
_dumps = json.JSONEncoder(separators=(",", ":")).encode


def to_wire(chunk: Json) -> str:
    """One server-sent event: ``data: {...}``, and before it an ``event:`` line when it is an event of a response."""
    name = chunk.get("type")
    return f"event: {name}\ndata: {_dumps(chunk)}\n\n" if name else f"data: {_dumps(chunk)}\n\n"


def to_message(
    result: ParseResult, *, reasoning_field: str | None = "reasoning_content", on_error: OnError = "omit"
) -> Json:
    """The message of a chat completion: ``{"role", "content"[, reasoning_field][, "tool_calls"]}``.

    ``content`` is ``None`` when there is no text. Reasoning stands under ``reasoning_field``, ``None`` leaves it out.
    With ``on_error="text"`` the raw text of calls that failed is part of the content.
    """
    text = result.text
    if on_error == "text":
        text = "".join(value for kind, value in parts(result, on_error) if kind == "text")
    message: Json = {"role": "assistant", "content": text or None}
    if reasoning_field and result.reasoning:
        message[reasoning_field] = result.reasoning
    if result.calls:
        message["tool_calls"] = [_tool_call(call) for call in result.calls]
    return message


def _tool_call(call: ParsedCall) -> Json:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_json}}


def to_completion(
    result: ParseResult,
    *,
    model: str,
    finish_reason: str | None = None,
    usage: Json | None = None,
    id: str | None = None,
    created: int | None = None,
    reasoning_field: str | None = "reasoning_content",
    on_error: OnError = "omit",
) -> Json:
    """The whole ``chat.completion`` of one reply; ``id`` and ``created`` (seconds) are made when not given."""
    message = to_message(result, reasoning_field=reasoning_field, on_error=on_error)
    word = result_word(result, finish_reason)
    out: Json = {
        "id": id or "chatcmpl-" + secrets.token_hex(12),
        "object": "chat.completion",
        "created": _now(created),
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": word}],
    }
    if usage is not None:
        out["usage"] = usage
    return out


def _now(seconds: int | None) -> int:
    return int(time.time()) if seconds is None else seconds


class ChunkEncoder:
    """Events of one stream as ``chat.completion.chunk`` dicts.

    The role comes first, with the first :meth:`encode`. The first delta of a call has its index, id, type, name and
    ``arguments: ""``; argument deltas follow, and joined they are ``ParsedCall.arguments_json``. A failed call sends
    nothing, or its raw text as content with ``on_error="text"``. ``reasoning_field=None`` leaves reasoning out,
    ``choice`` is the index of the choice. One encoder serves one reply.
    """

    def __init__(
        self,
        *,
        model: str,
        id: str | None = None,
        created: int | None = None,
        reasoning_field: str | None = "reasoning_content",
        on_error: OnError = "omit",
        choice: int = 0,
    ) -> None:
        self.model = model
        self.id = id or "chatcmpl-" + secrets.token_hex(12)
        self.created = _now(created)
        self._reasoning_field = reasoning_field
        self._errors_as_text = on_error == "text"
        self._choice = choice
        self._started = False
        self._calls = 0
        self._silent = self._begun = False
        self._unfinished = self._dropped = self._broken = False

    def encode(self, events: Iterable[Event]) -> list[Json]:
        """The chunks of what ``ToolStream.push`` or ``ToolStream.finish`` returned."""
        out = [] if self._started else [self._first()]
        for event in events:
            if isinstance(event, ArgumentsDelta):
                self._silent = False
                out.append(self._arguments(event.json))
            elif isinstance(event, TextDelta):
                out.append(self._chunk({"content": event.text}))
            elif isinstance(event, ReasoningDelta):
                if self._reasoning_field:
                    out.append(self._chunk({self._reasoning_field: event.text}))
            elif isinstance(event, CallStart):
                out.append(self._head(event))
            elif isinstance(event, CallEnd):
                self._begun = False
                self._unfinished = not event.call.complete
                if self._silent:
                    out.append(self._arguments(event.call.arguments_json))
            elif isinstance(event, CallFailed):
                # A call that was begun and fails has left broken JSON with the client.
                self._broken = self._broken or self._begun or event.error.kind == "limit"
                self._begun = False
                self._dropped = self._dropped or event.error.kind == "cut"
                if self._errors_as_text and event.error.raw:
                    out.append(self._chunk({"content": event.error.raw}))
        return out

    def finish(self, finish_reason: str | None = None, *, usage: Json | None = None) -> list[Json]:
        """The last chunks: the one with the finish reason and, when ``usage`` is given, one that has only the usage."""
        out = [] if self._started else [self._first()]
        called = self._calls > 0
        said = "length" if self._broken else finish_reason
        word = finish_word(said, called=called, unfinished=self._unfinished, dropped=self._dropped)
        out.append(self._chunk({}, word))
        if usage is not None:
            out.append({**self._chunk({}), "choices": [], "usage": usage})
        return out

    def _first(self) -> Json:
        self._started = True
        return self._chunk({"role": "assistant", "content": None})

    def _head(self, start: CallStart) -> Json:
        self._silent = self._unfinished = self._begun = True
        self._calls += 1
        function = {"name": start.name, "arguments": ""}
        call = {"index": self._calls - 1, "id": start.id, "type": "function", "function": function}
        return self._chunk({"tool_calls": [call]})

    def _arguments(self, piece: str) -> Json:
        return self._chunk({"tool_calls": [{"index": self._calls - 1, "function": {"arguments": piece}}]})

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> Json:
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": self._choice, "delta": delta, "logprobs": None, "finish_reason": finish_reason}],
        }


def to_response_items(result: ParseResult, *, id: str | None = None, on_error: OnError = "omit") -> list[Json]:
    """The ``output`` of a response: ``reasoning``, ``message`` and ``function_call`` items in the order of the text.

    ``call_id`` is the id of the call; the items' own ids are made from ``id``, the response's.
    """
    base = id or "resp_" + secrets.token_hex(12)
    return [_item(kind, base, n, value) for n, (kind, value) in enumerate(parts(result, on_error))]


def to_response(
    result: ParseResult,
    *,
    model: str,
    finish_reason: str | None = None,
    usage: Json | None = None,
    id: str | None = None,
    created_at: int | None = None,
    on_error: OnError = "omit",
) -> Json:
    """The whole ``response`` of one reply; ``usage`` is in the words of the Responses API."""
    base = id or "resp_" + secrets.token_hex(12)
    items = to_response_items(result, id=base, on_error=on_error)
    return _response(base, model, _now(created_at), items, result_word(result, finish_reason), usage)


def _response(base: str, model: str, created_at: int, output: list[Json], word: str | None, usage: Json | None) -> Json:
    """A response that ended with ``word``; without one it is in progress."""
    cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(word or "")
    status = "incomplete" if cut else "completed"
    return {
        "id": base,
        "object": "response",
        "created_at": created_at,
        "status": status if word else "in_progress",
        "model": model,
        "output": output,
        "error": None,
        "incomplete_details": {"reason": cut} if cut else None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    }


_PREFIXES = {"text": "msg", "reasoning": "rs", "call": "fc"}


def _item_id(kind: str, base: str, index: int) -> str:
    return f"{_PREFIXES[kind]}_{base.removeprefix('resp_')}_{index}"


def _item(kind: str, base: str, index: int, value: Any) -> Json:
    id = _item_id(kind, base, index)
    if kind != "call":
        return _text_item(kind, id, "completed", [_part(kind, value)])
    status = "completed" if value.complete else "incomplete"
    return _call_item(id, status, value.id, value.name, value.arguments_json)


def _call_item(id: str, status: str, call_id: str, name: str, arguments: str) -> Json:
    head = {"id": id, "type": "function_call", "status": status}
    return {**head, "call_id": call_id, "name": name, "arguments": arguments}


def _text_item(kind: str, id: str, status: str, content: list[Json]) -> Json:
    if kind == "reasoning":
        return {"id": id, "type": "reasoning", "status": status, "summary": [], "content": content}
    return {"id": id, "type": "message", "status": status, "role": "assistant", "content": content}


def _part(kind: str, text: str) -> Json:
    if kind == "reasoning":
        return {"type": "reasoning_text", "text": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


_TEXT_EVENTS: dict[str, tuple[str, Json]] = {
    "text": ("response.output_text", {"content_index": 0, "logprobs": []}),
    "reasoning": ("response.reasoning_text", {"content_index": 0}),
}


class ResponseEncoder:
    """Events of one stream as the events of a response, ``response.created`` to ``response.completed``.

    A reply that was cut off ends as ``response.incomplete``. One output item is open at a time, in the order of the
    text. A failed call sends nothing, or its raw text as a message with ``on_error="text"``. One encoder serves one
    reply.
    """

    def __init__(
        self, *, model: str, id: str | None = None, created_at: int | None = None, on_error: OnError = "omit"
    ) -> None:
        self.model = model
        self.id = id or "resp_" + secrets.token_hex(12)
        self.created_at = _now(created_at)
        self._errors_as_text = on_error == "text"
        self._sequence = -1
        self._output: list[Json] = []
        self._open = ""
        self._item_id = ""
        self._call = ("", "")
        self._pieces: list[str] = []
        self._called = self._unfinished = self._dropped = self._broken = False

    def encode(self, events: Iterable[Event]) -> list[Json]:
        """The response's events for what ``ToolStream.push`` or ``ToolStream.finish`` returned."""
        out = self._begin()
        for event in events:
            if isinstance(event, ArgumentsDelta):
                self._arguments(out, event.json)
            elif isinstance(event, TextDelta):
                self._text(out, "text", event.text)
            elif isinstance(event, ReasoningDelta):
                self._text(out, "reasoning", event.text)
            elif isinstance(event, CallStart):
                self._start_call(out, event)
            elif isinstance(event, CallEnd):
                if not self._pieces:
                    self._arguments(out, event.call.arguments_json)
                self._unfinished = not event.call.complete
                self._close(out, "incomplete" if self._unfinished else "completed")
            elif isinstance(event, CallFailed):
                if self._open == "call":
                    self._broken = True
                    self._close(out, "incomplete")
                self._broken = self._broken or event.error.kind == "limit"
                self._dropped = self._dropped or event.error.kind == "cut"
                if self._errors_as_text and event.error.raw:
                    self._text(out, "text", event.error.raw)
        return out

    def finish(self, finish_reason: str | None = None, *, usage: Json | None = None) -> list[Json]:
        """What closes the open item, and ``response.completed`` or ``response.incomplete`` with the whole response."""
        out = self._begin()
        said = "length" if self._broken else finish_reason
        word = finish_word(said, called=self._called, unfinished=self._unfinished, dropped=self._dropped)
        response = _response(self.id, self.model, self.created_at, self._output, word, usage)
        self._close(out, "incomplete" if self._open == "call" else response["status"])
        out.append(self._event("response." + response["status"], {"response": response}))
        return out

    def _begin(self) -> list[Json]:
        if self._sequence >= 0:
            return []
        names = ("response.created", "response.in_progress")
        empty = [_response(self.id, self.model, self.created_at, [], None, None) for _ in names]
        return [self._event(name, {"response": response}) for name, response in zip(names, empty, strict=True)]

    def _text(self, out: list[Json], kind: str, text: str) -> None:
        if self._open != kind:
            self._close(out, "completed")
            self._open_item(kind)
            self._added(out, _text_item(kind, self._item_id, "in_progress", []))
            out.append(self._in_item("response.content_part.added", {"content_index": 0, "part": _part(kind, "")}))
        self._pieces.append(text)
        name, fields = _TEXT_EVENTS[kind]
        out.append(self._in_item(name + ".delta", {**fields, "delta": text}))

    def _start_call(self, out: list[Json], start: CallStart) -> None:
        self._close(out, "completed")
        self._called = self._unfinished = True
        self._call = (start.id, start.name)
        self._open_item("call")
        self._added(out, _call_item(self._item_id, "in_progress", *self._call, ""))

    def _arguments(self, out: list[Json], piece: str) -> None:
        self._pieces.append(piece)
        out.append(self._in_item("response.function_call_arguments.delta", {"delta": piece}))

    def _open_item(self, kind: str) -> None:
        self._open = kind
        self._item_id = _item_id(kind, self.id, len(self._output))
        self._pieces = []

    def _added(self, out: list[Json], item: Json) -> None:
        out.append(self._event("response.output_item.added", {"output_index": len(self._output), "item": item}))

    def _close(self, out: list[Json], status: str) -> None:
        """Ends the open item, if there is one."""
        kind, whole = self._open, "".join(self._pieces)
        if not kind:
            return
        if kind == "call":
            fields = {"name": self._call[1], "arguments": whole}
            out.append(self._in_item("response.function_call_arguments.done", fields))
            item = _call_item(self._item_id, status, *self._call, whole)
        else:
            part = _part(kind, whole)
            name, fields = _TEXT_EVENTS[kind]
            out.append(self._in_item(name + ".done", {**fields, "text": whole}))
            out.append(self._in_item("response.content_part.done", {"content_index": 0, "part": part}))
            item = _text_item(kind, self._item_id, status, [part])
        out.append(self._event("response.output_item.done", {"output_index": len(self._output), "item": item}))
        self._output.append(item)
        self._open = ""

    def _in_item(self, name: str, fields: Json) -> Json:
        return self._event(name, {"item_id": self._item_id, "output_index": len(self._output), **fields})

    def _event(self, name: str, fields: Json) -> Json:
        self._sequence += 1
        return {"type": name, "sequence_number": self._sequence, **fields}


async def achunks(
    chunks: AsyncIterable[str | bytes],
    tools: ToolsLike | ToolStream,
    *,
    model: str = "",
    finish_reason: FinishReason = None,
    encoder: ChunkEncoder | ResponseEncoder | None = None,
    **options: Unpack[StreamOptions],
) -> AsyncIterator[Json]:
    """The chunks of a reply that arrives in pieces: ``async for chunk in achunks(pieces, tools, model="m")``.

    ``tools``, ``finish_reason`` and ``options`` are as in :func:`toolparse.aevents`. ``encoder`` replaces the plain
    ``ChunkEncoder(model=model)``; with a :class:`ResponseEncoder` the events of a response come out.
    """
    async for chunk in aencoded(chunks, tools, encoder or ChunkEncoder(model=model), finish_reason, options):
        yield chunk
