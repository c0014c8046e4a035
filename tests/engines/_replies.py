"""A dozen replies, their tools, and every way to cut one in two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def tool(name: str, **properties: str) -> dict[str, Any]:
    """An OpenAI definition; ``properties`` are names and JSON types."""
    parameters = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [
    tool("search", query="string", limit="integer"),
    tool("write_file", path="string", text="string"),
    tool("now"),
]

HERMES = '<tool_call>\n{"name": "search", "arguments": {"query": "a <b> \\"c\\"", "limit": 2}}\n</tool_call>'

REPLIES = {
    "prose": "Nothing to call here, 2 < 3 and `<tool_call>` is only a tag.",
    "hermes": "Looking.\n" + HERMES,
    "hermes_thinking": "<think>\nFirst look.\n</think>\n\nLooking.\n" + HERMES,
    "hermes_two": HERMES + "\n" + '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    "hermes_damaged": "<tool_call>{'name': 'search', 'arguments': {'query': 'x', limit: 3,}}</tool_call>",
    "hermes_cut": '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.txt", "text": "one tw',
    "call_in_open_thinking": "<think>I should search.\n" + HERMES,
    "thinking_only": "<think>Hm.</think>",
    "qwen3_coder": (
        "<think>x</think><tool_call>\n<function=search>\n<parameter=query>\ncaps\n</parameter>\n"
        "<parameter=limit>\n2\n</parameter>\n</function>\n</tool_call>"
    ),
    "glm45": (
        "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>caps</arg_value>\n"
        "<arg_key>limit</arg_key>\n<arg_value>2</arg_value>\n</tool_call>"
    ),
    "kimi_k2": (
        "On it.<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
        '{"query": "caps"}<|tool_call_end|><|tool_calls_section_end|>'
    ),
    "lfm2": "<|tool_call_start|>[search(query='caps', limit=2)]<|tool_call_end|>Searching.",
    "mistral": '[TOOL_CALLS][{"name": "search", "arguments": {"query": "caps"}}]',
    "unknown": 'Let me.<tool_call>{"name": "rm", "arguments": {}}</tool_call>',
    "two_thoughts": "<think>a</think>One.<think>b</think>Two.",
}


def cuts(text: str) -> Iterator[list[str]]:
    """Every cut in two, and pieces of 1, 2, 3 and 7 characters."""
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))
    yield from ([text[at : at + size] for at in range(0, len(text), size)] for size in (1, 2, 3, 7))
