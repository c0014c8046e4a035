"""The contract with vLLM, with small stand-ins for its base classes and its serving layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from _hosts import ARGUMENTS, CALL, REPLY, SEARCH, Bag, cuts


@dataclass
class Request:
    tools: list[Any]
    tool_choice: Any = "auto"
    skip_special_tokens: bool = True
    structured_outputs: Any = None


class VllmToolParser:
    supports_required_and_named = True

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        self.model_tokenizer, self.tools = tokenizer, tools or []

    def adjust_request(self, request: Request) -> Request:
        if self.supports_required_and_named and request.tool_choice == "required":
            request.structured_outputs = [tool["function"]["name"] for tool in request.tools]
        return request


class VllmReasoningParser:
    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer

    @property
    def vocab(self) -> dict[str, int]:
        return self.model_tokenizer.get_vocab()

    def adjust_request(self, request: Request) -> Request:
        return request


class Manager:
    def __init__(self) -> None:
        self.names: dict[str, tuple[str, str]] = {}

    def register_lazy_module(self, name: str, module: str, cls: str) -> None:
        self.names[name] = (module, cls)


class Letters:
    """A tokenizer whose tokens are characters and the marks of thinking."""

    def get_vocab(self) -> dict[str, int]:
        return {"<think>": 0, "</think>": 1}

    def encode(self, text: str) -> list[int]:
        marked = text.replace("<think>", "\0").replace("</think>", "\1")
        return [ord(letter) for letter in marked]

    def decode(self, ids: list[int]) -> str:
        return "".join(map(chr, ids)).replace("\0", "<think>").replace("\1", "</think>")


MESSAGES = (
    "DeltaMessage",
    "DeltaToolCall",
    "DeltaFunctionCall",
    "ToolCall",
    "FunctionCall",
    "ExtractedToolCallInformation",
)


@pytest.fixture
def vllm(host: Callable[..., Any]) -> Any:
    tools, reasoning = Manager(), Manager()
    module = host(
        "vllm",
        vllm__tool_parsers={"ToolParserManager": tools, "ToolParser": VllmToolParser},
        vllm__reasoning={"ReasoningParserManager": reasoning, "ReasoningParser": VllmReasoningParser},
        vllm__entrypoints__generate__base__protocol=dict.fromkeys(MESSAGES, Bag),
    )
    module.register()
    assert tools.names == {"toolparse": ("toolparse.integrations.vllm", "ToolParser")}
    assert reasoning.names == {"toolparse": ("toolparse.integrations.vllm", "ReasoningParser")}
    return module


def pair(vllm: Any, tools: Any = (SEARCH,)) -> tuple[Any, Any]:
    """Both parsers of one reply, made as vLLM makes them."""
    tokenizer = Letters()
    return vllm.ReasoningParser(tokenizer), vllm.ToolParser(tokenizer, list(tools))


def vllm_stream(vllm: Any, pieces: list[str], prompt: str = "") -> tuple[str, str, list[list[Any]]]:
    """As vLLM's serving layer does with two parsers that both read deltas."""
    reasoning, parser = pair(vllm)
    asked = Request([SEARCH])
    reasoning.set_prompt_token_ids(Letters().encode(prompt))
    ended = reasoning.is_reasoning_end(Letters().encode(prompt))
    deltas = []
    for piece in pieces:
        text = piece
        if not ended:
            delta = reasoning.extract_reasoning_streaming("", piece, piece, [], [], [])
            ended = reasoning.has_engine_confirmed_reasoning_end()
            assert reasoning.finish_streaming() is None
            text = delta.content if delta else ""
        deltas.append(parser.extract_tool_calls_streaming("", text, text, [], [], [], asked))
    deltas.append(parser.finish_streaming())
    thought = content = ""
    calls: list[list[Any]] = []
    for delta in filter(None, deltas):
        thought, content = thought + (delta.reasoning or ""), content + (delta.content or "")
        for call in delta.tool_calls:
            if call.id is not None:
                calls.append([call.index, call.id, call.type, call.function.name, ""])
            calls[call.index][-1] += call.function.arguments
    return thought, content, calls


def test_vllm_whole(vllm: Any) -> None:
    reasoning, parser = pair(vllm)
    thought, content = reasoning.extract_reasoning(REPLY, Request([SEARCH]))
    read = parser.extract_tool_calls(content, Request([SEARCH]))
    assert (thought, read.tools_called, read.content) == ("Hm.", True, "Looking.")
    assert read.tool_calls == [Bag(id="aaaaaaaaa", function=Bag(name="search", arguments=ARGUMENTS))]


