"""SGLang's own serving-side parsers over ours: whole and streamed, for every cut of each reply."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
import toolparse
from _replies import REPLIES, TOOLS, cuts
from sglang.srt.entrypoints.openai.protocol import Tool
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser
from sglang.srt.plugins import load_plugins

pytestmark = pytest.mark.engines

OFFERED = [Tool.model_validate(tool) for tool in TOOLS]


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    """As SGLang does before it reads its command line, which names us."""
    given, sys.argv = sys.argv, ["launch_server", "--tool-call-parser", "toolparse"]
    load_plugins()
    sys.argv = given


def whole(text: str, **options: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    """``(reasoning, content, calls)``, in the order of the calls that SGLang's server makes."""
    reasoning, rest = ReasoningParser("toolparse", **options).parse_non_stream(text)
    parser = FunctionCallParser(OFFERED, "toolparse")
    content, calls = parser.parse_non_stream(rest) if parser.has_tool_call(rest) else (rest, [])
    return reasoning, content, [(call.name, json.loads(call.parameters)) for call in calls]


def streamed(pieces: list[str], **options: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    splitter, parser = ReasoningParser("toolparse", **options), FunctionCallParser(OFFERED, "toolparse")
    reasoning = content = ""
    calls: dict[int, list[str]] = {}
    for at, piece in enumerate(pieces):
        last = at == len(pieces) - 1
        thought, rest = splitter.parse_stream_chunk(piece)
        if last:
            end_thought, end_rest = splitter.parse_stream_end()
            thought, rest = thought + end_thought, rest + end_rest
        text, items = parser.parse_stream_chunk(rest)
        if last:
            end_text, end_items = parser.parse_stream_end()
            text, items = text + end_text, items + end_items
        reasoning, content = reasoning + thought, content + text
        for item in items:
            if item.name:
                assert item.tool_index == len(calls)
                assert item.parameters == ""
                calls[item.tool_index] = [item.name, ""]
            calls[item.tool_index][1] += item.parameters
    return reasoning, content, [(name, json.loads(arguments)) for name, arguments in calls.values()]


def test_both_detectors_are_registered_by_the_entry_point() -> None:
    assert FunctionCallParser.ToolCallParserEnum["toolparse"].__name__ == "ToolparseDetector"
    assert ReasoningParser.DetectorMap["toolparse"].__name__ == "ToolparseReasoningDetector"


@pytest.mark.parametrize("name", REPLIES)
def test_calls_and_reasoning_equal_our_result(name: str) -> None:
    result = toolparse.parse_tool_calls(REPLIES[name], TOOLS, max_bytes=None)
    reasoning, content, calls = whole(REPLIES[name])
    assert calls == [(call.name, call.arguments) for call in result.calls]
    if content.startswith("<think>") or "<think>" not in content:
        assert reasoning == (result.reasoning or "")


@pytest.mark.parametrize("name", REPLIES)
def test_every_cut_equals_the_whole(name: str) -> None:
    want = whole(REPLIES[name])
    for pieces in cuts(REPLIES[name]):
        assert streamed(pieces) == want, pieces


@pytest.mark.parametrize("name", ["hermes_thinking", "qwen3_coder", "thinking_only", "call_in_open_thinking"])
def test_thinking_that_the_prompt_opened(name: str) -> None:
    text = REPLIES[name].removeprefix("<think>")
    want = whole(text, force_reasoning=True)
    assert want[2] == whole(REPLIES[name])[2]
    for pieces in cuts(text):
        assert streamed(pieces, force_reasoning=True) == want, pieces


def test_reasoning_that_is_not_streamed_comes_at_its_end() -> None:
    parser = ReasoningParser("toolparse", stream_reasoning=False)
    assert [parser.parse_stream_chunk(piece) for piece in ("<think>a", "b</thi", "nk>c")] == [
        ("", ""),
        ("", ""),
        ("ab", "c"),
    ]
    assert parser.parse_stream_end() == ("", "")
