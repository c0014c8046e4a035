"""One reply, and stand-ins for what hosts pass around."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

SEARCH = {
    "type": "function",
    "function": {"name": "search", "parameters": {"properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}},
}
CALL = '<tool_call>{"name": "search", "arguments": {"q": "a", "n": 2}}</tool_call>'
REPLY = "<think>Hm.</think>Looking." + CALL
ARGUMENTS = '{"q":"a","n":2}'


class Bag(SimpleNamespace):
    """A host's message class: whatever it is given."""


def cuts(text: str) -> Iterator[list[str]]:
    """Every cut in two, and single characters."""
    yield from ([text[:at], text[at:]] for at in range(len(text) + 1))
    yield list(text)
