"""C2 and C15: the disk is full, the folder cannot be written, a call to the system fails."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _batch import PATHS, files, folder, run
from toolparse.batch import partfile
from toolparse.cli import main


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return folder(tmp_path / "logs", 4000, (7, 2000))


def undisturbed(logs: Path, suffix: str = ".jsonl") -> bytes:
    assert run("log.jsonl", "-o", f"want{suffix}", *PATHS, cwd=logs).returncode == 0
    return (logs / f"want{suffix}").read_bytes()


def test_standard_output_is_full(logs: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run("log.jsonl", "-o", "-", *PATHS, cwd=logs, stdout=full)
    assert (done.returncode, done.stderr) == (4, b"toolparse: <stdout>: No space left on device\n")


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_file_may_not_grow_and_later_it_may(logs: Path, suffix: str) -> None:
    output = undisturbed(logs, suffix)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(output) // 2, len(output) // 2))

    done = run("log.jsonl", "-o", f"out{suffix}", *PATHS, cwd=logs, preexec_fn=limit)
    assert (done.returncode, done.stderr) == (4, f"toolparse: out{suffix}.part: File too large\n".encode())
    assert not (logs / f"out{suffix}").exists()
    part = (logs / f"out{suffix}.part").read_bytes()
    assert output.startswith(part)
    assert run("log.jsonl", "-o", f"out{suffix}", *PATHS, "--resume", cwd=logs).returncode == 0
    assert (logs / f"out{suffix}").read_bytes() == output


class Failing:
    """The functions of ``os``; the N-th call of those that write fails with ENOSPC, and all after it."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.failed = False

    def __getattr__(self, name: str) -> Any:
        function = getattr(os, name)
        return self.counted(function) if name in ("write", "fsync", "replace") else function

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            self.left -= 1
            if self.left <= 0:
                self.failed = True
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*args)

        return call


def test_each_call_to_the_system_fails_in_turn(logs: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """As SQLite tests it: the N-th fails, then one resumes, N = 1, 2, 3 … until a run passes."""
    output = undisturbed(logs)
    monkeypatch.chdir(logs)
    command = ["batch", "log.jsonl", "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", "--quiet"]
    failures = 0
    for number in range(1, 200):
        failing = Failing(number)
        with monkeypatch.context() as patch:
            patch.setattr(partfile, "os", failing)
            status = main(command)
        told = capfd.readouterr().err
        if not failing.failed:
            assert status == 0
            break
        failures += 1
        assert status == 4, number
        assert told.endswith(": No space left on device\n")
        assert told.count("\n") == 1
        assert main([*command, "--resume"]) == 0, number
        assert capfd.readouterr().err == ""
        assert (logs / "out.jsonl").read_bytes() == output
        assert (logs / "bad.jsonl").read_bytes().count(b"\n") == 2
        (logs / "out.jsonl").unlink()
        (logs / "bad.jsonl").unlink()
    assert failures > 5


def test_a_folder_that_is_not_there(logs: Path) -> None:
    done = run("log.jsonl", "-o", "nowhere/out.jsonl", *PATHS, cwd=logs)
    assert (done.returncode, done.stderr) == (4, b"toolparse: nowhere/out.jsonl.part: No such file or directory\n")


def test_few_open_files_are_enough(logs: Path) -> None:
    output = undisturbed(logs)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))

    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs, preexec_fn=limit)
    assert (done.returncode, (logs / "out.jsonl").read_bytes()) == (0, output)
    assert files(logs) == ["log.jsonl", "out.jsonl", "tools.json", "want.jsonl"]
