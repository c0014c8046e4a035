"""``toolparse parse``: replies in, one JSON result a line out."""

from __future__ import annotations

import argparse
from typing import Any

from toolparse import ParseResult
from toolparse.cli import _io, _options, _values

_DESCRIPTION = """\
Reads each FILE as one reply, byte for byte, and prints one JSON result a line:
text, reasoning, calls, errors, truncated. Spans are byte offsets."""

_EPILOG = """\
examples:
  toolparse parse --tools tools.json reply.txt
  toolparse parse --tools search,open --pretty - < reply.txt
  toolparse parse --lines --tools tools.json completions.txt > calls.jsonl
  toolparse parse --cut drop --strict --tools tools.json reply.txt && echo 'safe to run'

exit status: 0 read · 1 --strict found an error or an unsafe call · 2 usage or an unreadable file · 4 output failed
"""


def add_parser(subparsers: Any) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "parse",
        help="replies in, JSON results out",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="*", help="a reply; - or none is standard input")
    parser.add_argument(
        "--lines", action="store_true", help="a reply a line instead: a JSON string, or else the line as it stands"
    )
    parser.add_argument("--pretty", action="store_true", help="indented JSON instead of one line a result")
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 when there is an error, or a call that is cut or rests on a guess"
    )
    _options.add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints a result for each reply. A file that cannot be read is reported and the others are still done."""
    read = _options.reader(args)
    unreadable = doubtful = False
    for _, reply in _io.replies(args.files, lines=args.lines):
        if isinstance(reply, _io.InputError):
            _io.complain(str(reply))
            unreadable = True
            continue
        result = read(reply)
        doubtful = doubtful or _is_doubtful(result)
        _io.write(_io.to_json(_values.of_result(result), pretty=args.pretty), flush=args.lines)
    if unreadable:
        return 2
    return int(args.strict and doubtful)


def _is_doubtful(result: ParseResult) -> bool:
    return bool(result.errors) or not all(call.safe for call in result.calls)
