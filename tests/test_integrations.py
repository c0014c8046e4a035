"""The contracts with servers and frameworks, with small stand-ins for their base classes; tests/engines has real ones."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from toolparse import integrations
from toolparse.integrations import Delta, Reader, Splitter, compiled

HOSTS = ("vllm", "sglang", "transformers", "litellm", "mlx_lm", "llama_cpp", "langchain", "pydantic_ai", "smolagents")

SEARCH = {
    "type": "function",
    "function": {"name": "search", "parameters": {"properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}},
}
CALL = '<tool_call>{"name": "search", "arguments": {"q": "a", "n": 2}}</tool_call>'
REPLY = "<think>Hm.</think>Looking." + CALL
ARGUMENTS = '{"q":"a","n":2}'


@pytest.fixture(autouse=True)
def _same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrations.secrets, "choice", lambda letters: letters[0])
    monkeypatch.delenv("TOOLPARSE_FORMAT", raising=False)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes modules with the given contents, and returns our fresh module for them."""

    def make(ours: str, **modules: dict[str, Any]) -> Any:
        for dotted, contents in modules.items():
            names = dotted.split("__")
            for end in range(1, len(names) + 1):
                name = ".".join(names[:end])
                if name not in sys.modules:
                    monkeypatch.setitem(sys.modules, name, ModuleType(name))
            vars(sys.modules[".".join(names)]).update(contents)
        for name in [name for name in sys.modules if name.startswith("toolparse.integrations.")]:
            monkeypatch.delitem(sys.modules, name)
        return importlib.import_module("toolparse.integrations." + ours)

    return make


def cuts(text: str) -> Iterator[list[str]]:
    yield from ([text[:at], text[at:]] for at in range(len(text) + 1))
    yield list(text)


# What they share


def test_no_host_is_imported_before_it_is_used() -> None:
    packages = (*HOSTS, "langchain_core")
    code = f"import sys, importlib\nfor name in {packages}: sys.modules[name] = None\n"
    code += f"for name in {HOSTS}: importlib.import_module('toolparse.integrations.' + name)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("package", "install", "use"),
    [
        ("vllm", "vllm", lambda: importlib.import_module("toolparse.integrations.vllm").register()),
        ("sglang", "sglang", lambda: importlib.import_module("toolparse.integrations.sglang").install()),
        ("litellm", "litellm", lambda: importlib.import_module("toolparse.integrations.litellm").handler),
        ("mlx_lm", "mlx-lm", lambda: importlib.import_module("toolparse.integrations.mlx_lm").wrap(0, format="hermes")),
        (
            "llama_cpp",
            "llama-cpp-python",
            lambda: importlib.import_module("toolparse.integrations.llama_cpp").register(),
        ),
        (
            "langchain_core",
            "langchain-core",
            lambda: importlib.import_module("toolparse.integrations.langchain").output_parser([]),
        ),
        (
            "pydantic_ai",
            "pydantic-ai-slim",
            lambda: importlib.import_module("toolparse.integrations.pydantic_ai").wrap("m"),
        ),
        (
            "smolagents",
            "smolagents",
            lambda: importlib.import_module("toolparse.integrations.smolagents").parse_message(SimpleNamespace(), []),
        ),
        (
            "transformers",
            "transformers",
            lambda: importlib.import_module("toolparse.integrations.transformers").parse_response(
                "", prefix="", tools=[print]
            ),
        ),
    ],
)
def test_a_missing_host_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, host: Callable[..., Any], package: str, install: str, use: Callable[[], Any]
) -> None:
    host("vllm")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as caught:
        use()
    assert str(caught.value) == f"toolparse: this needs {install}. Install it with: pip install {install}"


def test_a_host_that_moved_its_parts_says_which_version_works(host: Callable[..., Any]) -> None:
    vllm = host("vllm", vllm__tool_parsers={})
    with pytest.raises(ImportError) as caught:
        vllm.register()
    assert str(caught.value) == (
        "toolparse: vllm of unknown version has no ToolParserManager in vllm.tool_parsers. "
        "This version of toolparse works with vllm 0.33: install that one, or a newer toolparse."
    )


def test_entry_points() -> None:
    groups = ("vllm.general_plugins", "sglang.srt.plugins")
    values = [metadata.entry_points(group=group)["toolparse"].value for group in groups]
    assert values == ["toolparse.integrations.vllm:register", "toolparse.integrations.sglang:register"]


