"""The tests of real engines are collected only when they are asked for: ``pytest -m engines``."""

from __future__ import annotations

import pytest


def pytest_ignore_collect(collection_path, config: pytest.Config) -> bool | None:
    """None leaves the decision to pytest."""
    return True if collection_path.name == "engines" and config.getoption("-m") != "engines" else None
