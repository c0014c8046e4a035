"""What the batch command is made of: cutting, counting, footers, plots, and the same over Ray."""

from __future__ import annotations

import html.parser
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import toolparse
from _batch import PATHS, TOOLS, folder, log, records
from toolparse import _core
from toolparse.batch import cluster, pieces, progress, svg
from toolparse.batch.columns import Parquet
from toolparse.batch.documents import document_pieces
from toolparse.batch.inputs import Input
from toolparse.batch.packed import Damaged, Source
from toolparse.batch.pieces import Piece, Place, line_pieces
from toolparse.batch.totals import Totals
from toolparse.cli import main


def until_damage(given: Iterator[Piece]) -> tuple[list[Piece], Damaged]:
    """What came before the damage, and the damage."""
    found: list[Piece] = []
    try:
        found.extend(iter(lambda: next(given), None))
    except Damaged as damage:
        return found, damage
    raise AssertionError("no damage")


def blocks(data: bytes, size: int, damage: Damaged | None = None) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]
    if damage:
        raise damage


# ---------------------------------------------------------------- lines

LINES = b"".join(b"x" * (number % 23) + b"\n" for number in range(200)) + b"the last"


def told(found: list[Piece]) -> list[Any]:
    return [(each.first, each.after, each.lines, each.bad) for each in found]


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_lines_are_cut_the_same_however_they_come(size: int) -> None:
    whole = list(line_pieces([LINES], Place(), 100, 50))
    assert b"".join(each.lines for each in whole) == LINES
    assert all(len(each.lines) <= 100 for each in whole)
    assert told(list(line_pieces(blocks(LINES, size), Place(), 100, 50))) == told(whole)


def test_cutting_goes_on_behind_any_piece_as_it_would_have() -> None:
    whole = list(line_pieces([LINES], Place(), 100, 50))
    for at, piece in enumerate(whole):
        rest = line_pieces([LINES[piece.after.offset :]], piece.after, 100, 50)
        assert told(list(rest)) == told(whole[at + 1 :])
    assert whole[-1].after == Place(202, len(LINES))


@pytest.mark.parametrize("data", [LINES, LINES + b"\n", b"", b"\n", b"\xef\xbb\xbf" + LINES, b"x" * 60 + b"\n" + LINES])
@pytest.mark.parametrize("tail", [1, 10, 1000])
def test_a_plain_file_is_cut_as_a_stream_is(monkeypatch: pytest.MonkeyPatch, data: bytes, tail: int) -> None:
    monkeypatch.setattr(pieces, "_TAIL", tail)
    for size, limit in ((100, 50), (30, 50), (100, 1000), (5, 1000), (1 << 20, 1 << 20)):
        found = list(pieces.file_pieces(Source(io.BytesIO(data)), Place(), size, limit))
        assert told(found) == told(list(line_pieces([data], Place(), size, limit)))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_long_line_is_passed_over(size: int) -> None:
    data = b"one\n" + b"x" * 51 + b"\n" + b"y" * 50 + b"\nlast"
    found = list(line_pieces(blocks(data, size), Place(), 100, 50))
    assert b"".join(each.lines for each in found) == b"one\n" + b"y" * 50 + b"\nlast"
    (bad,) = [row for each in found for row in each.bad]
    assert (bad.line, bad.offset, bad.reason) == (2, 4, "the line is longer than 50 bytes")
    assert found[-1].after == Place(5, len(data))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_damage_makes_the_line_that_it_breaks_a_bad_row(size: int) -> None:
    found, damage = until_damage(line_pieces(blocks(b"one\ntwo\nthr", size, Damaged(9, "gone")), Place(), 100, 50))
    assert (damage.offset, damage.reason) == (9, "gone")
    assert b"".join(each.lines for each in found) == b"one\ntwo\n"
    assert [(row.line, row.offset) for each in found for row in each.bad] == [(3, 8)]


# ---------------------------------------------------------------- documents

