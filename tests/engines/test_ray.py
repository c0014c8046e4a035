"""A real Ray on two processors: rows of a dataset, checkpoints, and the command line with ``--engine ray``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from _batch import PATHS, TOOLS, folder, records, reply
from toolparse.cli import main

pytestmark = pytest.mark.engines
ROWS = 4000


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=300 << 20, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_rows_and_checkpoints(tmp_path: Path, ray: object) -> None:
    import pyarrow
    import pyarrow.parquet
    import ray.data
    from toolparse.integrations.ray import checkpoint, parse

    (tmp_path / "in").mkdir()
    for part in range(4):
        numbers = range(part * ROWS // 4, (part + 1) * ROWS // 4)
        table = pyarrow.table({"id": list(numbers), "response": [reply(number) for number in numbers]})
        pyarrow.parquet.write_table(table, tmp_path / "in" / f"{part}.parquet")
    checkpoint(str(tmp_path / "done"), id_column="id")
    for source in (tmp_path / "in" / "0.parquet", tmp_path / "in"):  # the second run leaves out what the first wrote
        parse(ray.data.read_parquet(str(source)), column="response", tools=TOOLS).write_parquet(str(tmp_path / "out"))
    found = pyarrow.parquet.read_table(tmp_path / "out").sort_by("id").to_pylist()
    assert [row["id"] for row in found] == list(range(ROWS))
    assert [row["n_calls"] for row in found] == [int(number % 5 in (1, 2, 3)) for number in range(ROWS)]


@pytest.mark.filterwarnings("ignore")
def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder(tmp_path / "logs", ROWS, (7,)))
    assert main(["batch", "log.jsonl", "-o", "want.jsonl", *PATHS, "--errors", "want.bad", "--quiet"]) == 0
    command = ["batch", "log.jsonl", "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", "--engine", "ray"]
    assert main([*command, "--workers", "2", "--quiet"]) == 0
    parts = sorted(Path("out.jsonl").glob("part-*.jsonl"))
    assert b"".join(part.read_bytes() for part in parts) == Path("want.jsonl").read_bytes()
    assert records(Path("bad.jsonl")) == records(Path("want.bad"))
    assert json.loads(Path("out.jsonl/_run.json").read_text())["rows"] == ROWS - 1
    assert main([*command, "--quiet"]) == 2
    assert main([*command, "--resume", "--quiet"]) == 0
