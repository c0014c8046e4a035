"""The examples: what the command line makes of them, and that the main job runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toolparse.cli import main

EXAMPLES = Path(__file__).parent.parent / "examples"
REPLIES = sorted((EXAMPLES / "replies").glob("*.txt"))
NAMES = [file.stem for file in REPLIES]
EXPECTED = (EXAMPLES / "expected.jsonl").read_text(encoding="utf-8").splitlines()


def test_there_is_a_line_for_each_reply() -> None:
    assert len(EXPECTED) == len(REPLIES) >= 12


@pytest.mark.parametrize(
    ("reply", "expected"), list(zip(REPLIES, EXPECTED, strict=True)), ids=[file.stem for file in REPLIES]
)
def test_the_command_line_gives_what_is_written_down(
    reply: Path, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", "--tools", str(EXAMPLES / "tools.json"), str(reply)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(expected)


def test_the_main_job_runs_anywhere(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "run.py")],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env=environment,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    last = done.stdout.decode().splitlines()[-1]
    assert last.startswith(f"{len(REPLIES)} replies: ")
    assert last.endswith("; whole and streamed agree in all")
