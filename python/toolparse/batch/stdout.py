"""Standard output in the place of a part file."""

from __future__ import annotations

import sys

from toolparse.batch.partfile import OutputFailed
from toolparse.batch.signals import Signals


class Stdout:
    """Written to piece by piece; it has no length and cannot be gone back in."""

    size = 0

    def __init__(self, signals: Signals) -> None:
        self.signals = signals
        if sys.stdout is None:
            raise OutputFailed("<stdout>: closed")

    def write(self, data: bytes | memoryview) -> None:
        """Raises ``BrokenPipeError`` when nobody reads, else :class:`OutputFailed`."""
        try:
            with self.signals.waiting():
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(f"<stdout>: {error.strerror or error}") from error

    def read(self, offset: int, size: int) -> bytes:
        raise OutputFailed("<stdout>: cannot be read")
