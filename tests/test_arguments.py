"""What the public functions take and refuse. What they refuse they name, with what is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import toolparse
from test_api import CALL, CART, calls
from toolparse import Tools, parse_tool_calls

XML = "<tool_call><function=add><parameter=qty>2</parameter><parameter=note>2</parameter></function></tool_call>"


# Tools


SHAPES: dict[str, Any] = {
    "openai": [{"type": "function", "function": {"name": "add", "parameters": CART}}],
    "anthropic": [{"name": "add", "description": "Adds.", "input_schema": CART}],
    "mcp": [{"name": "add", "inputSchema": CART}],
    "bare function": [{"name": "add", "parameters": CART}],
    "tuple": ({"name": "add", "input_schema": CART},),
    "mapping": {"add": CART},
    "mixed": ["other", {"name": "add", "input_schema": CART}],
}
NAMES: dict[str, Any] = {
    "list": ["add"],
    "tuple": ("add",),
    "set": {"add"},
    "frozenset": frozenset({"add"}),
    "keys": {"add": 1}.keys(),
    "no schema": {"add": None},
    "no parameters": [{"type": "function", "function": {"name": "add"}}],
}


@pytest.mark.parametrize("tools", [*SHAPES.values(), *NAMES.values()], ids=[*SHAPES, *NAMES])
def test_every_shape_of_tools(tools: Any) -> None:
    assert calls(parse_tool_calls(CALL, tools)) == [("add", {"qty": 2})]
    assert calls(parse_tool_calls(CALL, Tools(tools))) == [("add", {"qty": 2})]
    assert "add" in Tools(tools)
    assert "ad" not in Tools(tools)


@pytest.mark.parametrize("tools", SHAPES.values(), ids=SHAPES)
def test_a_schema_types_raw_values(tools: Any) -> None:
    (call,) = parse_tool_calls(XML, tools).calls
    assert call.arguments == {"qty": 2, "note": "2"}
    assert call.repairs == ()


def test_no_tool_list_takes_every_marked_name() -> None:
    result = parse_tool_calls(CALL.replace("add", "any.name") + XML, None)
    assert calls(result) == [("any.name", {"qty": 2}), ("add", {"qty": "2", "note": "2"})]
    assert [r.kind for r in result.calls[0].repairs] == []
    assert {r.kind for r in result.calls[1].repairs} == {"untyped"}
    assert result.errors == []


def test_no_tools_is_not_no_tool_list() -> None:
    assert parse_tool_calls(CALL, []).errors == ['Unknown tool "add". Available now: none']


def test_compiled_tools() -> None:
    assert Tools(["b", "a"]).names == ("b", "a")
    assert Tools({"b", "a"}).names == ("a", "b")
    assert Tools(None).names is None
    assert Tools(Tools(["x"])).names == ("x",)
    assert len(Tools(["b", "a"])) == 2


@pytest.mark.parametrize(
    ("tools", "error"),
    [
        (5, TypeError),
        (3.5, TypeError),
        (object(), TypeError),
        ("add", TypeError),
        (b"add", TypeError),
        ([1], (TypeError, ValueError)),
        ([None], (TypeError, ValueError)),
        ([{"type": "function"}], ValueError),
        ([{"name": ""}], ValueError),
        ([{"name": "f", "parameters": 7}], (TypeError, ValueError)),
        ({"f": 3}, (TypeError, ValueError)),
    ],
)
def test_malformed_tools_are_named(tools: Any, error: Any) -> None:
    for take in (lambda: Tools(tools), lambda: parse_tool_calls("", tools), lambda: toolparse.ToolStream(tools)):
        with pytest.raises(error, match="tools"):
            take()


def test_a_malformed_definition_says_where_and_what_is_right() -> None:
    with pytest.raises(ValueError, match=r"tools\[1\].*input_schema"):
        Tools(["ok", {"title": "no name"}])


# Misuse


def doors(**options: Any) -> dict[str, Callable[[], Any]]:
    return {
        "parse_tool_calls": lambda: parse_tool_calls("", ["f"], **options),
        "ToolStream": lambda: toolparse.ToolStream(["f"], **options),
        "parse_batch": lambda: toolparse.parse_batch([""], ["f"], **options),
    }


@pytest.mark.parametrize("door", doors())
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("format", "hermès", "format.*auto"),
        ("format", 5, "format"),
        ("format", [], "format"),
        ("format", ["auto", "nope"], "format.*nope"),
        ("cut", "maybe", "cut.*keep.*drop"),
        ("cut", None, "cut"),
        ("cut", True, "cut"),
        ("ids", "uuid", "ids.*random.*index"),
        ("ids", 7, "ids"),
        ("prompt", 7, "prompt"),
        ("max_bytes", "many", "max_bytes"),
        ("max_bytes", -1, "max_bytes"),
        ("max_bytes", 1.5, "max_bytes"),
    ],
)
def test_a_wrong_option_is_named(door: str, option: str, value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        doors(**{option: value})[door]()


@pytest.mark.parametrize("option", ["formats", "stream", "max_depth_", "tool_names"])
@pytest.mark.parametrize("door", doors())
def test_an_unknown_option_is_a_type_error(door: str, option: str) -> None:
    with pytest.raises(TypeError, match=option):
        doors(**{option: 1})[door]()


@pytest.mark.parametrize("raw", [5, None, 1.5, ["x"], object()])
def test_something_else_than_text(raw: Any) -> None:
    with pytest.raises(TypeError, match="raw"):
        parse_tool_calls(raw, ["f"])
    with pytest.raises(TypeError, match="delta"):
        toolparse.ToolStream(["f"]).push(raw)
    with pytest.raises(TypeError, match="delta"):
        toolparse.ProseFilter().push(raw)
    with pytest.raises(TypeError, match="text"):
        toolparse.HeuristicToolParser().feed(raw)


def test_options_are_named_not_placed() -> None:
    with pytest.raises(TypeError):
        parse_tool_calls("", ["f"], "auto")
    with pytest.raises(TypeError):
        toolparse.ProseFilter("auto")


def test_a_finish_reason_is_text_or_none() -> None:
    for reason in (None, "stop", "length", "tool_calls", "end_turn", "max_tokens", "content_filter", "anything"):
        assert calls(parse_tool_calls(CALL, ["add"], finish_reason=reason)) == [("add", {"qty": 2})]
    with pytest.raises(TypeError, match="finish_reason"):
        parse_tool_calls(CALL, ["add"], finish_reason=5)
    with pytest.raises(TypeError, match="finish_reason"):
        toolparse.ToolStream(["add"]).finish(5)


def test_threads_is_a_count() -> None:
    for threads in (0, -1, "two"):
        with pytest.raises((TypeError, ValueError), match="threads"):
            toolparse.parse_batch([CALL], ["add"], threads=threads)
