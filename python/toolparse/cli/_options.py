"""The options that say how a reply is read, shared by the commands that read one."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from toolparse import Limits, ParseResult, Tools, parse_tool_calls
from toolparse.cli._io import InputError, in_line

LIMIT_HELP = "how much is taken in: call_bytes, nodes, depth, digits, name, calls or errors; may be given for each"

Read: TypeAlias = Callable[[bytes], ParseResult]


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``parse_tool_calls``: ``--tools``, ``--format``, ``--prompt``, ``--cut``, ``--limit`` …."""
    group = parser.add_argument_group("how to read")
    group.add_argument(
        "--tools",
        metavar="FILE|NAME,NAME",
        help="the tools that were offered: a JSON file of names or definitions (OpenAI, Anthropic, MCP, or name to "
        "schema), or names between commas; without it every well-marked name is taken",
    )
    group.add_argument(
        "--format",
        metavar="F",
        default="auto",
        help="a format, or several between commas (see 'toolparse formats'); default: auto",
    )
    group.add_argument(
        "--prompt", metavar="TEXT", default="", help="the end of the prompt: says whether the reply starts in reasoning"
    )
    group.add_argument(
        "--cut",
        choices=("keep", "drop"),
        default="keep",
        help="a call that the reply breaks off is repaired and marked (keep, the default) or is an error (drop)",
    )
    group.add_argument(
        "--finish-reason", metavar="R", help="why the model stopped, as the server said: stop, length, …"
    )
    group.add_argument(
        "--max-bytes", metavar="N", type=_count, help="read only the first N bytes of a reply; default: all"
    )
    group.add_argument(
        "--limit",
        metavar="NAME=N",
        action="append",
        type=limit,
        default=[],
        help=LIMIT_HELP,
    )
    group.add_argument(
        "--ids", choices=("index", "random"), default="index", help="ids by position (default) or random"
    )


def reader(args: argparse.Namespace) -> Read:
    """The function that reads one reply as ``args`` say.

    Raises :class:`InputError` when they make no sense, before any reply is read.
    """
    try:
        read = partial(
            parse_tool_calls,
            tools=tools_of(args.tools),
            format=formats_of(args.format),
            prompt=args.prompt,
            max_bytes=args.max_bytes,
            limits=limits_of(args.limit),
            cut=args.cut,
            ids=args.ids,
            finish_reason=args.finish_reason,
        )
        read(b"")
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    return read


def _count(value: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise argparse.ArgumentTypeError(f"a number of bytes is wanted, not {in_line(value)!r}")
    return int(value)


def limit(value: str) -> tuple[str, int]:
    """A limit and its number, of ``NAME=N``. Raises ``ArgumentTypeError``."""
    name, _, number = value.partition("=")
    if not number.isascii() or not number.isdigit():
        raise argparse.ArgumentTypeError(f"NAME=N is wanted, as in depth=100, not {in_line(value)!r}")
    try:
        Limits(**{name: int(number)})
    except TypeError:
        raise argparse.ArgumentTypeError(f"there is no limit {in_line(name)!r}") from None
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name, int(number)


def limits_of(given: list[tuple[str, int]]) -> Limits | None:
    """What ``--limit`` says."""
    return Limits(**dict(given)) if given else None


def formats_of(value: str) -> str | list[str]:
    """What ``--format`` says: one name, or several between commas."""
    names = value.split(",")
    return names[0] if len(names) == 1 else names


def tools_of(value: str | None) -> Tools | None:
    """What ``--tools`` says: a file, or names between commas. Raises :class:`InputError`."""
    if value is None:
        return None
    if os.path.exists(value) or value.endswith(".json"):
        return _tools_file(value)
    names = [name.strip() for name in value.split(",")] if value else []
    for name in names:
        if not name or any(mark.isspace() or mark in "/\\{}[]" for mark in name):
            raise InputError(f"--tools: {in_line(value)} is neither a file nor names between commas")
    return Tools(names)


def _tools_file(name: str) -> Tools:
    label = in_line(name)
    try:
        with open(name, encoding="utf-8-sig") as file:
            tools: Any = json.load(file)
    except OSError as error:
        raise InputError(f"{label}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{label}: not JSON: {error}") from error
    try:
        return Tools(tools)
    except (TypeError, ValueError) as error:
        raise InputError(f"{label}: {error}") from error
