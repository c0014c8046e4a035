"""The recipes of the documentation for the libraries that people read logs with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from toolparse._core import Tools, arrow_schema, iter_arrow, parse_arrow

TOOLS = Tools(["search"])
REPLIES = [
    'Ok.<tool_call>{"name": "search", "arguments": {"q": "é", "n": 2}}</tool_call>',
    None,
    "no call",
    '<tool_call>{"name": "other", "arguments": {}}</tool_call>',
]
ARGUMENTS = {"q": "é", "n": 2}


def check(rows: list[dict[str, Any]]) -> None:
    """What every recipe finds."""
    assert [row["content"] for row in rows] == ["Ok.", None, "no call", ""]
    assert [row["n_calls"] for row in rows] == [1, None, 0, 0]
    assert [call["name"] for call in rows[0]["calls"]] == ["search"]
    assert json.loads(rows[0]["calls"][0]["arguments"]) == ARGUMENTS
    assert [error["message"] for error in rows[3]["errors"]] == ['Unknown tool "other". Available now: search']


def test_pyarrow() -> None:
    table = pa.table({"id": [1, 2, 3, 4], "response": REPLIES})
    parsed = pa.table(parse_arrow(table, TOOLS))
    check(parsed.to_pylist())
    for name in ("n_calls", "calls"):
        table = table.append_column(name, parsed[name])
    assert table.column_names == ["id", "response", "n_calls", "calls"]


def test_polars_frame() -> None:
    frame = pl.DataFrame({"id": [1, 2, 3, 4], "response": REPLIES})
    parsed = parse_arrow(frame, TOOLS).to_polars()
    check(parsed.to_dicts())
    check(pl.DataFrame(parse_arrow(frame["response"], TOOLS)).to_dicts())
    assert frame.hstack(parsed.select("n_calls")).filter(pl.col("n_calls") > 0)["id"].to_list() == [1]


def test_polars_lazy() -> None:
    def calls(replies: pl.Series) -> pl.Series:
        return parse_arrow(replies, TOOLS).to_polars().to_struct()

    lazy = pl.LazyFrame({"id": [1, 2, 3, 4], "response": REPLIES})
    kind = pl.Struct(dict(pl.DataFrame(parse_arrow(pl.Series([], dtype=pl.String), TOOLS)).schema))
    frame = lazy.with_columns(pl.col("response").map_batches(calls, return_dtype=kind).alias("parsed")).collect()
    check(frame["parsed"].to_list())


def test_duckdb_relation() -> None:
    con = duckdb.connect()
    con.register("log", pa.table({"id": [1, 2, 3, 4], "response": REPLIES}))
    parsed = parse_arrow(con.sql("select response from log order by id"), TOOLS)
    check(parsed.to_pyarrow().to_pylist())
    con.register("parsed", parsed.to_pyarrow())
    found = con.sql(
        "select call.name, call.arguments ->> 'q' from (select unnest(calls) as call from parsed)"
    ).fetchall()
    assert found == [("search", "é")]


def test_duckdb_function() -> None:
    def tool_calls(replies: pa.ChunkedArray) -> pa.ChunkedArray:
        return parse_arrow(replies, TOOLS).to_pyarrow()["calls"]

    con = duckdb.connect()
    con.register("log", pa.table({"id": [1, 2, 3, 4], "response": REPLIES}))
    call = 'STRUCT("index" INTEGER, id VARCHAR, native_id VARCHAR, name VARCHAR, arguments VARCHAR, complete BOOLEAN, '
    call += "repaired BOOLEAN, span_start BIGINT, span_end BIGINT)[]"
    con.create_function("tool_calls", tool_calls, ["VARCHAR"], call, type="arrow")
    found = con.sql(
        "select id, len(tool_calls(response)), tool_calls(response)[1].name from log order by id"
    ).fetchall()
    assert found == [(1, 1, "search"), (2, None, None), (3, 0, None), (4, 0, None)]


def test_record_batches_as_spark_hands_them_over() -> None:
    """The body of ``df.mapInArrow``."""

    def parse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for parsed in iter_arrow(batches, TOOLS, column="response"):
            yield from parsed.to_pyarrow().to_batches()

    batches = pa.table({"id": [1, 2, 3, 4], "response": REPLIES}).to_batches(max_chunksize=2)
    found = pa.Table.from_batches(parse(iter(batches)), pa.schema(arrow_schema("replies")))
    check(found.to_pylist())


@pytest.mark.parametrize("size", [1, 3, 4])
def test_a_reader_of_batches(size: int) -> None:
    table = pa.table({"response": REPLIES})
    check(parse_arrow(table.to_reader(max_chunksize=size), TOOLS).to_pyarrow().to_pylist())
