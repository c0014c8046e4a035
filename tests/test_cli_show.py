"""The commands that show: ``explain``, ``formats`` and ``detect``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import toolparse
from toolparse.cli import main

ID = toolparse.parse_tool_calls('<tool_call>{"name":"f","arguments":{}}</tool_call>', ["f"], ids="index").calls[0].id
CALL = '<tool_call>{"name": "open", "arguments": {"slug": "été"}}</tool_call>'


@pytest.fixture
def reply(tmp_path, monkeypatch):
    """Writes a reply into a file of an empty current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "reply.txt") -> str:
        Path(name).write_bytes(text.encode())
        return name

    return write


# ---------------------------------------------------------------- explain


EXPLAINED = """\
[prose 0:11]
  Opening it.
[markup 11:23]
  <tool_call>
  
[call 23:56]
  {"name": "open", "arguments": {}}

calls: 1
  #  name  format  shape   complete  safe  id         place  arguments
  0  open  hermes  tagged  yes       yes   000000000  23:56  {}

repairs: 1
  call  kind            safe  place
  0     missing_closer  yes   56:56

errors: none
"""


def test_explain_labels_the_pieces_where_there_are_no_colours(reply, capsys):
    name = reply('Opening it.<tool_call>\n{"name": "open", "arguments": {}}')
    assert main(["explain", "--tools", "open", name]) == 0
    out, err = capsys.readouterr()
    assert (out.replace(ID, "000000000"), err) == (EXPLAINED, "")


def test_explain_shows_each_kind_of_piece(reply, capsys):
    text = "<think>hm</think>Hi" + CALL + '<tool_call>{"name": "shut", "arguments": {}}</tool_call>'
    assert main(["explain", "--tools", "open", reply(text)]) == 0
    labels = re.findall(r"^\[(\w+) (\d+):(\d+)\]$", capsys.readouterr().out, re.M)
    assert {kind for kind, _, _ in labels} >= {"reasoning", "prose", "call", "error"}
    edges = [(int(start), int(end)) for _, start, end in labels]
    assert edges[0][0] == 0
    assert edges[-1][1] == len(text.encode())
    assert [start for start, _ in edges[1:]] == [end for _, end in edges[:-1]]


def test_explain_in_colours_when_asked(reply, capsys):
    assert main(["explain", "--color", "always", reply("one\ntwo")]) == 0
    pieces = capsys.readouterr().out.partition("\n\ncalls: none\n")[0]
    legend = "prose\x1b[0m \x1b[2;3mreasoning\x1b[0m \x1b[32mcall\x1b[0m \x1b[35mmarkup\x1b[0m \x1b[31merror\x1b[0m"
    assert pieces == legend + "\n\none\ntwo"


def test_colours_are_for_terminals(reply, monkeypatch, capsys):
    name = reply("<think>a\nb</think>")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["explain", name]) == 0
    assert "\x1b[2;3ma\x1b[0m\n\x1b[2;3mb" in capsys.readouterr().out
    assert main(["explain", "--color", "never", name]) == 0
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["explain", name]) == 0
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert main(["explain", name]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_explain_escapes_what_a_terminal_acts_on(reply, capsys):
    name = reply('\x1b[2J\ttab\r\n\u202e<tool_call>{"name": "g\\u001b[2J\\n", "arguments": {}}</tool_call>')
    assert main(["explain", "--tools", "open", name]) == 0
    out = capsys.readouterr().out
    assert "  \\x1b[2J\ttab\\r\n  \\u202e" in out
    assert not set(out) & {"\x1b", "\r", "\u202e"}
    (row,) = [line for line in out.splitlines() if line.startswith("  unknown_tool")]
    assert "g\\x1b[2J\\n" in row


def test_explain_says_what_was_not_read(reply, capsys):
    assert main(["explain", "--max-bytes", "2", reply("abc")]) == 0
    assert capsys.readouterr().out.endswith("\n\ntruncated: the rest of the reply was not read\n")


def test_explain_an_empty_reply(reply, capsys):
    assert main(["explain", reply("")]) == 0
    assert capsys.readouterr().out == "(an empty reply)\n\ncalls: none\n\nrepairs: none\n\nerrors: none\n"


def test_long_arguments_are_clipped_in_the_table(reply, capsys):
    text = '<tool_call>{"name": "open", "arguments": {"a": "' + "x" * 500 + '"}}</tool_call>'
    assert main(["explain", "--tools", "open", reply(text)]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  0  open")]
    assert len(row.partition("{")[2]) == 79
    assert row.endswith("xx…")


# ---------------------------------------------------------------- formats, detect


def test_formats_is_a_table_with_a_row_for_each(capsys):
    assert main(["formats"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["name", "auto", "schema", "opens", "with", "what", "it", "is"]
    assert [row.split()[0] for row in rows] == [info.name for info in toolparse.formats()]
    assert not [line for line in [head, *rows] if line != line.rstrip()]


def test_formats_as_json_has_all_that_is_known(capsys):
    assert main(["formats", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows == [
        {
            "name": info.name,
            "aliases": list(info.aliases),
            "title": info.title,
            "models": list(info.models),
            "openers": list(info.openers),
            "closers": list(info.closers),
            "needs_schema": info.needs_schema,
            "auto": info.auto,
            "names_elsewhere": {engine: list(names) for engine, names in info.names_elsewhere.items()},
        }
        for info in toolparse.formats()
    ]


def test_detect_names_the_formats_of_a_reply(reply, capsys):
    assert main(["detect", reply(CALL + CALL)]) == 0
    assert capsys.readouterr().out == "hermes\n"
    assert main(["detect", reply("prose")]) == 0
    assert capsys.readouterr().out == "none\n"


def test_detect_puts_the_file_before_when_there_are_several(reply, capsys):
    assert main(["detect", reply(CALL, "a.txt"), reply("prose", "b.txt")]) == 0
    assert capsys.readouterr().out == "a.txt: hermes\nb.txt: none\n"


def test_detect_as_json_counts(reply, capsys):
    assert main(["detect", "--json", reply(CALL + CALL)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "source": "reply.txt",
        "formats": ["hermes"],
        "calls": {"hermes": 2},
        "errors": 0,
    }


def test_detect_a_model(capsys):
    assert main(["detect", "--model", "Qwen/Qwen3-8B"]) == 0
    assert capsys.readouterr().out == "hermes\n"
    assert main(["detect", "--model", "nobody/knows-it", "--json"]) == 0
    assert capsys.readouterr().out == '{"model": "nobody/knows-it", "format": "auto"}\n'
