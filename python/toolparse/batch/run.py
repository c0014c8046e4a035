"""One run from beginning to end: files claimed, pieces written in order, moments saved, outcome told."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from toolparse.batch import inputs, pipeline, resume
from toolparse.batch.claims import Claims, claim, finish, is_finished
from toolparse.batch.encodings import Encoding, encoding
from toolparse.batch.partfile import OutputFailed, PartFile
from toolparse.batch.pieces import BadRow, Place
from toolparse.batch.plan import STDOUT, Plan, Refused
from toolparse.batch.progress import Bar, summary
from toolparse.batch.signals import Signals, Stopped
from toolparse.batch.stdout import Stdout
from toolparse.batch.totals import Totals, document

# glibc's malloc keeps memory for later that it would hand back to the system, up to twice the largest piece that was
# ever let go of. This is the largest that it learns from; it is never touched, and so takes no memory.
_KEPT = 31 << 20


@dataclass(slots=True)
class Moment:
    """As far as the run has come, with everything up to there in the files."""

    input: int = 0
    place: Place = field(default_factory=Place)
    size: int = 0
    errors_size: int = 0
    parts: list[Any] = field(default_factory=list)


def run(plan: Plan, reader: Any, say: Callable[[str], None]) -> int:
    """Reads the inputs into the output and returns the exit status: 0, 1 or 3. ``say`` tells a person one line.

    Raises :class:`Refused`, ``CannotResume``, ``MissingExtra``, ``InUse``, ``OutputFailed``, ``Stopped``, and
    ``BrokenPipeError`` when standard output has been closed by its reader.
    """
    bytearray(_KEPT)
    with contextlib.ExitStack() as stack:
        signals = stack.enter_context(Signals())
        encoded = encoding(plan.suffix)
        claims = claim(plan, stack)
        if plan.resume and is_finished(claims):
            return finish(plan, claims, say)
        this = _Run(plan, encoded, signals, say, claims)
        this.begin()
        return this.go(reader)


def _saver(plan: Plan, claims: Claims) -> resume.Saver | None:
    if claims.output is None:
        return None
    identity = {"options": plan.options, "inputs": [inputs.identity(each) for each in plan.inputs]}
    files = [claims.output, claims.errors] if claims.errors else [claims.output]
    return resume.Saver(resume.path_of(plan.output), identity, files)


class _Run:
    """The state of a run. Only the caller's thread is in here."""

    def __init__(
        self, plan: Plan, encoded: Encoding, signals: Signals, say: Callable[[str], None], claims: Claims
    ) -> None:
        self.plan, self.encoding, self.signals, self.say = plan, encoded, signals, say
        self.out = claims.output or Stdout(signals)
        self.errors, self.stats = claims.errors, claims.stats
        self.saver = _saver(plan, claims)
        self.moment = Moment()
        self.totals = Totals()
        self.bytes_before = 0
        self.damaged: list[dict[str, Any]] = []
        self.first_bad: str | None = None
        sizes = [inputs.size(each) for each in plan.inputs]
        self.stored = [0, *accumulate(size or 0 for size in sizes)]
        self.bar = Bar(None if None in sizes else self.stored[-1], quiet=plan.quiet)

    def begin(self) -> None:
        """Goes to where a stopped run can go on, or to the beginning of empty files."""
        if self.errors and not self.saver:
            self.errors.cut(0)
        if not self.saver:
            return
        assert isinstance(self.out, PartFile)
        progress = None
        if self.plan.resume and self.out.size:
            progress = resume.load(self.saver.path, self.saver.identity)
            if progress is None and not resume.just_begun(self.saver.path):
                raise Refused(f"{self.out.path} has no state beside it: it cannot be resumed (--force begins anew)")
        if progress is not None:
            self._go_back(progress)
            return
        self.out.cut(0)
        if self.errors:
            self.errors.cut(0)
        resume.forget(self.saver.path)
        self.saver.save(None)

    def _go_back(self, progress: resume.Progress) -> None:
        assert isinstance(self.out, PartFile)
        for file, size in ((self.out, progress.size), (self.errors, progress.errors_size)):
            if file and file.size < size:
                raise Refused(f"{file.path} is shorter than it was: it cannot be resumed (--force begins anew)")
            if file:
                file.cut(size)
        place = Place(progress.line, progress.offset)
        parts = [tuple(part) for part in progress.parts]
        self.moment = Moment(progress.input, place, progress.size, progress.errors_size, parts)
        self.totals = Totals(progress.totals)
        self.damaged = progress.damaged
        self.bytes_before = self.totals.whole["bytes"]
        self.bar.begin(self.stored[progress.input])

    def go(self, reader: Any) -> int:
        """The whole way. When it does not come to the end, the files are left so that it can be resumed."""
        plan, moment = self.plan, self.moment
        threads = pipeline.Threads(reader, plan.inputs, self.encoding, plan.workers, self.signals.check)
        todo = self.signals.each(pipeline.work(plan.inputs, moment.input, moment.place, plan.reading))
        try:
            if not moment.size:
                self._write_head()
            for done in threads.done(todo):
                self._take(done)
                if plan.max_errors is not None and self.totals.whole["bad_rows"] > plan.max_errors:
                    return self._too_many()
            self.signals.check()
            return self._finish()
        except (Stopped, OutputFailed):
            self._leave()
            raise
        except BrokenPipeError:
            if self.errors:
                self.errors.publish()
            raise
        finally:
            threads.close()
            self.bar.close()

    def _write_head(self) -> None:
        self.out.write(self.encoding.head)
        self._reached(0, Place())

    def _take(self, done: pipeline.Done) -> None:
        number, item = done.work.input, done.work.item
        source = self.plan.inputs[number].source
        if isinstance(item, pipeline.Trouble):
            self._note_damage(source, item)
            self._reached(number + 1, Place())
            return
        self.out.write(done.encoded.data)
        self._keep_bad(source, done.bad)
        self.moment.parts += done.encoded.parts
        self.totals.add(source, done.stats, len(done.bad))
        self._reached(number, item.after)
        self.bar.update(self.stored[number] + item.raw, self.totals.whole)

    def _reached(self, number: int, place: Place) -> None:
        moment = self.moment
        moment.input, moment.place, moment.size = number, place, self.out.size
        moment.errors_size = self.errors.size if self.errors else 0
        if self.saver:
            self.saver.offer(self._progress)

    def _progress(self) -> resume.Progress:
        now = self.moment
        sizes = (now.size, now.errors_size)
        return resume.Progress(
            now.input, now.place.line, now.place.offset, *sizes, now.parts, self.totals.saved(), self.damaged
        )

    def _note_damage(self, source: str, trouble: pipeline.Trouble) -> None:
        self.damaged.append({"source": source, "offset": trouble.offset, "reason": trouble.reason})
        self.bar.close()
        where = f" at byte {trouble.offset:,}" if trouble.offset else ""
        self.say(f"{source}: {trouble.reason}{where}")

    def _keep_bad(self, source: str, bad: list[BadRow]) -> None:
        if not bad:
            return
        self.first_bad = self.first_bad or f"{source}, line {bad[0].line}: {bad[0].reason}"
        if self.errors:
            self.errors.write(b"".join(error_line(source, row) for row in bad))

    def _leave(self) -> None:
        """Whole lines, and a state that says where they end. What cannot be written now was saved before."""
        if isinstance(self.out, Stdout):
            return
        with contextlib.suppress(OutputFailed):
            self.out.cut(self.moment.size)
        if self.errors:
            with contextlib.suppress(OutputFailed):
                self.errors.cut(self.moment.errors_size)
        if self.saver:
            with contextlib.suppress(OutputFailed):
                self.saver.save(self._progress())

    def _too_many(self) -> int:
        self._leave()
        self.bar.close()
        self._tell_bad()
        self.say(f"stopped: more than {self.plan.max_errors} bad rows")
        return 1

    def _finish(self) -> int:
        if self.saver:
            self.saver.wait()
        self.bar.close()
        if isinstance(self.out, PartFile) and self._nothing_opened():
            self.out.cut(0)
            self.out.discard()
            if self.errors:
                self.errors.discard()
            resume.forget(resume.path_of(self.plan.output))
            return 3
        self.out.write(self.encoding.tail(self.out.read, self.moment.parts, self.out.size))
        self._write_stats()
        if self.errors:
            self.errors.sync()
        if isinstance(self.out, PartFile):
            self.out.publish()
        if self.errors:
            self.errors.publish()
        if self.saver:
            resume.forget(self.saver.path)
        self._tell_bad()
        if not self.plan.quiet:
            name = "<stdout>" if self.plan.output == STDOUT else self.plan.output
            size = self.totals.whole["bytes"] - self.bytes_before
            self.say(summary(self.totals.whole, size, time.monotonic() - self.bar.start, name))
        return self._status()

    def _nothing_opened(self) -> bool:
        unopened = [each for each in self.damaged if each["offset"] is None]
        return bool(self.plan.inputs) and len(unopened) == len(self.plan.inputs)

    def _status(self) -> int:
        whole = self.totals.whole
        if self.damaged:
            return 3
        return int(self.plan.strict and whole["bad_rows"] + whole["errors"] > 0)

    def _tell_bad(self) -> None:
        count = self.totals.whole["bad_rows"]
        if count and not self.errors:
            first = f"; the first: {self.first_bad}" if self.first_bad else ""
            self.say(f"rows that could not be read: {count:,}{first} (--errors FILE keeps them all)")

    def _write_stats(self) -> None:
        if self.stats is None:
            return
        seconds = round(time.monotonic() - self.bar.start, 3)
        text = json.dumps(document(self.totals, self.damaged, seconds), ensure_ascii=False, indent=1)
        self.stats.cut(0)
        self.stats.write(text.encode("utf-8", "replace") + b"\n")
        self.stats.publish()


def error_line(source: str, row: BadRow) -> bytes:
    """A line of the errors file."""
    record = {"source": source, "line": row.line, "offset": row.offset, "reason": row.reason}
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
