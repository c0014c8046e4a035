"""toolparse in the models of smolagents.

smolagents takes the text between the first ``{`` and the last ``}`` for a call and fails on anything else. After
:func:`attach` the model reads the calls of every format, and one that cannot be read comes back as the error that
smolagents shows the model::

    toolparse.integrations.smolagents.attach(model, tools=[tool.name for tool in tools])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolparse._core import Tools, parse_tool_calls
from toolparse.integrations import find

if TYPE_CHECKING:
    from toolparse._core import FormatLike, ToolsLike

TESTED = "1.26"

# smolagents' own prompt asks for an object on the lines behind "Action:".
_FORMATS = ("auto", "json_line")


def attach(model: Any, tools: ToolsLike, *, format: FormatLike = _FORMATS) -> Any:
    """Makes ``model`` (one of smolagents' ``Model``) read calls with toolparse; returns the model.

    Name ``final_answer`` among ``tools``, as smolagents offers it to the model.
    """
    offered = tools if isinstance(tools, Tools) else Tools(tools)
    model.parse_tool_calls = lambda message: parse_message(message, offered, format=format)
    return model


def parse_message(message: Any, tools: ToolsLike, *, format: FormatLike = _FORMATS) -> Any:
    """The message with ``tool_calls``, read from its content unless it has them; ``ValueError`` when there is none."""
    message.role = _type("MessageRole").ASSISTANT
    if message.tool_calls:
        return message
    result = parse_tool_calls(_text(message.content), tools, format=format, max_bytes=None)
    calls = [call for call in result.calls if call.complete]
    if not calls:
        if result.calls:
            raise ValueError("The model output ended inside a tool call")
        raise ValueError("; ".join(result.errors) or "No tool call was found in the model output")
    message.tool_calls = [
        _type("ChatMessageToolCall")(
            id=call.id,
            type="function",
            function=_type("ChatMessageToolCallFunction")(name=call.name, arguments=call.arguments),
        )
        for call in calls
    ]
    message.content = result.text
    return message


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _type(name: str) -> Any:
    return find("smolagents", TESTED, name, "smolagents.models")
