"""Types of the Rust module. The docstrings live with the implementation; see ``help(toolparse)``."""

import builtins
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, final

from toolparse._types import ArrowLike, CallError, FormatInfo, ParsedCall, ParseResult, RepairedJSON, ToolUse

__version__: str

ToolsLike: TypeAlias = Tools | Collection[str] | Sequence[Mapping[str, Any]] | Mapping[str, Any] | None
FormatLike: TypeAlias = str | Sequence[str | Mapping[str, Any]] | Mapping[str, Any]
Ids: TypeAlias = Literal["random", "index"] | Callable[[int, str, str | None], str]
Cut: TypeAlias = Literal["keep", "drop"]
FinishReason: TypeAlias = str | None

@final
class Tools:
    def __new__(cls, tools: ToolsLike) -> Tools: ...
    @property
    def names(self) -> tuple[str, ...] | None: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...

@final
class Limits:
    def __new__(
        cls,
        *,
        call_bytes: int = 16777216,
        nodes: int = 1000000,
        depth: int = 200,
        digits: int = 4300,
        name: int = 256,
        calls: int = 4096,
        errors: int = 1000,
    ) -> Limits: ...
    @property
    def call_bytes(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def digits(self) -> int: ...
    @property
    def name(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def errors(self) -> int: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, int]]: ...

@final
class TextDelta:
    __match_args__ = ("text",)
    def __new__(cls, text: str) -> TextDelta: ...
    @property
    def text(self) -> str: ...

@final
class ReasoningDelta:
    __match_args__ = ("text",)
    def __new__(cls, text: str) -> ReasoningDelta: ...
    @property
    def text(self) -> str: ...

@final
class CallStart:
    __match_args__ = ("index", "id", "name")
    def __new__(cls, index: int, id: str, name: str) -> CallStart: ...
    @property
    def index(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...

@final
class ArgumentsDelta:
    __match_args__ = ("index", "json")
    def __new__(cls, index: int, json: str) -> ArgumentsDelta: ...
    @property
    def index(self) -> int: ...
    @property
    def json(self) -> str: ...

@final
class CallEnd:
    __match_args__ = ("index", "call")
    def __new__(cls, index: int, call: ParsedCall) -> CallEnd: ...
    @property
    def index(self) -> int: ...
    @property
    def call(self) -> ParsedCall: ...

@final
class CallFailed:
    __match_args__ = ("error",)
    def __new__(cls, error: CallError) -> CallFailed: ...
    @property
    def error(self) -> CallError: ...

Event: TypeAlias = TextDelta | ReasoningDelta | CallStart | ArgumentsDelta | CallEnd | CallFailed

@final
class ToolStream:
    def __new__(
        cls,
        tools: ToolsLike,
        *,
        format: FormatLike = "auto",
        prompt: str = "",
        max_bytes: int | None = None,
        cut: Cut = "keep",
        ids: Ids = "random",
        limits: Limits | None = None,
    ) -> ToolStream: ...
    def push(self, delta: str | bytes) -> list[Event]: ...
    def finish(self, finish_reason: FinishReason = None) -> list[Event]: ...
    def result(self) -> ParseResult: ...
    def reset(self) -> None: ...
    def __copy__(self) -> ToolStream: ...
    def __deepcopy__(self, memo: object, /) -> ToolStream: ...

@final
class ProseFilter:
    def __new__(cls, *, format: FormatLike = "auto", prompt: str = "") -> ProseFilter: ...
    def push(self, delta: str | bytes) -> str: ...
    def flush(self) -> str: ...

@final
class HeuristicToolParser:
    def __new__(cls) -> HeuristicToolParser: ...
    def feed(self, text: str | bytes) -> tuple[str, list[ToolUse]]: ...
    def flush(self) -> list[ToolUse]: ...
    @property
    def pending_text(self) -> str: ...

def parse_tool_calls(
    raw: str | bytes,
    tools: ToolsLike,
    *,
    format: FormatLike = "auto",
    prompt: str = "",
    max_bytes: int | None = 32768,
    cut: Cut = "keep",
    ids: Ids = "random",
    finish_reason: FinishReason = None,
    limits: Limits | None = None,
) -> ParseResult: ...
def parse_batch(
    replies: Iterable[str | bytes],
    tools: ToolsLike | list[Tools],
    *,
    threads: int | None = None,
    format: FormatLike = "auto",
    prompt: str = "",
    max_bytes: int | None = None,
    cut: Cut = "keep",
    ids: Ids = "index",
    finish_reason: FinishReason = None,
    limits: Limits | None = None,
) -> Sequence[ParseResult]: ...
def repair_json(text: str | bytes, *, ended: bool = False) -> RepairedJSON: ...
def formats() -> tuple[FormatInfo, ...]: ...
def format_for_model(model: str) -> str: ...

_Shape: TypeAlias = Literal["auto", "openai-batch", "messages", "sharegpt", "langfuse", "langsmith", "otel", "text"]

@final
class BatchReader:
    def __new__(
        cls,
        tools: ToolsLike,
        *,
        format: FormatLike = "auto",
        prompt: str = "",
        max_bytes: int | None = None,
        cut: Cut = "keep",
        shape: _Shape = "auto",
        text_path: str | None = None,
        tools_path: str | None = None,
        id_path: str | None = None,
        line_limit: int = 16777216,
        spans: Literal["bytes", "characters"] = "bytes",
        output: Literal["jsonl", "arrow", "both"] = "both",
        limits: Limits | None = None,
    ) -> BatchReader: ...
    def lines(self, chunk: bytes, *, source: str, first_line: int, first_offset: int) -> BatchChunk: ...
    def texts(
        self,
        texts: Sequence[str | bytes | None],
        *,
        source: str,
        first_line: int,
        ids: Sequence[str | None] | None = None,
        tools: Sequence[ToolsLike | str] | None = None,
    ) -> BatchChunk: ...

@final
class BatchChunk:
    @property
    def jsonl(self) -> builtins.bytes: ...
    @property
    def errors(self) -> list[tuple[int, int, str]]: ...
    @property
    def rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    def parquet(self) -> builtins.bytes: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

def line_feeds(data: bytes) -> int: ...
def empty_parquet() -> bytes: ...
def parquet_footer(files: Sequence[tuple[int, bytes]]) -> bytes: ...

@final
class ArrowTable:
    @property
    def num_rows(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    def to_pyarrow(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

@final
class ArrowIterator:
    def __iter__(self) -> ArrowIterator: ...
    def __next__(self) -> ArrowTable: ...

@final
class ArrowSchema:
    def __arrow_c_schema__(self) -> Any: ...

def parse_arrow(
    data: ArrowLike,
    tools: ToolsLike,
    *,
    column: str | None = None,
    threads: int | None = None,
    format: FormatLike = "auto",
    prompt: str = "",
    max_bytes: int | None = None,
    cut: Cut = "keep",
    finish_reason: FinishReason = None,
    limits: Limits | None = None,
) -> ArrowTable: ...
def iter_arrow(
    batches: Iterable[ArrowLike],
    tools: ToolsLike,
    *,
    column: str | None = None,
    threads: int = 1,
    format: FormatLike = "auto",
    prompt: str = "",
    max_bytes: int | None = None,
    cut: Cut = "keep",
    finish_reason: FinishReason = None,
    limits: Limits | None = None,
) -> ArrowIterator: ...
def arrow_schema(of: Literal["records", "replies"] = "records") -> ArrowSchema: ...
def _finish_reason(word: str) -> Literal["stop", "length", "content_filter"] | None: ...
def _forked() -> None: ...
def _restore_stream(state: Any) -> ToolStream: ...
