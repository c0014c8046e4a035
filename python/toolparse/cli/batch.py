"""``toolparse batch``: logs in, one record a reply out."""

from __future__ import annotations

import argparse
from typing import Any

from toolparse.cli import _options

SHAPES = ("auto", "openai-batch", "messages", "sharegpt", "langfuse", "langsmith", "otel", "text")
_LINE_LIMIT = 16 << 20  # bytes

_DESCRIPTION = """\
Reads the replies in logs and writes one record each: source, line, id, format, content, reasoning,
calls, errors, repairs, truncated, n_calls. Records come in the order of the input.

IN is a file, a folder, a quoted pattern or - (JSONL on standard input): .jsonl .json .txt, each also
with .gz or .zst, .parquet or .arrow. OUT is - or a new file: .jsonl, .jsonl.gz, .jsonl.zst, .parquet
or .arrow. A row that gives no reply never stops the run: it goes to the --errors file."""

_EPILOG = """\
examples:
  toolparse batch logs/ -o calls.parquet --tools tools.json
  toolparse batch 'logs/*.jsonl.gz' -o calls.jsonl --shape messages --errors bad.jsonl --stats stats.json
  toolparse batch run.jsonl -o calls.jsonl --text-path response.text --id-path request_id
  toolparse batch run.jsonl -o calls.jsonl --resume             go on after a crash, a kill or Ctrl-C
  cat run.jsonl | toolparse batch - -o - | jq -c .calls

exit status: 0 all read and written · 1 --strict or --max-errors · 2 usage, or files in the way
3 an input is damaged or could not be read, and all else is written · 4 output failed
5 output in use by another run · 130, 143 stopped by Ctrl-C or TERM
"""


def add_parser(subparsers: Any) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "batch",
        help="logs in, records out: JSONL, Parquet or Arrow",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("inputs", metavar="IN", nargs="+", help="a file, folder or pattern; - is standard input")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="where to; - is standard output, as JSONL")
    parser.add_argument("--force", action="store_true", help="write over files that exist")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--workers", metavar="N", type=_positive, help="threads; default: one a processor")
    parser.add_argument(
        "--engine", choices=("threads", "ray"), default="threads", help="ray: many machines, OUT a folder"
    )
    parser.add_argument("--errors", metavar="FILE", help="bad rows as JSONL: source, line, offset, reason")
    parser.add_argument("--stats", metavar="FILE", help="counts as JSON, see 'toolparse stats'")
    parser.add_argument("--max-errors", metavar="N", type=_count, help="stop after more than N bad rows, exit 1")
    parser.add_argument("--strict", action="store_true", help="exit 1 if there is a bad row, or an error in a reply")
    parser.add_argument("--quiet", action="store_true", help="no bar and no summary")
    _add_shape_options(parser)
    _add_reading_options(parser)
    parser.set_defaults(run=run)


def _add_shape_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where the replies are")
    add = group.add_argument
    add("--shape", metavar="S", choices=SHAPES, help=f"{', '.join(SHAPES)}; default: auto")
    add("--text-path", metavar="P", help="the reply, as in response.choices.0.message.content")
    add("--tools-path", metavar="P", help="the tools that were offered, where each row has its own")
    add("--id-path", metavar="P", help="what becomes the id of the record")
    add("--line-limit", metavar="BYTES", type=_positive, default=_LINE_LIMIT, help="longest line; default: 16 MiB")


def _add_reading_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how to read")
    add = group.add_argument
    add("--tools", metavar="FILE|NAME,NAME", help="the tools that were offered; default: take every well-marked name")
    add("--format", metavar="F", default="auto", help="see 'toolparse formats'; several between commas; default: auto")
    add("--prompt", metavar="TEXT", default="", help="the end of the prompt: do replies start in reasoning?")
    add("--cut", choices=("keep", "drop"), default="keep", help="a call that is broken off: repaired, or an error")
    add("--max-bytes", metavar="N", type=_count, help="read only the first N bytes of a reply; default: all")
    add("--limit", metavar="NAME=N", action="append", type=_options.limit, default=[], help=_options.LIMIT_HELP)


def _count(value: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise argparse.ArgumentTypeError("a whole number is wanted")
    return int(value)


def _positive(value: str) -> int:
    count = _count(value)
    if not count:
        raise argparse.ArgumentTypeError("a number above 0 is wanted")
    return count


def run(args: argparse.Namespace) -> int:
    """Reads the logs. What it takes is imported only now: other commands start without it."""
    from toolparse.cli import _batch

    return _batch.run(args)
