"""Results as plain values for JSON: the keys that the command line prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolparse import CallError, FormatInfo, ParsedCall, ParseResult, Repair


def of_result(result: ParseResult) -> dict[str, Any]:
    """``{"text", "reasoning", "calls", "errors", "truncated"}``; spans are byte offsets in the reply."""
    return {
        "text": result.text,
        "reasoning": result.reasoning,
        "calls": [_of_call(call) for call in result.calls],
        "errors": [_of_error(error) for error in result.errors],
        "truncated": result.truncated,
    }


def of_format(info: FormatInfo) -> dict[str, Any]:
    """A row of :func:`toolparse.formats`, key for key."""
    return {
        "name": info.name,
        "aliases": list(info.aliases),
        "title": info.title,
        "models": list(info.models),
        "openers": list(info.openers),
        "closers": list(info.closers),
        "needs_schema": info.needs_schema,
        "auto": info.auto,
        "names_elsewhere": {engine: list(names) for engine, names in info.names_elsewhere.items()},
    }


def formats_of(result: ParseResult) -> list[str]:
    """The formats that the calls were read as, each once, in order of appearance."""
    return list(dict.fromkeys(call.format for call in result.calls))


def _of_call(call: ParsedCall) -> dict[str, Any]:
    return {
        "index": call.index,
        "id": call.id,
        "native_id": call.native_id,
        "name": call.name,
        "arguments": call.arguments,
        "format": call.format,
        "shape": call.shape,
        "complete": call.complete,
        "repairs": _of_repairs(call.repairs),
        "span": list(call.span),
    }


def _of_repairs(repairs: Iterable[Repair]) -> list[dict[str, Any]]:
    return [{"kind": repair.kind, "span": list(repair.span), "safe": repair.safe} for repair in repairs]


def _of_error(error: CallError) -> dict[str, Any]:
    return {"kind": error.kind, "name": error.name, "message": str(error), "span": list(error.span)}
