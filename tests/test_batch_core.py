"""The native half of the batch command: lines of logs in, records out."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import toolparse
from toolparse._core import BatchChunk, BatchReader, arrow_schema

REPLIES = Path(__file__).parent.parent / "examples" / "replies"
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
TEXTS = [
    *(path.read_text(encoding="utf-8") for path in sorted(REPLIES.glob("*.txt"))),
    "",
    "é 世 🍸 " + CALL,
    "<think>hm\n</think>\n\nOk.",
    'a<tool_call>{"name": "f", "arguments": {"a": "b',
    "<tool_call>not a call</tool_call>",
]


def read(log: bytes, tools: Any = None, *, first_line: int = 1, first_offset: int = 0, **options: Any) -> BatchChunk:
    return BatchReader(tools, **options).lines(log, source="log", first_line=first_line, first_offset=first_offset)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records(chunk: BatchChunk) -> list[dict[str, Any]]:
    return [json.loads(line) for line in chunk.jsonl.splitlines()]


def expected(line: int, id: str | None, text: str, tools: Any = None, **options: Any) -> dict[str, Any]:
    """The record that the library's own answer makes."""
    result = toolparse.parse_tool_calls(text.encode(), tools, max_bytes=None, ids="index", **options)
    calls = [
        {
            "index": call.index,
            "id": call.id,
            "native_id": call.native_id,
            "name": call.name,
            "arguments": call.arguments_json,
            "complete": call.complete,
            "repaired": bool(call.repairs),
            "span_start": call.span[0],
            "span_end": call.span[1],
        }
        for call in result.calls
    ]
    errors = [
        {
            "code": error.kind,
            "message": str(error),
            "name": error.name,
            "span_start": error.span[0],
            "span_end": error.span[1],
        }
        for error in result.errors
    ]
    repairs = [
        {"kind": repair.kind, "call": call.index, "span_start": repair.span[0], "span_end": repair.span[1]}
        for call in result.calls
        for repair in call.repairs
    ]
    return {
        "source": "log",
        "line": line,
        "id": id,
        "format": result.calls[0].format if result.calls else None,
        "content": result.text,
        "reasoning": result.reasoning,
        "calls": calls,
        "errors": errors,
        "repairs": repairs,
        "truncated": result.truncated,
        "n_calls": len(calls),
    }


@pytest.mark.parametrize("tools", [None, ["f", "get_weather"], []], ids=["any", "some", "none"])
def test_a_record_is_what_the_library_answers(tools: Any) -> None:
    chunk = read(lines(*({"id": f"r{n}", "response": text} for n, text in enumerate(TEXTS))), tools)
    want = [expected(n + 1, f"r{n}", text, tools) for n, text in enumerate(TEXTS)]
    assert records(chunk) == want
    assert [list(record) for record in records(chunk)] == [list(record) for record in want]
    assert chunk.errors == []
    assert (chunk.rows, chunk.bytes) == (len(TEXTS), sum(len(text.encode()) for text in TEXTS))


def test_texts_and_lines_give_the_same_records() -> None:
    reader = BatchReader(["f"])
    ids = [None if n % 3 else f"r{n}" for n in range(len(TEXTS))]
    chunk = reader.texts(TEXTS, source="log", first_line=1, ids=ids)
    assert (
        chunk.jsonl
        == reader.lines(
            lines(*({"id": id, "text": text} for id, text in zip(ids, TEXTS, strict=True))),
            source="log",
            first_line=1,
            first_offset=0,
        ).jsonl
    )
    assert chunk.jsonl == reader.texts([text.encode() for text in TEXTS], source="log", first_line=1, ids=ids).jsonl


def test_arrow_columns_hold_the_same_as_the_lines() -> None:
    chunk = read(lines(*({"id": n, "text": text} for n, text in enumerate(TEXTS)), {"text": None}), spans="characters")
    table = pa.table(chunk)
    assert table.to_pylist() == records(chunk)
    assert table.schema == pa.schema(arrow_schema())
    assert table.column_names == list(records(chunk)[0])
    assert pa.table(read(b"")).schema == table.schema
    assert pa.table(read(b"")).num_rows == 0


def test_only_the_asked_form_is_made() -> None:
    log = lines({"text": CALL})
    assert records(read(log, output="jsonl")) == [expected(1, None, CALL)]
    assert pa.table(read(log, output="arrow")).to_pylist() == [expected(1, None, CALL)]
    with pytest.raises(ValueError, match=r'^this reader was made with output="arrow"$'):
        _ = read(log, output="arrow").jsonl
    with pytest.raises(ValueError, match=r'^this reader was made with output="jsonl"$'):
        pa.table(read(log, output="jsonl"))


