"""A run on a Ray cluster: the inputs are dealt out, each share becomes a file of its own in the folder OUT.

All machines must see the inputs and OUT under the same names. A share that is finished has its file and, beside it,
what was counted; a run that goes on leaves those shares out.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from toolparse import _core
from toolparse.batch import inputs, pipeline, resume
from toolparse.batch.encodings import encoding
from toolparse.batch.extras import need
from toolparse.batch.partfile import OutputFailed, PartFile
from toolparse.batch.pieces import BadRow, Place
from toolparse.batch.plan import STDOUT, Plan, Refused
from toolparse.batch.progress import summary
from toolparse.batch.run import error_line
from toolparse.batch.signals import Signals
from toolparse.batch.totals import Totals, document

_SHARE = 256 << 20  # bytes of a JSONL file
_PATIENCE = 0.2  # seconds
_BLOCK = 1 << 22  # bytes


@dataclass(frozen=True, slots=True)
class Share:
    """The part of an input from ``first`` to the byte ``end`` (None: to its end), written to ``path``."""

    input: inputs.Input
    first: Place
    end: int | None
    path: str


def run(plan: Plan, tools: Any, options: dict[str, Any], say: Callable[[str], None]) -> int:
    """As :func:`toolparse.batch.run.run`; ``tools`` and ``options`` make the native reader in each process."""
    if plan.output == STDOUT or any(each.name == inputs.STDIN for each in plan.inputs):
        raise Refused("--engine ray needs files that all machines see: no standard input or output")
    for name in (plan.errors, plan.stats):
        if name and os.path.lexists(name) and not plan.force and not plan.resume:
            raise Refused(f"{name} exists (--force writes over it)")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = need("ray", "ray", "--engine ray")
    try:
        os.makedirs(plan.output, exist_ok=True)
    except OSError as error:
        raise OutputFailed(f"{plan.output}: {error.strerror or error}") from error
    with contextlib.ExitStack() as stack:
        signals = stack.enter_context(Signals())
        claim = stack.enter_context(PartFile(os.path.join(plan.output, "_run.json")))
        _begin(plan, claim)
        begin = time.monotonic()
        shares = list(_shares(plan))
        todo = [share for share in shares if not os.path.exists(_notes(share))]
        if todo:
            _start(ray, plan.workers)
            stack.callback(ray.shutdown)
            _carry_out(ray, plan, todo, (tools, options), signals)
        return _finish(plan, claim, [_told(share) for share in shares], time.monotonic() - begin, say)


def _begin(plan: Plan, claim: PartFile) -> None:
    """Claims the folder, empties it if it is to be begun anew, and notes whose it is."""
    identity = {"options": plan.options, "inputs": [inputs.identity(each) for each in plan.inputs]}
    saver = resume.Saver(resume.path_of(claim.name), identity, [claim])
    written = [name for name in sorted(os.listdir(plan.output)) if name.startswith("part-")]
    if plan.resume:
        resume.load(saver.path, identity)
        if written and not os.path.exists(saver.path):
            raise Refused(f"{plan.output} has no state: it cannot be resumed (--force begins anew)")
    elif written and not plan.force:
        raise Refused(f"{plan.output} has files in it (--resume goes on, --force begins anew)")
    else:
        for name in written:
            os.unlink(os.path.join(plan.output, name))
    saver.save(None)


def _shares(plan: Plan) -> Iterator[Share]:
    number = 0
    for each in plan.inputs:
        for first, end in _ranges(each):
            yield Share(each, first, end, os.path.join(plan.output, f"part-{number:06d}{plan.suffix}"))
            number += 1


def _ranges(each: inputs.Input) -> Iterator[tuple[Place, int | None]]:
    """A long JSONL file is cut at line ends; to number the lines of a share, those before it have to be counted."""
    size = inputs.size(each) or 0
    first, end = Place(), _SHARE
    if each.kind == "lines" and not each.packing:
        with contextlib.suppress(OSError), open(each.name, "rb") as file:
            while end < size:
                after = _line_end(file, first, end)
                if after.offset >= size:
                    break
                yield first, after.offset
                first, end = after, after.offset + _SHARE
    yield first, None


def _line_end(file: Any, first: Place, end: int) -> Place:
    """The first place at or behind byte ``end`` where a line begins."""
    file.seek(first.offset)
    line, at = first.line, first.offset
    while at < end:
        block = file.read(min(_BLOCK, end - at))
        if not block:
            return Place(line, at)
        line += block.count(b"\n")
        at += len(block)
    rest = file.readline()
    return Place(line + rest.endswith(b"\n"), at + len(rest))


def _start(ray: Any, workers: int) -> None:
    if ray.is_initialized():
        return
    if "RAY_ADDRESS" in os.environ:
        ray.init(log_to_driver=False)
    else:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, object_store_memory=300 << 20)


def _carry_out(ray: Any, plan: Plan, todo: list[Share], reader: tuple[Any, Any], signals: Signals) -> None:
    """Has the shares read, in any order. Raises :class:`OutputFailed`."""
    task = ray.remote(num_cpus=1)(read_share)
    under_way = [task.remote(share, plan.reading, plan.suffix, *reader) for share in todo]
    while under_way:
        signals.check()
        ready, under_way = ray.wait(under_way, timeout=_PATIENCE)
        try:
            problems = [problem for problem in ray.get(ready) if problem is not None]
        except ray.exceptions.RayError as error:
            problems = [f"{plan.output}: {' '.join(str(error).split())}"]
        if problems:
            raise OutputFailed(problems[0])


def _told(share: Share) -> dict[str, Any]:
    """What was counted in a share that is finished."""
    with open(_notes(share), encoding="utf-8") as file:
        notes: dict[str, Any] = json.load(file)
    return notes


def read_share(share: Share, reading: inputs.Reading, suffix: str, tools: Any, options: dict[str, Any]) -> str | None:
    """What Ray runs: writes the file of a share and its notes. Returns why it could not, if so."""
    reader = _reader(json.dumps(tools), json.dumps(options))
    encoded = encoding(suffix)
    totals, bad, damaged, parts = Totals(), list[BadRow](), list[dict[str, Any]](), list[Any]()
    source = share.input.source
    try:
        with PartFile(share.path) as out:
            out.cut(0)
            out.write(encoded.head)
            for each in pipeline.work([share.input], 0, share.first, reading):
                if isinstance(each.item, pipeline.Trouble):
                    damaged.append({"source": source, "offset": each.item.offset, "reason": each.item.reason})
                    continue
                done = pipeline.do(reader, source, encoded, each)
                out.write(done.encoded.data)
                parts += done.encoded.parts
                bad += done.bad
                totals.add(source, done.stats, len(done.bad))
                if share.end is not None and each.item.after.offset >= share.end:
                    break
            out.write(encoded.tail(out.read, parts, out.size))
            out.publish()
        notes = {"totals": totals.saved(), "bad": [asdict(row) for row in bad], "damaged": damaged, "source": source}
        with PartFile(_notes(share)) as file:
            file.cut(0)
            file.write(json.dumps(notes).encode())
            file.publish()
    except OutputFailed as error:
        return str(error)
    return None


@lru_cache(maxsize=1)
def _reader(tools: str, options: str) -> Any:
    return _core.BatchReader(json.loads(tools), **json.loads(options))


def _notes(share: Share) -> str:
    return share.path + ".notes"


def _finish(plan: Plan, claim: PartFile, told: list[dict[str, Any]], seconds: float, say: Callable[[str], None]) -> int:
    totals = Totals()
    for each in told:
        totals.join(Totals(each["totals"]))
    damaged = [damage for each in told for damage in each["damaged"]]
    for damage in damaged:
        say(f"{damage['source']}: {damage['reason']}")
    if plan.errors:
        _write(plan.errors, b"".join(error_line(each["source"], BadRow(**row)) for each in told for row in each["bad"]))
    text = json.dumps(document(totals, damaged, round(seconds, 3)), ensure_ascii=False, indent=1).encode() + b"\n"
    if plan.stats:
        _write(plan.stats, text)
    claim.cut(0)
    claim.write(text)
    claim.publish()
    if not plan.quiet:
        say(summary(totals.whole, totals.whole["bytes"], seconds, plan.output))
    if damaged:
        return 3
    return int(plan.strict and totals.whole["bad_rows"] + totals.whole["errors"] > 0)


def _write(name: str, data: bytes) -> None:
    with PartFile(name) as file:
        file.cut(0)
        file.write(data)
        file.publish()
