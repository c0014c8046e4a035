"""What the modules for servers and frameworks share; tests/engines has real hosts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest
from _hosts import ARGUMENTS, CALL, REPLY, SEARCH, Bag, cuts
from toolparse import integrations
from toolparse.integrations import Delta, Reader, Splitter, compiled

pytestmark = pytest.mark.usefixtures("same_ids")


def test_no_host_is_imported_before_it_is_used() -> None:
    code = f"import sys, importlib\nfor name in {PACKAGES}: sys.modules[name] = None\n"
    code += f"for name in {tuple(USES)}: importlib.import_module('toolparse.integrations.' + name)"
    subprocess.run([sys.executable, "-c", code], check=True)


PACKAGES = (
    "vllm",
    "sglang",
    "transformers",
    "litellm",
    "mlx_lm",
    "llama_cpp",
    "langchain_core",
    "pydantic_ai",
    "smolagents",
)

# Our module: what to install, and what needs it.
USES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "vllm": ("vllm", lambda ours: ours.register()),
    "sglang": ("sglang", lambda ours: ours.install()),
    "litellm": ("litellm", lambda ours: ours.handler),
    "mlx_lm": ("mlx-lm", lambda ours: ours.wrap(None, format="hermes")),
    "llama_cpp": ("llama-cpp-python", lambda ours: ours.register()),
    "langchain": ("langchain-core", lambda ours: ours.output_parser([])),
    "pydantic_ai": ("pydantic-ai-slim", lambda ours: ours.wrap("model")),
    "smolagents": ("smolagents", lambda ours: ours.parse_message(Bag(), [])),
    "transformers": ("transformers", lambda ours: ours.parse_response("", prefix="", tools=[print])),
}


@pytest.mark.parametrize("name", USES)
def test_a_missing_host_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, host: Callable[..., Any], name: str
) -> None:
    install, use = USES[name]
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    ours = host(name)
    with pytest.raises(ImportError) as caught:
        use(ours)
    assert str(caught.value) == f"toolparse: this needs {install}. Install it with: pip install {install}"


def test_a_host_that_moved_its_parts_says_which_version_works(
    monkeypatch: pytest.MonkeyPatch, host: Callable[..., Any]
) -> None:
    monkeypatch.setattr(integrations.metadata, "version", lambda name: "9.9")
    vllm = host("vllm", vllm__tool_parsers={})
    with pytest.raises(ImportError) as caught:
        vllm.register()
    assert str(caught.value) == (
        "toolparse: vllm 9.9 has no ToolParserManager in vllm.tool_parsers. "
        "This version of toolparse works with vllm 0.33: install that one, or a newer toolparse."
    )


def test_entry_points() -> None:
    groups = ("vllm.general_plugins", "sglang.srt.plugins")
    values = [metadata.entry_points(group=group)["toolparse"].value for group in groups]
    assert values == ["toolparse.integrations.vllm:register", "toolparse.integrations.sglang:register"]


def test_format_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert integrations.format_wanted() == "auto"
    monkeypatch.setenv("TOOLPARSE_FORMAT", "hermes, glm45")
    assert integrations.format_wanted() == ["hermes", "glm45"]


def test_definitions_of_every_shape_are_compiled_once() -> None:
    flat = {"type": "function", "name": "search", "parameters": SEARCH["function"]["parameters"]}
    object_ = Bag(model_dump=lambda exclude_none: SEARCH)
    shapes = [SEARCH, flat, {"name": "search", "input_schema": SEARCH["function"]["parameters"]}, object_]
    assert len({id(compiled([shape])) for shape in shapes}) == 1
    assert compiled(shapes[:1]).names == ("search",)
    assert compiled(None).names == ()


def test_the_id_that_the_model_wrote_is_kept() -> None:
    assert integrations.written_or_random(0, "f", "functions.f:0") == "functions.f:0"
    assert integrations.written_or_random(0, "f", None) == "aaaaaaaaa"


def total(deltas: list[Delta]) -> Delta:
    """All deltas in one, the pieces of each call joined."""
    all_ = Delta()
    for delta in deltas:
        all_ = all_ + Delta(delta.content, delta.reasoning)
        for call in delta.calls:
            if call.name is not None:
                assert call.index == len(all_.calls)
                all_.calls.append(call)
            else:
                all_.calls[call.index].arguments += call.arguments
    return all_


@pytest.mark.parametrize("inline", [False, True])
def test_reader_whole_equals_every_cut(inline: bool) -> None:
    whole = Reader(compiled([SEARCH]), inline=inline).whole(REPLY)
    want = ("<think>Hm.</think>Looking.", "") if inline else ("Looking.", "Hm.")
    assert (whole.content, whole.reasoning) == want
    assert [(c.index, c.id, c.name, c.arguments) for c in whole.calls] == [(0, "aaaaaaaaa", "search", ARGUMENTS)]
    for pieces in cuts(REPLY):
        reader = Reader(compiled([SEARCH]), inline=inline)
        assert total([*map(reader.push, pieces), reader.finish()]) == whole


def test_reader_closes_the_thinking_that_the_reply_leaves_open() -> None:
    assert Reader(compiled(None), inline=True).whole("<think>Hm.") == Delta("<think>Hm.</think>")


def test_reader_logs_what_failed(caplog: pytest.LogCaptureFixture) -> None:
    assert Reader(compiled([SEARCH])).whole('<tool_call>{"name": "rm", "arguments": {}}</tool_call>') == Delta()
    assert caplog.messages == ['Unknown tool "rm". Available now: search']


@pytest.mark.parametrize(
    ("text", "prompt", "want"),
    [
        (REPLY, "", ("Hm.", "Looking." + CALL)),
        ("Hm.</think>\n\n" + CALL, "<think>\n", ("Hm.", CALL)),
        (CALL, "", ("", CALL)),
        ("Hello.", "", ("", "Hello.")),
        ("Hello <think>a</think> you", "", ("", "Hello <think>a</think> you")),
        ("<think>a</think>b<think>c</think>d", "", ("a", "b<think>c</think>d")),
        ("<think>Hm.", "", ("Hm.", "")),
        ("<think>Hm." + CALL, "", ("Hm.", CALL)),
        ("<think>\n\n</think>\n\nHello.", "", ("", "Hello.")),
        ("<think></think>" + CALL, "", ("", CALL)),
        ("<think>a</think>" + CALL, "", ("a", CALL)),
        ("<think>a</think><think>b</think>" + CALL, "", ("ab", CALL)),
        ("[THINK]a[/THINK]Hello.", "", ("a", "Hello.")),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Hello.",
            "",
            ("a", "<|start|>assistant<|channel|>final<|message|>Hello."),
        ),
        ("", "", ("", "")),
    ],
)
def test_splitter(text: str, prompt: str, want: tuple[str, str]) -> None:
    reasoning, rest = Splitter(prompt=prompt).whole(text)
    assert (reasoning, rest.lstrip("\n")) == want
    for pieces in cuts(text):
        splitter = Splitter(prompt=prompt)
        got = [*map(splitter.push, pieces), splitter.finish()]
        assert ("".join(a for a, _ in got), "".join(b for _, b in got)) == (reasoning, rest), pieces


def test_arguments_are_strict_json_in_every_host() -> None:
    delta = Reader(compiled([SEARCH])).whole(
        "<tool_call>{'name': 'search', 'arguments': {'q': 'x', n: 3,}}</tool_call>"
    )
    assert json.loads(delta.calls[0].arguments) == {"q": "x", "n": 3}
