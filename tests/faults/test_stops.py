"""C10 and C11: closed pipes, a reader that waits, Ctrl-C, TERM and HUP."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from _batch import PATHS, PROGRAM, end, files, folder, log, records, run, start

ROWS = 20_000


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("stops"), ROWS, ())


def test_a_reader_that_has_enough(logs: Path) -> None:
    """As in ``… | head -1``."""
    process = start("log.jsonl", "-o", "-", *PATHS, cwd=logs, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b'{"source":')
    process.stdout.close()
    process.stdout = None
    assert end(process) == (0, b"")


def test_standard_output_is_closed(logs: Path) -> None:
    done = run("log.jsonl", "-o", "-", *PATHS, cwd=logs, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (4, b"toolparse: <stdout>: closed\n")


def test_a_reader_that_waits_is_waited_for(logs: Path) -> None:
    """Nothing is read ahead without end: what the run holds is bounded while nobody takes its output."""
    reading, writing = os.pipe()
    process = start("log.jsonl", "-o", "-", *PATHS, cwd=logs, stdout=writing)
    os.close(writing)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    before = resident(process.pid)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    assert resident(process.pid) == before
    with open(reading, "rb") as pipe:
        assert pipe.read().count(b"\n") == ROWS
    assert end(process) == (0, b"")


def resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1])


def waiting(logs: Path, *options: str) -> tuple[subprocess.Popen[bytes], int]:
    """A run that waits for more on a pipe, and the pipe; some of its input is written."""
    (logs / "out.jsonl.part.state").unlink(missing_ok=True)
    reading, writing = os.pipe()
    process = start("-", "-o", "out.jsonl", *PATHS, *options, cwd=logs, stdin=reading)
    os.close(reading)
    os.write(writing, log(50))
    until(lambda: (logs / "out.jsonl.part.state").exists())
    return process, writing


def until(condition: object) -> None:
    end = time.monotonic() + 20
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=lambda each: str(each),
)
def test_a_signal_ends_a_run_that_waits_for_input(logs: Path, number: signal.Signals, status: int) -> None:
    process, writing = waiting(logs, "--force")
    begin = time.monotonic()
    process.send_signal(number)
    assert end(process) == (status, b"toolparse: stopped (--resume goes on)\n")
    assert time.monotonic() - begin < 10
    os.close(writing)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_amid_the_work_leaves_whole_lines_that_can_be_resumed(logs: Path, number: signal.Signals) -> None:
    assert run("log.jsonl", "-o", "want.jsonl", *PATHS, "--force", cwd=logs).returncode == 0
    want = (logs / "want.jsonl").read_bytes()
    process = start("log.jsonl", "-o", "out.jsonl", *PATHS, "--force", "--workers", "2", cwd=logs)
    part = logs / "out.jsonl.part"
    until(lambda: process.poll() is not None or (part.exists() and part.stat().st_size > 0))
    begin = time.monotonic()
    process.send_signal(number)
    status, _ = end(process)
    assert time.monotonic() - begin < 10
    if status != 0:  # it was faster
        assert status == 128 + number
        left = part.read_bytes()
        assert want.startswith(left)
        assert left.endswith(b"\n")
        assert run("log.jsonl", "-o", "out.jsonl", *PATHS, "--resume", cwd=logs).returncode == 0
    assert (logs / "out.jsonl").read_bytes() == want
    (logs / "out.jsonl").unlink()
    assert [name for name in files(logs) if ".part" in name] == []


def test_ctrl_c_during_the_start_is_quiet(logs: Path, long: bool) -> None:
    """At moments of the first quarter of a second. What Python says before it comes to toolparse is its own."""
    for moment in range(0, 250, 2 if long else 20):
        process = start("-", "-o", "out.jsonl", *PATHS, "--force", cwd=logs, stdin=subprocess.PIPE)
        time.sleep(moment / 1000)
        process.send_signal(signal.SIGINT)
        status, said = end(process)
        if b"Traceback" in said or b"Fatal" in said:
            assert b"toolparse" not in said
        else:
            assert status in (130, -signal.SIGINT)
            assert said in (b"", b"toolparse: stopped (--resume goes on)\n")


def test_a_second_signal_does_not_wait(logs: Path) -> None:
    """Ctrl-C twice while standard output is blocked."""
    reading, writing = os.pipe()
    process = start("log.jsonl", "-o", "-", *PATHS, cwd=logs, stdout=writing)
    os.close(writing)
    assert len(os.read(reading, 100)) == 100
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    assert end(process, 2)[0] in (130, -signal.SIGINT)
    os.close(reading)


def test_no_process_is_left(logs: Path) -> None:
    """Threads, not processes: the group of a stopped run is empty."""
    process = subprocess.Popen(
        [*PROGRAM, "-", "-o", "-", *PATHS],
        cwd=logs,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(log(10))
    process.stdin.flush()
    until(lambda: Path(f"/proc/{process.pid}/wchan").exists() and b"toolparse" in cmdline(process.pid))
    process.terminate()
    process.communicate(timeout=5)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def cmdline(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def test_hup_that_was_ignored_stays_ignored(logs: Path) -> None:
    """As under ``nohup``."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    reading, writing = os.pipe()
    process = start("-", "-o", "nohup.jsonl", *PATHS, cwd=logs, stdin=reading, preexec_fn=ignore)
    os.close(reading)
    until(lambda: (logs / "nohup.jsonl.part.state").exists())
    process.send_signal(signal.SIGHUP)
    os.write(writing, log(5))
    os.close(writing)
    assert end(process) == (0, b"")
    assert len(records(logs / "nohup.jsonl")) == 5
