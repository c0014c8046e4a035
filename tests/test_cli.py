"""The command line: ``parse``, and what goes wrong in any command: what is printed, where, with which exit status."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import toolparse
from toolparse.cli import main

PROGRAM = [sys.executable, "-m", "toolparse"]
ID = toolparse.parse_tool_calls('<tool_call>{"name":"f","arguments":{}}</tool_call>', ["f"], ids="index").calls[0].id
CALL = '<tool_call>{"name": "open", "arguments": {"slug": "été"}}</tool_call>'
UNCLOSED = '<tool_call>{"name": "open", "arguments": {}}'


@pytest.fixture
def reply(tmp_path, monkeypatch):
    """Writes a reply into a file of an empty current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(text: str | bytes, name: str = "reply.txt") -> str:
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return write


@pytest.fixture
def stdin(monkeypatch):
    """Puts bytes on standard input."""

    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


def run(*args: str, data: bytes = b"", **options) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *args], input=data, capture_output=True, timeout=60, check=False, **options)


def only_line(capsys) -> dict:
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    return json.loads(out)


# ---------------------------------------------------------------- parse


def test_parse_prints_one_result_with_these_keys(reply, capsys):
    assert main(["parse", "--tools", "open", reply("Opening it." + CALL)]) == 0
    assert only_line(capsys) == {
        "text": "Opening it.",
        "reasoning": None,
        "calls": [
            {
                "index": 0,
                "id": ID,
                "native_id": None,
                "name": "open",
                "arguments": {"slug": "été"},
                "format": "hermes",
                "shape": "tagged",
                "complete": True,
                "repairs": [],
                "span": [11 + len("<tool_call>"), 11 + len(CALL.encode()) - len("</tool_call>")],
            }
        ],
        "errors": [],
        "truncated": False,
    }


def test_the_module_and_the_function_print_the_same_bytes(reply, capsys):
    name = reply("Opening it." + CALL)
    assert main(["parse", "--tools", "open", name]) == 0
    done = run("parse", "--tools", "open", name)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == capsys.readouterr().out.encode()


def test_text_is_utf_8_whatever_the_locale(reply):
    name = reply("naïve 日本")
    surroundings = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    done = run("parse", name, env=surroundings)
    assert done.stdout.decode() == (
        '{"text": "naïve 日本", "reasoning": null, "calls": [], "errors": [], "truncated": false}\n'
    )


def test_several_files_are_several_lines_in_their_order(reply, capsys):
    assert main(["parse", reply("one", "b.txt"), reply("two", "a.txt")]) == 0
    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == ["one", "two"]


@pytest.mark.parametrize("args", [["parse"], ["parse", "-"]])
def test_standard_input_is_one_reply(args, stdin, capsys):
    stdin(b"two\nlines\n")
    assert main(args) == 0
    assert only_line(capsys)["text"] == "two\nlines\n"


def test_lines_are_json_strings_or_plain_replies(stdin, capsys):
    stdin(b'"a\\nb"\nplain \r\n\n"not closed\n{"a": 1}\n"half \\ud83d"\nlast')
    assert main(["parse", "--lines", "--tools", "open"]) == 0
    texts = [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()]
    assert texts == ["a\nb", "plain ", "", '"not closed', '{"a": 1}', "half \ufffd", "last"]


def test_tools_are_a_file_of_definitions_or_names(reply, capsys):
    tools = [{"type": "function", "function": {"name": "open", "parameters": {"type": "object", "properties": {}}}}]
    for tools_file in (reply(json.dumps(tools), "a.json"), reply('["open"]', "b"), "open", "shut,open"):
        assert main(["parse", "--tools", tools_file, reply(CALL)]) == 0
        assert [call["name"] for call in only_line(capsys)["calls"]] == ["open"]


def test_a_name_that_was_not_offered_is_an_error(reply, capsys):
    assert main(["parse", "--tools", "shut,lock", reply(CALL)]) == 0
    result = only_line(capsys)
    assert result["calls"] == []
    assert [(e["kind"], e["name"], e["message"]) for e in result["errors"]] == [
        ("unknown_tool", "open", 'Unknown tool "open". Available now: shut, lock')
    ]


def test_no_tools_at_all_can_be_said(reply, capsys):
    assert main(["parse", "--tools", "", reply(CALL)]) == 0
    assert [e["message"] for e in only_line(capsys)["errors"]] == ['Unknown tool "open". Available now: none']


