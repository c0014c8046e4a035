"""The records of a ``.json`` file: the items of an array, or JSON values one after the other, as lines of JSONL.

Only where a record begins and ends is looked for here; a record is handed on as it stands. Its line is its number,
from 1.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator

from toolparse.batch.packed import Damaged
from toolparse.batch.pieces import BadRow, Piece, Place

_BLANK = " \t\n\r"
# Characters at the end of what was read, where an error, or a number's end as in "1e+", may be because more is to come.
_TOKEN = 16
_EXPONENT = 2


class _Text:
    """Text of a document that was read and not yet used up; ``offset`` is its place in bytes."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.text = ""
        self.at = 0
        self.offset = 0
        self.ended = False
        self.damage: Damaged | None = None

    def more(self) -> bool:
        """Reads on; false at the end."""
        if self.ended:
            return False
        try:
            block = next(self.stream, None)
        except Damaged as damage:
            self.damage, block = damage, None
        self.ended = block is None
        self.text = self.text[self.at :] + self.decoder.decode(block or b"", self.ended)
        self.at = 0
        return not self.ended

    def skip(self, characters: str) -> str:
        """Passes over ``characters``; the one that comes next, or ``""`` at the end."""
        while True:
            while self.at < len(self.text):
                found = self.text[self.at]
                if found not in characters:
                    return found
                self.use(self.at + 1)
            if not self.more():
                return self.text[self.at : self.at + 1]

    def use(self, end: int) -> bytes:
        """The bytes up to ``end``, which are used up."""
        used = self.text[self.at : end].encode("utf-8", "surrogateescape")
        self.offset += len(used)
        self.at = end
        return used


def document_pieces(stream: Iterable[bytes], place: Place, size: int, limit: int) -> Iterator[Piece]:
    """Pieces of about ``size`` bytes, beginning with the record that ``place`` names. ``raw`` is left 0.

    Raises :class:`Damaged` where no further record can be found; those before it have been handed out.
    """
    lines, offsets, bad = bytearray(), dict[int, int | None](), list[BadRow]()
    first = number = place.line
    text = _Text(iter(stream))
    damage: Damaged | None = None
    try:
        for number, (offset, record) in enumerate(_records(text, limit), start=1):
            if number < first:
                continue
            if len(record) > limit:
                bad.append(BadRow(number, offset, f"the record is longer than {limit} bytes"))
                lines += b"\n"
            else:
                offsets[number] = offset
                # A line feed in JSON stands between tokens: within a string it is escaped.
                lines += record.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
            if len(lines) >= size:
                yield Piece(Place(number + 1, 0), 0, Place(first), bytes(lines), bad=bad, offsets=offsets)
                lines, offsets, bad, first = bytearray(), {}, [], number + 1
    except Damaged as caught:
        damage = caught
    if lines:
        yield Piece(Place(number + 1, 0), 0, Place(first), bytes(lines), bad=bad, offsets=offsets)
    if damage or text.damage:
        raise (damage or text.damage)  # type: ignore[misc]


def _records(text: _Text, limit: int) -> Iterator[tuple[int, bytes]]:
    if text.skip(_BLANK + "\ufeff") == "[":
        yield from _items(text, limit)
        return
    while text.skip(_BLANK):
        offset = text.offset
        length = _record_length(text, limit)
        yield offset, text.use(text.at + (length or _line_length(text)))


def _items(text: _Text, limit: int) -> Iterator[tuple[int, bytes]]:
    text.use(text.at + 1)
    while (following := text.skip(_BLANK + ",")) != "]":
        if not following:
            raise text.damage or Damaged(text.offset, "the array is not closed")
        offset = text.offset
        length = _record_length(text, limit)
        if not length:
            raise text.damage or Damaged(text.offset, "not JSON")
        yield offset, text.use(text.at + length)
    text.use(text.at + 1)
    if text.skip(_BLANK):
        raise Damaged(text.offset, "text behind the end of the array")


def _record_length(text: _Text, limit: int) -> int:
    """How long the record that begins here is, or 0 when it is no JSON. Raises :class:`Damaged`.

    A record that is not whole yet is tried again each time that what was read has doubled, so that the time stays
    linear.
    """
    decoder = json.JSONDecoder()
    while True:
        length = len(text.text) - text.at
        try:
            _, end = decoder.raw_decode(text.text, text.at)
            found = end - text.at
            if found + _EXPONENT < length or not text.more():
                return found
        except RecursionError:
            return 0
        except json.JSONDecodeError as error:
            if text.ended or not _may_go_on(error, len(text.text)):
                return 0
            if length > 4 * limit:
                raise Damaged(text.offset, f"a record is longer than {4 * limit} bytes") from error
            while len(text.text) - text.at < 2 * length and text.more():
                pass


def _may_go_on(error: json.JSONDecodeError, length: int) -> bool:
    return error.pos + _TOKEN >= length or error.msg.startswith("Unterminated")


def _line_length(text: _Text) -> int:
    """How much of what was read is before the next line feed."""
    end = text.text.find("\n", text.at)
    return (end if end >= 0 else len(text.text)) - text.at
