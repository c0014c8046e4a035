"""What reading a log costs: from Python, over Arrow, and on the command line, beside a loop that only parses the JSON.

    python benches/batch.py [--mb 100] [--unique] [--peak]

Makes a log of replies of the usual mix (prose of a few KB, three in ten with calls and reasoning) in JSONL and Parquet,
always the same bytes, and prints a table: seconds, MB of reply text a second, and how long it took beside a plain loop
of ``orjson.loads`` over the same lines. The log repeats 200 replies in random order, which Parquet stores once for each
row group; with ``--unique`` none is like another, and Parquet has to pack them all. ``--peak`` adds the memory of the
command, also at four times the size.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow
import pyarrow.parquet
import toolparse

SEED = 20260101
WORDS = (
    (
        "the a we they it this that harbour ledger signal copper window river pattern note engine garden answer "
        "paper holds moves checks counts keeps finds turns opens writes reads slowly again early together never "
        "before after "
    )
    .strip()
    .split(" ")
)
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
    for name, properties in {
        "search": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "write_file": {"path": {"type": "string"}, "content": {"type": "string"}},
    }.items()
]
PATHS = ["--text-path", "response", "--id-path", "id", "--quiet", "--force"]


def prose(rng: random.Random, size: int) -> str:
    """Sentences, ``size`` characters."""
    out: list[str] = []
    length = 0
    while length < size:
        out.append(" ".join(rng.choice(WORDS) for _ in range(rng.randint(6, 14))).capitalize() + ".")
        length += len(out[-1]) + 1
    return " ".join(out)[:size].rstrip()


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def replies() -> list[str]:
    """A few hundred replies that the log repeats in random order: seven in ten prose, three in ten with calls."""
    rng = random.Random(SEED)
    plain = [prose(rng, rng.randint(400, 8000)) for _ in range(140)]
    calling = [
        "\n".join(
            [
                f"<think>\n{prose(rng, rng.randint(300, 1500))}\n</think>\n\n{prose(rng, 160)}",
                call("search", {"query": prose(rng, 30), "limit": 10}),
                call("write_file", {"path": "notes/today.md", "content": prose(rng, rng.randint(100, 2000))}),
            ]
        )
        for _ in range(60)
    ]
    return plain + calling


def mixed(rng: random.Random, sentences: list[str]) -> str:
    """A reply of the same kind, put together from sentences in an order of its own."""

    def some(size: int) -> str:
        return " ".join(rng.choices(sentences, k=1 + size // 60))[:size].rstrip()

    if rng.random() < 0.7:
        return some(rng.randint(400, 8000))
    calls = call("write_file", {"path": "notes/today.md", "content": some(rng.randint(100, 2000))})
    return f"<think>\n{some(rng.randint(300, 1500))}\n</think>\n\n{some(160)}\n{calls}"


def rows(size: int, unique: bool) -> Iterator[dict[str, str]]:
    """Records until their replies have ``size`` bytes."""
    rng = random.Random(SEED)
    pool = replies()
    sentences = prose(random.Random(SEED), 200_000).split(". ")
    number = 0
    while size > 0:
        reply = mixed(rng, sentences) if unique else rng.choice(pool)
        yield {"id": f"r{number}", "response": reply}
        number += 1
        size -= len(reply)


def write_logs(folder: Path, size: int, unique: bool) -> int:
    """``log.jsonl``, ``log.parquet`` and ``tools.json``; the bytes of reply text."""
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    total = 0
    schema = pyarrow.schema([("id", pyarrow.string()), ("response", pyarrow.string())])
    with (
        (folder / "log.jsonl").open("wb") as lines,
        pyarrow.parquet.ParquetWriter(folder / "log.parquet", schema) as table,
    ):
        batch: list[dict[str, str]] = []
        for row in rows(size, unique):
            lines.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            total += len(row["response"])
            batch.append(row)
            if len(batch) == 10_000:
                table.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
                batch.clear()
        table.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
    return total


def timed(work: Callable[[], Any], times: int = 2) -> float:
    """The shortest of a few runs, in seconds."""
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def loop(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def command(folder: Path, source: str, output: str, workers: int) -> list[str]:
    names = [str(folder / source), "-o", str(folder / output), "--tools", str(folder / "tools.json")]
    return [sys.executable, "-m", "toolparse", "batch", *names, *PATHS, "--workers", str(workers)]


def run(*args: Any) -> None:
    subprocess.run(command(*args), check=True)


def peak(*args: Any) -> int:
    """MB of memory that a run of the command takes at most."""
    program = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    program += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", program, *command(*args)], check=True, capture_output=True)
    return int(done.stdout) >> 10


def measure(folder: Path, size: int, unique: bool) -> None:
    text = write_logs(folder, size, unique)
    print(f"{text / 1e6:.0f} MB of replies, {(folder / 'log.jsonl').stat().st_size / 1e6:.0f} MB of JSONL")
    tools = toolparse.Tools(TOOLS)
    column = pyarrow.parquet.read_table(folder / "log.parquet", columns=["response"])
    texts = column["response"].to_pylist()
    plain = timed(lambda: loop(folder / "log.jsonl"))

    def arrow(threads: int) -> None:
        pyarrow.table(toolparse.parse_arrow(column, tools, column="response", threads=threads))

    cases: dict[str, Callable[[], Any]] = {
        "parse_batch, 1 thread": lambda: toolparse.parse_batch(texts, tools, threads=1),
        "parse_batch, 2 threads": lambda: toolparse.parse_batch(texts, tools, threads=2),
        "parse_arrow, 1 thread": lambda: arrow(1),
        "parse_arrow, 2 threads": lambda: arrow(2),
    }
    for source, output in (("jsonl", "jsonl"), ("jsonl", "parquet"), ("parquet", "jsonl"), ("parquet", "parquet")):
        for workers in (1, 2):
            name = f"command, {source} to {output}, {workers} worker{'s' * (workers > 1)}"
            cases[name] = lambda s=source, o=output, w=workers: run(folder, f"log.{s}", f"out.{o}", w)  # type: ignore[misc]
    print(f"{'':44}{'s':>8}{'MB/s':>8}{'loop':>8}")
    print(f"{'orjson.loads loop over the lines':44}{plain:8.2f}{text / plain / 1e6:8.0f}{1:8.2f}")
    for name, work in cases.items():
        seconds = timed(work)
        print(f"{name:44}{seconds:8.2f}{text / seconds / 1e6:8.0f}{seconds / plain:8.2f}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--mb", type=int, default=100, help="reply text to make; default: 100")
    options.add_argument("--unique", action="store_true", help="a log in which no reply is like another")
    options.add_argument("--peak", action="store_true", help="memory of the command at this and at four times the size")
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="toolparse-bench-") as name:
        measure(Path(name), args.mb * 1_000_000, args.unique)
        if args.peak:
            for times in (1, 4):
                write_logs(Path(name), times * args.mb * 1_000_000, args.unique)
                for output in ("out.jsonl", "out.parquet"):
                    print(f"{times * args.mb} MB to {output}: {peak(Path(name), 'log.jsonl', output, 2)} MB at most")
    print(f"this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB at most")


if __name__ == "__main__":
    main()
