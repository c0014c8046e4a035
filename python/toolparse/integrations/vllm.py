"""toolparse as vLLM's tool parser and reasoning parser.

Nothing but ``pip install toolparse`` beside vLLM is needed: the entry point ``vllm.general_plugins`` calls
:func:`register`, and both parsers are there as ``toolparse``::

    vllm serve MODEL --enable-auto-tool-choice --tool-call-parser toolparse --reasoning-parser toolparse

With both, one machine reads the whole reply: the reasoning parser hands everything to the tool parser. Alone, or beside
another tool parser, the reasoning parser (``_vllm_reasoning``) passes on what follows the reasoning as it was written.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from toolparse.integrations import Delta, Reader, compiled, find, format_wanted

TESTED = "0.33"
NAME = "toolparse"

# vLLM makes the two parsers of a reply one right after the other, and tells neither of the other: the reasoning parser
# waits here for its tool parser.
made = threading.local()


def register() -> None:
    """The entry point: names both parsers; their classes are made when vLLM asks for them."""
    tools = find("vllm", TESTED, "ToolParserManager", "vllm.tool_parsers")
    tools.register_lazy_module(NAME, __name__, "ToolParser")
    reasoning = find("vllm", TESTED, "ReasoningParserManager", "vllm.reasoning")
    reasoning.register_lazy_module(NAME, __name__, "ReasoningParser")


class ToolMixin:
    """What makes vLLM's ``ToolParser`` ours. One instance reads one reply."""

    engine_based_streaming = True  # we are given the new text alone, and finish_streaming is called
    supports_required_and_named = False  # forced calls come to us too
    skip_reasoning_parsing = False  # vLLM sets it when no reasoning parser was asked for

    def __init__(self, tokenizer: Any, tools: Sequence[Any] | None = None) -> None:
        super().__init__(tokenizer, tools)  # type: ignore[call-arg]
        self._tools = compiled(getattr(self, "tools", tools))
        self._reader: Reader | None = None
        self._whole: Delta | None = None
        self.prompt = ""
        reasoning = made.__dict__.pop("reasoning", None)
        if reasoning is not None and reasoning.model_tokenizer is tokenizer:
            reasoning.tool_parser = self

    def adjust_request(self, request: Any) -> Any:
        base: Callable[[Any], Any] = super().adjust_request  # type: ignore[misc]
        if not request.tools or request.tool_choice in (None, "none"):
            return base(request)
        return show_markers(self._force(base, request) if is_forced(request) else base(request))

    def _force(self, base: Callable[[Any], Any], request: Any) -> Any:
        """Lets vLLM force a JSON list of calls; for a named tool, a list of calls of that one."""
        choice, tools = request.tool_choice, request.tools
        named = getattr(getattr(choice, "function", choice), "name", None)
        if named is not None:
            request.tools = [tool for tool in tools if getattr(tool, "function", tool).name == named]
        request.tool_choice = "required"
        self.supports_required_and_named = True
        try:
            return base(request)
        finally:
            request.tool_choice, request.tools = choice, tools
            del self.supports_required_and_named

    def read(self, text: str, request: Any) -> Delta:
        """A whole reply. It is kept for :meth:`extract_tool_calls`, which comes next."""
        self._whole = self._new_reader(request).whole(text)
        return self._whole

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        delta, self._whole = self._whole, None
        if delta is None:
            delta = self._new_reader(request).whole(model_output)
        calls = [
            protocol("ToolCall")(id=c.id, function=protocol("FunctionCall")(name=c.name, arguments=c.arguments))
            for c in delta.calls
        ]
        return protocol("ExtractedToolCallInformation")(
            tools_called=bool(calls), tool_calls=calls, content=delta.content or None
        )

    def extract_tool_calls_streaming(
        self, previous_text: str, current_text: str, delta_text: str, *ids_and_request: Any
    ) -> Any:
        if self._reader is None:
            self._reader = self._new_reader(ids_and_request[-1])
        return message(self._reader.push(delta_text))

    def finish_streaming(self) -> Any:
        return message(self._reader.finish()) if self._reader is not None else None

    def _new_reader(self, request: Any) -> Reader:
        format = format_wanted()
        if is_forced(request) and isinstance(format, list):
            format = [*format, "bare_json"]
        return Reader(self._tools, prompt=self.prompt, format=format, inline=self.skip_reasoning_parsing)


def is_forced(request: Any) -> bool:
    """True when the request demands a call, of any tool or of a named one."""
    return bool(request.tools) and request.tool_choice not in (None, "auto", "none")


def show_markers(request: Any) -> Any:
    """Many markers are special tokens, which vLLM would leave out of the text."""
    request.skip_special_tokens = False
    return request


def message(delta: Delta) -> Any:
    """vLLM's ``DeltaMessage``, ``None`` when there is nothing in it."""
    if not delta:
        return None
    calls = [
        protocol("DeltaToolCall")(
            index=call.index,
            id=call.id,
            type="function" if call.name is not None else None,
            function=protocol("DeltaFunctionCall")(name=call.name, arguments=call.arguments),
        )
        for call in delta.calls
    ]
    return protocol("DeltaMessage")(content=delta.content or None, reasoning=delta.reasoning or None, tool_calls=calls)


@cache
def protocol(name: str) -> Any:
    """A class of vLLM's messages."""
    return find("vllm", TESTED, name, "vllm.entrypoints.generate.base.protocol", "vllm.entrypoints.openai.protocol")


@cache
def __getattr__(name: str) -> Any:
    if name == "ToolParser":
        return type(name, (ToolMixin, find("vllm", TESTED, name, "vllm.tool_parsers")), {"__module__": __name__})
    if name == "ReasoningParser":
        from toolparse.integrations._vllm_reasoning import ReasoningMixin

        return type(name, (ReasoningMixin, find("vllm", TESTED, name, "vllm.reasoning")), {"__module__": __name__})
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
