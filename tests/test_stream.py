"""ToolStream: events in order and once, as soon as they are certain, and a result at any time."""

from __future__ import annotations

import json
from typing import Any

import pytest
import toolparse
from _reading import Log, facts, streamed, whole
from toolparse import ArgumentsDelta, CallEnd, CallFailed, CallStart, ReasoningDelta, TextDelta, ToolStream

CALL = '<tool_call>\n{"name": "add", "arguments": {"qty": 2, "tags": ["a", "é😀"]}}\n</tool_call>'
RAW = f"<think>Two.</think>Adding.{CALL}\n{CALL}Done."
TOOLS = [
    {
        "name": "add",
        "input_schema": {
            "type": "object",
            "properties": {"qty": {"type": "integer"}, "text": {"type": "string"}, "tags": {"type": "array"}},
        },
    }
]


def opened(**options: Any) -> ToolStream:
    return ToolStream(TOOLS, **{"ids": "index", **options})


def kinds(events: list[Any]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_events_of_a_whole_reply() -> None:
    stream = opened()
    events = stream.push(RAW) + stream.finish()
    merged = [kind for at, kind in enumerate(kinds(events)) if at == 0 or kind != kinds(events)[at - 1]]
    call = ["CallStart", "ArgumentsDelta", "CallEnd"]
    assert merged == ["ReasoningDelta", "TextDelta", *call, *call, "TextDelta"]
    log = Log()
    log.take(events)
    log.compare(stream.result())


def test_every_piece_size_gives_the_whole_result() -> None:
    want = facts(whole(RAW, TOOLS))
    for size in range(1, len(RAW) + 1):
        assert facts(streamed([RAW[at : at + size] for at in range(0, len(RAW), size)], TOOLS)) == want


def test_empty_pieces_say_nothing() -> None:
    assert (opened().push(""), opened().push(b"")) == ([], [])
    stream, events = opened(), []
    for character in RAW:
        events += stream.push(character) + stream.push("")
    log = Log()
    log.take(events + stream.finish())
    log.compare(stream.result())
    assert facts(stream.result()) == facts(whole(RAW, TOOLS))


def test_finish_twice_is_empty() -> None:
    stream = opened()
    stream.push("It starts with <tool_")
    # White space before what may be a call is held with it: it is layout if one comes.
    assert stream.finish() == [TextDelta(" <tool_")]
    before = facts(stream.result())
    assert [stream.finish(), stream.finish("stop"), stream.finish("length")] == [[], [], []]
    assert facts(stream.result()) == before == facts(whole("It starts with <tool_", TOOLS))


def test_push_after_finish_raises() -> None:
    for piece in ("x", "", b"x"):
        stream = opened()
        stream.finish()
        with pytest.raises(RuntimeError, match="finish"):
            stream.push(piece)
        assert stream.result().text == ""


def test_a_refused_piece_changes_nothing() -> None:
    stream = opened()
    stream.push(RAW[:40])
    with pytest.raises(TypeError):
        stream.push(7)
    stream.push(RAW[40:])
    stream.finish()
    assert facts(stream.result()) == facts(whole(RAW, TOOLS))


def test_a_result_at_any_time_disturbs_nothing() -> None:
    stream, log = opened(), Log()
    assert stream.result().text == ""
    for character in RAW:
        log.take(stream.push(character))
        now = stream.result()
        assert now.text.startswith("".join(log.text))
        assert (now.reasoning or "").startswith("".join(log.reasoning))
        assert now.calls[: len(log.calls)] == log.calls
    log.take(stream.finish())
    log.compare(stream.result())
    assert facts(stream.result()) == facts(whole(RAW, TOOLS))


def test_a_result_belongs_to_the_caller() -> None:
    stream = opened()
    stream.push(RAW)
    stream.finish()
    first = stream.result()
    first.calls.clear()
    first.errors.append(first.text)
    assert facts(stream.result()) == facts(whole(RAW, TOOLS))


def test_what_was_sent_is_a_prefix_of_the_end() -> None:
    want = whole(RAW, TOOLS)
    stream, log = opened(), Log()
    for character in RAW:
        log.take(stream.push(character))
        assert want.text.startswith("".join(log.text))
        assert (want.reasoning or "").startswith("".join(log.reasoning))
        assert want.calls[: len(log.calls)] == log.calls
        if log.start:
            assert want.calls[log.start.index].arguments_json.startswith("".join(log.arguments))


def test_bytes_may_end_inside_a_character() -> None:
    data = RAW.encode()
    want = facts(whole(data, TOOLS))
    for size in (1, 2, 3, 5, 7):
        assert facts(streamed([data[at : at + size] for at in range(0, len(data), size)], TOOLS)) == want
    for at in range(len(data) + 1):
        assert facts(streamed([data[:at], data[at:]], TOOLS)) == want


def test_a_character_that_never_ends_is_replaced_at_the_end() -> None:
    stream = opened()
    assert stream.push(b"ok \xf0\x9f\x98") == [TextDelta("ok")]
    rest = stream.finish()
    assert "".join(event.text for event in rest) == " \ufffd"
    assert stream.result().text == whole(b"ok \xf0\x9f\x98", TOOLS).text == "ok \ufffd"


def test_prose_is_sent_at_once() -> None:
    stream = opened()
    assert stream.push("Hello, a < b") == [TextDelta("Hello, a < b")]
    assert stream.push(" and <b>") == [TextDelta(" and <b>")]
    assert stream.push("c<tool") == [TextDelta("c")]
    assert stream.push("s.") == [TextDelta("<tools.")]


def test_reasoning_is_sent_at_once() -> None:
    stream = opened()
    assert stream.push("<think>One") == [ReasoningDelta("One")]
    assert stream.push(" two") == [ReasoningDelta(" two")]
    assert stream.push("</think>Three") == [TextDelta("Three")]


def test_the_prompt_may_have_opened_the_reasoning() -> None:
    stream = opened(prompt="<think>\n")
    assert stream.push("One") == [ReasoningDelta("One")]
    assert stream.push("</think>Two") == [TextDelta("Two")]
    stream.finish()
    assert (stream.result().reasoning, stream.result().text) == ("One", "Two")


def test_a_call_starts_once_it_is_certain() -> None:
    stream = opened()
    assert stream.push('<tool_call>{"name": "add') == []
    start, *rest = stream.push('", "arguments": {"qty": 2, "te')
    assert isinstance(start, CallStart)
    assert (start.index, start.name) == (0, "add")
    assert set(kinds(rest)) <= {"ArgumentsDelta"}


def test_the_name_may_come_last() -> None:
    stream = opened()
    assert stream.push('<tool_call>{"arguments": {"qty": 2}, ') == []
    events = stream.push('"name": "add"}</tool_call>') + stream.finish()
    assert kinds(events)[0] == "CallStart"
    (call,) = stream.result().calls
    assert (call.name, call.arguments, call.repairs) == ("add", {"qty": 2}, ())


LONG = "\n".join(f'line {at}: "quoted" \\ and é' for at in range(1200))
FORMS = {
    "hermes": ('<tool_call>{"name": "add", "arguments": {"text": ' + json.dumps(LONG) + "}}</tool_call>"),
    "qwen3_coder": f"<tool_call>\n<function=add>\n<parameter=text>\n{LONG}\n</parameter>\n</function>\n</tool_call>",
    "glm45": f"<tool_call>add\n<arg_key>text</arg_key>\n<arg_value>{LONG}</arg_value>\n</tool_call>",
    "lfm2": f"<|tool_call_start|>[add(text={json.dumps(LONG)})]<|tool_call_end|>",
    "deepseek_v31": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>"
    + json.dumps({"text": LONG})
    + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "bullet": f"● <function=add><parameter=text>{LONG}</parameter>",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_long_argument_arrives_as_it_is_written(form: str) -> None:
    raw = FORMS[form]
    stream = opened()
    counts, sent = [], 0
    for at in range(0, len(raw), 4):
        for event in stream.push(raw[at : at + 4]):
            if isinstance(event, ArgumentsDelta):
                sent += len(event.json)
        counts.append(sent)
    stream.finish()
    (call,) = stream.result().calls
    assert call.arguments == {"text": LONG}
    quarters = [counts[len(counts) * q // 4] for q in (1, 2, 3)]
    total = len(call.arguments_json)
    for share, quarter in zip((0.25, 0.5, 0.75), quarters, strict=True):
        assert abs(quarter / total - share) < 0.02, (form, quarters, total)


def test_a_number_waits_for_its_end() -> None:
    stream = opened()
    events = stream.push('<tool_call>{"name": "add", "arguments": {"qty": 2')
    assert "2" not in "".join(event.json for event in events if isinstance(event, ArgumentsDelta))
    rest = stream.push("50}}</tool_call>") + stream.finish()
    assert "250" in "".join(event.json for event in rest if isinstance(event, ArgumentsDelta))


def test_a_failed_call_is_one_event() -> None:
    stream = opened()
    events = stream.push('<tool_call>{"name": "buy", "arguments": {}}</tool_call>') + stream.finish()
    (failed,) = events
    assert isinstance(failed, CallFailed)
    assert failed.error.kind == "unknown_tool"
    assert errors(stream) == ['Unknown tool "buy". Available now: add']


def errors(stream: ToolStream) -> list[str]:
    return [str(error) for error in stream.result().errors]


def test_dropped_cuts_send_nothing_of_a_call_before_its_end() -> None:
    stream = opened(cut="drop")
    closer = CALL.index("</tool_call>") + len("</tool_call>") - 1
    assert [event for character in CALL[:closer] for event in stream.push(character)] == []
    events = stream.push(CALL[closer:]) + stream.finish()
    assert kinds(events)[0] == "CallStart"
    assert kinds(events)[-1] == "CallEnd"

    stream = opened(cut="drop")
    assert stream.push(CALL[:closer]) == []
    (failed,) = stream.finish()
    assert failed.error.kind == "cut"
    assert stream.result().calls == []


@pytest.mark.parametrize("reason", [None, "stop", "length"])
@pytest.mark.parametrize("cut", ["keep", "drop"])
def test_the_finish_reason_counts_as_in_a_whole_reading(reason: str | None, cut: str) -> None:
    for end in range(len(CALL)):
        want = facts(whole(CALL[:end], TOOLS, cut=cut, finish_reason=reason))
        assert facts(streamed(list(CALL[:end]), TOOLS, cut=cut, finish_reason=reason)) == want


def test_a_call_that_the_end_cuts_is_ended_by_finish() -> None:
    stream = opened()
    start, *_ = stream.push('<tool_call>{"name": "add", "arguments": {"text": "so f')
    *_, end = stream.finish()
    assert isinstance(start, CallStart)
    assert isinstance(end, CallEnd)
    assert (end.call.complete, end.call.arguments) == (False, {"text": "so f"})


def test_streams_share_nothing() -> None:
    one, other = opened(), opened()
    for character in RAW:
        one.push(character)
        other.push("x")
    one.finish()
    other.finish()
    assert facts(one.result()) == facts(whole(RAW, TOOLS))
    assert other.result().text == "x" * len(RAW)


def test_the_tools_may_change_afterwards() -> None:
    names = ["add"]
    stream = ToolStream(names)
    names.clear()
    stream.push(CALL)
    stream.finish()
    assert [call.name for call in stream.result().calls] == ["add"]


def test_compiled_tools_serve_many_streams() -> None:
    tools = toolparse.Tools(TOOLS)
    assert [len(streamed([CALL], tools).calls) for _ in range(3)] == [1, 1, 1]


def test_ids_stay_with_their_calls_when_a_callback_raised() -> None:
    def ids(index: int, name: str, native_id: str | None) -> str:
        if index == 0:
            raise LookupError("no id")
        return f"id{index}"

    stream = toolparse.ToolStream(["f"], ids=ids)
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    with pytest.raises(LookupError):
        stream.push(call)
    events = stream.push(call) + stream.finish()
    assert [event.id for event in events if isinstance(event, toolparse.CallStart)] == ["id1"]
    assert [event.call.id for event in events if isinstance(event, toolparse.CallEnd)] == ["id1"]
