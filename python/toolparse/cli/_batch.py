"""From the arguments of ``toolparse batch`` to a run, and from how it ended to an exit status."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from typing import Any

from toolparse import _core
from toolparse.batch import inputs
from toolparse.batch.encodings import SUFFIXES, suffix_of
from toolparse.batch.extras import MissingExtra
from toolparse.batch.partfile import InUse, OutputFailed
from toolparse.batch.plan import STDOUT, Plan, Refused
from toolparse.batch.resume import CannotResume
from toolparse.batch.signals import Stopped
from toolparse.batch.tables import Columns
from toolparse.cli import _io, _options

# Bytes of input in a piece. A small log is cut into smaller ones, so that its statistics show how it changes.
_PIECE, _SMALL_PIECE = 4 << 20, 256 << 10
_ROW_GROUP, _SMALL_ROW_GROUP = 16 << 20, 1 << 20
_SLICES = 64
_OURS = ("", ".part", ".part.state")


def run(args: argparse.Namespace) -> int:
    """Reads the logs. Raises :class:`InputError` when the options make no sense."""
    try:
        plan, reader = _plan(args), _reader(args)
        if args.engine == "ray":
            from toolparse.batch import cluster

            return cluster.run(plan, _plain_tools(args.tools), _reader_options(args), _io.complain)
        from toolparse.batch import run as threads

        return threads.run(plan, reader, _io.complain)
    except (Refused, MissingExtra, CannotResume) as error:
        _io.complain(str(error))
        return 2
    except OutputFailed as error:
        _io.discard_output()
        _io.complain(str(error))
        return 4
    except InUse as error:
        _io.complain(str(error))
        return 5
    except Stopped as error:
        _io.discard_output()
        _io.complain("stopped" if args.output == STDOUT else "stopped (--resume goes on)")
        return 128 + error.number


def _plan(args: argparse.Namespace) -> Plan:
    suffix = ".jsonl" if args.output == STDOUT else suffix_of(args.output)
    if suffix is None:
        wanted = f"{' '.join(SUFFIXES)}, or - for JSONL"
        raise _io.InputError(f"{args.output}: the suffix says what is written: {wanted}")
    if args.text_path and args.shape:
        raise _io.InputError("either --shape or --text-path, not both")
    found = _inputs(args)
    if args.shape == "text" and any(each.kind in ("document", "parquet", "arrow") for each in found):
        raise _io.InputError("--shape text is for lines of text: in tables and .json name the reply with --text-path")
    inputs.check_packages(found)
    reading = _how_to_cut(args, found, suffix)
    return Plan(
        inputs=found,
        reading=reading,
        output=args.output,
        suffix=suffix,
        options=_identity(args, reading, suffix),
        workers=args.workers or _processors(),
        errors=args.errors,
        stats=args.stats,
        resume=args.resume,
        force=args.force,
        max_errors=args.max_errors,
        strict=args.strict,
        quiet=args.quiet,
    )


def _inputs(args: argparse.Namespace) -> list[inputs.Input]:
    """The inputs. Raises :class:`InputError` when they and the outputs are in each other's way."""
    ours = [name for name in (args.output, args.errors, args.stats) if name not in (None, STDOUT)]
    written = {os.path.realpath(name) for name in ours}
    if len(written) < len(ours):
        raise _io.InputError("-o, --errors and --stats must be different files")
    found = inputs.find(args.inputs, [name + ending for name in ours for ending in _OURS])
    for each in found:
        if each.name != inputs.STDIN and os.path.realpath(each.name) in written:
            raise _io.InputError(f"{each.name} is read and cannot be written")
    if args.resume and (args.output == STDOUT or any(inputs.size(each) is None for each in found)):
        raise _io.InputError("--resume needs files: standard input, standard output and pipes cannot be gone back to")
    return found


def _how_to_cut(args: argparse.Namespace, found: list[inputs.Input], suffix: str) -> inputs.Reading:
    most, least = (_ROW_GROUP, _SMALL_ROW_GROUP) if suffix in (".parquet", ".arrow") else (_PIECE, _SMALL_PIECE)
    sizes = [inputs.size(each) for each in found]
    known = sum(size or 0 for size in sizes)
    size = most if None in sizes else min(most, max(least, known // _SLICES))
    return inputs.Reading(size, args.line_limit, args.shape == "text", _columns(args))


def _columns(args: argparse.Namespace) -> Columns:
    """Which columns of a table the paths are, if they are no longer than that."""
    paths = [path for path in (args.text_path, args.id_path) if path]
    if not args.text_path or args.tools_path or any(set(path) & set(".[*") for path in paths):
        return Columns()
    return Columns(args.text_path, args.id_path, own_tools=args.tools is None)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _identity(args: argparse.Namespace, reading: inputs.Reading, suffix: str) -> dict[str, Any]:
    return {
        "version of toolparse": _core.__version__,
        "kind of output": suffix,
        "--errors": args.errors,
        "--tools": _tools_hash(args.tools),
        "--format": args.format,
        "--prompt": args.prompt,
        "--cut": args.cut,
        "--max-bytes": args.max_bytes,
        "--limit": dict(args.limit),
        "--shape": args.shape or "auto",
        "--text-path": args.text_path,
        "--tools-path": args.tools_path,
        "--id-path": args.id_path,
        "--line-limit": args.line_limit,
        "amount of input": reading.size,
    }


def _tools_hash(value: str | None) -> str | None:
    if value is None or not os.path.isfile(value):
        return value
    try:
        with open(value, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        raise _io.InputError(f"{_io.in_line(value)}: {error.strerror or error}") from error


def _plain_tools(value: str | None) -> Any:
    """The tools as they can be sent to other machines; that they make sense was seen before."""
    if value is None or not (os.path.exists(value) or value.endswith(".json")):
        return value and [name.strip() for name in value.split(",")]
    with open(value, encoding="utf-8-sig") as file:
        return json.load(file)


def _reader_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of a ``BatchReader`` but for its tools."""
    return {
        "format": _options.formats_of(args.format),
        "prompt": args.prompt,
        "max_bytes": args.max_bytes,
        "limits": _options.limits_of(args.limit),
        "cut": args.cut,
        "shape": args.shape or "auto",
        "text_path": args.text_path,
        "tools_path": args.tools_path,
        "id_path": args.id_path,
        "line_limit": args.line_limit,
        "output": "arrow" if args.output.lower().endswith((".parquet", ".arrow")) else "jsonl",
    }


def _reader(args: argparse.Namespace) -> Any:
    try:
        return _core.BatchReader(_options.tools_of(args.tools), **_reader_options(args))
    except (TypeError, ValueError) as error:
        raise _io.InputError(str(error)) from error