def test_bad_lines_are_told_and_never_raise() -> None:
    log = b'{"text": "a"}\n{"text": \n\n\xff\xfe\n7\n{"id": 1}\n{"text": [1, {"b": 2}]}\n'
    log += b'{"text": {"a": 1}}\n{"text": "z"}'
    chunk = read(log, first_line=11, first_offset=100)
    assert [(record["line"], record["content"]) for record in records(chunk)] == [(11, "a"), (19, "z")]
    assert [(line, offset) for line, offset, _ in chunk.errors] == [
        (12, 114),
        (13, 124),
        (14, 125),
        (15, 128),
        (16, 130),
        (17, 140),
        (18, 164),
    ]
    assert [reason for _, _, reason in chunk.errors] == [
        "not valid JSON: EOF while parsing a value (column 9)",
        "the line is empty",
        "not valid UTF-8 at byte 0 of the line",
        "not a JSON object",
        'no reply: nothing at any place of the shape "auto"',
        "the reply is an array, not a string",
        "the reply is an object, not a string",
    ]


def test_lone_surrogates_are_replaced_in_what_is_written() -> None:
    chunk = read(b'{"id": "\\ud800", "text": "a\\udfffb"}')
    assert [(record["id"], record["content"]) for record in records(chunk)] == [("\ufffd", "a\ufffdb")]
    assert [
        record["content"] for record in records(BatchReader(None).texts(["a\udfffb"], source="log", first_line=1))
    ] == ["a\ufffdb"]


def test_bytes_that_are_no_text_are_bad_rows() -> None:
    chunk = BatchReader(None).texts([b"ok", b"caf\xe9", None], source="log", first_line=5)
    assert [(record["line"], record["content"]) for record in records(chunk)] == [(5, "ok"), (7, None)]
    assert chunk.errors == [(6, 0, "not valid UTF-8 at byte 3")]


