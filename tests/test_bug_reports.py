"""Faults that users of other parsers reported in public, each with its source.

`expected` of a record is the answer, text and reasoning up to white space (exactly, where the fault was a false alarm).
Where `unsafe_if_repaired` is true the call may be withheld and reported, or come back as in `if_repaired`, marked.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import toolparse
from _fixtures import HERE, canonical
from _reading import facts, squeeze, streamed, tiles, ways, whole
from toolparse import ParseResult

RECORDS = {
    record["id"]: record
    for record in map(json.loads, (HERE / "data" / "bug-reports.jsonl").read_text(encoding="utf-8").splitlines())
}

# The names by which the records know a family, where they are not a format's own.
NAMES = {"heuristic": "bullet", "fenced_json": "fenced", "whole_json": "bare_json", "openai": "harmony"}


def options_of(record: dict[str, Any], named: str) -> dict[str, Any]:
    known = {info.name for info in toolparse.formats()}
    name = NAMES.get(record["format"], record["format"])
    chosen = name if named == "named" and name in known else "auto"
    return {"format": chosen, "prompt": record.get("prompt", ""), **record.get("options", {})}


def calls_of(calls: list[Any]) -> list[tuple[str, str]]:
    return [(call["name"], json.dumps(call["arguments"], sort_keys=True)) for call in calls]


def check(record: dict[str, Any], result: ParseResult) -> None:
    want = record["expected"]
    if record["kind"] == "prose-false-positive":
        assert result.text == want["text"]
    assert squeeze(result.text) == squeeze(want["text"])
    assert squeeze(result.reasoning) == squeeze(want.get("reasoning"))
    got = calls_of([call.to_dict() for call in result.calls])
    if (
        record.get("unsafe_if_repaired")
        and record.get("if_repaired") is not None
        and got == calls_of(record["if_repaired"])
    ):
        assert not all(call.safe for call in result.calls), "a repaired call came back unmarked"
        return
    assert (got, len(result.errors)) == (calls_of(want["calls"]), want["errors"]), canonical(result.errors)


def test_all_are_there() -> None:
    assert len(RECORDS) == 89


@pytest.mark.parametrize("named", ["auto", "named"])
@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_reported_fault(record: dict[str, Any], named: str) -> None:
    raw, tools, options = record["raw"], record["tools"], options_of(record, named)
    result = whole(raw, tools, **options)
    check(record, result)
    tiles(result, len(raw))
    recorded = {"recorded": record["chunks"]} if record.get("chunks") else {}
    for way, pieces in {**ways(raw), **recorded}.items():
        assert "".join(pieces) == raw
        assert facts(streamed(pieces, tools, **options)) == facts(result), way
