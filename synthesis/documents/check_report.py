"""CheckReport: what was proved about an environment, with figures; the content of checks.json."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field, JsonValue, computed_field

from synthesis.documents.document import Document
from synthesis.documents.finding import Finding
from synthesis.documents.question import Question


class RowDifference(Document):
    """One row that differs from the right end, cell by cell."""

    table: str
    key: JsonValue
    kind: Literal["inserted", "updated", "deleted"]
    cells: dict[str, tuple[JsonValue, JsonValue]]
    """By column: the value in the right end and the one in its place; None where there is no row."""


class Trial(Document):
    """One end that a verifier was shown, or one call that a tool was given, and what it said."""

    about: Literal["task", "tool"] = "task"
    subject: str
    """The task or the tool."""
    kind: str
    """How the end was made: "wrong_value", "partial", "collateral", "other_order" ...; of calls the kind of
    their arguments: "valid", "missing", "wrong_type" ..."""
    description: str
    """What is wrong with the end, or how it was reached, for people; of calls the call itself."""
    expected: Literal["refused", "accepted", "either"]
    """ "either": a tool may answer or refuse, as long as it does not fail."""
    outcome: Literal["refused", "accepted", "failed"]
    """ "failed": the verifier or the tool gave up, which is no refusal."""
    open: tuple[str, ...] = ()
    """Names of the checks that did not hold, or the words with which the verifier gave up or the tool
    refused."""
    rows: tuple[RowDifference, ...] = ()
    """How the end differs from the right one, or what the call changed, at most `MOST_ROWS_SHOWN`."""
    calls: tuple[str, ...] = ()
    """Names of the tools that led there, where calls did."""
    answer: str | None = None
    """The final answer, where it is not the reference answer."""

    @property
    def right(self) -> bool:
        """Whether the verifier or the tool said what it must."""
        if self.expected == "either":
            return self.outcome != "failed"
        return self.expected == self.outcome


class CallCount(Document):
    """What the calls of one tool with arguments of one kind came to."""

    kind: str
    success: int = 0
    """Answered, as they may be."""
    refusal: int = 0
    """Refused: their arguments do not fit, or the state of the rows forbids it."""
    failure: int = 0
    """The tool failed."""
    let_through: int = 0
    """Answered although their arguments do not fit."""


class Score(Document):
    """How often what was tried on one task or tool came out as it must."""

    subject: str
    """A task or a tool."""
    tried: int
    right: int
    calls: tuple[CallCount, ...] = ()
    """Of a tool, by kind of arguments."""
    expected: Literal["refused", "accepted"] | None = None
    """Of a task: what its verifier had to say, where not everything that was tried is recorded one by one."""

    @property
    def share(self) -> float:
        """Share that came out right, in [0, 1]."""
        return self.right / self.tried if self.tried else 1.0


class TaskProof(Document):
    """How sound and how complete the verifier of one task was found."""

    mutants: int
    refused: int
    equivalents: int
    accepted: int

    @computed_field
    def soundness(self) -> float:
        """Share of near-misses that were refused, in [0, 1]; 1 where none could be made."""
        return self.refused / self.mutants if self.mutants else 1.0

    @computed_field
    def completeness(self) -> float:
        """Share of equivalent ends that were accepted, in [0, 1]; 1 where none was found."""
        return self.accepted / self.equivalents if self.equivalents else 1.0


MOST_ROWS_SHOWN = 12


class CheckResult(Document):
    """One claim about an environment and whether it holds."""

    claim: str = Field(min_length=1, max_length=120)
    """The name of the check, which reads as a claim."""
    description: str = ""
    """The claim as a sentence for people."""
    passed: bool
    findings: tuple[Finding, ...] = ()
    figures: dict[str, JsonValue] = Field(default_factory=dict)
    """Counts behind the result, for example {"tools": 28, "calls": 311}."""
    scores: tuple[Score, ...] = ()
    """By task or tool, where the claim tries many things on each."""
    trials: tuple[Trial, ...] = ()
    """What was tried, one by one: every end that verifiers judged wrongly and some of every kind; of calls of
    tools each that broke the contract and one of every kind and outcome."""
    questions: tuple[Question, ...] = Field(default=(), exclude_if=lambda value: not value)
    """What code can only doubt, and people are asked."""


class CheckReport(Document):
    """All claims tried on one environment."""

    environment: str
    """Fingerprint of the environment the claims were tried on."""
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every claim holds."""
        return all(result.passed for result in self.results)

    @property
    def contract_score(self) -> float | None:
        """Mean share, over all tools, of calls that kept the tool's contract; None where none was tried."""
        score = next(
            (result.figures.get("score") for result in self.results if "gate" in result.figures), None
        )
        return float(score) if isinstance(score, int | float) else None

    @property
    def strength(self) -> float | None:
        """Share of ways to weaken the verifiers that some near-miss notices; None where none was tried."""
        share = next(
            (result.figures["strength"] for result in self.results if "strength" in result.figures), None
        )
        return float(share) if isinstance(share, int | float) else None

    def by_task(self) -> dict[str, TaskProof]:
        """What the verifier of each task was shown and how often it was right."""
        counts: dict[str, Counter[str]] = {}
        for result in self.results:
            scored = {score.subject for score in result.scores if score.expected}
            for score in result.scores:
                if score.expected:
                    count = counts.setdefault(score.subject, Counter())
                    count[score.expected] += score.tried
                    count[f"{score.expected} right"] += score.right
            for trial in result.trials:
                if trial.about == "task" and trial.subject not in scored:
                    count = counts.setdefault(trial.subject, Counter())
                    count[trial.expected] += 1
                    count[f"{trial.expected} right"] += trial.right
        return {
            task: TaskProof(
                mutants=count["refused"],
                refused=count["refused right"],
                equivalents=count["accepted"],
                accepted=count["accepted right"],
            )
            for task, count in counts.items()
        }

    @property
    def questions(self) -> tuple[Question, ...]:
        """What people are asked, the most doubtful first."""
        return tuple(question for result in self.results for question in result.questions)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, in the order of the claims."""
        return tuple(finding for result in self.results for finding in result.findings)
