"""Stopping: a signal is noticed between two steps, or at once where the run only waits for others."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopped(Exception):
    """The run is to end. ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Signals:
    """While it is entered, INT, TERM and HUP raise :class:`Stopped` from :meth:`check` or within :meth:`waiting`.

    A second signal ends the process as if nobody had asked. Signals that were ignored before stay so.
    """

    def __init__(self) -> None:
        self._seen: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                with contextlib.suppress(ValueError):  # not the main thread
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raises :class:`Stopped` when a signal came."""
        if self._seen is not None:
            raise Stopped(self._seen)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Within it a signal raises at once: for reads and writes that may block without end."""
        self._waiting = True
        try:
            self.check()
            yield
        finally:
            self._waiting = False

    def each(self, items: Iterator[T]) -> Iterator[T]:
        """The items; to wait for the next one is to wait."""
        while True:
            with self.waiting():
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._seen is not None:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._seen = number
        if self._waiting:
            self._waiting = False
            raise Stopped(number)
