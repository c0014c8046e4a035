"""The command line. ``main`` finds the commands, runs one and turns what went wrong into one line and an exit status.

A command is a module of this package with ``add_parser(subparsers)``, which sets ``run=`` to a function from the parsed
arguments to the exit status. Exit statuses: 0 all well, 1 what ``--strict`` asks about was found, 2 usage or an input
that could not be read, 4 output failed, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import NoReturn

from toolparse import _start
from toolparse._core import __version__
from toolparse.cli import _io

_COMMANDS = ("parse", "explain", "formats", "detect", "batch", "stats")

_DESCRIPTION = "Reads tool calls, reasoning and prose out of what language models write."

_EPILOG = """\
examples:
  toolparse parse --tools tools.json reply.txt          the calls, prose and errors of a reply as JSON
  toolparse parse --lines --tools search,open < log     one reply a line in, one result a line out
  toolparse explain reply.txt                           what each piece of the reply was read as
  toolparse detect reply.txt                            which formats the calls were written in
  toolparse formats                                     every format that is read

'toolparse COMMAND --help' says more about each.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line that starts with the program's name."""

    def error(self, message: str) -> NoReturn:
        _io.complain(f"{message} (try '{self.prog} --help')")
        raise SystemExit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command with ``argv`` (default: the process's arguments) and returns its exit status."""
    try:
        _start.over()
        _io.prepare_output()
        args = _parser().parse_args(argv)
        status: int = args.run(args)
        _io.flush_output()
    except SystemExit as stop:  # argparse: --help, --version, usage
        return stop.code if isinstance(stop.code, int) else 2
    except _io.InputError as error:
        _io.complain(str(error))
        return 2
    except BrokenPipeError:  # the reader has what it wanted, as in `… | head -1`
        _io.discard_output()
        return 0
    except _io.OutputError as error:
        _io.discard_output()
        _io.complain(str(error))
        return 4
    except KeyboardInterrupt:
        _io.discard_output()
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Parser(prog="toolparse", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=raw)
    parser.add_argument("--version", action="version", version=f"toolparse {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in _COMMANDS:
        importlib.import_module(f"toolparse.cli.{name}").add_parser(subparsers)
    return parser
