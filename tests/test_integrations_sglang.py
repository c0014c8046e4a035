"""The contract with SGLang, with small stand-ins for its base classes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from _hosts import ARGUMENTS, CALL, REPLY, SEARCH, Bag, cuts


class Detector:
    pass


class ReasoningDetector:
    def __init__(self, start: str, end: str, **options: Any) -> None:
        self.think_start_token, self.think_end_token = start, end


@pytest.fixture
def sglang(host: Callable[..., Any]) -> Any:
    return host(
        "sglang",
        sglang__srt__function_call__function_call_parser={"FunctionCallParser": Bag(ToolCallParserEnum={})},
        sglang__srt__function_call__base_format_detector={"BaseFormatDetector": Detector},
        sglang__srt__function_call__core_types={"ToolCallItem": Bag, "StreamingParseResult": Bag},
        sglang__srt__parser__reasoning_parser={
            "ReasoningParser": Bag(DetectorMap={}),
            "BaseReasoningFormatDetector": ReasoningDetector,
            "StreamingParseResult": Bag,
        },
    )


def sglang_classes() -> tuple[Any, Any]:
    tools = sys.modules["sglang.srt.function_call.function_call_parser"].FunctionCallParser.ToolCallParserEnum
    reasoning = sys.modules["sglang.srt.parser.reasoning_parser"].ReasoningParser.DetectorMap
    return tools.get("toolparse"), reasoning.get("toolparse")


def test_sglang_registers_only_when_asked_for(sglang: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLPARSE_SGLANG", raising=False)
    monkeypatch.setattr(sys, "argv", ["launch_server", "--tool-call-parser", "qwen"])
    sglang.register()
    assert sglang_classes() == (None, None)
    monkeypatch.setattr(sys, "argv", ["launch_server", "--tool-call-parser=toolparse"])
    sglang.register()
    assert [cls.__name__ for cls in sglang_classes()] == ["ToolparseDetector", "ToolparseReasoningDetector"]


def test_sglang_registers_for_the_environment(sglang: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPARSE_SGLANG", "1")
    sglang.register()
    assert sglang_classes()[0].__name__ == "ToolparseDetector"


def test_sglang_whole(sglang: Any) -> None:
    sglang.install()
    detector, reasoning = sglang_classes()
    split = reasoning().detect_and_parse(REPLY)
    assert (split.reasoning_text, split.normal_text) == ("Hm.", "Looking." + CALL)
    read = detector().detect_and_parse(split.normal_text, [SEARCH])
    assert read == Bag(normal_text="Looking.", calls=[Bag(tool_index=0, name="search", parameters=ARGUMENTS)])
    assert [detector().has_tool_call(text) for text in (CALL, "Hello.", "[THINK]a")] == [True, False, True]
    assert detector().supports_structural_tag() is False


def test_sglang_stream_gives_the_name_first_for_every_cut(sglang: Any) -> None:
    sglang.install()
    detector_class, reasoning_class = sglang_classes()
    for pieces in cuts(REPLY):
        detector, reasoning = detector_class(), reasoning_class()
        split = [*map(reasoning.parse_streaming_increment, pieces), reasoning.finish()]
        read = [detector.parse_streaming_increment(part.normal_text, [SEARCH]) for part in split]
        read.append(detector.finish([SEARCH]))
        items = [item for part in read for item in part.calls]
        assert "".join(part.reasoning_text for part in split) == "Hm."
        assert "".join(part.normal_text for part in read) == "Looking."
        assert items[0] == Bag(tool_index=0, name="search", parameters="")
        assert {item.name for item in items[1:]} == {None}
        assert "".join(item.parameters for item in items) == ARGUMENTS


def test_sglang_reasoning_options(sglang: Any) -> None:
    sglang.install()
    reasoning = sglang_classes()[1]
    assert reasoning(force_reasoning=True).detect_and_parse("a</think>b") == Bag(reasoning_text="a", normal_text="b")
    held = reasoning(stream_reasoning=False)
    got = [held.parse_streaming_increment(piece) for piece in ("<think>a", "b</think>c")]
    assert got == [Bag(reasoning_text="", normal_text=""), Bag(reasoning_text="ab", normal_text="c")]
    promoted = reasoning(force_nonempty_content=True).detect_and_parse("<think>a</think>")
    assert promoted == Bag(reasoning_text="", normal_text="a")
    kept = reasoning(force_nonempty_content=True).detect_and_parse("<think>a</think>b")
    assert kept == Bag(reasoning_text="a", normal_text="b")
