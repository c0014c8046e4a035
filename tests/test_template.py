"""A checkpoint's own ``response_template`` as ``format``: read whole and in pieces, or refused with the key's name."""

from __future__ import annotations

import copy
import pickle
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from toolparse import ParseResult, ProseFilter, ToolStream, parse_tool_calls

if TYPE_CHECKING:
    from toolparse._core import FormatLike

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "book",
            "parameters": {"properties": {"hotel": {"type": "string"}, "nights": {"type": "integer"}}},
        },
    }
]
BOOKED = [("book", {"hotel": "Adler", "nights": 3}), ("book", {"hotel": "Zum <b>Löwen</b>"})]
FUNCTION = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
THINK = {"open": "<think>", "close": "</think>", "content": "text"}


def template(**fields: Any) -> dict[str, Any]:
    return {"version": 1, "defaults": {"role": "assistant"}, "start_anchor": "<|bot|>\n", "fields": fields}


HERMES_LIKE = template(
    thinking=THINK,
    tool_calls={
        "open_pattern": r"\s*<tool_call>\s*",
        "close": "</tool_call>",
        "repeats": True,
        "content": "json",
        "transform": {"type": "function", "function": "{content}"},
    },
    content={"close_pattern": r"\s*(?:<\|im_end\|>|<\|endoftext\|>)", "content": "text"},
)
GLM_LIKE = template(
    thinking=THINK,
    tool_calls={
        "open_pattern": r"<tool_call>(?P<name>[^\n<]+)\s*",
        "close": "</tool_call>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r"<arg_key>(?P<key>[^<]+)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
            "value_parser": {"name": "json", "args": {"allow_non_json": True}},
        },
        "transform": FUNCTION,
    },
    content={"close": ["<|user|>", "<|observation|>"]},
)
QWEN_CODER_LIKE = template(
    tool_calls={
        "open_pattern": r"\s*<tool_call>\s*<function=(?P<name>[^>]+)>",
        "close_pattern": r"</function>\s*</tool_call>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": {"tag_pattern": r"<parameter=(?P<key>[^>]+)>\n?(?P<value>.*?)\n?</parameter>"},
        "transform": FUNCTION,
    },
    reasoning_content=THINK,
    content={},
)
GEMMA_LIKE = template(
    thinking={"open": "<|channel>thought\n", "close": "<channel|>"},
    tool_calls={
        "open_pattern": r"<\|tool_call>call:(?P<name>[\w.]+)",
        "close": "<tool_call|>",
        "repeats": True,
        "content": "json",
        "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
        "transform": FUNCTION,
    },
    content={"close": ["<turn|>", "<|tool_response>"]},
)
LFM2_LIKE = template(
    thinking=THINK,
    tool_calls={
        "open": "<|tool_call_start|>",
        "close": "<|tool_call_end|>",
        "content": "python-call-list",
        "transform_each": True,
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
    },
    content={"close": "<|im_end|>"},
)
COHERE_LIKE = template(
    content={"open": "<|START_RESPONSE|>", "close": "<|END_RESPONSE|>"},
    thinking={"open": "<|START_THINKING|>", "close": "<|END_THINKING|>"},
    tool_calls={
        "open": "<|START_ACTION|>",
        "close": "<|END_ACTION|>",
        "content": "json",
        "transform_each": True,
        "transform": {"type": "function", "function": {"name": "{tool_name}", "arguments": "{parameters}"}},
    },
)
INVOKE_LIKE = template(
    thinking={"open": ["<think>", "<reason>"], "close": ["</think>", "</reason>"], "repeats": True, "join": ""},
    tool_calls={
        "open_pattern": r'<calls>\s*<invoke name="(?P<name>[^"]+)">',
        "close_pattern": r"</invoke>\s*</calls>|\Z",
        "repeats": True,
        "optional": True,
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r'<parameter name="(?P<key>[^"]+)">(?P<value>[\s\S]*?)</parameter>',
            "value_parser": {"name": "text", "args": {"strip": False}},
            "merge_duplicates": False,
        },
        "transform": {"name": "{name}", "arguments": "{content}"},
    },
    content={},
)

