"""``toolparse detect``: which formats the calls of a reply were written in, or which one a model writes."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from toolparse import ParseResult, format_for_model
from toolparse.cli import _io, _options, _values

_DESCRIPTION = """\
Prints the formats that the calls of each reply were read as, in order of appearance, or 'none'.
With --model: the format that the model is known to write, or 'auto'."""

_EPILOG = """\
examples:
  toolparse detect reply.txt
  toolparse detect --json replies/*.txt
  toolparse detect --model Qwen/Qwen3-8B
"""


def add_parser(subparsers: Any) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "detect",
        help="which formats a reply, or a model, uses",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="*", help="a reply; - or none is standard input")
    parser.add_argument("--model", metavar="ID", help="a model's name, such as Qwen/Qwen3-8B, instead of replies")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    _options.add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints a line for each reply, or one for the model."""
    if args.model is None:
        return _detect_replies(args)
    if args.files:
        raise _io.InputError("detect: either FILE or --model, not both")
    name = format_for_model(args.model)
    _io.write(_io.to_json({"model": args.model, "format": name}) if args.json else name)
    return 0


def _detect_replies(args: argparse.Namespace) -> int:
    read = _options.reader(args)
    status = 0
    for label, reply in _io.replies(args.files):
        if isinstance(reply, _io.InputError):
            _io.complain(str(reply))
            status = 2
            continue
        result = read(reply)
        if args.json:
            _io.write(_io.to_json(_answer(label, result)))
        else:
            names = " ".join(_values.formats_of(result)) or "none"
            _io.write(f"{_io.in_line(label)}: {names}" if len(args.files) > 1 else names)
    return status


def _answer(label: str, result: ParseResult) -> dict[str, Any]:
    counts = Counter(call.format for call in result.calls)
    return {"source": label, "formats": _values.formats_of(result), "calls": dict(counts), "errors": len(result.errors)}
