"""Reads replies whole and in pieces.

A stream's answer is rebuilt from its events alone, and the events' own rules are checked on the way.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import toolparse
from toolparse import ArgumentsDelta, CallEnd, CallFailed, CallStart, ParseResult, ReasoningDelta, TextDelta

Pieces = Sequence[str] | Sequence[bytes]

# A number without an exact form is text among the arguments; its JSON text may be the number as it was written.
NOT_EXACT = {"number_as_text"}


def whole(raw: str | bytes, tools: Any, **options: Any) -> ParseResult:
    """All of the reply in one reading, with ids that are the same each time."""
    return toolparse.parse_tool_calls(raw, tools, **{"max_bytes": None, "ids": "index", **options})


def streamed(pieces: Iterable[str | bytes], tools: Any, **options: Any) -> ParseResult:
    """The result of a stream, after its events were found to say the same."""
    finish_reason = options.pop("finish_reason", None)
    stream = toolparse.ToolStream(tools, **{"ids": "index", **options})
    log = Log()
    for piece in pieces:
        log.take(stream.push(piece))
    log.take(stream.finish(finish_reason))
    result = stream.result()
    log.compare(result)
    return result


@dataclass(slots=True)
class Log:
    """What a client makes of the events, and the rules that the events keep.

    No event is empty. Calls are numbered from 0 without a gap. One is open at a time, nothing else comes while it is,
    and it ends once, as it started; only one that was found too large fails, and leaves its number unused.
    """

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    errors: list[Any] = field(default_factory=list)
    start: CallStart | None = None
    outgrown: int = 0
    arguments: list[str] = field(default_factory=list)

    def take(self, events: Iterable[Any]) -> None:
        for event in events:
            match event:
                case TextDelta(text):
                    assert text
                    assert self.start is None, "text inside a call"
                    self.text.append(text)
                case ReasoningDelta(text):
                    assert text
                    assert self.start is None, "reasoning inside a call"
                    self.reasoning.append(text)
                case CallStart(index):
                    assert self.start is None, "a call inside a call"
                    assert len(self.calls) <= index <= len(self.calls) + self.outgrown, "a call out of order"
                    self.start, self.arguments = event, []
                case ArgumentsDelta(index, piece):
                    assert piece
                    assert self.start is not None, "arguments outside a call"
                    assert index == self.start.index
                    self.arguments.append(piece)
                case CallEnd(index, call):
                    self._end(index, call)
                case CallFailed(error):
                    self.errors.append(error)
                    assert self.start is None or error.kind == "limit", "a call was taken back"
                    self.start = None
                    self.outgrown += error.kind == "limit"
                case _:
                    raise AssertionError(f"an unknown event {event!r}")

    def _end(self, index: int, call: Any) -> None:
        assert self.start is not None, "an end without a start"
        assert (index, self.start.index) == (call.index, call.index)
        assert (call.id, call.name) == (self.start.id, self.start.name), "a call ended as another"
        joined = "".join(self.arguments)
        assert joined == call.arguments_json, f"{joined!r} was streamed for {call.arguments_json!r}"
        exact = not any(repair.kind in NOT_EXACT for repair in call.repairs)
        assert not exact or json.loads(joined) == call.arguments
        self.calls.append(call)
        self.start = None

    def compare(self, result: ParseResult) -> None:
        assert self.start is None, "a call never ended"
        assert "".join(self.text) == result.text
        assert "".join(self.reasoning) == (result.reasoning or "")
        assert self.calls == result.calls
        assert errors_of(self.errors) == errors_of(result.errors)
        assert len({call.id for call in self.calls}) == len(self.calls), "an id was given twice"


def errors_of(errors: Iterable[Any]) -> list[tuple[Any, ...]]:
    """An error equals its message; this compares all of it."""
    return [(str(e), e.kind, e.name, e.span, e.raw) for e in errors]


def facts(result: ParseResult) -> tuple[Any, ...]:
    """All of a result, for comparing."""
    return (result.text, result.reasoning, result.calls, errors_of(result.errors), result.truncated, result.segments)


def tiles(result: ParseResult, length: int) -> None:
    """The segments cover the reply exactly, in order, and what they leave for prose is no longer than they say."""
    at = 0
    for segment in result.segments:
        start, end = segment.span
        assert start == at, f"gap or overlap at {at}: {segment}"
        assert end > start, f"an empty segment at {at}"
        at = end
    assert at == length, f"the segments end at {at} of {length}"


def two_pieces(raw: str, most: int = 400) -> list[tuple[str, str]]:
    """Cuts in two, the empty halves included: at every place, or at `most` places evenly over the reply."""
    n = len(raw)
    cuts = range(n + 1) if n < most else sorted({i * n // (most - 1) for i in range(most)})
    return [(raw[:at], raw[at:]) for at in cuts]


def random_pieces(raw: str, seed: int, most: int = 8) -> list[str]:
    rng = random.Random(seed)
    pieces, at = [], 0
    while at < len(raw):
        length = rng.randint(1, most)
        pieces.append(raw[at : at + length])
        at += length
    return pieces


def ways(raw: str) -> dict[str, list[str]]:
    """In one piece, by character, and in four seeded random ways."""
    return {"one": [raw], "characters": list(raw)} | {
        f"random {seed}": random_pieces(raw, seed) for seed in (1, 2, 3, 4)
    }


def bytewise(raw: str) -> list[bytes]:
    data = raw.encode("utf-8")
    return [data[at : at + 1] for at in range(len(data))]


def squeeze(text: str | None) -> str:
    return " ".join((text or "").split())