def test_format_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert integrations.format_wanted() == "auto"
    monkeypatch.setenv("TOOLPARSE_FORMAT", "hermes, glm45")
    assert integrations.format_wanted() == ["hermes", "glm45"]


def test_definitions_of_every_shape_are_compiled_once() -> None:
    flat = {"type": "function", "name": "search", "parameters": SEARCH["function"]["parameters"]}
    object_ = SimpleNamespace(model_dump=lambda exclude_none: SEARCH)
    shapes = [SEARCH, flat, {"name": "search", "input_schema": SEARCH["function"]["parameters"]}, object_]
    assert len({id(compiled([shape])) for shape in shapes}) == 1
    assert compiled(shapes[:1]).names == ("search",)
    assert compiled(None).names == ()


def test_the_id_that_the_model_wrote_is_kept() -> None:
    assert integrations.written_or_random(0, "f", "functions.f:0") == "functions.f:0"
    assert integrations.written_or_random(0, "f", None) == "aaaaaaaaa"


def total(deltas: list[Delta]) -> Delta:
    """All deltas in one, the pieces of each call joined."""
    all_ = Delta()
    for delta in deltas:
        all_ = all_ + Delta(delta.content, delta.reasoning)
        for call in delta.calls:
            if call.name is not None:
                assert call.index == len(all_.calls)
                all_.calls.append(call)
            else:
                all_.calls[call.index].arguments += call.arguments
    return all_


@pytest.mark.parametrize("inline", [False, True])
def test_reader_whole_equals_every_cut(inline: bool) -> None:
    whole = Reader(compiled([SEARCH]), inline=inline).whole(REPLY)
    want = ("<think>Hm.</think>Looking.", "") if inline else ("Looking.", "Hm.")
    assert (whole.content, whole.reasoning) == want
    assert [(c.index, c.id, c.name, c.arguments) for c in whole.calls] == [(0, "aaaaaaaaa", "search", ARGUMENTS)]
    for pieces in cuts(REPLY):
        reader = Reader(compiled([SEARCH]), inline=inline)
        assert total([*map(reader.push, pieces), reader.finish()]) == whole


def test_reader_closes_the_thinking_that_the_reply_leaves_open() -> None:
    assert Reader(compiled(None), inline=True).whole("<think>Hm.") == Delta("<think>Hm.</think>")


def test_reader_logs_what_failed(caplog: pytest.LogCaptureFixture) -> None:
    assert Reader(compiled([SEARCH])).whole('<tool_call>{"name": "rm", "arguments": {}}</tool_call>') == Delta()
    assert caplog.messages == ['Unknown tool "rm". Available now: search']


@pytest.mark.parametrize(
    ("text", "prompt", "want"),
    [
        (REPLY, "", ("Hm.", "Looking." + CALL)),
        ("Hm.</think>\n\n" + CALL, "<think>\n", ("Hm.", CALL)),
        (CALL, "", ("", CALL)),
        ("Hello.", "", ("", "Hello.")),
        ("Hello <think>a</think> you", "", ("", "Hello <think>a</think> you")),
        ("<think>a</think>b<think>c</think>d", "", ("a", "b<think>c</think>d")),
        ("<think>Hm.", "", ("Hm.", "")),
        ("<think>Hm." + CALL, "", ("Hm.", CALL)),
        ("<think>\n\n</think>\n\nHello.", "", ("", "Hello.")),
        ("", "", ("", "")),
    ],
)
def test_splitter(text: str, prompt: str, want: tuple[str, str]) -> None:
    reasoning, rest = Splitter(prompt=prompt).whole(text)
    assert (reasoning, rest.lstrip("\n")) == want
    for pieces in cuts(text):
        splitter = Splitter(prompt=prompt)
        got = [*map(splitter.push, pieces), splitter.finish()]
        assert ("".join(a for a, _ in got), "".join(b for _, b in got)) == (reasoning, rest), pieces


# vLLM


class Bag(SimpleNamespace):
    """A host's message class: whatever it is given."""


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


# SGLang


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
    assert [detector().has_tool_call(text) for text in (CALL, "Hello.")] == [True, False]
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


# transformers


