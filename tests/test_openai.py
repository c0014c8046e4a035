"""What OpenAI's own client makes of our chunks and response events, and each chunk of a small reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import httpx2 as httpx
import openai
import pytest
import toolparse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter
from toolparse import ArgumentsDelta, CallEnd, CallError, CallFailed, CallStart, ParsedCall, ReasoningDelta, TextDelta
from toolparse import openai as ours

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
                "additionalProperties": False,
            },
        },
    },
]
SOURCE = "if a < b:\n\tprint(\"x\\n\", 'y')\n"


class Reply(NamedTuple):
    """A reply, and the calls that it holds: name, arguments, and whether the call is complete."""

    raw: str
    calls: list[tuple[str, dict[str, Any], bool]]
    prompt: str = ""


def weather(city: str, days: int | None = None, complete: bool = True) -> tuple[str, dict[str, Any], bool]:
    return "get_weather", {"city": city} | ({} if days is None else {"days": days}), complete


REPLIES = {
    "prose": Reply("Nothing to call: «naïve» 天気 🌦\u2028next\x85line.\n", []),
    "hermes": Reply(
        'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Wien", "days": 3}}\n</tool_call>',
        [weather("Wien", 3)],
    ),
    "hermes_two_and_text": Reply(
        'First <tool_call>{"name": "get_weather", "arguments": {"city": "A\\u00e9 \\"x\\""}}</tool_call> then '
        '<tool_call>{"name": "get_weather", "arguments": {"city": "B"}}</tool_call> done.',
        [weather('Aé "x"'), weather("B")],
    ),
    "hermes_single_quotes": Reply(
        "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'O\\'Brien, \"IE\"', 'days': 2,}}</tool_call>",
        [weather('O\'Brien, "IE"', 2)],
    ),
    "hermes_raw_control_characters": Reply(
        '<tool_call>{"name": "write_file", "arguments": {"path": "a.py", "content": "a\n\tb"}}</tool_call>',
        [("write_file", {"path": "a.py", "content": "a\n\tb"}, True)],
    ),
    "hermes_no_arguments": Reply(
        '<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>', [("get_weather", {}, True)]
    ),
    "think": Reply(
        "<think>Which city? Graz.</think>Asking."
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Graz"}}</tool_call>',
        [weather("Graz")],
    ),
    "think_in_prompt": Reply(
        'Which city?\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
        [weather("Graz")],
        "<|im_start|>assistant\n<think>\n",
    ),
    "think_only": Reply("<think>Nothing to do.</think>Hello.", []),
    "lfm2": Reply(
        "Ok <|tool_call_start|>[get_weather(city='it\\'s \"Linz\"', days=2), "
        'get_weather(city="Enns")]<|tool_call_end|>',
        [weather('it\'s "Linz"', 2), weather("Enns")],
    ),
    "qwen3_coder": Reply(
        "I write it.\n<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n"
        + SOURCE
        + "\n</parameter>\n</function>\n</tool_call>",
        [("write_file", {"path": "a.py", "content": SOURCE}, True)],
    ),
    "qwen3_coder_typed": Reply(
        "<tool_call>\n<function=get_weather>\n<parameter=city>\n42\n</parameter>\n<parameter=days>\n42\n</parameter>\n"
        "</function>\n</tool_call>",
        [weather("42", 42)],
    ),
    "bullet": Reply(
        "Looking. ● <function=get_weather><parameter=city>Bad Ischl</parameter>"
        "<parameter=days>5</parameter></function>",
        [weather("Bad Ischl", "5")],
    ),
    "fenced": Reply(
        'Here:\n```json\n{"name": "get_weather", "arguments": {"city": "Wels"}}\n```\n',
        [weather("Wels")],
    ),
    "mention": Reply("Write `<tool_call>` around it, then close with `</tool_call>`.", []),
    "unknown_tool": Reply('Hm. <tool_call>{"name": "rm", "arguments": {"path": "/"}}</tool_call> Done.', []),
    "only_the_wrapper_missing": Reply(
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Wien"}}', [weather("Wien")]
    ),
    "cut_in_a_string": Reply(
        'Sure.<tool_call>{"name": "get_weather", "arguments": {"city": "Sankt Pöl', [weather("Sankt Pöl", None, False)]
    ),
    "cut_in_the_second_call": Reply(
        '<tool_call>{"name": "get_weather", "arguments": {"city": "A"}}</tool_call>'
        '<tool_call>{"name": "get_weather", "arguments": {"city": "B',
        [weather("A"), weather("B", None, False)],
    ),
    "cut_qwen3_coder": Reply(
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\nprint(",
        [("write_file", {"path": "a.py", "content": "print("}, False)],
    ),
    "cut_lfm2": Reply("<|tool_call_start|>[get_weather(city='Wie", [weather("Wie", None, False)]),
}


def cuts(raw: str) -> dict[str, list[str]]:
    """Five ways to cut a reply into pieces."""
    sizes = {"whole": len(raw), "by 1": 1, "by 3": 3, "by 7": 7, "halves": (len(raw) + 1) // 2}
    return {name: [raw[at : at + n] for at in range(0, len(raw), n)] for name, n in sizes.items()}


def read(pieces: list[str], prompt: str, encoder: Any, said: str | None, **options: Any) -> tuple[list[Any], Any]:
    """What ``encoder`` makes of the pieces, and the result of the stream."""
    stream = toolparse.ToolStream(TOOLS, prompt=prompt, **options)
    out: list[Any] = []
    for piece in pieces:
        out += encoder.encode(stream.push(piece))
    out += encoder.encode(stream.finish(said))
    out += encoder.finish(said)
    return out, stream.result()


def called(result: Any) -> list[tuple[str, dict[str, Any], bool]]:
    return [(call.name, call.arguments, call.complete) for call in result.calls]


@pytest.fixture
def client() -> Iterator[Callable[[str], openai.OpenAI]]:
    """Makes a client that receives the given body, whatever it asks."""
    opened: list[httpx.Client] = []

    def make(body: str) -> openai.OpenAI:
        def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body.encode("utf-8"))

        opened.append(httpx.Client(transport=httpx.MockTransport(answer)))
        return openai.OpenAI(api_key="none", base_url="http://localhost/v1", http_client=opened[-1])

    yield make
    for http in opened:
        http.close()


def final_choice(api: openai.OpenAI) -> Any:
    """The choice that the client ends with; the one of its error when it refuses a reply that was cut."""
    try:
        with api.chat.completions.stream(
            model="m", messages=[{"role": "user", "content": "hi"}], tools=TOOLS
        ) as stream:
            for _ in stream:
                pass
            return stream.get_final_completion().choices[0]
    except openai.LengthFinishReasonError as error:
        return error.completion.choices[0]


@pytest.mark.parametrize("name", REPLIES)
def test_the_client_ends_with_our_result(name: str, client: Callable[[str], openai.OpenAI]) -> None:
    reply = REPLIES[name]
    for said in ("stop", "length", None):
        for pieces in cuts(reply.raw).values():
            chunks, result = read(pieces, reply.prompt, ours.ChunkEncoder(model="m"), said)
            for chunk in chunks:
                ChatCompletionChunk.model_validate(chunk, strict=True)
            choice = final_choice(client("".join(map(ours.to_wire, chunks)) + ours.DONE))
            message = ours.to_message(result)
            assert called(result) == reply.calls
            assert choice.message.role == "assistant"
            assert choice.message.content == message["content"]
            assert getattr(choice.message, "reasoning_content", None) == message.get("reasoning_content")
            tool_calls = [
                {"id": c.id, "type": c.type, "function": {"name": c.function.name, "arguments": c.function.arguments}}
                for c in choice.message.tool_calls or []
            ]
            assert tool_calls == message.get("tool_calls", [])
            assert (
                choice.finish_reason
                == ours.to_completion(result, model="m", finish_reason=said)["choices"][0]["finish_reason"]
            )


@pytest.mark.parametrize(
    ("name", "said", "word"),
    [
        ("hermes", "stop", "tool_calls"),
        ("hermes", "tool_calls", "tool_calls"),
        ("hermes", "tool_use", "tool_calls"),
        ("hermes", None, "tool_calls"),
        ("hermes", "eos", "tool_calls"),
        ("hermes", "length", "length"),
        ("hermes", "max_tokens", "length"),
        ("hermes", "content_filter", "content_filter"),
        ("hermes", "refusal", "content_filter"),
        ("only_the_wrapper_missing", "stop", "tool_calls"),
        ("only_the_wrapper_missing", "length", "length"),
        ("prose", "stop", "stop"),
        ("prose", "end_turn", "stop"),
        ("prose", "tool_calls", "stop"),
        ("prose", None, "stop"),
        ("prose", "length", "length"),
        ("unknown_tool", None, "stop"),
        ("cut_in_a_string", None, "length"),
        ("cut_in_a_string", "length", "length"),
        ("cut_in_a_string", "stop", "stop"),
        ("cut_in_the_second_call", None, "length"),
        ("cut_in_the_second_call", "stop", "stop"),
    ],
)
def test_finish_reason(name: str, said: str | None, word: str) -> None:
    reply = REPLIES[name]
    chunks, result = read([reply.raw], reply.prompt, ours.ChunkEncoder(model="m"), said)
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * (len(chunks) - 1) + [word]
    assert ours.to_completion(result, model="m", finish_reason=said)["choices"][0]["finish_reason"] == word


def test_a_dropped_cut_ends_as_length_when_nobody_knows() -> None:
    raw = REPLIES["cut_in_a_string"].raw
    for said, word in ((None, "length"), ("length", "length"), ("stop", "stop")):
        chunks, result = read([raw], "", ours.ChunkEncoder(model="m"), said, cut="drop")
        assert (result.text, result.calls, [error.kind for error in result.errors]) == ("Sure.", [], ["cut"])
        assert chunks[-1]["choices"][0]["finish_reason"] == word
        assert ours.to_completion(result, model="m", finish_reason=said)["choices"][0]["finish_reason"] == word


def parsed_call(arguments: dict[str, Any], complete: bool = True, index: int = 0, id: str = "call00001") -> ParsedCall:
    text = json.dumps(arguments, separators=(",", ":"))
    return ParsedCall("get_weather", arguments, id, None, index, "hermes", "tagged", complete, (), (0, 0), text)


EVENTS = [
    [ReasoningDelta("Hm.")],
    [TextDelta("Sure. ")],
    [CallStart(0, "call00001", "get_weather"), ArgumentsDelta(0, '{"city":"')],
    [ArgumentsDelta(0, "Wien"), ArgumentsDelta(0, '"}'), CallEnd(0, parsed_call({"city": "Wien"}))],
    [CallFailed(CallError("Unknown tool", "unknown_tool", "rm", (0, 2), "<x>"))],
    [CallStart(1, "call00002", "get_weather"), CallEnd(1, parsed_call({}, index=1, id="call00002"))],
    [TextDelta("Done.")],
]


def encoded(encoder: Any, *said: Any, **ending: Any) -> list[Any]:
    out: list[Any] = []
    for events in EVENTS:
        out += encoder.encode(events)
    return out + encoder.finish(*said, **ending)


def call_delta(index: int, arguments: str, **head: Any) -> dict[str, Any]:
    name = {"name": "get_weather"} if head else {}
    return {"tool_calls": [{"index": index, **head, "function": {**name, "arguments": arguments}}]}


def test_every_chunk_of_a_small_reply() -> None:
    chunks = encoded(ours.ChunkEncoder(model="m", id="c-1", created=7), "stop", usage={"total_tokens": 3})
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 7, "model": "m"}
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"role": "assistant", "content": None}, None),
        ({"reasoning_content": "Hm."}, None),
        ({"content": "Sure. "}, None),
        (call_delta(0, "", id="call00001", type="function"), None),
        (call_delta(0, '{"city":"'), None),
        (call_delta(0, "Wien"), None),
        (call_delta(0, '"}'), None),
        (call_delta(1, "", id="call00002", type="function"), None),
        (call_delta(1, "{}"), None),
        ({"content": "Done."}, None),
        ({}, "tool_calls"),
    ]
    choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": word} for delta, word in deltas]
    assert chunks == [{**head, "choices": [choice]} for choice in choices] + [
        {**head, "choices": [], "usage": {"total_tokens": 3}}
    ]


def test_options_of_the_chunks() -> None:
    plain = [chunk["choices"][0]["delta"] for chunk in encoded(ours.ChunkEncoder(model="m"))]
    named = ours.ChunkEncoder(model="m", reasoning_field="reasoning", on_error="text", choice=2)
    chunks = encoded(named)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas == [plain[0], {"reasoning": "Hm."}, *plain[2:7], {"content": "<x>"}, *plain[7:]]
    assert {chunk["choices"][0]["index"] for chunk in chunks} == {2}
    silent = encoded(ours.ChunkEncoder(model="m", reasoning_field=None))
    assert [chunk["choices"][0]["delta"] for chunk in silent] == [plain[0], *plain[2:]]


def test_ids_are_made_when_none_are_given() -> None:
    first, second = ours.ChunkEncoder(model="m"), ours.ChunkEncoder(model="m")
    assert first.id.startswith("chatcmpl-")
    assert first.id != second.id
    assert first.finish()[0]["id"] == first.id


def test_an_empty_reply_has_a_role_and_an_end() -> None:
    chunks = ours.ChunkEncoder(model="m").finish("stop")
    found = [(chunk["choices"][0]["delta"], chunk["choices"][0]["finish_reason"]) for chunk in chunks]
    assert found == [({"role": "assistant", "content": None}, None), ({}, "stop")]


def test_a_call_that_never_ended_is_a_cut() -> None:
    encoder = ours.ChunkEncoder(model="m")
    encoder.encode([CallStart(0, "call00001", "get_weather"), ArgumentsDelta(0, '{"ci')])
    assert encoder.finish()[-1]["choices"][0]["finish_reason"] == "length"


def test_to_wire_is_one_ascii_event() -> None:
    assert ours.to_wire({"a": "é\u2028\n", "b": [1, None]}) == 'data: {"a":"\\u00e9\\u2028\\n","b":[1,null]}\n\n'
    assert ours.to_wire({"type": "x", "n": 0}) == 'event: x\ndata: {"type":"x","n":0}\n\n'
    assert ours.DONE == "data: [DONE]\n\n"


def test_to_message_and_to_completion() -> None:
    raw = '<think>Hm.</think>Sure. <tool_call>{"name": "get_weather", "arguments": {"city": "Wien"}}</tool_call>'
    result = toolparse.parse_tool_calls(raw, TOOLS, ids=lambda index, name, native: f"call0000{index}")
    calls = [
        {
            "id": "call00000",
            "type": "function",
            "function": {"name": "get_weather", "arguments": result.calls[0].arguments_json},
        }
    ]
    assert json.loads(result.calls[0].arguments_json) == {"city": "Wien"}
    message = {"role": "assistant", "content": result.text, "reasoning_content": "Hm.", "tool_calls": calls}
    assert ours.to_message(result) == message
    assert ours.to_message(result, reasoning_field="reasoning")["reasoning"] == "Hm."
    assert "reasoning_content" not in ours.to_message(result, reasoning_field=None)
    completion = ours.to_completion(result, model="m", finish_reason="stop", usage=USAGE, id="c-1", created=7)
    assert completion == {
        "id": "c-1",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
        "usage": USAGE,
    }
    ChatCompletion.model_validate(completion, strict=True)


USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def test_a_message_without_text_has_no_content() -> None:
    result = toolparse.parse_tool_calls('<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>', TOOLS)
    assert ours.to_message(result)["content"] is None
    assert ours.to_message(toolparse.parse_tool_calls("", TOOLS)) == {"role": "assistant", "content": None}


EVENT = TypeAdapter(ResponseStreamEvent)


@pytest.mark.parametrize("name", REPLIES)
def test_the_response_client_ends_with_our_result(name: str, client: Callable[[str], openai.OpenAI]) -> None:
    reply = REPLIES[name]
    for said in ("stop", "length"):
        for pieces in cuts(reply.raw).values():
            events, result = read(
                pieces, reply.prompt, ours.ResponseEncoder(model="m", id="resp_1", created_at=7), said
            )
            api = client("".join(map(ours.to_wire, events)))
            with api.responses.stream(model="m", input="hi") as stream:
                seen = list(stream)
            assert [event.sequence_number for event in seen] == list(range(len(events)))
            response = seen[-1].response
            assert seen[-1].type == ("response.incomplete" if said == "length" else "response.completed")
            whole = ours.to_response(result, model="m", finish_reason=said, id="resp_1", created_at=7)
            Response.model_validate(whole)
            assert response.status == whole["status"]
            assert "".join(d.delta for d in seen if d.type == "response.output_text.delta") == result.text
            assert [summary(item.to_dict()) for item in response.output] == [summary(i) for i in whole["output"]]


def summary(item: dict[str, Any]) -> tuple[Any, ...]:
    if item["type"] == "function_call":
        return item["type"], item["id"], item["call_id"], item["name"], item["arguments"]
    return item["type"], item["id"], "".join(part["text"] for part in item["content"])


def test_every_event_of_a_small_response() -> None:
    events = encoded(ours.ResponseEncoder(model="m", id="resp_1", created_at=7), "stop", usage=None)
    for event in events:
        EVENT.validate_python(event)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event["type"].removeprefix("response.") for event in events] == [
        *("created", "in_progress"),
        *("output_item.added", "content_part.added", "reasoning_text.delta"),
        *("reasoning_text.done", "content_part.done", "output_item.done"),
        *("output_item.added", "content_part.added", "output_text.delta"),
        *("output_text.done", "content_part.done", "output_item.done"),
        "output_item.added",
        *["function_call_arguments.delta"] * 3,
        *("function_call_arguments.done", "output_item.done"),
        *("output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"),
        *("output_item.added", "content_part.added", "output_text.delta"),
        *("output_text.done", "content_part.done", "output_item.done"),
        "completed",
    ]
    call = {
        "id": "fc_1_2",
        "type": "function_call",
        "status": "completed",
        "call_id": "call00001",
        "name": "get_weather",
    }
    assert events[14] == {
        "type": "response.output_item.added",
        "sequence_number": 14,
        "output_index": 2,
        "item": {**call, "status": "in_progress", "arguments": ""},
    }
    assert events[16] == {
        "type": "response.function_call_arguments.delta",
        "sequence_number": 16,
        "item_id": "fc_1_2",
        "output_index": 2,
        "delta": "Wien",
    }
    assert events[18]["arguments"] == '{"city":"Wien"}'
    text = {"type": "output_text", "annotations": [], "logprobs": []}
    message = {"type": "message", "status": "completed", "role": "assistant"}
    assert events[-1]["response"] == {
        "id": "resp_1",
        "object": "response",
        "created_at": 7,
        "status": "completed",
        "model": "m",
        "output": [
            {
                "id": "rs_1_0",
                "type": "reasoning",
                "status": "completed",
                "summary": [],
                "content": [{"type": "reasoning_text", "text": "Hm."}],
            },
            {"id": "msg_1_1", **message, "content": [{**text, "text": "Sure. "}]},
            {**call, "arguments": '{"city":"Wien"}'},
            {**call, "id": "fc_1_3", "call_id": "call00002", "arguments": "{}"},
            {"id": "msg_1_4", **message, "content": [{**text, "text": "Done."}]},
        ],
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }


def test_a_cut_response_is_incomplete() -> None:
    raw = REPLIES["cut_in_a_string"].raw
    events, result = read([raw], "", ours.ResponseEncoder(model="m", id="resp_1", created_at=7), None)
    last = events[-1]
    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
    assert [item["status"] for item in last["response"]["output"]] == ["completed", "incomplete"]
    assert last["response"] == ours.to_response(result, model="m", id="resp_1", created_at=7)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<tool_call>\n{"name": "write_file", "arguments": {"path": "a.txt", "content": "', '"}}\n</tool_call>'),
        (
            "<tool_call>\n<function=write_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\n",
            "\n</parameter>\n</function>\n</tool_call>",
        ),
    ],
    ids=["hermes", "qwen3_coder"],
)
def test_a_long_argument_streams_as_it_is_written(before: str, after: str) -> None:
    """Each piece of a 30 KB string leaves with the next ones, never at the end."""
    content = "The quick brown fox, <b>jumps</b> over {the} lazy dog. " * 550
    raw = before + content + after
    encoder, stream = ours.ChunkEncoder(model="m"), toolparse.ToolStream(TOOLS)
    sent_at: list[int] = []
    for at in range(0, len(raw), 4):
        deltas = [chunk["choices"][0]["delta"] for chunk in encoder.encode(stream.push(raw[at : at + 4]))]
        pieces = [d["tool_calls"][0]["function"]["arguments"] for d in deltas if "tool_calls" in d]
        if any(pieces):
            sent_at.append(at // 4)
    first, last = len(before) // 4, (len(before) + len(content)) // 4
    times = [first, *(n for n in sent_at if first <= n <= last), last]
    assert len(content) > 30_000
    assert max(later - earlier for earlier, later in pairwise(times)) <= 4
    encoder.encode(stream.finish("stop"))
    assert stream.result().calls[0].arguments == {"path": "a.txt", "content": content}