REPLIES = {
    "hermes": (
        HERMES_LIKE,
        "<think>\nHm.\n</think>\n\nBooking.\n"
        '<tool_call>\n{"name": "book", "arguments": {"hotel": "Adler", "nights": 3}}\n</tool_call>\n'
        '<tool_call>\n{"name": "book", "arguments": {"hotel": "Zum <b>Löwen</b>"}}\n</tool_call>'
        "<|im_end|>\n<|endoftext|>",
    ),
    "glm": (
        GLM_LIKE,
        "<think>Hm.</think>\nBooking.\n<tool_call>book\n<arg_key>hotel</arg_key>\n<arg_value>Adler</arg_value>\n"
        "<arg_key>nights</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n"
        "<tool_call>book\n<arg_key>hotel</arg_key>\n<arg_value>Zum <b>Löwen</b></arg_value>\n</tool_call>"
        "<|observation|>",
    ),
    "qwen-coder": (
        QWEN_CODER_LIKE,
        "<think>\nHm.\n</think>\n\nBooking.\n\n"
        "<tool_call>\n<function=book>\n<parameter=hotel>\nAdler\n</parameter>\n<parameter=nights>\n3\n</parameter>\n"
        "</function>\n</tool_call>\n"
        "<tool_call>\n<function=book>\n<parameter=hotel>\nZum <b>Löwen</b>\n</parameter>\n</function>\n</tool_call>",
    ),
    "gemma": (
        GEMMA_LIKE,
        "<|channel>thought\nHm.<channel|>Booking."
        '<|tool_call>call:book{hotel:<|"|>Adler<|"|>,nights:3}<tool_call|>'
        '<|tool_call>call:book{hotel:<|"|>Zum <b>Löwen</b><|"|>}<tool_call|><|tool_response>',
    ),
    "lfm2": (
        LFM2_LIKE,
        "<think>Hm.</think>Booking.\n<|tool_call_start|>[book(hotel='Adler', nights=3), "
        'book(hotel="Zum <b>Löwen</b>")]<|tool_call_end|><|im_end|>',
    ),
    "cohere": (
        COHERE_LIKE,
        "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Booking.<|END_RESPONSE|><|START_ACTION|>[\n"
        '    {"tool_call_id": "0", "tool_name": "book", "parameters": {"hotel": "Adler", "nights": 3}},\n'
        '    {"tool_call_id": "1", "tool_name": "book", "parameters": {"hotel": "Zum <b>Löwen</b>"}}\n]<|END_ACTION|>',
    ),
    "invoke": (
        INVOKE_LIKE,
        '<reason>Hm.</reason>\nBooking.\n<calls>\n<invoke name="book">\n<parameter name="hotel">Adler</parameter>\n'
        '<parameter name="nights">3</parameter>\n</invoke>\n'
        '<invoke name="book">\n<parameter name="hotel">Zum <b>Löwen</b></parameter>\n</invoke>\n</calls>',
    ),
}


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def streamed(reply: str, size: int, **options: Any) -> ParseResult:
    stream = ToolStream(TOOLS, ids="index", **options)
    for piece in pieces(reply, size):
        stream.push(piece)
    stream.finish()
    return stream.result()


@pytest.mark.parametrize("name", REPLIES)
def test_replies_whole_and_streamed(name: str) -> None:
    checkpoint, reply = REPLIES[name]
    whole = parse_tool_calls(reply, TOOLS, format=checkpoint, ids="index")
    assert (whole.text, whole.reasoning, whole.errors) == ("Booking.", "Hm.", [])
    assert [(call.name, call.arguments) for call in whole.calls] == BOOKED
    assert [(call.format, call.complete, call.repairs) for call in whole.calls] == [("response_template", True, ())] * 2
    for size in (1, 3, 7):
        assert streamed(reply, size, format=checkpoint) == whole


@pytest.mark.parametrize("name", REPLIES)
def test_replies_that_break_off_raise_nothing(name: str) -> None:
    checkpoint, reply = REPLIES[name]
    for end in range(len(reply)):
        whole = parse_tool_calls(reply[:end], TOOLS, format=checkpoint, ids="index")
        assert streamed(reply[:end], 1, format=checkpoint) == whole
        assert [call.name for call in whole.calls] in ([], ["book"], ["book"] * 2)


