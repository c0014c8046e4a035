"""Types of the Rust module. The docstrings live with the implementation; see ``help(toolparse)``."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, final

from toolparse._types import CallError, FormatInfo, ParsedCall, ParseResult, RepairedJSON, ToolUse

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
) -> ParseResult: ...
def parse_batch(
    replies: Iterable[str | bytes | None],
    tools: ToolsLike | Sequence[ToolsLike],
    *,
    threads: int | None = None,
    format: FormatLike = "auto",
    prompt: str = "",
    max_bytes: int | None = None,
    cut: Cut = "keep",
    ids: Ids = "index",
    finish_reason: FinishReason = None,
) -> Sequence[ParseResult]: ...
def repair_json(text: str | bytes, *, ended: bool = False) -> RepairedJSON: ...
def formats() -> tuple[FormatInfo, ...]: ...
def format_for_model(model: str) -> str: ...
