"""Every prefix of every fixture: a reply may end anywhere, and a call that only its end made up is never unmarked."""

from __future__ import annotations

from typing import Any

import pytest
import toolparse
from _fixtures import CASES, Case
from _reading import tiles, whole
from toolparse import ParsedCall, ParseResult

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def cuts(raw: str, most: int = 300) -> list[int]:
    n = len(raw)
    return list(range(n)) if n <= most else sorted({i * n // most for i in range(most)})


def readings(case: Case) -> list[dict[str, Any]]:
    """Without what the options say about the end of the reply: a prefix ends elsewhere."""
    return [{key: o[key] for key in ("format", "prompt") if key in o} for o in case.readings()]


def taken_back(call: ParsedCall, full: ParseResult) -> bool:
    """True where the text behind a call may decide that it is none.

    A bare call is one only as the whole reply; a provisional end is none if the value's own closer follows; a call in
    open reasoning is a draft when the block closes later; behind a closer another one may come, which makes a
    guess of it.
    """
    if call.shape == "bare" or any(repair.kind == "provisional_end" for repair in call.repairs):
        return True
    at = call.span[0]
    if any(c.span[0] == at and any(repair.kind == "ambiguous_closer" for repair in c.repairs) for c in full.calls):
        return True
    return any(s.kind == "reasoning" and s.span[0] <= at < s.span[1] for s in full.segments)


@every_case
def test_a_prefix_gives_no_unmarked_call_of_its_own(case: Case) -> None:
    tools = toolparse.Tools(case.tools)
    for options in readings(case):
        full = whole(case.raw, tools, **options)
        known = [(call.name, call.arguments_json) for call in full.calls]
        for at in cuts(case.raw):
            part = whole(case.raw[:at], tools, **options)
            tiles(part, at)
            for call in part.calls:
                sure = call.safe and not taken_back(call, full)
                assert not sure or (call.name, call.arguments_json) in known, f"{case.place} cut at {at}: {call}"


@every_case
def test_a_prefix_gives_no_cut_call_where_none_are_wanted(case: Case) -> None:
    tools = toolparse.Tools(case.tools)
    for options in readings(case):
        full = whole(case.raw, tools, cut="drop", **options)
        known = [(call.name, call.arguments_json) for call in full.calls]
        for at in cuts(case.raw):
            for call in whole(case.raw[:at], tools, cut="drop", **options).calls:
                assert call.complete, f"{case.place} cut at {at}: {call}"
                end = (call.name, call.arguments_json) in known or taken_back(call, full)
                assert end, f"{case.place} cut at {at}: {call}"
