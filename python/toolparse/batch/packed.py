"""Bytes of plain and of compressed files, in blocks of bounded size, up to where a file is damaged.

A damaged file still gives every byte that stands before the damage. No block is larger than about ``_OUT`` bytes for
gzip and 64 MiB for zstd, however well the file was packed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from toolparse.batch.extras import zstd

_PLAIN = 1 << 20  # bytes
_IN = 1 << 16
_OUT = 1 << 20
# A zstd block of 4 bytes can stand for 128 KiB, and its decoder has no limit to what one call gives.
_ZSTD_IN = 1 << 11
_WINDOW_LOG = 27  # 128 MiB, the most that zstd itself takes without being asked


class Damaged(Exception):
    """A file cannot be read on. ``offset`` counts bytes of the file as it is stored, ``reason`` is a short phrase."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"{reason} at byte {offset}")
        self.offset, self.reason = offset, reason


class Source:
    """An open file that counts the stored bytes it gave."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.offset = 0

    def read(self, size: int) -> bytes:
        """The next bytes, ``b""`` at the end. Raises :class:`Damaged` when the system cannot read on."""
        try:
            data = self.file.read(size)
        except OSError as error:
            raise Damaged(self.offset, error.strerror or str(error)) from error
        self.offset += len(data)
        return data

    def read_at(self, offset: int, size: int) -> bytes:
        """The bytes there, of a plain file. Raises :class:`Damaged`."""
        try:
            self.file.seek(offset)
            data = self.file.read(size)
        except OSError as error:
            raise Damaged(offset, error.strerror or str(error)) from error
        self.offset = offset + len(data)
        return data


def blocks(source: Source, packing: str, start: int = 0) -> Iterator[bytes]:
    """The unpacked bytes from ``start`` on. ``packing`` is ``""``, ``"gz"`` or ``"zst"``. Raises :class:`Damaged`."""
    if packing:
        yield from _skipped((_gzip if packing == "gz" else _zstd)(source), start)
        return
    if source.offset != start:
        source.file.seek(start)
        source.offset = start
    while block := source.read(_PLAIN):
        yield block


def _skipped(unpacked: Iterator[bytes], start: int) -> Iterator[bytes]:
    for block in unpacked:
        if start >= len(block):
            start -= len(block)
            continue
        yield block[start:] if start else block
        start = 0


def _gzip(source: Source) -> Iterator[bytes]:
    rest = source.read(_IN)
    while rest:
        member = zlib.decompressobj(wbits=31)
        begin = source.offset - len(rest)
        while not member.eof:
            if not rest and not (rest := source.read(_IN)):
                raise Damaged(source.offset, "gzip data ends too early")
            before = member.copy()
            try:
                out = member.decompress(rest, _OUT)
            except zlib.error as error:
                yield from _before_damage(before.decompress, rest, zlib.error)
                what = "not gzip data" if source.offset - len(rest) == begin else "gzip data damaged"
                raise Damaged(source.offset - len(rest), f"{what} ({error})") from error
            rest = member.unconsumed_tail
            if out:
                yield out
        rest = member.unused_data
        while not rest.strip(b"\0"):  # zeros fill up blocks of tapes and disks
            if not (rest := source.read(_IN)):
                return
        rest = rest.lstrip(b"\0")


def _zstd(source: Source) -> Iterator[bytes]:
    module, own = zstd()
    error_type: type[Exception] = module.ZstdError
    rest = source.read(_ZSTD_IN)
    while rest:
        begin = source.offset - len(rest)
        frame = _frame(module, own)
        while not frame.eof:
            if not rest and not (rest := source.read(_ZSTD_IN)):
                raise Damaged(source.offset, "zstd data ends too early")
            at = source.offset - len(rest)
            try:
                out: bytes = frame.decompress(rest)
            except error_type as error:
                yield from _replayed(source.file, begin, at, rest, _frame(module, own), error_type)
                raise Damaged(at, f"zstd data damaged ({error})") from error
            rest = b""
            if out:
                yield out
        rest = frame.unused_data or source.read(_ZSTD_IN)


def _frame(module: Any, own: bool) -> Any:
    if own:
        return module.ZstdDecompressor(options={module.DecompressionParameter.window_log_max: _WINDOW_LOG})
    return module.ZstdDecompressor(max_window_size=1 << _WINDOW_LOG).decompressobj()


def _replayed(
    file: BinaryIO, begin: int, at: int, rest: bytes, frame: Any, error_type: type[Exception]
) -> Iterator[bytes]:
    """What a zstd frame gives before its damage: a call that fails gives nothing, so the frame is read once more."""
    try:
        file.seek(begin)
        while begin < at:
            piece = file.read(min(_ZSTD_IN, at - begin))
            frame.decompress(piece)
            begin += len(piece)
    except (OSError, ValueError):  # a pipe
        return
    yield from _before_damage(frame.decompress, rest, error_type)


def _before_damage(decompress: Callable[[bytes], bytes], data: bytes, error_type: type[Exception]) -> Iterator[bytes]:
    """Byte by byte, so that all that comes before the byte that fails comes out."""
    for at in range(len(data)):
        try:
            out = decompress(data[at : at + 1])
        except error_type:
            return
        if out:
            yield out
