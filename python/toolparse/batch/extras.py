"""Packages that are only needed for some files, found when such a file turns up."""

from __future__ import annotations

import importlib
from typing import Any


class MissingExtra(Exception):
    """A package is not installed. The message says what for and how to get it."""


def need(module: str, extra: str, purpose: str) -> Any:
    """The module, imported. Raises :class:`MissingExtra`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtra(f"{purpose} needs {package}: pip install 'toolparse[{extra}]' ({error})") from error


def zstd() -> tuple[Any, bool]:
    """The module that reads and writes zstd, and whether it is Python's own. Raises :class:`MissingExtra`."""
    try:
        return importlib.import_module("compression.zstd"), True
    except ImportError:
        return need("zstandard", "cli", "zstd"), False
