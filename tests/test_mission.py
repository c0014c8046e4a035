"""The two documents that the package answers: each example and each sentence that can be tried."""

from __future__ import annotations

import json
from typing import Any

import pytest
from _reading import squeeze, streamed, ways, whole
from toolparse import HeuristicToolParser, ParseResult, ProseFilter, parse_tool_calls

SHOP = ["open_product", "search_products", "add_to_cart", "open_cart"]
ADD = '{"name": "add_to_cart", "arguments": {"qty": 2}}'


def calls(result: ParseResult) -> list[dict[str, Any]]:
    return [call.to_dict() for call in result.calls]


def named(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


# Reading tool calls from a small model's text


def test_the_example() -> None:
    raw = 'Opening it.<tool_call>{"name": "open_product", "arguments": {"slug": "trail-cap"}}'
    result = parse_tool_calls(raw, {"open_product", "search_products"})
    assert result.text == "Opening it."
    assert calls(result) == [named("open_product", slug="trail-cap")]
    assert result.errors == []
    assert [repair.kind for repair in result.calls[0].repairs] == ["missing_closer"]
    assert result.calls[0].complete


def test_the_streaming_example() -> None:
    prose = ProseFilter()
    assert prose.push("Sure <tool_") == "Sure "
    assert prose.push('call>{"name":"open_cart"}</tool_call> done') == " done"
    assert prose.flush() == ""


ACCEPTED = {
    "lfm2 pythonic": ("<|tool_call_start|>[add_to_cart(qty=2)]<|tool_call_end|>", "tagged"),
    "lfm2 list": (f"<|tool_call_start|>[{ADD}]<|tool_call_end|>", "tagged"),
    "lfm2 object": (f"<|tool_call_start|>{ADD}<|tool_call_end|>", "tagged"),
    "tags": (f"<tool_call>{ADD}</tool_call>", "tagged"),
    "tags on lines": (f"<tool_call>\n{ADD}\n</tool_call>", "tagged"),
    "fence": (f"```json\n{ADD}\n```", "fenced"),
    "whole": (ADD, "bare"),
    "whole with its type": ('{"type": "tool_call", ' + ADD[1:], "bare"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_shapes_it_accepts(name: str) -> None:
    raw, shape = ACCEPTED[name]
    result = parse_tool_calls(raw, SHOP)
    assert calls(result) == [named("add_to_cart", qty=2)]
    assert [(call.shape, call.repairs, call.complete) for call in result.calls] == [(shape, (), True)]
    assert (result.text.strip(), result.errors) == ("", [])


@pytest.mark.parametrize("name", [name for name in ACCEPTED if not name.startswith("whole")])
def test_prose_around_the_shapes(name: str) -> None:
    result = parse_tool_calls(f"Adding it.\n{ACCEPTED[name][0]}\n", SHOP)
    assert calls(result) == [named("add_to_cart", qty=2)]
    assert result.text.strip() == "Adding it."


def test_python_values() -> None:
    written = "add_to_cart(qty=2, gift=True, note='it\\'s \"ok\"', tags=['a', None]), open_cart()"
    raw = f"<|tool_call_start|>[{written}]<|tool_call_end|>"
    assert calls(parse_tool_calls(raw, SHOP)) == [
        named("add_to_cart", qty=2, gift=True, note='it\'s "ok"', tags=["a", None]),
        named("open_cart"),
    ]


def test_a_reply_that_is_a_message() -> None:
    result = parse_tool_calls('{"type": "message", "text": "Hello\\nthere"}', SHOP)
    assert (result.text, result.calls, result.errors) == ("Hello\nthere", [], [])


def test_the_order_of_shapes() -> None:
    fence = f"\n```json\n{ADD}\n```"
    for marked in ("<|tool_call_start|>[open_cart()]<|tool_call_end|>", '<tool_call>{"name": "open_cart"}</tool_call>'):
        result = parse_tool_calls(marked + fence, SHOP)
        assert calls(result) == [named("open_cart")]
        assert "```json" in result.text
    result = parse_tool_calls("Sure: " + ADD, SHOP)
    assert (result.text, result.calls) == ("Sure: " + ADD, [])


def test_thinking_is_no_text() -> None:
    result = parse_tool_calls("<think>Look first.</think>Looking.<tool_call>" + ADD + "</tool_call>", SHOP)
    assert (result.text, result.reasoning) == ("Looking.", "Look first.")
    assert calls(result) == [named("add_to_cart", qty=2)]


def test_an_unclosed_tag_runs_to_the_next_call_or_the_end() -> None:
    result = parse_tool_calls(f'<tool_call>{{"name": "open_cart", "arguments": {{}}}}\n<tool_call>{ADD}', SHOP)
    assert calls(result) == [named("open_cart"), named("add_to_cart", qty=2)]
    assert [[r.kind for r in call.repairs] for call in result.calls] == [["missing_closer"], ["missing_closer"]]


def test_an_object_cut_short_is_closed() -> None:
    raw = '<tool_call>{"name": "add_to_cart", "arguments": {"qty": 2, "note": "for M'
    result = parse_tool_calls(raw, SHOP)
    assert calls(result) == [named("add_to_cart", qty=2, note="for M")]
    assert (result.calls[0].complete, result.calls[0].safe) == (False, False)
    dropped = parse_tool_calls(raw, SHOP, cut="drop")
    assert (dropped.calls, [error.kind for error in dropped.errors]) == ([], ["cut"])


def test_one_lenient_pass() -> None:
    raw = "<tool_call>{'name': 'add_to_cart', 'arguments': {'qty': 2, 'tags': ['a', 'b',],}}</tool_call>"
    (call,) = parse_tool_calls(raw, SHOP).calls
    assert call.to_dict() == named("add_to_cart", qty=2, tags=["a", "b"])
    assert ({r.kind for r in call.repairs}, call.safe) == ({"single_quotes", "trailing_comma"}, True)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"name": "add_to_cart", "parameters": {"qty": 2}}', "alternate_key"),
        ('{"name": "add_to_cart", "arguments": "{\\"qty\\": 2}"}', "string_arguments"),
    ],
)
def test_arguments_written_otherwise(body: str, kind: str) -> None:
    (call,) = parse_tool_calls(f"<tool_call>{body}</tool_call>", SHOP).calls
    assert call.to_dict() == named("add_to_cart", qty=2)
    assert [r.kind for r in call.repairs] == [kind]