def test_transformers_events_and_message() -> None:
    from toolparse.integrations.transformers import ResponseParser

    parser = ResponseParser("hermes", prefix="", tools=[SEARCH])
    events = parser.feed("<think>Hm.</think>Looking." + CALL)
    message, last = parser.finalize()
    arguments = [event for event in events if event.get("dirty")]
    assert "".join(event["text"] for event in arguments) == ARGUMENTS
    call = {"type": "function", "function": {"name": "search", "arguments": {"q": "a", "n": 2}}}
    assert [event for event in events + last if not event.get("dirty")] == [
        {"type": "region_open", "field": "reasoning_content"},
        {"type": "region_chunk", "field": "reasoning_content", "text": "Hm.", "dirty": False},
        {"type": "region_close", "field": "reasoning_content", "value": "Hm."},
        {"type": "region_open", "field": "content"},
        {"type": "region_chunk", "field": "content", "text": "Looking.", "dirty": False},
        {"type": "region_close", "field": "content", "value": "Looking."},
        {"type": "region_open", "field": "tool_calls"},
        {"type": "region_close", "field": "tool_calls", "value": call},
    ]
    assert message == {
        "role": "assistant",
        "content": "Looking.",
        "reasoning_content": "Hm.",
        "tool_calls": [call],
    }
    with pytest.raises(RuntimeError):
        parser.feed("more")


def test_transformers_repairs_instead_of_raising() -> None:
    from toolparse.integrations.transformers import parse_response

    for text in (CALL.removesuffix("}</tool_call>"), CALL.replace("2}", "2,}")):
        message = parse_response(text, "hermes", prefix="")
        assert message["tool_calls"][0]["function"] == {"name": "search", "arguments": {"q": "a", "n": 2}}


def test_transformers_needs_a_prefix() -> None:
    from toolparse.integrations.transformers import parse_response

    with pytest.raises(ValueError, match="prefix"):
        parse_response("Hello.")
    assert parse_response("Hm.</think>Hello.", prefix="<think>") == {
        "role": "assistant",
        "content": "Hello.",
        "reasoning_content": "Hm.",
    }


def test_transformers_functions_as_tools(host: Callable[..., Any]) -> None:
    module = host("transformers", transformers__utils__chat_template_utils={"get_json_schema": lambda function: SEARCH})
    assert len(module.parse_response(CALL, prefix="", tools=[print])["tool_calls"]) == 1


# LiteLLM


@dataclass
class Message:
    role: str | None = None
    content: str | None = None
    tool_calls: Any = None
    reasoning_content: str | None = None


@dataclass
class Choice:
    index: int = 0
    finish_reason: str | None = None
    message: Message = field(default_factory=Message)
    delta: Message = field(default_factory=Message)

    def model_copy(self, update: dict[str, Any]) -> Choice:
        return Choice(update["index"], None)


@dataclass
class Response:
    choices: list[Choice]

    def model_copy(self, deep: bool) -> Response:
        return Response(list(self.choices))


@pytest.fixture
def litellm(host: Callable[..., Any]) -> Any:
    return host("litellm", litellm__integrations__custom_logger={"CustomLogger": type("CustomLogger", (), {})}).handler


async def source(*pieces: Any) -> AsyncIterator[Response]:
    """Chunks; a string is text, a pair is text and finish reason, an exception is raised."""
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        text, reason = piece if isinstance(piece, tuple) else (piece, None)
        yield Response([Choice(finish_reason=reason, delta=Message(content=text))])


async def collected(chunks: AsyncIterator[Response]) -> list[Choice]:
    return [choice async for chunk in chunks for choice in chunk.choices]


def test_litellm_whole(litellm: Any) -> None:
    response = Response([Choice(finish_reason="stop", message=Message("assistant", REPLY))])
    read = asyncio.run(litellm.async_post_call_success_hook({"tools": [SEARCH]}, None, response))
    call = {"id": "aaaaaaaaa", "type": "function", "function": {"name": "search", "arguments": ARGUMENTS}}
    assert read.choices == [Choice(finish_reason="tool_calls", message=Message("assistant", "Looking.", [call], "Hm."))]


def test_litellm_leaves_replies_without_tools(litellm: Any) -> None:
    response = Response([Choice(message=Message("assistant", REPLY))])
    assert asyncio.run(litellm.async_post_call_success_hook({}, None, response)).choices[0].message.content == REPLY
    chunks = litellm.async_post_call_streaming_iterator_hook(None, source(REPLY), {})
    assert asyncio.run(collected(chunks))[0].delta.content == REPLY


