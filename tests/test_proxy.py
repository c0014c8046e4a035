"""The proxy of the examples between the real clients and a scripted upstream, all on loopback."""

from __future__ import annotations

import json
import runpy
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import anyio.lowlevel
import httpx
import openai
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

PROXY = runpy.run_path(str(Path(__file__).parent.parent / "examples" / "proxy.py"))
create_app = PROXY["create_app"]

PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}
TOOL = {"type": "function", "function": {"name": "search", "description": "Finds.", "parameters": PARAMETERS}}
CALL = '<tool_call>{"name": "search", "arguments": {"q": "a\u2028b", "n": 2}}</tool_call>'
REPLY = "<think>Hm.</think>Looking." + CALL
ARGUMENTS = {"q": "a\u2028b", "n": 2}
HI = [{"role": "user", "content": "hi"}]

# Model: what it writes, and how the stream ends.
SCRIPTS: dict[str, tuple[str, str]] = {
    "call": (REPLY, "stop"),
    "two": (CALL + CALL, "stop"),
    "prose": ("Hello \u2028 there.", "stop"),
    "cut": ('Writing.<tool_call>{"name": "search", "arguments": {"q": "one tw', "length"),
    "breaks": ("Hello <tool_", "break"),
    "stops_short": ("Hello <tool_", "end"),
    "fails": ("Hello <tool_", "error"),
    "garbage": ("Hello <tool_", "garbage"),
}


class Upstream:
    """A server that writes what its model's script says, a character at a time, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.left = threading.Event()
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.answer, methods=["POST"])])

    async def answer(self, request: Request) -> Response:
        self.asked.append(await request.json())
        self.keys.append(request.headers.get("authorization"))
        model = self.asked[-1]["model"]
        if model == "busy":
            return JSONResponse({"error": "too many requests"}, 429)
        stream = self.endless() if model == "endless" else self.parsed() if model == "parsed" else self.script(model)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def script(self, model: str) -> AsyncIterator[bytes]:
        text, end = SCRIPTS[model]
        for letter in text:
            yield line(delta={"content": letter})
        if end in ("stop", "length"):
            yield line(finish_reason=end)
            yield line(choices=[], usage={"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12})
            yield b"data: [DONE]\n\n"
        elif end == "break":
            raise OSError("the upstream's process died")
        elif end == "error":
            yield b'data: {"error": {"message": "out of memory"}}\n\n'
        elif end == "garbage":
            yield b"data: {not json\n\n"

    async def parsed(self) -> AsyncIterator[bytes]:
        yield line(delta={"tool_calls": [{"index": 0, "id": "x", "function": {"name": "search", "arguments": "{}"}}]})

    async def endless(self) -> AsyncIterator[bytes]:
        try:
            while True:
                await anyio.lowlevel.checkpoint()
                yield line(delta={"content": "more " * 1000})
        finally:
            self.left.set()


def line(**more: Any) -> bytes:
    choice = {"index": 0, "delta": more.pop("delta", {}), "finish_reason": more.pop("finish_reason", None)}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(chunk | more, ensure_ascii=False)}\n\n".encode()


@contextmanager
def serving(app: Starlette) -> Iterator[str]:
    """The app's address. The socket listens before the server runs, so nobody has to wait for it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def upstream() -> Iterator[tuple[Upstream, str]]:
    upstream = Upstream()
    with serving(upstream.app) as address:
        yield upstream, address + "/v1"


@pytest.fixture(scope="module")
def address(upstream: tuple[Upstream, str]) -> Iterator[str]:
    with serving(create_app(upstream[1])) as address:
        yield address


@pytest.fixture
def chat(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="key", base_url=address + "/v1", max_retries=0) as client:
        yield client


@pytest.fixture
def messages(address: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="key", base_url=address, max_retries=0) as client:
        yield client


CLAUDE_TOOL = {"name": "search", "description": "Finds.", "input_schema": PARAMETERS}


def test_openai_whole(chat: openai.OpenAI) -> None:
    answer = chat.chat.completions.create(model="call", messages=HI, tools=[TOOL])
    choice = answer.choices[0]
    call = choice.message.tool_calls[0]
    assert (answer.id, answer.created, answer.model, answer.usage.total_tokens) == ("chatcmpl-1", 5, "m", 12)
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "Looking.")
    assert choice.message.reasoning_content == "Hm."
    assert (call.type, call.function.name, json.loads(call.function.arguments)) == ("function", "search", ARGUMENTS)
    assert len(call.id) == 9


def test_openai_stream(chat: openai.OpenAI) -> None:
    strict = {"type": "function", "function": TOOL["function"] | {"strict": True}}
    with chat.chat.completions.stream(model="call", messages=HI, tools=[strict]) as stream:
        thought = "".join(
            event.chunk.choices[0].delta.model_extra.get("reasoning_content") or ""
            for event in stream
            if event.type == "chunk"
        )
        choice = stream.get_final_completion().choices[0]
    call = choice.message.tool_calls[0]
    assert (choice.finish_reason, choice.message.content, thought) == ("tool_calls", "Looking.", "Hm.")
    assert (call.function.name, json.loads(call.function.arguments)) == ("search", ARGUMENTS)


