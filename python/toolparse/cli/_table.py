"""Plain text tables."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from toolparse.cli._io import in_line

_GAP = "  "


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, indent: str = "") -> str:
    """Columns side by side, two spaces between, no trailing blanks. Cells are escaped to stay within their line."""
    cells = [list(head), *([in_line(cell) for cell in row] for row in rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(indent + _GAP.join(map(_padded, row, widths)).rstrip() for row in cells)


def clipped(text: str, limit: int) -> str:
    """At most ``limit`` characters, the last one an ellipsis if there were more."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    """How many columns a terminal gives to ``text``."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "FW" else 1
