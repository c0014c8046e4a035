"""`Limits`: what may be asked for, and that what passes one is said, and let go of."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pyarrow
import pytest
import toolparse
from _reading import errors_of, facts, streamed, whole
from toolparse import ArgumentsDelta, CallEnd, CallFailed, CallStart, Limits, TextDelta, ToolStream, anthropic, openai
from toolparse.cli import main

USUAL = {
    "call_bytes": 16 * 1024 * 1024,
    "nodes": 1_000_000,
    "depth": 200,
    "digits": 4300,
    "name": 256,
    "calls": 4096,
    "errors": 1000,
}
LARGE = (
    '<tool_call>{"name": "add", "arguments": {"note": "%s"}}</tool_call>b'
    '<tool_call>{"name": "add", "arguments": {}}</tool_call>'
)


def test_the_usual_limits() -> None:
    limits = Limits()
    assert {name: getattr(limits, name) for name in USUAL} == USUAL
    declared = inspect.signature(Limits).parameters
    assert {name: parameter.default for name, parameter in declared.items()} == USUAL
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in declared.values())


def test_limits_are_values() -> None:
    limits = Limits(depth=3, calls=2)
    assert limits == Limits(calls=2, depth=3) != Limits()
    assert hash(limits) == hash(Limits(calls=2, depth=3))
    assert pickle.loads(pickle.dumps(limits)) == limits == copy.deepcopy(limits)
    assert repr(limits) == (
        "Limits(call_bytes=16777216, nodes=1000000, depth=3, digits=4300, name=256, calls=2, errors=1000)"
    )
    with pytest.raises(AttributeError):
        limits.depth = 4  # type: ignore[misc]


@pytest.mark.parametrize("name", USUAL)
def test_a_limit_is_a_number(name: str) -> None:
    assert getattr(Limits(**{name: 1}), name) == 1
    assert getattr(Limits(**{name: 2**32 - 1}), name) == 2**32 - 1
    for wrong in (0, -1, 2**32):
        with pytest.raises(ValueError, match=f"{name} must be a number from 1 to 4294967295"):
            Limits(**{name: wrong})
    for strange in (True, "9", 1.0):
        with pytest.raises(TypeError, match=f"{name} must be an int, not {type(strange).__name__}"):
            Limits(**{name: strange})  # type: ignore[arg-type]


def test_what_is_accepted_as_limits() -> None:
    assert whole("a", ["add"], limits=None).text == "a"
    with pytest.raises(TypeError, match="limits must be Limits or None, not dict"):
        whole("a", ["add"], limits={"depth": 3})


def test_every_way_of_reading_takes_them() -> None:
    raw, limits = LARGE % "abcdefgh", Limits(call_bytes=10)
    want = whole(raw, ["add"], limits=limits)
    assert [(error.kind, error.name, error.raw) for error in want.errors] == [("limit", "add", "")]
    assert str(want.errors[0]) == "Couldn't read a tool call: the call is too long (at 11)"
    assert [(call.index, call.arguments) for call in want.calls] == [(1, {})]
    assert want.text == "b"
    assert facts(streamed(list(raw), ["add"], limits=limits)) == facts(want)
    assert [facts(found) for found in toolparse.parse_batch([raw], ["add"], limits=limits)] == [facts(want)]
    for table in (
        toolparse.parse_arrow(pyarrow.array([raw]), ["add"], limits=limits),
        *toolparse.iter_arrow([pyarrow.array([raw])], ["add"], limits=limits),
    ):
        row = table.to_pyarrow().to_pylist()[0]
        assert (row["n_calls"], [error["code"] for error in row["errors"]]) == (1, ["limit"])


def test_a_stream_keeps_its_limits() -> None:
    stream = ToolStream(["add"], limits=Limits(calls=1))
    for same in (stream, copy.copy(stream), pickle.loads(pickle.dumps(stream))):
        same.push('<tool_call>{"name": "add", "arguments": {}}</tool_call>' * 2)
        same.finish()
        assert [error.kind for error in same.result().errors] == ["limit"]
        same.reset()
        same.push('<tool_call>{"name": "add", "arguments": {}}</tool_call>')
        assert len(same.result().calls) == 1


def begun() -> list[Any]:
    """The events of a call that is found too large when its beginning has been told."""
    stream = ToolStream(["add"], ids="index", limits=Limits(call_bytes=404))
    pieces = (LARGE % ("a" * 300 + "|" + "b" * 100 + "|" + "c" * 100)).split("|")
    return [event for piece in pieces for event in stream.push(piece)] + stream.finish()


def test_a_call_that_was_begun_fails_and_leaves_its_number_unused() -> None:
    events = begun()
    assert [type(event) for event in events] == [
        CallStart,
        ArgumentsDelta,
        ArgumentsDelta,
        CallFailed,
        TextDelta,
        CallStart,
        ArgumentsDelta,
        CallEnd,
    ]
    assert [(event.index, event.id) for event in events if isinstance(event, CallStart)] == [
        (0, "call00000"),
        (1, "call00001"),
    ]


def test_what_clients_are_told_of_it() -> None:
    chat = openai.ChunkEncoder(model="m")
    chunks = [*chat.encode(begun()), *chat.finish("stop")]
    told = [call for chunk in chunks for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", [])]
    arguments = {at: "".join(call["function"]["arguments"] for call in told if call["index"] == at) for at in (0, 1)}
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"
    assert arguments == {0: '{"note":"' + "a" * 300 + "b" * 100, 1: "{}"}, "no JSON that a client could run"

    blocks = anthropic.EventEncoder(model="m")
    told = [*blocks.encode(begun()), *blocks.finish("stop")]
    assert told[-2]["delta"]["stop_reason"] == "max_tokens"
    kinds = [event["type"] for event in told]
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3

    response = openai.ResponseEncoder(model="m")
    answer = [*response.encode(begun()), *response.finish("stop")][-1]["response"]
    assert answer["status"] == "incomplete"
    output = answer["output"]
    assert [(item["type"], item["status"]) for item in output] == [
        ("function_call", "incomplete"),
        ("message", "completed"),
        ("function_call", "completed"),
    ]


@pytest.mark.parametrize(
    ("head", "unit", "tail"),
    [
        ('<tool_call>{"name": "add", "arguments": {"note": "', "a" * 65536, '"}}</tool_call>'),
        ('<tool_call>{"name": "add", "arguments": {"note": [', "[1, 2], " * 8192, "]}}</tool_call>"),
        ('<tool_call>{"arguments": {"note": "', "a" * 65536, '"}, "name": "add"}</tool_call>'),
        ("<tool_call><function=add><parameter=note>", "a" * 65536, "</parameter></function></tool_call>"),
        ("<tool_call>add<arg_key>note</arg_key><arg_value>", "a" * 65536, "</arg_value></tool_call>"),
        ("● <function=add><parameter=note>", "a" * 65536, "</parameter>"),
        ("<|tool_call_start|>[add(note=[", "1, 'b', " * 8192, "])]<|tool_call_end|>"),
    ],
)
def test_a_call_that_is_too_large_is_let_go(head: str, unit: str, tail: str) -> None:
    limits = Limits(call_bytes=65536, nodes=4096)
    whole_reply = whole(head + unit * 2 + tail, ["add"], limits=limits)
    assert (whole_reply.calls, [error.kind for error in whole_reply.errors]) == ([], ["limit"])
    pieces = [head, *[unit] * 2, tail]
    assert errors_of(streamed(pieces, ["add"], limits=limits).errors) == errors_of(whole_reply.errors)


def test_as_much_as_there_may_be_by_default() -> None:
    most = 16 * 1024 * 1024
    for more, want in ((0, []), (1, ["limit"])):
        result = whole(LARGE % ("a" * (most - len("note") + more)), ["add"])
        assert [error.kind for error in result.errors] == want
        assert len(result.calls) == 2 - len(want)


def test_the_command_line_takes_them(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    reply = tmp_path / "reply.txt"
    reply.write_text(LARGE % "abcdefgh")
    assert main(["parse", str(reply), "--limit", "call_bytes=10", "--limit", "depth=9"]) == 0
    assert "the call is too long" in capsys.readouterr().out
    for wrong, said in (
        ("depth", "NAME=N is wanted"),
        ("deep=3", "there is no limit 'deep'"),
        ("depth=0", "depth must be a number from 1"),
    ):
        assert main(["parse", str(reply), "--limit", wrong]) == 2
        assert said in capsys.readouterr().err
