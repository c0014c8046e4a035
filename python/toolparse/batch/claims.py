"""The files that a run writes: claimed for it alone, and never written over unasked."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass

from toolparse.batch import resume
from toolparse.batch.partfile import InUse, OutputFailed, PartFile
from toolparse.batch.plan import STDOUT, Plan, Refused


@dataclass(frozen=True, slots=True)
class Claims:
    """The part files, locked. ``output`` is None for standard output, the others when they were not asked for."""

    output: PartFile | None
    errors: PartFile | None
    stats: PartFile | None


def claim(plan: Plan, stack: contextlib.ExitStack) -> Claims:
    """Claims the files of a run until ``stack`` is left.

    Raises :class:`Refused`, :class:`InUse` and :class:`OutputFailed`; then nothing has changed.
    """
    names = (plan.output if plan.output != STDOUT else None, plan.errors, plan.stats)
    claimed: list[PartFile | None] = []
    try:
        for name in names:
            claimed.append(stack.enter_context(PartFile(name)) if name else None)
        if not plan.force and not plan.resume:
            _refuse([part for part in claimed if part])
    except (InUse, OutputFailed, Refused):
        for part in claimed:
            if part:
                part.discard()
        raise
    claims = Claims(*claimed)
    if claims.stats:
        stack.callback(claims.stats.discard)
    return claims


def _refuse(claimed: list[PartFile]) -> None:
    for part in claimed:
        if os.path.lexists(part.name):
            raise Refused(f"{part.name} exists (--force writes over it)")
    for part in claimed:
        if part.size:
            how = "(--resume goes on, --force begins anew)"
            raise Refused(f"{part.path} is left of a run that was stopped {how}")


def is_finished(claims: Claims) -> bool:
    """Whether the run to be resumed had come to its end."""
    part = claims.output
    if part is None or part.size or not os.path.exists(part.name):
        return False
    return not resume.just_begun(resume.path_of(part.name))


def finish(plan: Plan, claims: Claims, say: Callable[[str], None]) -> int:
    """What is left to do when the run to be resumed had come to its end, or almost. Raises :class:`Refused`."""
    if claims.output:
        claims.output.discard()
    if claims.errors:
        claims.errors.publish() if claims.errors.size else claims.errors.discard()
    written = os.stat(plan.output).st_mtime
    for each in plan.inputs:
        with contextlib.suppress(OSError):
            if os.stat(each.name).st_mtime > written:
                raise Refused(f"{plan.output} is finished, and older than {each.source} (--force writes it anew)")
    resume.forget(resume.path_of(plan.output))
    if not plan.quiet:
        say(f"{plan.output} is finished: nothing to do")
    return 0