def test_openai_stream_usage_is_the_last_chunk_when_asked_for(chat: openai.OpenAI) -> None:
    options = {"include_usage": True}
    with chat.chat.completions.create(model="prose", messages=HI, stream=True, stream_options=options) as stream:
        chunks = list(stream)
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 12)
    with chat.chat.completions.create(model="prose", messages=HI, stream=True) as stream:
        assert [chunk.usage for chunk in stream if chunk.usage] == []


def test_openai_two_calls(chat: openai.OpenAI) -> None:
    with chat.chat.completions.stream(model="two", messages=HI, tools=[TOOL]) as stream:
        message = stream.get_final_completion().choices[0].message
    assert [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls] == [
        ("search", ARGUMENTS),
        ("search", ARGUMENTS),
    ]
    assert len({call.id for call in message.tool_calls}) == 2


def test_anthropic_whole(messages: anthropic.Anthropic) -> None:
    answer = messages.messages.create(model="call", messages=HI, tools=[CLAUDE_TOOL], max_tokens=99)
    thinking, text, call = answer.content
    assert (answer.stop_reason, answer.usage.input_tokens, answer.usage.output_tokens) == ("tool_use", 5, 7)
    assert (thinking.thinking, text.text, call.name, call.input) == ("Hm.", "Looking.", "search", ARGUMENTS)
    assert len(call.id) == 9


def test_anthropic_stream(messages: anthropic.Anthropic) -> None:
    with messages.messages.stream(model="call", messages=HI, tools=[CLAUDE_TOOL], max_tokens=99) as stream:
        answer = stream.get_final_message()
    thinking, text, call = answer.content
    assert (answer.stop_reason, answer.usage.output_tokens) == ("tool_use", 7)
    assert (thinking.thinking, text.text, call.name, call.input) == ("Hm.", "Looking.", "search", ARGUMENTS)


def test_prose_without_tools(chat: openai.OpenAI, messages: anthropic.Anthropic) -> None:
    choice = chat.chat.completions.create(model="prose", messages=HI).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("stop", "Hello \u2028 there.")
    with messages.messages.stream(model="prose", messages=HI, max_tokens=99) as stream:
        assert stream.get_final_text() == "Hello \u2028 there."
        assert stream.get_final_message().stop_reason == "end_turn"


def test_a_cut_reply_says_so(chat: openai.OpenAI, messages: anthropic.Anthropic) -> None:
    choice = chat.chat.completions.create(model="cut", messages=HI, tools=[TOOL]).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("length", "Writing.")
    assert choice.message.tool_calls[0].function.arguments == '{"q":"one tw"}'
    with chat.chat.completions.create(model="cut", messages=HI, tools=[TOOL], stream=True) as stream:
        assert [c.choices[0].finish_reason for c in stream][-1] == "length"
    answer = messages.messages.create(model="cut", messages=HI, tools=[CLAUDE_TOOL], max_tokens=9)
    assert (answer.stop_reason, answer.content[1].input) == ("max_tokens", {"q": "one tw"})
    with messages.messages.stream(model="cut", messages=HI, tools=[CLAUDE_TOOL], max_tokens=9) as stream:
        assert stream.get_final_message().stop_reason == "max_tokens"


BROKEN = {
    "breaks": "",
    "stops_short": "the upstream ended in the middle of a reply",
    "fails": "the upstream failed: {'message': 'out of memory'}",
    "garbage": "Expecting property name",
}


