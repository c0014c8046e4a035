"""The contracts with transformers, LangChain, pydantic-ai and smolagents, with small stand-ins."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from _hosts import ARGUMENTS, CALL, REPLY, SEARCH, Bag

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


def test_transformers_template_names_the_fields() -> None:
    from toolparse.integrations.transformers import parse_response

    template = {
        "start_anchor": "assistant\n",
        "defaults": {"role": "assistant", "name": "bot"},
        "fields": {"thinking": {"open": "<think>", "close": "</think>"}, "content": {}},
    }
    message = parse_response("<think>Hm.</think>Hello.", template, prefix="")
    assert message == {"role": "assistant", "name": "bot", "content": "Hello.", "thinking": "Hm."}


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
            "args": '{"name": "rm"}',
            "id": None,
            "error": 'Unknown tool "rm". Available now: search',
            "type": "invalid_tool_call",
        }
    ]


def test_langchain_gives_no_cut_call_for_a_whole_one(langchain: Any) -> None:
    cut = CALL[: CALL.index('"a"') + 2]
    said = Bag(content=cut, response_metadata={"finish_reason": "length"}, id="m1", usage_metadata={"n": 5})
    message = langchain.output_parser([SEARCH]).invoke(said)
    assert message.tool_calls == []
    [invalid] = message.invalid_tool_calls
    assert (invalid["name"], invalid["args"], invalid["type"]) == ("search", '{"q":"a"}', "invalid_tool_call")
    assert (message.id, message.response_metadata, message.usage_metadata) == (
        "m1",
        {"finish_reason": "length"},
        {"n": 5},
    )


def test_langchain_leaves_calls_that_were_made(langchain: Any) -> None:
    made = Bag(content="", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    parser = langchain.output_parser([SEARCH])
    assert parser.invoke(made) is made
    assert list(parser.stream(made)) == [made]


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