def test_what_a_model_writes_wrong_is_mended() -> None:
    reply = '<tool_call>{"name": "book", "arguments": {"hotel": "Adler", "nights": 3,}}'
    call = parse_tool_calls(reply, TOOLS, format=HERMES_LIKE).calls[0]
    assert call.arguments == {"hotel": "Adler", "nights": 3}
    assert {repair.kind for repair in call.repairs} >= {"trailing_comma"}


def test_other_families_are_text() -> None:
    reply = REPLIES["hermes"][1]
    result = parse_tool_calls(reply, TOOLS, format=LFM2_LIKE)
    assert (result.calls, result.reasoning) == ([], "Hm.")
    assert "<tool_call>" in result.text


def test_a_template_in_a_list() -> None:
    own = template(tool_calls={"open": "<go>", "close": "</go>", "content": "json"}, content={})
    calls = '<go>{"name": "book", "arguments": {}}</go>[TOOL_CALLS][{"name": "book", "arguments": {}}]'
    listed: list[FormatLike] = [[own, "mistral"], ["mistral", own], ["auto", own], (MappingProxyType(own), "mistral")]
    for formats in listed:
        found = parse_tool_calls(calls, TOOLS, format=formats).calls
        assert sorted(call.format for call in found) == ["mistral", "response_template"]
    both = parse_tool_calls(calls + REPLIES["lfm2"][1], TOOLS, format=[own, LFM2_LIKE])
    assert [call.format for call in both.calls] == ["response_template"] * 3
    assert (both.reasoning, len(both.errors)) == ("Hm.", 0)


def test_the_prompt_and_the_prose_filter() -> None:
    result = parse_tool_calls("Hm.</think>Hello.", TOOLS, format=HERMES_LIKE, prompt="<|bot|>\n<think>\n")
    assert (result.reasoning, result.text) == ("Hm.", "Hello.")
    shown = ProseFilter(format=GEMMA_LIKE)
    assert "".join(shown.push(piece) for piece in pieces(REPLIES["gemma"][1], 5)) + shown.flush() == "Booking."


def test_a_stream_is_copied_and_reset_with_its_template() -> None:
    checkpoint, reply = REPLIES["qwen-coder"]
    stream = ToolStream(TOOLS, format=checkpoint, ids="index")
    stream.push(reply[:90])
    copies = [copy.copy(stream), pickle.loads(pickle.dumps(stream))]
    stream.reset()
    stream.push(reply[:90])
    for running in [stream, *copies]:
        running.push(reply[90:])
        running.finish()
        assert [(call.name, call.arguments) for call in running.result().calls] == BOOKED


def calls(**more: Any) -> dict[str, Any]:
    """A template whose calls differ from plain ones by these keys; ``None`` takes a key away."""
    field = {"open": "<go>", "close": "</go>", "content": "json", **more}
    return template(tool_calls={key: value for key, value in field.items() if value is not None}, content={})


def named(**more: Any) -> dict[str, Any]:
    return calls(**{"open": None, "open_pattern": r"<go (?P<name>\w+)>", "transform": FUNCTION, **more})


def inline(**args: Any) -> dict[str, Any]:
    args = {"tag_pattern": r"<p=(?P<key>\w+)>(?P<value>.*?)</p>", **args}
    return named(content="xml-inline", content_args={key: value for key, value in args.items() if value is not None})


