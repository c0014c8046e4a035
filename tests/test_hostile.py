"""Hostile text is read to its end, in linear work, with the calls that it allows and no other."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
import toolparse
from _fixtures import HERE
from _reading import facts, streamed, tiles, whole
from hostile_cases import ALL, BYTES, CALL, CASES, OFFERED, SMALLEST, Hostile

every_case = pytest.mark.parametrize("case", ALL, ids=CASES)


def pieces(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


@every_case
def test_the_texts_have_their_size(case: Hostile) -> None:
    for size in (SMALLEST, 1000, 4099):
        assert len(case.make(size)) == size


@every_case
@pytest.mark.parametrize("size", [2_000, 20_000])
def test_the_calls_that_a_text_allows(case: Hostile, size: int) -> None:
    result = whole(case.make(size), OFFERED)
    tiles(result, size)
    clean = [call for call in result.calls if call.complete and not call.repairs]
    got = (len(result.calls), len(clean))
    match case.expect:
        case "no_call":
            assert got[0] == 0
        case "no_clean_call":
            assert got[1] == 0
        case "one_call" | "many_calls":
            assert got == (case.count(size), case.count(size))
        case other:
            assert other == "any"
    assert {call.name for call in result.calls} <= set(OFFERED)


@every_case
@pytest.mark.parametrize(("size", "length"), [(2_000, 16), (2_000, 1), (20_000, 16)])
def test_pieces_give_the_same(case: Hostile, size: int, length: int) -> None:
    text = case.make(size)
    assert facts(streamed(pieces(text, length), OFFERED)) == facts(whole(text, OFFERED))


@every_case
def test_cut_calls_are_dropped(case: Hostile) -> None:
    text = case.make(2_000)
    result = whole(text, OFFERED, cut="drop")
    assert all(call.complete for call in result.calls)
    assert facts(streamed(pieces(text, 16), OFFERED, cut="drop")) == facts(result)


@every_case
def test_no_tool_list_no_harm(case: Hostile) -> None:
    text = case.make(2_000)
    result = whole(text, None)
    tiles(result, len(text))
    assert facts(streamed(pieces(text, 16), None)) == facts(result)


@every_case
def test_every_named_format_returns(case: Hostile) -> None:
    text = case.make(512)
    for info in toolparse.formats():
        tiles(whole(text, OFFERED, format=info.name), len(text))


@every_case
def test_the_filter_and_the_old_parser_return(case: Hostile) -> None:
    text = case.make(2_000)
    whole_filter, by_character = toolparse.ProseFilter(), toolparse.ProseFilter()
    shown = whole_filter.push(text) + whole_filter.flush()
    assert "".join([*map(by_character.push, text), by_character.flush()]) == shown
    parser = toolparse.HeuristicToolParser()
    prose, blocks = parser.feed(text)
    blocks += parser.flush()
    assert isinstance(prose + parser.pending_text, str)
    assert len({block["id"] for block in blocks}) == len(blocks)


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("size", [2_000, 20_000])
def test_bytes_that_need_not_be_text(name: str, size: int) -> None:
    data = BYTES[name](size)
    result = whole(data, OFFERED)
    tiles(result, size)
    for length in (1, 16):
        cut = [data[at : at + length] for at in range(0, size, length)]
        assert facts(streamed(cut, OFFERED)) == facts(result)
    result.text.encode("utf-8")


def test_a_byte_order_mark_hides_no_call() -> None:
    result = whole(BYTES["mark_then_calls"](2_000), OFFERED)
    assert len(result.calls) == (2_000 - 3) // len(CALL)
    assert all(call.safe for call in result.calls)


def test_messages_stay_small_and_printable() -> None:
    for name in ("unknown_tools", "long_name", "control_name", "stray_closers", "quote_flood"):
        text = CASES[name].make(20_000)
        errors = whole(text, OFFERED).errors
        assert all(len(error) <= 300 and error.isprintable() for error in errors), name
        assert sum(map(len, errors)) <= 2 * len(text), name
    (error,) = whole(CASES["long_name"].make(20_000), OFFERED).errors
    assert "n" * 65 not in error


def test_depth_on_a_small_stack() -> None:
    """In a process of its own, since a stack that overflows ends the process."""
    program = [sys.executable, str(HERE / "hostile_cases.py"), "200000"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "read\n", "")


def test_all_of_them_are_read_in_a_moment() -> None:
    """A bound that a slow machine keeps with ease and quadratic work does not."""
    texts = [case.make(200_000) for case in ALL]
    start = time.perf_counter()
    for text in texts:
        whole(text, OFFERED)
        streamed(pieces(text, 256), OFFERED)
    assert time.perf_counter() - start < 60
