"""``toolparse explain``: one reply, piece by piece, and what was made of it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any, TypeAlias

from toolparse import ParseResult, Segment
from toolparse.cli import _io, _options, _table

_DESCRIPTION = """\
Shows a reply with each piece marked as what it was read as (prose, reasoning, call, markup, error),
in colours on a terminal and under bracketed labels elsewhere; below it the calls, repairs and errors.
Positions are byte offsets, start:end."""

_EPILOG = """\
examples:
  toolparse explain --tools tools.json reply.txt
  toolparse explain --color always reply.txt | less -R
  pbpaste | toolparse explain
"""

_Row: TypeAlias = tuple[str, ...]

_COLOURS = {"prose": "", "reasoning": "\x1b[2;3m", "call": "\x1b[32m", "markup": "\x1b[35m", "error": "\x1b[31m"}
_PLAIN = "\x1b[0m"
_ARGUMENTS_SHOWN = 80  # characters


def add_parser(subparsers: Any) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "explain",
        help="one reply, piece by piece",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the reply; - or none is standard input")
    parser.add_argument(
        "--color",
        "--colour",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto: if standard output is a terminal and NO_COLOR is not set",
    )
    _options.add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the pieces and the tables. Raises :class:`InputError` if the reply cannot be read."""
    read = _options.reader(args)
    for _, reply in _io.replies([args.file]):
        if isinstance(reply, _io.InputError):
            raise reply
        result = read(reply)
        pieces = _coloured(reply, result) if _wants_colour(args.color) else _labelled(reply, result)
        _io.write(pieces or "(an empty reply)")
        for part in _tables(result):
            _io.write("\n" + part)
    return 0


def _wants_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def _coloured(reply: bytes, result: ParseResult) -> str:
    legend = " ".join(f"{colour}{kind}{_PLAIN}" for kind, colour in _COLOURS.items())
    pieces = "".join(_painted(_COLOURS[segment.kind], _shown(reply, segment)) for segment in result.segments)
    return f"{legend}\n\n{pieces}"


def _painted(colour: str, text: str) -> str:
    """Each line on its own, so that a pager may start anywhere."""
    if not colour:
        return text
    return colour + text.replace("\n", f"{_PLAIN}\n{colour}") + _PLAIN


def _labelled(reply: bytes, result: ParseResult) -> str:
    return "\n".join(
        f"[{segment.kind} {_place(segment.span)}]\n  " + _shown(reply, segment).replace("\n", "\n  ")
        for segment in result.segments
    )


def _shown(reply: bytes, segment: Segment) -> str:
    start, end = segment.span
    return _io.in_text(reply[start:end].decode("utf-8", "replace"))


def _tables(result: ParseResult) -> Iterator[str]:
    calls: list[_Row] = [
        (
            str(call.index),
            call.name,
            call.format,
            call.shape,
            _yes(call.complete),
            _yes(call.safe),
            call.native_id or call.id,
            _place(call.span),
            _table.clipped(call.arguments_json, _ARGUMENTS_SHOWN),
        )
        for call in result.calls
    ]
    yield _section("calls", ("#", "name", "format", "shape", "complete", "safe", "id", "place", "arguments"), calls)
    repairs: list[_Row] = [
        (str(call.index), repair.kind, _yes(repair.safe), _place(repair.span))
        for call in result.calls
        for repair in call.repairs
    ]
    yield _section("repairs", ("call", "kind", "safe", "place"), repairs)
    errors: list[_Row] = [(error.kind, error.name or "-", _place(error.span), str(error)) for error in result.errors]
    yield _section("errors", ("kind", "name", "place", "message"), errors)
    if result.truncated:
        yield "truncated: the rest of the reply was not read"


def _section(title: str, head: _Row, rows: list[_Row]) -> str:
    if not rows:
        return f"{title}: none"
    return f"{title}: {len(rows)}\n" + _table.table(head, rows, indent="  ")


def _place(span: tuple[int, int]) -> str:
    return f"{span[0]}:{span[1]}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
