"""C3 to C5: packed files that are damaged, and packed files that unpack to far too much."""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import zstandard
from _batch import PATHS, PROGRAM, folder, log, records, run

ROWS = 3000
PLAIN = log(ROWS)
GZ = gzip.compress(PLAIN, 6, mtime=0)
ZST = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(PLAIN)
EMPTY_GZ = gzip.compress(b"", mtime=0)
SKIPPED = struct.pack("<II", 0x184D2A50, 4) + b"skip"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return folder(tmp_path / "logs", 1, ())


def read(logs: Path, name: str, data: bytes) -> tuple[int, int, list[dict], str]:
    """Exit status, whole records from the beginning (checked), bad rows, what was said."""
    (logs / name).write_bytes(data)
    done = run(name, "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", cwd=logs)
    ids = [record["id"] for record in records(logs / "out.jsonl")]
    good = next((at for at, one in enumerate(ids) if one != f"r{at}"), len(ids))
    assert b"Traceback" not in done.stderr
    return done.returncode, good, records(logs / "bad.jsonl"), done.stderr.decode()


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def lines_before(data: bytes, name: str) -> int:
    """How many whole lines the reference programs' decoders give before they fail."""
    if name.endswith(".gz"):
        decoder = zlib.decompressobj(31)
        plain = b""
        try:
            for at in range(len(data)):
                plain += decoder.decompress(data[at : at + 1])
        except zlib.error:
            pass
        return plain.count(b"\n")
    decoder = zstandard.ZstdDecompressor().decompressobj()
    plain = b""
    try:
        for at in range(len(data)):
            plain += decoder.decompress(data[at : at + 1])
    except zstandard.ZstdError:
        pass
    return plain.count(b"\n")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("cut.jsonl.gz", GZ[: len(GZ) // 2], f"gzip data ends too early at byte {len(GZ) // 2:,}"),
        ("cut.jsonl.zst", ZST[: len(ZST) // 2], f"zstd data ends too early at byte {len(ZST) // 2:,}"),
    ],
)
def test_a_cut_file_gives_all_before_the_cut(logs: Path, name: str, data: bytes, said: str) -> None:
    status, good, bad, told = read(logs, name, data)
    whole = lines_before(data, name)
    assert (status, good, told) == (3, whole, f"toolparse: {name}: {said}\n")
    assert good > ROWS // 4
    assert [each["line"] for each in bad] in ([], [whole + 1])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("crc.jsonl.gz", flipped(GZ, len(GZ) - 6)),
        ("length.jsonl.gz", flipped(GZ, len(GZ) - 2)),
        ("crc.jsonl.zst", flipped(ZST, len(ZST) - 2)),
        ("tail.jsonl.gz", GZ + b"garbage behind the end"),
        ("tail.jsonl.zst", ZST + b"garbage behind the end"),
    ],
)
def test_damage_at_the_end_loses_no_line(logs: Path, name: str, data: bytes) -> None:
    status, good, bad, told = read(logs, name, data)
    assert (status, good, bad) == (3, ROWS, [])
    assert told.startswith(f"toolparse: {name}: ")
    assert " at byte " in told


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("name", "data"), [("flip.jsonl.gz", GZ), ("flip.jsonl.zst", ZST)])
def test_a_flipped_byte(logs: Path, name: str, data: bytes, share: float) -> None:
    damaged = flipped(data, int(len(data) * share))
    status, good, _, told = read(logs, name, damaged)
    assert status == 3
    assert " at byte " in told
    assert good >= int(ROWS * share * 0.5)  # lines that stand well before the flipped byte


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("members.jsonl.gz", gzip.compress(PLAIN[:9999]) + EMPTY_GZ + gzip.compress(PLAIN[9999:])),
        ("padded.jsonl.gz", GZ + b"\0" * 512),
        ("frames.jsonl.zst", zstandard.compress(PLAIN[:9999]) + SKIPPED + zstandard.compress(PLAIN[9999:])),
        ("first.jsonl.zst", SKIPPED + ZST),
    ],
)
def test_several_members_are_one_file(logs: Path, name: str, data: bytes) -> None:
    assert read(logs, name, data) == (0, ROWS, [], "")


@pytest.mark.parametrize("name", ["empty.jsonl.gz", "empty.jsonl.zst", "empty.jsonl"])
def test_an_empty_file_has_no_records(logs: Path, name: str) -> None:
    assert read(logs, name, b"") == (0, 0, [], "")


def test_a_window_or_a_dictionary_that_nobody_has(logs: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=30, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    status, good, _, told = read(logs, "window.jsonl.zst", packer.compress(PLAIN) + packer.flush())
    assert (status, good) == (3, 0)
    assert "too much memory" in told
    (logs / "out.jsonl").unlink()
    (logs / "bad.jsonl").unlink()
    known = zstandard.train_dictionary(4096, [PLAIN[at : at + 400] for at in range(0, 400_000, 400)])
    packed = zstandard.ZstdCompressor(dict_data=known).compress(PLAIN)
    status, good, _, told = read(logs, "dictionary.jsonl.zst", packed)
    assert (status, good) == (3, 0)
    assert "ictionary" in told


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_bomb_is_one_bad_row_and_memory_stays_flat(logs: Path, suffix: str, long: bool) -> None:
    """One line of zeros between two good ones, unpacked far beyond the limit of a line."""
    size = 10_000 << 20 if long else 400 << 20
    path = logs / f"bomb.jsonl.{suffix}"
    good = PLAIN[: PLAIN.index(b"\n") + 1]
    with gzip.open(path, "wb", 1) if suffix == "gz" else zstandard.open(path, "wb") as file:
        file.write(good)
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
        file.write(b"\n" + good)
    counted = "import resource, subprocess, sys; s = subprocess.run(sys.argv[1:]).returncode; print(s, "
    counted += "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    command = [*PROGRAM, path.name, "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", "--quiet"]
    done = subprocess.run([sys.executable, "-c", counted, *command], cwd=logs, capture_output=True, check=True)
    status, kibibytes = map(int, done.stdout.split())
    assert (status, done.stderr) == (0, b"")
    assert [record["line"] for record in records(logs / "out.jsonl")] == [1, 3]
    bad = records(logs / "bad.jsonl")
    assert [(each["line"], each["offset"]) for each in bad] == [(2, len(good))]
    assert "longer than 16777216 bytes" in bad[0]["reason"]
    assert kibibytes < 400 << 10


def test_damage_in_one_input_leaves_the_others(logs: Path) -> None:
    (logs / "a.jsonl.gz").write_bytes(GZ[: len(GZ) // 2])
    (logs / "b.jsonl").write_bytes(PLAIN)
    stats = ["--stats", "stats.json"]
    done = run("a.jsonl.gz", "b.jsonl", "-o", "out.jsonl", *PATHS, "--errors", "bad.jsonl", *stats, cwd=logs)
    assert done.returncode == 3
    assert [r["line"] for r in records(logs / "out.jsonl") if r["source"] == "b.jsonl"] == list(range(1, ROWS + 1))
    damaged = json.loads((logs / "stats.json").read_text())["damaged"]
    assert damaged == [{"source": "a.jsonl.gz", "offset": len(GZ) // 2, "reason": "gzip data ends too early"}]
