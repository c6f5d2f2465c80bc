"""Quality: environments graded by a judge model beside the people who review them, and the grades.

The protocol is Agent World Model's (arXiv 2602.10090): a sample of environments, three criteria from 1 to 5,
bugs by class, and tasks that a bug blocks.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, Sum

from studio.models import EnvironmentRecord, Flag, FlagReason, QualityRecord, Review, Revision, Run, RunKind
from studio.models.runs import AFTER_PROGRESS
from studio.services.environments import quality_gates
from studio.services.environments.environments import load_environment
from studio.services.llm.providers import provider_for, provider_settings
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.documents.check_report import CheckReport
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.quality import BUG_TITLES, QualityGrade
from synthesis.documents.rubric import ENVIRONMENT_QUALITY
from synthesis.errors import Cancelled, InvalidInput, ReplyUnreadable
from synthesis.judging.quality_judge import QualityJudge
from synthesis.judging.question_judge import QuestionJudge

MOST_SAMPLED = 5_000
PUBLISHED: dict[str, dict[str, float]] = {
    "AWM": {"task_feasibility": 3.68, "data_alignment": 4.04, "toolset_completeness": 3.65},
    "EnvScaler": {"task_feasibility": 2.94, "data_alignment": 3.73, "toolset_completeness": 2.89},
}
"""Published means on the same questions; arXiv 2602.10090 grades both with one judge."""
PUBLISHED_BUGGY = 0.74
"""Share of AWM's environments with at least one bug."""
PUBLISHED_EDGE = 0.44
"""Share of AWM's bugs that are edge inputs nobody handled."""


class GradingRequest(Document):
    """Revisions that a judge model grades."""

    revisions: tuple[int, ...]
    seed: int


@transaction.atomic
def start_grading(
    *,
    environment: EnvironmentRecord | None = None,
    sample: int | None = None,
    seed: int = 0,
    requested_by: User | None = None,
) -> Run:
    """Queue the grading of environments by a judge model.

    Args:
        environment: The one to grade; a sample of all when left out.
        sample: How many are drawn; WORLDWRIGHT_QUALITY_SAMPLE when left out, all when there are fewer.
        seed: Of the drawing.
        requested_by: Who asks.

    Raises:
        InvalidInput: No model is configured, the number is out of bounds, or there is nothing to grade.
    """
    project_id = environment.project_id if environment else None
    provider_settings(role="judge", project_id=project_id, asking="Grading", otherwise="let people grade")
    sample = settings.WORLDWRIGHT.quality_sample if sample is None else sample
    if not 1 <= sample <= MOST_SAMPLED:
        raise InvalidInput(f"A sample has 1 to {MOST_SAMPLED:,} environments, not {sample:,}.")
    chosen = [environment.current_id] if environment else draw(sample, seed)
    if not chosen:
        raise InvalidInput("There is no environment to grade. Create one first.")
    what = environment.title if environment else f"{len(chosen)} environment{'' if len(chosen) == 1 else 's'}"
    return runs.queue_run(
        kind=RunKind.QUALITY,
        title=f"Quality of {what}",
        request=GradingRequest(revisions=tuple(number for number in chosen if number), seed=seed),
        requested_by=requested_by,
        environment=environment,
        total=len(chosen),
    )


def draw(sample: int, seed: int) -> list[int]:
    """Current revisions at random, in order."""
    known = list(
        EnvironmentRecord.objects.exclude(current=None).order_by("pk").values_list("current_id", flat=True)
    )
    if len(known) <= sample:
        return known
    return sorted(random.Random(seed).sample(known, sample))  # noqa: S311 - a reproducible drawing


def execute_grading(lease: RunLease, request: GradingRequest) -> None:
    """Grade what a claimed run asks for; what an earlier worker graded is not graded again.

    Raises:
        Cancelled: Somebody asked to stop.
        ProviderError: The model's endpoint failed for good.
    """
    done = set(lease.run.quality.values_list("revision_id", flat=True))
    unreadable = 0
    for revision in (
        Revision.objects.filter(pk__in=request.revisions).select_related("environment").order_by("pk")
    ):
        if revision.pk in done:
            continue
        if lease.cancelled():
            raise Cancelled("Stopped between two environments.")
        record = quality_gates.latest_report(revision, whole=True)
        report = record.load() if record else None
        environment = load_environment(revision)
        try:
            grade = QualityJudge(provider_for(lease.run, role="judge")).grade(environment, report=report)
        except ReplyUnreadable as error:
            unreadable += 1
            lease.note("grade_unreadable", stage="quality", text=f"{revision.environment.name}: {error}")
            continue
        grade = _with_answers(lease, grade, environment, report)
        with lease.writing(**AFTER_PROGRESS):
            store_grade(revision=revision, grade=grade, run=lease.run)
        done.add(revision.pk)
        message = ", ".join(f"{name.replace('_', ' ')} {each.score}" for name, each in grade.grades.items())
        lease.note(
            "environment_graded",
            stage="quality",
            text=f"{revision.environment.name}: {message}",
            done=len(done),
        )
    with lease.writing():
        lease.finish({"graded": len(done), "unreadable": unreadable})


