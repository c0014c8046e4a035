"""Writes the README's table of formats from ``toolparse.formats()``.

python scripts/readme_formats.py            rewrites README.md
python scripts/readme_formats.py --check    exits 1 if that would change it
"""

from __future__ import annotations

import sys
from pathlib import Path

import toolparse

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- formats:begin -->\n", "<!-- formats:end -->"
HEAD = ("format", "written by", "a call opens with", "auto", "schema", "known elsewhere as")


def with_table(text: str) -> str:
    """The README's text with the table between its two marks made anew."""
    before, rest = text.split(BEGIN)
    after = rest[rest.index(END) :]
    return before + BEGIN + table() + after


def table() -> str:
    """The table in Markdown, a row a format, in the order of the rows."""
    rows = [HEAD, ("---",) * len(HEAD), *(row(info) for info in toolparse.formats())]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(info: toolparse.FormatInfo) -> tuple[str, ...]:
    """The cells of one format."""
    examples = ", ".join(model.rpartition("/")[2] for model in info.models[:3])
    elsewhere = "; ".join(f"{engine}: {', '.join(names)}" for engine, names in info.names_elsewhere.items() if names)
    return (
        f"`{info.name}`",
        f"{cell(info.title)}" + (f" ({cell(examples)})" if examples else ""),
        " ".join(dict.fromkeys(map(code, info.openers))),
        "yes" if info.auto else "no",
        "yes" if info.needs_schema else "",
        cell(elsewhere),
    )


def code(marker: str) -> str:
    """``marker`` as code within a cell: one line, its bars and back-ticks harmless."""
    shown = marker.replace("\r\n", "\n").replace("\n", "⏎").replace("|", "\\|")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def cell(text: str) -> str:
    """``text`` within a cell: Markdown's own characters harmless."""
    for character in "\\|*_`<[":
        text = text.replace(character, "\\" + character)
    return text


def main(argv: list[str]) -> int:
    """Rewrites or checks; returns the exit status."""
    old = README.read_text(encoding="utf-8")
    new = with_table(old)
    if argv == ["--check"]:
        return int(new != old)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
