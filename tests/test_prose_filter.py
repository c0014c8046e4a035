"""ProseFilter: what a person may see, as soon as it may be seen, and nothing lost."""

from __future__ import annotations

from typing import Any

import pytest
from _fixtures import CASES, Case
from _reading import random_pieces, squeeze, whole
from toolparse import ProseFilter


def shown(pieces: list[Any], **options: Any) -> str:
    prose = ProseFilter(**options)
    return "".join([*map(prose.push, pieces), prose.flush()])


HIDDEN = [
    '<tool_call>{"name":"f"}</tool_call>',
    "<|tool_call_start|>[f()]<|tool_call_end|>",
    "<think>secret</think>",
    '<think>a <tool_call>{"name":"f","arguments":{}}</tool_call> b</think>',
    '<tool_call>{"name":"f","arguments":{"a":"</tool_call>"}}</tool_call>',
    "<tool_call><function=f><parameter=a>1</parameter></function></tool_call>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "[TOOL_CALLS]f[ARGS]{}",
]
KEPT = [
    "a < b and <b>bold</b>",
    "<this> and <thin> and <tool> and <tool_>",
    "use `<tool_call>` tags",
    "I will use <tool_call> tags for that.",
    "| a | b |",
    "[1] and [TOOL] and [TOOLS]",
    "● one\n● two",
    "```python\nprint({'name': 1})\n```",
    "  two  spaces \n\n and lines \n",
    "<|",
    "🙂 <｜ é",
    "\0\x1b[31m",
]


@pytest.mark.parametrize("markup", HIDDEN)
def test_markup_is_hidden(markup: str) -> None:
    raw = f"Before. {markup} After."
    for at in range(len(raw) + 1):
        assert shown([raw[:at], raw[at:]]) == "Before.  After."


@pytest.mark.parametrize("text", KEPT)
def test_prose_is_kept(text: str) -> None:
    assert shown([text]) == text
    assert shown(list(text)) == text
    assert shown([text.encode()[at : at + 1] for at in range(len(text.encode()))]) == text


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_cut_of_every_fixture_shows_the_same(case: Case) -> None:
    for options in case.readings():
        chosen = {key: options[key] for key in ("format", "prompt") if key in options}
        want = shown([case.raw], **chosen)
        assert shown(list(case.raw), **chosen) == want, case.place
        for seed in range(4):
            assert shown(random_pieces(case.raw, seed), **chosen) == want, case.place


@pytest.mark.parametrize("case", [c for c in CASES.values() if c.path.parent.name == "prose" and not c.options])
def test_what_is_prose_is_shown_as_it_is(case: Case) -> None:
    if case.expected.text == case.raw:
        assert shown([case.raw]) == case.raw


def test_what_may_be_markup_is_held_and_nothing_else() -> None:
    prose = ProseFilter()
    assert prose.push("Sure <tool_") == "Sure "
    assert prose.push('call>{"name":"open_cart"}</tool_call> done') == " done"
    assert prose.flush() == ""

    prose = ProseFilter()
    assert prose.push("a <b>") == "a <b>"
    assert prose.push("<thi") == ""
    assert prose.push("s>") == "<this>"
    assert prose.push("<thi") == ""
    assert prose.push("nk>hidden") == ""
    assert prose.push("</thi") == ""
    assert prose.push("nk>seen") == "seen"
    assert prose.push(" <") == " "
    assert prose.flush() == "<"


def test_white_space_is_not_held() -> None:
    prose = ProseFilter()
    assert [prose.push(c) for c in "x \n\t x \n"] == list("x \n\t x \n")
    assert prose.flush() == ""


def test_flush_gives_what_was_held_and_once() -> None:
    prose = ProseFilter()
    assert prose.push("see <|tool_call_st") == "see "
    assert prose.flush() == "<|tool_call_st"
    assert prose.flush() == ""


def test_a_character_cut_by_the_end_of_a_piece() -> None:
    prose = ProseFilter()
    data = "né".encode()
    assert [prose.push(data[:2]), prose.push(data[2:]), prose.flush()] == ["n", "é", ""]
    prose = ProseFilter()
    assert [prose.push(data[:2]), prose.flush()] == ["n", "\ufffd"]


def test_a_named_format_hides_only_its_own() -> None:
    raw = 'a<tool_call>{"name":"f","arguments":{}}</tool_call>b<|tool_call_start|>[f()]<|tool_call_end|>c'
    assert shown([raw]) == "abc"
    assert shown([raw], format="lfm2").startswith("a<tool_call>")
    assert shown([raw], format=["hermes", "lfm2"]) == "abc"


def test_a_prompt_may_have_opened_the_reasoning() -> None:
    assert shown(["secret</think>seen"], prompt="<think>\n") == "seen"
    assert shown(["secret</th", "ink>seen"], prompt="<|im_start|>assistant\n<think>") == "seen"
    assert shown(["seen"], prompt="<think>\n</think>\n") == "seen"
    assert shown(["secret"], prompt="<think>") == ""


def test_a_cut_call_is_not_shown() -> None:
    assert shown(['Now.<tool_call>{"name": "f", "arguments": {"a": "so f']) == "Now."


def test_it_shows_the_text_of_a_reading() -> None:
    raw = '<think>x</think>One. <tool_call>{"name":"f","arguments":{}}</tool_call>\nTwo. <tool_call>nothing</tool_call>'
    assert squeeze(shown([raw])) == squeeze(whole(raw, ["f"]).text)


@pytest.mark.parametrize("options", [{"format": "nope"}, {"format": 5}, {"prompt": 5}])
def test_misuse_is_named(options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=next(iter(options))):
        ProseFilter(**options)


def test_a_push_behind_flush_begins_the_next_reply() -> None:
    shown = ProseFilter(prompt="<think>")
    for _ in range(2):
        assert shown.push("x</think>Hello <tool") == "Hello "
        assert shown.flush() == "<tool"
    assert shown.flush() == ""