def test_without_tools_every_well_marked_name_is_taken(reply, capsys):
    assert main(["parse", reply(CALL)]) == 0
    assert [call["name"] for call in only_line(capsys)["calls"]] == ["open"]


def test_repairs_have_kind_span_and_safe(reply, capsys):
    assert main(["parse", "--tools", "open", reply(UNCLOSED)]) == 0
    (call,) = only_line(capsys)["calls"]
    assert call["complete"] is True
    assert [(r["kind"], r["safe"]) for r in call["repairs"]] == [("missing_closer", True)]
    assert all(list(r) == ["kind", "span", "safe"] for r in call["repairs"])


def test_cut_drop_reports_the_call_instead(reply, capsys):
    assert main(["parse", "--tools", "open", "--cut", "drop", reply(UNCLOSED)]) == 0
    result = only_line(capsys)
    assert (result["calls"], [e["kind"] for e in result["errors"]]) == ([], ["cut"])


def test_finish_reason_stop_keeps_closed_arguments_even_then(reply, capsys):
    options = ["--cut", "drop", "--finish-reason", "stop"]
    assert main(["parse", "--tools", "open", *options, reply(UNCLOSED)]) == 0
    assert len(only_line(capsys)["calls"]) == 1


def test_max_bytes_cuts_back_to_a_whole_character(reply, capsys):
    assert main(["parse", "--max-bytes", "3", reply("aéé")]) == 0
    assert only_line(capsys) == {"text": "aé", "reasoning": None, "calls": [], "errors": [], "truncated": True}
    assert main(["parse", "--max-bytes", "4", reply("aéé")]) == 0
    assert only_line(capsys)["text"] == "aé"


def test_all_is_read_unless_told_otherwise(reply, capsys):
    assert main(["parse", reply("x" * 40_000 + CALL)]) == 0
    result = only_line(capsys)
    assert (len(result["text"]), len(result["calls"]), result["truncated"]) == (40_000, 1, False)


def test_prompt_says_that_the_reply_starts_in_reasoning(reply, capsys):
    assert main(["parse", "--prompt", "<|im_start|>assistant\n<think>\n", reply("so</think>Hi")]) == 0
    result = only_line(capsys)
    assert (result["reasoning"], result["text"]) == ("so", "Hi")


def test_formats_can_be_named(reply, capsys):
    assert main(["parse", "--format", "hermes", reply(CALL)]) == 0
    assert len(only_line(capsys)["calls"]) == 1
    assert main(["parse", "--format", "mistral", reply(CALL)]) == 0
    assert only_line(capsys)["calls"] == []
    assert main(["parse", "--format", "mistral,hermes", reply(CALL)]) == 0
    assert len(only_line(capsys)["calls"]) == 1


def test_pretty_is_the_same_result_indented(reply, capsys):
    assert main(["parse", "--pretty", reply("Hi")]) == 0
    assert capsys.readouterr().out == (
        '{\n  "text": "Hi",\n  "reasoning": null,\n  "calls": [],\n  "errors": [],\n  "truncated": false\n}\n'
    )


def test_ids_are_by_position_or_random(reply, capsys):
    name = reply(CALL)
    assert main(["parse", name]) == 0
    assert only_line(capsys)["calls"][0]["id"] == ID
    ids = set()
    for _ in range(3):
        assert main(["parse", "--ids", "random", name]) == 0
        ids.add(only_line(capsys)["calls"][0]["id"])
    assert len(ids) == 3
    assert all(re.fullmatch("[A-Za-z0-9]{9}", made) for made in ids)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("prose", 0),
        (CALL, 0),
        (UNCLOSED, 0),
        ('<tool_call>{"name": "shut", "arguments": {}}</tool_call>', 1),
        ('<tool_call>{"name": "open", "arguments": {"a": "cu', 1),
        ("<tool_call>not json</tool_call>", 1),
    ],
)
def test_strict_is_about_errors_and_unsafe_calls(text, status, reply, capsys):
    name = reply(text)
    assert main(["parse", "--tools", "open", name]) == 0
    assert main(["parse", "--tools", "open", "--strict", name]) == status
    assert capsys.readouterr().err == ""


def test_any_bytes_are_read(reply, capsys):
    assert main(["parse", reply(b"a\xff\x00b")]) == 0
    assert only_line(capsys)["text"] == "a\ufffd\x00b"


