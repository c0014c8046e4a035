"""A file that is written as ``NAME.part`` under a lock of the system, and gets its name when it is whole and on the
disk.

The lock dies with the process, however that ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from types import TracebackType


class OutputFailed(Exception):
    """Something could not be written. The message names the file and the reason."""


class InUse(Exception):
    """Another run writes this file now. The message names it."""


class PartFile:
    """``NAME.part``, open and locked, at its end. Raises :class:`InUse` and :class:`OutputFailed`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = name + ".part"
        self._fd = _open_locked(self.path, name)
        self.size = os.fstat(self._fd).st_size

    def __enter__(self) -> PartFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def cut(self, size: int) -> None:
        """Forgets what stands behind ``size`` bytes."""
        with self._failing():
            os.ftruncate(self._fd, size)
            os.lseek(self._fd, size, os.SEEK_SET)
        self.size = size

    def write(self, data: bytes | memoryview) -> None:
        """All of ``data`` at the end; ``size`` grows when all of it is written."""
        with self._failing():
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
        self.size += len(data)

    def read(self, offset: int, size: int) -> bytes:
        """What was written there."""
        with self._failing():
            os.lseek(self._fd, offset, os.SEEK_SET)
            data = os.read(self._fd, size)
            os.lseek(self._fd, self.size, os.SEEK_SET)
        return data

    def sync(self) -> None:
        """Returns when all is on the disk."""
        with self._failing():
            os.fsync(self._fd)

    def publish(self) -> None:
        """Gives the file its name, when it is on the disk."""
        self.sync()
        with self._failing():
            if sys.platform == "win32":  # an open file keeps its name there
                self.close()
            os.replace(self.path, self.name)
            _sync_folder(self.name)
        self.close()

    def discard(self) -> None:
        """Takes the part file away if it is empty."""
        if self._fd >= 0 and not self.size:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            self.close()

    def close(self) -> None:
        """Lets go of the file and of its lock."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            with self._failing():
                os.close(fd)

    @contextlib.contextmanager
    def _failing(self):  # type: ignore[no-untyped-def]
        try:
            yield
        except OSError as error:
            raise OutputFailed(f"{self.path}: {error.strerror or error}") from error


def _open_locked(path: str, name: str) -> int:
    while True:
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise OutputFailed(f"{path}: {error.strerror or error}") from error
        try:
            _lock(fd)
        except OSError as error:
            os.close(fd)
            raise InUse(f"{name} is being written by another run") from error
        # The other run may have finished, and given the file its name, between the two steps.
        if os.path.exists(path) and os.path.samestat(os.fstat(fd), os.stat(path)):
            os.lseek(fd, 0, os.SEEK_END)
            return fd
        os.close(fd)


def _lock(fd: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(name: str) -> None:
    """Makes the new name last, where the system lets a folder be synced."""
    try:
        fd = os.open(os.path.dirname(os.path.abspath(name)), os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(fd)
