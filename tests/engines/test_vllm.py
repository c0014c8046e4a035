"""vLLM's own serving-side parser over ours: whole and streamed, for every cut of each reply."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import toolparse
from _replies import REPLIES, TOOLS, cuts
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser.parser_manager import ParserManager
from vllm.plugins import load_general_plugins
from vllm.reasoning import ReasoningParserManager
from vllm.tool_parsers import ToolParserManager

pytestmark = pytest.mark.engines


class Tokenizer:
    """Each character is a token; so are the two marks of reasoning. vLLM's parsers ask for no more."""

    marks = ("<think>", "</think>")

    def get_vocab(self) -> dict[str, int]:
        return {mark: at for at, mark in enumerate(self.marks)}

    def encode(self, text: str) -> list[int]:
        ids = []
        while text:
            mark = next((at for at, mark in enumerate(self.marks) if text.startswith(mark)), None)
            ids.append(ord(text[0]) + 10 if mark is None else mark)
            text = text[1 if mark is None else len(self.marks[mark]) :]
        return ids

    def decode(self, ids: list[int]) -> str:
        return "".join(self.marks[id] if id < 10 else chr(id - 10) for id in ids)


TOKENIZER = Tokenizer()


@cache
def parser_class(tools: str | None = "toolparse", reasoning: str | None = "toolparse") -> Any:
    load_general_plugins()
    return ParserManager.get_parser(tools, reasoning, enable_auto_tools=tools is not None)


def request(**more: Any) -> ChatCompletionRequest:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": TOOLS, "tool_choice": "auto"}
    return ChatCompletionRequest.model_validate(body | more)


def whole(cls: Any, text: str, prompt: str = "", **more: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    """``(reasoning, content, calls)``."""
    asked = request(**more)
    parser = cls(TOKENIZER, asked.tools)
    parser.set_prompt_token_ids(TOKENIZER.encode(prompt))
    reasoning, content, calls = parser.parse(text, asked, enable_auto_tools=True)
    return reasoning or "", content or "", [(call.name, json.loads(call.arguments)) for call in calls or []]


def streamed(cls: Any, pieces: list[str], prompt: str = "", **more: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    asked = request(**more)
    parser = cls(TOKENIZER, asked.tools)
    reasoning = content = ""
    calls: dict[int, list[str]] = {}
    for at, piece in enumerate(pieces):
        ids = TOKENIZER.encode(piece)
        delta = parser.parse_delta(piece, ids, asked, TOKENIZER.encode(prompt), finished=at == len(pieces) - 1)
        if delta is None:
            continue
        reasoning += delta.reasoning or ""
        content += delta.content or ""
        for call in delta.tool_calls:
            if call.id:
                assert call.index == len(calls)
                calls[call.index] = [call.function.name, ""]
            calls[call.index][1] += call.function.arguments or ""
    return reasoning, content, [(name, json.loads(arguments)) for name, arguments in calls.values()]


def ours(text: str, prompt: str = "") -> tuple[str, str, list[tuple[str, Any]]]:
    result = toolparse.parse_tool_calls(text, TOOLS, prompt=prompt, max_bytes=None)
    return result.reasoning or "", result.text, [(call.name, call.arguments) for call in result.calls]


def test_both_parsers_are_registered_by_the_entry_point() -> None:
    load_general_plugins()
    assert "toolparse" in ToolParserManager.list_registered()
    assert "toolparse" in ReasoningParserManager.list_registered()
    assert parser_class().tool_parser_cls.__name__ == "ToolParser"


@pytest.mark.parametrize("name", REPLIES)
def test_whole_equals_our_result(name: str) -> None:
    reasoning, content, calls = ours(REPLIES[name])
    got = whole(parser_class(), REPLIES[name])
    # vLLM itself leaves out content that is only white space when there are calls.
    assert got == (reasoning, "" if calls and not content.strip() else content, calls)


@pytest.mark.parametrize("name", REPLIES)
def test_every_cut_equals_our_result(name: str) -> None:
    want = ours(REPLIES[name])
    for pieces in cuts(REPLIES[name]):
        assert streamed(parser_class(), pieces) == want, pieces


@pytest.mark.parametrize("name", ["hermes_thinking", "qwen3_coder", "thinking_only", "call_in_open_thinking"])
def test_thinking_that_the_prompt_opened(name: str) -> None:
    text, prompt = REPLIES[name].removeprefix("<think>"), "<|im_start|>assistant\n<think>"
    want = ours(text, prompt)
    assert whole(parser_class(), text, prompt)[0] == want[0]
    for pieces in cuts(text):
        assert streamed(parser_class(), pieces, prompt) == want, pieces


def test_thinking_that_the_prompt_closed() -> None:
    prompt = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    want = ours(REPLIES["hermes"], prompt)
    for pieces in cuts(REPLIES["hermes"]):
        assert streamed(parser_class(), pieces, prompt) == want


@pytest.mark.parametrize("name", REPLIES)
def test_the_tool_parser_alone_keeps_thinking_in_the_content(name: str) -> None:
    cls = parser_class(reasoning=None)
    reasoning, content, calls = streamed(cls, [REPLIES[name]])
    assert reasoning == ""
    assert content.count("<think>") == content.count("</think>")
    for pieces in cuts(REPLIES[name]):
        assert streamed(cls, pieces) == ("", content, calls), pieces
    assert whole(cls, REPLIES[name]) == ("", "" if calls and not content.strip() else content, calls)


@pytest.mark.parametrize("name", REPLIES)
def test_the_reasoning_parser_alone_leaves_the_rest_as_it_is(name: str) -> None:
    cls = parser_class(tools=None)
    reasoning, content, _ = whole(cls, REPLIES[name])
    assert REPLIES[name].endswith(content)
    for pieces in cuts(REPLIES[name]):
        assert streamed(cls, pieces) == (reasoning, content, []), pieces


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "search"}}])
def test_forced_calls_are_a_json_list_and_are_read(choice: Any) -> None:
    text = '[{"name": "search", "parameters": {"query": "caps"}}]'
    asked = request(tool_choice=choice)
    parser = parser_class()(TOKENIZER, asked.tools)
    assert parser.adjust_request(asked) is asked
    assert asked.skip_special_tokens is False
    assert asked.structured_outputs.json["type"] == "array"
    want = ("", "", [("search", {"query": "caps"})])
    assert whole(parser_class(), text, tool_choice=choice) == want
    for pieces in cuts(text):
        assert streamed(parser_class(), pieces, tool_choice=choice) == want


def test_tool_choice_none_shows_no_markup() -> None:
    for pieces in cuts(REPLIES["hermes"]):
        assert streamed(parser_class(), pieces, tool_choice="none")[2] == []
    assert whole(parser_class(), REPLIES["hermes"], tool_choice="none")[2] == []


def test_ids_tell_where_reasoning_ends() -> None:
    parser = parser_class().reasoning_parser_cls(TOKENIZER)
    assert parser.is_reasoning_end(TOKENIZER.encode("<think>a</think>")) is True
    assert parser.is_reasoning_end(TOKENIZER.encode("<think>a")) is False
    assert parser.is_reasoning_end(TOKENIZER.encode("a")) is False
    assert parser.extract_content_ids(TOKENIZER.encode("a</think>bc")) == TOKENIZER.encode("bc")
    assert parser.count_reasoning_tokens(TOKENIZER.encode("<think>abc</think>de")) == 3
