"""Arrow in and out: every type of text, tables and arrays, nulls, and the answer of the library in each row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import toolparse
from test_batch_core import CALL, TEXTS, expected
from toolparse._core import ArrowTable, Tools, arrow_schema, iter_arrow, parse_arrow

NAMES = ["content", "reasoning", "format", "calls", "errors", "repairs", "truncated", "n_calls"]
NULL = dict.fromkeys(NAMES)


def row(text: str | None, tools: Any = None, **options: Any) -> dict[str, Any]:
    """The row that the library's own answer makes."""
    if text is None:
        return NULL
    record = expected(1, None, text, tools, **options)
    return {name: record[name] for name in NAMES}


def rows(data: Any, tools: Any = None, **options: Any) -> list[dict[str, Any]]:
    return parse_arrow(data, tools, **options).to_pyarrow().to_pylist()


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.uint8(), pa.large_string()),
    ],
    ids=str,
)
def test_text_of_every_type(kind: pa.DataType) -> None:
    texts = [TEXTS[0], None, *TEXTS, TEXTS[0], None]
    given = [text.encode() if text is not None and "binary" in str(kind) else text for text in texts]
    if isinstance(kind, pa.DictionaryType):
        array = pa.array(given, kind.value_type).dictionary_encode().cast(kind)
    else:
        array = pa.array(given, kind)
    want = [row(text) for text in texts]
    assert rows(array) == want
    assert rows(array[1:-2]) == want[1:-2]
    assert rows(pa.chunked_array([array[:3], array[3:3], array[3:]])) == want
    assert rows(pa.table({"n": range(len(array)), "text": array})) == want
    assert rows(pa.record_batch({"text": array}).slice(2, 5)) == want[2:7]


def test_the_columns() -> None:
    table = parse_arrow(pa.array([CALL, None]), None)
    assert pa.schema(table) == pa.schema(arrow_schema("replies")) == table.to_pyarrow().schema
    call = (
        "index: int32, id: string, native_id: string, name: string, arguments: string, complete: bool, repaired: bool"
    )
    call += ", span_start: int64, span_end: int64"
    error = "code: string, message: string, name: string, span_start: int64, span_end: int64"
    repair = "kind: string, call: int32, span_start: int64, span_end: int64"
    assert [(field.name, str(field.type)) for field in pa.schema(table)] == [
        ("content", "string"),
        ("reasoning", "string"),
        ("format", "string"),
        ("calls", f"list<item: struct<{call}>>"),
        ("errors", f"list<item: struct<{error}>>"),
        ("repairs", f"list<item: struct<{repair}>>"),
        ("truncated", "bool"),
        ("n_calls", "int32"),
    ]
    assert table.column_names == NAMES
    table.to_pyarrow().validate(full=True)


def test_nulls_stay_nulls() -> None:
    assert rows(pa.array([None, "a", None])) == [NULL, row("a"), NULL]
    assert rows(pa.nulls(2)) == [NULL, NULL]
    assert rows(pa.array([None, None], pa.string()).dictionary_encode()) == [NULL, NULL]
    column = pa.array(["a", "b"])
    struct = pa.StructArray.from_arrays([column], ["text"], mask=pa.array([False, True]))
    assert rows(struct) == [row("a"), NULL]
    sparse = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None]))
    assert rows(sparse) == [row("a"), NULL, NULL]


def test_nothing_is_an_empty_table() -> None:
    for empty in (
        pa.array([], pa.string()),
        pa.chunked_array([], pa.string()),
        pa.schema([("text", pa.string())]).empty_table(),
    ):
        table = parse_arrow(empty, None)
        assert (len(table), table.num_rows, table.to_pyarrow().schema) == (0, 0, pa.schema(arrow_schema("replies")))


def test_the_column_of_replies() -> None:
    a, b = pa.array(["a"]), pa.array(["b"])
    assert rows(pa.table({"n": [1], "x": a})) == [row("a")]
    assert rows(pa.table({"x": b, "text": b, "response": a})) == [row("a")]
    assert rows(pa.table({"content": b, "text": a, "completion": b})) == [row("a")]
    assert rows(pa.table({"text": b, "x": a}), column="x") == [row("a")]
    assert rows(pa.table({"text": b, "x": pa.nulls(1)}), column="x") == [NULL]


