"""What holds for every text, tried on made-up text: Hypothesis with a fixed seed, so that each run is the same."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
import toolparse
from _reading import facts, streamed, tiles, whole
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIXED = settings(
    derandomize=True,
    deadline=None,
    max_examples=300,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

SCHEMA = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "b": {"type": "boolean"},
        "l": {"type": "array"},
        "o": {"type": "object"},
    },
}
TOOLS = toolparse.Tools([{"name": name, "input_schema": SCHEMA} for name in ("f", "get_weather")])
OFFERED = {"f", "get_weather"}


# Text

MARKERS = sorted(
    {marker for info in toolparse.formats() for marker in (*info.openers, *info.closers) if marker}
    | {
        "<think>",
        "</think>",
        "[THINK]",
        "[/THINK]",
        "<|channel|>",
        "<|message|>",
        "<|end|>",
        "<|im_end|>",
        "●",
        "```",
        "`",
    }
    | {
        "<function=f>",
        "</function>",
        "<parameter=s>",
        "</parameter>",
        "<arg_key>",
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
    }
)
DAMAGE = [
    "'",
    '"',
    "\\",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    "\n",
    "//",
    "/*",
    "True",
    "nul",
    "1e",
    "-",
    "\\u00",
    "\\ud83d",
]
BODIES = [
    '{"name": "f", "arguments": {"s": "x", "i": 2}}',
    '{"name":"get_weather","arguments":{}}',
    '{"name": "zz", "arguments": {"a": [1, {"b": null}]}}',
    "{'name': 'f', 'arguments': {'s': 'it', 'b': True,}}",
    'f(s="x", i=2)',
    "<function=f><parameter=s>x</parameter></function>",
    "f\n<arg_key>s</arg_key>\n<arg_value>x</arg_value>\n",
    'functions.f:0<|tool_call_argument_begin|>{"s": "x"}',
    'f[ARGS]{"s": "x"}',
    'call:f{s:<|"|>x<|"|>}',
    '{"name": "f", "arguments": {"s": "</tool_call> <tool_call> \\"",',
]
CALLS = [
    f"<tool_call>{BODIES[0]}</tool_call>",
    f"<tool_call>\n{BODIES[5]}\n</tool_call>",
    f"<tool_call>{BODIES[6]}</tool_call>",
    f"<|tool_call_start|>[{BODIES[4]}]<|tool_call_end|>",
    f"● {BODIES[5]}",
    f"```json\n{BODIES[0]}\n```",
    f"<think>{BODIES[0]}</think>",
]


@st.composite
def marker_prefixes(draw: st.DrawFn) -> str:
    marker = draw(st.sampled_from(MARKERS))
    return marker[: draw(st.integers(0, len(marker)))]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A call with up to three places where something is missing, doubled, cut off or put in."""
    text = draw(st.sampled_from(CALLS + BODIES))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(["drop", "double", "cut", "insert"])):
            case "drop":
                text = text[:at] + text[at + 1 :]
            case "double":
                text = text[:at] + text[at : at + 3] + text[at:]
            case "cut":
                text = text[:at]
            case _:
                text = text[:at] + draw(st.sampled_from(DAMAGE + MARKERS)) + text[at:]
    return text


PROSE = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=st.characters(categories=["Cs", "Cc", "Ll", "Zs", "So"]), max_size=4),
    st.sampled_from(["Hello. ", "a < b", "\n", "  ", "see `<tool_call>` ", "|x|", "●", "é😀東京"]),
)
TEXT = st.lists(
    st.one_of(PROSE, st.sampled_from(MARKERS), marker_prefixes(), st.sampled_from(BODIES), damaged()), max_size=8
).map("".join)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "format": st.sampled_from(
            ["auto", *(info.name for info in toolparse.formats()), ["auto", "json_line"], ["hermes", "lfm2"]]
        ),
        "cut": st.sampled_from(["keep", "drop"]),
        "prompt": st.sampled_from(["", "<think>\n", "<think></think>", "<|start|>assistant"]),
        "finish_reason": st.sampled_from([None, "stop", "length"]),
        "max_bytes": st.sampled_from([None, 0, 7, 40]),
    },
)


@st.composite
def cut_up(draw: st.DrawFn, raw: str) -> list[str]:
    places = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    return [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)]


# What holds for every text