def test_litellm_stream(litellm: Any) -> None:
    for pieces in cuts(REPLY):
        chunks = source(*pieces, (None, "stop"))
        choices = asyncio.run(
            collected(litellm.async_post_call_streaming_iterator_hook(None, chunks, {"tools": [SEARCH]}))
        )
        calls = [call for choice in choices for call in choice.delta.tool_calls or []]
        assert "".join(choice.delta.content or "" for choice in choices) == "Looking."
        assert "".join(choice.delta.reasoning_content or "" for choice in choices) == "Hm."
        assert [call["id"] for call in calls if "id" in call] == ["aaaaaaaaa"]
        assert "".join(call["function"]["arguments"] for call in calls) == ARGUMENTS
        assert choices[-1].finish_reason == "tool_calls"


def test_litellm_stream_that_breaks_loses_nothing(litellm: Any) -> None:
    async def broken() -> list[Choice]:
        out: list[Choice] = []
        chunks = source("Hello <tool_", OSError("gone"))
        with pytest.raises(OSError, match="gone"):
            async for chunk in litellm.async_post_call_streaming_iterator_hook(None, chunks, {"tools": [SEARCH]}):
                out += chunk.choices
        return out

    assert [choice.delta.content for choice in asyncio.run(broken())] == ["Hello ", "<tool_"]


# mlx-lm


class TokenizerWrapper:
    def __init__(self, tokenizer: Any, **options: Any) -> None:
        self._tokenizer, self.options = tokenizer, options
        self.detokenizer, self.eos_token_ids, self._chat_template = [], {7}, None


def test_mlx_lm(host: Callable[..., Any]) -> None:
    module = host("mlx_lm", mlx_lm__tokenizer_utils={"TokenizerWrapper": TokenizerWrapper})
    wrapped = module.wrap("tokenizer", format="hermes")
    assert (wrapped.options["tool_call_start"], wrapped.options["tool_call_end"]) == ("<tool_call>", "</tool_call>")
    again = module.wrap(wrapped, format="hermes")
    assert (again._tokenizer, again.options["eos_token_ids"]) == ("tokenizer", {7})
    parse = again.options["tool_parser"]
    block = CALL.removeprefix("<tool_call>").removesuffix("</tool_call>")
    assert parse(block, [SEARCH]) == [{"name": "search", "arguments": {"q": "a", "n": 2}}]
    with pytest.raises(ValueError, match='Unknown tool "rm"'):
        parse('{"name": "rm", "arguments": {}}', [SEARCH])
    with pytest.raises(ValueError, match="unknown format"):
        module.markers("no such format")


# llama-cpp-python