VALUES = [{"text": 'a "quoted" [é]\n', "n": [1, {"b": None}]}, 17, "text", [], {"deep": {"er": [[]]}}, -1.5e3, True]
DOCUMENTS = [
    json.dumps(VALUES),
    json.dumps(VALUES, indent=2, ensure_ascii=False),
    "".join(json.dumps(each) + "\n" for each in VALUES),
    "".join(json.dumps(each, indent=1) for each in VALUES),
    "\ufeff \r\n" + json.dumps(VALUES, ensure_ascii=False),
]


def values_of(data: bytes, size: int, limit: int = 10_000) -> tuple[list[Any], list[int | None]]:
    found = list(document_pieces(blocks(data, size), Place(), 40, limit))
    lines = [text for each in found for text in each.lines.split(b"\n")[:-1]]
    offsets = [offset for each in found for _, offset in sorted((each.offsets or {}).items())]
    return [json.loads(text) for text in lines if text], offsets


@pytest.mark.parametrize("document", DOCUMENTS)
def test_records_of_a_document_however_it_comes(document: str) -> None:
    data = document.encode()
    values, offsets = values_of(data, len(data))
    assert values == VALUES
    decoder = json.JSONDecoder()
    for value, offset in zip(values, offsets, strict=True):
        assert offset is not None
        assert decoder.raw_decode(data[offset:].decode())[0] == value
    for size in (1, 2, 3, 5, 50):
        assert values_of(data, size) == (values, offsets)


def test_a_document_goes_on_behind_any_piece() -> None:
    data = json.dumps(VALUES).encode()
    whole = list(document_pieces([data], Place(), 40, 1000))
    for at, piece in enumerate(whole):
        assert told(list(document_pieces([data], piece.after, 40, 1000))) == told(whole[at + 1 :])


def test_a_line_that_is_no_json_among_values() -> None:
    (piece,) = document_pieces([b'{"a": 1}\n{"a": oh no}\n{"a": 2}\n'], Place(), 1000, 1000)
    assert piece.lines.split(b"\n") == [b'{"a": 1}', b'{"a": oh no}', b'{"a": 2}', b""]
    assert piece.offsets == {1: 0, 2: 9, 3: 22}


@pytest.mark.parametrize(
    ("data", "reason", "offset"),
    [
        (b'[{"a": 1}, {"a": oh no}, {"a": 2}]', "not JSON", 11),
        (b'[{"a": 1}, {"a": 2}', "the array is not closed", 19),
        (b'[{"a": 1}, {"a": ', "not JSON", 11),
        (b'[{"a": 1}] x', "text behind the end of the array", 11),
    ],
)
def test_an_array_that_is_damaged_keeps_what_stood_before(data: bytes, reason: str, offset: int) -> None:
    found, damage = until_damage(document_pieces([data], Place(), 1000, 1000))
    assert (damage.reason, damage.offset) == (reason, offset)
    assert found[0].lines.startswith(b'{"a": 1}\n')


def test_a_record_beyond_the_limit_is_a_bad_row_with_its_place() -> None:
    data = json.dumps([{"a": 1}, {"a": "x" * 100}, {"a": 2}]).encode()
    (piece,) = document_pieces([data], Place(), 1000, 50)
    assert piece.lines == b'{"a": 1}\n\n{"a": 2}\n'
    assert [(row.line, row.offset) for row in piece.bad] == [(2, data.index(b'{"a": "x'))]


# ---------------------------------------------------------------- footers


@pytest.mark.parametrize("count", [1, 2, 40])
def test_parts_of_a_table_get_one_footer(count: int) -> None:
    reader = _core.BatchReader(None, text_path="t", output="arrow")
    encoding = Parquet()
    encoded = [
        encoding.encode([reader.lines(b'{"t": "a"}\n' * n, source="s", first_line=n, first_offset=0)])
        for n in range(count)
    ]
    data = b"".join(each.data for each in encoded)
    parts = [part for each in encoded for part in each.parts]
    assert len(parts) == count - 1  # a piece without rows is no part
    file = data + encoding.tail(lambda at, size: data[at : at + size], parts, len(data))
    read = pyarrow.parquet.ParquetFile(io.BytesIO(file))
    assert read.metadata.num_row_groups == len(parts)
    assert read.read()["line"].to_pylist() == [line for n in range(count) for line in range(n, 2 * n)]


