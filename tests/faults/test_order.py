"""C13 and C14: threads that take their time, threads that fail."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest
from _batch import PATHS, folder, line, log, records, run
from toolparse import _core, parse_tool_calls
from toolparse.cli import main

BatchReader = _core.BatchReader


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder(tmp_path / "logs", 6000, (7, 3000)))
    return tmp_path / "logs"


def in_process(monkeypatch: pytest.MonkeyPatch, reader: type) -> int:
    monkeypatch.setattr(_core, "BatchReader", reader)
    command = ["batch", "log.jsonl", "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", "--workers", "4"]
    return main([*command, "--quiet", "--force"])


def test_any_number_of_workers_gives_the_same_bytes(logs: Path) -> None:
    outputs = {}
    for workers in (1, 2, 7):
        name = f"{workers}.jsonl"
        extra = ["--workers", str(workers), "--errors", f"{workers}.bad", "--stats", f"{workers}.json"]
        assert run("log.jsonl", "-o", name, *PATHS, *extra, cwd=logs).returncode == 0
        stats = json.loads((logs / f"{workers}.json").read_text()) | {"seconds": None}
        outputs[workers] = ((logs / name).read_bytes(), (logs / f"{workers}.bad").read_bytes(), stats)
    assert outputs[1] == outputs[2] == outputs[7]


def test_the_command_and_the_library_agree(logs: Path) -> None:
    assert run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs).returncode == 0
    tools = json.loads((logs / "tools.json").read_text())
    lines = (logs / "log.jsonl").read_bytes().split(b"\n")
    for record in records(logs / "out.jsonl"):
        raw = json.loads(lines[record["line"] - 1])["response"].encode()
        result = parse_tool_calls(raw, tools, max_bytes=None, ids="index")
        assert (record["content"], record["reasoning"]) == (result.text, result.reasoning)
        assert [(c["name"], c["arguments"], c["id"], c["complete"], c["span_start"]) for c in record["calls"]] == [
            (c.name, c.arguments_json, c.id, c.complete, c.span[0]) for c in result.calls
        ]
        assert [(e["code"], e["message"], e["name"]) for e in record["errors"]] == [
            (e.kind, str(e), e.name) for e in result.errors
        ]


def test_results_that_come_in_any_order_are_written_in_one(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece waits until some that came later have been read."""
    assert run("log.jsonl", "-o", "want.jsonl", *PATHS, cwd=logs).returncode == 0
    turns = random.Random(3)
    turn = threading.Condition()
    read: list[int] = []

    class Slow:
        def __init__(self, *args: Any, **options: Any) -> None:
            self.reader = BatchReader(*args, **options)

        def lines(self, chunk: bytes, **place: Any) -> Any:
            with turn:
                if turns.random() < 0.5:
                    turn.wait(timeout=0.05)
                read.append(place["first_line"])
                turn.notify_all()
            return self.reader.lines(chunk, **place)

    assert in_process(monkeypatch, Slow) == 0
    assert read != sorted(read)
    assert (logs / "out.jsonl").read_bytes() == (logs / "want.jsonl").read_bytes()


def test_one_long_record_among_many_short_ones(logs: Path) -> None:
    long = json.dumps({"id": "long", "response": "word " * (3 << 20)})
    rows = [line(n) for n in range(3000)]
    (logs / "log.jsonl").write_text("\n".join([*rows[:1500], long, *rows[1500:]]))
    for workers in (1, 2):
        assert run("log.jsonl", "-o", f"{workers}.jsonl", *PATHS, "--workers", workers, cwd=logs).returncode == 0
    assert (logs / "1.jsonl").read_bytes() == (logs / "2.jsonl").read_bytes()
    found = records(logs / "1.jsonl")
    assert [record["line"] for record in found] == list(range(1, 3002))
    assert len(found[1500]["content"]) == len("word " * (3 << 20)) - found[1500]["content"].endswith("d")


class Panic(BaseException):
    """As a panic in Rust comes out: no ``Exception``."""


@pytest.mark.parametrize("error", [Panic, MemoryError])
def test_a_row_that_kills_each_thread_is_one_bad_row(
    logs: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    (logs / "log.jsonl").write_bytes(log(6000))
    assert run("log.jsonl", "-o", "want.jsonl", *PATHS, cwd=logs).returncode == 0
    tried: list[int] = []

    class Deadly:
        def __init__(self, *args: Any, **options: Any) -> None:
            self.reader = BatchReader(*args, **options)

        def lines(self, chunk: bytes, **place: Any) -> Any:
            if b'"r4321"' in chunk:
                tried.append(chunk.count(b"\n"))
                raise error("no")
            return self.reader.lines(chunk, **place)

    assert in_process(monkeypatch, Deadly) == 0
    assert len(tried) == 2
    assert tried[1] == 1
    want = [record for record in records(logs / "want.jsonl") if record["id"] != "r4321"]
    assert records(logs / "out.jsonl") == want
    offset = (logs / "log.jsonl").read_bytes().index(b'{"id": "r4321"')
    assert records(logs / "bad.jsonl") == [
        {
            "source": "log.jsonl",
            "line": 4322,
            "offset": offset,
            "reason": f"reading it failed: {error.__name__}: no",
        }
    ]


def test_a_thread_that_fails_once_is_tried_again(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("log.jsonl", "-o", "want.jsonl", *PATHS, "--errors", "want.bad", cwd=logs).returncode == 0
    failed: list[int] = []

    class Once:
        def __init__(self, *args: Any, **options: Any) -> None:
            self.reader = BatchReader(*args, **options)

        def lines(self, chunk: bytes, **place: Any) -> Any:
            if place["first_line"] > 1 and not failed:
                failed.append(place["first_line"])
                raise Panic("once")
            return self.reader.lines(chunk, **place)

    assert in_process(monkeypatch, Once) == 0
    assert len(failed) == 1
    assert (logs / "out.jsonl").read_bytes() == (logs / "want.jsonl").read_bytes()
    assert (logs / "bad.jsonl").read_bytes() == (logs / "want.bad").read_bytes()
