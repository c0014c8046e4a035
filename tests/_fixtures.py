"""Reads the fixture files: `formats/*.txt`, `prose/*.txt`, `repairs/*.txt`, `limits/*.txt`.

Their syntax stands in `formats/README.md`.

With TOOLPARSE_UPDATE=1 in the environment a case that fails is written anew, its expected part only; the test then
passes and the change shows in the diff.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import toolparse

HERE = Path(__file__).parent
FOLDERS = ("formats", "prose", "repairs", "limits")
OPTIONS = {"prompt", "cut", "finish_reason", "format", "max_bytes", "limits"}
ERROR_KINDS = {"unknown_tool", "bad_arguments", "unreadable", "cut", "limit"}
EXACT = dict(
    re.findall(r"^\| `([a-z_]+)` \| .* \| (yes|no) \|$", (HERE.parent / "README.md").read_text(encoding="utf-8"), re.M)
)
TITLE = "== "
RULE = "--"


class FixtureError(ValueError):
    """A fixture file that does not keep to its syntax. The message starts with `file:line:`."""


@dataclass(frozen=True, slots=True)
class Call:
    """What must come out for one call. Arguments are JSON text: 1, 1.0 and true differ, and key order counts."""

    name: str
    arguments: str
    complete: bool
    repairs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Expected:
    text: str
    reasoning: str | None
    calls: tuple[Call, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One reply and what must come out. `ordinal` counts the file's cases from 0; `line` is the title's, from 1."""

    path: Path
    ordinal: int
    line: int
    title: str
    format: str
    tools: list[dict[str, Any]]
    options: dict[str, Any]
    raw: str
    expected: Expected

    @property
    def id(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}: {self.title}"

    @property
    def place(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}:{self.line}"

    def readings(self) -> list[dict[str, Any]]:
        """The sets of options to read it with: with its own format, else with the file's and with auto."""
        options = dict(self.options)
        if "limits" in options:
            options["limits"] = toolparse.Limits(**options["limits"])
        if "format" in options:
            return [options]
        return [{**options, "format": name} for name in dict.fromkeys((self.format, "auto"))]


def load_all() -> list[Case]:
    return [case for folder in FOLDERS for path in sorted((HERE / folder).glob("*.txt")) for case in load(path)]


