"""Makes a small corpus: pick.py PROGRAM CORPUS MORE... leaves in CORPUS what reaches most of the code in few bytes.

libFuzzer's merge says what each input reaches. Of that the input that adds most for its size is taken, again and again.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_FILES = 250
MOST_BYTES = 120_000
LONGEST = 2000


def reached(program: str, folders: list[str]) -> dict[Path, set[str]]:
    """What each input reaches: branches of the code, and how often they were taken."""
    with tempfile.TemporaryDirectory() as folder:
        control = Path(folder, "control")
        kept = Path(folder, "kept")
        kept.mkdir()
        options = ["-merge=1", "-verbosity=0", f"-merge_control_file={control}"]
        subprocess.run([program, *options, str(kept), *folders], check=True)
        lines = control.read_text().splitlines()
    files = [Path(line) for line in lines[2 : 2 + int(lines[0])]]
    found: dict[Path, set[str]] = {}
    for line in lines:
        if match := re.match(r"(FT|COV) (\d+) (.*)", line):
            kind, number, features = match.groups()
            found.setdefault(files[int(number)], set()).update(f"{kind}{feature}" for feature in features.split())
    return found


def picked(found: dict[Path, set[str]]) -> dict[str, bytes]:
    """The inputs to keep, by name."""
    texts = {file: file.read_bytes() for file in found}
    left = {file: features for file, features in found.items() if len(texts[file]) <= LONGEST}
    covered: set[str] = set()
    kept: dict[str, bytes] = {}
    size = 0
    while left and len(kept) < MOST_FILES:
        best = max(left, key=lambda file: (len(left[file] - covered) / (len(texts[file]) + 50), texts[file]))
        new = left.pop(best) - covered
        if not new:
            break
        if size + len(texts[best]) <= MOST_BYTES:
            covered |= new
            size += len(texts[best])
            kept[hashlib.sha1(texts[best], usedforsecurity=False).hexdigest()] = texts[best]
    everything = set().union(*found.values())
    print(f"{len(kept)} of {len(found)} inputs, {size} bytes, {len(covered)} of {len(everything)} features")
    return kept


def main() -> None:
    program, corpus, *more = sys.argv[1:]
    kept = picked(reached(program, [corpus, *more]))
    for file in Path(corpus).iterdir():
        file.unlink()
    for name, text in kept.items():
        Path(corpus, name).write_bytes(text)


if __name__ == "__main__":
    main()