def llama_answer(stream: bool, pieces: list[Any], **_: Any) -> Any:
    named = {"id": "chatcmpl-1", "created": 5, "model": "m"}
    if not stream:
        message = {"role": "assistant", "content": "".join(pieces)}
        return {**named, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": {}}
    return llama_chunks(named, pieces)


def llama_chunks(named: dict[str, Any], pieces: list[Any]) -> Iterator[dict[str, Any]]:
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        yield {**named, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    yield {**named, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def test_llama_cpp_whole(host: Callable[..., Any]) -> None:
    handler = host("llama_cpp").chat_handler(lambda **given: llama_answer(pieces=[REPLY], **given))
    answer = handler(llama=None, tools=[SEARCH], messages=[])
    call = {"id": "aaaaaaaaa", "type": "function", "function": {"name": "search", "arguments": ARGUMENTS}}
    assert answer["choices"] == [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Looking.",
                "reasoning_content": "Hm.",
                "tool_calls": [call],
            },
            "finish_reason": "tool_calls",
        }
    ]
    assert (answer["id"], answer["usage"]) == ("chatcmpl-1", {})


def llama_read(chunks: Any) -> tuple[str, str, str]:
    """Text, arguments and the last finish reason of a stream of chunks."""
    content, arguments, reason = "", "", ""
    for chunk in chunks:
        assert (chunk["id"], chunk["created"], chunk["model"]) == ("chatcmpl-1", 5, "m")
        delta = chunk["choices"][0]["delta"]
        content += delta.get("content") or ""
        arguments += "".join(call["function"]["arguments"] for call in delta.get("tool_calls", ()))
        reason = chunk["choices"][0]["finish_reason"] or reason
    return content, arguments, reason


def test_llama_cpp_stream(host: Callable[..., Any]) -> None:
    module = host("llama_cpp")
    for pieces in cuts(REPLY):
        handler = module.chat_handler(lambda pieces=pieces, **given: llama_answer(pieces=pieces, **given))
        chunks = handler(llama=None, tools=[SEARCH], stream=True)
        assert llama_read(chunks) == ("Looking.", ARGUMENTS, "tool_calls")


def test_llama_cpp_stream_that_breaks_loses_nothing(host: Callable[..., Any]) -> None:
    pieces = ["Hello <tool_", OSError("gone")]
    handler = host("llama_cpp").chat_handler(lambda **given: llama_answer(pieces=pieces, **given))
    got = []
    with pytest.raises(OSError, match="gone"):
        got += handler(llama=None, tools=[SEARCH], stream=True)
    chunks = iter(handler(llama=None, tools=[SEARCH], stream=True))
    got = [next(chunks) for _ in range(3)]
    assert llama_read(got)[0] == "Hello <tool_"


def test_llama_cpp_takes_the_handler_of_the_model(host: Callable[..., Any]) -> None:
    def own(**given: Any) -> Any:
        return llama_answer(pieces=["own"], **given)

    registered: dict[str, Any] = {}
    module = host(
        "llama_cpp",
        llama_cpp__llama_chat_format={
            "register_chat_completion_handler": lambda name: lambda handler: registered.update({name: handler}),
            "get_chat_completion_handler": lambda name: lambda **given: llama_answer(pieces=[name], **given),
        },
    )
    module.register()
    llamas = [Bag(chat_format=None, _chat_handlers={"chat_template.default": own}), Bag(chat_format="chatml")]
    answers = [registered["toolparse"](llama=llama)["choices"][0]["message"]["content"] for llama in llamas]
    assert answers == ["own", "chatml"]


# LangChain


@pytest.fixture
def langchain(host: Callable[..., Any]) -> Any:
    return host(
        "langchain",
        langchain_core__messages={"AIMessage": Bag, "AIMessageChunk": Bag},
        langchain_core__runnables={"Runnable": type("Runnable", (), {})},
    )


def test_langchain_whole(langchain: Any) -> None:
    parser = langchain.output_parser([SEARCH])
    message = parser.invoke(Bag(content=[{"type": "text", "text": REPLY}, '<tool_call>{"name": "rm"}</tool_call>']))
    assert (message.content, message.additional_kwargs) == ("Looking.", {"reasoning_content": "Hm."})
    assert [(call["name"], call["args"], call["type"]) for call in message.tool_calls] == [
        ("search", {"q": "a", "n": 2}, "tool_call")
    ]
    assert message.invalid_tool_calls == [
        {
            "name": "rm",
            "args": '<tool_call>{"name": "rm"}</tool_call>',
            "id": None,
            "error": 'Unknown tool "rm". Available now: search',
            "type": "invalid_tool_call",
        }
    ]


def test_langchain_stream(langchain: Any) -> None:
    parser = langchain.output_parser([SEARCH])

    async def pieces() -> AsyncIterator[str]:
        for letter in REPLY:
            yield letter

    async def asynchronous() -> list[Any]:
        return [chunk async for chunk in parser.atransform(pieces())]

    for chunks in (list(parser.transform(iter(REPLY))), list(parser.stream(REPLY)), asyncio.run(asynchronous())):
        calls = [call for chunk in chunks for call in chunk.tool_call_chunks]
        assert "".join(chunk.content for chunk in chunks) == "Looking."
        assert [(call["index"], call["id"], call["name"]) for call in calls if call["name"]] == [
            (0, "aaaaaaaaa", "search")
        ]
        assert "".join(call["args"] for call in calls) == ARGUMENTS


# pydantic-ai


class WrapperModel:
    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped


class StreamedResponse:
    def __init__(self, model_request_parameters: Any) -> None:
        self.model_request_parameters = model_request_parameters
        self._parts_manager = Parts()


class Parts:
    """Says what it was asked to do."""

    def handle_text_delta(self, vendor_part_id: Any, content: str) -> list[Any]:
        return [("text", content)]

    def handle_thinking_delta(self, vendor_part_id: Any, content: str) -> list[Any]:
        return [("thinking", content)]

    def handle_tool_call_delta(self, vendor_part_id: Any, **new: Any) -> Any:
        return ("call", vendor_part_id, new)

    def handle_part(self, vendor_part_id: Any, part: Any) -> Any:
        return ("part", part.part_kind)


PARAMETERS = Bag(
    function_tools=[Bag(name="search", parameters_json_schema=SEARCH["function"]["parameters"])], output_tools=[]
)


@pytest.fixture
def pydantic_ai(host: Callable[..., Any]) -> Any:
    return host(
        "pydantic_ai",
        pydantic_ai__models={"StreamedResponse": StreamedResponse},
        pydantic_ai__models__wrapper={"WrapperModel": WrapperModel},
        pydantic_ai__messages={
            "TextPart": lambda content: ("text", content),
            "ThinkingPart": lambda content: ("thinking", content),
            "ToolCallPart": lambda tool_name, args, tool_call_id: (tool_name, args, len(tool_call_id)),
        },
    )


def test_pydantic_ai_whole(pydantic_ai: Any) -> None:
    image = Bag(part_kind="file")

    class Model:
        async def request(self, *arguments: Any) -> Any:
            return Bag(parts=[Bag(part_kind="text", content=REPLY), image], finish_reason="stop")

    response = asyncio.run(pydantic_ai.wrap(Model()).request([], None, PARAMETERS))
    assert response.parts == [("thinking", "Hm."), ("text", "Looking."), ("search", {"q": "a", "n": 2}, 9), image]


def test_pydantic_ai_stream(pydantic_ai: Any) -> None:
    class Inner:
        model_request_parameters, finish_reason, provider_details = PARAMETERS, "stop", None
        model_name, usage = "m", "usage"

        def get(self) -> Any:
            return Bag(parts=[Bag(part_kind="text"), Bag(part_kind="file")])

        async def __aiter__(self) -> AsyncIterator[Any]:
            yield Bag(event_kind="part_start", part=Bag(part_kind="text", content=REPLY[:30]))
            yield Bag(event_kind="part_delta", delta=Bag(part_delta_kind="text", content_delta=REPLY[30:]))
            yield Bag(event_kind="part_end")

    class Model:
        def request_stream(self, *arguments: Any) -> Any:
            return Context()

    class Context:
        async def __aenter__(self) -> Inner:
            return Inner()

        async def __aexit__(self, *problem: Any) -> None:
            return None

    async def read() -> list[Any]:
        async with pydantic_ai.wrap(Model()).request_stream([], None, PARAMETERS, None) as response:
            events = [event async for event in response._get_event_iterator()]
            assert (response.model_name, response.usage, response.finish_reason) == ("m", "usage", "stop")
            return events

    events = asyncio.run(read())
    calls = [event for event in events if event[0] == "call"]
    assert "".join(event[1] for event in events if event[0] == "text") == "Looking."
    assert "".join(event[1] for event in events if event[0] == "thinking") == "Hm."
    assert calls[0][2]["tool_name"] == "search"
    assert len(calls[0][2]["tool_call_id"]) == 9
    assert {event[1] for event in calls} == {0}
    assert "".join(event[2]["args"] for event in calls) == ARGUMENTS
    assert events[-1] == ("part", "file")


# smolagents


@pytest.fixture
def smolagents(host: Callable[..., Any]) -> Any:
    classes = {
        "MessageRole": Bag(ASSISTANT="assistant"),
        "ChatMessageToolCall": Bag,
        "ChatMessageToolCallFunction": Bag,
    }
    return host("smolagents", smolagents__models=classes)


def test_smolagents(smolagents: Any) -> None:
    model = smolagents.attach(Bag(), ["search"])
    action = 'Action:\n{"name": "search", "arguments": {"q": "a", "n": 2}}'
    for content in (CALL, [{"type": "text", "text": CALL}], action):
        message = model.parse_tool_calls(Bag(role="user", content=content, tool_calls=None))
        assert message.role == "assistant"
        assert [call.function for call in message.tool_calls] == [Bag(name="search", arguments={"q": "a", "n": 2})]
    there = model.parse_tool_calls(Bag(role="user", content=None, tool_calls=["there"]))
    assert there.tool_calls == ["there"]
    with pytest.raises(ValueError, match=r'^Unknown tool "rm". Available now: search$'):
        model.parse_tool_calls(Bag(content='<tool_call>{"name": "rm", "arguments": {}}</tool_call>', tool_calls=None))
    with pytest.raises(ValueError, match=r"^No tool call was found in the model output$"):
        model.parse_tool_calls(Bag(content="Hello.", tool_calls=None))


def test_arguments_are_strict_json_in_every_host() -> None:
    delta = Reader(compiled([SEARCH])).whole(
        "<tool_call>{'name': 'search', 'arguments': {'q': 'x', n: 3,}}</tool_call>"
    )
    assert json.loads(delta.calls[0].arguments) == {"q": "x", "n": 3}
