"""``@dataclass(slots=True)``, with the work put off: half of the time of ``import toolparse`` would go into it.

The slots are there at once, and natively made objects need no more. What :func:`dataclasses.dataclass` writes stands in
for itself and is written when it is first asked for, be it a constructor, a ``repr``, an ``==`` or the fields.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

_WRITTEN = ("__init__", "__repr__", "__eq__", "__dataclass_fields__", "__dataclass_params__")
if sys.version_info >= (3, 13):
    _WRITTEN = (*_WRITTEN, "__replace__")


class _Later:
    """An attribute that the dataclass will have."""

    def __init__(self, name: str, declared: type) -> None:
        self.name, self.declared = name, declared

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def __get__(self, instance: object, cls: type | None = None) -> Any:
        _write(self.declared, self.owner)
        written = self.owner.__dict__[self.name]
        return written.__get__(instance, cls) if callable(written) else written


def dataclass(*, slots: Literal[True]) -> Callable[[type], type]:
    """What :func:`dataclasses.dataclass` makes of a class without defaults."""

    def slotted(declared: type) -> type:
        names = tuple(declared.__annotations__)
        body = {name: value for name, value in declared.__dict__.items() if name not in ("__dict__", "__weakref__")}
        later = {name: _Later(name, declared) for name in _WRITTEN}
        return type(declared)(
            declared.__name__, declared.__bases__, {**body, "__slots__": names, "__match_args__": names, **later}
        )

    return slotted


def _write(declared: type, slotted: type) -> None:
    from dataclasses import dataclass

    written: type = dataclass(declared)
    for name in _WRITTEN:
        setattr(slotted, name, written.__dict__[name])
