"""Pieces of all inputs, read by threads, in order.

The caller's thread reads files and takes results; the threads parse and encode, without Python's lock. At most a
fixed number of pieces is under way, so memory does not depend on how much there is to read.
"""

from __future__ import annotations

import concurrent.futures
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolparse.batch import inputs
from toolparse.batch.encodings import Encoded, Encoding
from toolparse.batch.packed import Damaged
from toolparse.batch.pieces import BadRow, Piece, Place

_PATIENCE = 0.1  # seconds between two looks at whether the run is to stop


@dataclass(slots=True)
class Trouble:
    """An input that could not be read (on). ``offset`` is None when it could not be opened."""

    reason: str
    offset: int | None


@dataclass(slots=True)
class Work:
    """A piece of the input with this number, or what was wrong with it."""

    input: int
    item: Piece | Trouble


@dataclass(slots=True)
class Done:
    """A piece that was read: its encoded records, bad rows and counts. For a :class:`Trouble` there are none."""

    work: Work
    encoded: Encoded
    bad: list[BadRow]
    stats: list[dict[str, Any]]


def work(found: Sequence[inputs.Input], first: int, place: Place, reading: inputs.Reading) -> Iterator[Work]:
    """All that is to be done from ``place`` of the input with number ``first`` on."""
    for number in range(first, len(found)):
        try:
            for piece in inputs.pieces(found[number], place, reading):
                yield Work(number, piece)
        except inputs.Unread as error:
            yield Work(number, Trouble(str(error), None))
        except Damaged as error:
            yield Work(number, Trouble(error.reason, error.offset))
        place = Place()


class Threads:
    """``workers`` threads that read pieces with one native reader. ``check`` is called often and may raise to stop."""

    def __init__(
        self, reader: Any, found: Sequence[inputs.Input], encoding: Encoding, workers: int, check: Callable[[], None]
    ) -> None:
        self.reader, self.found, self.encoding, self.check = reader, found, encoding, check
        self.window = workers + max(2, workers // 2)
        self.pool = concurrent.futures.ThreadPoolExecutor(workers, "toolparse")

    def done(self, todo: Iterator[Work]) -> Iterator[Done]:
        """What becomes of each, in order."""
        under_way: deque[concurrent.futures.Future[Done]] = deque()
        for each in todo:
            under_way.append(self.pool.submit(do, self.reader, self.found[each.input].source, self.encoding, each))
            while len(under_way) >= self.window or (under_way and under_way[0].done()):
                yield self._wait(under_way.popleft())
            self.check()
        while under_way:
            yield self._wait(under_way.popleft())

    def close(self) -> None:
        """Drops what was not begun."""
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _wait(self, future: concurrent.futures.Future[Done]) -> Done:
        while True:
            self.check()
            try:
                return future.result(timeout=_PATIENCE)
            except TimeoutError:
                if future.done():  # it was the work itself that raised it
                    return future.result()


def do(reader: Any, source: str, encoding: Encoding, each: Work) -> Done:
    """Reads and encodes a piece. It may run in any thread."""
    if isinstance(each.item, Trouble):
        return Done(each, Encoded(b""), [], [])
    chunks, bad = read_piece(reader, source, each.item)
    known = [*each.item.bad, *bad]
    places = {row.line for row in known}
    found = [_bad_row(each.item, *error) for chunk in chunks for error in chunk.errors if error[0] not in places]
    rows = sorted([*known, *found], key=lambda row: row.line)
    stats = [chunk.stats for chunk in chunks]
    encoded = encoding.encode(chunks) if chunks else Encoded(b"")
    each.item.lines, each.item.texts = b"", None  # it may wait for its turn a while
    return Done(each, encoded, rows, stats)


def _bad_row(piece: Piece, line: int, offset: int, reason: str) -> BadRow:
    return BadRow(line, offset if piece.offsets is None else piece.offsets.get(line), reason)


def read_piece(reader: Any, source: str, piece: Piece) -> tuple[list[Any], list[BadRow]]:
    """The native chunks of a piece. When reading fails as a whole, each row is tried on its own; those that fail are
    bad rows.
    """
    try:
        if piece.lines:
            return [_lines(reader, source, piece.lines, piece.first)], []
        if piece.texts:
            return [_texts(reader, source, piece, 0, len(piece.texts))], []
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic is no Exception
        return _row_by_row(reader, source, piece)
    return [], []


def _lines(reader: Any, source: str, lines: bytes, first: Place) -> Any:
    return reader.lines(lines, source=source, first_line=first.line, first_offset=first.offset)


def _texts(reader: Any, source: str, piece: Piece, start: int, end: int) -> Any:
    assert piece.texts is not None
    ids = None if piece.ids is None else piece.ids[start:end]
    return reader.texts(piece.texts[start:end], source=source, first_line=piece.first.line + start, ids=ids)


def _row_by_row(reader: Any, source: str, piece: Piece) -> tuple[list[Any], list[BadRow]]:
    chunks: list[Any] = []
    bad: list[BadRow] = []
    for place, read in _rows(reader, source, piece):
        try:
            chunks.append(read())
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            offset = place.offset if piece.offsets is None and piece.texts is None else None
            bad.append(BadRow(place.line, offset, f"reading it failed: {type(error).__name__}: {error}"))
    return chunks, bad


def _rows(reader: Any, source: str, piece: Piece) -> Iterator[tuple[Place, Callable[[], Any]]]:
    if piece.texts is not None:
        for row in range(len(piece.texts)):
            yield Place(piece.first.line + row), lambda row=row: _texts(reader, source, piece, row, row + 1)  # type: ignore[misc]
        return
    place = piece.first
    for line in piece.lines.removesuffix(b"\n").split(b"\n"):
        yield place, lambda line=line, place=place: _lines(reader, source, line + b"\n", place)  # type: ignore[misc]
        place = Place(place.line + 1, place.offset + len(line) + 1)
