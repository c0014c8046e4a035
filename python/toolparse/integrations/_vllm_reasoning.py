"""The reasoning half of :mod:`toolparse.integrations.vllm`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolparse.integrations import Delta, Splitter
from toolparse.integrations.vllm import ToolMixin, made, message, show_markers

# Where reasoning begins and ends, as single tokens of a vocabulary: the prompt and the grammar engine are ids only.
_MARKS = (
    ("<think>", "</think>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>", "<channel|>"),
)

_GENERATION_PROMPT = 32  # tokens: more than any template writes behind the last turn


class ReasoningMixin:
    """What makes vLLM's ``ReasoningParser`` ours. One instance reads one reply."""

    engine_based_streaming = True
    model_tokenizer: Any

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)  # type: ignore[call-arg]
        vocabulary: dict[str, int] = self.vocab  # type: ignore[attr-defined]
        self._marks = next((m for m in _MARKS if m[0] in vocabulary and m[1] in vocabulary), _MARKS[0])
        self._start, self._end = (vocabulary.get(mark, -1) for mark in self._marks)
        asked = kwargs.get("chat_template_kwargs") or {}
        self._off = asked.get("enable_thinking") is False or asked.get("thinking") is False
        self._opened = False
        self._prompt = ""
        self._splitter: Splitter | None = None
        self.tool_parser: ToolMixin | None = None
        made.reasoning = self

    @property
    def reasoning_start_str(self) -> str:
        return self._marks[0]

    @property
    def reasoning_end_str(self) -> str:
        return self._marks[1]

    def adjust_request(self, request: Any) -> Any:
        return show_markers(super().adjust_request(request))  # type: ignore[misc]

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        ids = list(prompt_token_ids)
        last = self._last_mark(ids)
        self._opened = last >= 0 and ids[last] == self._start
        first = max(0, len(ids) - _GENERATION_PROMPT)
        self._prompt = self.model_tokenizer.decode(ids[min(last, first) if self._opened else first :])

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        last = self._last_mark(input_ids)
        return input_ids[last] == self._end if last >= 0 else self._off

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        return self._end in delta_ids

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self.tool_parser is not None or (self._splitter is not None and self._splitter.over)

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        last = self._last_mark(input_ids)
        return input_ids[last + 1 :] if last >= 0 and input_ids[last] == self._end else []

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        count, inside = 0, self._opened
        for token in token_ids:
            if token in (self._start, self._end):
                inside = token == self._start
            else:
                count += inside
        return count

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        if self.tool_parser is None:
            reasoning, rest = Splitter(prompt=self._prompt).whole(model_output)
            return reasoning or None, rest or None
        self.tool_parser.prompt = self._prompt
        delta = self.tool_parser.read(model_output, request)
        return delta.reasoning or None, delta.content or None

    def extract_reasoning_streaming(
        self, previous_text: str, current_text: str, delta_text: str, *ids: Sequence[int]
    ) -> Any:
        if self.tool_parser is not None:
            self.tool_parser.prompt = self._prompt
            return message(Delta(content=delta_text))
        if self._splitter is None:
            self._splitter = Splitter(prompt=self._prompt)
        reasoning, rest = self._splitter.push(delta_text)
        return message(Delta(rest, reasoning))

    def finish_streaming(self) -> Any:
        if self._splitter is None:
            return None
        reasoning, rest = self._splitter.finish()
        return message(Delta(rest, reasoning))

    def _last_mark(self, ids: Sequence[int]) -> int:
        """The position of the last id that opens or closes reasoning, -1 when there is none."""
        marks = (self._start, self._end)
        return next((at for at in range(len(ids) - 1, -1, -1) if ids[at] in marks), -1)
