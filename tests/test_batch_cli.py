"""The command ``batch``: what it reads, what it writes, what it says. What breaks it is in ``faults/``."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest
import toolparse
import zstandard
from _batch import PATHS, TOOLS, files, folder, line, log, records, reply
from toolparse._core import arrow_schema
from toolparse.cli import main

ROOT = Path(__file__).parent.parent
ROWS = 40
BAD = 7
COLUMNS = [
    "source",
    "line",
    "id",
    "format",
    "content",
    "reasoning",
    "calls",
    "errors",
    "repairs",
    "truncated",
    "n_calls",
]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder(tmp_path / "logs", ROWS, (BAD,)))
    return tmp_path / "logs"


def batch(*args: str, status: int = 0) -> None:
    """A quiet run that ends with ``status``."""
    assert main(["batch", *args, "--quiet"]) == status


def expected(source: str, numbers: range | list[int]) -> list[dict[str, Any]]:
    """The records of :func:`_batch.log`, without their lines, as the library reads them."""
    return [record(source, number) for number in numbers]


def record(source: str, number: int) -> dict[str, Any]:
    raw = reply(number).encode()
    result = toolparse.parse_tool_calls(raw, TOOLS, max_bytes=None, ids="index")
    return {
        "source": source,
        "id": f"r{number}",
        "format": result.calls[0].format if result.calls else None,
        "content": result.text,
        "reasoning": result.reasoning,
        "calls": [
            {
                "index": call.index,
                "id": call.id,
                "native_id": call.native_id,
                "name": call.name,
                "arguments": call.arguments_json,
                "complete": call.complete,
                "repaired": bool(call.repairs),
                "span_start": call.span[0],
                "span_end": call.span[1],
            }
            for call in result.calls
        ],
        "errors": [
            {
                "code": error.kind,
                "message": str(error),
                "name": error.name,
                "span_start": error.span[0],
                "span_end": error.span[1],
            }
            for error in result.errors
        ],
        "repairs": [
            {"kind": repair.kind, "call": call.index, "span_start": repair.span[0], "span_end": repair.span[1]}
            for call in result.calls
            for repair in call.repairs
        ],
        "truncated": False,
        "n_calls": len(result.calls),
    }


GOOD = [number for number in range(ROWS) if number != BAD]


def without_lines(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in each.items() if name != "line"} for each in found]


# ---------------------------------------------------------------- what is written


def test_a_record_a_reply_with_these_columns_in_the_order_of_the_log(logs: Path) -> None:
    batch("log.jsonl", "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl")
    found = records(logs / "out.jsonl")
    assert [list(each) for each in found] == [COLUMNS] * len(GOOD)
    assert without_lines(found) == expected("log.jsonl", GOOD)
    assert [each["line"] for each in found] == [number + 1 for number in GOOD]
    (bad,) = records(logs / "bad.jsonl")
    offset = (logs / "log.jsonl").read_bytes().index(b'{"id": "r7"')
    assert bad == {"source": "log.jsonl", "line": BAD + 1, "offset": offset, "reason": bad["reason"]}
    assert bad["reason"].startswith("not valid JSON: expected value (column ")
    assert files(logs) == ["bad.jsonl", "log.jsonl", "out.jsonl", "tools.json"]


def read(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    if path.name.endswith(".parquet"):
        return pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    if path.name.endswith(".arrow"):
        return pyarrow.ipc.open_file(data).read_all().to_pylist()
    if path.name.endswith(".gz"):
        data = gzip.decompress(data)
    if path.name.endswith(".zst"):
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return [json.loads(text) for text in data.splitlines()]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".arrow"])
def test_every_kind_of_output_holds_the_same_records(logs: Path, suffix: str) -> None:
    (logs / "log.jsonl").write_bytes(log(20_000))  # several pieces
    batch("log.jsonl", "-o", "want.jsonl", *PATHS)
    batch("log.jsonl", "-o", "out" + suffix, *PATHS)
    assert read(logs / ("out" + suffix)) == records(logs / "want.jsonl")


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".arrow"])
def test_every_kind_of_output_can_be_empty(logs: Path, suffix: str) -> None:
    (logs / "empty.jsonl").write_bytes(b"")
    batch("empty.jsonl", "-o", "out" + suffix, *PATHS)
    assert read(logs / ("out" + suffix)) == []
    if suffix == ".parquet":
        assert pyarrow.parquet.read_schema(logs / "out.parquet").names == COLUMNS


def test_a_parquet_file_of_many_parts_is_one_file_like_any_other(logs: Path) -> None:
    (logs / "log.jsonl").write_bytes(log(60_000))
    batch("log.jsonl", "-o", "out.parquet", *PATHS)
    file = pyarrow.parquet.ParquetFile(logs / "out.parquet")
    assert file.metadata.num_rows == 60_000
    assert file.metadata.num_row_groups > 15
    assert sum(file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)) == 60_000
    last = file.read_row_group(file.metadata.num_row_groups - 1)
    assert last["line"][-1].as_py() == 60_000
    some = pyarrow.parquet.read_table(logs / "out.parquet", filters=[("line", ">", 59_990)], columns=["line"])
    assert some["line"].to_pylist() == list(range(59_991, 60_001))


@pytest.mark.parametrize("texts", ["repeated", "unique"])
def test_every_reader_of_parquet_reads_the_same(logs: Path, texts: str) -> None:
    """Texts that repeat are written once for a row group; there is too much of those that do not."""
    rng = random.Random(1)
    many = [reply(n % 50, 400) if texts == "repeated" else f"{rng.randbytes(900).hex()}{reply(n)}" for n in range(3000)]
    lines = [json.dumps({"id": None if n % 3 else f"é{n}", "response": text}) for n, text in enumerate(many)]
    (logs / "log.jsonl").write_text("\n".join([*lines, '{"response": null}']))
    batch("log.jsonl", "-o", "want.jsonl", *PATHS)
    batch("log.jsonl", "-o", "out.parquet", *PATHS)
    want = records(logs / "want.jsonl")
    assert want[-1]["content"] is None
    name = str(logs / "out.parquet")
    assert pyarrow.parquet.read_schema(name) == pyarrow.schema(arrow_schema())
    assert read(logs / "out.parquet") == want
    assert polars.read_parquet(name).to_dicts() == want
    assert duckdb.sql(f"select * from '{name}' order by line").to_arrow_table().to_pylist() == want


def test_parquet_needs_no_other_package(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    batch("log.jsonl", "-o", "out.parquet", *PATHS)


def test_standard_output_is_jsonl(logs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    batch("log.jsonl", "-o", "-", *PATHS, "--errors", "bad.jsonl")
    out, err = capfd.readouterr()
    assert without_lines([json.loads(text) for text in out.splitlines()]) == expected("log.jsonl", GOOD)
    assert err == ""
    assert len(records(logs / "bad.jsonl")) == 1


# ---------------------------------------------------------------- what is read

RECORDS = [{"id": f"r{n}", "response": reply(n)} for n in GOOD]
TABLE = pyarrow.Table.from_pylist(RECORDS)
TEXT = "".join(json.dumps(each) + "\n" for each in RECORDS).encode()


def parquet(table: pyarrow.Table) -> bytes:
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out, row_group_size=7)
    return out.getvalue()


def arrow(table: pyarrow.Table, new: Any) -> bytes:
    out = io.BytesIO()
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)
    return out.getvalue()


INPUTS = {
    "a.jsonl": TEXT,
    "a.ndjson": TEXT,
    "a.JSONL": TEXT,
    "a.jsonl.gz": gzip.compress(TEXT),
    "a.jsonl.zst": zstandard.compress(TEXT),
    "array.json": json.dumps(RECORDS, indent=1).encode(),
    "one_line.json": json.dumps(RECORDS).encode(),
    "array.json.gz": gzip.compress(json.dumps(RECORDS, ensure_ascii=False).encode()),
    "values.json": "".join(json.dumps(each, indent=2) for each in RECORDS).encode(),
    "lines.json": TEXT,
    "a.parquet": parquet(TABLE),
    "file.arrow": arrow(TABLE, pyarrow.ipc.new_file),
    "stream.arrow": arrow(TABLE, pyarrow.ipc.new_stream),
    "dictionary.parquet": parquet(TABLE.set_column(1, "response", TABLE["response"].dictionary_encode())),
    "more.parquet": parquet(TABLE.append_column("extra", pyarrow.array([{"a": 1.5}] * len(RECORDS)))),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("options", [PATHS, PATHS[:4], PATHS[:2], PATHS[2:]], ids=["all", "text", "auto", "no tools"])
def test_every_kind_of_input_gives_the_same_records(logs: Path, name: str, options: list[str]) -> None:
    (logs / "want.jsonl").write_bytes(TEXT)
    (logs / name).write_bytes(INPUTS[name])
    batch("want.jsonl", "-o", "want.out.jsonl", *options)
    batch(name, "-o", "out.jsonl", *options)
    want = [each | {"source": name} for each in records(logs / "want.out.jsonl")]
    assert records(logs / "out.jsonl") == want
    assert [each["line"] for each in want] == list(range(1, len(GOOD) + 1))
    assert [each["id"] for each in want] == [f"r{number}" for number in GOOD]


def test_a_text_file_is_one_reply_or_one_a_line(logs: Path) -> None:
    texts = ["One.\nTwo.", '<tool_call>{"name": "search", "arguments": {}}</tool_call>']
    (logs / "a.txt").write_text("\n".join(texts))
    (logs / "b.txt.gz").write_bytes(gzip.compress(texts[1].encode()))
    batch("a.txt", "b.txt.gz", "-o", "whole.jsonl", "--tools", "search")
    found = records(logs / "whole.jsonl")
    assert [(each["source"], each["line"], each["content"], each["n_calls"]) for each in found] == [
        ("a.txt", 1, "One.\nTwo.", 1),
        ("b.txt.gz", 1, "", 1),
    ]
    batch("a.txt", "b.txt.gz", "-o", "lines.jsonl", "--tools", "search", "--shape", "text")
    found = records(logs / "lines.jsonl")
    assert [(each["source"], each["line"], each["content"], each["n_calls"]) for each in found] == [
        ("a.txt", 1, "One.", 0),
        ("a.txt", 2, "Two.", 0),
        ("a.txt", 3, "", 1),
        ("b.txt.gz", 1, "", 1),
    ]


def test_folders_and_patterns_in_the_order_of_their_names(logs: Path) -> None:
    for name in ("b/2.jsonl", "b/10.jsonl", "b/.hidden.jsonl", "b/readme.md", "a/x.jsonl.gz", "a/.git/y.jsonl"):
        (logs / "deep" / name).parent.mkdir(parents=True, exist_ok=True)
        data = (line(1) + "\n").encode()
        (logs / "deep" / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    found = ["deep/a/x.jsonl.gz", "deep/b/10.jsonl", "deep/b/2.jsonl"]
    for number, names in enumerate((["deep"], ["deep/**/*.jsonl*"], ["deep/a", "deep/b/*.jsonl", "deep"])):
        batch(*names, "-o", f"{number}.jsonl", *PATHS)
        assert [each["source"] for each in records(logs / f"{number}.jsonl")] == found


def test_standard_input_is_jsonl(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    batch("-", "-o", "out.jsonl", *PATHS)
    assert without_lines(records(logs / "out.jsonl")) == expected("<stdin>", GOOD)


@pytest.mark.parametrize("shape", ["auto", "openai-batch", "messages", "otel"])
def test_the_logs_of_the_examples(logs: Path, shape: str) -> None:
    names = ["openai-batch", "messages", "otel"] if shape == "auto" else [shape]
    sources = [str(ROOT / "examples" / "logs" / f"{name}.jsonl") for name in names]
    tools = ["--tools", str(ROOT / "examples" / "tools.json")]
    batch(*sources, "-o", "out.jsonl", "--shape", shape, "--errors", "bad.jsonl", *tools)
    found = [(each["id"], each["format"], each["n_calls"]) for each in records(logs / "out.jsonl")]
    want = {
        "openai-batch": [
            ("order-1", "hermes", 1),
            ("order-2", "hermes", 2),
            ("order-3", "hermes", 1),
            ("order-5", "hermes", 2),
            ("order-6", "hermes", 1),
            ("order-7", "deepseek_v31", 2),
        ],
        "messages": [
            ("chat-1", "lfm2", 2),
            ("chat-1", None, 0),
            ("chat-2", "mistral", 2),
            ("chat-3", "kimi_k2", 2),
            ("chat-4", None, 0),
        ],
        "otel": [
            ("0000000000000001", "glm45", 1),
            ("0000000000000002", "fenced", 1),
            ("0000000000000003", "harmony", 1),
            ("0000000000000004", "bullet", 2),
        ],
    }
    assert found == [each for name in names for each in want[name]]
    bad = [row["line"] for row in records(logs / "bad.jsonl")]
    assert bad == ([4] if "openai-batch" in names else [])


def test_rows_with_their_own_tools(logs: Path) -> None:
    call = '<tool_call>{"name": "f", "arguments": {"n": "5"}}</tool_call>'
    schema = [{"name": "f", "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]
    rows = [{"response": call, "offered": schema}, {"response": call, "offered": json.dumps(["g"])}]
    (logs / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    batch("own.jsonl", "-o", "out.jsonl", "--text-path", "response", "--tools-path", "offered")
    first, second = records(logs / "out.jsonl")
    assert first["calls"][0]["arguments"] == '{"n":5}'
    assert (second["calls"], second["errors"][0]["code"]) == ([], "unknown_tool")


def test_the_reading_options_are_those_of_the_library(logs: Path) -> None:
    text = 'Hm.</think>Yes.<tool_call>{"name": "search", "arguments": {"q": "a"'
    (logs / "one.jsonl").write_text(json.dumps({"text": text}))
    options = {"format": "hermes", "prompt": "<think>", "cut": "drop", "max_bytes": 60}
    flags = [flag for name, value in options.items() for flag in ("--" + name.replace("_", "-"), str(value))]
    batch("one.jsonl", "-o", "out.jsonl", "--tools", "search", *flags)
    result = toolparse.parse_tool_calls(text.encode(), ["search"], ids="index", **options)
    (found,) = records(logs / "out.jsonl")
    assert (found["content"], found["reasoning"], found["truncated"]) == (result.text, result.reasoning, True)
    assert [error["code"] for error in found["errors"]] == [error.kind for error in result.errors] == ["cut"]


# ---------------------------------------------------------------- how it ends


def test_strict_and_max_errors(logs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    batch("log.jsonl", "-o", "strict.jsonl", *PATHS, "--strict", status=1)
    assert len(records(logs / "strict.jsonl")) == len(GOOD)
    capfd.readouterr()
    batch("log.jsonl", "-o", "most.jsonl", *PATHS, "--max-errors", "0", status=1)
    assert capfd.readouterr().err.splitlines()[-1] == "toolparse: stopped: more than 0 bad rows"
    assert not (logs / "most.jsonl").exists()
    batch("log.jsonl", "-o", "most.jsonl", *PATHS, "--max-errors", "1", "--resume")
    assert len(records(logs / "most.jsonl")) == len(GOOD)
    (logs / "fine.jsonl").write_bytes(log(4))
    batch("fine.jsonl", "-o", "fine.out.jsonl", *PATHS, "--strict", "--max-errors", "0")
    (logs / "error.jsonl").write_text(line(4))  # a reply with an error in it
    batch("error.jsonl", "-o", "error.out.jsonl", *PATHS, "--strict", status=1)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "the following arguments are required: IN, -o/--output"),
        (["log.jsonl"], "the following arguments are required: -o/--output"),
        (["log.jsonl", "-o", "out.csv"], "out.csv: the suffix says what is written"),
        (["log.jsonl", "-o", "o.jsonl", "--workers", "0"], "argument --workers: a number above 0 is wanted"),
        (["log.jsonl", "-o", "o.jsonl", "--workers", "two"], "argument --workers: a whole number is wanted"),
        (["log.jsonl", "-o", "o.jsonl", "--shape", "round"], "argument --shape: invalid choice: 'round'"),
        (
            ["log.jsonl", "-o", "o.jsonl", "--shape", "otel", "--text-path", "a"],
            "either --shape or --text-path, not both",
        ),
        (["log.jsonl", "-o", "o.jsonl", "--text-path", "a..b"], "text_path must be keys and indexes"),
        (["log.jsonl", "-o", "o.jsonl", "--format", "klingon"], "format: unknown name"),
        (["log.jsonl", "-o", "o.jsonl", "--tools", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["log.jsonl", "-o", "o.jsonl", "--errors", "o.jsonl"], "-o, --errors and --stats must be different files"),
        (["log.parquet", "-o", "o.jsonl", "--shape", "text"], "--shape text is for lines of text"),
    ],
)
def test_usage(logs: Path, capfd: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    assert main(["batch", *args]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("toolparse: ")
    assert said in err
    assert err.count("\n") == 1
    assert files(logs) == ["log.jsonl", "tools.json"]


@pytest.mark.parametrize(
    ("missing", "args", "said"),
    [
        ("pyarrow", ["log.jsonl", "-o", "o.arrow"], ".arrow needs pyarrow: pip install 'toolparse[arrow]'"),
        ("pyarrow", ["log.parquet", "-o", "o.jsonl"], ".parquet needs pyarrow: pip install 'toolparse[arrow]'"),
        ("zstandard", ["log.jsonl", "-o", "o.jsonl.zst"], "zstd needs zstandard: pip install 'toolparse[cli]'"),
        ("zstandard", ["log.jsonl.zst", "-o", "o.jsonl"], "zstd needs zstandard: pip install 'toolparse[cli]'"),
        (
            "ray",
            ["log.jsonl", "-o", "o.parquet", "--engine", "ray"],
            "--engine ray needs ray: pip install 'toolparse[ray]'",
        ),
    ],
)
def test_a_package_that_is_missing_is_named(
    logs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    missing: str,
    args: list[str],
    said: str,
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    batch(*args, status=2)
    assert capfd.readouterr().err.startswith(f"toolparse: {said} (")
    assert files(logs) == ["log.jsonl", "tools.json"]


def test_the_summary(logs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (logs / "log.jsonl").write_bytes(log(10, (3,)))
    assert main(["batch", "log.jsonl", "-o", "out.jsonl", *PATHS]) == 0
    first, last = capfd.readouterr().err.splitlines()
    assert first.startswith("toolparse: rows that could not be read: 1; the first: log.jsonl, line 4: not valid JSON")
    assert first.endswith(" (--errors FILE keeps them all)")
    assert last.startswith("toolparse: 9 replies (1 more could not be read), 5 calls, 1 of them repaired, 2 errors; ")
    assert last.endswith("/s) out.jsonl")
