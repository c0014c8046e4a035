"""The names that users import, and what a type checker makes of them."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import toolparse
from toolparse import _core, _types

PUBLIC = {
    "ArgumentsDelta",
    "CallEnd",
    "CallError",
    "CallFailed",
    "CallStart",
    "Event",
    "FormatInfo",
    "HeuristicToolParser",
    "MISSING",
    "ParseResult",
    "ParsedCall",
    "ProseFilter",
    "ReasoningDelta",
    "Repair",
    "RepairedJSON",
    "Segment",
    "TextDelta",
    "ToolStream",
    "ToolUse",
    "Tools",
    "__version__",
    "aevents",
    "format_for_model",
    "formats",
    "parse_batch",
    "parse_tool_calls",
    "repair_json",
}

STUB = ast.parse(resources.files(toolparse).joinpath("_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def test_every_public_name_is_there() -> None:
    assert set(toolparse.__all__) >= PUBLIC
    assert [name for name in toolparse.__all__ if not hasattr(toolparse, name)] == []
    assert resources.files(toolparse).joinpath("py.typed").is_file()


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_class_of_the_stub_has_its_members(name: str) -> None:
    cls = getattr(_core, name)
    declared = {node.name for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    assert [member for member in sorted(declared) if not hasattr(cls, member)] == []
    extra = {member for member in vars(cls) if not member.startswith("_")} - declared
    assert extra == set()
    assert cls.__module__.split(".")[0] == "toolparse"
    assert cls.__doc__


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_of_the_stub_has_its_parameters(name: str) -> None:
    function = getattr(_core, name)
    arguments = FUNCTIONS[name].args
    declared = [a.arg for a in [*arguments.args, *arguments.kwonlyargs]]
    real = inspect.signature(function).parameters
    assert list(real) == declared
    named = [p for p, value in real.items() if value.kind is inspect.Parameter.KEYWORD_ONLY]
    assert named == [a.arg for a in arguments.kwonlyargs]
    assert function.__doc__


def test_the_defaults_are_those_of_the_contract() -> None:
    def defaults(function: Any) -> dict[str, Any]:
        parameters = inspect.signature(function).parameters.items()
        return {name: p.default for name, p in parameters if p.default is not inspect.Parameter.empty}

    shared = {"format": "auto", "prompt": "", "cut": "keep", "limits": None}
    assert defaults(toolparse.parse_tool_calls) == shared | {"max_bytes": 32768, "ids": "random", "finish_reason": None}
    assert defaults(toolparse.ToolStream) == shared | {"max_bytes": None, "ids": "random"}
    assert defaults(toolparse.ProseFilter) == {"format": "auto", "prompt": ""}
    batch = {"max_bytes": None, "ids": "index", "finish_reason": None, "threads": None}
    assert defaults(toolparse.parse_batch) == shared | batch
    assert defaults(toolparse.repair_json) == {"ended": False}


@pytest.mark.parametrize("name", ["ParseResult", "ParsedCall", "Repair", "Segment", "RepairedJSON", "FormatInfo"])
def test_a_result_is_a_slotted_dataclass(name: str) -> None:
    cls = getattr(_types, name)
    assert getattr(toolparse, name) is cls
    assert dataclasses.is_dataclass(cls)
    assert not hasattr(cls, "__dict__") or "__dict__" not in dir(cls)
    assert cls.__match_args__ == tuple(field.name for field in dataclasses.fields(cls))
    assert cls.__doc__


@pytest.mark.parametrize(
    "name", ["TextDelta", "ReasoningDelta", "CallStart", "ArgumentsDelta", "CallEnd", "CallFailed"]
)
def test_an_event_says_how_it_is_matched(name: str) -> None:
    cls = getattr(toolparse, name)
    fields = [node.name for node in CLASSES[name].body if isinstance(node, ast.FunctionDef) and node.name != "__new__"]
    assert list(cls.__match_args__) == fields


def test_the_version_is_one_word() -> None:
    assert toolparse.__version__ == _core.__version__
    assert toolparse.__version__.split(".")[0].isdigit()


SNIPPET = """
from typing import Any, assert_type

from toolparse import (
    MISSING, ArgumentsDelta, CallEnd, CallError, CallFailed, CallStart, Event, FormatInfo, HeuristicToolParser,
    ParsedCall, ParseResult, ProseFilter, ReasoningDelta, Repair, RepairedJSON, TextDelta, Tools, ToolStream, ToolUse,
    format_for_model, formats, parse_batch, parse_tool_calls, repair_json,
)


