"""HeuristicToolParser: the ● form, in and out as the second document shows it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from _reading import squeeze, two_pieces, whole
from toolparse import HeuristicToolParser, ToolUse

GREP = "● <function=Grep><parameter=pattern>TODO</parameter><parameter=path>/src</parameter>"


def read(pieces: list[Any] | tuple[Any, ...]) -> tuple[str, list[ToolUse]]:
    """All text and all calls."""
    parser = HeuristicToolParser()
    text, found = "", []
    for piece in pieces:
        more, calls = parser.feed(piece)
        text += more
        found += calls
    found += parser.flush()
    return text + parser.pending_text, found


def seen(pieces: list[Any] | tuple[Any, ...]) -> tuple[str, list[tuple[str, dict[str, Any], bool]]]:
    text, calls = read(pieces)
    return text, [(call["name"], call["input"], call.complete) for call in calls]


def test_a_call_as_a_block() -> None:
    parser = HeuristicToolParser()
    text, tools = parser.feed("Analyzing codebase. " + GREP)
    tools += parser.flush()
    assert text == "Analyzing codebase. "
    (tool,) = tools
    assert dict(tool) == {
        "type": "tool_use",
        "id": tool["id"],
        "name": "Grep",
        "input": {"pattern": "TODO", "path": "/src"},
    }
    assert list(tool) == ["type", "id", "name", "input"]
    assert re.fullmatch("toolu_heuristic_[0-9a-f]{8}", tool["id"])
    # Nothing but the end of the reply ended it: nobody knows whether more parameters would have come.
    assert (tool.complete, [repair.kind for repair in tool.repairs]) == (True, ["provisional_end"])


RAWS = {
    "one": ("A " + GREP, "A", [("Grep", {"pattern": "TODO", "path": "/src"}, True)]),
    "a bullet ends it": (
        GREP + "● <function=B><parameter=y>2</parameter>",
        "",
        [("Grep", {"pattern": "TODO", "path": "/src"}, True), ("B", {"y": "2"}, True)],
    ),
    "text ends it": (GREP + "\nDone.", "Done.", [("Grep", {"pattern": "TODO", "path": "/src"}, True)]),
    "its own closer": ("● <function=A><parameter=x>1</parameter></function>\nx", "x", [("A", {"x": "1"}, True)]),
    "no parameters": ("● <function=A></function>", "", [("A", {}, True)]),
    "markup in a value": (
        "● <function=W><parameter=t>a ● b < c <function=x> <tool_call></parameter>",
        "",
        [("W", {"t": "a ● b < c <function=x> <tool_call>"}, True)],
    ),
    "a token in a value": (
        "● <function=W><parameter=t>see <|im_end|> here</parameter>",
        "",
        [("W", {"t": "see <|im_end|> here"}, True)],
    ),
    "one line feed is layout": (
        "● <function=W>\n<parameter=t>\n  a\n\n b \n</parameter>\n",
        "",
        [("W", {"t": "  a\n\n b "}, True)],
    ),
    "values are text": (
        "● <function=W><parameter=a>1</parameter><parameter=b>true</parameter><parameter=c>{}</parameter>",
        "",
        [("W", {"a": "1", "b": "true", "c": "{}"}, True)],
    ),
    "no evaluation": (
        '● <function=W><parameter=a>__import__("os").getcwd()</parameter>',
        "",
        [("W", {"a": '__import__("os").getcwd()'}, True)],
    ),
    "no call": ("Steps:\n● unpack\n● plug in <b>", "Steps: ● unpack ● plug in <b>", []),
    "a bullet at the end": ("Points: ● one ●", "Points: ● one ●", []),
    "half a token at the end": ("a <|b c d", "a <|b c d", []),
    "tokens leave the prose": ("Hello <|tool_call_end|> world<|im_end|>", "Hello world", []),
    "not ASCII": ("é ● <function=F><parameter=o>東京 🌸</parameter>", "é", [("F", {"o": "東京 🌸"}, True)]),
}


@pytest.mark.parametrize("name", RAWS)
def test_what_comes_out(name: str) -> None:
    raw, text, calls = RAWS[name]
    got = seen([raw])
    assert (squeeze(got[0]), got[1]) == (text, calls)


@pytest.mark.parametrize("name", RAWS)
def test_every_cut_gives_the_same(name: str) -> None:
    raw = RAWS[name][0]
    want = seen([raw])
    assert seen(list(raw)) == want
    for pair in two_pieces(raw):
        assert seen(pair) == want, pair
    data = raw.encode()
    assert seen([data[at : at + 1] for at in range(len(data))]) == want


@pytest.mark.parametrize(
    "raw",
    [
        "Steps:\n● unpack\n● plug in",
        "Points: ● one",
        "a <|b c d",
        "● <function",
        "x ●",
        "<function=f> is a tag",
        " \n ",
    ],
)
def test_prose_comes_back_byte_for_byte(raw: str) -> None:
    assert read([raw]) == (raw, [])
    assert read(list(raw)) == (raw, [])


def test_a_token_that_is_split_leaves_the_prose() -> None:
    parser = HeuristicToolParser()
    texts = [parser.feed(piece)[0] for piece in ("Hello <|tool_call_", "end|> world")]
    assert parser.flush() == []
    assert "".join(texts) + parser.pending_text == "Hello  world"


@pytest.mark.parametrize(
    ("raw", "input"),
    [
        ("● <function=Bash><parameter=command>ls -la", {"command": "ls -la"}),
        ("● <function=Bash><parameter=command>ls</parameter><parameter=cwd>/tm", {"command": "ls", "cwd": "/tm"}),
    ],
)
def test_a_cut_call_is_not_lost_and_says_so(raw: str, input: dict[str, str]) -> None:
    parser = HeuristicToolParser()
    assert parser.feed(raw) == ("", [])
    (tool,) = parser.flush()
    assert (tool["name"], tool["input"]) == ("Bash", input)
    assert tool.complete is False
    assert tool.repairs
    assert not all(repair.safe for repair in tool.repairs)
    assert (parser.flush(), parser.pending_text) == ([], "")


def test_text_that_flush_finds_is_kept() -> None:
    parser = HeuristicToolParser()
    text, tools = parser.feed("Points: ● one <|")
    assert tools == []
    assert parser.flush() == []
    assert text + parser.pending_text == "Points: ● one <|"


def test_a_call_is_given_as_soon_as_it_is_over() -> None:
    parser = HeuristicToolParser()
    parser.feed(GREP)
    text, tools = parser.feed("\nThen text.")
    assert [tool["name"] for tool in tools] == ["Grep"]
    assert "Then text." in text


def test_ids_differ() -> None:
    _, tools = read([GREP * 50])
    assert len({tool["id"] for tool in tools}) == 50
    _, again = read([GREP * 50])
    assert not {tool["id"] for tool in tools} & {tool["id"] for tool in again}


def test_every_name_is_taken() -> None:
    assert [call["name"] for call in read(["● <function=any-thing.1><parameter=a>1</parameter>"])[1]] == ["any-thing.1"]


def test_the_same_form_is_read_by_the_other_doors() -> None:
    for format in ("auto", "bullet"):
        result = whole("Go " + GREP, ["Grep"], format=format)
        assert [(c.name, c.arguments) for c in result.calls] == [("Grep", {"pattern": "TODO", "path": "/src"})]
        assert squeeze(result.text) == "Go"
