"""The README: its Python blocks run and give what they say, and its tables agree with the code."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import toolparse

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULT = "  # → "


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


@pytest.mark.parametrize("block", fenced("python"), ids=lambda block: block.splitlines()[0])
def test_a_block_runs_and_gives_what_it_says(block: str) -> None:
    names: dict[str, object] = {"__name__": "__readme__"}
    lines = block.splitlines()
    said = [line for line in lines if RESULT in line]
    compared = 0
    for statement in ast.parse(block).body:
        _, _, expected = lines[statement.end_lineno - 1].partition(RESULT)
        if expected:
            assert isinstance(statement, ast.Expr)
            assert repr(eval(compile(ast.Expression(statement.value), "README.md", "eval"), names)) == expected
            compared += 1
        else:
            exec(compile(ast.Module([statement], []), "README.md", "exec"), names)
    assert compared == len(said) > 0


def test_the_two_commands_come_first() -> None:
    assert fenced("sh")[:2] == [
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/python examples/run.py\n",
        'python3 -m venv .venv && .venv/bin/pip install -q ".[test]" && ./scripts/test\n',
    ]


def test_every_public_name_is_shown() -> None:
    shown = set(re.findall(r"\w+", README))
    assert [name for name in toolparse.__all__ if name not in shown and not name.startswith("_")] == []


def test_the_table_of_formats_is_that_of_the_program() -> None:
    assert readme_formats().with_table(README) == README


def test_the_table_of_repairs_is_that_of_the_program() -> None:
    source = (ROOT / "src" / "repair.rs").read_text(encoding="utf-8")
    kinds = re.findall(r'^    \w+ "(\w+)" (true|false);$', source, re.M)
    table = README.partition("<!-- repairs:begin -->\n")[2].partition("<!-- repairs:end -->")[0]
    rows = [row.split(" | ") for row in table.splitlines()[2:]]
    assert all(len(row) == 4 for row in rows)
    assert [(row[0].strip("| `"), row[3].strip("| ") == "yes") for row in rows] == [
        (name, safe == "true") for name, safe in kinds
    ]


def readme_formats() -> ModuleType:
    spec = importlib.util.spec_from_file_location("readme_formats", ROOT / "scripts" / "readme_formats.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
