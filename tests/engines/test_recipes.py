"""The recipes of ``docs/batch.md`` for engines that bring much along: datasets, daft and Spark (which needs Java)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from toolparse import Tools, arrow_schema, iter_arrow, parse_arrow

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]
TOOLS = Tools(["search"])
CALL = '<tool_call>{"name": "search", "arguments": {"q": "é", "n": 2}}</tool_call>'
REPLIES = [f"Ok.{CALL}", None, "no call", '<tool_call>{"name": "other", "arguments": {}}</tool_call>'] * 500
WANT = pyarrow.table(parse_arrow(pyarrow.array(REPLIES), TOOLS)).to_pylist()


def test_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    import datasets

    def parsed(batch: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.table(parse_arrow(batch, TOOLS, column="reply"))

    log = datasets.Dataset.from_dict({"reply": REPLIES}).with_format("arrow")
    rows = log.map(parsed, batched=True, batch_size=300).with_format(None).to_list()
    assert rows == WANT


def test_daft() -> None:
    import daft

    kind = daft.DataType.from_arrow_type(pyarrow.struct(pyarrow.schema(arrow_schema("replies"))))

    @daft.func.batch(return_dtype=kind)
    def parsed(replies: daft.Series) -> Any:
        return pyarrow.table(parse_arrow(replies, TOOLS)).to_struct_array().combine_chunks()

    frame = daft.from_pydict({"reply": REPLIES}).select(parsed(daft.col("reply")).alias("parsed"))
    assert frame.to_arrow()["parsed"].to_pylist() == WANT


def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    def parsed(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for table in iter_arrow(batches, ["search"], column="reply"):
            yield from pyarrow.table(table).to_batches()

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = spark.createDataFrame([(reply,) for reply in REPLIES], "reply string")
        rows = frame.mapInArrow(parsed, from_arrow_schema(pyarrow.schema(arrow_schema("replies")))).collect()
    finally:
        spark.stop()
    assert [row.asDict(recursive=True) for row in rows] == WANT
