"""The contracts with LiteLLM, mlx-lm and llama-cpp-python, with small stand-ins."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from _hosts import ARGUMENTS, CALL, REPLY, SEARCH, Bag, cuts

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
    got: list[Choice] = []

    async def read() -> None:
        chunks = source("Hello <tool_", OSError("gone"))
        async for chunk in litellm.async_post_call_streaming_iterator_hook(None, chunks, {"tools": [SEARCH]}):
            got.extend(chunk.choices)

    with pytest.raises(OSError, match="gone"):
        asyncio.run(read())
    assert [choice.delta.content for choice in got] == ["Hello", " <tool_"]


def test_litellm_keeps_calls_that_were_made_in_a_stream(litellm: Any) -> None:
    async def chunks() -> AsyncIterator[Any]:
        yield Response([Choice(delta=Message("assistant"))])
        yield Response([Choice(delta=Message(tool_calls=[{"index": 0}]))])
        yield Response([Choice(finish_reason="tool_calls")])
        yield Response([])

    read = litellm.async_post_call_streaming_iterator_hook(None, chunks(), {"tools": [SEARCH]})
    choices = asyncio.run(collected(read))
    assert [choice.delta.tool_calls for choice in choices] == [None, [{"index": 0}], None]
    assert choices[-1].finish_reason == "tool_calls"


def test_litellm_passes_on_what_it_does_not_read(litellm: Any) -> None:
    async def chunks() -> AsyncIterator[Any]:
        yield b"event: message_start"
        yield {"type": "message_stop"}

    async def read() -> list[Any]:
        request = {"tools": [SEARCH, {"type": "web_search_preview"}, {"googleSearch": {}}]}
        return [chunk async for chunk in litellm.async_post_call_streaming_iterator_hook(None, chunks(), request)]

    assert asyncio.run(read()) == [b"event: message_start", {"type": "message_stop"}]
    data = {"tools": [SEARCH], "tool_choice": "none"}
    response = Response([Choice(message=Message("assistant", REPLY))])
    assert asyncio.run(litellm.async_post_call_success_hook(data, None, response)).choices[0].message.content == REPLY


def test_litellm_keeps_what_a_message_says_beside_its_text(litellm: Any) -> None:
    response = Response([Choice(message=Message("assistant", "<think>b</think>Hello", None, "a"))])
    read = asyncio.run(litellm.async_post_call_success_hook({"tools": [SEARCH]}, None, response))
    assert read.choices[0].message == Message("assistant", "Hello", None, "ab")
    chunk = Response([Choice(delta=Message(reasoning_content="a"))])

    async def chunks() -> AsyncIterator[Any]:
        yield chunk

    stream = litellm.async_post_call_streaming_iterator_hook(None, chunks(), {"tools": [SEARCH]})
    assert asyncio.run(collected(stream))[0].delta.reasoning_content == "a"


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
    with pytest.raises(ValueError, match="the reply ended inside the tool call"):
        parse(block[:-10], [SEARCH])
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


def test_llama_cpp_leaves_a_forced_call(host: Callable[..., Any]) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    choice = {"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [call]}, "finish_reason": "x"}
    handler = host("llama_cpp").chat_handler(lambda **given: {"choices": [choice]})
    assert handler(llama=None, tools=[SEARCH], messages=[]) == {"choices": [choice]}
    named = {"id": "chatcmpl-1", "created": 5, "model": "m"}
    chunks = [
        {**named, "choices": []},
        {**named, "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]},
        {**named, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    handler = host("llama_cpp").chat_handler(lambda **given: iter(chunks))
    assert list(handler(llama=None, tools=[SEARCH], messages=[], stream=True)) == chunks


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
