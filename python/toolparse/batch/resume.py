"""The side file ``NAME.part.state``: whose part file it is and up to where it may be trusted.

It is replaced as a whole, after what it speaks of is on the disk, so it never promises more than is there.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolparse.batch.partfile import OutputFailed, PartFile

_VERSION = 1
_SOONEST = 0.1  # seconds between two saves
_REST = 10  # times as long as a save took


class CannotResume(Exception):
    """The part file belongs to something else. The message says to what."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run: which input comes next and where in it, and how long the files were then.

    ``parts`` is what the tail of the output has to know, ``totals`` and ``damaged`` what was counted and could not be
    read.
    """

    input: int
    line: int
    offset: int
    size: int
    errors_size: int
    parts: list[Any]
    totals: dict[str, Any]
    damaged: list[dict[str, Any]]


def path_of(output: str) -> str:
    """The name of the side file of an output."""
    return output + ".part.state"


def load(path: str, identity: dict[str, Any]) -> Progress | None:
    """The last moment that was saved, or None when there was none. Raises :class:`CannotResume`."""
    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
        if state["version"] != _VERSION:
            raise CannotResume(f"{path} was written by another version")
        _compare(state["identity"], identity)
        return Progress(**state["progress"]) if state["progress"] else None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotResume(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CannotResume(f"{path} is not the state of a run") from error


def _compare(then: dict[str, Any], now: dict[str, Any]) -> None:
    for option, value in now["options"].items():
        if then["options"].get(option) != value:
            raise CannotResume(f"the run that was stopped had another {option}")
    before, after = then["inputs"], now["inputs"]
    for old, new in zip(before, after, strict=False):
        if old["source"] != new["source"]:
            raise CannotResume(f"the run that was stopped read {old['source']} where {new['source']} is now")
        if old != new:
            raise CannotResume(f"{new['source']} has changed since the run was stopped")
    if len(before) != len(after):
        raise CannotResume(f"the run that was stopped had {len(before)} inputs, now there are {len(after)}")


def just_begun(path: str) -> bool:
    """Whether a run was stopped before its first moment was saved."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["progress"] is None
    except (OSError, ValueError, KeyError, TypeError):
        return False


def forget(path: str) -> None:
    """Takes the side file away."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


class Saver:
    """Saves moments without making the run wait: one at a time, in a thread, the files synced first.

    A moment that comes too soon is passed over: saving takes a tenth of the time at most, however slow the disk.
    """

    def __init__(self, path: str, identity: dict[str, Any], files: list[PartFile]) -> None:
        self.path, self.identity, self.files = path, identity, files
        self._thread: threading.Thread | None = None
        self._error: OutputFailed | None = None
        self._next = 0.0

    def offer(self, progress: Callable[[], Progress]) -> None:
        """Begins to save, unless it is too soon or still busy. Raises what went wrong with the save before."""
        busy = self._thread is not None and self._thread.is_alive()
        if busy or time.monotonic() < self._next:
            return
        self.wait()
        begin = time.monotonic()
        self._thread = threading.Thread(target=self._save, args=(self._state(progress()), begin), daemon=True)
        self._thread.start()

    def save(self, progress: Progress | None) -> None:
        """Saves and waits. Raises :class:`OutputFailed`."""
        self.wait()
        self._save(self._state(progress), time.monotonic())
        self.wait()

    def wait(self) -> None:
        """Returns when nothing is being saved. Raises :class:`OutputFailed`."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            raise self._error

    def _state(self, progress: Progress | None) -> str:
        """Made at once: the counts go on while it is being saved."""
        plain = None if progress is None else {name: getattr(progress, name) for name in Progress.__slots__}
        return json.dumps({"version": _VERSION, "identity": self.identity, "progress": plain})

    def _save(self, state: str, begin: float) -> None:
        try:
            for file in self.files:
                file.sync()
            _replace(self.path, state)
        except OutputFailed as error:
            self._error = error
        end = time.monotonic()
        self._next = end + max(_SOONEST, _REST * (end - begin))


def _replace(path: str, state: str) -> None:
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(state)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)
    except OSError as error:
        raise OutputFailed(f"{path}: {error.strerror or error}") from error
