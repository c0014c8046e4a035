"""What a run was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolparse.batch.inputs import Input, Reading

STDOUT = "-"


class Refused(Exception):
    """The run would harm or contradict what is there. The message says what and how to go on."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the caller asked for. ``options`` are what a resumed run must agree in, by the words of a message."""

    inputs: list[Input]
    reading: Reading
    output: str
    suffix: str
    options: dict[str, Any]
    workers: int
    errors: str | None = None
    stats: str | None = None
    resume: bool = False
    force: bool = False
    max_errors: int | None = None
    strict: bool = False
    quiet: bool = False
