"""Which files are to be read, what kind each is, and their pieces."""

from __future__ import annotations

import glob
import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from toolparse.batch.documents import document_pieces
from toolparse.batch.extras import need, zstd
from toolparse.batch.packed import Damaged, Source, blocks
from toolparse.batch.pieces import BadRow, Piece, Place, file_pieces, line_pieces
from toolparse.batch.tables import Columns, table_pieces

STDIN = "-"
_KINDS = {
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "document",
    ".txt": "text",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
_PACKINGS = {".gz": "gz", ".zst": "zst"}
_HEAD = 1 << 16  # bytes of a file by which it is known again


@dataclass(frozen=True, slots=True)
class Input:
    """One file (or standard input). ``kind`` is a value of ``_KINDS``, ``packing`` is ``""``, ``gz`` or ``zst``."""

    name: str
    kind: str
    packing: str = ""

    @property
    def source(self) -> str:
        """What records say about where they come from."""
        return "<stdin>" if self.name == STDIN else os.fsencode(self.name).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Reading:
    """How inputs are cut: bytes of a piece, the longest line, and whether a ``.txt`` file holds one reply a line."""

    size: int
    limit: int
    text_lines: bool = False
    columns: Columns = field(default_factory=Columns)


class Unread(Exception):
    """An input cannot be opened or is of no known kind. The message is a short phrase."""


def find(names: Sequence[str], ours: Sequence[str]) -> list[Input]:
    """The inputs in the order of ``names``, each once; patterns and folders in the order of their names.

    In patterns and folders, files that this run writes (``ours``) and files of no known kind are passed over. A name
    that leads nowhere is an input all the same: it turns out when it is opened.
    """
    avoid = {os.path.realpath(name) for name in ours}
    found: dict[str, Input] = {}
    for name in names:
        if name == STDIN:
            found[name] = Input(name, "lines")
        elif os.path.isdir(name):
            found |= {path: _input(path) for path in _inside(name) if os.path.realpath(path) not in avoid}
        elif not os.path.lexists(name) and glob.has_magic(name):
            paths = [path for path in sorted(glob.glob(name, recursive=True)) if _known(path)]
            kept = [path for path in paths if os.path.isfile(path) and os.path.realpath(path) not in avoid]
            found |= {path: _input(path) for path in kept or [name]}
        else:
            found[name] = _input(name)
    return list(found.values())


def _inside(folder: str) -> list[str]:
    paths = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(parent, name) for name in files if not name.startswith(".") and _known(name)]
    return sorted(paths)


def _known(name: str) -> bool:
    return bool(_input(name).kind)


def _input(name: str) -> Input:
    stem, suffix = os.path.splitext(name)
    packing = _PACKINGS.get(suffix.lower(), "")
    kind = _KINDS.get(os.path.splitext(stem if packing else name)[1].lower(), "")
    if packing and kind in ("parquet", "arrow"):
        kind = ""
    return Input(name, kind, packing)


def check_packages(found: Sequence[Input]) -> None:
    """Raises ``MissingExtra`` when a package is missing that one of the inputs needs."""
    for each in found:
        if each.packing == "zst":
            zstd()
        if each.kind in ("parquet", "arrow"):
            need("pyarrow", "arrow", f".{each.kind}")


def size(each: Input) -> int | None:
    """Stored bytes, or None when it has no size (a pipe). What cannot be opened has 0."""
    if each.name == STDIN:
        return None
    try:
        found = os.stat(each.name)
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def identity(each: Input) -> dict[str, Any]:
    """By what an input is known again: its name, size and the hash of its first 64 KiB; size None if it is no file."""
    known: dict[str, Any] = {"source": each.source, "size": None, "head": None}
    try:
        if each.name != STDIN and stat.S_ISREG(os.stat(each.name).st_mode):
            with open(each.name, "rb") as file:
                known["head"] = hashlib.sha256(file.read(_HEAD)).hexdigest()
                known["size"] = os.fstat(file.fileno()).st_size
    except OSError as error:
        known["unreadable"] = error.strerror
    return known


def pieces(each: Input, place: Place, reading: Reading) -> Iterator[Piece]:
    """The pieces of an input from ``place`` on. Raises :class:`Unread`, :class:`Damaged` and ``MissingExtra``."""
    if not each.kind:
        suffixes = " ".join(_KINDS)
        raise Unread(
            f"what is in it cannot be told from its name (wanted: {suffixes}, or those of text with .gz, .zst)"
        )
    file = _opened(each)
    try:
        source = Source(file)
        for piece in _pieces(each, source, place, reading):
            piece.raw = source.offset
            yield piece
    finally:
        if each.name != STDIN:
            file.close()


def _pieces(each: Input, source: Source, place: Place, reading: Reading) -> Iterator[Piece]:
    if each.kind in ("parquet", "arrow"):
        return table_pieces(source.file, each.kind, place, reading.size, reading.limit, reading.columns)
    if each.kind == "document":
        return document_pieces(blocks(source, each.packing), place, reading.size, reading.limit)
    if each.kind == "text" and not reading.text_lines:
        return _whole_text(source, each.packing, place, reading.limit)
    if each.packing or size(each) is None:
        return line_pieces(blocks(source, each.packing, place.offset), place, reading.size, reading.limit)
    return file_pieces(source, place, reading.size, reading.limit)


def _opened(each: Input) -> BinaryIO:
    if each.name == STDIN:
        if sys.stdin is None:
            raise Unread("closed")
        return sys.stdin.buffer
    try:
        return open(each.name, "rb")
    except OSError as error:
        raise Unread(error.strerror or str(error)) from error


def _whole_text(source: Source, packing: str, place: Place, limit: int) -> Iterator[Piece]:
    """A file that is one reply. When it is damaged there is no reply, but a bad row."""
    if place != Place():
        return
    data = bytearray()
    after, damage = Place(2, 0), None
    try:
        for block in blocks(source, packing):
            data += block
            if len(data) > limit:
                yield Piece(after, 0, bad=[BadRow(1, 0, f"the text is longer than {limit} bytes")])
                return
    except Damaged as caught:
        damage = caught
    if damage:
        yield Piece(after, 0, bad=[BadRow(1, 0, f"the file is damaged: {damage}")])
        raise damage
    yield Piece(after, 0, texts=[bytes(data)])
