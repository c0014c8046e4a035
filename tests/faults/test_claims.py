"""C12 and C16: two runs on one output, outputs in the way, and resuming what was another run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from _batch import PATHS, TOOLS, end, files, folder, log, records, run, start


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return folder(tmp_path / "logs", 3000, (7,))


def going_on(logs: Path, *options: str) -> tuple[subprocess.Popen[bytes], int]:
    """A run that waits for input, with its output claimed, and the pipe that it reads."""
    reading, writing = os.pipe()
    process = start("-", "-o", "out.jsonl", *PATHS, *options, cwd=logs, stdin=reading)
    os.close(reading)
    while not (logs / "out.jsonl.part.state").exists():
        assert process.poll() is None
    return process, writing


@pytest.mark.parametrize("option", ["--force", "--resume", None])
def test_a_second_run_on_an_output_is_refused_and_the_first_unharmed(logs: Path, option: str | None) -> None:
    first, pipe = going_on(logs)
    second = run("log.jsonl", "-o", "out.jsonl", *PATHS, *([option] if option else []), cwd=logs)
    assert (second.returncode, second.stderr) == (5, b"toolparse: out.jsonl is being written by another run\n")
    os.write(pipe, log(20))
    os.close(pipe)
    assert end(first) == (0, b"")
    assert len(records(logs / "out.jsonl")) == 20


def test_a_second_run_on_a_file_of_bad_rows_is_refused(logs: Path) -> None:
    first, pipe = going_on(logs, "--errors", "bad.jsonl")
    second = run("log.jsonl", "-o", "other.jsonl", *PATHS, "--errors", "bad.jsonl", cwd=logs)
    assert (second.returncode, second.stderr) == (5, b"toolparse: bad.jsonl is being written by another run\n")
    assert "other.jsonl.part" not in files(logs)
    os.close(pipe)
    assert end(first) == (0, b"")


def test_the_lock_of_a_killed_run_is_gone_with_it(logs: Path) -> None:
    first, pipe = going_on(logs)
    first.kill()
    end(first)
    os.close(pipe)
    assert run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs).returncode == 0


def test_an_output_is_not_written_over_unasked(logs: Path) -> None:
    (logs / "out.jsonl").write_text("mine")
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs)
    assert (done.returncode, done.stderr) == (2, b"toolparse: out.jsonl exists (--force writes over it)\n")
    assert (logs / "out.jsonl").read_text() == "mine"
    assert files(logs) == ["log.jsonl", "out.jsonl", "tools.json"]
    assert run("log.jsonl", "-o", "out.jsonl", *PATHS, "--force", cwd=logs).returncode == 0
    assert len(records(logs / "out.jsonl")) == 2999


@pytest.mark.parametrize("option", ["--errors", "--stats"])
def test_no_other_file_is_written_over_unasked(logs: Path, option: str) -> None:
    (logs / "mine.jsonl").write_text("mine")
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, option, "mine.jsonl", cwd=logs)
    assert (done.returncode, done.stderr) == (2, b"toolparse: mine.jsonl exists (--force writes over it)\n")
    assert (logs / "mine.jsonl").read_text() == "mine"
    assert files(logs) == ["log.jsonl", "mine.jsonl", "tools.json"]


@pytest.mark.parametrize("option", ["--force", "--resume", None])
def test_an_input_is_never_an_output(logs: Path, option: str | None) -> None:
    (logs / "link.jsonl").symlink_to("log.jsonl")
    before = (logs / "log.jsonl").read_bytes()
    done = run("log.jsonl", "-o", "link.jsonl", *PATHS, *([option] if option else []), cwd=logs)
    assert (done.returncode, done.stderr) == (2, b"toolparse: log.jsonl is read and cannot be written\n")
    assert (logs / "log.jsonl").read_bytes() == before


def test_an_output_inside_a_folder_that_is_read_is_no_input(logs: Path) -> None:
    (logs / "tools.json").rename(logs.parent / "tools.json")
    paths = ["--tools", "../tools.json", *PATHS[2:], "--errors", "bad.jsonl"]
    assert run(".", "-o", "out.jsonl", *paths, cwd=logs).returncode == 0
    assert run(".", "-o", "out.jsonl", *paths, "--force", cwd=logs).returncode == 0
    assert {record["source"] for record in records(logs / "out.jsonl")} == {"./log.jsonl"}


def stopped(logs: Path, *options: str) -> None:
    """A run that stopped at its first bad row."""
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--max-errors", "0", *options, cwd=logs)
    assert done.returncode == 1
    assert "out.jsonl.part" in files(logs)


def test_what_is_left_of_a_run_is_not_thrown_away_unasked(logs: Path) -> None:
    stopped(logs)
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs)
    assert done.returncode == 2
    assert done.stderr == (
        b"toolparse: out.jsonl.part is left of a run that was stopped (--resume goes on, --force begins anew)\n"
    )


def changed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("how", ["head", "length"])
def test_resuming_over_another_input_is_refused(logs: Path, how: str) -> None:
    stopped(logs)
    part = (logs / "out.jsonl.part").read_bytes()
    data = (logs / "log.jsonl").read_bytes()
    (logs / "log.jsonl").write_bytes(changed(data, 10) if how == "head" else data + b"\n")
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs)
    assert (done.returncode, done.stderr) == (2, b"toolparse: log.jsonl has changed since the run was stopped\n")
    assert (logs / "out.jsonl.part").read_bytes() == part


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "hermes"], "--format"),
        (["--cut", "drop"], "--cut"),
        (["--prompt", "<think>"], "--prompt"),
        (["--max-bytes", "9"], "--max-bytes"),
        (["--errors", "bad.jsonl"], "--errors"),
        (["--line-limit", "99"], "--line-limit"),
    ],
)
def test_resuming_with_other_options_is_refused(logs: Path, options: list[str], said: str) -> None:
    stopped(logs)
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", *options, cwd=logs)
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"toolparse: the run that was stopped had another {said}\n",
    )


def test_resuming_with_other_tools_is_refused(logs: Path) -> None:
    stopped(logs)
    (logs / "tools.json").write_text(str(TOOLS[:0]))
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs)
    assert (done.returncode, done.stderr) == (2, b"toolparse: the run that was stopped had another --tools\n")


def test_resuming_over_more_inputs_is_refused(logs: Path) -> None:
    stopped(logs)
    (logs / "more.jsonl").write_bytes(log(1))
    done = run("log.jsonl", "more.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs)
    assert (done.returncode, done.stderr) == (
        2,
        b"toolparse: the run that was stopped had 1 inputs, now there are 2\n",
    )


def test_a_part_without_its_state_is_not_trusted(logs: Path) -> None:
    stopped(logs)
    (logs / "out.jsonl.part.state").unlink()
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs)
    assert done.returncode == 2
    assert b"has no state beside it" in done.stderr
    (logs / "out.jsonl.part.state").write_text("{}")
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs)
    assert done.returncode == 2
    assert b"is not the state of a run" in done.stderr


def test_a_finished_output_that_is_older_than_its_input_is_not_taken_for_finished(logs: Path) -> None:
    assert run("log.jsonl", "-o", "out.jsonl", *PATHS, cwd=logs).returncode == 0
    newer = (logs / "out.jsonl").stat().st_mtime + 5
    os.utime(logs / "log.jsonl", (newer, newer))
    done = run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs)
    assert done.returncode == 2
    assert done.stderr == b"toolparse: out.jsonl is finished, and older than log.jsonl (--force writes it anew)\n"


@pytest.mark.parametrize("output", ["-", "out.jsonl"])
def test_streams_cannot_be_resumed(logs: Path, output: str) -> None:
    done = run("-" if output != "-" else "log.jsonl", "-o", output, *PATHS, "--resume", cwd=logs, data=b"")
    assert done.returncode == 2
    assert done.stderr.startswith(b"toolparse: --resume needs files")
