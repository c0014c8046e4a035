"""toolparse around a chat handler of llama-cpp-python.

The handler makes the prompt and runs the model; what the model wrote comes out as text, reasoning and tool calls::

    llama = Llama("model.gguf", chat_handler=toolparse.integrations.llama_cpp.chat_handler())
    llama.create_chat_completion(messages, tools=tools, stream=True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from toolparse._async import Json, result_word
from toolparse._core import Tools, ToolStream, parse_tool_calls
from toolparse.integrations import compiled, find, written_or_random
from toolparse.openai import ChunkEncoder, to_message

if TYPE_CHECKING:
    from toolparse._core import FormatLike

TESTED = "0.3.35"


def chat_handler(handler: Callable[..., Any] | None = None, *, format: FormatLike = "auto") -> Callable[..., Any]:
    """A chat handler that reads what ``handler`` returns; without one, the handler of the model's own chat format."""

    def handle(*, llama: Any, tools: Iterable[Json] | None = None, stream: bool = False, **options: Any) -> Any:
        inner = handler or _own(llama)
        answer = inner(llama=llama, tools=tools, stream=stream, **options)
        offered = compiled(tools)
        return _chunks(answer, offered, format) if stream else _completion(answer, offered, format)

    return handle


def register(name: str = "toolparse", *, format: FormatLike = "auto") -> None:
    """Makes it a chat format: ``Llama(..., chat_format="toolparse")``."""
    register_as = find("llama-cpp-python", TESTED, "register_chat_completion_handler", "llama_cpp.llama_chat_format")
    register_as(name)(chat_handler(format=format))


def _own(llama: Any) -> Callable[..., Any]:
    """The handler of the chat template in the model's file, or of the chat format that was chosen."""
    own = getattr(llama, "_chat_handlers", {})
    if llama.chat_format in own:
        return own[llama.chat_format]  # type: ignore[no-any-return]
    if "chat_template.default" in own:
        return own["chat_template.default"]  # type: ignore[no-any-return]
    get = find("llama-cpp-python", TESTED, "get_chat_completion_handler", "llama_cpp.llama_chat_format")
    return get(llama.chat_format)  # type: ignore[no-any-return]


def _completion(answer: Json, tools: Tools, format: FormatLike) -> Json:
    choices = []
    for choice in answer["choices"]:
        if choice["message"].get("tool_calls"):
            # A forced call, which the handler has made itself.
            choices.append(choice)
            continue
        said = choice["finish_reason"]
        result = parse_tool_calls(
            choice["message"].get("content") or "",
            tools,
            format=format,
            max_bytes=None,
            ids=written_or_random,
            finish_reason=said,
        )
        choices.append(choice | {"message": to_message(result), "finish_reason": result_word(result, said)})
    return answer | {"choices": choices}


def _chunks(answer: Iterable[Json], tools: Tools, format: FormatLike) -> Iterator[Json]:
    """The chunks of a stream. When the model fails in the middle, what was held back comes out first."""
    stream = ToolStream(tools, format=format, ids=written_or_random)
    encoder: ChunkEncoder | None = None
    said = None
    is_made = False
    try:
        for chunk in answer:
            choices = chunk.get("choices")
            is_made = is_made or bool(choices and choices[0]["delta"].get("tool_calls"))
            if is_made or not choices:
                # A call that the handler has made itself, and what says nothing of the reply.
                yield chunk
                continue
            encoder = encoder or ChunkEncoder(model=chunk["model"], id=chunk["id"], created=chunk["created"])
            choice = chunk["choices"][0]
            said = choice["finish_reason"] or said
            text = choice["delta"].get("content")
            if text:
                yield from encoder.encode(stream.push(text))
    except Exception:
        if encoder is not None:
            yield from encoder.encode(stream.finish("length"))
        raise
    if is_made:
        return
    encoder = encoder or ChunkEncoder(model="")
    yield from encoder.encode(stream.finish(said))
    yield from encoder.finish(said)