def load(path: Path) -> list[Case]:
    """The cases of one file. Raises FixtureError."""
    text = path.read_bytes().decode("utf-8")
    if "\r" in text:
        raise FixtureError(f'{path.name}:1: a carriage return; write such a reply as `raw "..."`')
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(TITLE)]
    if not starts:
        raise FixtureError(f"{path.name}:1: no case")
    name, tools = _head(path, lines[: starts[0]])
    ends = [*starts[1:], len(lines)]
    return [
        _case(path, ordinal, name, tools, lines, start, end)
        for ordinal, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _head(path: Path, lines: list[str]) -> tuple[str, list[dict[str, Any]]]:
    """The format's name and the tools."""
    found: dict[str, list[str]] = {"format": [], "source": [], "tools": []}
    for at, line in enumerate(lines):
        key, _, value = line.partition(" ")
        if line and (key not in found or not value):
            raise FixtureError(
                f"{path.name}:{at + 1}: `{line[:40]}` is not `format`, `source` or `tools` and its value"
            )
        if line:
            found[key].append(value)
    for key in ("format", "tools"):
        if len(found[key]) != 1:
            raise FixtureError(f"{path.name}:1: {len(found[key])} lines `{key}`, where one belongs")
    if not found["source"]:
        raise FixtureError(f"{path.name}:1: no `source`")
    tools = _json(path, 1, found["tools"][0], list)
    return found["format"][0], tools


def _case(
    path: Path, ordinal: int, name: str, tools: list[dict[str, Any]], lines: list[str], start: int, end: int
) -> Case:
    at = start + 1
    options: dict[str, Any] = {}
    if at < end and lines[at].startswith("options "):
        options = _json(path, at, lines[at].removeprefix("options "), dict)
        if unknown := sorted(options.keys() - OPTIONS):
            raise FixtureError(f"{path.name}:{at + 1}: unknown options {', '.join(unknown)}")
        at += 1
    rule = next((i for i in range(at, end) if lines[i] == RULE), None)
    if rule is None:
        raise FixtureError(f"{path.name}:{start + 1}: no line `{RULE}` ends the reply")
    raw = _raw(path, at, lines[at:rule])
    expected = _expected(path, rule + 1, lines[rule + 1 : end])
    return Case(path, ordinal, start + 1, lines[start].removeprefix(TITLE), name, tools, options, raw, expected)


def _raw(path: Path, at: int, body: list[str]) -> str:
    if len(body) == 1 and body[0].startswith('raw "'):
        return str(_json(path, at, body[0].removeprefix("raw "), str))
    for i, line in enumerate(body):
        if line != line.rstrip(" \t") or any(c < " " and c != "\t" for c in line):
            raise FixtureError(f"{path.name}:{at + i + 1}: white space at the end or a control character; use `raw`")
    return "\n".join(body)


def _expected(path: Path, first: int, lines: list[str]) -> Expected:
    text: str | None = None
    reasoning: str | None = None
    calls: list[Call] = []
    errors: list[str] = []
    for at, line in _until_blank(path, first, lines):
        key, _, value = line.partition(" ")
        if key == "text" and text is None:
            text = _json(path, at, value, str)
        elif key == "reasoning" and reasoning is None:
            reasoning = _json(path, at, value, str)
        elif key == "call":
            calls.append(_call(path, at, value))
        elif key == "repair" and calls:
            last = calls[-1]
            calls[-1] = Call(last.name, last.arguments, last.complete, last.repairs | {value})
        elif key == "error" and value in ERROR_KINDS:
            errors.append(value)
        else:
            raise FixtureError(f"{path.name}:{at + 1}: `{line[:60]}` cannot stand here")
    if text is None:
        raise FixtureError(f"{path.name}:{first + 1}: no `text`")
    return Expected(text, reasoning, tuple(calls), tuple(errors))


def _until_blank(path: Path, first: int, lines: list[str]) -> Iterator[tuple[int, str]]:
    ended = False
    for at, line in enumerate(lines, first):
        if line and ended:
            raise FixtureError(f"{path.name}:{at + 1}: a line after the blank line that ends a case")
        ended = ended or not line
        if line:
            yield at, line


def _call(path: Path, at: int, value: str) -> Call:
    name, _, rest = value.partition(" ")
    complete = not rest.endswith(" incomplete")
    arguments = _json(path, at, rest if complete else rest.removesuffix(" incomplete"), dict)
    return Call(name, canonical(arguments), complete, frozenset())


def _json(path: Path, at: int, text: str, wanted: type) -> Any:
    try:
        value = json.loads(text)
    except ValueError as problem:
        raise FixtureError(f"{path.name}:{at + 1}: not JSON: {problem}") from None
    if not isinstance(value, wanted):
        raise FixtureError(f"{path.name}:{at + 1}: JSON of another type than {wanted.__name__}")
    return value


def canonical(value: Any) -> str:
    """JSON text that a person can read, with escapes only where it could not be written as UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if any("\ud800" <= c <= "\udfff" for c in text) else text


def mark(repair: toolparse.Repair) -> str:
    """The kind of a repair, and its class where that is not the one of the kind."""
    if repair.safe == (EXACT[repair.kind] == "yes"):
        return repair.kind
    return f"{repair.kind} {'safe' if repair.safe else 'unsafe'}"


def outcome(result: Any) -> Expected:
    """What a `ParseResult` says, in the terms of a fixture."""
    return Expected(
        text=result.text,
        reasoning=result.reasoning,
        calls=tuple(
            Call(c.name, canonical(c.arguments), c.complete, frozenset(map(mark, c.repairs))) for c in result.calls
        ),
        errors=tuple(e.kind for e in result.errors),
    )


def render(expected: Expected) -> list[str]:
    """The lines behind `--`."""
    lines = [f"text {canonical(expected.text)}"]
    if expected.reasoning is not None:
        lines.append(f"reasoning {canonical(expected.reasoning)}")
    for call in expected.calls:
        lines.append(f"call {call.name} {call.arguments}{'' if call.complete else ' incomplete'}")
        lines += [f"repair {kind}" for kind in sorted(call.repairs)]
    return lines + [f"error {kind}" for kind in expected.errors]


def updating() -> bool:
    return os.environ.get("TOOLPARSE_UPDATE") == "1"


def update(case: Case, now: Expected) -> None:
    """Writes another expected part into the file. The case may have moved since it was loaded; its ordinal has not."""
    lines = case.path.read_text(encoding="utf-8").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(TITLE)]
    rule = lines.index(RULE, starts[case.ordinal])
    end = next((at for at in range(rule + 1, len(lines)) if not lines[at] or lines[at].startswith(TITLE)), len(lines))
    case.path.write_bytes("\n".join([*lines[: rule + 1], *render(now), *lines[end:]]).encode("utf-8"))


def by_id(cases: Iterable[Case]) -> dict[str, Case]:
    """Raises FixtureError when two cases of a file share a title."""
    found: dict[str, Case] = {}
    for case in cases:
        if case.id in found:
            raise FixtureError(f"{case.place}: the title of {found[case.id].place} again")
        found[case.id] = case
    return found


CASES = by_id(load_all())
