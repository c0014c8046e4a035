"""toolparse as SGLang's tool call detector and reasoning detector.

Nothing but ``pip install toolparse`` beside SGLang is needed: the entry point ``sglang.srt.plugins`` calls
:func:`register`, and both are there as ``toolparse``::

    python -m sglang.launch_server --model MODEL --tool-call-parser toolparse --reasoning-parser toolparse

SGLang's parsers take seconds to import, so :func:`register` does nothing unless the command line names ``toolparse`` or
``TOOLPARSE_SGLANG`` is set in the environment; :func:`install` always does it, for who makes an ``Engine`` in Python.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from toolparse._core import parse_tool_calls
from toolparse.integrations import Delta, Reader, Splitter, compiled, find, format_wanted

TESTED = "0.5.23"
NAME = "toolparse"
_REASONING = "sglang.srt.parser.reasoning_parser"


def register() -> None:
    """The entry point: :func:`install` when toolparse is asked for."""
    if os.environ.get("TOOLPARSE_SGLANG") or any(NAME in argument for argument in sys.argv[1:]):
        install()


def install() -> None:
    """Puts both detectors into SGLang's tables."""
    tools = _type("FunctionCallParser", "sglang.srt.function_call.function_call_parser")
    tools.ToolCallParserEnum[NAME] = _detector()
    _type("ReasoningParser", _REASONING).DetectorMap[NAME] = _reasoning_detector()


class DetectorMixin:
    """What makes SGLang's ``BaseFormatDetector`` ours. One instance reads one reply.

    It has no place for reasoning: what the reasoning parser left comes out between ``<think>`` and ``</think>``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reader: Reader | None = None

    def has_tool_call(self, text: str) -> bool:
        result = parse_tool_calls(text, None, format=format_wanted(), max_bytes=None)
        return bool(result.calls or result.errors) or result.text != text

    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        delta = Reader(compiled(tools), inline=True).whole(text)
        return _result(delta.content, [(call.index, call.name, call.arguments) for call in delta.calls])

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        if self._reader is None:
            self._reader = Reader(compiled(tools), inline=True)
        return _pieces(self._reader.push(new_text))

    def finish(self, tools: list[Any]) -> Any:
        return _pieces(self._reader.finish() if self._reader is not None else Delta())

    def supports_structural_tag(self) -> bool:
        return False  # SGLang then forces a JSON list for a required call, and reads it itself

    def structure_info(self) -> Callable[[str], Any]:
        raise NotImplementedError("toolparse reads many formats and cannot say how a call must be written")


def _pieces(delta: Delta) -> Any:
    """A piece of a stream: a call's name comes first, with empty parameters, and then its parameters without a name."""
    calls: list[tuple[int, str | None, str]] = []
    for call in delta.calls:
        if call.name is not None:
            calls.append((call.index, call.name, ""))
        if call.arguments:
            calls.append((call.index, None, call.arguments))
    return _result(delta.content, calls)


def _result(text: str, calls: list[tuple[int, str | None, str]]) -> Any:
    items = [_type("ToolCallItem")(tool_index=index, name=name, parameters=json) for index, name, json in calls]
    return _type("StreamingParseResult")(normal_text=text, calls=items)


@cache
def _type(name: str, module: str = "sglang.srt.function_call.core_types") -> Any:
    return find("sglang", TESTED, name, module)


class ReasoningMixin:
    """What makes SGLang's ``BaseReasoningFormatDetector`` ours. One instance reads one reply."""

    def __init__(
        self,
        stream_reasoning: bool = True,
        force_reasoning: bool = False,
        continue_final_message: bool = False,
        previous_content: str = "",
        force_nonempty_content: bool = False,
    ) -> None:
        super().__init__(  # type: ignore[call-arg]
            "<think>", "</think>", force_reasoning=force_reasoning, stream_reasoning=stream_reasoning
        )
        prompt = "<think>" if force_reasoning else ""
        self._splitter = Splitter(prompt=prompt + (previous_content if continue_final_message else ""))
        self._held = force_nonempty_content or not stream_reasoning
        self._content_needed = force_nonempty_content
        self._reasoning: list[str] = []
        self._content = False

    def detect_and_parse(self, text: str) -> Any:
        first, last = self._splitter.push(text), self._splitter.finish()
        return self._result(first[0] + last[0], first[1] + last[1], ended=True)

    def parse_streaming_increment(self, new_text: str) -> Any:
        return self._result(*self._splitter.push(new_text))

    def finish(self) -> Any:
        return self._result(*self._splitter.finish(), ended=True)

    def _result(self, reasoning: str, rest: str, ended: bool = False) -> Any:
        """Reasoning may have to wait for its end, and, where content must not be empty, become the content."""
        self._content = self._content or bool(rest)
        if self._held:
            self._reasoning.append(reasoning)
            reasoning = "".join(self._reasoning) if ended or self._splitter.over else ""
            self._reasoning = [] if reasoning else self._reasoning
        if ended and self._content_needed and not self._content:
            reasoning, rest = "", reasoning
        return _type("StreamingParseResult", _REASONING)(normal_text=rest, reasoning_text=reasoning)


@cache
def _detector() -> type:
    base = _type("BaseFormatDetector", "sglang.srt.function_call.base_format_detector")
    return type("ToolparseDetector", (DetectorMixin, base), {"__module__": __name__})


@cache
def _reasoning_detector() -> type:
    base = _type("BaseReasoningFormatDetector", _REASONING)
    return type("ToolparseReasoningDetector", (ReasoningMixin, base), {"__module__": __name__})