def test_vllm_stream_equals_whole_for_every_cut(vllm: Any) -> None:
    want = ("Hm.", "Looking.", [[0, "aaaaaaaaa", "function", "search", ARGUMENTS]])
    for pieces in cuts(REPLY):
        assert vllm_stream(vllm, pieces) == want


def test_vllm_prompt_that_opens_or_closes_thinking(vllm: Any) -> None:
    want = ("Hm.", "Looking.", [[0, "aaaaaaaaa", "function", "search", ARGUMENTS]])
    for pieces in cuts(REPLY.removeprefix("<think>")):
        assert vllm_stream(vllm, pieces, "assistant\n<think>") == want
    for pieces in cuts(CALL):
        assert vllm_stream(vllm, pieces, "<think></think>") == ("", "", want[2])


def test_vllm_call_in_thinking_that_never_ends(vllm: Any) -> None:
    for pieces in cuts("<think>Hm." + CALL):
        assert vllm_stream(vllm, pieces) == ("Hm.", "", [[0, "aaaaaaaaa", "function", "search", ARGUMENTS]])


def test_vllm_tool_parser_alone_keeps_thinking_in_the_content(vllm: Any) -> None:
    parser = vllm.ToolParser(Letters(), [SEARCH])
    assert parser.engine_based_streaming is True
    parser.skip_reasoning_parsing = True
    assert parser.extract_tool_calls(REPLY, Request([SEARCH])).content == "<think>Hm.</think>Looking."


def test_vllm_reasoning_parser_alone_leaves_the_rest(vllm: Any) -> None:
    assert vllm.ReasoningParser(Letters()).extract_reasoning(REPLY, Request([])) == ("Hm.", "Looking." + CALL)
    for pieces in cuts(REPLY):
        parser, got = vllm.ReasoningParser(Letters()), []
        for at, piece in enumerate(pieces):
            got.append(parser.extract_reasoning_streaming("", piece, piece, [], [], []))
            if parser.has_engine_confirmed_reasoning_end():
                got += [Bag(reasoning=None, content=rest) for rest in pieces[at + 1 :]]
                break
        got.append(parser.finish_streaming())
        assert "".join(delta.reasoning or "" for delta in got if delta) == "Hm."
        assert "".join(delta.content or "" for delta in got if delta) == "Looking." + CALL


def test_vllm_token_ids(vllm: Any) -> None:
    parser, ids = vllm.ReasoningParser(Letters()), Letters().encode
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")
    ends = [parser.is_reasoning_end(ids(text)) for text in ("", "a", "<think>a", "<think>a</think>b")]
    assert ends == [False, False, False, True]
    assert vllm.ReasoningParser(Letters(), chat_template_kwargs={"enable_thinking": False}).is_reasoning_end([]) is True
    assert parser.is_reasoning_end_streaming(ids("a</think>"), ids("</think>")) is True
    assert parser.is_reasoning_end_streaming(ids("a</think>b"), ids("b")) is False
    assert [parser.extract_content_ids(ids(text)) for text in ("a</think>bc", "a")] == [ids("bc"), []]
    assert parser.count_reasoning_tokens(ids("<think>abc</think>de")) == 3
    parser.set_prompt_token_ids(ids("<think>"))
    assert parser.count_reasoning_tokens(ids("abc</think>de")) == 3


def test_vllm_requests_keep_the_markers(vllm: Any) -> None:
    reasoning, parser = pair(vllm)
    assert parser.adjust_request(Request([SEARCH])).skip_special_tokens is False
    assert parser.adjust_request(Request([SEARCH], "none")).skip_special_tokens is True
    assert parser.adjust_request(Request([])).skip_special_tokens is True
    assert reasoning.adjust_request(Request([])).skip_special_tokens is False


@pytest.mark.parametrize(
    ("choice", "names"),
    [("required", ["search", "other"]), (Bag(function=Bag(name="other")), ["other"]), ("auto", None)],
)
def test_vllm_forced_calls(vllm: Any, choice: Any, names: Any) -> None:
    asked = Request([Tool("search"), Tool("other")], choice)
    parser = vllm.ToolParser(Letters(), asked.tools)
    assert parser.adjust_request(asked) is asked
    assert asked == Request([Tool("search"), Tool("other")], choice, False, names)
    assert parser.supports_required_and_named is False
    read = parser.extract_tool_calls('[{"name": "other", "parameters": {}}]', asked)
    assert [(call.function.name, call.function.arguments) for call in read.tool_calls] == [("other", "{}")]


class Tool(dict):
    """A definition that is a dict to us and an object to the host."""

    def __init__(self, name: str) -> None:
        super().__init__({"type": "function", "function": {"name": name, "parameters": {}}})
        self.function = Bag(name=name)
