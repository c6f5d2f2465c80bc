"""Self-correction: the one loop in which a part is made: ask, read, check; show what is wrong; ask again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from synthesis.documents.environment import Draft, Part
from synthesis.documents.finding import Finding
from synthesis.errors import AttemptsExhausted, Cancelled, EarlierPartAtFault
from synthesis.pipeline.attempt import Attempt, shortened
from synthesis.pipeline.author import Ask, Author, Written
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage


@dataclass(frozen=True)
class Made:
    """A part that passed its checks, with every attempt at it."""

    part: Part
    attempts: tuple[Attempt, ...]


def never() -> bool:
    """Nobody asks to stop."""
    return False


def self_correct(
    stage: Stage,
    draft: Draft,
    author: Author,
    *,
    request: SynthesisRequest,
    attempts: int = 5,
    findings: tuple[Finding, ...] = (),
    on_attempt: Callable[[Attempt], None] | None = None,
    cancelled: Callable[[], bool] = never,
) -> Made:
    """Ask the author for the stage's part until nothing about it blocks.

    Args:
        stage: Whose part is made.
        draft: The parts it is made from.
        author: Who writes it.
        request: What the person asked for.
        attempts: How often the author is asked; an author that does not correct is asked once.
        findings: What was wrong with the draft's own part of this stage, when it is sent back.
        on_attempt: Hears of each attempt as it ends.
        cancelled: Asked before each attempt.

    Raises:
        AttemptsExhausted: No attempt passed; none of them is kept, not even the best. Its `made`
            holds every one of them.
        EarlierPartAtFault: All that blocks is wrong with parts made before; this author cannot mend them.
        Cancelled: Somebody asked to stop.
        ProviderError: The model that was asked did not answer.
    """
    made: list[Attempt] = []
    sent_back = findings
    last: Written | None = None
    for number in range(1, (attempts if author.corrects else 1) + 1):
        if cancelled():
            raise Cancelled(f"Stopped before attempt {number} at {stage.name}.")
        started = time.perf_counter()
        ask = Ask(stage=stage, draft=draft, request=request, number=number, last=last, findings=findings)
        last = author.write(ask)
        findings = _unchanged(stage, last, draft, sent_back) or _found(stage, last, draft, request)
        made.append(_attempt(ask, author, last, findings, time.perf_counter() - started))
        if on_attempt is not None:
            on_attempt(made[-1])
        if last.part is not None and made[-1].passed:
            return Made(part=last.part, attempts=tuple(made))
        _require_own(stage, findings)
    blocking = [finding for finding in findings if finding.blocks]
    raise AttemptsExhausted(stage.name, blocking, len(made), made=made)


def _found(stage: Stage, written: Written, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
    """What could not be read, or else what is wrong with what was."""
    if written.part is None or any(finding.blocks for finding in written.findings):
        return written.findings
    return (*written.findings, *stage.check(written.part, draft, request))


def _unchanged(
    stage: Stage, written: Written, draft: Draft, sent_back: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    """For a part that was sent back and came again as it was: what it was sent back for still stands."""
    before = draft.part(stage.name)
    if not sent_back or before is None or written.part is None:
        return ()
    return sent_back if written.part.fingerprint == before.fingerprint else ()


def _require_own(stage: Stage, findings: tuple[Finding, ...]) -> None:
    """Pass while something that blocks is in the stage's own part: its author can go on with that."""
    blocking = [finding for finding in findings if finding.blocks]
    if blocking and all(finding.part != stage.name for finding in blocking):
        raise EarlierPartAtFault(stage.name, blocking)


def _attempt(
    ask: Ask, author: Author, written: Written, findings: tuple[Finding, ...], seconds: float
) -> Attempt:
    return Attempt(
        stage=ask.stage.name,
        number=ask.number,
        author=author.name,
        prompt=shortened(written.prompt),
        reply=shortened(written.reply),
        findings=findings,
        usage=written.usage,
        calls=written.calls,
        seconds=seconds,
    )
