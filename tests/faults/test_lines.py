"""C6 to C8: lines that are too long, not UTF-8 or no records: a record or a bad row each, the neighbours unharmed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from _batch import PATHS, PROGRAM, files, folder, line, records, run

GOOD = line(1).encode() + b"\n"
HUGE = 100 << 20  # bytes


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return folder(tmp_path / "logs", 1, ())


def read(logs: Path, data: bytes, *options: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The lines with records, and line and offset of the bad rows. The run itself went well."""
    (logs / "odd.jsonl").write_bytes(data)
    done = run("odd.jsonl", "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", "--force", *options, cwd=logs)
    assert (done.returncode, done.stderr) == (0, b"")
    bad = [(each["line"], each["offset"]) for each in records(logs / "bad.jsonl")]
    assert [each["source"] for each in records(logs / "bad.jsonl")] == ["odd.jsonl"] * len(bad)
    return [record["line"] for record in records(logs / "out.jsonl")], bad


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_beyond_the_limit_is_one_bad_row(logs: Path, end: bytes) -> None:
    huge = b'{"response": "' + b"x" * (17 << 20) + b'"}'
    assert read(logs, GOOD + huge + b"\n" + GOOD) == ([1, 3], [(2, len(GOOD))])
    assert read(logs, GOOD + huge + end) == ([1], [(2, len(GOOD))])
    assert records(logs / "bad.jsonl")[0]["reason"] == "the line is longer than 16777216 bytes"


@pytest.mark.parametrize("more", [0, 1])
def test_the_limit_is_exact(logs: Path, more: int) -> None:
    text = b'{"response": "' + b"x" * 5000
    text += b"y" * (6000 + more - len(text) - 2) + b'"}'
    lines, bad = read(logs, GOOD + text + b"\n" + GOOD, "--line-limit", "6000")
    assert (lines, bad) == (([1, 2, 3], []) if not more else ([1, 3], [(2, len(GOOD))]))


def test_a_line_of_100_mb_within_the_limit_is_read(logs: Path) -> None:
    with (logs / "huge.jsonl").open("wb") as file:
        file.write(GOOD + b'{"response": "')
        for _ in range(HUGE >> 20):
            file.write(b"word " * (1 << 18))
        file.write(b'"}\n' + GOOD)
    counted = "import resource, subprocess, sys; s = subprocess.run(sys.argv[1:]).returncode; print(s, "
    counted += "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    command = [*PROGRAM, "huge.jsonl", "-o", "out.jsonl", *PATHS, "--line-limit", str(2 * HUGE), "--quiet"]
    done = subprocess.run([sys.executable, "-c", counted, *command], cwd=logs, capture_output=True, check=True)
    status, kibibytes = map(int, done.stdout.split())
    assert (status, done.stderr) == (0, b"")
    found = records(logs / "out.jsonl")
    assert [record["line"] for record in found] == [1, 2, 3]
    assert len(found[1]["content"]) == 5 * (HUGE >> 20) * (1 << 18)
    assert kibibytes << 10 < 4 * len(found[1]["content"]) + (64 << 20)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b'{"response": "\xff"}', id="a byte that is never UTF-8"),
        pytest.param('{"response": "é'.encode()[:-1] + b'"}', id="a cut character"),
        pytest.param(b'{"response": "\xc0\xaf"}', id="overlong"),
        pytest.param(b'{"response": "\xed\xa0\x80"}', id="a surrogate"),
    ],
)
def test_bytes_that_are_not_utf_8_harm_one_line(logs: Path, broken: bytes) -> None:
    lines, bad = read(logs, GOOD + broken + b"\n" + GOOD)
    assert (1 in lines, 3 in lines) == (True, True)
    assert sorted(lines + [number for number, _ in bad]) == [1, 2, 3]
    assert [offset for _, offset in bad] == [len(GOOD)] * len(bad)


def test_a_byte_order_mark_is_passed_over(logs: Path) -> None:
    assert read(logs, b"\xef\xbb\xbf" + GOOD + b"no\n" + GOOD) == ([1, 3], [(2, 3 + len(GOOD))])


def test_utf_16_is_bad_rows_and_no_traceback(logs: Path) -> None:
    lines, bad = read(logs, (GOOD.decode() * 3).encode("utf-16"))
    assert lines == []
    assert len(bad) >= 3


def test_line_ends_of_windows_and_none_at_the_end(logs: Path) -> None:
    assert read(logs, GOOD.replace(b"\n", b"\r\n") * 2 + GOOD.rstrip()) == ([1, 2, 3], [])


@pytest.mark.parametrize(
    "odd",
    [
        b"[1, 2]",
        b'"text"',
        b"17",
        b"null",
        b"{}",
        b'{"response": 5}',
        b'{"response": {"a": []}}',
        b'{"id": "x"}',
        b'{"response": "a"',
        b'{"response": "a"} {"response": "b"}',
        b"\0\0\0",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_a_line_without_a_reply_is_a_bad_row(logs: Path, odd: bytes) -> None:
    assert read(logs, GOOD + odd + b"\n" + GOOD) == ([1, 3], [(2, len(GOOD))])
    assert records(logs / "bad.jsonl")[0]["reason"] != ""


def test_blank_lines_are_bad_rows(logs: Path) -> None:
    assert read(logs, b"\n" + GOOD + b"  \n" + GOOD) == ([2, 4], [(1, 0), (3, 1 + len(GOOD))])
    assert read(logs, b"\n\n\n") == ([], [(1, 0), (2, 1), (3, 2)])
    assert [row["reason"] for row in records(logs / "bad.jsonl")] == ["the line is empty"] * 3


def test_a_json_file_that_is_cut_keeps_the_records_before(logs: Path) -> None:
    text = json.dumps([json.loads(line(n)) for n in range(5)], indent=2).encode()
    (logs / "cut.json").write_bytes(text[:-40])
    done = run("cut.json", "-o", "out.jsonl", *PATHS, cwd=logs)
    assert done.returncode == 3
    assert done.stderr.startswith(b"toolparse: cut.json: not JSON at byte ")
    assert [record["line"] for record in records(logs / "out.jsonl")] == [1, 2, 3, 4]
    assert files(logs) == ["cut.json", "log.jsonl", "out.jsonl", "tools.json"]