def test_what_is_no_footer_is_refused() -> None:
    for files in ([], [(0, b"")], [(0, b"no footer")]):
        with pytest.raises(ValueError, match=r"."):
            _core.parquet_footer(files)


# ---------------------------------------------------------------- counts


def stats(rows: int, **tables: dict[str, int]) -> dict[str, Any]:
    counts = {"rows": rows, "bytes": 10 * rows, "calls": rows, "complete": rows, "repaired": 0, "errors": 0}
    return counts | {name: tables.get(name, {}) for name in ("by_format", "by_tool", "by_repair", "by_error")}


def test_the_course_of_a_log_is_kept_in_few_slices() -> None:
    totals = Totals()
    for number in range(1000):
        totals.add("log", [stats(1, by_repair={"closed_object": number})], 1)
    assert totals.whole["rows"] == totals.whole["bad_rows"] == 1000
    assert totals.width == 8
    assert [each["rows"] for each in totals.series] == [8] * 125
    assert totals.series[3]["by_repair"] == {"closed_object": sum(range(24, 32))}
    assert totals.whole["by_repair"] == {"closed_object": sum(range(1000))}
    again = Totals(json.loads(json.dumps(totals.saved())))
    for each in (totals, again):
        each.add("other", [stats(2)], 0)
    assert again.saved() == totals.saved()
    assert again.sources["other"]["rows"] == 2


def test_names_without_end_are_counted_together() -> None:
    totals = Totals()
    for number in range(1500):
        totals.add("log", [stats(1, by_tool={f"tool_{number}": 1})], 0)
    assert len(totals.whole["by_tool"]) == 1001
    assert totals.whole["by_tool"]["(others)"] == 500


def test_what_was_counted_apart_is_counted_together() -> None:
    one, two, whole = Totals(), Totals(), Totals()
    for number in range(200):
        for counts in (one if number < 120 else two, whole):
            counts.add("log", [stats(1, by_format={"hermes": 1})], number % 2)
    one.join(two)
    assert (one.whole, one.sources) == (whole.whole, whole.sources)
    assert sum(each["rows"] for each in one.series) == 200
    assert len(one.series) <= 128


# ---------------------------------------------------------------- what a person sees

COUNTS = {"rows": 1234, "calls": 5, "repaired": 1, "errors": 0, "bad_rows": 0}


def test_the_bar() -> None:
    assert progress.line(0, 50_000_000, 100_000_000, 2.0, COUNTS) == (
        "[############............]  50%  25 MB/s  2 s left  1,234 rows  5 calls  1 repaired  0 errors"
    )
    assert progress.line(0, 0, None, 0.0, COUNTS | {"bad_rows": 2}) == (
        "0 MB  0 MB/s  1,234 rows  5 calls  1 repaired  0 errors  2 bad rows"
    )
    assert progress.line(90, 90, 100, 5.0, COUNTS).split("  ")[2:4] == ["0 MB/s", "? left"]


def test_times_and_amounts() -> None:
    assert [progress.duration(each) for each in (0, 59.4, 61, 3599, 7261)] == [
        "0 s",
        "59 s",
        "1 min 1 s",
        "59 min 59 s",
        "2 h 1 min",
    ]
    assert [progress.amount(each) for each in (7, 1500, 2e6, 3.25e9)] == ["7 bytes", "1.5 kB", "2.0 MB", "3.2 GB"]


@pytest.mark.parametrize(("value", "top"), [(0, 1), (0.3, 0.4), (1, 1), (7, 8), (33.4, 40), (100, 100), (101, 200)])
def test_the_top_of_an_axis_reads_well(value: float, top: float) -> None:
    assert svg.nice(value) == pytest.approx(top)


