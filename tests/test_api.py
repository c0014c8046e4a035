"""The public functions and types: what they take, what they refuse, what they give."""

from __future__ import annotations

import re
from typing import Any

import pytest
import toolparse
from _reading import facts, streamed, tiles, whole
from toolparse import (
    CallError,
    ParseResult,
    parse_tool_calls,
)

CART = {"type": "object", "properties": {"qty": {"type": "integer"}, "note": {"type": "string"}}}
RAW = '<think>Two.</think>Adding é😀.<tool_call>{"name": "add", "arguments": {"qty": 2, "note": "ü"}}</tool_call>'
CALL = '<tool_call>{"name": "add", "arguments": {"qty": 2}}</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": CART}}]


def calls(result: ParseResult) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in result.calls]


# Text and bytes, places


def test_bytes_and_str_say_the_same() -> None:
    of_str, of_bytes = whole(RAW, TOOLS), whole(RAW.encode(), TOOLS)
    assert (of_str.text, of_str.reasoning) == (of_bytes.text, of_bytes.reasoning) == ("Adding é😀.", "Two.")
    assert calls(of_str) == calls(of_bytes) == [("add", {"qty": 2, "note": "ü"})]
    assert [s.kind for s in of_str.segments] == [s.kind for s in of_bytes.segments]


def test_places_are_str_indexes_or_byte_offsets() -> None:
    result = whole(RAW, ["add"])
    data = RAW.encode()
    tiles(result, len(RAW))
    tiles(whole(data, ["add"]), len(data))
    prose = [RAW[slice(*s.span)] for s in result.segments if s.kind == "prose"]
    assert prose == ["Adding é😀."]
    start, end = result.calls[0].span
    assert RAW[start:end].count('{"qty": 2, "note": "ü"}') == 1
    (in_bytes,) = whole(data, ["add"]).calls
    assert in_bytes.span == (len(RAW[:start].encode()), len(RAW[:end].encode()))
    assert [s.kind for s in result.segments if s.kind in ("reasoning", "call")] == ["reasoning", "call"]


def test_marks_say_where() -> None:
    raw = "é<tool_call>{'name': 'add', \"arguments\": {\"qty\": 2,}}</tool_call>"
    (call,) = whole(raw, ["add"]).calls
    places = {repair.kind: raw[slice(*repair.span)] for repair in call.repairs}
    assert places.keys() == {"single_quotes", "trailing_comma"}
    assert "," in places["trailing_comma"]
    assert all(0 <= r.span[0] <= r.span[1] <= len(raw) for r in call.repairs)


def test_an_error_says_where_and_keeps_the_text() -> None:
    raw = 'é<tool_call>{"name": "buy", "arguments": {"qty": 2}}</tool_call>.'
    result = whole(raw, ["add"])
    (error,) = result.errors
    assert result.text == "é."
    assert (error.kind, error.name) == ("unknown_tool", "buy")
    assert '{"qty": 2}' in error.raw
    assert error.raw in raw
    assert '"buy"' in raw[slice(*error.span)]
    assert "error" in [segment.kind for segment in result.segments]
    (of_bytes,) = whole(raw.encode(), ["add"]).errors
    assert of_bytes.span == (error.span[0] + 1, error.span[1] + 1)
    assert of_bytes.raw == error.raw


@pytest.mark.parametrize("word", ["nothing here ", "rien d'été ", "нет 没有 \ud800", "nothing 😀", "a < b, `c` → "])
def test_pure_prose_is_the_same_object(word: str) -> None:
    raw = word * 1000
    (of_many,) = toolparse.parse_batch([raw], ["f"])
    for result in (parse_tool_calls(raw, ["f"]), parse_tool_calls(raw, ["f"], max_bytes=None), of_many):
        if not result.truncated:
            assert result.text is raw
            assert result.segments == [toolparse.Segment("prose", (0, len(raw)))]
        assert (result.calls, result.errors, result.reasoning) == ([], [], None)
        assert raw.startswith(result.text)


