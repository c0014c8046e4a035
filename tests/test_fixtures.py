"""Every fixture: what must come out, whole and for every way to cut the reply, as text and as bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import toolparse
from _fixtures import CASES, HERE, Case, FixtureError, load, outcome, render, update, updating
from _reading import bytewise, facts, streamed, tiles, two_pieces, ways, whole
from toolparse import ParsedCall, ParseResult, Segment

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@every_case
def test_whole(case: Case) -> None:
    expected = case.expected
    for at, options in enumerate(case.readings()):
        now = outcome(whole(case.raw, case.tools, **options))
        if now != expected and updating() and at == 0:
            update(case, now)
            expected = now
        assert render(now) == render(expected), f"{case.place} with format={options['format']!r}"


@every_case
def test_segments_tile_the_reply(case: Case) -> None:
    for options in case.readings():
        tiles(whole(case.raw, case.tools, **options), len(case.raw))


@every_case
def test_every_cut_gives_the_same(case: Case) -> None:
    tools = toolparse.Tools(case.tools)
    for options in case.readings():
        want = facts(whole(case.raw, tools, **options))
        for way, pieces in ways(case.raw).items():
            assert facts(streamed(pieces, tools, **options)) == want, f"{case.place} {way}"
        for pair in two_pieces(case.raw):
            assert facts(streamed(pair, tools, **options)) == want, f"{case.place} cut at {len(pair[0])}"


@every_case
def test_bytes_give_the_same(case: Case) -> None:
    tools = toolparse.Tools(case.tools)
    for options in case.readings():
        want = facts(in_bytes(whole(case.raw, tools, **options), case.raw))
        assert facts(whole(case.raw.encode("utf-8"), tools, **options)) == want, case.place
        assert facts(streamed(bytewise(case.raw), tools, **options)) == want, case.place


def in_bytes(result: ParseResult, raw: str) -> ParseResult:
    """The same result with byte offsets for its spans."""
    offsets = [0]
    for character in raw:
        offsets.append(offsets[-1] + len(character.encode("utf-8")))

    def moved(span: tuple[int, int]) -> tuple[int, int]:
        return (offsets[span[0]], offsets[span[1]])

    def message(e: toolparse.CallError) -> str:
        return str(e).replace(f"(at {e.span[0]})", f"(at {moved(e.span)[0]})")

    def call(c: ParsedCall) -> ParsedCall:
        return replace(c, span=moved(c.span), repairs=tuple(replace(r, span=moved(r.span)) for r in c.repairs))

    return ParseResult(
        text=result.text,
        calls=[call(c) for c in result.calls],
        errors=[toolparse.CallError(message(e), e.kind, e.name, moved(e.span), e.raw) for e in result.errors],
        reasoning=result.reasoning,
        truncated=result.truncated,
        segments=[Segment(s.kind, moved(s.span)) for s in result.segments],
    )


def test_every_format_has_its_fixtures() -> None:
    files = {path.stem for path in (HERE / "formats").glob("*.txt")}
    assert files == {info.name for info in toolparse.formats()}


def test_every_repair_kind_has_a_fixture() -> None:
    shown = {kind for case in CASES.values() for call in case.expected.calls for kind in call.repairs}
    for path in (HERE / "repairs").glob("*.txt"):
        assert path.stem in shown | {"none", "errors"}, f"{path.name} shows no repair of its name"


GOOD = 'format hermes\nsource a test\ntools [{"name": "f"}]\n\n== one\nhi\n--\ntext "hi"\n'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hi\n--", "hi", "5: no line `--` ends the reply"),
        ('text "hi"', 'texts "hi"', r"8: `texts \"hi\"` cannot stand here"),
        ('text "hi"', "", "8: no `text`"),
        ('text "hi"', 'text "hi', "8: not JSON"),
        ('text "hi"', 'text "hi"\n\nmore', "10: a line after the blank line"),
        ('text "hi"', 'text "hi"\nrepair comment', "9: `repair comment` cannot stand here"),
        ('text "hi"', 'text "hi"\nerror oops', "9: `error oops` cannot stand here"),
        ('text "hi"', 'text "hi"\ncall f [1]', "9: JSON of another type than dict"),
        ("hi\n--", "hi \n--", "6: white space at the end"),
        ("== one\n", '== one\noptions {"cuts": 1}\n', "6: unknown options cuts"),
        ("source a test\n", "", "1: no `source`"),
        ("format hermes\n", "", "1: 0 lines `format`"),
        ("== one", "one", "1: no case"),
        ("hi\n--", "hi\r\n--", "1: a carriage return"),
    ],
)
def test_a_damaged_fixture_file_says_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes(GOOD.encode().replace(old.encode(), new.encode(), 1))
    with pytest.raises(FixtureError, match=f"^f.txt:{message}"):
        load(path)


def test_a_case_can_be_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text(
        GOOD + '\n== two\nyou\n--\ntext ""\nerror cut\n\n== three\nlast\n--\ntext "last"\n', encoding="utf-8"
    )
    before = load(path)
    two: Any = replace(before[1].expected, text="you", errors=(), reasoning="é")
    update(before[1], two)
    after = load(path)
    assert [case.expected for case in after] == [before[0].expected, two, before[2].expected]
    assert [case.raw for case in after] == ["hi", "you", "last"]
    assert 'reasoning "é"\n\n== three' in path.read_text(encoding="utf-8")
