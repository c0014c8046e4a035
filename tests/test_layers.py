"""Who may use whom, read from the sources."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUST = ROOT / "src"
PYTHON = ROOT / "python" / "toolparse"

# Modules that stand at the bottom: all that they may use.
MAY_USE: dict[str, set[str]] = {
    "span": set(),
    "utf8": set(),
    "scan": {"span", "utf8"},
    "limits": set(),
    "spellings": set(),
    "finish": {"value"},
    "tape": {"limits", "span"},
    "xml": {"span", "utf8"},
    "window": {"span", "scan"},
    "format": set(),
    "repair": {"limits", "span"},
    "formats": {"format"},
    "catalog": set(),
    "tools": {"utf8"},
    "value": {"format", "limits", "repair", "scan", "span", "tape", "utf8", "window"},
    "members": {"tape"},
}
# Modules above them: what they must not know.
MUST_NOT_KNOW: dict[str, set[str]] = {
    "plan": {"catalog", "tools", "call", "collect", "machine", "parse"},
    "call": {"catalog", "formats", "plan", "machine", "parse"},
    "machine": {"catalog", "formats", "collect", "parse"},
    "collect": {"catalog", "formats", "plan", "parse"},
    "parse": set(),
    "document": {"catalog", "formats", "plan", "machine", "parse", "collect"},
    "batch": {"machine", "scan", "window"},
    "template": {"machine", "collect", "parse", "call"},
    "python": {"machine", "scan", "window"},
    "lib": set(),
}


def module_of(path: Path) -> str:
    return path.relative_to(RUST).parts[0].removesuffix(".rs")


def code(path: Path) -> str:
    """The source without comments and without its tests."""
    text = path.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests {")[0]
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def sources() -> list[Path]:
    found = [path for path in sorted(RUST.rglob("*.rs")) if path.name != "tests.rs" and path.parent.name != "tests"]
    assert found
    return found


def uses(text: str) -> set[str]:
    """The modules of the crate that a source names: `crate::a::B`, and both of `crate::{a::B, c}`."""
    found = set(re.findall(r"\bcrate::([a-z_0-9]+)", text))
    for group in re.findall(r"\bcrate::\{([^;]*)\};", text):
        flat = re.sub(r"\{[^{}]*\}", "", group)
        found |= set(re.findall(r"(?:^|,)\s*([a-z_0-9]+)", flat))
    return found


def test_every_module_has_its_place() -> None:
    known = MAY_USE.keys() | MUST_NOT_KNOW.keys()
    assert {module_of(path) for path in sources()} - known == set(), "say in this file what the module may use"


@pytest.mark.parametrize("module", [*MAY_USE, *MUST_NOT_KNOW])
def test_a_module_knows_its_place(module: str) -> None:
    for path in sources():
        if module_of(path) == module:
            used = uses(code(path)) - {module}
            allowed = MAY_USE.get(module, used - MUST_NOT_KNOW.get(module, set()))
            assert used - allowed == set(), path


def test_one_place_names_pyo3() -> None:
    naming = {module_of(path) for path in sources() if "pyo3" in code(path).lower()}
    assert naming <= {"python"}
    behind_the_feature = [path for path in sources() if "crate::python" in code(path)]
    assert behind_the_feature == [path for path in behind_the_feature if module_of(path) == "python"]


def format_names() -> set[str]:
    names = set(re.findall(r'\bname: "([a-z0-9_]+)"', (RUST / "catalog" / "entries.rs").read_text(encoding="utf-8")))
    assert {"hermes", "qwen3_coder", "lfm2"} <= names
    return names


@pytest.mark.parametrize("module", ["machine", "value", "scan", "window", "tape", "collect", "call"])
def test_no_family_is_named_where_text_is_read(module: str) -> None:
    names = format_names()
    for path in sources():
        if module_of(path) == module:
            written = set(re.findall(r'"((?:[^"\\]|\\.)*)"', code(path)))
            assert written & names == set(), path


def test_no_marker_of_a_row_stands_in_the_machine() -> None:
    def literals(text: str) -> set[str]:
        return set(re.findall(r'"((?:[^"\\]|\\.)*)"', text))

    rows = (path for path in sources() if module_of(path) == "formats")
    markers = {
        literal
        for path in rows
        for literal in literals(code(path))
        if re.search(r"[^a-z_]", literal) and len(literal) > 3
    }
    assert {"</function>", "\\nObservation:", "<|channel|>"} <= markers
    for path in sources():
        if module_of(path) == "machine":
            # A fence is Markdown's, and no family's.
            assert literals(code(path)) & markers - {"```json"} == set(), path


def test_a_row_has_no_switches() -> None:
    assert re.findall(r":\s*bool\b", code(RUST / "format.rs")) == []


# Python


def trees() -> list[tuple[str, ast.Module]]:
    paths = sorted(PYTHON.rglob("*.py"))
    return [(path.relative_to(PYTHON).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def imported(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.add(node.module or "")
    return found


INSIDE: dict[str, set[str]] = {
    "_later.py": set(),
    "_types.py": {"toolparse._later"},
    "_async.py": {"toolparse._core", "toolparse._types"},
    "openai.py": {"toolparse._core", "toolparse._types", "toolparse._async", "toolparse.anthropic"},
    "anthropic.py": {"toolparse._core", "toolparse._types", "toolparse._async"},
    "_start.py": set(),
    # The last two for type checkers; they are imported when they are first named.
    "__init__.py": {
        "toolparse._core",
        "toolparse._types",
        "toolparse._async",
        "toolparse._start",
        "toolparse.anthropic",
        "toolparse.openai",
    },
}


@pytest.mark.parametrize(("file", "tree"), trees(), ids=[file for file, _ in trees()])
def test_a_python_file_reads_no_reply_text(file: str, tree: ast.Module) -> None:
    names = imported(tree)
    assert names & {"re", "regex", "ast", "pickle", "marshal", "html", "xml", "codeop", "tokenize"} == set()
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert called & {"eval", "exec", "compile", "__import__"} == set()
    if file in INSIDE:
        inside = {name for name in names if name.split(".")[0] == "toolparse"}
        assert inside <= INSIDE[file]


@pytest.mark.parametrize(("file", "tree"), [t for t in trees() if not t[0].startswith("integrations/")])
def test_the_package_needs_nothing_but_python(file: str, tree: ast.Module) -> None:
    roots = {name.split(".")[0] for name in imported(tree)}
    lazily = {"pyarrow", "ray", "zstandard"} if file.startswith("cli/") else set()
    assert roots - {"toolparse"} - lazily <= sys.stdlib_module_names
