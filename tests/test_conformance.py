"""The public suite: 469 recorded outputs of nine families, judged by its own checks, whole and streamed.

All pass strictly but one of two fixtures of Gemma that ask for opposite things of the same white space.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import toolparse
from _reading import streamed, ways, whole
from canitoolcall import checks
from canitoolcall.fixtures import load_families, load_fixtures
from canitoolcall.results import Observation, ParsedToolCall, Status
from canitoolcall.results import ParseResult as Answer
from toolparse import ParseResult

FAMILIES = load_families()
FIXTURES = load_fixtures()


def answer(result: ParseResult) -> Answer:
    return Answer(
        content=result.text or None,
        reasoning_content=result.reasoning or None,
        tool_calls=tuple(ParsedToolCall(call.name, call.arguments_json) for call in result.calls),
    )


def prompt_of(fixture: Any) -> str:
    if fixture.generation_prompt is not None:
        return str(fixture.generation_prompt)
    family = FAMILIES.get(fixture.family)
    reference = family.reference_for(fixture.reference_model) if family else None
    return (reference.default_generation_prompt if reference else None) or ""


def judged(fixture: Any, named: str) -> tuple[Status, list[Any]]:
    """The suite forbids calls from cut output, so they are dropped. It calls streams `one` and `rand:SEED:SIZE`."""
    tools = toolparse.Tools([dict(tool) for tool in fixture.tools])
    options = {"format": named, "prompt": prompt_of(fixture), "cut": "drop"}
    streams = {
        way if way == "one" else f"rand:{seed}:8": answer(streamed(pieces, tools, **options))
        for seed, (way, pieces) in enumerate(ways(fixture.raw_output).items())
    }
    nonstream = answer(whole(fixture.raw_output, tools, **options))
    rows = checks.run_checks(fixture, FAMILIES.get(fixture.family), Observation(nonstream=nonstream, streams=streams))
    return checks.case_status(rows), [row for row in rows if row.status is not Status.PASS]


@pytest.mark.parametrize("named", ["auto", "named"])
def test_every_output(named: str) -> None:
    counts: Counter[Status] = Counter()
    wrong = []
    for fixture in FIXTURES:
        name = toolparse.format_for_model(fixture.reference_model) if named == "named" else "auto"
        status, rows = judged(fixture, name)
        counts[status] += 1
        if status is not Status.PASS:
            wrong.append(
                (fixture.id, status.value, *(f"{row.check} [{row.strategy}] {row.detail}" for row in rows[:2]))
            )
    assert counts == {Status.PASS: 468, Status.SOFT_PASS: 1}, wrong


def test_every_model_of_the_suite_has_a_format() -> None:
    assert [f.id for f in FIXTURES if toolparse.format_for_model(f.reference_model) == "auto"] == []