class Page(html.parser.HTMLParser):
    """The tags of a page, checked to be closed in order, and its text."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.outside: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder(tmp_path / "logs", 6000, (7,)))
    assert main(["batch", "log.jsonl", "-o", "out.jsonl", *PATHS, "--stats", "stats.json", "--quiet"]) == 0
    return tmp_path / "logs"


def test_the_counts_of_a_run(logs: Path) -> None:
    counts = json.loads((logs / "stats.json").read_text())
    found = records(logs / "out.jsonl")
    calls = [call for each in found for call in each["calls"]]
    assert counts["rows"] == 5999
    assert counts["bad_rows"] == 1
    assert counts["calls"] == len(calls)
    assert counts["complete"] == sum(call["complete"] for call in calls)
    assert counts["repaired"] == sum(call["repaired"] for call in calls)
    assert counts["by_tool"] == {"search": len(calls)}
    assert counts["by_error"] == {"unknown_tool": 1200}
    assert counts["sources"] == {"log.jsonl": {name: counts[name] for name in (*COUNTS, "bytes", "complete")}}
    assert counts["damaged"] == []
    assert len(counts["series"]) > 3
    assert sum(each["rows"] for each in counts["series"]) == 5999


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet"])
def test_records_are_counted_again(logs: Path, suffix: str, capfd: pytest.CaptureFixture[str]) -> None:
    if suffix != ".jsonl":
        assert main(["batch", "log.jsonl", "-o", f"out{suffix}", *PATHS, "--quiet"]) == 0
    capfd.readouterr()
    assert main(["stats", f"out{suffix}", "--json"]) == 0
    again = json.loads(capfd.readouterr().out)
    counts = json.loads((logs / "stats.json").read_text())
    for name in ("rows", "calls", "complete", "repaired", "errors", "by_format", "by_tool", "by_repair", "by_error"):
        assert again[name] == counts[name]
    assert len(again["series"]) == 12


def test_counts_as_tables(logs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "stats.json"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("counted     number  share\nreplies     5,999\ncalls       3,599\n")
    assert "\nerrors        number  share\nunknown_tool  1,200   100.0%\n" in out
    assert "\nbad rows    1\n" in out


def test_counts_as_a_page(logs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    counts = json.loads((logs / "stats.json").read_text())
    counts["by_tool"]['<script>"&\x1b'] = 3
    counts["sources"]["<b>"] = counts["sources"]["log.jsonl"]
    (logs / "stats.json").write_text(json.dumps(counts))
    assert main(["stats", "stats.json", "--html", "page.html"]) == 0
    assert capfd.readouterr() == ("", "")
    text = (logs / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.outside == []
    assert "script" not in page.tags
    assert page.tags.count("svg") == 7  # three along the log, four of bars
    assert '<script>"&\N{REPLACEMENT CHARACTER}' in page.text
    for shown in ("5,999", "3,599", "closed_object", "unknown_tool", "1 rows could not be read", "log.jsonl"):
        assert shown in page.text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("no.json", "{}", "no.json: neither a stats file nor the output of 'toolparse batch'"),
        ("no.jsonl", '{"a": 1}\n', "no.jsonl: neither a stats file nor the output of 'toolparse batch'"),
        ("no.txt", "text", "no.txt: neither a stats file nor the output of 'toolparse batch'"),
        ("no.csv", "a,b", "no.csv: what is in it cannot be told from its name"),
        ("missing.json", None, "missing.json: No such file or directory"),
        ("missing.jsonl", None, "missing.jsonl: No such file or directory"),
    ],
)
def test_what_has_no_counts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
    data: str | None,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if data is not None:
        Path(name).write_text(data)
    assert main(["stats", name]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"toolparse: {said}")


def test_a_page_that_cannot_be_written(logs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "stats.json", "--html", "nowhere/page.html"]) == 4
    assert capfd.readouterr().err == "toolparse: nowhere/page.html: No such file or directory\n"
    assert main(["stats", "stats.json", "--html", "stats.json"]) == 2
    assert json.loads((logs / "stats.json").read_text())["rows"] == 5999


# ---------------------------------------------------------------- Ray


class Dataset:
    """As much of ``ray.data.Dataset`` as is used: maps one table."""

    def __init__(self, table: pyarrow.Table) -> None:
        self.table = table

    def map_batches(self, fn: Any, *, fn_kwargs: dict[str, Any], **options: Any) -> Dataset:
        assert options == {"batch_format": "pyarrow", "zero_copy_batch": True, "batch_size": 4096, "concurrency": 2}
        assert json.loads(json.dumps(fn_kwargs)) == fn_kwargs  # so it can be sent anywhere
        return Dataset(fn(self.table, **fn_kwargs))


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    modules = {name: ModuleType(name) for name in ("ray", "ray.data")}
    modules["ray.data"].Dataset = Dataset  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return modules["ray"]


REPLIES = ["Hi.", None, '<tool_call>{"name": "search", "arguments": {"n": "2"}}</tool_call>']


def test_rows_of_a_dataset_keep_their_columns(ray: ModuleType) -> None:
    from toolparse.integrations.ray import parse

    table = pyarrow.table({"id": [1, 2, 3], "response": REPLIES})
    parsed = parse(Dataset(table), column="response", tools=TOOLS, concurrency=2).table
    assert parsed.column_names[0] == "id"
    assert "response" not in parsed.column_names
    rows = parsed.to_pylist()
    assert [row["id"] for row in rows] == [1, 2, 3]
    assert [row["content"] for row in rows] == ["Hi.", None, ""]
    assert [row["n_calls"] for row in rows] == [0, None, 1]
    assert rows[2]["calls"][0]["arguments"] == '{"n":2}'
    with pytest.raises(ValueError, match="keep: the result has columns of these names too: content"):
        parse(Dataset(table.append_column("content", [REPLIES])), column="response", concurrency=2)
    with pytest.raises(TypeError, match="tools: definitions or names are wanted"):
        parse(Dataset(table), column="response", tools=toolparse.Tools(TOOLS))


def test_ray_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolparse.integrations.ray import parse

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install ray\[data\]"):
        parse(None, column="a")


def test_a_long_file_is_dealt_out_at_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = log(500)
    (tmp_path / "log.jsonl").write_bytes(data)
    monkeypatch.setattr(cluster, "_SHARE", 10_000)
    ranges = list(cluster._ranges(Input(str(tmp_path / "log.jsonl"), "lines")))
    assert len(ranges) == len(data) // 10_000 + 1
    ends = [end for _, end in ranges]
    assert ends[-1] is None
    assert [first.offset for first, _ in ranges] == [0, *ends[:-1]]
    for first, _ in ranges:
        assert data[: first.offset].count(b"\n") + 1 == first.line
        assert first.offset == 0 or data[first.offset - 1 : first.offset] == b"\n"
    assert list(cluster._ranges(Input("log.jsonl.gz", "lines", "gz"))) == [(Place(), None)]


# ---------------------------------------------------------------- what the docs say


def test_the_docs_name_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    docs = (Path(__file__).parent.parent / "docs" / "batch.md").read_text(encoding="utf-8")
    assert main(["batch", "--help"]) == 0
    options = {word.strip("[],") for word in capsys.readouterr().out.split() if word.startswith(("--", "[--"))}
    named = {word for word in docs.replace("`", " ").replace(":", " ").split() if word.startswith("--")}
    assert named - options == {"--html"}
    for shape in ("openai-batch", "messages", "sharegpt", "langfuse", "langsmith", "otel", "text", "auto"):
        assert f"| `{shape}`" in docs


def test_the_block_of_the_docs_gives_what_it_says() -> None:
    docs = (Path(__file__).parent.parent / "docs" / "batch.md").read_text(encoding="utf-8")
    block = docs.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    shown = 0
    for text in block.splitlines():
        code, _, said = text.partition("  # → ")
        if said:
            assert repr(eval(code, names)) == said
            shown += 1
        else:
            exec(code, names)
    assert shown == 2
