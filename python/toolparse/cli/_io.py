"""Standard streams and files of the command line: reading replies, printing safely, and how both can fail."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO


class InputError(Exception):
    """Something that was asked for cannot be read or used. The message is one line for a person."""


class OutputError(Exception):
    """Standard output does not take what is written to it. The message is one line for a person."""


# What a terminal might act on, or what makes text look like other text: C0, DEL, C1, separators, marks that reorder.
_ACTIVE = [*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
_ESCAPED_IN_LINE = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _ACTIVE}
_ESCAPED_IN_LINE |= {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}
_ESCAPED_IN_TEXT = {code: escape for code, escape in _ESCAPED_IN_LINE.items() if code not in (ord("\n"), ord("\t"))}
# json.dumps escapes C0 itself; the others stand only within its strings, so a JSON escape is right wherever they are.
_ESCAPED_IN_JSON = {code: f"\\u{code:04x}" for code in _ACTIVE if code >= 0x7F}


def in_line(text: str) -> str:
    """``text`` as it can be shown within a line: control and bidirectional characters escaped, line feeds too."""
    return text.translate(_ESCAPED_IN_LINE)


def in_text(text: str) -> str:
    """``text`` as it can be shown over several lines: as :func:`in_line`, but line feeds and tabs kept."""
    return text.translate(_ESCAPED_IN_TEXT)


def to_json(value: object, *, pretty: bool = False) -> str:
    """Strict JSON on one line (or indented), non-ASCII text as it is, nothing in it that a terminal would act on."""
    return json.dumps(value, ensure_ascii=False, indent=2 if pretty else None).translate(_ESCAPED_IN_JSON)


def replies(files: Sequence[str], *, lines: bool = False) -> Iterator[tuple[str, bytes | InputError]]:
    """Each reply as ``(where it came from, UTF-8 bytes)``; a file that cannot be read gives its error instead of bytes.

    ``-`` and an empty list are standard input. With ``lines`` every line is a reply: a JSON string, or else the line as
    it stands.
    """
    for name in files or ["-"]:
        label = "<stdin>" if name == "-" else name
        try:
            with _opened(name) as file:
                if lines:
                    for line in file:
                        yield label, _line_reply(line)
                else:
                    yield label, file.read()
        except OSError as error:
            yield label, InputError(f"{in_line(label)}: {error.strerror or error}")
        except InputError as error:
            yield label, error


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name != "-":
        with open(name, "rb") as file:
            yield file
    elif sys.stdin is None:
        raise InputError("<stdin>: closed")
    else:
        yield sys.stdin.buffer


def _line_reply(line: bytes) -> bytes:
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if not line.startswith(b'"'):
        return line
    try:
        text = json.loads(line)
    except ValueError:  # not JSON, so a reply that happens to start with a quotation mark
        return line
    # JSON can spell half a surrogate pair, which has no UTF-8; by way of UTF-16 it becomes U+FFFD.
    return str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def prepare_output() -> None:
    """Output is UTF-8 with bare line feeds, whatever the locale says, so that it is the same everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def write(text: str, *, flush: bool = False) -> None:
    """Prints a line (or lines) on standard output.

    Raises :class:`OutputError`, or ``BrokenPipeError`` when nobody reads any more.
    """
    if sys.stdout is None:
        raise OutputError("<stdout>: closed")
    try:
        print(text, flush=flush)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"<stdout>: {error.strerror or error}") from error


def flush_output() -> None:
    """Hands over what is still buffered, so that a full disk is noticed here. Raises as :func:`write`."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"<stdout>: {error.strerror or error}") from error


def discard_output() -> None:
    """Lets the interpreter's own flush at exit succeed after standard output has failed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    """One line on standard error, after the program's name."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"toolparse: {in_line(message)}", file=sys.stderr, flush=True)
