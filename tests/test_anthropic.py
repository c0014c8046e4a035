"""What Anthropic's own client makes of our stream events, and each event of a small reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx2 as httpx
import pytest
import toolparse
from anthropic.types import Message, RawMessageStreamEvent
from pydantic import TypeAdapter
from test_openai import REPLIES, TOOLS, called, cuts, encoded, read
from toolparse import ArgumentsDelta, CallStart, ReasoningDelta, TextDelta
from toolparse import anthropic as ours

EVENT = TypeAdapter(RawMessageStreamEvent)


@pytest.fixture
def client() -> Iterator[Callable[[str], anthropic.Anthropic]]:
    """Makes a client that receives the given body, whatever it asks."""
    opened: list[httpx.Client] = []

    def make(body: str) -> anthropic.Anthropic:
        def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body.encode("utf-8"))

        opened.append(httpx.Client(transport=httpx.MockTransport(answer)))
        return anthropic.Anthropic(api_key="none", base_url="http://localhost", http_client=opened[-1])

    yield make
    for http in opened:
        http.close()


def final_message(api: anthropic.Anthropic) -> Any:
    with api.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}]) as stream:
        for _ in stream:
            pass
        return stream.get_final_message()


@pytest.mark.parametrize("name", REPLIES)
def test_the_client_ends_with_our_result(name: str, client: Callable[[str], anthropic.Anthropic]) -> None:
    reply = REPLIES[name]
    for said in ("stop", "length", None):
        for pieces in cuts(reply.raw).values():
            events, result = read(pieces, reply.prompt, ours.EventEncoder(model="m", id="msg_1"), said)
            for event in events:
                EVENT.validate_python(event)
            message = final_message(client("".join(map(ours.to_wire, events))))
            want = ours.to_message(result, model="m", id="msg_1", finish_reason=said)
            assert called(result) == reply.calls
            assert [block.to_dict() for block in message.content] == want["content"]
            assert "".join(block.text for block in message.content if block.type == "text") == result.text
            assert message.stop_reason == want["stop_reason"]
            assert message.id == "msg_1"
            Message.model_validate(want, strict=True)


@pytest.mark.parametrize(
    ("name", "said", "word"),
    [
        ("hermes", "stop", "tool_use"),
        ("hermes", "end_turn", "tool_use"),
        ("hermes", "tool_use", "tool_use"),
        ("hermes", "tool_calls", "tool_use"),
        ("hermes", None, "tool_use"),
        ("hermes", "length", "max_tokens"),
        ("hermes", "max_tokens", "max_tokens"),
        ("hermes", "content_filter", "refusal"),
        ("prose", "stop", "end_turn"),
        ("prose", "stop_sequence", "end_turn"),
        ("prose", None, "end_turn"),
        ("prose", "length", "max_tokens"),
        ("cut_in_a_string", None, "max_tokens"),
        ("cut_in_a_string", "max_tokens", "max_tokens"),
        ("cut_in_a_string", "stop", "end_turn"),
        ("cut_in_the_second_call", None, "max_tokens"),
    ],
)
def test_stop_reason(name: str, said: str | None, word: str) -> None:
    reply = REPLIES[name]
    events, result = read([reply.raw], reply.prompt, ours.EventEncoder(model="m"), said)
    assert [e["delta"]["stop_reason"] for e in events if e["type"] == "message_delta"] == [word]
    assert ours.to_message(result, model="m", finish_reason=said)["stop_reason"] == word


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


BEGIN = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 0},
    },
}


def test_every_event_of_a_small_reply() -> None:
    encoder = ours.EventEncoder(model="m", id="msg_1", usage={"input_tokens": 5})
    assert encoded(encoder, "stop", usage={"output_tokens": 9}) == [
        BEGIN,
        start(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="Hm."),
        stop(0),
        start(1, type="text", text=""),
        delta(1, type="text_delta", text="Sure. "),
        stop(1),
        start(2, type="tool_use", id="call00001", name="get_weather", input={}),
        delta(2, type="input_json_delta", partial_json='{"city":"'),
        delta(2, type="input_json_delta", partial_json="Wien"),
        delta(2, type="input_json_delta", partial_json='"}'),
        stop(2),
        start(3, type="tool_use", id="call00002", name="get_weather", input={}),
        delta(3, type="input_json_delta", partial_json="{}"),
        stop(3),
        start(4, type="text", text=""),
        delta(4, type="text_delta", text="Done."),
        stop(4),
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]


def test_options_of_the_events() -> None:
    events = encoded(ours.EventEncoder(model="m", thinking=False, on_error="text"))
    started = [event["content_block"]["type"] for event in events if event["type"] == "content_block_start"]
    assert started == ["text", "tool_use", "text", "tool_use", "text"]
    texts = [e["delta"]["text"] for e in events if e.get("delta", {}).get("type") == "text_delta"]
    assert texts == ["Sure. ", "<x>", "Done."]
    assert [event["index"] for event in events if event["type"] == "content_block_stop"] == [0, 1, 2, 3, 4]


def test_one_text_block_as_long_as_nothing_else_comes() -> None:
    encoder = ours.EventEncoder(model="m", id="msg_1", usage={"input_tokens": 5})
    assert encoder.encode([]) == [BEGIN]
    assert encoder.encode([TextDelta("a"), TextDelta("b")]) == [
        start(0, type="text", text=""),
        delta(0, type="text_delta", text="a"),
        delta(0, type="text_delta", text="b"),
    ]
    assert encoder.encode([ReasoningDelta("c")])[0] == stop(0)
    assert [event["type"] for event in encoder.finish()] == ["content_block_stop", "message_delta", "message_stop"]


def test_an_empty_reply_has_a_start_and_an_end() -> None:
    events = ours.EventEncoder(model="m").finish("stop")
    assert [event["type"] for event in events] == ["message_start", "message_delta", "message_stop"]
    assert events[1]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert events[1]["usage"] == {"output_tokens": 0}


def test_a_call_that_never_ended_is_a_cut() -> None:
    encoder = ours.EventEncoder(model="m")
    encoder.encode([CallStart(0, "call00001", "get_weather"), ArgumentsDelta(0, '{"ci')])
    closing = encoder.finish()
    assert closing[0] == stop(0)
    assert closing[1]["delta"]["stop_reason"] == "max_tokens"


def test_to_wire_names_the_event() -> None:
    assert (
        ours.to_wire({"type": "ping", "text": "é\u2028"})
        == 'event: ping\ndata: {"type":"ping","text":"\\u00e9\\u2028"}\n\n'
    )


MIXED = (
    "<think>Zürich, Üetliberg.</think>Grüezi <tool_call>"
    '{"name": "get_weather", "arguments": {"city": "Zürich"}}</tool_call> und dann <tool_call>'
    '{"name": "get_weather", "arguments": {"city": "Bern"}}</tool_call> fertig.'
)


@pytest.mark.parametrize("raw", [MIXED, MIXED.encode("utf-8")], ids=["str", "bytes"])
def test_blocks_stand_in_the_order_of_the_text(raw: str | bytes) -> None:
    result = toolparse.parse_tool_calls(raw, TOOLS, ids=lambda index, name, native: f"call0000{index}")
    content = ours.to_content(result)
    assert [block["type"] for block in content] == ["thinking", "text", "tool_use", "text", "tool_use", "text"]
    assert content[0] == {"type": "thinking", "thinking": "Zürich, Üetliberg.", "signature": ""}
    assert [block["text"].strip() for block in content if block["type"] == "text"] == ["Grüezi", "und dann", "fertig."]
    assert "".join(block["text"] for block in content if block["type"] == "text") == result.text
    assert content[2] == {"type": "tool_use", "id": "call00000", "name": "get_weather", "input": {"city": "Zürich"}}
    assert content[4] == {"type": "tool_use", "id": "call00001", "name": "get_weather", "input": {"city": "Bern"}}
    assert ours.to_content(result, thinking=False) == content[1:]


def test_failed_calls_as_text_stand_in_their_place() -> None:
    raw = (
        'One <tool_call>{"name": "rm", "arguments": {}}</tool_call> two <tool_call>'
        '{"name": "get_weather", "arguments": {"city": "A"}}</tool_call> three'
    )
    result = toolparse.parse_tool_calls(raw, TOOLS)
    assert [error.kind for error in result.errors] == ["unknown_tool"]
    assert [block["type"] for block in ours.to_content(result)] == ["text", "tool_use", "text"]
    shown = ours.to_content(result, on_error="text")
    assert [block["type"] for block in shown] == ["text", "tool_use", "text"]
    assert '"rm"' in shown[0]["text"]
    assert shown[0]["text"].startswith("One")
    assert shown[0]["text"].rstrip().endswith("two")


def test_a_message() -> None:
    result = toolparse.parse_tool_calls("Hello.", TOOLS)
    assert ours.to_message(result, model="m", id="msg_1", finish_reason="stop", usage={"output_tokens": 2}) == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Hello."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 2},
    }
    assert ours.to_message(result, model="m")["id"].startswith("msg_")
    assert ours.to_content(toolparse.parse_tool_calls("", TOOLS)) == []


def test_blocks_follow_a_result_that_its_owner_changed() -> None:
    call = '<tool_call>{"name": "%s", "arguments": {}}</tool_call>'
    raw = "<think>hm</think>A " + call % "f" + " B " + call % "g"
    result = toolparse.parse_tool_calls(raw, ["f", "g"], ids="index")
    result.calls = [c for c in result.calls if c.name == "g"]
    result.reasoning = None
    assert [block["type"] for block in ours.to_content(result)] == ["text", "tool_use"]
    assert [block["name"] for block in ours.to_content(result) if block["type"] == "tool_use"] == ["g"]
    result = toolparse.parse_tool_calls("secret " + call % "f", ["f"])
    result.text = "[redacted]"
    assert ours.to_content(result)[0] == {"type": "text", "text": "[redacted]"}
