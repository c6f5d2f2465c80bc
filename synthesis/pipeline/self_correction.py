"""Self-correction: the one loop in which a part is made: ask, read, check; show what is wrong; ask again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from synthesis.documents.environment import Draft, Origin, Part
from synthesis.documents.finding import Finding
from synthesis.errors import AttemptsExhausted, Cancelled, EarlierPartAtFault
from synthesis.pipeline.attempt import Attempt, shortened
from synthesis.pipeline.author import Ask, Author, Written
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import AnyStage


@dataclass(frozen=True)
class StageResult:
    """A part that passed its checks, with every attempt at it and where it was read from outside."""

    part: Part
    attempts: tuple[Attempt, ...]
    origin: Origin | None = None


def never() -> bool:
    """Nobody asks to stop."""
    return False


def self_correct(
    stage: AnyStage,
    draft: Draft,
    author: Author,
    *,
    request: SynthesisRequest,
    attempts: int = 5,
    first: int = 1,
    findings: tuple[Finding, ...] = (),
    on_attempt: Callable[[Attempt], None] | None = None,
    cancelled: Callable[[], bool] = never,
) -> StageResult:
    """Ask the author for the stage's part until nothing about it blocks.

    Args:
        stage: Whose part is made.
        draft: The parts it is made from.
        author: Who writes it.
        request: What the person asked for.
        attempts: How often the author is asked; an author that does not correct is asked once.
        first: Number of the first attempt; higher for an author who goes on where another gave up.
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
    results: list[Attempt] = []
    sent_back = findings
    last: Written | None = None
    before: StageResult | None = None
    for number in range(first, first + (attempts if author.corrects else 1)):
        if cancelled():
            raise Cancelled(f"Stopped before attempt {number} at {stage.name}.")
        started = time.perf_counter()
        ask = Ask(stage=stage, draft=draft, request=request, number=number, last=last, findings=findings)
        last = author.write(ask)
        findings = _unchanged(stage, last, draft, sent_back) or _findings(stage, last, draft, request)
        if not author.corrects:
            findings = tuple(finding for finding in findings if finding.check not in stage.optional_checks)
        results.append(_attempt(ask, author, last, findings, time.perf_counter() - started))
        if on_attempt is not None:
            on_attempt(results[-1])
        if last.part is not None and results[-1].passed:
            passed = StageResult(last.part, tuple(results), last.origin)
            optional = _optional(stage, findings, ask, last.part)
            if before is not None or not optional:
                return passed
            before, findings = passed, optional
            continue
        _require_own(stage, findings, last)
        if before is not None:
            break
    if before is not None:
        return StageResult(before.part, tuple(results), before.origin)
    blocking = [finding for finding in findings if finding.blocks]
    raise AttemptsExhausted(stage.name, blocking, len(results), results=results)


def _findings(
    stage: AnyStage, written: Written, draft: Draft, request: SynthesisRequest
) -> tuple[Finding, ...]:
    """What could not be read, or else what is wrong with what was."""
    if written.part is None or any(finding.blocks for finding in written.findings):
        return written.findings
    return (*written.findings, *stage.check(written.part, draft, request))


def _optional(stage: AnyStage, findings: tuple[Finding, ...], ask: Ask, part: Part) -> tuple[Finding, ...]:
    """Findings that block nothing and of which the author hears all the same, once."""
    known = {(finding.check, finding.where) for finding in ask.findings}
    same = _same_pieces(stage, ask.draft.part(stage.name), part)
    return tuple(
        finding.replace(severity="error")
        for finding in findings
        if finding.check in stage.optional_checks
        and (finding.check, finding.where) not in known
        and finding.where not in same
    )


def _same_pieces(stage: AnyStage, before: Part | None, after: Part) -> set[str]:
    """Names of the pieces that are as they were in the part that was sent back."""
    old, new = (stage.reply_of(part) if part is not None else None for part in (before, after))
    if old is None or new is None:
        return set()
    return {name for name, piece in new.pieces.items() if old.pieces.get(name) == piece}


def _unchanged(
    stage: AnyStage, written: Written, draft: Draft, sent_back: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    """For a part that was sent back and came again as it was: what it was sent back for is still wrong."""
    before = draft.part(stage.name)
    if not sent_back or before is None or written.part is None:
        return ()
    return sent_back if written.part.fingerprint == before.fingerprint else ()


def _require_own(stage: AnyStage, findings: tuple[Finding, ...], written: Written) -> None:
    """Pass while something that blocks is in the stage's own part: its author can go on with that."""
    blocking = [finding for finding in findings if finding.blocks]
    if blocking and all(finding.part != stage.name for finding in blocking):
        raise EarlierPartAtFault(stage.name, blocking, part=written.part)


def _attempt(
    ask: Ask, author: Author, written: Written, findings: tuple[Finding, ...], seconds: float
) -> Attempt:
    return Attempt(
        stage=ask.stage.name,
        number=ask.number,
        author=author.name,
        prompt=shortened(written.prompt),
        reply=shortened(written.reply),
        reasoning=shortened(written.reasoning),
        model=written.model,
        findings=findings,
        usage=written.usage,
        calls=written.calls,
        seconds=seconds,
    )