@pytest.mark.parametrize("model", BROKEN)
def test_openai_stream_that_breaks_ends_with_an_error_and_loses_nothing(chat: openai.OpenAI, model: str) -> None:
    chunks: list[Any] = []
    stream = chat.chat.completions.create(model=model, messages=HI, tools=[TOOL], stream=True)
    with pytest.raises(openai.APIError) as caught:
        chunks.extend(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Hello <tool_"
    assert BROKEN[model] in caught.value.message


@pytest.mark.parametrize("model", BROKEN)
def test_anthropic_stream_that_breaks_ends_with_an_error_and_loses_nothing(
    messages: anthropic.Anthropic, model: str
) -> None:
    events: list[Any] = []
    stream = messages.messages.create(model=model, messages=HI, tools=[CLAUDE_TOOL], max_tokens=9, stream=True)
    with pytest.raises(anthropic.APIStatusError) as caught:
        events.extend(stream)
    assert "".join(e.delta.text for e in events if e.type == "content_block_delta") == "Hello <tool_"
    assert caught.value.body["error"]["type"] == "api_error"
    assert BROKEN[model] in caught.value.body["error"]["message"]


@pytest.mark.parametrize("model", BROKEN)
def test_a_whole_answer_of_an_upstream_that_breaks_is_502(
    chat: openai.OpenAI, messages: anthropic.Anthropic, model: str
) -> None:
    with pytest.raises(openai.InternalServerError) as caught:
        chat.chat.completions.create(model=model, messages=HI)
    assert caught.value.status_code == 502
    assert BROKEN[model] in caught.value.message
    with pytest.raises(anthropic.InternalServerError) as also:
        messages.messages.create(model=model, messages=HI, max_tokens=9)
    assert also.value.status_code == 502


def test_an_upstream_that_reads_calls_itself_is_named(chat: openai.OpenAI) -> None:
    with pytest.raises(openai.InternalServerError, match="switch its tool call parser off"):
        chat.chat.completions.create(model="parsed", messages=HI, tools=[TOOL])


def test_the_status_of_the_upstream_goes_on(chat: openai.OpenAI, messages: anthropic.Anthropic) -> None:
    with pytest.raises(openai.RateLimitError, match="too many requests"):
        chat.chat.completions.create(model="busy", messages=HI, stream=True)
    with pytest.raises(anthropic.RateLimitError, match="too many requests"):
        messages.messages.create(model="busy", messages=HI, max_tokens=9)


def test_no_upstream_is_502() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    with serving(create_app(closed)) as address:
        answer = httpx.post(address + "/v1/chat/completions", json={"model": "m", "messages": HI})
    assert (answer.status_code, answer.json()["error"]["type"]) == (502, "api_error")


@pytest.mark.parametrize("body", [b"no json", b"5", b'{"model": "m", "messages": [], "n": 2}', b'{"tools": [5]}'])
def test_bad_requests_are_400(address: str, body: bytes) -> None:
    assert httpx.post(address + "/v1/chat/completions", content=body).status_code == 400


def test_a_client_that_leaves_ends_the_work_of_the_upstream(
    chat: openai.OpenAI, upstream: tuple[Upstream, str]
) -> None:
    upstream[0].left.clear()
    with chat.chat.completions.create(model="endless", messages=HI, stream=True) as stream:
        assert next(iter(stream)).choices[0].delta.role == "assistant"
    assert upstream[0].left.wait(timeout=30)


def test_a_conversation_with_tools_in_both_dialects(
    chat: openai.OpenAI, messages: anthropic.Anthropic, upstream: tuple[Upstream, str]
) -> None:
    call = {"id": "abcdefghi", "type": "function", "function": {"name": "search", "arguments": '{"q": "a"}'}}
    turns = [
        {"role": "system", "content": "Be brief."},
        *HI,
        {"role": "assistant", "content": "Looking.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "abcdefghi", "content": "found"},
        {"role": "user", "content": "thanks"},
    ]
    chat.chat.completions.create(model="prose", messages=turns, tools=[TOOL], max_tokens=9)
    used = {"type": "tool_use", "id": "abcdefghi", "name": "search", "input": {"q": "a"}}
    found = {"type": "tool_result", "tool_use_id": "abcdefghi", "content": [{"type": "text", "text": "found"}]}
    claude_turns = [
        *HI,
        {"role": "assistant", "content": [{"type": "text", "text": "Looking."}, used]},
        {"role": "user", "content": [found, {"type": "text", "text": "thanks"}]},
    ]
    messages.messages.create(
        model="prose", system="Be brief.", messages=claude_turns, tools=[CLAUDE_TOOL], max_tokens=9
    )
    want = {
        "model": "prose",
        "messages": turns,
        "tools": [TOOL],
        "max_tokens": 9,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert upstream[0].asked[-2:] == [want, want]
    assert upstream[0].keys[-2:] == ["Bearer key", "Bearer key"]


@pytest.mark.parametrize(
    ("server", "more"),
    [
        ("llama.cpp", {"parse_tool_calls": False, "reasoning_format": "none", "tools": [TOOL]}),
        ("vllm", {"tool_choice": "none", "skip_special_tokens": False, "tools": [TOOL]}),
        ("ollama", {}),
    ],
)
def test_each_server_is_asked_for_raw_text(upstream: tuple[Upstream, str], server: str, more: dict[str, Any]) -> None:
    body = {"model": "call", "messages": HI, "tools": [TOOL]}
    with serving(create_app(upstream[1], server=server, format="hermes")) as address:
        answer = httpx.post(address + "/v1/chat/completions", json=body).json()
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "search"
    asked = upstream[0].asked[-1]
    assert {key: asked[key] for key in more} == more
    assert ("tools" in asked) == (server != "ollama")
    offer = json.dumps([TOOL]) in asked["messages"][0]["content"]
    assert (offer, asked["messages"][-1]) == (server == "ollama", HI[0])


def test_a_template_that_opens_the_reasoning(upstream: tuple[Upstream, str]) -> None:
    SCRIPTS["opened"] = (REPLY.removeprefix("<think>"), "stop")
    with serving(create_app(upstream[1], prompt="<think>")) as address:
        answer = httpx.post(address + "/v1/chat/completions", json={"model": "opened", "messages": HI}).json()
    assert answer["choices"][0]["message"]["reasoning_content"] == "Hm."
