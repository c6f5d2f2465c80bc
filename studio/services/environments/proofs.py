"""Proofs: what was tried on a revision, by claim, task and tool, beside the gates of the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet, Subquery

from studio.models import CheckResultRecord, Revision
from studio.services.environments import tolerance
from studio.services.errors import Missing
from synthesis.documents.check_report import CallCount, Score
from synthesis.documents.finding import Finding

_VERBS: dict[tolerance.Property, str] = {
    "soundness": "rejected",
    "strength": "noticed",
    "completeness": "accepted",
}


@dataclass(frozen=True)
class Measure:
    """A share that was measured, beside the least that the settings ask for.

    Attributes:
        title: What is measured.
        share: What came out right, in [0, 1].
        gate: The least share.
        words: The counts behind it.
        claims: The claims whose trials they are.
        enough: Whether every claim reaches the gate on its own.
    """

    title: str
    share: float
    gate: float
    words: str
    claims: tuple[str, ...]
    enough: bool


@dataclass(frozen=True)
class ProofLine:
    """What one claim tried on one task.

    Attributes:
        claim: The claim.
        title: What was shown to the verifier.
        verb: What it must say: refused or accepted.
        tried: How many.
        right: To how many it said so.
    """

    claim: str
    title: str
    verb: str
    tried: int
    right: int

    @property
    def passes(self) -> bool:
        """Whether the verifier decided every case rightly."""
        return self.right == self.tried


@dataclass(frozen=True)
class TaskProofSummary:
    """How far one task is proved."""

    lines: tuple[ProofLine, ...]
    findings: tuple[tuple[str, Finding], ...]
    """What was found about it, with the claim."""


@dataclass(frozen=True)
class ToolProof:
    """What the contract test of one tool came to."""

    claim: str
    tried: int
    right: int
    calls: tuple[CallCount, ...]
    findings: tuple[tuple[str, Finding], ...]

    @property
    def passes(self) -> bool:
        """Whether every call kept the contract."""
        return self.right == self.tried


_LINES = {
    "near_misses_are_refused": ("near-miss", "rejected"),
    "wrong_answers_are_refused": ("wrong answer", "rejected"),
    "wrong_wordings_are_refused": ("wrong wording", "rejected"),
    "right_wordings_are_accepted": ("right wording", "accepted"),
    "equivalent_solutions_are_accepted": ("equivalent solution", "accepted"),
}


def result_of(revision: Revision, claim: str) -> CheckResultRecord:
    """What trying one claim on a revision came to, with everything that was tried.

    Raises:
        Missing: It was not tried.
    """
    check_result = _results(revision).filter(claim=claim).select_related("report").first()
    if check_result is None:
        raise Missing(
            f"No check named {claim!r} was made on revision {revision.number}.",
            remedy="Choose one from the list of checks.",
        )
    return check_result


def results(revision: Revision) -> list[CheckResultRecord]:
    """Every result of the report that counts for a revision, in order, without what was tried one by one."""
    return list(_results(revision).defer("trials").select_related("report"))


def tally(result: CheckResultRecord) -> str:
    """How much a claim tried and how much came out as it must, in words; "" where nothing was counted."""
    tried = sum(score["tried"] for score in result.scores)
    right = sum(score["right"] for score in result.scores)
    if not tried:
        return ""
    if result.claim not in _LINES:
        return f"{_counted(tried, 'call')}, {right:,} as expected"
    noun, verb = _LINES[result.claim]
    return f"{_counted(tried, noun)}, {right:,} {verb}"


def measures(tried: Iterable[CheckResultRecord]) -> tuple[Measure, ...]:
    """Tool-contract score, soundness and completeness of a revision, as far as they were measured."""
    by_claim = {result.claim: result for result in tried}
    matches = []
    tools = by_claim.get(tolerance.TOOL_CLAIM)
    score = tools.figures.get("score") if tools else None
    if tools and isinstance(score, int | float):
        gate = settings.WORLDWRIGHT.gate_tool_score
        calls, of = tools.figures.get("calls", 0), tools.figures.get("tools", 0)
        words = f"{_counted(calls, 'call')} of {_counted(of, 'tool')}"
        matches.append(Measure("Tool contract", float(score), gate, words, (tools.claim,), score >= gate))
    for measured, verb in _VERBS.items():
        measure = _measure(measured, verb, by_claim)
        if measure:
            matches.append(measure)
    return tuple(matches)


def task_proof(revision: Revision, task: str) -> TaskProofSummary:
    """The trials on one task and all their findings."""
    lines, findings = [], []
    for result in results(revision):
        findings += _findings_at(result, task)
        score = _score(result, task)
        if score and result.claim in _LINES:
            noun, verb = _LINES[result.claim]
            lines.append(ProofLine(result.claim, _plural(noun).capitalize(), verb, score.tried, score.right))
    return TaskProofSummary(tuple(lines), tuple(findings))


def tool_proof(revision: Revision, tool: str) -> ToolProof | None:
    """The outcome of one tool's contract test and all its findings; None without."""
    proof: ToolProof | None = None
    findings: list[tuple[str, Finding]] = []
    for result in results(revision):
        findings += _findings_at(result, tool, part="tools")
        score = _score(result, tool) if result.claim == tolerance.TOOL_CLAIM else None
        if score:
            proof = ToolProof(result.claim, score.tried, score.right, score.calls, ())
    if proof is None:
        return None
    return ToolProof(proof.claim, proof.tried, proof.right, proof.calls, tuple(findings))


def _results(revision: Revision) -> QuerySet[CheckResultRecord]:
    """The results of the report that counts for a revision, in one query."""
    newest = revision.reports.order_by("-id").values("pk")[:1]
    return CheckResultRecord.objects.filter(report=Subquery(newest))


def _measure(
    measured: tolerance.Property, verb: str, by_claim: dict[str, CheckResultRecord]
) -> Measure | None:
    gate = tolerance.gate(measured)
    right = tried = 0
    claims = []
    enough = True
    for claim, (part, whole, its_property) in tolerance.MEASURED.items():
        result = by_claim.get(claim)
        if result is None or its_property != measured:
            continue
        one, of = result.figures.get(part), result.figures.get(whole)
        if not isinstance(one, int) or not isinstance(of, int) or not of:
            continue
        right, tried = right + one, tried + of
        enough = enough and one / of >= gate
        claims.append(claim)
    if not tried:
        return None
    return Measure(
        measured.capitalize(), right / tried, gate, f"{right:,} of {tried:,} {verb}", tuple(claims), enough
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def _findings_at(result: CheckResultRecord, place: str, part: str = "") -> list[tuple[str, Finding]]:
    return [
        (result.claim, Finding.model_validate(finding))
        for finding in result.findings
        if finding.get("where") == place and part in ("", finding.get("part"))
    ]


def _score(result: CheckResultRecord, subject: str) -> Score | None:
    return next(
        (Score.model_validate(score) for score in result.scores if score.get("subject") == subject), None
    )