def test_the_errors_it_reports() -> None:
    def errors(body: str) -> list[str]:
        result = parse_tool_calls(f"<tool_call>{body}</tool_call>", ["open_cart", "add_to_cart"])
        assert result.calls == []
        return [str(error) for error in result.errors]

    unknown = 'Unknown tool "buy_it". Available now: open_cart, add_to_cart'
    assert errors('{"name": "buy_it", "arguments": {}}') == [unknown]
    assert errors('{"name": "open_cart", "arguments": [1]}') == ['Arguments for "open_cart" must be a JSON object.']
    (unreadable,) = errors("not json at all")
    assert unreadable.startswith("Couldn't read a tool call: ")


def test_what_it_cannot_read_stays_prose() -> None:
    raw = "See <tool_call>not json at all</tool_call>."
    assert parse_tool_calls(raw, SHOP).text == raw


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "<",
        "<tool_call>",
        "<tool_call>{",
        '{"',
        "```json",
        "<think>",
        "\ud800<tool_call>\udfff",
        "\0",
        "[" * 500,
        "<|tool_call_start|>[f(",
        "●",
        "● <function=",
        "a" * 99 + "é",
        json.dumps({"type": "tool_call"}),
        json.dumps({"type": "message"}),
        json.dumps({"type": "message", "text": 5}),
    ],
)
def test_it_never_throws(raw: str) -> None:
    for names in (SHOP, set(), ["é"], None):
        assert isinstance(parse_tool_calls(raw, names), ParseResult)
        streamed(list(raw), names)


# The ● form


def test_the_example_of_the_second_document() -> None:
    parser = HeuristicToolParser()
    text, tools = parser.feed(
        "Analyzing codebase. ● <function=Grep><parameter=pattern>TODO</parameter><parameter=path>/src</parameter>"
    )
    tools += parser.flush()
    assert text == "Analyzing codebase. "
    assert [(t["type"], t["name"], t["input"]) for t in tools] == [
        ("tool_use", "Grep", {"pattern": "TODO", "path": "/src"})
    ]


def test_the_pipeline_of_the_second_document() -> None:
    """Text deltas and blocks in the order of the reply, whatever the chunks."""
    raw = "Look. ● <function=A><parameter=x>1</parameter>\nThen. ● <function=B><parameter=y>2</parameter>"
    for size in (1, 5, len(raw)):
        parser, order = HeuristicToolParser(), []
        for at in range(0, len(raw), size):
            text, tools = parser.feed(raw[at : at + size])
            order += [text] + [tool["name"] for tool in tools]
        order += [tool["name"] for tool in parser.flush()]
        assert [tool for tool in order if tool in ("A", "B")] == ["A", "B"]
        assert squeeze("".join(piece for piece in order if piece not in ("A", "B"))) == "Look. Then."


@pytest.mark.parametrize("raw", [raw for raw, _ in ACCEPTED.values()])
def test_whole_and_streamed_agree(raw: str) -> None:
    want = whole(raw, SHOP)
    for way, pieces in ways(raw).items():
        assert streamed(pieces, SHOP) == want, way