def whole(raw: str | bytes) -> dict[str, Any]:
    result = parse_tool_calls(raw, {"f"}, format=["hermes", "lfm2"], cut="drop", ids="index", finish_reason="stop")
    assert_type(result, ParseResult)
    assert_type(result.calls, list[ParsedCall])
    assert_type(result.errors, list[CallError])
    assert_type(result.reasoning, str | None)
    for call in result.calls:
        assert_type(call.arguments, dict[str, Any])
        assert_type(call.repairs, tuple[Repair, ...])
        assert_type(call.safe, bool)
    for error in result.errors:
        print(error.upper(), error.span[0])
    return result.calls[0].to_dict()


def shown(event: Event) -> str:
    match event:
        case TextDelta(text) | ReasoningDelta(text):
            return text
        case CallStart(index, id, name):
            return f"{index} {id} {name}"
        case ArgumentsDelta(_, json):
            return json
        case CallEnd(_, call):
            return call.name
        case CallFailed(error):
            return error


def stream() -> None:
    one = ToolStream(Tools([{"name": "f", "input_schema": {"type": "object"}}]), ids=lambda index, name, native: name)
    assert_type(one.push(b"x"), list[Event])
    assert_type(one.result(), ParseResult)
    assert_type(ProseFilter(format="auto").push("x"), str)
    text, uses = HeuristicToolParser().feed("x")
    assert_type(uses, list[ToolUse])
    for result in parse_batch([text, b"x"], None, threads=2):
        assert_type(result, ParseResult)


def others() -> None:
    assert_type(formats(), tuple[FormatInfo, ...])
    assert_type(format_for_model("x"), str)
    fixed = repair_json("{")
    assert_type(fixed, RepairedJSON)
    print(fixed.value is MISSING)
"""
WRONG = """
from toolparse import ToolStream, parse_tool_calls

parse_tool_calls(5, ["f"])
parse_tool_calls("", ["f"], cut="maybe")
parse_tool_calls("", ["f"], "auto")
ToolStream(5)
ToolStream(["f"]).push(None)
parse_tool_calls("", ["f"]).call
"""


def checked(path: Path, code: str) -> list[str]:
    """The complaints of mypy, without the places."""
    path.write_text(code, encoding="utf-8")
    program = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        str(path.parent / "cache"),
    ]
    done = subprocess.run([*program, str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert not done.stderr, done.stderr
    return [line.rpartition("[")[2].rstrip("]") for line in done.stdout.splitlines() if ": error:" in line]


def test_a_type_checker_agrees(tmp_path: Path) -> None:
    assert checked(tmp_path / "good.py", SNIPPET) == []
    wrong = ["arg-type", "arg-type", "call-arg", "arg-type", "arg-type", "attr-defined"]
    assert checked(tmp_path / "wrong.py", WRONG) == wrong


def test_the_clients_shapes_are_there_without_an_import_of_their_own() -> None:
    code = (
        "import toolparse, sys; assert 'toolparse.openai' not in sys.modules; "
        "print(toolparse.openai.__name__, toolparse.anthropic.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["toolparse.openai", "toolparse.anthropic"]
    with pytest.raises(AttributeError, match="module 'toolparse' has no attribute 'gemini'"):
        toolparse.gemini  # noqa: B018


def test_tools_are_what_they_were_when_they_were_made() -> None:
    definition = {"name": "b", "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    for source, names in (
        ((name for name in "ab"), ("a", "b")),
        ({"a": {}, "b": {}}.keys(), ("a", "b")),
        ([definition], ("b",)),
        (iter([definition]), ("b",)),
        (None, None),
    ):
        tools = toolparse.Tools(source)
        for same in (
            tools,
            copy.copy(tools),
            copy.deepcopy(tools),
            pickle.loads(pickle.dumps(tools)),
            toolparse.Tools(tools),
        ):
            assert (same.names, same) == (names, tools)
    assert toolparse.Tools(["b"]) == toolparse.Tools(("b",)) != toolparse.Tools(["c"])
    offered = ["b"]
    tools, stream = toolparse.Tools(offered), toolparse.ToolStream(offered)
    stream.push('<tool_call>{"name": "b", ')
    offered.clear()
    assert pickle.loads(pickle.dumps(tools)).names == ("b",)
    for one in (pickle.loads(pickle.dumps(stream)), copy.copy(stream)):
        one.push('"arguments": {}}</tool_call>')
        assert [call.name for call in one.result().calls] == ["b"]


def test_a_tool_use_keeps_the_keys_it_was_given() -> None:
    block = toolparse.ToolUse("i", "n", {"a": "1"}, complete=False)
    block["cache_control"] = {"type": "ephemeral"}
    del block["id"]
    for same in (copy.copy(block), copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert (type(same), same, same.complete) == (toolparse.ToolUse, block, False)
