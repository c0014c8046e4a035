"""What becomes of the records of a piece on their way into the output: lines, packed lines, or parts of a table.

Every encoding makes the bytes of a piece from the piece alone, in the thread that read it; the output is their
concatenation between a head and a tail.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from toolparse.batch.extras import zstd

Part: TypeAlias = tuple[int, ...]
_GZIP_LEVEL = 4  # half the time of zlib's default, a few percent larger
_ZSTD_LEVEL = 3


class Encoded:
    """The bytes of a piece, and what the tail has to know of them."""

    __slots__ = ("data", "parts")

    def __init__(self, data: bytes | memoryview, *parts: Part) -> None:
        self.data, self.parts = data, parts


class Encoding(Protocol):
    """``head`` begins the file, ``encode`` may run in any thread, ``tail`` ends the file of ``size`` bytes so far."""

    head: bytes

    def encode(self, chunks: Sequence[Any]) -> Encoded: ...
    def tail(self, read: Callable[[int, int], bytes], parts: Sequence[Part], size: int) -> bytes: ...


class Lines:
    """JSONL. ``pack`` packs a piece on its own; the files that come of it are members of one file, one after the
    other.
    """

    head = b""

    def __init__(self, pack: Callable[[bytes], bytes] | None = None) -> None:
        self.pack = pack

    def encode(self, chunks: Sequence[Any]) -> Encoded:
        lines: bytes = chunks[0].jsonl if len(chunks) == 1 else b"".join(chunk.jsonl for chunk in chunks)
        return Encoded(self.pack(lines) if self.pack and lines else lines)

    def tail(self, read: Callable[[int, int], bytes], parts: Sequence[Part], size: int) -> bytes:
        return b"" if size or not self.pack else self.pack(b"")


def encoding(suffix: str) -> Encoding:
    """The one for a value of :data:`SUFFIXES`. Raises ``MissingExtra``."""
    from toolparse.batch.columns import Arrow, Parquet

    match suffix:
        case ".parquet":
            return Parquet()
        case ".arrow":
            return Arrow()
        case ".jsonl.gz":
            return Lines(_gzip)
        case ".jsonl.zst":
            return Lines(_zstd_packer())
    return Lines()


SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".arrow")


def suffix_of(name: str) -> str | None:
    """The suffix that says how an output is written, or None."""
    return next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), None)


def _gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(_GZIP_LEVEL, wbits=31)
    return packer.compress(data) + packer.flush()


def _zstd_packer() -> Callable[[bytes], bytes]:
    module, own = zstd()
    if own:
        options = {
            module.CompressionParameter.compression_level: _ZSTD_LEVEL,
            module.CompressionParameter.checksum_flag: 1,
        }
        return lambda data: bytes(module.compress(data, options=options))
    # A compressor is not to be shared between threads.
    return lambda data: bytes(module.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress(data))