def test_json_holds_nothing_that_a_terminal_acts_on(reply, capsys):
    assert main(["parse", reply("\x1b[31m \x9b \u202e \x7f é")]) == 0
    line = capsys.readouterr().out
    assert line.startswith('{"text": "\\u001b[31m \\u009b \\u202e \\u007f é", ')
    assert json.loads(line)["text"] == "\x1b[31m \x9b \u202e \x7f é"


# ---------------------------------------------------------------- what goes wrong


def wrong(*args: str) -> tuple[int, str, str]:
    done = run(*args)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_usage_is_one_line_and_status_2():
    assert wrong() == (
        2,
        "",
        "toolparse: the following arguments are required: COMMAND (try 'toolparse --help')\n",
    )
    assert wrong("parse", "--max-bytes", "-1k") == (
        2,
        "",
        "toolparse: argument --max-bytes: expected one argument (try 'toolparse parse --help')\n",
    )
    assert wrong("parse", "--max-bytes", "x") == (
        2,
        "",
        "toolparse: argument --max-bytes: a number of bytes is wanted, not 'x' (try 'toolparse parse --help')\n",
    )
    status, out, err = wrong("frobnicate")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("toolparse: argument COMMAND: invalid choice: 'frobnicate'")


def test_an_unknown_format_is_named(reply):
    status, out, err = wrong("parse", "--format", "esperanto", reply("Hi"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("toolparse: ")
    assert "esperanto" in err


def test_an_unreadable_file_does_not_keep_the_others_from_being_read(reply, tmp_path):
    status, out, err = wrong("parse", "gone.txt", reply("Hi"), ".")
    assert status == 2
    assert json.loads(out)["text"] == "Hi"
    assert err == "toolparse: gone.txt: No such file or directory\ntoolparse: .: Is a directory\n"
    assert wrong("explain", "gone.txt") == (2, "", "toolparse: gone.txt: No such file or directory\n")
    assert wrong("detect", "gone.txt") == (2, "", "toolparse: gone.txt: No such file or directory\n")


def test_unusable_tools_files(reply):
    name = reply("Hi")
    assert wrong("parse", "--tools", "gone.json", name) == (2, "", "toolparse: gone.json: No such file or directory\n")
    status, out, err = wrong("parse", "--tools", reply("[1,", "a.json"), name)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("toolparse: a.json: not JSON: ")
    for damaged in ("5", '[{"type": "function"}]', '"open"', "[" * 100_000):
        status, out, err = wrong("parse", "--tools", reply(damaged, "b.json"), name)
        assert (status, out, err.count("\n")) == (2, "", 1), damaged[:20]
        assert err.startswith("toolparse: b.json: ")


def test_a_file_name_cannot_act_on_the_terminal(reply):
    assert wrong("parse", "a\x1b[2J\nb") == (2, "", "toolparse: a\\x1b[2J\\nb: No such file or directory\n")


def test_detect_takes_files_or_a_model(reply):
    assert wrong("detect", "--model", "m", reply("Hi")) == (
        2,
        "",
        "toolparse: detect: either FILE or --model, not both\n",
    )


def test_a_closed_pipe_ends_quietly(reply):
    name = reply("x" * 100_000)
    with subprocess.Popen([*PROGRAM, "parse", *[name] * 50], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_a_full_disk_is_an_error(reply):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "parse", reply("Hi")], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (4, b"toolparse: <stdout>: No space left on device\n")


def test_help_has_examples():
    for command in ([], ["parse"], ["explain"], ["formats"], ["detect"]):
        done = run(*command, "--help")
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"examples:\n  toolparse " in done.stdout


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout.decode()) == (0, f"toolparse {toolparse.__version__}\n")


@pytest.mark.parametrize("tools", ["./typo", "b,,c", "b c", '{"b":{}}', " "])
def test_tools_that_are_neither_a_file_nor_names(
    tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = tmp_path / "reply.txt"
    reply.write_text("a")
    assert main(["parse", str(reply), "--tools", tools]) == 2
    assert "neither a file nor names between commas" in capsys.readouterr().err


def test_blanks_around_the_names_of_tools_are_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reply = tmp_path / "reply.txt"
    reply.write_text('<tool_call>{"name": "c", "arguments": {}}</tool_call>')
    assert main(["parse", str(reply), "--tools", "b, c"]) == 0
    assert '"name": "c"' in capsys.readouterr().out
