"""One unit of work: whole lines, or texts, with their place in the input; and how a stream of bytes is cut into them.

Where a piece ends depends on where it began and on nothing else, so a run that goes on from a piece's end cuts as the
undisturbed run would have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolparse._core import line_feeds
from toolparse.batch.packed import Damaged, Source, blocks

_BOM = b"\xef\xbb\xbf"
_TAIL = 1 << 16  # bytes at the end of a piece that are looked through for a line feed first


@dataclass(frozen=True, slots=True)
class Place:
    """Where to go on in an input: the line (or row) that comes next, and its byte offset in the unpacked file."""

    line: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that gives no record. ``offset`` is None where rows have no place in bytes (tables)."""

    line: int
    offset: int | None
    reason: str


@dataclass(slots=True)
class Piece:
    """``lines`` is JSONL; or else ``texts`` are replies, with their ``ids``. ``after`` is where the next piece
    begins.

    ``bad`` are rows that never came so far as to be read. ``offsets`` maps lines to their true byte offsets, or to
    None, where ``lines`` is not as it stands in the file. ``raw`` is how many stored bytes of the input are behind
    it.
    """

    after: Place
    raw: int
    first: Place = field(default_factory=Place)
    lines: bytes = b""
    texts: list[Any] | None = None
    ids: list[Any] | None = None
    bad: list[BadRow] = field(default_factory=list)
    offsets: dict[int, int | None] | None = None


def line_pieces(stream: Iterable[bytes], place: Place, size: int, limit: int) -> Iterator[Piece]:
    """Pieces of about ``size`` bytes. A line longer than ``limit`` bytes becomes a bad row and is not kept in memory.

    ``raw`` is left 0. What stands after the last line feed is a line too, unless the stream is damaged there: then it
    is a bad row, and the damage is raised again when all before it has been handed out.
    """
    size = min(size, limit)
    buffer = _Buffer(iter(stream))
    if place == Place() and buffer.fill(len(_BOM)) and buffer.data.startswith(_BOM):
        del buffer.data[: len(_BOM)]
        place = Place(1, len(_BOM))
    while buffer.fill(size):
        cut = buffer.data.rfind(b"\n", 0, size) + 1
        if not cut:
            cut = buffer.line_end(limit)
        if not cut and len(buffer.data) > limit:
            length, cut_short = buffer.skip_line()
            after = Place(place.line + 1, place.offset + length)
            yield Piece(after, 0, bad=[_too_long(place, limit, buffer.damage if cut_short else None)])
        elif not cut and buffer.damage:
            after = Place(place.line + 1, place.offset + len(buffer.data))
            yield Piece(after, 0, bad=[BadRow(place.line, place.offset, f"the file is damaged here: {buffer.damage}")])
            buffer.data.clear()
        else:
            piece = _piece(place, buffer.take(cut or len(buffer.data)))
            after = piece.after
            yield piece
        place = after
    if buffer.damage:
        raise buffer.damage


def file_pieces(source: Source, place: Place, size: int, limit: int) -> Iterator[Piece]:
    """The same pieces out of a plain file, each read at once up to where it ends."""
    size = min(size, limit)
    if place == Place() and source.read_at(0, len(_BOM)) == _BOM:
        place = Place(1, len(_BOM))
    while True:
        lines = source.read_at(place.offset, _last_line_end(source, place.offset, size) - place.offset)
        if not lines:
            return
        end = lines.rfind(b"\n") + 1
        if end or not source.read_at(place.offset + len(lines), 1):
            piece = _piece(place, lines[:end] if end else lines)
        else:  # a line that is longer than a piece
            piece = next(line_pieces(blocks(source, "", place.offset), place, size, limit))
        yield piece
        place = piece.after


def _last_line_end(source: Source, offset: int, size: int) -> int:
    """Behind the last line feed of the ``size`` bytes from ``offset`` on, if it is near their end; else their end."""
    start = max(offset, offset + size - _TAIL)
    end = source.read_at(start, offset + size - start).rfind(b"\n")
    return start + end + 1 if end >= 0 else offset + size


def _piece(place: Place, lines: bytes) -> Piece:
    after = Place(place.line + line_feeds(lines) + (not lines.endswith(b"\n")), place.offset + len(lines))
    return Piece(after, 0, place, lines)


def _too_long(place: Place, limit: int, damage: Damaged | None) -> BadRow:
    why = f"the line is longer than {limit} bytes"
    return BadRow(place.line, place.offset, f"{why}, and the file is damaged in it: {damage}" if damage else why)


class _Buffer:
    """Bytes that were read and not yet cut off. ``damage`` is set when the stream could not be read on."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        self.stream = stream
        self.data = bytearray()
        self.damage: Damaged | None = None

    def fill(self, size: int) -> bool:
        """Reads until there are ``size`` bytes or no more come; whether there are any."""
        while len(self.data) < size and self.more():
            pass
        return bool(self.data)

    def more(self) -> bool:
        try:
            block = next(self.stream, None)
        except Damaged as damage:
            self.damage = damage
            return False
        if block is None:
            return False
        self.data += block
        return True

    def line_end(self, limit: int) -> int:
        """Behind the first line feed, or 0 when there is none within ``limit`` bytes of text or before the end."""
        searched = 0
        while True:
            found = self.data.find(b"\n", searched, limit + 1)
            if found >= 0:
                return found + 1
            searched = len(self.data)
            if searched > limit or not self.more():
                return 0

    def skip_line(self) -> tuple[int, bool]:
        """Drops a line without keeping it: how long it was with its line feed, and whether damage ended it."""
        length = 0
        while True:
            found = self.data.find(b"\n")
            if found >= 0:
                del self.data[: found + 1]
                return length + found + 1, False
            length += len(self.data)
            self.data.clear()
            if not self.more():
                return length, self.damage is not None

    def take(self, size: int) -> bytes:
        taken = bytes(memoryview(self.data)[:size])
        del self.data[:size]
        return taken
