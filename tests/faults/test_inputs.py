"""C9 and C17: inputs that cannot be read leave the others unharmed; odd surroundings change nothing."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from _batch import PATHS, folder, line, log, records, run


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return folder(tmp_path / "logs", 20, ())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.jsonl", "missing.jsonl: No such file or directory"),
        ("nothing*.jsonl", "nothing*.jsonl: No such file or directory"),
        ("dangling.jsonl", "dangling.jsonl: No such file or directory"),
        ("memory.jsonl", "memory.jsonl: Input/output error"),
        ("what.csv", "what.csv: what is in it cannot be told from its name"),
        ("not.parquet", "not.parquet: row 1 cannot be read"),
        ("not.arrow", "not.arrow: row 1 cannot be read"),
        ("not.jsonl.gz", "not.jsonl.gz: not gzip data"),
        ("not.jsonl.zst", "not.jsonl.zst: zstd data damaged"),
        ("new\nline.jsonl", r"new\nline.jsonl: No such file or directory"),
        ("\x1b[31m.jsonl", r"\x1b[31m.jsonl: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_named_and_the_rest_is_done(logs: Path, name: str, said: str) -> None:
    (logs / "dangling.jsonl").symlink_to("nowhere")
    (logs / "memory.jsonl").symlink_to("/proc/self/mem")
    for odd in ("what.csv", "not.parquet", "not.arrow", "not.jsonl.gz", "not.jsonl.zst"):
        (logs / odd).write_bytes(b"this is not what the name says\n" * 9)
    done = run(name, "log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs)
    assert done.returncode == 3
    assert done.stderr.decode().startswith("toolparse: " + said)
    assert done.stderr.count(b"\n") == 1
    assert [record["line"] for record in records(logs / "out.jsonl")] == list(range(1, 21))


def test_nothing_could_be_opened_and_nothing_is_left(logs: Path) -> None:
    done = run("missing.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs)
    assert (done.returncode, done.stderr) == (3, b"toolparse: missing.jsonl: No such file or directory\n")
    assert sorted(os.listdir(logs)) == ["log.jsonl", "tools.json"]


def test_a_pipe_with_a_name(logs: Path) -> None:
    os.mkfifo(logs / "pipe.jsonl")
    writer = threading.Thread(target=(logs / "pipe.jsonl").write_bytes, args=(log(30),))
    writer.start()
    done = run("pipe.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs)
    writer.join()
    assert (done.returncode, len(records(logs / "out.jsonl"))) == (0, 30)


def test_standard_input_is_closed(logs: Path) -> None:
    done = run("-", "-o", "out.jsonl", *PATHS, cwd=logs, preexec_fn=lambda: os.close(0))
    assert (done.returncode, done.stderr) == (3, b"toolparse: <stdin>: closed\n")


def test_ten_thousand_files(logs: Path, long: bool) -> None:
    count = 10_000 if long else 1000
    (logs / "many").mkdir()
    for number in range(count):
        (logs / "many" / f"{number:05}.jsonl").write_text(line(number) + "\n")
    assert run("many", "-o", "out.jsonl", *PATHS, cwd=logs).returncode == 0
    found = records(logs / "out.jsonl")
    assert [record["source"] for record in found] == [f"many/{number:05}.jsonl" for number in range(count)]
    assert [record["id"] for record in found] == [f"r{number}" for number in range(count)]


def test_surroundings_change_nothing(logs: Path) -> None:
    assert run("log.jsonl", "-o", "want.jsonl", *PATHS, cwd=logs).returncode == 0
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "7"} | {
        name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
    }
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs, env=bare, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0
    assert (logs / "out.jsonl").read_bytes() == (logs / "want.jsonl").read_bytes()


def test_a_name_that_is_not_utf_8(logs: Path) -> None:
    name = os.fsdecode(b"\xff.jsonl")
    (logs / name).write_bytes(log(2))
    assert run(name, "-o", "out.jsonl", *PATHS, cwd=logs).returncode == 0
    assert [record["source"] for record in records(logs / "out.jsonl")] == ["\N{REPLACEMENT CHARACTER}.jsonl"] * 2
