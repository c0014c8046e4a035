"""The bar on a terminal while a run goes on, and the line at its end."""

from __future__ import annotations

import sys
import time
from typing import Any

_EVERY = 0.1  # seconds
_WIDTH = 24


class Bar:
    """Draws on standard error, at most ten times a second, when that is a terminal and ``quiet`` is false."""

    def __init__(self, total: int | None, *, quiet: bool) -> None:
        self.total = total
        self.start = self.drawn = time.monotonic()
        self.first = 0
        self.shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.used = False

    def begin(self, done: int) -> None:
        """``done`` stored bytes were read by an earlier run."""
        self.first = done

    def update(self, done: int, totals: dict[str, Any]) -> None:
        """``done`` of ``total`` stored bytes are behind us; ``totals`` are the counts so far."""
        now = time.monotonic()
        if self.shown and now - self.drawn >= _EVERY:
            self.drawn = now
            self._draw(line(self.first, done, self.total, now - self.start, totals))

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self.used:
            self._draw("")
            self.used = False

    def _draw(self, text: str) -> None:
        try:
            sys.stderr.write("\r\x1b[K" + text)
            sys.stderr.flush()
            self.used = True
        except OSError:
            self.shown = False


def line(first: int, done: int, total: int | None, seconds: float, totals: dict[str, Any]) -> str:
    """The bar as text."""
    shown = [name for name in ("rows", "calls", "repaired", "errors", "bad_rows") if name != "bad_rows" or totals[name]]
    counts = "  ".join(f"{totals[name]:,} {name.replace('_', ' ')}" for name in shown)
    speed = (done - first) / max(seconds, 1e-9)
    if not total:
        return f"{done / 1e6:,.0f} MB  {speed / 1e6:,.0f} MB/s  {counts}"
    share = min(done / total, 1.0)
    full = round(share * _WIDTH)
    left = duration((total - done) / speed) if speed > 0 else "?"
    return f"[{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%}  {speed / 1e6:,.0f} MB/s  {left} left  {counts}"


def duration(seconds: float) -> str:
    """As a person would say it, to about two digits."""
    if seconds < 60:
        return f"{max(seconds, 0):.0f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"


def summary(totals: dict[str, Any], size: int, seconds: float, output: str) -> str:
    """The line at the end. ``size`` bytes of replies were read in ``seconds``."""
    bad = f" ({totals['bad_rows']:,} more could not be read)" if totals["bad_rows"] else ""
    return (
        f"{totals['rows']:,} replies{bad}, {totals['calls']:,} calls, {totals['repaired']:,} of them repaired, "
        f"{totals['errors']:,} errors; "
        f"{amount(size)} in {seconds:,.1f} s ({amount(size / max(seconds, 1e-9))}/s) {output}"
    )


def amount(size: float) -> str:
    """Bytes as a person would say it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:,.1f} {unit}"
    return f"{size:.0f} bytes"
