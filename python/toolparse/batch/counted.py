"""The counts of a run, read from its stats file or counted again from its records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from toolparse.batch import inputs
from toolparse.batch.packed import Damaged
from toolparse.batch.pieces import Place
from toolparse.batch.totals import COUNTS, TABLES, Totals, document

_READING = inputs.Reading(4 << 20, 256 << 20)  # bytes
_SLICE = 500  # records
_NEITHER = "{}: neither a stats file nor the output of 'toolparse batch'"


class NoCounts(Exception):
    """The file is neither a stats file nor records. The message says why."""


def load(name: str) -> dict[str, Any]:
    """The document of a stats file, or one made from records. Raises :class:`NoCounts` and ``MissingExtra``."""
    each = inputs.find([name], [])[0]
    saved = _stats_file(each)
    if saved is not None:
        return saved
    totals = Totals()
    damaged: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    try:
        for record in _records(each):
            if rows and (len(rows) == _SLICE or record["source"] != rows[0]["source"]):
                totals.add(rows[0]["source"], [_counts(rows)], 0)
                rows = []
            rows.append(record)
    except Damaged as error:
        damaged.append({"source": each.source, "offset": error.offset, "reason": error.reason})
    if rows:
        totals.add(rows[0]["source"], [_counts(rows)], 0)
    return document(totals, damaged, None)


def _stats_file(each: inputs.Input) -> dict[str, Any] | None:
    if each.kind not in ("document", ""):
        return None
    try:
        with open(each.name, encoding="utf-8-sig") as file:
            found = json.load(file)
    except OSError as error:
        raise NoCounts(f"{each.source}: {error.strerror or error}") from error
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("stats") == 1 else None


def _records(each: inputs.Input) -> Iterator[dict[str, Any]]:
    if each.kind == "text":
        raise NoCounts(_NEITHER.format(each.source))
    try:
        for piece in inputs.pieces(each, Place(), _READING):
            for line in piece.lines.split(b"\n"):
                if line:
                    yield _record(each, line)
    except inputs.Unread as error:
        raise NoCounts(f"{each.source}: {error}") from error


def _record(each: inputs.Input, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not {"source", "calls", "errors", "repairs"} <= record.keys():
        raise NoCounts(_NEITHER.format(each.source))
    return record


def _counts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What the native reader counts in a chunk, but for the bytes of the replies, which records do not tell."""
    calls = [call for row in rows for call in row["calls"] or ()]
    errors = [error["code"] for row in rows for error in row["errors"] or ()]
    counts: dict[str, Any] = dict.fromkeys(COUNTS, 0)
    counts |= {
        "rows": len(rows),
        "calls": len(calls),
        "complete": sum(call["complete"] for call in calls),
        "repaired": sum(call["repaired"] for call in calls),
        "errors": len(errors),
    }
    names = (
        (row["format"] for row in rows for _ in row["calls"] or ()),  # a record names only the format of its first call
        (call["name"] for call in calls),
        (repair["kind"] for row in rows for repair in row["repairs"] or ()),
        errors,
    )
    return counts | {table: Counter(each) for table, each in zip(TABLES, names, strict=True)}