def test_lone_surrogates_do_no_harm() -> None:
    result = whole(f"a\ud800{CALL}", ["add"])
    assert (len(result.text), calls(result)) == (2, [("add", {"qty": 2})])
    (call,) = whole(
        '<tool_call>{"name": "add", "arguments": {"note": "\udc00", "x": "\\ud800"}}</tool_call>', ["add"]
    ).calls
    assert call.arguments == {"note": "\ufffd", "x": "\ufffd"}
    assert {(r.kind, r.safe) for r in call.repairs} == {("lone_surrogate", False)}
    assert call.arguments_json.encode()


def test_bytes_that_are_not_text_are_replaced() -> None:
    result = whole(b"a\xffb" + CALL.encode(), ["add"])
    assert (result.text, calls(result)) == ("a\ufffdb", [("add", {"qty": 2})])


# max_bytes


def test_only_the_first_32_kib_are_read() -> None:
    raw = "x" * (32 * 1024 - 10) + CALL
    result = parse_tool_calls(raw, ["add"])
    # What was cut in the middle of a marker is no marker: it is shown.
    assert (result.truncated, result.calls, len(result.text)) == (True, [], 32 * 1024)
    result = parse_tool_calls(raw, ["add"], max_bytes=None)
    assert (result.truncated, calls(result)) == (False, [("add", {"qty": 2})])


@pytest.mark.parametrize(("most", "text"), [(0, ""), (1, ""), (2, "é"), (3, "é"), (5, "é"), (6, "é😀"), (7, "é😀.")])
def test_the_limit_is_cut_back_to_a_whole_character(most: int, text: str) -> None:
    for raw in ("é😀.", "é😀.".encode()):
        result = parse_tool_calls(raw, ["f"], max_bytes=most)
        assert (result.text, result.truncated) == (text, most < 7)


def test_a_stream_has_the_same_limit_and_none_by_default() -> None:
    raw = "é" * 20 + CALL
    for most in (0, 7, 40, 41, 60, len(raw.encode()), None):
        want = facts(whole(raw, ["add"], max_bytes=most))
        for pieces in ([raw], list(raw)):
            assert facts(streamed(pieces, ["add"], max_bytes=most)) == want
    long = "x" * 40_000
    assert streamed([long, CALL], ["add"]).text == long


# cut and finish_reason


CUT = '<tool_call>{"name": "add", "arguments": {"qty": 25'
OPEN = '<tool_call>{"name": "add", "arguments": {"qty": 25}'


@pytest.mark.parametrize(
    ("raw", "options", "arguments", "complete", "kinds"),
    [
        (CUT, {}, {"qty": 25}, False, {"cut_number", "closed_object"}),
        (CUT, {"finish_reason": "stop"}, {"qty": 25}, False, {"closed_object"}),
        (CUT, {"finish_reason": "length"}, {}, False, {"dropped_partial_literal", "closed_object"}),
        (OPEN, {}, {"qty": 25}, True, {"missing_closer"}),
        (OPEN, {"cut": "drop", "finish_reason": "stop"}, {"qty": 25}, True, {"missing_closer"}),
    ],
)
def test_a_cut_call_is_marked(
    raw: str, options: dict[str, Any], arguments: Any, complete: bool, kinds: set[str]
) -> None:
    (call,) = whole(raw, ["add"], **options).calls
    assert (call.arguments, call.complete) == (arguments, complete)
    assert {r.kind for r in call.repairs} == kinds


@pytest.mark.parametrize("options", [{}, {"finish_reason": "length"}])
@pytest.mark.parametrize("raw", [CUT, OPEN, CALL.removesuffix("</tool_call>"), CALL.removesuffix(">")])
def test_cut_calls_can_be_dropped(raw: str, options: dict[str, Any]) -> None:
    result = whole(f"Now.{raw}", ["add"], cut="drop", **options)
    assert (result.text, result.calls) == ("Now.", [])
    assert [(e.kind, e.name) for e in result.errors] == [("cut", "add")]


# ids


