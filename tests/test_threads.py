"""Threads, processes, and what a parse may never do."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import toolparse
from _fixtures import HERE
from _reading import facts, random_pieces, streamed, whole

THREADS = 8
CALL = '<tool_call>{"name": "f", "arguments": {"a": [1, "é😀"], "b": "x"}}</tool_call>'
RAW = f"<think>t</think>Text.{CALL}" * 50


def together(work: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def test_streams_of_their_own() -> None:
    tools = toolparse.Tools(["f"])
    want = facts(whole(RAW, tools))

    def work(seed: int) -> list[Any]:
        return [facts(streamed(random_pieces(RAW, seed * 10 + turn), tools)) for turn in range(5)]

    assert together(work) == [[want] * 5] * THREADS


def test_whole_replies_at_the_same_time() -> None:
    tools = toolparse.Tools(["f"])
    long = RAW * 20
    want = facts(whole(long, tools))
    assert together(lambda _: facts(whole(long, tools))) == [want] * THREADS


def test_one_stream_from_many_threads_gives_some_order() -> None:
    """The pieces of prose are whole and each is there once, in the order of its thread."""
    stream = toolparse.ToolStream(["f"])

    def work(thread: int) -> str:
        events = [event for turn in range(200) for event in stream.push(f"({thread}:{turn})")]
        return "".join(event.text for event in events)

    texts = together(work)
    last = "".join(event.text for event in stream.finish())
    text = stream.result().text
    assert len(text) == sum(map(len, texts)) + len(last)
    pieces = text.removesuffix(")").removeprefix("(").split(")(")
    assert len(pieces) == THREADS * 200
    for thread in range(THREADS):
        mine = [piece for piece in pieces if piece.startswith(f"{thread}:")]
        assert mine == [f"{thread}:{turn}" for turn in range(200)]


def test_one_stream_is_asked_while_it_is_fed() -> None:
    stream = toolparse.ToolStream(["f"])

    def work(thread: int) -> int:
        for _ in range(100):
            if thread % 2:
                stream.push(CALL)
            else:
                assert all(call.name == "f" for call in stream.result().calls)
        return thread

    assert together(work) == list(range(THREADS))
    stream.finish()
    assert len(stream.result().calls) == 100 * THREADS // 2


def test_one_filter_and_one_old_parser_from_many_threads() -> None:
    prose, parser = toolparse.ProseFilter(), toolparse.HeuristicToolParser()

    def work(_: int) -> int:
        shown = sum(len(prose.push("abc ")) for _ in range(200))
        return shown + sum(len(parser.feed("abc ")[0]) for _ in range(200))

    lengths = together(work)
    parser.flush()
    assert sum(lengths) + len(prose.flush()) + len(parser.pending_text) == 2 * THREADS * 200 * len("abc ")


def test_a_maker_of_ids_may_use_the_parser() -> None:
    """Another reading works; the same stream refuses a piece from inside its own `push`."""
    inner: list[str] = []

    def make(index: int, name: str, native_id: str | None) -> str:
        inner.extend(call.name for call in toolparse.parse_tool_calls(CALL, ["f"]).calls)
        try:
            stream.push("from inside")
        except RuntimeError as problem:
            inner.append(type(problem).__name__)
        return f"id{index}"

    stream = toolparse.ToolStream(["f"], ids=make)
    stream.push(CALL)
    stream.finish()
    assert [call.id for call in stream.result().calls] == ["id0"]
    assert inner == ["f", "RuntimeError"]


def child(program: str) -> str:
    """Runs a program in a fresh interpreter. Returns what it printed."""
    run = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r})\n" + textwrap.dedent(program)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


FORK = """
    import os
    import toolparse

    raw = '<tool_call>{"name": "f", "arguments": {}}</tool_call>' * 3

    def ids():
        stream = toolparse.ToolStream(["f"])
        stream.push(raw)
        stream.finish()
        calls = toolparse.parse_tool_calls(raw, ["f"]).calls + stream.result().calls
        parser = toolparse.HeuristicToolParser()
        parser.feed("\u25cf <function=f><parameter=a>1</parameter>")
        return [call.id for call in calls] + [use["id"] for use in parser.flush()]

    toolparse.parse_batch([raw] * 100, ["f"])
    ids()
    ends = []
    for _ in range(8):
        reader, writer = os.pipe()
        if os.fork() == 0:
            toolparse.parse_batch([raw] * 100, ["f"])
            os.write(writer, " ".join(ids()).encode())
            os._exit(0)
        os.close(writer)
        ends.append(reader)
    found = ids()
    for reader in ends:
        with os.fdopen(reader) as pipe:
            found += pipe.read().split()
        assert os.wait()[1] == 0
    print(len(found), len(set(found)))
"""


def test_forked_processes_give_different_ids() -> None:
    count = 9 * 7
    assert child(FORK) == f"{count} {count}\n"


AUDIT = """
    import sys
    import toolparse
    from _fixtures import CASES
    from _reading import whole, random_pieces

    def read(case):
        tools = toolparse.Tools(case.tools)
        for options in case.readings():
            result = toolparse.parse_tool_calls(case.raw, tools, **options)
            repr(result)
            said = {k: v for k, v in options.items() if k != "finish_reason"}
            stream = toolparse.ToolStream(tools, **said)
            for piece in random_pieces(case.raw, 1):
                stream.push(piece)
            stream.finish(options.get("finish_reason"))
            repr(stream.result())
        prose = toolparse.ProseFilter()
        prose.push(case.raw) + prose.flush()
        parser = toolparse.HeuristicToolParser()
        parser.feed(case.raw)
        parser.flush()
        repr(toolparse.repair_json(case.raw))

    cases = list(CASES.values())
    for case in cases:
        read(case)
    seen = []
    FORBIDDEN = ("compile", "exec", "import", "open", "pickle", "marshal", "ctypes", "os.", "subprocess", "socket")
    sys.addaudithook(lambda event, args: seen.append(event) if event.startswith(FORBIDDEN) else None)
    eval("1")
    assert seen == ["compile", "exec"], seen
    seen.clear()
    for case in cases:
        read(case)
    print(len(cases) > 1000, sorted(set(seen)))
"""


def test_a_parse_evaluates_imports_and_opens_nothing() -> None:
    """The interpreter's audit events tell; an evaluation beside it shows that they would."""
    assert child(AUDIT) == "True []\n"


HASHES = """
    import toolparse
    raw = '<tool_call>{"name": "x", "arguments": {"b": 1, "a": 2, "b": 3}}</tool_call>'
    raw += raw.replace('"x"', '"f"')
    print(toolparse.parse_tool_calls(raw, {"f", "g", "h", "i"}, ids="index"))
"""


def test_the_hash_seed_changes_nothing() -> None:
    def run(seed: str) -> str:
        program = [sys.executable, "-c", textwrap.dedent(HASHES)]
        return subprocess.run(
            program, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=60, check=True
        ).stdout

    assert "Available now: f, g, h, i" in run("0")
    assert run("0") == run("1") == run("12345")


def test_a_thread_that_parses_while_the_interpreter_ends() -> None:
    program = """
        import threading, time, toolparse
        raw = '<tool_call>{"name": "f", "arguments": {"a": "' + "x" * 20000 + '"}}</tool_call>'

        def forever():
            while True:
                toolparse.parse_tool_calls(raw, ["f"], max_bytes=None)

        threading.Thread(target=forever, daemon=True).start()
        toolparse.parse_tool_calls(raw, ["f"])
    """
    for _ in range(10):
        assert child(program) == ""
