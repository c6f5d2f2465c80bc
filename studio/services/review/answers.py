"""Answers: what a reviewer saw of an environment, and what they found right, wrong or could not tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from studio.models import (
    Act,
    AnswerKind,
    EnvironmentRecord,
    FlagReason,
    FlagSeverity,
    FlagState,
    ReviewDecision,
    UnitAnswer,
)
from studio.services.projects import membership
from studio.services.review import comments, flags
from synthesis.errors import InvalidInput

LONGEST_NOTE = 4_000
KINDS = {"task": "tasks", "table": "tables", "tool": "tools"}
"""Kinds of units that are looked at one by one, with their plural."""


@dataclass(frozen=True)
class NotedPlace:
    """Where in a task a note points, as the flag that it becomes says it.

    Attributes:
        code: As the form names it: "", "request", "step-3", "row-2", "check-4".
        words: In words, for whoever reads the flag.
        reason: What kind of thing is wrong there.
        part: The part it belongs to.
        where: The tool, table or task.
        evidence: What opens the place.
    """

    code: str
    words: str
    reason: FlagReason
    part: str
    where: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class Coverage:
    """How much of one kind was seen."""

    title: str
    seen: int
    total: int


@dataclass(frozen=True)
class Progress:
    """What one person saw and answered of the units as they stand.

    Attributes:
        answers: Unit to the answer about its present content.
        coverages: What was seen, by kind.
    """

    answers: Mapping[str, UnitAnswer]
    coverages: tuple[Coverage, ...]

    @property
    def share(self) -> float:
        """Share of tasks, tables and tools that were seen, in [0, 1]."""
        total = sum(each.total for each in self.coverages)
        return sum(each.seen for each in self.coverages) / total if total else 1.0

    @property
    def words(self) -> str:
        """The coverage in words: "7 of 10 tasks, 4 of 6 tables, 3 of 9 tools"."""
        named = (each.title.removesuffix("s") if each.total == 1 else each.title for each in self.coverages)
        counts = zip(self.coverages, named, strict=True)
        return ", ".join(f"{each.seen} of {each.total} {title}" for each, title in counts)

    def counted(self, answer: str) -> int:
        """How many tasks have this answer."""
        return sum(each.answer == answer for each in self.answers.values())

    @property
    def answered(self) -> int:
        """How many tasks have an answer."""
        return sum(bool(each.answer) for each in self.answers.values())


def fingerprint_of(record: EnvironmentRecord, unit: str) -> str:
    """The fingerprint of what a unit holds now; "" where there is none of that name.

    All tables share that of the schema with the rows.
    """
    assert record.current is not None
    units: dict[str, str] = record.current.units
    if unit.startswith("table:"):
        return f"{units.get('schema', '')[:32]}{units.get('seed_data', '')[:32]}"
    return units.get(unit, "") if unit.startswith(("task:", "tool:")) else ""


def see(*, record: EnvironmentRecord, reviewer: User, units: Iterable[str]) -> bool:
    """Remember that a person was shown these units as they stand; whether there was anything to remember.

    Nothing is kept for people who do not review.
    """
    if not membership.reads(reviewer, record.project_id, Act.REVIEW):
        return False
    present = {unit: fingerprint_of(record, unit) for unit in units}
    _keep_seen(record, reviewer, {unit: value for unit, value in present.items() if value})
    return any(present.values())


def _keep_seen(record: EnvironmentRecord, reviewer: User, present: Mapping[str, str]) -> None:
    UnitAnswer.objects.bulk_create(
        [
            UnitAnswer(environment=record, reviewer=reviewer, unit=unit, fingerprint=value)
            for unit, value in present.items()
        ],
        ignore_conflicts=True,
    )


def progress(*, record: EnvironmentRecord, reviewer: User) -> Progress:
    """What a person saw and answered of the current revision."""
    assert record.current is not None
    theirs = UnitAnswer.objects.filter(environment=record, reviewer=reviewer).select_related("flag")
    answers = {each.unit: each for each in theirs if fingerprint_of(record, each.unit) == each.fingerprint}
    totals = {"task": record.current.tasks, "table": record.current.tables, "tool": record.current.tools}
    coverages = tuple(
        Coverage(title, sum(unit.startswith(f"{kind}:") for unit in answers), totals[kind])
        for kind, title in KINDS.items()
    )
    return Progress(answers, coverages)


@transaction.atomic
def give(
    *, record: EnvironmentRecord, reviewer: User, task: str, answer: str, note: str, place: NotedPlace
) -> UnitAnswer:
    """Say whether a task is right; what is wrong or unclear becomes a flag at its place.

    An answer replaces the person's earlier one about the same content, with its flag.

    Raises:
        Forbidden: The person is no reviewer.
        InvalidInput: The answer is none, or says nothing about what is wrong.
    """
    unit = f"task:{task}"
    fingerprint = fingerprint_of(record, unit)
    if not fingerprint:
        raise InvalidInput(f"{record.title} has no task named {task!r}.")
    return give_about(
        record=record,
        reviewer=reviewer,
        unit=unit,
        fingerprint=fingerprint,
        answer=answer,
        note=note,
        place=place,
        anchor=("task", task),
    )


@transaction.atomic
def give_about(
    *,
    record: EnvironmentRecord,
    reviewer: User,
    unit: str,
    fingerprint: str,
    answer: str,
    note: str,
    place: NotedPlace,
    anchor: tuple[str, str],
) -> UnitAnswer:
    """Answer about one content of a unit; what is wrong or unclear becomes a flag at its place.

    Args:
        record: The environment.
        reviewer: Who answers.
        unit: Of what, as it is stored.
        fingerprint: Of the content that was seen.
        answer: One of `AnswerKind`.
        note: In words.
        place: Where a flag points.
        anchor: Kind and name of what a comment hangs on, where the note is no flag.

    Raises:
        Forbidden: The person is no reviewer.
        InvalidInput: The answer is none, or says nothing about what is wrong.
    """
    membership.require_in(reviewer, record.project_id, Act.REVIEW)
    note = note.strip()
    _require_answer(answer, note)
    _keep_seen(record, reviewer, {unit: fingerprint})
    given = UnitAnswer.objects.select_related("flag").get(
        environment=record, reviewer=reviewer, unit=unit, fingerprint=fingerprint
    )
    if (given.answer, given.note, given.place) == (answer, note, place.code):
        return given
    _take_back(given, reviewer)
    given.flag = _flag(record, reviewer, answer, note, place)
    if note and given.flag is None:
        comments.add_comment(
            record=record,
            author=reviewer,
            body=_placed(note, place),
            anchor_kind=anchor[0],
            anchor=anchor[1],
            unit=unit if anchor[0] == "task" else "",
        )
    given.answer, given.note, given.place = answer, note, place.code
    given.answered_at = timezone.now()
    given.save()
    return given


def _require_answer(answer: str, note: str) -> None:
    if answer not in AnswerKind.values:
        raise InvalidInput("Choose right, wrong or not sure.")
    if answer == AnswerKind.WRONG and not note:
        raise InvalidInput("Say what is wrong: your note goes to whoever mends it.")
    if len(note) > LONGEST_NOTE:
        raise InvalidInput(f"The note has {len(note):,} characters; at most {LONGEST_NOTE:,} are allowed.")


def _take_back(given: UnitAnswer, reviewer: User) -> None:
    """Withdraw the flag of the earlier answer while nobody acted on it."""
    if given.flag is not None and given.flag.state == FlagState.OPEN:
        flags.settle_flag(flag=given.flag, user=reviewer, resolution="")


def _flag(record: EnvironmentRecord, reviewer: User, answer: str, note: str, place: NotedPlace) -> Any:
    if answer == AnswerKind.RIGHT or not note:
        return None
    return flags.raise_flag(
        record=record,
        user=reviewer,
        reason=place.reason,
        severity=FlagSeverity.BLOCKING if answer == AnswerKind.WRONG else FlagSeverity.MINOR,
        part=place.part,
        where=place.where,
        comment=_placed(note, place),
        evidence=place.evidence,
    )


def _placed(note: str, place: NotedPlace) -> str:
    return f"{place.words}: {note}" if place.words else note


def suggested_grades(progress: Progress, raised: Iterable[Any]) -> dict[str, int]:
    """Grades that follow from the answers: 5, less what was found wrong or could not be told.

    Empty while no task was answered. A task that is wrong counts whole, an unsure one half; each of the
    person's own open flags on the data or on a tool takes one grade of that criterion.
    """
    if not progress.answered:
        return {}
    missed = progress.counted(AnswerKind.WRONG) + progress.counted(AnswerKind.UNSURE) / 2
    parts = [flag.part for flag in raised]
    return {
        "task_feasibility": max(1, round(5 - 4 * missed / progress.answered)),
        "data_alignment": max(1, 5 - sum(part in ("seed_data", "schema") for part in parts)),
        "toolset_completeness": max(1, 5 - parts.count("tools")),
    }


def require_coverage(*, record: EnvironmentRecord, reviewer: User, decision: str, comment: str) -> None:
    """Who approves saw as much as WORLDWRIGHT_REVIEW_COVERAGE asks for, or says why less is enough.

    Raises:
        InvalidInput: Less was seen and no reason is given; the text says what was seen.
    """
    least = settings.WORLDWRIGHT.review_coverage
    if decision != ReviewDecision.APPROVE or comment.strip() or not least:
        return
    seen = progress(record=record, reviewer=reviewer)
    if seen.share < least:
        raise InvalidInput(
            f"You have seen {seen.words}, which is less than the {least:.0%} that an approval rests on here. "
            "Look at more of it, or say under Why what makes this enough."
        )
