"""``toolparse formats``: the table of formats."""

from __future__ import annotations

import argparse
from typing import Any

from toolparse import FormatInfo, formats
from toolparse.cli import _io, _table, _values

_EPILOG = """\
examples:
  toolparse formats
  toolparse formats --json | jq -r '.[] | select(.needs_schema) | .name'
"""


def add_parser(subparsers: Any) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "formats",
        help="the formats that are read",
        description="Lists every format: whether auto reads it, whether it needs a schema, what opens a call.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="a JSON array with all that is known of each")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the table."""
    rows = formats()
    if args.json:
        _io.write(_io.to_json([_values.of_format(info) for info in rows], pretty=True))
        return 0
    _io.write(_table.table(("name", "auto", "schema", "opens with", "what it is"), [_row(info) for info in rows]))
    return 0


def _row(info: FormatInfo) -> tuple[str, ...]:
    return (
        info.name,
        "yes" if info.auto else "no",
        "yes" if info.needs_schema else "no",
        " ".join(info.openers) or "-",
        info.title,
    )