def test_ids() -> None:
    raw = CALL * 3
    random = [call.id for call in parse_tool_calls(raw, ["add"]).calls]
    assert all(re.fullmatch("[A-Za-z0-9]{9}", i) for i in random)
    assert len({*random, *[call.id for call in parse_tool_calls(raw, ["add"]).calls]}) == 6
    index = [call.id for call in parse_tool_calls(raw, ["add"], ids="index").calls]
    assert all(re.fullmatch("[A-Za-z0-9]{9}", i) for i in index)
    assert len(set(index)) == 3
    assert index == [call.id for call in parse_tool_calls(raw, ["add"], ids="index").calls]


def test_ids_of_the_caller() -> None:
    seen = []

    def make(index: int, name: str, native_id: str | None) -> str:
        seen.append((index, name, native_id))
        return f"{name}-{index}"

    raw = '<tool_call>{"id": "call_7", "name": "add", "arguments": {}}</tool_call>' + CALL
    result = parse_tool_calls(raw, ["add"], ids=make)
    assert [(call.id, call.native_id) for call in result.calls] == [("add-0", "call_7"), ("add-1", None)]
    assert seen == [(0, "add", "call_7"), (1, "add", None)]
    assert [call.id for call in streamed(list(CALL), ["add"], ids=make).calls] == ["add-0"]


def test_a_maker_of_ids_must_make_text() -> None:
    with pytest.raises(TypeError, match="ids"):
        parse_tool_calls(CALL, ["add"], ids=lambda index, name, native_id: 5)


def test_an_exception_of_the_callers_own_goes_through() -> None:
    def make(index: int, name: str, native_id: str | None) -> str:
        raise LookupError("no more ids")

    with pytest.raises(LookupError, match="no more ids"):
        parse_tool_calls(CALL, ["add"], ids=make)


# The messages


def test_the_three_messages() -> None:
    def error(body: str, tools: Any) -> CallError:
        (one,) = parse_tool_calls(f"<tool_call>{body}</tool_call>", tools).errors
        return one

    unknown = '{"name": "x", "arguments": {}}'
    assert error(unknown, ["b", "a"]) == 'Unknown tool "x". Available now: b, a'
    assert error(unknown, {"b", "a"}) == 'Unknown tool "x". Available now: a, b'
    assert error(unknown, []) == 'Unknown tool "x". Available now: none'
    assert error('{"name": "a", "arguments": [1, 2]}', ["a"]) == 'Arguments for "a" must be a JSON object.'
    assert error("not json", ["a"]).startswith("Couldn't read a tool call: ")


def test_an_error_is_its_message() -> None:
    (error,) = parse_tool_calls('<tool_call>{"name": "x", "arguments": {}}</tool_call>', ["a"]).errors
    assert isinstance(error, str)
    assert f"{error}" == error == str(error) == 'Unknown tool "x". Available now: a'
    assert parse_tool_calls(CALL, ["add"]).errors == []


