"""The plain values that a reading returns.

They are values: ``==``, ``repr``, ``pickle``, ``copy``, pattern matching and ``dataclasses.asdict`` work on them, and
nothing in them refers back to a parser. Fields that cost something and are rarely asked for are made when they are
first read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from toolparse._later import dataclass

Shape = Literal["tagged", "fenced", "bare"]
SegmentKind = Literal["prose", "reasoning", "call", "markup", "error"]
ErrorKind = Literal["unknown_tool", "bad_arguments", "unreadable", "cut", "limit"]


class _Lazy:
    """Fills a slot that is still empty from the native result it came from, or from the reply when that is prose."""

    __slots__ = ("_native",)
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _native: Any

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        return (None, {name: getattr(self, name) for name in self.__match_args__})

    if not TYPE_CHECKING:  # a type checker shall know the declared fields, and no others

        def __getattr__(self, name: str) -> Any:
            if name == "_native" or name.startswith("__"):
                raise AttributeError(name)
            native = self._native
            value = _of_prose(native, name) if isinstance(native, str) else native.field(name)
            setattr(self, name, value)
            return value


@dataclass(slots=True)
class Repair:
    """One change that was made to what the model wrote.

    ``kind`` is a name from the table of repairs in the README, ``span`` where it was made (as in :class:`ParsedCall`),
    and ``safe`` is true when nothing was guessed: every text that could have been damaged into this one has the same
    value.
    """

    kind: str
    span: tuple[int, int]
    safe: bool


@dataclass(slots=True)
class Segment:
    """A piece of the reply. The segments of a result tile the reply exactly: in order, without gap or overlap."""

    kind: SegmentKind
    span: tuple[int, int]


@dataclass(slots=True)
class ParsedCall(_Lazy):
    """One tool call.

    ``name`` is equal, character for character, to an offered name; ``arguments`` is the decoded object, keys in the
    order of the text; ``id`` is nine characters of ``[A-Za-z0-9]`` unless ``ids`` said otherwise, ``native_id`` the id
    that the model wrote, if any; ``index`` counts the calls of the reply from 0; ``format`` names the row that read it;
    ``shape`` says how sure its markup was (``tagged``, ``fenced`` or ``bare``). ``complete`` is true when the format
    itself said that the call was over, or when the model closed the arguments and only the wrapper is missing.
    ``repairs`` lists every change. ``span`` is the place in the reply: ``str`` indexes when the reply was a ``str``,
    byte offsets when it was ``bytes``. ``arguments_json`` is the same object as strict JSON text, equal to the joined
    ``ArgumentsDelta`` pieces of a stream.
    """

    name: str
    arguments: dict[str, Any]
    id: str
    native_id: str | None
    index: int
    format: str
    shape: Shape
    complete: bool
    repairs: tuple[Repair, ...]
    span: tuple[int, int]
    arguments_json: str

    def to_dict(self) -> dict[str, Any]:
        """The two keys of the first document: ``{"name": ..., "arguments": {...}}``."""
        return {"name": self.name, "arguments": self.arguments}

    @property
    def safe(self) -> bool:
        """True when the call is complete and none of its repairs was a guess."""
        return self.complete and all(repair.safe for repair in self.repairs)


class CallError(str):
    """Something that wanted to be a call and is not one. It *is* its message, ready to be fed back to the model.

    ``kind`` is ``unknown_tool``, ``bad_arguments``, ``unreadable``, ``cut`` or ``limit``; ``name`` the tool's name as
    written, if one was read; ``span`` its place in the reply; ``raw`` the text it was made from, empty for a call that
    was too large to be kept.
    """

    __slots__ = ("kind", "name", "raw", "span")
    kind: ErrorKind
    name: str | None
    span: tuple[int, int]
    raw: str

    def __new__(
        cls,
        message: str,
        kind: ErrorKind = "unreadable",
        name: str | None = None,
        span: tuple[int, int] = (0, 0),
        raw: str = "",
    ) -> CallError:
        self = super().__new__(cls, message)
        self.kind, self.name, self.span, self.raw = kind, name, span, raw
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.kind, self.name, self.span, self.raw))


@dataclass(slots=True)
class ParseResult(_Lazy):
    """What was read out of one reply.

    ``text`` is the prose with calls, markup and reasoning removed; ``calls`` the calls in order of appearance;
    ``errors`` what wanted to be a call and is not one; ``reasoning`` what the model thought, or ``None``; ``truncated``
    is true when ``max_bytes`` left something unread; ``segments`` tile the reply.
    """

    text: str
    calls: list[ParsedCall]
    errors: list[CallError]
    reasoning: str | None
    truncated: bool
    segments: list[Segment]

    def flow(self) -> list[tuple[str, Any]] | None:
        """What came in which order: ``("text", str)``, ``("reasoning", str)``, ``("call", place)``, ``("error",
        place)``.

        The places are those in ``calls`` and ``errors``; errors whose text is prose are not listed. The pieces add up
        to ``text`` and ``reasoning``. ``None`` for a result that was made by hand, copied or unpickled.
        """
        native = getattr(self, "_native", None)
        if isinstance(native, str):
            return [("text", native)]
        return None if native is None else native.field("flow")


# The fields of a result whose reply is prose and nothing else.
_PROSE: Final[dict[str, Callable[[str], Any]]] = {
    "calls": lambda reply: [],
    "errors": lambda reply: [],
    "reasoning": lambda reply: None,
    "truncated": lambda reply: False,
    "segments": lambda reply: [Segment("prose", (0, len(reply)))],
}


def _of_prose(reply: str, name: str) -> Any:
    if name not in _PROSE:
        raise AttributeError(f"'ParseResult' object has no attribute '{name}'")
    return _PROSE[name](reply)


class ToolUse(dict[str, Any]):
    """A call of the ``●`` form as an Anthropic ``tool_use`` block: ``{"type", "id", "name", "input"}``.

    ``complete`` and ``repairs`` are attributes beside the four keys.
    """

    __slots__ = ("complete", "repairs")
    complete: bool
    repairs: tuple[Repair, ...]

    def __init__(
        self, id: str, name: str, input: dict[str, Any], complete: bool = True, repairs: tuple[Repair, ...] = ()
    ) -> None:
        super().__init__(type="tool_use", id=id, name=name, input=input)
        self.complete, self.repairs = complete, repairs

    def __reduce__(self) -> tuple[Any, ...]:
        return (_tool_use, (dict(self), self.complete, self.repairs))


def _tool_use(block: dict[str, Any], complete: bool, repairs: tuple[Repair, ...]) -> ToolUse:
    """A copy with whatever keys it has by now."""
    made = ToolUse("", "", {}, complete, repairs)
    made.clear()
    made.update(block)
    return made


class _Missing(Enum):
    MISSING = "MISSING"

    def __repr__(self) -> str:
        return "toolparse.MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing.MISSING
"""The value of :class:`RepairedJSON` when nothing could be read. It is falsy and is not ``None``, which is JSON's
``null``."""


@dataclass(slots=True)
class RepairedJSON(_Lazy):
    """What :func:`toolparse.repair_json` read: the Python ``value`` (or ``MISSING``), the same as strict JSON
    ``text``, and the ``repairs``."""

    value: Any
    text: str
    repairs: tuple[Repair, ...]

    @property
    def safe(self) -> bool:
        """True when something was read and no repair was a guess or a cut."""
        return self.value is not MISSING and all(repair.safe for repair in self.repairs)


@dataclass(slots=True)
class FormatInfo:
    """One row of the table of formats: how a model family writes its calls, and what others call it."""

    name: str
    aliases: tuple[str, ...]
    title: str
    models: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    needs_schema: bool
    auto: bool
    names_elsewhere: dict[str, tuple[str, ...]]


def iter_unsafe(result: ParseResult) -> Iterator[ParsedCall]:
    """The calls of a result that a careful caller should not run unseen."""
    return (call for call in result.calls if not call.safe)


def _plain(value: Any) -> Any:
    """Tool definitions may hold models and mappings of other libraries: what ``json`` cannot write is asked for its
    plain form."""
    for method in ("model_dump", "to_dict", "dict"):
        if callable(plain := getattr(value, method, None)):
            return plain()
    try:
        return dict(value)
    except (TypeError, ValueError):
        raise TypeError(f"{type(value).__name__} is not a JSON value") from None


class ArrowStream(Protocol):
    """A table that speaks the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """A column or a record batch that speaks the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


ArrowLike: TypeAlias = ArrowStream | ArrowArray
