"""Rows of Parquet and Arrow files, a piece of rows at a time. The line of a row is its number, from 1.

Where the path of the reply is a column of text, the replies are handed on as they are; else each row becomes a line
of JSONL, so that a table and a JSONL file of the same records give the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from toolparse.batch.extras import need
from toolparse.batch.packed import Damaged
from toolparse.batch.pieces import BadRow, Piece, Place

_TEXT = ("string", "large_string", "string_view")
_ID = (*_TEXT, "int32", "int64", "uint32", "uint64")
# What the reader looks at in a record when it is not told where to look; the first id that is there counts.
_IDS = ("custom_id", "span_id", "spanId", "id", "request_id")
_NESTED_IDS = {"gen_ai.response.id", "attributes"}
_TOOLS = {"tools", "request", "gen_ai.tool.definitions", "attributes", "extra", "input", "inputs"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold the reply and its id, if they are columns at all, and whether rows bring their own tools."""

    text: str | None = None
    id: str | None = None
    own_tools: bool = True


def table_pieces(file: BinaryIO, kind: str, place: Place, size: int, limit: int, columns: Columns) -> Iterator[Piece]:
    """Pieces of about ``size`` bytes from row ``place.line`` on. ``kind`` is ``parquet`` or ``arrow``. ``raw`` is
    left 0.

    Raises :class:`Damaged` (its offset is 0 where nobody knows it) and :class:`MissingExtra`.
    """
    arrow = need("pyarrow", "arrow", f".{kind}")
    read = _parquet if kind == "parquet" else _arrow
    line = 1
    try:
        for batch in read(file, size, columns, place.line):
            if isinstance(batch, int):  # rows that were passed over unread
                line += batch
                continue
            if line >= place.line:
                yield _piece(batch, line, limit, columns)
            line += batch.num_rows
    except (arrow.ArrowException, OSError) as error:
        raise Damaged(0, f"row {line} cannot be read ({_one_line(error)})") from error


def _piece(batch: Any, line: int, limit: int, columns: Columns) -> Piece:
    after = Place(line + batch.num_rows, 0)
    wanted = _wanted(batch.schema, columns)
    if wanted is not None and not (len(wanted) > 2 and batch.column(wanted[1]).null_count):
        texts = batch.column(wanted[0]).to_pylist()
        ids = (
            [None if value is None else str(value) for value in batch.column(wanted[1]).to_pylist()]
            if wanted[1:]
            else None
        )
        return Piece(after, 0, Place(line), texts=texts, ids=ids)
    piece = Piece(after, 0, Place(line), offsets={})
    lines = []
    for number, row in enumerate(batch.to_pylist(), start=line):
        data = json.dumps(row, ensure_ascii=False, default=_plain).encode("utf-8", "surrogatepass")
        if len(data) > limit:
            piece.bad.append(BadRow(number, None, f"the row is longer than {limit} bytes"))
            data = b""
        lines.append(data)
    piece.lines = b"\n".join([*lines, b""])
    return piece


def _wanted(schema: Any, columns: Columns) -> list[str] | None:
    """The column of replies and those of ids that count, or None when rows have to be looked at as a whole."""
    names = set(schema.names)
    if columns.text is None or columns.text not in names or _type(schema, columns.text) not in _TEXT:
        return None
    if columns.own_tools and names & _TOOLS:
        return None
    if columns.id is None and names & _NESTED_IDS:
        return None
    ids = [name for name in ([columns.id] if columns.id else _IDS) if name in names]
    return [columns.text, *ids] if all(_type(schema, name) in _ID for name in ids) else None


def _type(schema: Any, name: str) -> str:
    """The name of a column's type; of its values where they are in a dictionary."""
    kind = schema.field(name).type
    return str(kind.value_type if hasattr(kind, "index_type") else kind)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _parquet(file: BinaryIO, size: int, columns: Columns, first: int) -> Iterator[Any]:
    """Batches of a Parquet file; instead of a row group that ends before row ``first``, its number of rows."""
    parquet = need("pyarrow.parquet", "arrow", ".parquet").ParquetFile(file)
    wanted = _wanted(parquet.schema_arrow, columns)
    line = 1
    for index in range(parquet.metadata.num_row_groups):
        group = parquet.metadata.row_group(index)
        if line + group.num_rows <= first:
            yield group.num_rows
        else:
            rows = _rows(size, group.total_byte_size, group.num_rows)
            yield from parquet.iter_batches(batch_size=rows, row_groups=[index], columns=wanted)
        line += group.num_rows


def _arrow(file: BinaryIO, size: int, columns: Columns, first: int) -> Iterator[Any]:
    """Batches of an Arrow file or stream, cut to about ``size`` bytes."""
    ipc = need("pyarrow.ipc", "arrow", ".arrow")
    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    if is_file:
        reader = ipc.open_file(file)
        batches = (reader.get_batch(index) for index in range(reader.num_record_batches))
    else:
        batches = iter(ipc.open_stream(file))
    for batch in batches:
        rows = _rows(size, batch.nbytes, batch.num_rows)
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def _rows(size: int, total: int, rows: int) -> int:
    return max(1, min(rows, size * rows // max(total, 1)))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
