"""Replies whose line ends are CRLF, as some servers and files make them, hold the same calls."""

from __future__ import annotations

import pytest
import toolparse
from _fixtures import CASES, Case

PLAIN = {
    name: case
    for name, case in CASES.items()
    if name.startswith("formats/") and case.expected.calls and not case.expected.errors and "\r" not in case.raw
}


@pytest.mark.parametrize("name", PLAIN)
def test_the_same_calls(name: str) -> None:
    case: Case = PLAIN[name]
    for options in case.readings():
        want = toolparse.parse_tool_calls(case.raw, case.tools, ids="index", **options)
        got = toolparse.parse_tool_calls(case.raw.replace("\n", "\r\n"), case.tools, ids="index", **options)
        assert [call.name for call in got.calls] == [call.name for call in want.calls]
