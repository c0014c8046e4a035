"""Fixtures of the integrations, and the tests of real engines, which are collected only for ``pytest -m engines``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from toolparse import integrations


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """None leaves the decision to pytest."""
    return True if collection_path.name == "engines" and config.getoption("-m") != "engines" else None


@pytest.fixture
def same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every id is ``aaaaaaaaa``."""
    monkeypatch.setattr(integrations.secrets, "choice", lambda letters: letters[0])
    monkeypatch.delenv("TOOLPARSE_FORMAT", raising=False)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, same_ids: None) -> Callable[..., Any]:
    """``host("vllm", vllm__tool_parsers={...})``: makes modules with these contents, returns our module, read anew."""

    def make(ours: str, **modules: dict[str, Any]) -> Any:
        for dotted, contents in modules.items():
            names = dotted.split("__")
            for end in range(1, len(names) + 1):
                if ".".join(names[:end]) not in sys.modules:
                    monkeypatch.setitem(sys.modules, ".".join(names[:end]), ModuleType(names[end - 1]))
            vars(sys.modules[".".join(names)]).update(contents)
        for name in [name for name in sys.modules if name.startswith("toolparse.integrations.")]:
            monkeypatch.delitem(sys.modules, name)
        return importlib.import_module("toolparse.integrations." + ours)

    return make
