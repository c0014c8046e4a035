"""What an Anthropic client receives: messages, whole and as a stream.

A result becomes content blocks (:func:`to_content`) or a message (:func:`to_message`); the events of a
:class:`toolparse.ToolStream` become stream events (:class:`EventEncoder`), and :func:`to_wire` makes the server-sent
event of one of them. Nothing here imports the ``anthropic`` package.

``finish_reason`` is always what the server said: OpenAI's or Anthropic's word, or ``None`` when nobody knows. A reply
that was cut off ends as ``max_tokens``, never as ``tool_use``. Thinking blocks have an empty signature: a client shows
them, Anthropic's own API does not take them back (``thinking=False`` leaves them out).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolparse._async import FinishReason, Json, StreamOptions, aencoded, finish_word, result_word
from toolparse._core import ArgumentsDelta, CallEnd, CallFailed, CallStart, ReasoningDelta, TextDelta
from toolparse._types import ParsedCall, ParseResult

if TYPE_CHECKING:
    from typing import Unpack

    from toolparse._core import Event, ToolsLike, ToolStream

OnError: TypeAlias = Literal["omit", "text"]

# ASCII only: U+2028 and U+0085 end a line for some readers of event streams, and a lone surrogate has no UTF-8.
_dumps = json.JSONEncoder(separators=(",", ":")).encode

_STOP_REASONS = {"tool_calls": "tool_use", "stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def to_wire(event: Json) -> str:
    """One server-sent event: its ``event:`` line, its ``data:`` line and the empty line."""
    return f"event: {event['type']}\ndata: {_dumps(event)}\n\n"


def to_content(result: ParseResult, *, thinking: bool = True, on_error: OnError = "omit") -> list[Json]:
    """The content blocks of a reply: ``thinking``, ``text`` and ``tool_use`` in the order of its text, none empty.

    The text blocks add up to ``result.text``. With ``on_error="text"`` the raw text of calls that failed is text too.
    """
    return [_block(kind, value) for kind, value in parts(result, on_error) if thinking or kind != "reasoning"]


def to_message(
    result: ParseResult,
    *,
    model: str,
    finish_reason: str | None = None,
    usage: Json | None = None,
    id: str | None = None,
    thinking: bool = True,
    on_error: OnError = "omit",
) -> Json:
    """The whole message of one reply; ``usage`` has ``input_tokens`` and ``output_tokens``, both 0 when not given."""
    return {
        "id": id or "msg_" + secrets.token_hex(12),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": to_content(result, thinking=thinking, on_error=on_error),
        "stop_reason": _STOP_REASONS[result_word(result, finish_reason)],
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0, **(usage or {})},
    }


def _block(kind: str, value: Any) -> Json:
    if kind == "text":
        return {"type": "text", "text": value}
    if kind == "reasoning":
        return {"type": "thinking", "thinking": value, "signature": ""}
    return {"type": "tool_use", "id": value.id, "name": value.name, "input": value.arguments}


def parts(result: ParseResult, on_error: OnError = "omit") -> list[tuple[str, Any]]:
    """``("text", str)``, ``("reasoning", str)`` and ``("call", ParsedCall)`` in the order of the reply.

    Neighbours of one kind are one. The texts add up to ``result.text`` and ``result.reasoning``; with
    ``on_error="text"`` the raw text of errors that the prose does not show stands between them.
    """
    if not result.calls and result.reasoning is None and not (result.errors and on_error == "text"):
        return [("text", result.text)] if result.text else []
    flow = result.flow()
    if flow is not None and _adds_up(result, flow):
        return _joined([(at, *_part(result, kind, item, on_error)) for at, (kind, item) in enumerate(flow)])
    placed: list[tuple[int, str, Any]] = [(call.span[0], "call", call) for call in result.calls]
    for kind, segment, text in (("text", "prose", result.text), ("reasoning", "reasoning", result.reasoning or "")):
        spans = [s.span for s in result.segments if s.kind == segment]
        pieces = _pieces(text, [end - start for start, end in spans])
        if pieces is None:
            return _unplaced(result)
        placed += [(span[0], kind, piece) for span, piece in zip(spans, pieces, strict=True)]
    if on_error == "text":
        hidden = [s.span for s in result.segments if s.kind == "error"]
        unseen = [e for e in result.errors if any(start <= e.span[0] < end for start, end in hidden)]
        placed += [(error.span[0], "text", error.raw) for error in unseen]
    placed.sort(key=lambda part: part[0])
    return _joined(placed)


def _adds_up(result: ParseResult, flow: list[tuple[str, Any]]) -> bool:
    """Whether the result still is what was read: its owner may have changed it."""
    texts = {kind: "".join(item for of, item in flow if of == kind) for kind in ("text", "reasoning")}
    calls = sum(kind == "call" for kind, _ in flow)
    errors = [item for kind, item in flow if kind == "error"]
    return (
        texts["text"] == result.text
        and texts["reasoning"] == (result.reasoning or "")
        and calls == len(result.calls)
        and max(errors, default=-1) < len(result.errors)
    )


def _part(result: ParseResult, kind: str, item: Any, on_error: OnError) -> tuple[str, Any]:
    if kind == "call":
        return ("call", result.calls[item])
    if kind == "error":
        return ("text", result.errors[item].raw if on_error == "text" else "")
    return (kind, item)


def _pieces(text: str, lengths: list[int]) -> list[str] | None:
    """``text`` in pieces of these lengths, in characters or in UTF-8 bytes; ``None`` when it adds up in neither."""
    data: str | bytes = text
    if sum(lengths) != len(text):
        data = text.encode("utf-8", "surrogatepass")
        if sum(lengths) != len(data):
            return None
    out: list[str] = []
    at = 0
    for length in lengths:
        piece = data[at : at + length]
        out.append(piece if isinstance(piece, str) else piece.decode("utf-8", "surrogatepass"))
        at += length
    return out


def _unplaced(result: ParseResult) -> list[tuple[str, Any]]:
    found = [("reasoning", result.reasoning), ("text", result.text), *(("call", call) for call in result.calls)]
    return [(kind, value) for kind, value in found if value]


def _joined(placed: Iterable[tuple[int, str, Any]]) -> list[tuple[str, Any]]:
    out: list[tuple[str, Any]] = []
    for _, kind, value in placed:
        if kind != "call" and out and out[-1][0] == kind:
            out[-1] = (kind, out[-1][1] + value)
        elif value:
            out.append((kind, value))
    return out


class EventEncoder:
    """Events of one stream as the events of Anthropic's Messages API, ``message_start`` to ``message_stop``.

    ``message_start`` comes with the first :meth:`encode`. One content block is open at a time, in the order of the
    text; a ``tool_use`` block is closed as soon as its call ends. A failed call sends nothing, or its raw text as text
    with ``on_error="text"``. One encoder serves one reply.
    """

    def __init__(
        self,
        *,
        model: str,
        id: str | None = None,
        usage: Json | None = None,
        thinking: bool = True,
        on_error: OnError = "omit",
    ) -> None:
        self.model = model
        self.id = id or "msg_" + secrets.token_hex(12)
        self._usage = {"input_tokens": 0, "output_tokens": 0, **(usage or {})}
        self._thinking = thinking
        self._errors_as_text = on_error == "text"
        self._started = False
        self._index = -1
        self._open = ""
        self._silent = False
        self._called = self._unfinished = self._dropped = self._broken = False

    def encode(self, events: Iterable[Event]) -> list[Json]:
        """The stream events of what ``ToolStream.push`` or ``ToolStream.finish`` returned."""
        out = [] if self._started else [self._start()]
        for event in events:
            if isinstance(event, ArgumentsDelta):
                self._silent = False
                out.append(self._delta({"type": "input_json_delta", "partial_json": event.json}))
            elif isinstance(event, TextDelta):
                self._text(out, event.text)
            elif isinstance(event, ReasoningDelta):
                if self._thinking:
                    self._turn(out, "thinking", {"type": "thinking", "thinking": "", "signature": ""})
                    out.append(self._delta({"type": "thinking_delta", "thinking": event.text}))
            elif isinstance(event, CallStart):
                self._called = self._silent = self._unfinished = True
                self._close(out)
                self._turn(out, "call", {"type": "tool_use", "id": event.id, "name": event.name, "input": {}})
            elif isinstance(event, CallEnd):
                self._end(out, event.call)
            elif isinstance(event, CallFailed):
                # A call that was begun and fails has left broken JSON with the client.
                if self._open == "call":
                    self._broken = True
                    self._close(out)
                self._broken = self._broken or event.error.kind == "limit"
                self._dropped = self._dropped or event.error.kind == "cut"
                if self._errors_as_text and event.error.raw:
                    self._text(out, event.error.raw)
        return out

    def finish(self, finish_reason: str | None = None, *, usage: Json | None = None) -> list[Json]:
        """What closes the open block, ``message_delta`` with the stop reason and the ``usage``, ``message_stop``."""
        out = [] if self._started else [self._start()]
        self._close(out)
        said = "length" if self._broken else finish_reason
        word = finish_word(said, called=self._called, unfinished=self._unfinished, dropped=self._dropped)
        delta = {"stop_reason": _STOP_REASONS[word], "stop_sequence": None}
        counted = {"output_tokens": self._usage["output_tokens"], **(usage or {})}
        out.append({"type": "message_delta", "delta": delta, "usage": counted})
        out.append({"type": "message_stop"})
        return out

    def _start(self) -> Json:
        self._started = True
        message: Json = {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": dict(self._usage),
        }
        return {"type": "message_start", "message": message}

    def _text(self, out: list[Json], text: str) -> None:
        self._turn(out, "text", {"type": "text", "text": ""})
        out.append(self._delta({"type": "text_delta", "text": text}))

    def _end(self, out: list[Json], call: ParsedCall) -> None:
        if self._silent:
            out.append(self._delta({"type": "input_json_delta", "partial_json": call.arguments_json}))
        self._unfinished = not call.complete
        self._close(out)

    def _turn(self, out: list[Json], kind: str, block: Json) -> None:
        """Makes a block of ``kind`` the open one."""
        if self._open == kind:
            return
        self._close(out)
        self._open = kind
        self._index += 1
        out.append({"type": "content_block_start", "index": self._index, "content_block": block})

    def _close(self, out: list[Json]) -> None:
        if self._open:
            self._open = ""
            out.append({"type": "content_block_stop", "index": self._index})

    def _delta(self, delta: Json) -> Json:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}


async def aevents(
    chunks: AsyncIterable[str | bytes],
    tools: ToolsLike | ToolStream,
    *,
    model: str,
    finish_reason: FinishReason = None,
    encoder: EventEncoder | None = None,
    **options: Unpack[StreamOptions],
) -> AsyncIterator[Json]:
    """The stream events of a reply that arrives in pieces: ``async for event in aevents(pieces, tools, model="m")``.

    ``tools``, ``finish_reason`` and ``options`` are as in :func:`toolparse.aevents`; ``encoder`` replaces the plain
    ``EventEncoder(model=model)``.
    """
    async for event in aencoded(chunks, tools, encoder or EventEncoder(model=model), finish_reason, options):
        yield event
