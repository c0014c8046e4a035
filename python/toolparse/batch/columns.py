"""Parquet and Arrow files made of parts that are encoded on their own, so that threads can encode and a run can go
on.

A part of a Parquet file is a small Parquet file of one row group. They stand one behind the other, and the footer at
the end, the only one that a reader looks at, names the row groups of all; their own footers are left between them. A
part of an Arrow file is a record batch as it stands in the file; the footer lists them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from toolparse import _core
from toolparse.batch.encodings import Encoded, Part
from toolparse.batch.extras import need

_ARROW_MAGIC = b"ARROW1"


def _schema(arrow: Any) -> Any:
    return arrow.schema(_core.arrow_schema())


def _table(arrow: Any, chunks: Sequence[Any]) -> Any:
    batches = [batch for chunk in chunks for batch in arrow.RecordBatchReader.from_stream(chunk)]
    return arrow.Table.from_batches(batches, _schema(arrow)).combine_chunks()


class Parquet:
    """Writes Parquet."""

    head = b""

    def encode(self, chunks: Sequence[Any]) -> Encoded:
        files = [chunk.parquet() for chunk in chunks if chunk.rows]
        return Encoded(files[0] if len(files) == 1 else b"".join(files), *[(len(file),) for file in files])

    def tail(self, read: Callable[[int, int], bytes], parts: Sequence[Part], size: int) -> bytes:
        """The footer, and before it all that a file without rows needs. ``read(offset, size)`` reads what was
        written.
        """
        if not parts:
            return _core.empty_parquet()
        footers = []
        begin = 0
        for (length,) in parts:
            end = begin + length
            footer_length: int = struct.unpack("<I", read(end - 8, 4))[0]
            footers.append((begin, read(end - 8 - footer_length, footer_length)))
            begin = end
        return _core.parquet_footer(footers)


class Arrow:
    """Writes Arrow's file format. Raises ``MissingExtra`` when pyarrow is not installed."""

    def __init__(self) -> None:
        self.arrow = need("pyarrow", "arrow", ".arrow")
        self.ipc = need("pyarrow.ipc", "arrow", ".arrow")
        self.head = _ARROW_MAGIC + b"\0\0" + _schema(self.arrow).serialize().to_pybytes()

    def encode(self, chunks: Sequence[Any]) -> Encoded:
        messages = [batch.serialize().to_pybytes() for batch in _table(self.arrow, chunks).to_batches()]
        return Encoded(b"".join(messages), *[_lengths(message) for message in messages])

    def tail(self, read: Callable[[int, int], bytes], parts: Sequence[Part], size: int) -> bytes:
        """The end mark and the footer: that of a file of as many empty batches, told where the true ones are."""
        schema = _schema(self.arrow)
        batch = self.arrow.RecordBatch.from_arrays([self.arrow.nulls(0, each.type) for each in schema], schema=schema)
        out = self.arrow.BufferOutputStream()
        with self.ipc.new_file(out, batch.schema) as writer:
            for _ in parts:
                writer.write_batch(batch)
        file = out.getvalue().to_pybytes()
        begin = len(file) - len(_ARROW_MAGIC) - 4
        footer: bytes = file[begin - struct.unpack("<i", file[begin : begin + 4])[0] : begin]
        empty = _lengths(batch.serialize().to_pybytes())
        footer = footer.replace(_blocks([empty] * len(parts), len(self.head)), _blocks(parts, len(self.head)))
        return b"\xff\xff\xff\xff\0\0\0\0" + footer + struct.pack("<i", len(footer)) + _ARROW_MAGIC


def _lengths(message: bytes) -> Part:
    """Bytes of the metadata of a message, with their prefix of 8, and of its body."""
    metadata: int = struct.unpack("<i", message[4:8])[0] + 8
    return metadata, len(message) - metadata


def _blocks(parts: Sequence[Part], begin: int) -> bytes:
    """The footer's list of where the batches are: offset, length of metadata (padded), length of body."""
    out = bytearray()
    for metadata, body in parts:
        out += struct.pack("<qiiq", begin, metadata, 0, body)
        begin += metadata + body
    return bytes(out)
