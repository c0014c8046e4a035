"""Serves the chat APIs of OpenAI and Anthropic in front of a server that returns a model's raw text.

    pip install toolparse starlette httpx uvicorn
    python proxy.py --upstream http://127.0.0.1:8080/v1 --server llama.cpp --port 8000

The upstream makes the prompt out of messages and tools; what the model writes is read here. When it breaks in the
middle of a reply, what was held back comes out, then an error. A slow client slows it, one that leaves ends its work.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from toolparse import ReasoningDelta, ToolStream, anthropic, openai

Json = dict[str, Any]
CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"

# What makes a server leave the text as it is. Ollama reads calls itself as soon as it is given tools.
RAW: dict[str, Json] = {
    "llama.cpp": {"parse_tool_calls": False, "reasoning_format": "none"},
    "vllm": {"tool_choice": "none", "skip_special_tokens": False},
    "ollama": {"tools": None, "tool_choice": None},
}
OFFER = 'You can call these tools:\n%s\nTo call one, write <tool_call>{"name": ..., "arguments": {...}}</tool_call>'


def error(path: str, message: str, status: int = 502) -> Json:
    """What both clients take for an error, whole and in a stream."""
    said = {"type": "api_error", "message": message, "code": status}
    return {"type": "error", "error": said} if path == MESSAGES else {"error": said}


def from_anthropic(body: Json) -> Json:
    """A request of Anthropic's API as one of the chat API."""
    known = {"name": "name", "description": "description", "input_schema": "parameters"}
    functions = [{known[key]: tool[key] for key in known if key in tool} for tool in body.get("tools") or []]
    system = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    return {
        "messages": [new for message in system + body["messages"] for new in chat_messages(message)],
        "tools": [{"type": "function", "function": function} for function in functions],
        "stop": body.get("stop_sequences"),
        **{name: body.get(name) for name in ("model", "stream", "max_tokens", "temperature", "top_p")},
    }


def chat_messages(message: Json) -> Iterator[Json]:
    """What one of Anthropic's messages is in the chat API: there the results of tools are messages of their own."""
    blocks, calls = [] if isinstance(message["content"], str) else message["content"], list[Json]()
    for block in blocks:
        if block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": text(block.get("content"))}
        elif block["type"] == "tool_use":
            function = {"name": block["name"], "arguments": json.dumps(block["input"])}
            calls.append({"id": block["id"], "type": "function", "function": function})
    said = {"role": message["role"], "content": text(message["content"])}
    if said["content"] or calls:
        yield said | ({"tool_calls": calls} if calls else {})


def text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(b["text"] for b in content or () if b["type"] == "text")