def test_deep_and_long_lines_are_no_danger() -> None:
    deep = b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b', "text": "a"}'
    assert [record["content"] for record in records(read(deep))] == ["a"]
    assert (
        read(b'{"text": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")
        .errors[0][2]
        .startswith("the reply cannot be read: recursion limit")
    )
    long = lines({"text": "x" * 2000})
    assert read(long, line_limit=2000).errors == [(1, 0, "the line is longer than 2000 bytes")]
    assert read(long, line_limit=2013).rows == 1


@pytest.mark.parametrize(
    ("options", "record"),
    [
        ({"text_path": "a.b[1].c"}, {"a": {"b": [0, {"c": CALL}]}}),
        ({"text_path": "a.b.1.c"}, {"a": {"b": [0, {"c": CALL}]}}),
        ({"text_path": "a.b.c"}, {"a.b": {"c": CALL}}),
        ({"text_path": "a.b"}, {"a": json.dumps({"b": CALL})}),
        (
            {"shape": "openai-batch"},
            {"custom_id": "r", "response": {"body": {"choices": [{"message": {"content": CALL}}]}}},
        ),
        (
            {"shape": "messages"},
            {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": CALL}]},
        ),
        ({"shape": "sharegpt"}, {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": CALL}]}),
        ({"shape": "langfuse"}, {"type": "GENERATION", "output": CALL}),
        ({"shape": "langsmith"}, {"outputs": json.dumps({"messages": [{"type": "ai", "content": CALL}]})}),
        (
            {"shape": "otel"},
            {
                "gen_ai.output.messages": json.dumps(
                    [{"role": "assistant", "parts": [{"type": "text", "content": CALL}]}]
                )
            },
        ),
        ({"shape": "text"}, None),
    ],
    ids=lambda value: value.get("shape", value.get("text_path")) if isinstance(value, dict) and len(value) == 1 else "",
)
def test_places_of_the_reply(options: dict[str, Any], record: Any) -> None:
    log = lines(record) if record else CALL.encode() + b"\r\n"
    assert [record["calls"] for record in records(read(log, **options))] == [expected(1, None, CALL)["calls"]]


def test_every_choice_is_a_record() -> None:
    log = lines(
        {
            "custom_id": "r",
            "response": {"body": {"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}},
        }
    )
    assert [(record["line"], record["id"], record["content"]) for record in records(read(log))] == [
        (1, "r", "a"),
        (1, "r", "b"),
    ]
    first = read(log, text_path="response.body.choices.0.message.content")
    assert [record["content"] for record in records(first)] == ["a"]


def test_ids_are_text_whatever_they_are() -> None:
    log = lines(*({"key": id, "text": ""} for id in ["a", 7, 1.5, True, None, [1]]), {"text": ""})
    assert [record["id"] for record in records(read(log, id_path="key"))] == [
        "a",
        "7",
        "1.5",
        "true",
        None,
        "[1]",
        None,
    ]


def test_tools_of_the_record_count_when_none_were_given() -> None:
    schema = {
        "type": "function",
        "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}},
    }
    log = lines({"text": CALL, "tools": [schema]}, {"text": CALL, "tools": json.dumps(["g"])}, {"text": CALL})
    assert [record["n_calls"] for record in records(read(log))] == [1, 0, 1]
    assert [record["n_calls"] for record in records(read(log, ["h"]))] == [0, 0, 0]
    assert [record["n_calls"] for record in records(read(log, ["h"], tools_path="tools"))] == [1, 0, 0]
    bad = read(lines({"text": CALL, "tools": [{"name": ""}]}))
    assert [reason[:18] for _, _, reason in bad.errors] == ["tools[0]: no name:"]


def test_each_text_may_have_tools_of_its_own() -> None:
    offered = [["f"], toolparse.Tools(["g"]), '["f"]', None, '{"g": {}}', "", "[", [{"name": ""}]]
    chunk = BatchReader(["g"]).texts([CALL] * len(offered), source="log", first_line=1, tools=offered)
    assert [(record["line"], record["n_calls"]) for record in records(chunk)] == [
        (1, 1),
        (2, 0),
        (3, 1),
        (4, 0),
        (5, 0),
        (6, 0),
    ]
    assert [(line, reason[:18]) for line, _, reason in chunk.errors] == [
        (7, "tools: not valid J"),
        (8, "tools[0]: no name:"),
    ]


def test_spans_count_bytes_or_characters() -> None:
    text = "é世🍸" + CALL
    log = lines({"text": text})
    byte = records(read(log))[0]["calls"][0]
    character = records(read(log, spans="characters"))[0]["calls"][0]
    assert (
        text.encode()[byte["span_start"] : byte["span_end"]].decode()
        == text[character["span_start"] : character["span_end"]]
    )
    assert (byte["span_start"], character["span_start"]) == (9 + 11, 3 + 11)


def test_options_are_those_of_the_parser() -> None:
    cut = 'a<tool_call>{"name": "f", "arguments": {"a": "b'
    log = lines({"text": cut})
    assert records(read(log, cut="drop")) == [expected(1, None, cut, cut="drop")]
    assert records(read(log, max_bytes=4)) == [
        expected(1, None, cut)
        | {"content": "a<to", "calls": [], "repairs": [], "format": None, "n_calls": 0, "truncated": True}
    ]
    assert records(read(log, format="mistral")) == [expected(1, None, cut, format="mistral")]
    assert records(read(log, prompt="<think>")) == [expected(1, None, cut, prompt="<think>")]


def test_counts() -> None:
    chunk = read(
        lines(
            {"text": CALL + CALL[:-14]},
            {"text": '<tool_call>{"name": "g", "arguments": {}}</tool_call>'},
            {"text": None},
        ),
        ["f"],
    )
    assert chunk.stats == {
        "rows": 3,
        "bytes": len(CALL + CALL[:-14]) + 53,
        "calls": 2,
        "complete": 1,
        "repaired": 1,
        "errors": 1,
        "by_format": {"hermes": 2},
        "by_tool": {"f": 2},
        "by_repair": {"closed_object": 1, "cut_number": 1},
        "by_error": {"unknown_tool": 1},
    }


def test_threads_share_a_reader() -> None:
    reader = BatchReader(None)
    log = lines(*({"id": n, "text": text} for n, text in enumerate(TEXTS * 20)))
    want = reader.lines(log, source="log", first_line=1, first_offset=0).jsonl
    seen: list[bytes] = []

    def work() -> None:
        seen.extend(reader.lines(log, source="log", first_line=1, first_offset=0).jsonl for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [want] * 20


def test_any_cut_into_chunks_gives_the_same_lines() -> None:
    log = lines(*({"id": n, "text": text} for n, text in enumerate(TEXTS))) + b"\n[]\n" + lines({"text": "last"})[:-1]
    whole = read(log)
    got, errors, line, offset = b"", [], 1, 0
    for part in log.splitlines(keepends=True):
        chunk = read(part, first_line=line, first_offset=offset)
        got, errors = got + chunk.jsonl, errors + chunk.errors
        line, offset = line + 1, offset + len(part)
    assert (got, errors) == (whole.jsonl, whole.errors)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"shape": "csv"},
            'shape: unknown name "csv"; '
            "known are auto, openai-batch, messages, sharegpt, langfuse, langsmith, otel, text",
        ),
        (
            {"text_path": "a..b"},
            'text_path must be keys and indexes with dots between, as in "choices[0].message.content"',
        ),
        ({"id_path": ""}, 'id_path must be keys and indexes with dots between, as in "choices[0].message.content"'),
        ({"spans": "words"}, 'spans must be "bytes" or "characters", not "words"'),
        ({"output": "csv"}, 'output must be "jsonl", "arrow" or "both", not "csv"'),
        ({"cut": "maybe"}, 'cut must be "keep" or "drop", not "maybe"'),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_misuse_raises(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        BatchReader(None, **options)
    assert str(error.value) == message


def test_misuse_of_texts_raises() -> None:
    reader = BatchReader(None)
    with pytest.raises(TypeError, match=r"^texts\[1\] must be str or bytes \(UTF-8\), not int$"):
        reader.texts(["a", 1], source="log", first_line=1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"^ids: 1 for 2 texts; give one for each$"):
        reader.texts(["a", "b"], source="log", first_line=1, ids=["x"])
    with pytest.raises(ValueError, match=r'^of must be "records" or "replies", not "rows"$'):
        arrow_schema("rows")