def each(transform: Any) -> dict[str, Any]:
    return calls(transform=transform, transform_each=True)


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("start", "unknown key", {**HERMES_LIKE, "start": "x"}),
    ("version", "version 1", {**HERMES_LIKE, "version": 2}),
    ("defaults", "an object", {**HERMES_LIKE, "defaults": None}),
    ("fields", "not empty", {**HERMES_LIKE, "fields": {}}),
    ("start_anchor", "a string", {**HERMES_LIKE, "start_anchor": 1}),
    ("start_anchor_pattern", "start_anchor is given", {**HERMES_LIKE, "start_anchor_pattern": "x"}),
    ("start_anchor_pattern", "look-around", {"start_anchor_pattern": "(?=a)", "fields": {"content": {}}}),
    ("fields.content", "an object", template(content="text")),
    ("fields.content.openn", "unknown key", template(content={"openn": "x"})),
    ("fields.content.content", '"int"', template(content={"content": "int"})),
    ("fields.content.close", "three bytes", template(content={"close": "$$"})),
    ("fields.content.close_pattern", r"`\w+`", template(content={"close_pattern": r"\w+:"})),
    ("fields.content.transform", "{content}", template(content={"transform": {"text": "{content}"}})),
    ("fields.content.optional", "true or false", template(content={"optional": "no"})),
    ("fields.content.join", "repeats", template(content={"join": ""})),
    ("fields.content.join", "joined", template(content={"join": "\n", "repeats": True})),
    ("fields.content.content_args.stripp", "unknown key", template(content={"content_args": {"stripp": True}})),
    ("fields.citations", "no such field", template(citations={"open": "<cite>", "close": "</cite>"})),
    ("fields.thinking.open", "missing", template(thinking={"close": "</think>"})),
    ("fields.thinking.open", "empty", template(thinking={"open": ["<think>", ""]})),
    ("fields.thinking.open", "strings only", template(thinking={"open": ["<think>", 1]})),
    ("fields.thinking.open_pattern", "`^`", template(thinking={"open_pattern": r"(?:^|<think>)"})),
    ("fields.thinking.open_pattern", "group kind", template(thinking={"open_pattern": r"<think (?P<kind>\w+)>"})),
    ("fields.thinking.transform_each", "no list", template(thinking={**THINK, "transform_each": True})),
    ("fields.tool_calls.open", "missing", calls(open=None)),
    ("fields.tool_calls.open", "three bytes", calls(open="<<")),
    ("fields.tool_calls.open", "back-tick", calls(open="```json")),
    ("fields.tool_calls.open_pattern", "open is given", calls(open_pattern="<go>")),
    ("fields.tool_calls.open_pattern", "look-around", calls(open=None, open_pattern="<go>(?!x)")),
    ("fields.tool_calls.open_pattern", "`.*?`", named(open_pattern=r"<go to=(?P<name>\w+).*?>")),
    ("fields.tool_calls.open_pattern", "no regular", calls(open=None, open_pattern="<go>)")),
    ("fields.tool_calls.open_pattern", "no literal", named(open_pattern=r"(?P<name>\w+)<go>")),
    ("fields.tool_calls.open_pattern", "every spelling", named(open_pattern=r"<go (?P<name>\w+)>|<went>")),
    ("fields.tool_calls.open_pattern", "group kind", named(open_pattern=r"<go (?P<kind>\w+)-(?P<name>\w+)>")),
    ("fields.tool_calls.close_pattern", "group end", calls(close=None, close_pattern=r"</(?P<end>\w+)>")),
    ("fields.tool_calls.content", '"text"', calls(content=None)),
    ("fields.tool_calls.content", '"kv-lines"', calls(content="kv-lines")),
    ("fields.tool_calls.content", '"yaml"', calls(content="yaml")),
    ("fields.tool_calls.content_args.loose", "unknown key", calls(content_args={"loose": True})),
    ("fields.tool_calls.content_args.unquoted_keys", "true or false", calls(content_args={"unquoted_keys": 1})),
    ("fields.tool_calls.content_args.string_delims", "same", calls(content_args={"string_delims": [["<<", ">>"]]})),
    (
        "fields.tool_calls.content_args.string_delims",
        "one delimiter",
        calls(content_args={"string_delims": [["<q>", "<q>"], ["<r>", "<r>"]]}),
    ),
    ("fields.tool_calls.transform", "an object", calls(transform=[FUNCTION])),
    ("fields.tool_calls.transform", "missing", calls(transform_each=True)),
    ("fields.tool_calls.transform", "whole call", calls(transform="{content.call}")),
    ("fields.tool_calls.transform.function.name", "missing", calls(transform={"function": {}})),
    ("fields.tool_calls.transform.function.name", "one placeholder", each({"function": {"name": "f-{name}"}})),
    ("fields.tool_calls.transform.function.name", "neither", calls(transform=FUNCTION)),
    ("fields.tool_calls.transform.index", "no such part", each({**FUNCTION, "index": 0})),
    ("fields.tool_calls.transform.type", '"function"', each({**FUNCTION, "type": "tool"})),
    ("fields.tool_calls.transform.id", "id", each({**FUNCTION, "id": "{number}"})),
    ("fields.tool_calls.transform", "two keys", calls(transform={"name": "{content.name}", "arguments": "{content}"})),
    ("fields.tool_calls.transform", "must be", named(transform={"name": "{name}", "arguments": "{content.args}"})),
    (
        "fields.tool_calls.transform_each",
        "no list",
        named(transform_each=True, transform={"name": "{name}", "arguments": "{content}"}),
    ),
    (
        "fields.tool_calls.transform_each",
        "a list",
        calls(
            content="python-call-list",
            transform={"function": {"name": "{content.name}", "arguments": "{content.arguments}"}},
        ),
    ),
    ("fields.tool_calls.content_args.tag_pattern", "missing", inline(tag_pattern=None)),
    ("fields.tool_calls.content_args.tag_pattern", "group key", inline(tag_pattern=r"<(?P<value>.*?)>")),
    (
        "fields.tool_calls.content_args.tag_pattern",
        "look-around",
        inline(tag_pattern=r"<(?P<key>\w+)>(?P<value>.*?)(?=<)"),
    ),
    (
        "fields.tool_calls.content_args.tag_pattern",
        "back-references",
        inline(tag_pattern=r"<(?P<key>\w+)>(?P<value>.*?)</\1>"),
    ),
    ("fields.tool_calls.content_args.merge_duplicates", "twice", inline(merge_duplicates=True)),
    ("fields.tool_calls.content_args.value_parser.name", '"int"', inline(value_parser={"name": "int"})),
    (
        "fields.tool_calls.content_args.value_parser.args.unquoted_keys",
        "unknown key",
        inline(value_parser={"name": "json", "args": {"unquoted_keys": True}}),
    ),
]


