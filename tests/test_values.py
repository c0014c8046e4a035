"""Results, calls, errors and events are plain values, and what stands in them is exact."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
from typing import Any

import pytest
import toolparse
from _reading import errors_of, facts, whole
from test_api import CALL, RAW, calls
from toolparse import (
    ArgumentsDelta,
    CallEnd,
    CallError,
    CallFailed,
    CallStart,
    ParsedCall,
    ParseResult,
    ReasoningDelta,
    Repair,
    Segment,
    TextDelta,
    ToolUse,
    parse_tool_calls,
)


@pytest.fixture
def result() -> ParseResult:
    return whole(
        RAW + "".join(f"<tool_call>{{'name': '{n}', 'arguments': {{}}}}</tool_call>" for n in ("buy", "add")), ["add"]
    )


def events() -> list[Any]:
    stream = toolparse.ToolStream(["add"], ids="index")
    out = stream.push(RAW + '<tool_call>{"name": "buy", "arguments": {}}</tool_call>')
    return out + stream.finish()


def test_all_six_kinds_of_events() -> None:
    assert {type(event) for event in events()} == {
        TextDelta,
        ReasoningDelta,
        CallStart,
        ArgumentsDelta,
        CallEnd,
        CallFailed,
    }


def test_values_are_equal_by_value(result: ParseResult) -> None:
    again = whole(RAW, ["add"])
    assert result.calls[0] == again.calls[0]
    assert result.calls[0] != result.calls[1]
    assert result != again
    assert again == whole(RAW, ["add"])
    assert events() == events()
    assert TextDelta("a") == TextDelta("a")
    assert TextDelta("a") != TextDelta("b")
    assert TextDelta("a") != ReasoningDelta("a")
    assert CallStart(0, "i", "f") != CallStart(1, "i", "f")


def test_values_can_be_copied_and_pickled(result: ParseResult) -> None:
    values = [result, *result.calls, *result.errors, *result.segments, *result.calls[1].repairs, *events()]
    for value in values:
        for other in (
            copy.copy(value),
            copy.deepcopy(value),
            *(pickle.loads(pickle.dumps(value, p)) for p in range(2, 6)),
        ):
            assert type(other) is type(value)
            assert other == value
            assert repr(other) == repr(value)
    for error in result.errors:
        assert errors_of([pickle.loads(pickle.dumps(error)), copy.deepcopy(error)]) == errors_of([error, error])
    assert facts(pickle.loads(pickle.dumps(result))) == facts(result)


def test_a_result_can_be_pickled_before_it_was_looked_at() -> None:
    fresh = parse_tool_calls(RAW, ["add"], ids="index")
    assert facts(pickle.loads(pickle.dumps(fresh))) == facts(whole(RAW, ["add"]))
    assert facts(copy.deepcopy(parse_tool_calls(RAW, ["add"], ids="index"))) == facts(fresh)


def test_a_repr_can_be_read() -> None:
    assert repr(TextDelta("a'b")) == """TextDelta(text="a'b")"""
    assert repr(ArgumentsDelta(0, '{"a"')) == """ArgumentsDelta(index=0, json='{"a"')"""
    assert repr(CallStart(0, "i", "f")) == "CallStart(index=0, id='i', name='f')"
    assert repr(Repair("comment", (1, 2), True)) == "Repair(kind='comment', span=(1, 2), safe=True)"
    text = repr(whole(CALL, ["add"]))
    assert text.startswith("ParseResult(text='', calls=[ParsedCall(name='add', arguments={'qty': 2}, id='")
    assert eval(text, vars(toolparse).copy()) == whole(CALL, ["add"])


def test_values_can_be_matched(result: ParseResult) -> None:
    match result:
        case ParseResult(
            text="Adding é😀.", calls=[ParsedCall(name="add", complete=True), ParsedCall()], errors=[error]
        ):
            assert error.kind == "unknown_tool"
        case _:
            pytest.fail(repr(result))
    kinds = []
    for event in events():
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                kinds.append(text)
            case CallStart(0, id, name):
                kinds += [id, name]
            case ArgumentsDelta(index, piece):
                assert (index, type(piece)) == (0, str)
            case CallEnd(index, ParsedCall(arguments={"qty": qty})):
                kinds.append(qty)
            case CallFailed(error):
                kinds.append(error.name)
    assert kinds == ["Two.", "Adding é😀.", result.calls[0].id, "add", 2, "buy"]


def test_asdict(result: ParseResult) -> None:
    as_dict = dataclasses.asdict(result)
    assert list(as_dict) == ["text", "calls", "errors", "reasoning", "truncated", "segments"]
    assert as_dict["calls"][0] == {
        "name": "add",
        "arguments": {"qty": 2, "note": "ü"},
        "id": result.calls[0].id,
        "native_id": None,
        "index": 0,
        "format": "hermes",
        "shape": "tagged",
        "complete": True,
        "repairs": (),
        "span": result.calls[0].span,
        "arguments_json": result.calls[0].arguments_json,
    }
    assert json.loads(result.calls[0].arguments_json) == {"qty": 2, "note": "ü"}
    assert as_dict["segments"][0] == {"kind": result.segments[0].kind, "span": result.segments[0].span}
    assert as_dict["errors"] == ['Unknown tool "buy". Available now: add']
    assert as_dict["calls"][1]["repairs"][0].keys() == {"kind", "span", "safe"}


def test_values_can_be_made_by_hand() -> None:
    call = ParsedCall("f", {}, "id", None, 0, "hermes", "tagged", True, (), (0, 1), "{}")
    made = ParseResult("t", [call], [CallError("m")], None, False, [Segment("prose", (0, 1))])
    assert made == copy.deepcopy(made)
    assert CallEnd(0, call).call is call
    assert CallFailed(made.errors[0]).error == "m"
    assert call.to_dict() == {"name": "f", "arguments": {}}
    with pytest.raises(AttributeError):
        made.tool_calls  # noqa: B018
    with pytest.raises(AttributeError):
        TextDelta("a").text = "b"


def test_a_call_of_the_old_parser_is_a_dict() -> None:
    use = ToolUse("toolu_1", "f", {"a": "1"}, False, (Repair("closed_string", (0, 1), False),))
    assert use == {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": "1"}}
    for other in (copy.copy(use), copy.deepcopy(use), pickle.loads(pickle.dumps(use))):
        assert (other, other.complete, other.repairs, type(other)) == (use, False, use.repairs, ToolUse)


def test_to_dict_gives_the_two_keys(result: ParseResult) -> None:
    assert result.calls[0].to_dict() == {"name": "add", "arguments": {"qty": 2, "note": "ü"}}


def test_arguments_belong_to_the_caller() -> None:
    first = whole(CALL, ["add"])
    first.calls[0].arguments["qty"] = 99
    first.calls.clear()
    assert calls(whole(CALL, ["add"])) == [("add", {"qty": 2})]
    assert whole("", ["add"]).calls is not whole("", ["add"]).calls


# Values


@pytest.mark.parametrize("digits", [1, 18, 19, 20, 30, 400])
def test_integers_are_exact(digits: int) -> None:
    for number in (10**digits - 1, -(10**digits) + 1):
        (call,) = whole(f'<tool_call>{{"name": "f", "arguments": {{"n": {number}}}}}</tool_call>', ["f"]).calls
        assert (call.arguments, call.repairs) == ({"n": number}, ())
        assert json.loads(call.arguments_json) == {"n": number}


@pytest.mark.parametrize(
    ("written", "text"), [("1e400", "1e400"), ("-1e999", "-1e999"), ("NaN", "NaN"), ("9" * 4301, "9" * 4301)]
)
def test_a_number_without_an_exact_form_stays_text(written: str, text: str) -> None:
    (call,) = whole(f'<tool_call>{{"name": "f", "arguments": {{"n": {written}}}}}</tool_call>', ["f"]).calls
    assert call.arguments == {"n": text}
    assert call.repairs


def test_the_last_of_two_keys_wins() -> None:
    (call,) = whole('<tool_call>{"name": "f", "arguments": {"a": 1, "b": 2, "\\u0061": 3}}</tool_call>', ["f"]).calls
    assert list(call.arguments.items()) == [("a", 3), ("b", 2)]
    assert {r.kind for r in call.repairs} == {"duplicate_key"}
    assert call.safe


def test_native_ids_are_kept() -> None:
    raw = "<|tool_call_begin|>functions.add:3<|tool_call_argument_begin|>{}<|tool_call_end|>"
    raw = f"<|tool_calls_section_begin|>{raw}<|tool_calls_section_end|>"
    (call,) = whole(raw, ["add"]).calls
    assert (call.name, call.native_id, call.format) == ("add", "functions.add:3", "kimi_k2")
    assert re.fullmatch("[A-Za-z0-9]{9}", call.id)


def test_the_first_of_two_ids_stays_once_a_stream_has_told_it() -> None:
    told = '[TOOL_CALLS]{"name": "f", "id": "one", "arguments": {"a": 1}, "id": "two"}'
    early = '[TOOL_CALLS]{"id": "one", "name": "f", "id": "two", "arguments": {"a": 1}}'
    late = '[TOOL_CALLS]{"name": "f", "arguments": {"a": 1}, "id": "one"}'
    for raw, native_id, kinds in [
        (told, "one", {"duplicate_key"}),
        (early, "two", {"duplicate_key"}),
        (late, "one", set()),
    ]:
        (call,) = whole(raw, ["f"]).calls
        assert (call.native_id, {repair.kind for repair in call.repairs}, call.safe) == (native_id, kinds, True)
