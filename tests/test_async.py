"""Replies that arrive asynchronously give the same as those that are pushed."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import AsyncIterator
from typing import Any

import httpx2 as httpx
import openai
import pytest
import toolparse
from test_openai import REPLIES, TOOLS, cuts, read
from toolparse import anthropic
from toolparse import openai as ours_openai

IDS = {"ids": "index"}


async def arriving(pieces: list[Any], failure: Exception | None = None) -> AsyncIterator[Any]:
    for piece in pieces:
        await asyncio.sleep(0)
        yield piece
    if failure is not None:
        raise failure


def collected(source: AsyncIterator[Any]) -> list[Any]:
    async def collect() -> list[Any]:
        return [item async for item in source]

    return asyncio.run(collect())


def pushed(pieces: list[Any], prompt: str, said: str | None) -> list[Any]:
    stream = toolparse.ToolStream(TOOLS, prompt=prompt, **IDS)
    return [event for piece in pieces for event in stream.push(piece)] + stream.finish(said)


@pytest.mark.parametrize("name", REPLIES)
def test_events_are_those_of_the_stream(name: str) -> None:
    reply = REPLIES[name]
    for pieces in cuts(reply.raw).values():
        events = collected(
            toolparse.aevents(arriving(pieces), TOOLS, finish_reason="length", prompt=reply.prompt, **IDS)
        )
        assert events == pushed(pieces, reply.prompt, "length")


def test_bytes_may_end_inside_a_character() -> None:
    data = REPLIES["prose"].raw.encode("utf-8")
    pieces = [data[at : at + 1] for at in range(len(data))]
    events = collected(toolparse.aevents(arriving(pieces), TOOLS))
    assert "".join(event.text for event in events) == REPLIES["prose"].raw


@pytest.mark.parametrize("name", ["hermes", "think", "cut_in_a_string"])
def test_both_encoders(name: str) -> None:
    reply = REPLIES[name]
    pieces = cuts(reply.raw)["by 3"]

    def encoders() -> list[Any]:
        return [
            ours_openai.ChunkEncoder(model="m", id="c-1", created=7),
            ours_openai.ResponseEncoder(model="m", id="resp_1", created_at=7),
            anthropic.EventEncoder(model="m", id="msg_1"),
        ]

    for mine, theirs in zip(encoders(), encoders(), strict=True):
        generator = anthropic.aevents if isinstance(mine, anthropic.EventEncoder) else ours_openai.achunks
        messages = collected(
            generator(arriving(pieces), TOOLS, model="m", encoder=mine, finish_reason=lambda: "length", **IDS)
        )
        assert messages == read(pieces, reply.prompt, theirs, "length", **IDS)[0]


@pytest.mark.parametrize(
    "encoder",
    [
        ours_openai.ChunkEncoder(model="m", id="c-1", created=7),
        ours_openai.ResponseEncoder(model="m", id="resp_1", created_at=7),
        anthropic.EventEncoder(model="m", id="msg_1"),
    ],
    ids=lambda encoder: type(encoder).__name__,
)
def test_an_encoder_can_be_moved_at_any_point(encoder: Any) -> None:
    pieces = cuts(REPLIES["think"].raw)["by 7"]
    for moved_at in range(len(pieces) + 1):
        stay, move = copy.deepcopy(encoder), copy.deepcopy(encoder)
        stream = toolparse.ToolStream(TOOLS, **IDS)
        for at, piece in enumerate([*pieces, None]):
            if at == moved_at:
                move = pickle.loads(pickle.dumps(move))
            events = stream.finish("stop") if piece is None else stream.push(piece)
            assert move.encode(events) == stay.encode(events)
        assert move.finish("stop") == stay.finish("stop")


def test_encoders_are_made_when_none_is_given() -> None:
    chunks = collected(ours_openai.achunks(arriving(["Hi."]), TOOLS, model="m"))
    assert [chunk["choices"][0]["delta"] for chunk in chunks] == [
        {"role": "assistant", "content": None},
        {"content": "Hi."},
        {},
    ]
    assert {chunk["model"] for chunk in chunks} == {"m"}
    events = collected(anthropic.aevents(arriving(["Hi."]), TOOLS, model="m"))
    assert events[0]["message"]["model"] == "m"
    assert events[-1] == {"type": "message_stop"}


def test_the_finish_reason_is_asked_for_after_the_last_piece() -> None:
    asked: list[str] = []

    async def pieces() -> AsyncIterator[str]:
        yield "Hi."
        asked.append("piece")

    def said() -> str:
        asked.append("reason")
        return "length"

    chunks = collected(ours_openai.achunks(pieces(), TOOLS, model="m", finish_reason=said))
    assert asked[0] == "piece"
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"


def test_a_stream_in_the_place_of_tools_has_the_result() -> None:
    stream = toolparse.ToolStream(TOOLS)
    reply = REPLIES["hermes"]
    collected(toolparse.aevents(arriving(cuts(reply.raw)["by 7"]), stream))
    assert [call.arguments for call in stream.result().calls] == [{"city": "Wien", "days": 3}]
    with pytest.raises(TypeError, match="has its options already"):
        collected(toolparse.aevents(arriving([]), toolparse.ToolStream(TOOLS), cut="drop"))


def test_nothing_is_lost_when_the_source_breaks() -> None:
    """What was held comes out as in a cut reply, then the error; the encoders send no ending."""
    source = REPLIES["cut_in_a_string"].raw
    out: list[Any] = []

    async def consume(generator: AsyncIterator[Any]) -> None:
        out.clear()
        async for item in generator:
            out.append(item)

    failure = ConnectionError("upstream went away")
    with pytest.raises(ConnectionError) as raised:
        asyncio.run(consume(toolparse.aevents(arriving([source], failure), TOOLS, **IDS)))
    assert raised.value is failure
    assert out == pushed([source], "", "length")
    assert (out[-1].call.name, out[-1].call.complete) == ("get_weather", False)
    with pytest.raises(ConnectionError):
        asyncio.run(consume(ours_openai.achunks(arriving(["Hi <tool"], failure), TOOLS, model="m")))
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in out) == "Hi <tool"
    assert {chunk["choices"][0]["finish_reason"] for chunk in out} == {None}


def test_the_async_client_reads_while_we_write() -> None:
    reply = REPLIES["hermes"]

    async def body() -> AsyncIterator[bytes]:
        async for chunk in ours_openai.achunks(arriving(cuts(reply.raw)["by 3"]), TOOLS, model="m"):
            yield ours_openai.to_wire(chunk).encode()
        yield ours_openai.DONE.encode()

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body())

    async def talk() -> Any:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            api = openai.AsyncOpenAI(api_key="none", base_url="http://localhost/v1", http_client=http)
            messages: Any = [{"role": "user", "content": "hi"}]
            async with api.chat.completions.stream(model="m", messages=messages, tools=TOOLS) as stream:
                async for _ in stream:
                    pass
                return (await stream.get_final_completion()).choices[0]

    choice = asyncio.run(talk())
    assert choice.finish_reason == "tool_calls"
    call = choice.message.tool_calls[0]
    assert (call.function.name, call.function.parsed_arguments) == ("get_weather", {"city": "Wien", "days": 3})
