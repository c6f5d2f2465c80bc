"""A studio full of work: environments, what was proved of them, tried in them and said about them.

One environment is whole, so that its pages show a real schema, real tools and real rows; the others are what
lists, counts and searches read, made by bulk inserts. Import this only where Django is running.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from studio.models import (
    AttemptRecord,
    AuthorKind,
    BundleRecord,
    CheckReportRecord,
    CheckResultRecord,
    Comment,
    Element,
    ElementKind,
    EnvironmentRecord,
    EnvironmentState,
    Flag,
    FlagReason,
    LlmCall,
    Review,
    Revision,
    Role,
    Run,
    RunEvent,
    RunKind,
    RunState,
    StepRecord,
    TrajectoryRecord,
    VerdictRecord,
)
from studio.services.accounts import accounts
from studio.services.environments.environments import store_environment
from studio.services.exports import stored_archives
from studio.services.rollouts.trajectories import store_trajectory
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.check_report import CheckReport, CheckResult, RowDifference, Score, Trial
from synthesis.documents.environment import Environment
from synthesis.documents.rubric import ENVIRONMENT_QUALITY
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step, Trajectory
from synthesis.documents.verdict import Scored

TOOLS = 35
TASKS = 10
TABLES = 12
TRAJECTORIES = 50
STEPS = 10
CLAIMS = 12
LONG = 400
"""Steps of the longest trajectory."""

_CATEGORIES = [f"category {number:02d}" for number in range(24)]
_LABELS = ("completed", "completed", "partially_completed", "agent_error", "environment_error")
_STATES = list(EnvironmentState)
_BATCH = 2_000

One = TypeVar("One")


@dataclass(frozen=True)
class StudioPopulation:
    """What pages are asked for."""

    user: User
    record: EnvironmentRecord
    environment: Environment
    run: Run
    attempt: AttemptRecord
    trajectory: TrajectoryRecord
    other: TrajectoryRecord
    bundle: BundleRecord
    review: Review
    flag: Flag
    comment: Comment


def populate(environment: Environment, *, count: int) -> StudioPopulation:
    """Fill an empty studio.

    Args:
        environment: The one that is stored whole.
        count: Environments in all; each has 35 tools, 10 tasks and 50 trajectories of 10 steps.
    """
    people = [_person(f"person_{number}", Role.REVIEWER) for number in range(5)]
    admin = _person("admin", Role.ADMIN)
    whole = _whole(environment)
    _environments(count - 1)
    records = list(EnvironmentRecord.objects.select_related("current").order_by("pk"))
    for some in _batches(records, 50):
        with transaction.atomic():
            _elements([record for record in some if record != whole])
            _checks([record for record in some if record != whole])
            _opinions(some, people)
            _runs(some)
            _trajectories(some, environment)
    with transaction.atomic():
        tried = _long_trajectories(whole, environment)
    run = Run.objects.filter(environment=whole).latest("pk")
    bundle = BundleRecord.objects.filter(environment=whole).latest("pk")
    stored_archives.store(ContentFile(bytes(100_000)), bundle.path)
    return StudioPopulation(
        user=admin,
        record=whole,
        environment=environment,
        run=run,
        attempt=AttemptRecord.objects.filter(run=run).latest("pk"),
        trajectory=tried[0],
        other=tried[1],
        bundle=bundle,
        review=Review.objects.filter(environment=whole).latest("pk"),
        flag=Flag.objects.filter(environment=whole).latest("pk"),
        comment=Comment.objects.filter(environment=whole).latest("pk"),
    )


def _batches(values: Sequence[One], size: int) -> Iterator[Sequence[One]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _insert(rows: list[Any]) -> list[Any]:
    results: list[Any] = type(rows[0]).objects.bulk_create(rows, batch_size=_BATCH)
    return results


def _person(name: str, role: Role) -> User:
    user = User(username=name, first_name=name.title())
    user.set_unusable_password()
    user.save()
    with transaction.atomic():
        accounts.set_role(user=user, role=role)
    return user


def _whole(environment: Environment) -> EnvironmentRecord:
    results = tuple(
        CheckResult(claim=f"claim_{number}_holds", passed=True, figures={"tried": number})
        for number in range(CLAIMS)
    )
    results += (_tried(environment),)
    report = CheckReport(environment=environment.fingerprint, results=results)
    revision = store_environment(
        environment=environment, author_kind=AuthorKind.PROCEDURAL, reason="Composed.", report=report
    )
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


def _tried(environment: Environment) -> CheckResult:
    """Twenty near-misses of every task, each refused."""
    table = environment.schema.tables[0].name
    trials = tuple(
        Trial(
            subject=task.id,
            kind="wrong_value",
            description=f"row {number} has another name",
            expected="refused",
            outcome="refused",
            open=("the row is as asked",),
            rows=(RowDifference(table=table, key=number, kind="updated", cells={"name": ("Ada", "Bo")}),),
        )
        for task in environment.tasks.tasks
        for number in range(20)
    )
    return CheckResult(
        claim="near_misses_are_refused",
        passed=True,
        figures={"mutants": len(trials), "refused": len(trials)},
        scores=tuple(Score(subject=task.id, tried=20, right=20) for task in environment.tasks.tasks),
        trials=trials,
    )


def _environments(count: int) -> None:
    now = timezone.now()
    if count < 1:
        return
    results = _insert(
        [
            EnvironmentRecord(
                name=f"world_{number}",
                title=f"World {number}",
                category=_CATEGORIES[number % len(_CATEGORIES)],
                description=f"The front desk of office {number} serves people who ask for things. " * 3,
                state=_STATES[number % len(_STATES)],
                author_kind=AuthorKind.PROCEDURAL if number % 3 else AuthorKind.MODEL,
                risk=number % 97 / 97,
                created_at=now - timedelta(hours=number),
                updated_at=now - timedelta(minutes=number),
            )
            for number in range(count)
        ]
    )
    revisions = _insert(
        [
            Revision(
                environment=record,
                number=1,
                fingerprint=f"{record.pk:064x}",
                author_kind=record.author_kind,
                reason="Composed.",
                tables=TABLES,
                rows=1_000 + record.pk,
                tools=TOOLS,
                tasks=TASKS,
                code_lines=900,
                checks_passed=CLAIMS - record.pk % 2,
                checks_failed=record.pk % 2,
            )
            for record in results
        ]
    )
    for record, revision in zip(results, revisions, strict=True):
        record.current = revision
    EnvironmentRecord.objects.bulk_update(results, ["current"], batch_size=200)


def _elements(records: list[EnvironmentRecord]) -> None:
    shapes: tuple[tuple[ElementKind, int, dict[str, object]], ...] = (
        (ElementKind.TABLE, TABLES, {"rows": 100, "columns": 7, "foreign_keys": 1}),
        (ElementKind.TOOL, TOOLS, {"mutates_state": True, "parameters": 3}),
        (ElementKind.TASK, TASKS, {"kind": "write", "difficulty": "medium", "min_calls": 3}),
    )
    rows = [
        Element(
            environment=record,
            kind=kind,
            position=place,
            name=f"{kind.value}_{place}_{record.pk % 40}",
            summary=f"What {kind.label.lower()} {place} is for, in a sentence of the usual length.",
            figures=figures,
        )
        for record in records
        for kind, count, figures in shapes
        for place in range(count)
    ]
    if rows:
        _insert(rows)


def _checks(records: list[EnvironmentRecord]) -> None:
    if not records:
        return
    reports = _insert(
        [CheckReportRecord(revision=record.current, passed=not record.pk % 2) for record in records]
    )
    _insert(
        [
            CheckResultRecord(
                report=report,
                position=place,
                claim=f"claim_{place}_holds",
                passed=report.passed or place > 0,
                figures={"tried": place},
            )
            for report in reports
            for place in range(CLAIMS)
        ]
    )


def _opinions(records: Sequence[EnvironmentRecord], people: list[User]) -> None:
    """Two reviews, a flag and three comments each."""
    scores = {criterion.name: 4 for criterion in ENVIRONMENT_QUALITY.criteria}
    about = [(record, {"environment": record, "revision": record.current}) for record in records]
    _insert(
        [
            Review(
                **of,
                reviewer=people[(record.pk + place) % len(people)],
                state="submitted",
                decision="approve" if (record.pk + place) % 3 else "request_changes",
                scores=scores,
                comment="Reads well; one address is odd.",
                submitted_at=timezone.now(),
            )
            for record, of in about
            for place in range(2)
        ]
    )
    _insert(
        [
            Flag(
                **of,
                raised_by=people[record.pk % len(people)],
                reason=FlagReason.TOOL_BUG,
                severity="minor",
                part="tools",
                comment="The message names the wrong number.",
                state="open" if record.pk % 2 else "resolved",
            )
            for record, of in about
        ]
    )
    _insert(
        [
            Comment(**of, author=people[place], body=f"Remark {place} about the whole.")
            for _, of in about
            for place in range(3)
        ]
    )
    _insert(
        [
            BundleRecord(
                **of, codec="native", path=f"native/{record.pk}.zip", fingerprint=f"{record.pk:064x}", size=1
            )
            for record, of in about
        ]
    )


def _runs(records: Sequence[EnvironmentRecord]) -> None:
    """A run each, with its events, attempts and calls of a model."""
    now = timezone.now()
    results = _insert(
        [
            Run(
                kind=list(RunKind)[record.pk % len(RunKind)],
                state=RunState.FAILED if record.pk % 9 == 0 else RunState.FINISHED,
                title=f"Synthesis of {record.title}",
                environment=record,
                done=7,
                total=7,
                started_at=now,
                finished_at=now,
            )
            for record in records
        ]
    )
    stages = ("scenario", "schema", "seed_data", "tools", "tasks", "verifiers")
    _insert([RunEvent(run=run, kind="part_stored", stage=s, text="Kept.") for run in results for s in stages])
    _insert(
        [
            AttemptRecord(
                run=run,
                stage=s,
                number=1,
                prompt="Write it. " * 50,
                reply="{} " * 100,
                accepted=True,
                seconds=2,
            )
            for run in results
            for s in stages
        ]
    )
    _insert(
        [
            LlmCall(
                run=run,
                stage=s,
                provider="local",
                model="m",
                input_tokens=900,
                output_tokens=300,
                outcome="ok",
            )
            for run in results
            for s in stages
        ]
    )


def _trajectories(records: Sequence[EnvironmentRecord], environment: Environment) -> None:
    tasks = [task.id for task in environment.tasks.tasks]
    results = _insert(
        [
            TrajectoryRecord(
                environment=record,
                revision=record.current,
                task_id=tasks[place % len(tasks)],
                agent=("reference", "random", "chat")[place % 3],
                model="m" if place % 3 == 2 else "",
                seed=place,
                stop_reason="answered",
                answer="It is done.",
                step_count=STEPS,
                changed_rows=2,
                label=(label := _LABELS[(record.pk + place) % len(_LABELS)]),
                reward=1.0 if label == "completed" else 0.0,
            )
            for record in records
            for place in range(TRAJECTORIES)
        ]
    )
    documents = [_step(index) for index in range(1, STEPS + 1)]
    texts = [step.model_dump_json() for step in documents]
    for some in _batches(results, 500):
        _insert(
            [
                StepRecord(
                    trajectory=one,
                    index=index,
                    tool="find_things",
                    status="ok",
                    size=len(text),
                    document=text,
                )
                for one in some
                for index, text in enumerate(texts, start=1)
            ]
        )
    _insert(
        [
            VerdictRecord(
                trajectory=one,
                label=one.label,
                reward=one.reward,
                basis="verifier",
                document=_verdict(one.label).model_dump_json(),
            )
            for one in results
        ]
    )


def _step(index: int) -> Step:
    seen = [
        {"id": number, "name": f"thing {number}", "state": "open", "held_by": None} for number in range(8)
    ]
    call = ToolCall(name="find_things", arguments={"name": f"thing {index}", "limit": 8})
    return Step(index=index, action=call, status="ok", observation={"items": seen}, state_hash="ab" * 32)


def _verdict(label: str) -> Scored:
    done = label == "completed"
    return Scored(
        label=label,
        reward=float(done),
        basis="verifier",
        share=float(done),
    )


def _long_trajectories(
    record: EnvironmentRecord, environment: Environment
) -> tuple[TrajectoryRecord, TrajectoryRecord]:
    """Two tries of 400 steps at one task."""
    assert record.current is not None
    stored = []
    for seed in (1, 2):
        trajectory = Trajectory(
            environment=environment.fingerprint,
            environment_name=environment.name,
            task_id=environment.tasks.tasks[0].id,
            agent="chat",
            seed=seed,
            steps=tuple(_step(index) for index in range(1, LONG + 1)),
            stop_reason="step_limit",
        )
        judged = JudgedTrajectory(trajectory=trajectory, verdicts=(_verdict("agent_error"),))
        stored.append(store_trajectory(revision=record.current, judged=judged))
    return stored[0], stored[1]
