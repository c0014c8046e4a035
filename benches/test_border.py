"""What a call from Python costs: the whole way from ``str`` to a result and back, border included.

    pytest benches --benchmark-only

Replies are made from a fixed seed, so two machines measure the same bytes. Each case checks its result once before
it is timed. ``extra_info`` holds the UTF-8 bytes of the reply and, for streams, the number of pieces.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
import toolparse

SEED = 20260101
WORDS = ("the", "harbour", "ledger", "signal", "copper", "window", "river", "pattern", "engine", "garden", "answer")
MARKERS = ("<think>", "</think>", "<tool_call>", "</tool_call>")

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
        },
    },
}
WRITE_FILE = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
}
DEFINITIONS = [SEARCH, WRITE_FILE]
TOOLS = toolparse.Tools(DEFINITIONS)


def prose(size: int) -> str:
    """Sentences of plain words, ``size`` characters long."""
    words = random.Random(SEED)
    text = ""
    while len(text) < size:
        text += " ".join(words.choice(WORDS) for _ in range(9)).capitalize() + ". "
    return text[:size].rstrip()


def code(size: int) -> str:
    """Source-like lines with quotes, backslashes and angle brackets, ``size`` characters long."""
    words = random.Random(SEED)
    text = ""
    while len(text) < size:
        one, other = words.choice(WORDS), words.choice(WORDS)
        text += f'    if {one}[0] < {other}:\n        print("{one}: %s\\n" % {other})  # <{one}>\n'
    return text[:size]


def call(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def pieces(reply: str) -> list[str]:
    """The reply as a tokenizer deals it out: 1 to 7 characters, a marker always whole."""
    return list(_pieces(reply, random.Random(SEED)))


def _pieces(reply: str, sizes: random.Random) -> Iterator[str]:
    at = 0
    while at < len(reply):
        marker = next((m for m in MARKERS if reply.startswith(m, at)), None)
        nearest = min((found for m in MARKERS if (found := reply.find(m, at + 1)) > 0), default=len(reply))
        end = at + len(marker) if marker else min(at + sizes.randint(1, 7), nearest)
        yield reply[at:end]
        at = end


SHORT_ARGUMENTS = {"query": "copper harbour", "limit": 3}
SHORT = call("search", SHORT_ARGUMENTS)

TYPICAL_ARGUMENTS = [{"query": "ledger of the harbour", "limit": 10}, {"path": "notes/today.md", "content": prose(200)}]
TYPICAL = "\n".join(
    [
        f"<think>\n{prose(900)}\n</think>\n\n{prose(160)}",
        call("search", TYPICAL_ARGUMENTS[0]),
        call("write_file", TYPICAL_ARGUMENTS[1]),
    ]
)

LONG_ARGUMENTS = {"path": "src/main.py", "content": code(30 * 1024)}
LONG = call("write_file", LONG_ARGUMENTS)

PROSE = prose(4 * 1024)

REPLIES = {
    "short call": (SHORT, [SHORT_ARGUMENTS]),
    "think and two calls": (TYPICAL, TYPICAL_ARGUMENTS),
    "30 KB argument": (LONG, [LONG_ARGUMENTS]),
    "prose without a call": (PROSE, []),
}
CASES = [pytest.param(reply, arguments, id=name) for name, (reply, arguments) in REPLIES.items()]


def whole(reply: str, tools: Any, *, format: str = "auto") -> toolparse.ParseResult:
    return toolparse.parse_tool_calls(reply, tools, format=format, max_bytes=None)


def streamed(deltas: list[str]) -> toolparse.ParseResult:
    stream = toolparse.ToolStream(TOOLS)
    for delta in deltas:
        stream.push(delta)
    stream.finish()
    return stream.result()


def filtered(deltas: list[str]) -> str:
    prose_filter = toolparse.ProseFilter()
    return "".join([*map(prose_filter.push, deltas), prose_filter.flush()])


def found(result: toolparse.ParseResult) -> list[dict[str, Any]]:
    assert result.errors == []
    return [parsed.arguments for parsed in result.calls]


@pytest.mark.parametrize(("reply", "arguments"), CASES)
def test_whole(benchmark: Any, reply: str, arguments: list[dict[str, Any]]) -> None:
    assert found(whole(reply, TOOLS)) == arguments
    benchmark.extra_info["bytes"] = len(reply.encode())
    benchmark(whole, reply, TOOLS)


@pytest.mark.parametrize(("reply", "arguments"), CASES)
def test_whole_named_format(benchmark: Any, reply: str, arguments: list[dict[str, Any]]) -> None:
    assert found(whole(reply, TOOLS, format="hermes")) == arguments
    benchmark.extra_info["bytes"] = len(reply.encode())
    benchmark(whole, reply, TOOLS, format="hermes")


@pytest.mark.parametrize(("reply", "arguments"), CASES)
def test_stream_by_token(benchmark: Any, reply: str, arguments: list[dict[str, Any]]) -> None:
    deltas = pieces(reply)
    assert "".join(deltas) == reply
    assert found(streamed(deltas)) == arguments
    benchmark.extra_info["bytes"] = len(reply.encode())
    benchmark.extra_info["pieces"] = len(deltas)
    benchmark(streamed, deltas)


def test_short_call_with_names(benchmark: Any) -> None:
    assert found(whole(SHORT, ["search", "write_file"])) == [SHORT_ARGUMENTS]
    benchmark(whole, SHORT, ["search", "write_file"])


def test_short_call_with_definitions(benchmark: Any) -> None:
    assert found(whole(SHORT, DEFINITIONS)) == [SHORT_ARGUMENTS]
    benchmark(whole, SHORT, DEFINITIONS)


def test_prose_filter_by_token(benchmark: Any) -> None:
    deltas = pieces(PROSE)
    assert filtered(deltas) == PROSE
    benchmark.extra_info["bytes"] = len(PROSE.encode())
    benchmark.extra_info["pieces"] = len(deltas)
    benchmark(filtered, deltas)


def test_stream_opened_and_closed(benchmark: Any) -> None:
    assert found(streamed([])) == []
    benchmark(streamed, [])