@pytest.mark.parametrize(("key", "what", "refused"), REFUSED, ids=[f"{key}-{what}" for key, what, _ in REFUSED])
def test_what_no_row_can_say_is_refused_by_its_key(key: str, what: str, refused: dict[str, Any]) -> None:
    listed: list[FormatLike] = [refused, [refused], ["auto", refused]]
    for given in listed:
        with pytest.raises(ValueError, match=r"^format: ") as raised:
            ToolStream(TOOLS, format=given)
        message = str(raised.value)
        assert message.startswith(f"format: {key}: ")
        assert what in message.removeprefix(f"format: {key}: ")


def test_what_is_no_template_at_all() -> None:
    with pytest.raises(TypeError, match="format must be"):
        parse_tool_calls("", TOOLS, format=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="format cannot be read as JSON"):
        parse_tool_calls("", TOOLS, format={"fields": object()})
    with pytest.raises(ValueError, match="format: the list is empty"):
        parse_tool_calls("", TOOLS, format=[])


def test_the_transformers_parser_reads_by_the_template() -> None:
    from toolparse.integrations.transformers import ResponseParser, parse_response

    checkpoint, reply = REPLIES["gemma"]
    message = parse_response(reply, checkpoint, prefix="", tools=TOOLS)
    assert message["thinking"] == "Hm."
    assert [call["function"] for call in message["tool_calls"]] == [
        {"name": name, "arguments": arguments} for name, arguments in BOOKED
    ]
    parser = ResponseParser(checkpoint, prefix="", tools=TOOLS)
    parser.feed(REPLIES["hermes"][1])
    assert parser.finalize()[0].get("tool_calls") is None
    general = {**HERMES_LIKE, "fields": {"thinking": {"open_pattern": r"(?:^|<think>)", "close": "</think>"}}}
    assert len(parse_response(REPLIES["hermes"][1], general, prefix="", tools=TOOLS)["tool_calls"]) == 2
