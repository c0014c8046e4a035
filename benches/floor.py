"""How near replies are read to what the machine allows, whole and in pieces.

    python benches/floor.py [--seconds 0.3] [WORKLOAD...]

The floor of a reply is ``orjson.loads`` on the bare arguments and one ``str.find`` over the whole; the floor of a piece
is what it takes to call a function with it. Prints a table in Markdown: the least time that was seen, and how many
times the floor that is. Replies are made from a fixed seed. Those that are not ASCII are new objects each time, since
Python keeps the UTF-8 that others ask it for.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
import toolparse

SEED = 20260101
WORDS = ("the", "harbour", "ledger", "signal", "copper", "window", "river", "pattern", "engine", "garden", "answer")
WIDE = ("港口", "账本", "信号", "гавань", "река", "окно", "café", "naïve", "river", "ledger")
NEAR = ("x < y", "list[0]", "[1]", "`path`", "<br>", "<tools", "<|", "if (a < b)", "<thinking about", "[[a]]", "``")


@dataclass(frozen=True)
class Workload:
    """A reply and what is in it."""

    name: str
    text: str
    calls: list[tuple[str, dict[str, Any]]]


def sentences(words: tuple[str, ...], size: int) -> str:
    """Words, ``size`` bytes of UTF-8 or a few more."""
    rng = random.Random(SEED)
    out: list[str] = []
    length = 0
    while length < size:
        out.append(rng.choice(words))
        length += len(out[-1].encode()) + 1
    return " ".join(out)


def code(size: int) -> str:
    """Lines that look like source, full of what JSON has to escape."""
    rng = random.Random(SEED)
    lines = ['    print("{}: %s\\n" % {}[{}])', "if {} < {} and {}:", "\tlet {} = <b class=\"{}\">'{}'</b>;"]
    out = ""
    while len(out) < size:
        out += rng.choice(lines).format(*rng.choices(WORDS, k=3)) + "\n"
    return out[:size]


def hermes(name: str, arguments: dict[str, Any]) -> str:
    """A call as Hermes and Qwen write it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


def tags(name: str, arguments: dict[str, Any]) -> str:
    """A call as Qwen3-Coder writes it."""
    parts = [f"<parameter={key}>\n{plain(value)}\n</parameter>\n" for key, value in arguments.items()]
    return f"<tool_call>\n<function={name}>\n{''.join(parts)}</function>\n</tool_call>"


def pythonic(name: str, arguments: dict[str, Any]) -> str:
    """A call as LFM2 writes it."""
    written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"<|tool_call_start|>[{name}({written})]<|tool_call_end|>"


def bullet(name: str, arguments: dict[str, Any]) -> str:
    """A call behind a bullet."""
    parts = [f"<parameter={key}>{plain(value)}</parameter>" for key, value in arguments.items()]
    return f"● <function={name}>{''.join(parts)}"


def deepseek(name: str, arguments: dict[str, Any]) -> str:
    """A call as DeepSeek V3.1 writes it."""
    call = f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{json.dumps(arguments, ensure_ascii=False)}<｜tool▁call▁end｜>"
    return f"<｜tool▁calls▁begin｜>{call}<｜tool▁calls▁end｜>"


def plain(value: Any) -> str:
    """A value as tags hold it."""
    return value if isinstance(value, str) else json.dumps(value)


ROUTE = {
    "start": "North quay, berth 14",
    "stops": 4,
    "budget": 182.5,
    "tolls": True,
    "via": ["river gate", "old market"],
    "comment": 'Ask for a "receipt";\nkeep it.',
}


def workloads() -> list[Workload]:
    """All replies that are timed."""
    route = ("plan_route", ROUTE)
    talk = f"<think>\n{sentences(WORDS, 1500)}\n</think>\n\n{sentences(WORDS, 300)}\n"
    wide_route = ("plan_route", ROUTE | {"comment": sentences(WIDE, 300)})
    made = [
        Workload("prose", sentences(WORDS, 4096), []),
        Workload("prose with near misses", sentences(WORDS + NEAR, 4096), []),
        Workload("prose, not ASCII", sentences(WIDE, 4096), []),
        Workload("hermes, not ASCII", sentences(WIDE, 1500) + "\n" + hermes(*wide_route), [wide_route]),
        Workload("hermes, cut", sentences(WORDS, 300) + "\n" + hermes(*route)[:-60], [route]),
    ]
    for name, write in (("hermes", hermes), ("qwen3_coder", tags), ("lfm2", pythonic), ("bullet", bullet)):
        made.append(Workload(name, talk + write(*route), [route]))
    made.append(Workload("deepseek_v31", talk + deepseek(*route), [route]))
    for size, title in ((30_000, "30 KB"), (1_000_000, "1 MB")):
        file = ("write_file", {"path": "a.py", "content": code(size)})
        made.append(Workload(f"hermes, {title} of source", hermes(*file), [file]))
        made.append(Workload(f"qwen3_coder, {title} of source", tags(*file), [file]))
    rows = (
        "save",
        {"rows": [{"id": n, "name": f"row {n}", "score": n / 7, "tags": ["a", None]} for n in range(14_000)]},
    )
    made.append(Workload("hermes, 1 MB of rows", hermes(*rows), [rows]))
    return made


