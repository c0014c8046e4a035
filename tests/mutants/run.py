"""Tests the tests: switches on one small fault at a time and says which test fails.

    python tests/mutants/run.py [NUMBER...]

Works on a copy of the sources in a temporary folder: every fault is compiled in at once, behind a switch that the
environment variable MUTANT sets, so there is one build. A fault that no test notices is printed as `survived`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
FAULTS = json.loads((Path(__file__).parent / "faults.json").read_text(encoding="utf-8"))
TESTS = ("json_suite", "tags", "fixtures", "invariants", "properties", "work", "places", "fuzz_corpus")
SWITCH = """
/// Whether a fault is switched on.
#[must_use]
pub fn mutant(number: usize) -> bool {
    static ON: std::sync::LazyLock<Option<usize>> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").ok()?.parse().ok());
    *ON == Some(number)
}
"""


def copy(to: Path) -> None:
    for name in ("src", "tests", "docs", "fuzz", "benches"):
        shutil.copytree(
            HERE / name, to / name, ignore=shutil.ignore_patterns("target", "__pycache__", "artifacts", "found")
        )
    for name in ("Cargo.toml", "Cargo.lock", "README.md"):
        shutil.copy(HERE / name, to / name)
    for number, fault in enumerate(FAULTS, 1):
        path = to / fault["file"]
        source = path.read_text(encoding="utf-8")
        if fault["old"] not in source:
            raise SystemExit(f"{number}: {fault['file']} has no {fault['old']!r} any more")
        new = re.sub(r"\bM\b", f"crate::mutant({number})", fault["new"])
        path.write_text(source.replace(fault["old"], new, 1), encoding="utf-8")
    with (to / "src/lib.rs").open("a", encoding="utf-8") as lib:
        lib.write(SWITCH)


def build(at: Path) -> list[str]:
    """The test programs, the unit tests first."""
    names = [part for name in TESTS for part in ("--test", name)]
    options = ["--message-format=json", "--config", "profile.test.opt-level=1"]
    command = ["cargo", "test", "--no-run", "--lib", *names, *options]
    done = subprocess.run(command, cwd=at, stdout=subprocess.PIPE, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    programs = {one["target"]["name"]: one["executable"] for one in found if one.get("executable")}
    return [programs[name] for name in ("toolparse", *TESTS)]


def killer(at: Path, programs: list[str], number: int) -> str | None:
    """The first test that fails, or what else went wrong."""
    for program in programs:
        name = Path(program).name.rpartition("-")[0]
        run = [program, "-q"]
        try:
            done = subprocess.run(
                run,
                cwd=at,
                env={**os.environ, "MUTANT": str(number)},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{name}: never ended"
        if done.returncode:
            failed = re.findall(r"^---- (\S+)", done.stdout, re.MULTILINE)
            return f"{name}: {failed[0] if failed else done.returncode}"
    return None


def main() -> None:
    numbers = [int(text) for text in sys.argv[1:]] or range(1, len(FAULTS) + 1)
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        copy(at)
        programs = build(at)
        if failed := killer(at, programs, 0):
            raise SystemExit(f"without a fault: {failed}")
        for number in numbers:
            failed = killer(at, programs, number)
            print(number, FAULTS[number - 1]["what"], "|", failed or "survived", flush=True)


if __name__ == "__main__":
    main()
