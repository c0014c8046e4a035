"""C1: ``kill -9`` at random moments, then resume: byte for byte the output of an undisturbed run."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import time
from pathlib import Path

import pytest
from _batch import PATHS, files, folder, run, start

BAD = (3, 5000, 11_999)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, long: bool) -> Path:
    return folder(tmp_path_factory.mktemp("kills"), 60_000 if long else 12_000, BAD)


def undisturbed(logs: Path, suffix: str) -> tuple[bytes, bytes, dict, float]:
    """Output, bad rows, counts, and how long it took."""
    begin = time.monotonic()
    extra = ["--errors", f"want{suffix}.bad", "--stats", f"want{suffix}.json", "--force"]
    done = run("log.jsonl", "-o", f"want{suffix}", *PATHS, *extra, cwd=logs)
    seconds = time.monotonic() - begin
    assert done.returncode == 0, done.stderr
    return (
        (logs / f"want{suffix}").read_bytes(),
        (logs / f"want{suffix}.bad").read_bytes(),
        counts(logs / f"want{suffix}.json"),
        seconds,
    )


def counts(path: Path) -> dict:
    return json.loads(path.read_text()) | {"seconds": None}


def kill_after(process: subprocess.Popen[bytes], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=seconds)
    process.kill()
    process.communicate()


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet", ".arrow"])
def test_a_killed_run_that_is_resumed_gives_the_same_bytes(logs: Path, suffix: str, long: bool) -> None:
    output, bad, stats, seconds = undisturbed(logs, suffix)
    rng = random.Random(suffix)
    command = ["log.jsonl", "-o", f"out{suffix}", *PATHS, "--errors", "out.bad", "--stats", "out.json"]
    for _ in range(50 if long else 3):
        kill_after(start(*command, "--force", cwd=logs), rng.uniform(0, seconds))
        for _ in range(rng.randrange(3)):  # also while it is resumed
            kill_after(start(*command, "--resume", cwd=logs), rng.uniform(0, seconds))
        done = run(*command, "--resume", cwd=logs)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (logs / f"out{suffix}").read_bytes() == output
        assert (logs / "out.bad").read_bytes() == bad
        assert counts(logs / "out.json") == stats
        assert [name for name in files(logs) if ".part" in name] == []
        for name in (f"out{suffix}", "out.bad", "out.json"):
            (logs / name).unlink()


def test_a_run_goes_on_and_does_not_begin_anew(logs: Path) -> None:
    """What was written before a stop stays: the resumed run reads only the rest."""
    output, *_ = undisturbed(logs, ".jsonl")
    stop = ["--max-errors", "1"]
    assert run("log.jsonl", "-o", "out.jsonl", *PATHS, *stop, cwd=logs).returncode == 1
    part = (logs / "out.jsonl.part").read_bytes()
    assert 0 < len(part) < len(output)
    assert output.startswith(part)
    assert part.endswith(b"\n")
    state = json.loads((logs / "out.jsonl.part.state").read_text())
    assert state["progress"]["size"] == len(part)
    assert state["progress"]["offset"] > 0
    assert run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs).returncode == 0
    assert (logs / "out.jsonl").read_bytes() == output
    (logs / "out.jsonl").unlink()


def test_resuming_what_is_finished_does_nothing(logs: Path) -> None:
    output, *_ = undisturbed(logs, ".jsonl")
    done = run("log.jsonl", "-o", "want.jsonl", *PATHS, "--resume", cwd=logs)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (logs / "want.jsonl").read_bytes() == output
    assert [name for name in files(logs) if ".part" in name] == []