def test_names_are_compared_exactly() -> None:
    for name in (
        " add",
        "add ",
        "Add",
        "ADD",
        "ad",
        "addd",
        "add\u200b",
        "аdd",
        "ａｄｄ",
        "a\u0301dd",
        "functions.add",
    ):
        result = parse_tool_calls(f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>', ["add"])
        assert result.calls == []
        assert [(e.kind, e.name) for e in result.errors] == [("unknown_tool", name)]


# Formats


def test_formats() -> None:
    rows = {info.name: info for info in toolparse.formats()}
    assert len(rows) == len(toolparse.formats()) > 50
    assert rows["hermes"].openers[0] == "<tool_call>"
    assert rows["hermes"].closers[0] == "</tool_call>"
    assert rows["hermes"].names_elsewhere["vllm"][0] == "hermes"
    assert (rows["hermes"].needs_schema, rows["qwen3_coder"].needs_schema) == (False, True)
    assert (rows["hermes"].auto, rows["json_line"].auto) == (True, False)
    assert all(info.title and isinstance(info.models, tuple) for info in rows.values())
    names = [name for info in rows.values() for name in (info.name, *info.aliases)]
    assert len(set(names)) == len(names)
    assert "auto" not in names


def test_every_name_and_alias_is_taken() -> None:
    for info in toolparse.formats():
        for name in (info.name, *info.aliases):
            tiles(whole(RAW, ["add"], format=name), len(RAW))


def test_a_named_format_reads_only_its_own_markup() -> None:
    assert calls(whole(CALL, ["add"], format="hermes")) == [("add", {"qty": 2})]
    for other in ("lfm2", "mistral", "kimi_k2"):
        result = whole(CALL, ["add"], format=other)
        assert (result.text, result.calls, result.errors) == (CALL, [], [])
    both = CALL + "<|tool_call_start|>[add(qty=3)]<|tool_call_end|>"
    assert calls(whole(both, ["add"], format=["hermes", "lfm2"])) == [("add", {"qty": 2}), ("add", {"qty": 3})]


@pytest.mark.parametrize(
    ("model", "format"),
    [
        ("Qwen/Qwen3-8B", "hermes"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder"),
        ("zai-org/GLM-4.6", "glm45"),
        ("LiquidAI/LFM2-1.2B", "lfm2"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek_v31"),
        ("moonshotai/Kimi-K2-Instruct", "kimi_k2"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral"),
        ("openai/gpt-oss-20b", "harmony"),
        ("no/such-model", "auto"),
        ("", "auto"),
    ],
)
def test_format_for_model(model: str, format: str) -> None:
    assert toolparse.format_for_model(model) == format


def test_each_example_model_leads_to_its_format() -> None:
    wrong = [
        (m, info.name)
        for info in toolparse.formats()
        for m in info.models
        if toolparse.format_for_model(m) != info.name
    ]
    assert wrong == []


def test_a_model_id_is_text() -> None:
    with pytest.raises(TypeError, match="model"):
        toolparse.format_for_model(7)


# Batch


def test_a_batch_gives_what_the_replies_give() -> None:
    replies = [RAW, "", "prose", CALL * 3, CUT] * 40
    for threads in (None, 1, 2):
        results = toolparse.parse_batch(replies, ["add"], threads=threads)
        assert len(results) == len(replies)
        assert [facts(r) for r in results] == [facts(whole(reply, ["add"])) for reply in replies]


def test_a_batch_of_nothing() -> None:
    assert list(toolparse.parse_batch([], ["add"])) == []


def test_where_a_part_is_unread_the_end_is_not_the_models_own() -> None:
    number = '<tool_call>{"name": "f", "arguments": {"a": 12345}}</tool_call>'
    bare = '{"name": "f", "arguments": {"a": 1}} is how a call looks'
    draft = "<think>" + number + " No, not that.</think>I will not."
    bullet = "● <function=f><parameter=a>1</parameter><parameter=b>2</parameter>"
    for raw, most, kinds in (
        (number, 47, {"dropped_partial_literal", "closed_object"}),
        (bare, 36, {"provisional_end"}),
        (draft, 75, {"provisional_end"}),
        (bullet, 42, {"provisional_end"}),
    ):
        for found in (
            whole(raw, ["f"], max_bytes=most, finish_reason="stop"),
            streamed(list(raw), ["f"], max_bytes=most, finish_reason="stop"),
        ):
            assert found.truncated
            assert [{repair.kind for repair in call.repairs if not repair.safe} for call in found.calls] == [kinds], raw


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        (["f", ""], "tools[1]: the name is empty"),
        ({""}, "tools[0]: the name is empty"),
        (
            {"type": "function", "function": {"name": "f", "parameters": {}}},
            "tools: one tool definition where a list of them is expected; write [definition]",
        ),
        (
            {"f": {"name": "f", "input_schema": {}}},
            'tools["f"]: a whole tool definition where the JSON schema of its parameters is expected; '
            "give a list of definitions",
        ),
    ],
)
def test_tools_that_are_none_say_what_to_write(tools: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        toolparse.parse_tool_calls("", tools)


def test_a_models_id_for_a_format_says_whom_to_ask() -> None:
    with pytest.raises(
        ValueError, match=r'^format: unknown name "Qwen/Qwen3-8B"; for a model\'s id ask format_for_model;'
    ):
        toolparse.ToolStream(None, format="Qwen/Qwen3-8B")
