"""The dataclasses of ``toolparse._types`` are written when somebody first asks for what only a dataclass has."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from toolparse import _later

if sys.version_info >= (3, 13):
    REPLACES: list[Callable[..., Any]] = [dataclasses.replace, copy.replace]
else:
    REPLACES = [dataclasses.replace]


def made() -> Any:
    """A class of which nothing was asked yet."""

    class Point:
        """Two numbers."""

        x: int
        y: int

        def sum(self) -> int:
            return self.x + self.y

    return _later.dataclass(slots=True)(Point)


def filled(cls: Any) -> Any:
    """An object as the module makes it: no constructor runs."""
    point = cls.__new__(cls)
    point.x, point.y = 1, 2
    return point


ASKED: dict[str, Callable[[Any], Any]] = {
    "constructor": lambda cls: cls(1, y=2).sum(),
    "repr": lambda cls: repr(filled(cls)).rpartition(".")[2],
    "equality": lambda cls: (filled(cls) == filled(cls), filled(cls) == (1, 2), filled(cls) != filled(cls)),
    "fields": lambda cls: [(field.name, field.type) for field in dataclasses.fields(cls)],
    "asdict": lambda cls: dataclasses.asdict(filled(cls)),
    "is_dataclass": lambda cls: (dataclasses.is_dataclass(cls), dataclasses.is_dataclass(filled(cls))),
    "signature": lambda cls: str(inspect.signature(cls)),
}
ANSWERS = {
    "constructor": 3,
    "repr": "Point(x=1, y=2)",
    "equality": (True, False, False),
    "fields": [("x", "int"), ("y", "int")],
    "asdict": {"x": 1, "y": 2},
    "is_dataclass": (True, True),
    "signature": "(x: 'int', y: 'int') -> None",
}


@pytest.mark.parametrize("first", ASKED)
def test_whatever_is_asked_first_is_answered(first: str) -> None:
    cls = made()
    assert ASKED[first](cls) == ANSWERS[first]
    assert {name: ask(cls) for name, ask in ASKED.items()} == ANSWERS


@pytest.mark.parametrize("replace", REPLACES)
def test_it_is_replaced_in(replace: Callable[..., Any]) -> None:
    assert replace(filled(made()), y=5).sum() == 6


def test_it_has_slots_and_no_hash() -> None:
    cls = made()
    with pytest.raises(AttributeError):
        filled(cls).z = 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(filled(cls))
    assert cls.__match_args__ == ("x", "y")
    assert (cls.__name__, cls.__doc__) == ("Point", "Two numbers.")


def test_a_wrong_constructor_call_says_what_is_missing() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        made()(1)


def test_a_class_may_stand_on_it() -> None:
    cls = made()

    class Named(cls):  # type: ignore[misc]
        def __repr__(self) -> str:
            return f"the {super().__repr__().rpartition('.')[2]}"

    assert repr(Named(1, 2)) == "the Named(x=1, y=2)"

    @dataclasses.dataclass
    class Solid(made()):  # type: ignore[misc]
        z: int

    assert [field.name for field in dataclasses.fields(Solid)] == ["x", "y", "z"]
    assert Solid(1, 2, 3).sum() == 3


def test_reading_does_not_import_dataclasses() -> None:
    code = (
        "import sys, toolparse\n"
        'reply = \'<tool_call>{"name": "f", "arguments": {}}</tool_call>\'\n'
        "assert toolparse.parse_tool_calls(reply, {'f'}).calls[0].name == 'f'\n"
        "print(*sorted({'dataclasses', 'inspect', 'json', 'asyncio'} & set(sys.modules)))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
