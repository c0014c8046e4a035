"""Logs, and runs of ``toolparse batch`` over them, for the tests of the command and of its faults."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "toolparse", "batch"]
WORDS = ["harbour", "ledger", "signal", "copper", "window", "river", "pattern", "engine", "garden", "answer"]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}},
        },
    }
]
PATHS = ["--tools", "tools.json", "--text-path", "response", "--id-path", "id"]


def reply(number: int, words: int = 60) -> str:
    """A reply whose form and text follow from its number."""
    rng = random.Random(number)
    prose = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, words)))
    call = json.dumps({"name": "search", "arguments": {"q": prose[:40], "n": number}})
    forms = (
        prose,
        f"{prose}\n<tool_call>\n{call}\n</tool_call>",
        f"<think>{prose}</think><|tool_call_start|>[search(q='Åre {number}')]<|tool_call_end|>",
        f"{prose}<tool_call>{call[:-3]}",
        f'<tool_call>{{"name": "open", "arguments": {{}}}}</tool_call>{prose}',
    )
    return forms[number % len(forms)]


def line(number: int) -> str:
    return json.dumps({"id": f"r{number}", "response": reply(number)}, ensure_ascii=False)


def log(rows: int, bad: tuple[int, ...] = ()) -> bytes:
    """JSONL; rows with a number in ``bad`` are no JSON."""
    lines = [f'{{"id": "r{n}", "response": broken' if n in bad else line(n) for n in range(rows)]
    return "".join(text + "\n" for text in lines).encode()


def folder(path: Path, rows: int = 200, bad: tuple[int, ...] = (7,)) -> Path:
    """Fills ``path`` with ``log.jsonl`` and ``tools.json``."""
    path.mkdir(exist_ok=True)
    (path / "tools.json").write_text(json.dumps(TOOLS))
    (path / "log.jsonl").write_bytes(log(rows, bad))
    return path


def run(*args: Any, cwd: Path, data: bytes | None = None, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """One run to its end, quiet."""
    streams: dict[str, Any] = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
    streams |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [*PROGRAM, *map(str, args), "--quiet"]
    return subprocess.run(command, cwd=cwd, timeout=120, check=False, **(streams | options))


def start(*args: Any, cwd: Path, **options: Any) -> subprocess.Popen[bytes]:
    """One run, going on. A signal that the tests themselves ignore, as under ``nohup``, is not ignored there."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    streams["preexec_fn"] = lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)
    return subprocess.Popen([*PROGRAM, *map(str, args), "--quiet"], cwd=cwd, **(streams | options))


def end(process: subprocess.Popen[bytes], timeout: float = 60) -> tuple[int, bytes]:
    """How a run that was started ends by itself: its status, and what it said on standard error."""
    _, said = process.communicate(timeout=timeout)
    return process.returncode, said


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_bytes().split(b"\n") if text]


def files(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())