class Exchange:
    """One request and its reply."""

    def __init__(self, path: str, body: Json, stream: ToolStream, response: httpx.Response) -> None:
        self.path, self.body, self.stream, self.response = path, body, stream, response
        self.encoder: Any = None
        self.named, self.counted = dict[str, Any](), dict[str, Any]()
        self.said, self.thought = "", ""

    def read(self, line: bytes) -> list[Json]:
        if not line.startswith(b"data:") or line[5:].strip() == b"[DONE]":
            return []
        chunk = json.loads(line[5:])
        if "error" in chunk:
            raise httpx.RemoteProtocolError(f"the upstream failed: {chunk['error']}")
        self.counted = chunk.get("usage") or self.counted
        if self.encoder is None:
            self.named = {name: chunk[name] for name in ("model", "id", "created")[: 1 if self.path == MESSAGES else 3]}
            self.encoder = (anthropic.EventEncoder if self.path == MESSAGES else openai.ChunkEncoder)(**self.named)
        events: list[Any] = []
        for choice in chunk["choices"]:
            new = choice.get("delta") or {}
            if new.get("tool_calls"):
                raise httpx.RemoteProtocolError("the upstream reads tool calls itself: switch its tool call parser off")
            self.said = choice.get("finish_reason") or self.said
            thought = new.get("reasoning_content") or new.get("reasoning") or ""
            self.thought += thought
            events += [ReasoningDelta(thought)] * bool(thought) + self.stream.push(new.get("content") or "")
        return list(self.encoder.encode(events))

    async def events(self) -> AsyncIterator[Json]:
        """What the client receives; ``HTTPError``, behind all that was held back, when the upstream broke."""
        broken: Exception | None = None
        rest = b""
        try:
            async for piece in self.response.aiter_bytes():
                *lines, rest = (rest + piece).split(b"\n")  # JSON may hold what splitlines takes for line ends
                for event in (event for line in lines for event in self.read(line)):
                    yield event
            if not self.said:
                raise httpx.RemoteProtocolError("the upstream ended in the middle of a reply")
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as problem:
            broken = problem
        finally:
            await self.response.aclose()
        for event in self.encoder.encode(self.stream.finish("length" if broken else self.said)) if self.encoder else ():
            yield event
        if broken:
            raise httpx.RemoteProtocolError(str(broken) or repr(broken)) from broken
        for event in self.encoder.finish(self.said, usage=self.usage()):
            yield event

    def usage(self) -> Json | None:
        read, written = self.counted.get("prompt_tokens", 0), self.counted.get("completion_tokens", 0)
        if self.path == MESSAGES:
            return {"input_tokens": read, "output_tokens": written}
        wanted = not self.body.get("stream") or (self.body.get("stream_options") or {}).get("include_usage")
        return (self.counted or None) if wanted else None

    async def lines(self) -> AsyncIterator[str]:
        wire, done = (anthropic.to_wire, "") if self.path == MESSAGES else (openai.to_wire, openai.DONE)
        try:
            async for event in self.events():
                yield wire(event)
            yield done
        except httpx.HTTPError as problem:
            yield wire(error(self.path, str(problem)))

    async def whole(self) -> Json:
        _ = [event async for event in self.events()]
        result = self.stream.result()
        result.reasoning = self.thought + (result.reasoning or "") or None
        whole: Any = anthropic.to_message if self.path == MESSAGES else openai.to_completion
        return dict(whole(result, **self.named, finish_reason=self.said, usage=self.usage()))


def create_app(upstream: str, *, server: str = "", **options: Any) -> Starlette:
    """The proxy; ``options`` are those of :class:`toolparse.ToolStream`."""
    client = httpx.AsyncClient(base_url=upstream, timeout=httpx.Timeout(30, read=600))

    async def answer(request: Request) -> Response:
        path, headers = request.url.path, request.headers
        key = headers.get("authorization") or "Bearer " + headers.get("x-api-key", "none")
        try:
            body = (from_anthropic if path == MESSAGES else dict)(await request.json())
            if body.get("n") not in (None, 1):
                raise ValueError("n must be 1")
            stream = ToolStream(body.get("tools") or [], **options)
            asked = {**body, "stream": True, "stream_options": {"include_usage": True}, **RAW.get(server, {})}
            if server == "ollama" and body.get("tools"):
                offer = {"role": "system", "content": OFFER % json.dumps(body["tools"])}
                asked["messages"] = [offer, *body["messages"]]
            asked = {name: value for name, value in asked.items() if value not in (None, [])}
            send: Json = {"json": asked, "headers": {"authorization": key}}
            response = await client.send(client.build_request("POST", "chat/completions", **send), stream=True)
            if (status := response.status_code) >= 400:
                said = (await response.aread()).decode(errors="replace")
                return JSONResponse(error(path, f"the upstream said: {said}", status), status)
            exchange = Exchange(path, body, stream, response)
            if body.get("stream"):
                return StreamingResponse(exchange.lines(), media_type="text/event-stream")
            return JSONResponse(await exchange.whole())
        except httpx.HTTPError as problem:
            return JSONResponse(error(path, str(problem) or repr(problem)), 502)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            return JSONResponse(error(path, f"bad request: {problem!r}", 400), 400)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    return Starlette(routes=[Route(path, answer, methods=["POST"]) for path in (CHAT, MESSAGES)], lifespan=lifespan)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--upstream", required=True, help="base URL, with /v1")
    options.add_argument("--server", default="", choices=RAW)
    options.add_argument("--format", default="auto", help="the model's format, see: toolparse formats")
    options.add_argument("--prompt", default="", help='"<think>" when the chat template opens the reasoning')
    options.add_argument("--port", default=8000, type=int)
    given = vars(options.parse_args())
    uvicorn.run(port=given.pop("port"), app=create_app(**given))
