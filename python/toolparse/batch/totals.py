"""What a run counted: in all, for each source, and along the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

COUNTS = ("rows", "bytes", "calls", "complete", "repaired", "errors")
TABLES = ("by_format", "by_tool", "by_repair", "by_error")
_ALONG = ("by_format", "by_repair", "by_error")
_SLICES = 128  # at most so many points along the log
_NAMES = 1000  # names of tools that were not offered are without end
OTHERS = "(others)"


class Totals:
    """Counts of one run. ``series`` are slices of the log in order, of ``width`` pieces each but for the last."""

    def __init__(self, saved: Mapping[str, Any] | None = None) -> None:
        self.whole: dict[str, Any] = _empty(TABLES)
        self.sources: dict[str, dict[str, int]] = {}
        self.series: list[dict[str, Any]] = []
        self.width = 1
        self.filled = 0
        if saved:
            vars(self).update(saved)

    def saved(self) -> dict[str, Any]:
        """The counts as plain values for JSON; ``Totals(saved)`` has them back. They change with further counting."""
        return vars(self)

    def add(self, source: str, stats: Iterable[Mapping[str, Any]], bad: int) -> None:
        """Counts a piece: the ``stats`` of its chunks and the number of its bad rows."""
        own = self.sources.setdefault(source, dict.fromkeys((*COUNTS, "bad_rows"), 0))
        if not self.series or self.filled == self.width:
            self._next_slice()
        self.filled += 1
        for counts in (self.whole, own, self.series[-1]):
            counts["bad_rows"] += bad
        for each in stats:
            for name in COUNTS:
                for counts in (self.whole, own, self.series[-1]):
                    counts[name] += each[name]
            for name in TABLES:
                _merge(self.whole[name], each[name])
            for name in _ALONG:
                _merge(self.series[-1][name], each[name])

    def join(self, later: Totals) -> None:
        """Counts what was counted elsewhere, of the part of the log that comes next."""
        for name, own in later.sources.items():
            counts = self.sources.setdefault(name, dict.fromkeys((*COUNTS, "bad_rows"), 0))
            for count in own:
                counts[count] += own[count]
        for name in (*COUNTS, "bad_rows"):
            self.whole[name] += later.whole[name]
        for name in TABLES:
            _merge(self.whole[name], later.whole[name])
        self.series += later.series
        while len(self.series) > _SLICES:
            self.series = [_joined(*self.series[at : at + 2]) for at in range(0, len(self.series), 2)]

    def _next_slice(self) -> None:
        if len(self.series) == _SLICES:
            self.series = [_joined(*self.series[at : at + 2]) for at in range(0, _SLICES, 2)]
            self.width *= 2
        self.series.append(_empty(_ALONG))
        self.filled = 0


def document(totals: Totals, damaged: list[dict[str, Any]], seconds: float | None) -> dict[str, Any]:
    """What a stats file holds."""
    return {
        "stats": 1,
        **totals.whole,
        "seconds": seconds,
        "sources": totals.sources,
        "series": totals.series,
        "damaged": damaged,
    }


def _empty(tables: Iterable[str]) -> dict[str, Any]:
    return {**dict.fromkeys((*COUNTS, "bad_rows"), 0), **{name: {} for name in tables}}


def _merge(into: dict[str, int], counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        known = name in into or len(into) < _NAMES
        into[name if known else OTHERS] = into.get(name if known else OTHERS, 0) + count


def _joined(one: dict[str, Any], other: dict[str, Any] | None = None) -> dict[str, Any]:
    if other is None:
        return one
    joined = {name: one[name] + other[name] for name in (*COUNTS, "bad_rows")}
    for name in _ALONG:
        joined[name] = dict(one[name])
        _merge(joined[name], other[name])
    return joined