def pieces(text: str) -> list[str]:
    """The reply in pieces of 1 to 7 characters."""
    rng = random.Random(SEED)
    out: list[str] = []
    at = 0
    while at < len(text):
        size = rng.randint(1, 7)
        out.append(text[at : at + size])
        at += size
    return out


def definitions(calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The tools that the calls are of."""
    kinds = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}
    tools = []
    for name, arguments in calls or [("plan_route", ROUTE)]:
        properties = {key: {"type": kinds[type(value)]} for key, value in arguments.items()}
        tools.append({"name": name, "parameters": {"type": "object", "properties": properties}})
    return tools


def least(run: Callable[[], object], seconds: float) -> float:
    """The least time of a run, in nanoseconds; short runs are timed together."""
    began = time.perf_counter_ns()
    run()
    loops = max(1, 200_000 // max(1, time.perf_counter_ns() - began))
    best = math.inf
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or best == math.inf:
        began = time.perf_counter_ns()
        for _ in range(loops):
            run()
        best = min(best, (time.perf_counter_ns() - began) / loops)
    return best


def renewed(run: Callable[[str], object], text: str, seconds: float) -> float:
    """The same with a new ``str`` for each run, where Python would remember something with it."""
    if text.isascii():
        return least(lambda: run(text), seconds)
    half = len(text) // 2
    best = math.inf
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or best == math.inf:
        texts = [text[:half] + text[half:] for _ in range(50)]
        began = time.perf_counter_ns()
        for new in texts:
            run(new)
        best = min(best, (time.perf_counter_ns() - began) / len(texts))
    return best


def whole_floor(work: Workload, seconds: float) -> float:
    """What JSON alone and one search cost."""
    bare = [orjson.dumps(arguments).decode() for _, arguments in work.calls]
    return least(lambda: ([orjson.loads(text) for text in bare], work.text.find("\x00")), seconds)


def stream(tools: toolparse.Tools, parts: list[str]) -> None:
    """One reply in pieces."""
    reader = toolparse.ToolStream(tools)
    push = reader.push
    for part in parts:
        push(part)
    reader.finish()


def row(work: Workload, seconds: float) -> tuple[str, float, float]:
    """A line of the table, and its two ratios."""
    tools = toolparse.Tools(definitions(work.calls))
    parts = pieces(work.text)
    floor = whole_floor(work, seconds)
    whole = renewed(lambda text: toolparse.parse_tool_calls(text, tools, max_bytes=None), work.text, seconds)
    call = len
    piece_floor = least(lambda: [call(part) for part in parts], seconds) / len(parts)
    piece = least(lambda: stream(tools, parts), seconds) / len(parts)
    cells = (f"{whole / 1000:,.1f} µs", f"{whole / floor:.1f}", f"{piece:,.0f} ns", f"{piece / piece_floor:.1f}")
    return f"| {work.name} | {len(work.text.encode()):,} | {' | '.join(cells)} |", whole / floor, piece / piece_floor


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help="only workloads whose name starts so")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for one measurement; default: 0.3")
    options = parser.parse_args()
    gc.disable()
    print("| workload | bytes | whole | to the floor | a streamed piece | to the floor |\n|---|---|---|---|---|---|")
    ratios = []
    for work in workloads():
        if not options.names or any(work.name.startswith(name) for name in options.names):
            line, *both = row(work, options.seconds)
            ratios.append(both)
            print(line, flush=True)
    means = [math.exp(sum(math.log(ratio) for ratio in column) / len(column)) for column in zip(*ratios, strict=True)]
    print(f"| geometric mean | | | {means[0]:.1f} | | {means[1]:.1f} |")


if __name__ == "__main__":
    main()
