"""Reads every reply in ``examples/replies`` twice, whole and streamed in small pieces, and reports what came out.

    python examples/run.py

The two readings must agree in everything, and what the stream's events add up to must be the result.
Exit status: 0 if so, 1 if not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import toolparse

HERE = Path(__file__).parent
PIECE = 3  # characters, about a token


def main() -> int:
    """Prints a paragraph for each reply and a closing line."""
    sys.stdout.reconfigure(encoding="utf-8")
    tools = toolparse.Tools(json.loads((HERE / "tools.json").read_text(encoding="utf-8")))
    files = sorted((HERE / "replies").glob("*.txt"))
    calls = errors = differing = 0
    for file in files:
        reply = file.read_bytes().decode()
        whole = toolparse.parse_tool_calls(reply, tools, max_bytes=None, ids="index")
        faults = list(disagreements(reply, tools, whole))
        print(
            "\n".join(
                [f"{file.name} ({len(reply):,} characters)", *report(whole), *(f"  DIFFERS: {x}" for x in faults)]
            )
        )
        calls += len(whole.calls)
        errors += len(whole.errors)
        differing += bool(faults)
    agreement = "whole and streamed agree in all" if not differing else f"{differing} DIFFER between whole and streamed"
    print(f"{len(files)} replies: {calls} calls, {errors} errors; {agreement}")
    return 1 if differing else 0


def disagreements(reply: str, tools: toolparse.Tools, whole: toolparse.ParseResult) -> Iterator[str]:
    """Streams the reply; yields what differs from the whole reading."""
    stream = toolparse.ToolStream(tools, ids="index")
    text = reasoning = ""
    arguments: dict[int, str] = {}
    events = [event for at in range(0, len(reply), PIECE) for event in stream.push(reply[at : at + PIECE])]
    for event in [*events, *stream.finish()]:
        match event:
            case toolparse.TextDelta(text=piece):
                text += piece
            case toolparse.ReasoningDelta(text=piece):
                reasoning += piece
            case toolparse.ArgumentsDelta(index=index, json=piece):
                arguments[index] = arguments.get(index, "") + piece
    if stream.result() != whole:
        yield "the result of the stream"
    if text != whole.text or reasoning != (whole.reasoning or ""):
        yield "the text of the events"
    if arguments != {call.index: call.arguments_json for call in whole.calls}:
        yield "the arguments of the events"


def report(result: toolparse.ParseResult) -> Iterator[str]:
    """The result in a few indented lines."""
    if result.reasoning:
        yield f"  thought  {short(result.reasoning)}"
    if result.text:
        yield f"  text     {short(result.text)}"
    for call in result.calls:
        doubt = "" if call.safe else "  <- look before you run it"
        yield f"  call     {call.name}({short(call.arguments_json)}) as {call.format}{doubt}"
        for repair in call.repairs:
            yield f"    repair {repair.kind} at {repair.span[0]}" + ("" if repair.safe else ", a guess")
    for error in result.errors:
        yield f"  error    {error}"


def short(text: str, limit: int = 90) -> str:
    """``text`` on one line, its middle left out if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 30]} … {line[-25:]}"


if __name__ == "__main__":
    raise SystemExit(main())
