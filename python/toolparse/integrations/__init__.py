"""toolparse inside servers and agent frameworks: one thin module a host, each importing its host only when it is used.

What they share stands here: one reply read for a host (:class:`Reader`), the split of reasoning from the rest
(:class:`Splitter`), tool definitions as hosts hold them (:func:`compiled`), and finding a host (:func:`find`).

The environment variable ``TOOLPARSE_FORMAT`` (one name, or several with commas) tells a server which formats to read;
without it all that auto reads are read.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from toolparse._async import finish_word
from toolparse._core import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ReasoningDelta,
    TextDelta,
    Tools,
    ToolStream,
    parse_tool_calls,
)

if TYPE_CHECKING:
    from toolparse._core import Event, FormatLike

logger = logging.getLogger("toolparse")


def find(host: str, tested: str, name: str, *modules: str) -> Any:
    """``name`` of the first of ``modules`` that has it; ``ImportError`` says what to install when none has."""
    package = modules[0].partition(".")[0]
    try:
        import_module(package)
    except ImportError as error:
        raise ImportError(f"toolparse: this needs {host}. Install it with: pip install {host}") from error
    cause: Exception | None = None
    for module in modules:
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            cause = cause or error
    try:
        version = metadata.version(host)
    except metadata.PackageNotFoundError:
        version = "of unknown version"
    raise ImportError(
        f"toolparse: {host} {version} has no {name} in {' or '.join(modules)}. This version of toolparse works with "
        f"{host} {tested}: install that one, or a newer toolparse."
    ) from cause


def format_wanted() -> FormatLike:
    """What ``TOOLPARSE_FORMAT`` asks for; ``"auto"`` when it is not set."""
    names = [name.strip() for name in os.environ.get("TOOLPARSE_FORMAT", "").split(",") if name.strip()]
    return names or "auto"


def compiled(tools: Iterable[Any] | None) -> Tools:
    """The tools of a request, as dicts or as a host's own objects, compiled; the last ones are kept. None: no tools.

    Tools that a server runs by itself, and those whose input is no object, are none that a reply could call as text.
    """
    definitions = (_definition(tool) for tool in tools or ())
    return _compiled(json.dumps([definition for definition in definitions if definition is not None]))


@lru_cache(maxsize=64)
def _compiled(definitions: str) -> Tools:
    return Tools(json.loads(definitions))


def _definition(tool: Any) -> dict[str, Any] | None:
    """``{"name", "input_schema"}`` of one definition, OpenAI's two shapes or Anthropic's; ``None`` for other tools."""
    written = tool if isinstance(tool, dict) else tool.model_dump(exclude_none=True)
    function = written.get("function", written)
    if not isinstance(function.get("name"), str) or written.get("type") in ("custom", "mcp"):
        return None
    schema = function.get("parameters") or function.get("input_schema") or function.get("inputSchema") or {}
    return {"name": function["name"], "input_schema": schema}


_ID = string.ascii_letters + string.digits


def written_or_random(index: int, name: str, native_id: str | None) -> str:
    """The id that the model wrote, which its own chat template wants back, else nine random characters."""
    return native_id or "".join(secrets.choice(_ID) for _ in range(9))


@dataclass(slots=True)
class CallDelta:
    """What is new of a call. Only its first delta has ``id`` and ``name``; ``arguments`` is a piece of strict JSON."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(slots=True)
class Delta:
    """What is new of a reply: ``content``, ``reasoning`` (``""`` when there is nothing), and a delta for each call."""

    content: str = ""
    reasoning: str = ""
    calls: list[CallDelta] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.content or self.reasoning or self.calls)

    def __add__(self, later: Delta) -> Delta:
        return Delta(self.content + later.content, self.reasoning + later.reasoning, self.calls + later.calls)


