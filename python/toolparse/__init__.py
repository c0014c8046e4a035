"""Reads what language models write: prose, reasoning and tool calls, whole or while it streams.

:func:`parse_tool_calls` reads one reply, :class:`ToolStream` one that is still coming, :class:`ProseFilter` shows its
prose, :func:`parse_batch` reads many, :func:`parse_arrow` columns of them, :func:`repair_json` mends JSON that stands
alone. Model text never makes them raise; what was mended is marked on the result.
"""

from toolparse._start import over as _over  # noqa: F401  # isort: skip
from typing import TYPE_CHECKING as _TYPE_CHECKING

from toolparse._async import aevents
from toolparse._core import (
    ArgumentsDelta,
    CallEnd,
    CallFailed,
    CallStart,
    HeuristicToolParser,
    Limits,
    ProseFilter,
    ReasoningDelta,
    TextDelta,
    Tools,
    ToolStream,
    __version__,
    arrow_schema,
    format_for_model,
    formats,
    iter_arrow,
    parse_arrow,
    parse_batch,
    parse_tool_calls,
    repair_json,
)
from toolparse._types import (
    MISSING,
    CallError,
    FormatInfo,
    ParsedCall,
    ParseResult,
    Repair,
    RepairedJSON,
    Segment,
    ToolUse,
    iter_unsafe,
)

Event = TextDelta | ReasoningDelta | CallStart | ArgumentsDelta | CallEnd | CallFailed
"""Everything that a stream hands out."""

if _TYPE_CHECKING:
    import toolparse.anthropic as anthropic
    import toolparse.openai as openai
else:

    def __getattr__(name: str) -> object:
        """Imports ``toolparse.openai`` or ``toolparse.anthropic`` when it is first named."""
        if name not in ("anthropic", "openai"):
            raise AttributeError(f"module 'toolparse' has no attribute {name!r}")
        from importlib import import_module

        return import_module(f"toolparse.{name}")


__all__ = [
    "MISSING",
    "ArgumentsDelta",
    "CallEnd",
    "CallError",
    "CallFailed",
    "CallStart",
    "Event",
    "FormatInfo",
    "HeuristicToolParser",
    "Limits",
    "ParseResult",
    "ParsedCall",
    "ProseFilter",
    "ReasoningDelta",
    "Repair",
    "RepairedJSON",
    "Segment",
    "TextDelta",
    "ToolStream",
    "ToolUse",
    "Tools",
    "__version__",
    "aevents",
    "anthropic",
    "arrow_schema",
    "format_for_model",
    "formats",
    "iter_arrow",
    "iter_unsafe",
    "openai",
    "parse_arrow",
    "parse_batch",
    "parse_tool_calls",
    "repair_json",
]