@FIXED
@given(st.data(), TEXT, OPTIONS)
def test_any_text(data: st.DataObject, raw: str, options: dict[str, Any]) -> None:
    """R1 no raise, R6 the stream says the same, R13 each call once, R7 nothing is lost, R9 only offered names."""
    result = whole(raw, TOOLS, **options)
    if not result.truncated:
        tiles(result, len(raw))
    assert {call.name for call in result.calls} <= OFFERED
    for call in result.calls:
        call.arguments_json.encode("utf-8")
        assert 0 <= call.span[0] < call.span[1] <= len(raw)
    for pieces in (list(raw), data.draw(cut_up(raw))):
        assert facts(streamed(pieces, TOOLS, **options)) == facts(result)


@FIXED
@given(TEXT)
def test_any_text_without_a_tool_list(raw: str) -> None:
    result = whole(raw, None)
    tiles(result, len(raw))
    assert facts(streamed(list(raw), None)) == facts(result)


@FIXED
@given(st.lists(st.one_of(st.binary(max_size=6), TEXT.map(lambda t: t.encode("utf-8", "surrogatepass"))), max_size=4))
def test_any_bytes(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    result = whole(data, TOOLS)
    tiles(result, len(data))
    assert {call.name for call in result.calls} <= OFFERED
    assert facts(streamed(pieces, TOOLS)) == facts(result)
    assert facts(streamed([data[at : at + 1] for at in range(len(data))], TOOLS)) == facts(result)


@FIXED
@given(st.data(), TEXT)
def test_the_filter_shows_the_same_for_every_cut(data: st.DataObject, raw: str) -> None:
    def shown(pieces: list[str]) -> str:
        prose = toolparse.ProseFilter()
        return "".join([*map(prose.push, pieces), prose.flush(), prose.flush()])

    want = shown([raw])
    assert shown(list(raw)) == want
    assert shown(data.draw(cut_up(raw))) == want


@FIXED
@given(st.data(), TEXT)
def test_the_old_parser_gives_the_same_for_every_cut(data: st.DataObject, raw: str) -> None:
    def read(pieces: list[str]) -> tuple[str, list[tuple[str, Any, bool]]]:
        parser = toolparse.HeuristicToolParser()
        fed = [parser.feed(piece) for piece in pieces]
        uses = [use for _, found in fed for use in found] + parser.flush()
        text = "".join(text for text, _ in fed) + parser.pending_text
        return text, [(use["name"], use["input"], use.complete) for use in uses]

    want = read([raw])
    assert read(list(raw)) == want
    assert read(data.draw(cut_up(raw))) == want


@FIXED
@given(st.one_of(TEXT, damaged(), st.sampled_from(BODIES)), st.booleans())
def test_repair_of_any_text(raw: str, ended: bool) -> None:
    got = toolparse.repair_json(raw, ended=ended)
    if got.value is not toolparse.MISSING and not any(r.kind == "number_as_text" for r in got.repairs):
        assert json.dumps(json.loads(got.text)) == json.dumps(got.value)


# Bad calls and good neighbours

GOOD = '<tool_call>{"name": "f", "arguments": {"s": "good", "i": 1}}</tool_call>'
BAD = [
    "<tool_call></tool_call>",
    "<tool_call>nothing like a call</tool_call>",
    '<tool_call>{"name": "zz", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "f", "arguments": [1]}</tool_call>',
    '<tool_call>{"name": "f", "arguments": {"s": "a" "b"}}</tool_call>',
    "<tool_call>{'name': 'f', 'arguments': {'s': 'x',,}}</tool_call>",
    '<tool_call>{"name": "f", "arguments": {"i": 1</tool_call>',
    '<tool_call>{"name": "f"</tool_call>',
    '<tool_call>{"arguments": {}}</tool_call>',
    '<tool_call>{"name": "f", "arguments": "not an object"}</tool_call>',
    '<tool_call>{{"name": "f", "arguments": {}}}</tool_call>',
    '<tool_call>{"name": "f", "arguments": {"l": ' + "[" * 300 + "]" * 300 + "}}</tool_call>",
    "<tool_call><function=zz><parameter=s>x</parameter></function></tool_call>",
    "<tool_call><function=f><parameter=s>x</function></tool_call>",
    "<tool_call>zz<arg_key>s</arg_key><arg_value>x</arg_value></tool_call>",
    "<|tool_call_start|>[zz(a=1)]<|tool_call_end|>",
    "<|tool_call_start|>[f(1+1)]<|tool_call_end|>",
    "</tool_call>",
    "<tool_call>",
]


@pytest.mark.parametrize("bad", BAD)
def test_one_bad_call_costs_itself_and_nothing_else(bad: str) -> None:
    """R12"""
    result = whole(f"{GOOD}\n{bad}\n{GOOD}", TOOLS)
    calls = [(call.name, call.arguments, call.repairs, call.complete) for call in result.calls]
    good = ("f", {"s": "good", "i": 1}, (), True)
    assert calls[0] == good
    assert calls[-1] == good
    assert len(calls) in (2, 3)


# Round trips: calls written as a family writes them come back

WORD = st.text(alphabet=st.sampled_from("abcXYZ019 _-.,:;!?éß東京🌸'\"\\/{}[]()<>=&|#\n\t"), max_size=16)
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False).filter(math.isfinite)
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORD),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "s": WORD,
        "i": st.integers(-(10**20), 10**20),
        "n": st.floats(allow_nan=False, allow_infinity=False),
        "b": st.booleans(),
        "l": st.lists(JSON, max_size=3),
        "o": st.dictionaries(st.sampled_from("abc"), JSON, max_size=3),
    },
)
Calls = list[tuple[str, dict[str, Any]]]


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def raw_value(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def hermes(calls: Calls) -> str:
    return "\n".join(f"<tool_call>\n{as_json({'name': n, 'arguments': a})}\n</tool_call>" for n, a in calls)


def qwen3_coder(calls: Calls) -> str:
    def parameters(arguments: dict[str, Any]) -> str:
        return "".join(f"<parameter={k}>\n{raw_value(v)}\n</parameter>\n" for k, v in arguments.items())

    return "\n".join(f"<tool_call>\n<function={n}>\n{parameters(a)}</function>\n</tool_call>" for n, a in calls)


def glm45(calls: Calls) -> str:
    def pairs(arguments: dict[str, Any]) -> str:
        written = arguments.items()
        return "".join(f"<arg_key>{k}</arg_key>\n<arg_value>{raw_value(v)}</arg_value>\n" for k, v in written)

    return "\n".join(f"<tool_call>{n}\n{pairs(a)}</tool_call>" for n, a in calls)


def lfm2(calls: Calls) -> str:
    written = ", ".join(f"{n}({', '.join(f'{k}={v!r}' for k, v in a.items())})" for n, a in calls)
    return f"<|tool_call_start|>[{written}]<|tool_call_end|>"


def deepseek_v31(calls: Calls) -> str:
    written = "".join(f"<｜tool▁call▁begin｜>{n}<｜tool▁sep｜>{as_json(a)}<｜tool▁call▁end｜>" for n, a in calls)
    return f"<｜tool▁calls▁begin｜>{written}<｜tool▁calls▁end｜>"


def kimi_k2(calls: Calls) -> str:
    written = "".join(
        f"<|tool_call_begin|>functions.{n}:{at}<|tool_call_argument_begin|>{as_json(a)}<|tool_call_end|>"
        for at, (n, a) in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{written}<|tool_calls_section_end|>"


def mistral(calls: Calls) -> str:
    return "".join(f"[TOOL_CALLS]{n}[ARGS]{as_json(a)}" for n, a in calls)


def gemma4(calls: Calls) -> str:
    def value(v: Any) -> str:
        if isinstance(v, str):
            return f'<|"|>{v}<|"|>'
        if isinstance(v, list):
            return f"[{','.join(map(value, v))}]"
        if isinstance(v, dict):
            return "{" + ",".join(f"{k}:{value(inner)}" for k, inner in v.items()) + "}"
        return as_json(v)

    return "".join(f"<|tool_call>call:{n}{value(a)}<tool_call|>" for n, a in calls)


FAMILIES: dict[str, Callable[[Calls], str]] = {
    family.__name__: family for family in (hermes, qwen3_coder, glm45, lfm2, deepseek_v31, kimi_k2, mistral, gemma4)
}
ROUND = settings(FIXED, max_examples=100)


@pytest.mark.parametrize("family", FAMILIES)
@ROUND
@given(
    st.data(), st.lists(st.tuples(st.sampled_from(sorted(OFFERED)), ARGUMENTS), min_size=1, max_size=3), st.booleans()
)
def test_what_a_family_writes_comes_back(family: str, data: st.DataObject, calls: Calls, prose: bool) -> None:
    raw = ("Here it is.\n" if prose else "") + FAMILIES[family](calls)
    for format in (family, "auto"):
        result = whole(raw, TOOLS, format=format)
        assert [(c.name, as_json(c.arguments)) for c in result.calls] == [(n, as_json(a)) for n, a in calls]
        assert [(c.complete, c.repairs, c.format) for c in result.calls] == [(True, (), family)] * len(calls)
        assert result.errors == []
        assert result.text.strip() == ("Here it is." if prose else "")
        assert facts(streamed(data.draw(cut_up(raw)), TOOLS, format=format)) == facts(result)
