"""``toolparse stats``: what a run counted, as tables or as a page."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from typing import Any

from toolparse.cli import _io, _table

_DESCRIPTION = """\
Prints the counts of a batch run by format, tool, repair and error. FILE is what 'toolparse batch --stats'
wrote, or the records that it wrote (.jsonl, also .gz and .zst, .parquet or .arrow), which are counted again."""

_EPILOG = """\
examples:
  toolparse stats stats.json
  toolparse stats calls.jsonl --html report.html
  toolparse stats stats.json --json | jq .by_repair
"""

_TITLES = {"by_format": "formats", "by_tool": "tools", "by_repair": "repairs", "by_error": "errors"}
_WHOLES = {"by_format": "calls", "by_tool": "calls", "by_repair": "calls", "by_error": "errors"}


def add_parser(subparsers: Any) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "stats",
        help="what a batch run counted",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a stats file, or records")
    parser.add_argument("--html", metavar="OUT", help="write a page with plots instead; it stands alone")
    parser.add_argument("--json", action="store_true", help="the counts as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints or writes the counts; 3 when the file was damaged. Raises :class:`InputError` and :class:`OutputError`."""
    from toolparse.batch.counted import NoCounts, load
    from toolparse.batch.extras import MissingExtra

    try:
        counts = load(args.file)
    except (NoCounts, MissingExtra) as error:
        raise _io.InputError(str(error)) from error
    if args.html:
        _write_page(counts, args)
    elif args.json:
        _io.write(_io.to_json(counts))
    else:
        _io.write("\n\n".join(_tables(counts)))
    return 3 if counts["damaged"] else 0


def _write_page(counts: Mapping[str, Any], args: argparse.Namespace) -> None:
    from toolparse.batch.report import page

    if os.path.exists(args.html) and os.path.samefile(args.html, args.file):
        raise _io.InputError(f"{args.html} is read and cannot be written")
    try:
        with open(args.html, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(page(counts, f"toolparse: {os.path.basename(args.file)}"))
    except OSError as error:
        raise _io.OutputError(f"{args.html}: {error.strerror or error}") from error


def _tables(counts: Mapping[str, Any]) -> Iterator[str]:
    from toolparse.batch.report import largest, share, warnings

    calls = counts["calls"]
    rows = [
        ("replies", f"{counts['rows']:,}", ""),
        ("calls", f"{calls:,}", ""),
        ("  complete", f"{counts['complete']:,}", share(counts["complete"], calls)),
        ("  repaired", f"{counts['repaired']:,}", share(counts["repaired"], calls)),
        ("errors", f"{counts['errors']:,}", ""),
        ("bad rows", f"{counts['bad_rows']:,}", ""),
    ]
    yield _table.table(("counted", "number", "share"), rows)
    for table, title in _TITLES.items():
        found = [(name, f"{count:,}", share(count, counts[_WHOLES[table]])) for name, count in largest(counts[table])]
        yield _table.table((title, "number", "share"), found) if found else f"{title}: none"
    if counts["damaged"]:
        yield "\n".join(f"warning: {_io.in_line(text)}" for text in warnings(counts))