class Reader:
    """Reads one reply for a host that takes deltas.

    ``inline=True`` is for hosts that have no place for reasoning: it stays in the content, between ``<think>`` and
    ``</think>``. Calls that failed are logged, their text is not shown.
    """

    def __init__(
        self, tools: Tools, *, prompt: str = "", format: FormatLike | None = None, inline: bool = False
    ) -> None:
        self._stream = ToolStream(tools, format=format or format_wanted(), prompt=prompt, ids=written_or_random)
        self._inline = inline
        self._inside = False
        self._called = self._unfinished = self._dropped = False

    def push(self, text: str) -> Delta:
        """What this piece of the reply adds."""
        return self._delta(self._stream.push(text))

    def finish(self, finish_reason: str | None = None) -> Delta:
        """What was held back until the end."""
        delta = self._delta(self._stream.finish(finish_reason))
        self._leave(delta)
        return delta

    def whole(self, text: str, finish_reason: str | None = None) -> Delta:
        """A whole reply: the pieces of :meth:`push` and :meth:`finish` in one."""
        return self._delta([*self._stream.push(text), *self._stream.finish(finish_reason)], ended=True)

    def word(self, finish_reason: str | None) -> str:
        """OpenAI's word for how the reply ended, after :meth:`finish`; ``finish_reason`` is what the server said."""
        return finish_word(finish_reason, called=self._called, unfinished=self._unfinished, dropped=self._dropped)

    def _delta(self, events: list[Event], ended: bool = False) -> Delta:
        delta = Delta()
        for event in events:
            if isinstance(event, ReasoningDelta):
                self._reasoning(delta, event.text)
                continue
            self._leave(delta)
            if isinstance(event, ArgumentsDelta):
                self._call(delta, event.index).arguments += event.json
            elif isinstance(event, TextDelta):
                delta.content += event.text
            elif isinstance(event, CallStart):
                self._called = self._unfinished = True
                delta.calls.append(CallDelta(event.index, event.id, event.name))
            elif isinstance(event, CallEnd):
                self._unfinished = not event.call.complete
            else:
                self._dropped = self._dropped or event.error.kind == "cut"
                logger.warning("%s", event.error)
        if ended:
            self._leave(delta)
        return delta

    def _reasoning(self, delta: Delta, text: str) -> None:
        if not self._inline:
            delta.reasoning += text
            return
        delta.content += text if self._inside else "<think>" + text
        self._inside = True

    def _leave(self, delta: Delta) -> None:
        if self._inside:
            delta.content += "</think>"
            self._inside = False

    @staticmethod
    def _call(delta: Delta, index: int) -> CallDelta:
        if not delta.calls or delta.calls[-1].index != index:
            delta.calls.append(CallDelta(index))
        return delta.calls[-1]


_LONGEST_CLOSER = 64  # characters: more than that of any format, with an opener that it may stand behind


class Splitter:
    """Splits the reasoning that a reply begins with from the rest, for hosts where another parser reads the rest.

    Both methods return ``(reasoning, rest)``. The rest is the text as it was written, calls and all.
    """

    def __init__(self, *, prompt: str = "") -> None:
        self._prompt, self._format = prompt, format_wanted()
        self._stream = ToolStream(None, format=self._format, prompt=prompt)
        self._pieces: list[str] = []
        self.over = False

    def push(self, text: str) -> tuple[str, str]:
        """What this piece of the reply adds to the reasoning and to the rest."""
        if self.over:
            return "", text
        self._pieces.append(text)
        return self._split(self._stream.push(text))

    def finish(self) -> tuple[str, str]:
        """What was held back until the end."""
        return ("", "") if self.over else self._split(self._stream.finish())

    def whole(self, text: str) -> tuple[str, str]:
        """Both of a whole reply."""
        first, then = self.push(text), self.finish()
        return first[0] + then[0], first[1] + then[1]

    def _split(self, events: list[Event]) -> tuple[str, str]:
        reasoning = ""
        for event in events:
            if isinstance(event, ReasoningDelta):
                reasoning += event.text
            elif not isinstance(event, TextDelta) or not event.text.isspace():
                self.over = True
                break
        return reasoning, self._rest() if self.over else ""

    def _rest(self) -> str:
        """The text so far from behind the reasoning on. It is read once more, for its segments; once in a reply."""
        text, start, opener = "".join(self._pieces), 0, self._prompt
        result = parse_tool_calls(text, None, max_bytes=None, prompt=self._prompt, format=self._format)
        for segment in result.segments:
            piece = text[slice(*segment.span)]
            if segment.kind == "reasoning":
                start = segment.span[1]
            elif segment.kind == "markup":
                closer = self._closer(piece, opener)
                start = segment.span[0] + closer if closer else start
                opener = piece[closer:]
            elif not piece.isspace():
                break
        return text[start:]

    def _closer(self, markup: str, opener: str) -> int:
        """How much of the markup ends the reasoning that ``opener`` began: behind that, a letter is prose."""
        for length in range(1, min(len(markup), _LONGEST_CLOSER) + 1):
            if parse_tool_calls(markup[:length] + "x", None, prompt=opener, format=self._format).text == "x":
                return length
        return 0
