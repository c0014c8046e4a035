"""Replies that arrive asynchronously, and what the encoders share: how a reply ended.

The reading itself is synchronous and never waits; these generators only wait for the next piece.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict

from toolparse._core import ToolStream, _finish_reason
from toolparse._types import ParseResult

if TYPE_CHECKING:
    from typing import Unpack

    from toolparse._core import Cut, Event, FormatLike, Ids, Limits, ToolsLike

Json: TypeAlias = dict[str, Any]
FinishReason: TypeAlias = str | Callable[[], str | None] | None
"""The server's word for why the reply ended, or a function that is asked for it after the last piece."""


class StreamOptions(TypedDict, total=False):
    """The options of :class:`toolparse.ToolStream`."""

    format: FormatLike
    prompt: str
    max_bytes: int | None
    cut: Cut
    ids: Ids
    limits: Limits | None


class Encoder(Protocol):
    """What turns events into what a client receives."""

    def encode(self, events: Iterable[Event]) -> list[Json]: ...
    def finish(self, finish_reason: str | None = None) -> list[Json]: ...


def finish_word(said: str | None, *, called: bool, unfinished: bool, dropped: bool) -> str:
    """OpenAI's word for how a reply ended: ``tool_calls``, ``stop``, ``length`` or ``content_filter``.

    ``said`` is the server's word, in any API's terms (``src/finish.rs`` lists them); an unknown one counts as
    ``None``. ``called`` tells whether there was a call, ``unfinished`` whether the last call is not complete,
    ``dropped`` whether a call became an error of kind ``cut``.
    """
    word = (_finish_reason(said) if said else None) or ("length" if unfinished or dropped else "stop")
    return "tool_calls" if word == "stop" and called and not unfinished else word


def result_word(result: ParseResult, said: str | None) -> str:
    """:func:`finish_word` of a whole result."""
    calls = result.calls
    unfinished = bool(calls) and not calls[-1].complete
    dropped = any(error.kind == "cut" for error in result.errors)
    if result.truncated or any(error.kind == "limit" for error in result.errors):
        said = "length"
    return finish_word(said, called=bool(calls), unfinished=unfinished, dropped=dropped)


async def aevents(
    chunks: AsyncIterable[str | bytes],
    tools: ToolsLike | ToolStream,
    *,
    finish_reason: FinishReason = None,
    **options: Unpack[StreamOptions],
) -> AsyncIterator[Event]:
    """The events of a reply that arrives in pieces: ``async for event in aevents(pieces, tools)``.

    ``chunks`` yields ``str``, or ``bytes`` of UTF-8. ``tools`` and ``options`` are those of
    :class:`toolparse.ToolStream`; a ``ToolStream`` in the place of ``tools`` is used as it is, for who wants its
    ``result()`` afterwards. ``finish_reason`` is the server's word, or a function that is called for it after the last
    piece. When ``chunks`` raises, what was held back comes out first, as in a reply that was cut, and then the same
    exception is raised.
    """
    async for events in _batches(chunks, _stream(tools, options), finish_reason):
        for event in events:
            yield event


async def aencoded(
    chunks: AsyncIterable[str | bytes],
    tools: ToolsLike | ToolStream,
    encoder: Encoder,
    finish_reason: FinishReason,
    options: StreamOptions,
) -> AsyncIterator[Json]:
    """What ``encoder`` makes of the events of a reply; when ``chunks`` raises, its ``finish`` is not called."""
    async for events in _batches(chunks, _stream(tools, options), finish_reason):
        for message in encoder.encode(events):
            yield message
    for message in encoder.finish(_said(finish_reason)):
        yield message


async def _batches(
    chunks: AsyncIterable[str | bytes], stream: ToolStream, finish_reason: FinishReason
) -> AsyncIterator[list[Event]]:
    try:
        async for chunk in chunks:
            yield stream.push(chunk)
    except Exception:
        yield stream.finish("length")
        raise
    yield stream.finish(_said(finish_reason))


def _said(finish_reason: FinishReason) -> str | None:
    return finish_reason() if callable(finish_reason) else finish_reason


def _stream(tools: ToolsLike | ToolStream, options: StreamOptions) -> ToolStream:
    if not isinstance(tools, ToolStream):
        return ToolStream(tools, **options)
    if options:
        raise TypeError("a ToolStream has its options already; give tools instead, or no options")
    return tools