def _with_answers(
    lease: RunLease, grade: QualityGrade, environment: Environment, report: CheckReport | None
) -> QualityGrade:
    """A grade with the judge's answers to the questions of the proof, where they can be read."""
    if report is None or not report.questions:
        return grade
    judge = QuestionJudge(provider_for(lease.run, role="judge"))
    try:
        answers, usage = judge.answer(environment, report.questions)
    except ReplyUnreadable as error:
        lease.note("answers_unreadable", stage="quality", text=f"{environment.name}: {error}")
        return grade
    return grade.replace(answers=answers, usage=grade.usage + usage)


def store_grade(*, revision: Revision, grade: QualityGrade, run: Run | None = None) -> QualityRecord:
    """Keep a grade.

    Raises:
        InvalidInput: It is of another revision.
    """
    if grade.environment != revision.fingerprint:
        raise InvalidInput("The grade is of another revision.")
    return QualityRecord.objects.create(
        environment_id=revision.environment_id,
        revision=revision,
        run=run,
        judge=grade.judge[:120],
        scores={name: each.score for name, each in grade.grades.items()},
        bug_kinds=[bug.kind for bug in grade.bugs],
        bugs=len(grade.bugs),
        blocked=len(grade.blocked_tasks),
        cost=grade.usage.cost,
        document=grade.model_dump_json(),
    )


def active() -> list[QualityRecord]:
    """The newest grade of every current revision, without the documents, by environment."""
    newest: dict[int, QualityRecord] = {}
    graded = (
        QualityRecord.objects.filter(revision=F("environment__current"))
        .select_related("environment")
        .defer("document")
        .order_by("id")
    )
    for record in graded:
        newest[record.environment_id] = record
    return sorted(newest.values(), key=lambda record: record.environment.title)


@dataclass(frozen=True)
class CriterionGrades:
    """How one criterion was graded.

    Attributes:
        name: Its name.
        title: The same for people.
        judged: Mean of the judge model, or None.
        people: Mean of reviewers, or None.
        grades: How many reviewers' grades there are.
    """

    name: str
    title: str
    judged: float | None
    people: float | None
    grades: int


@dataclass(frozen=True)
class QualitySummary:
    """A summary of the valid grades.

    Attributes:
        environments: Graded ones.
        criteria: Each criterion.
        bugs: Bugs in all.
        buggy: Share of environments with at least one.
        kinds: Kind, title, count, share of all bugs; the commonest first.
        tasks: Tasks of the graded environments.
        blocked: Those a bug makes impossible.
        flags: What people flagged, by reason: value, title, count.
    """

    environments: int
    criteria: tuple[CriterionGrades, ...]
    bugs: int
    buggy: float | None
    kinds: tuple[tuple[str, str, int, float], ...]
    tasks: int
    blocked: int
    flags: tuple[tuple[str, str, int], ...]

    def as_json(self) -> dict[str, Any]:
        """For programs, with the published figures beside."""
        return {
            "environments": self.environments,
            "criteria": {
                each.name: {"judge": each.judged, "people": each.people, "people_grades": each.grades}
                for each in self.criteria
            },
            "bugs": self.bugs,
            "environments_with_bugs": self.buggy,
            "bug_kinds": {kind: count for kind, _, count, _ in self.kinds},
            "tasks": self.tasks,
            "blocked_tasks": self.blocked,
            "flags": {reason: count for reason, _, count in self.flags},
            "published": {
                **PUBLISHED,
                "awm_environments_with_bugs": PUBLISHED_BUGGY,
                "awm_edge_input_share": PUBLISHED_EDGE,
            },
        }


def summary(records: list[QualityRecord] | None = None) -> QualitySummary:
    """The figures of the quality page.

    Args:
        records: The valid grades, where they were read already.
    """
    records = active() if records is None else records
    kinds = Counter(kind for record in records for kind in record.bug_kinds)
    bugs = sum(kinds.values())
    tasks = Revision.objects.filter(pk__in=[record.revision_id for record in records]).aggregate(
        tasks=Sum("tasks")
    )
    return QualitySummary(
        environments=len(records),
        criteria=_criteria(records),
        bugs=bugs,
        buggy=sum(record.bugs > 0 for record in records) / len(records) if records else None,
        kinds=tuple(
            (kind, BUG_TITLES.get(kind, kind), count, count / bugs) for kind, count in kinds.most_common()
        ),
        tasks=tasks["tasks"] or 0,
        blocked=sum(record.blocked for record in records),
        flags=_flags(),
    )


def _criteria(records: list[QualityRecord]) -> tuple[CriterionGrades, ...]:
    people: dict[str, list[int]] = defaultdict(list)
    for scores in Review.objects.submitted().filter(~Q(scores={})).values_list("scores", flat=True):
        for name, score in scores.items():
            people[name].append(score)
    return tuple(
        CriterionGrades(
            name=each.name,
            title=each.title,
            judged=_mean([record.scores[each.name] for record in records if each.name in record.scores]),
            people=_mean(people[each.name]),
            grades=len(people[each.name]),
        )
        for each in ENVIRONMENT_QUALITY.criteria
    )


def _mean(values: list[int]) -> float | None:
    return sum(values) / len(values) if values else None


def _flags() -> tuple[tuple[str, str, int], ...]:
    counted = Counter(Flag.objects.values_list("reason", flat=True))
    return tuple((reason, FlagReason(reason).label, count) for reason, count in counted.most_common())