@pytest.mark.parametrize(
    ("data", "column", "error", "message"),
    [
        (pa.table({"a": ["x"], "b": ["y"]}), None, ValueError, "column: which one? There are a, b"),
        (pa.table({"a": ["x"], "b": ["y"]}), "c", ValueError, 'column: there is no "c"; there are a, b'),
        (pa.table({"a": [1], "b": ["y"]}), "a", TypeError, 'column: "a" holds Int64, not text'),
        (pa.table({"a": [1]}), None, TypeError, "column: there is no column of text"),
        (pa.array(["x"]), "a", ValueError, "column: the data is one array, not a table"),
        (pa.array([1]), None, TypeError, "data must be an array of text, not Int64"),
        (
            ["x"],
            None,
            TypeError,
            "data must be an Arrow table or array (an object with __arrow_c_stream__ or __arrow_c_array__), not list",
        ),
    ],
    ids=range(7),
)
def test_misuse_raises(data: Any, column: str | None, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        parse_arrow(data, None, column=column)
    assert str(caught.value) == message


def test_options_are_those_of_the_parser() -> None:
    cut = 'a<tool_call>{"name": "f", "arguments": {"a": 12'
    array = pa.array([cut])
    for options in (
        {"cut": "drop"},
        {"finish_reason": "length"},
        {"finish_reason": "stop"},
        {"format": "mistral"},
        {"prompt": "<think>"},
    ):
        assert rows(array, ["f"], **options) == [row(cut, ["f"], **options)]
    assert rows(array, ["g"]) == [row(cut, ["g"])]
    assert [found["truncated"] for found in rows(array, None, max_bytes=3)] == [True]
    with pytest.raises(ValueError, match=r"^threads must be at least 1"):
        parse_arrow(array, None, threads=0)
    with pytest.raises(ValueError, match=r'^format: unknown name "nope"'):
        parse_arrow(array, None, format="nope")


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    table = rows(pa.array([b"caf\xe9 \xed\xa0\x80 ok", b"\xff"], pa.binary()))
    assert [found["content"] for found in table] == ["caf\ufffd \ufffd ok", "\ufffd"]
    lying = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, 4], pa.int32()).buffers()[1], pa.py_buffer(b"caf\xe9")]
    )
    assert [found["content"] for found in rows(lying)] == ["caf\ufffd"]


def test_any_number_of_threads_gives_the_same_batches() -> None:
    array = pa.array([TEXTS[n % len(TEXTS)] for n in range(20_000)])
    one, four = (parse_arrow(array, None, threads=threads) for threads in (1, 4))
    assert one.to_pyarrow().equals(four.to_pyarrow())
    assert [batch.num_rows for batch in one.to_pyarrow().to_batches()] == [
        batch.num_rows for batch in four.to_pyarrow().to_batches()
    ]
    assert one.stats == four.stats
    assert one.num_rows == 20_000


def test_counts() -> None:
    table = parse_arrow(pa.array([CALL, None, '<tool_call>{"name": "g", "arguments": {}}</tool_call>']), ["f"])
    assert table.stats == {
        "rows": 3,
        "bytes": len(CALL) + 53,
        "calls": 1,
        "complete": 1,
        "repaired": 0,
        "errors": 1,
        "by_format": {"hermes": 1},
        "by_tool": {"f": 1},
        "by_repair": {},
        "by_error": {"unknown_tool": 1},
    }
    assert repr(table) == "<ArrowTable of 3 rows with 1 calls>"


def test_a_table_may_be_taken_more_than_once() -> None:
    table = parse_arrow(pa.array(["a", CALL]), None)
    assert pa.table(table).equals(pa.table(table))
    wanted = pa.schema(arrow_schema("replies"))
    assert pa.RecordBatchReader.from_stream(table, wanted).read_all().equals(pa.table(table))


def test_no_python_object_is_made_for_a_row() -> None:
    array = pa.array([TEXTS[n % len(TEXTS)] for n in range(10_000)])
    tools = Tools(["f"])
    parse_arrow(array, tools, threads=1)
    before = sys.getallocatedblocks()
    table = parse_arrow(array, tools, threads=1)
    assert sys.getallocatedblocks() - before < 100
    assert table.num_rows == 10_000


def batches() -> Iterator[pa.RecordBatch]:
    for text in (CALL, "a"):
        yield pa.record_batch({"id": [text, "null"], "text": [text, None]})


def test_tables_as_they_come() -> None:
    read = iter_arrow(batches(), ["f"], column="text")
    first = next(read)
    assert isinstance(first, ArrowTable)
    assert first.to_pyarrow().to_pylist() == [row(CALL, ["f"]), NULL]
    assert [table.to_pyarrow().to_pylist() for table in read] == [[row("a", ["f"]), NULL]]
    assert list(iter_arrow([], None)) == []


def test_what_a_stream_raises_comes_through() -> None:
    class Broken(Exception):
        pass

    def broken() -> Iterator[pa.RecordBatch]:
        yield next(batches())
        raise Broken("on its way")

    read = iter_arrow(broken(), None, column="text")
    next(read)
    with pytest.raises(Broken, match=r"^on its way$"):
        next(read)
    reader = pa.RecordBatchReader.from_batches(next(batches()).schema, broken())
    with pytest.raises(Exception, match="on its way"):
        parse_arrow(reader, None, column="text")
    with pytest.raises(TypeError, match=r"^each of batches must be an Arrow table or array"):
        next(iter_arrow([1], None))


def test_spans_are_bytes_of_the_text() -> None:
    text = "é世🍸" + CALL
    call = rows(pa.array([text]))[0]["calls"][0]
    assert text.encode()[call["span_start"] : call["span_end"]] == CALL[11:-12].encode()
    assert toolparse.parse_tool_calls(text, None).calls[0].span == (3 + 11, 3 + len(CALL) - 12)
