"""Judging: stored trajectories are judged again, several times, to see how far a judge can be relied on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from typing import cast, get_args

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from studio.models import (
    Act,
    EnvironmentRecord,
    Revision,
    Run,
    RunKind,
    TrajectoryRecord,
    VerdictRecord,
    VerdictSource,
)
from studio.models.runs import AFTER_PROGRESS
from studio.services.accounts.accounts import require
from studio.services.environments import quality_gates
from studio.services.environments.environments import load_environment
from studio.services.errors import Missing
from studio.services.judging import judge_figures
from studio.services.llm.providers import provider_for, provider_settings
from studio.services.projects import membership
from studio.services.rollouts.rewards import reward_table
from studio.services.rollouts.trajectories import add_verdict, load_measured, mark_disputed
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import Trajectory, Usage
from synthesis.documents.verdict import LABEL_TITLES, Label, Scored, Verdict
from synthesis.episode import Episode, EpisodeLimits
from synthesis.errors import Cancelled, InvalidInput, UnknownName
from synthesis.judging.code_judge import CodeJudge
from synthesis.judging.evidence import JudgingEvidence, evidence_of
from synthesis.judging.judgement import Judge, Judgement, Strategy
from synthesis.judging.model_judge import ModelJudge
from synthesis.judging.rule_judge import RuleJudge
from synthesis.verification.reference_run import play
from synthesis.worlds.world import World

STRATEGIES: tuple[str, ...] = tuple(
    source.value for source in VerdictSource if source.value in get_args(Strategy)
)
ASKS_A_MODEL = frozenset({"model_only", "code_augmented"})
MOST_JUDGEMENTS = 20_000
LONGEST_COMMENT = 4_000
SHARES: dict[str, float] = {"completed": 1.0, "partially_completed": 0.5}
"""Share of the goals that a person's label stands for; people name no figure, so in part is half."""


class JudgingRequest(Document):
    """Stored trajectories that a strategy judges several times each."""

    strategy: str
    repeats: int
    seed: int
    trajectories: tuple[int, ...]


@transaction.atomic
def start_judging(
    *,
    strategy: str,
    environment: EnvironmentRecord | None = None,
    repeats: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    requested_by: User | None = None,
) -> Run:
    """Queue judgements of stored trajectories of current revisions.

    Args:
        strategy: One of STRATEGIES.
        environment: Whose trajectories; those of all environments when left out.
        repeats: How often each is judged; WORLDWRIGHT_JUDGE_REPEATS when left out.
        sample: How many are drawn; WORLDWRIGHT_JUDGE_SAMPLE when left out, all when there are fewer.
        seed: Of the drawing; the same seed draws the same of the same trajectories.
        requested_by: Who asks.

    Raises:
        UnknownName: There is no such strategy.
        InvalidInput: The numbers are out of bounds, there is nothing to judge, or the strategy asks a model
            and no key or model is set.
    """
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", strategy, list(STRATEGIES))
    repeats = settings.WORLDWRIGHT.judge_repeats if repeats is None else repeats
    sample = settings.WORLDWRIGHT.judge_sample if sample is None else sample
    if repeats < 2:
        raise InvalidInput(
            f"Measuring reliability needs at least 2 judgements of each trajectory, not {repeats}."
        )
    if sample < 1 or sample * repeats > MOST_JUDGEMENTS:
        raise InvalidInput(
            f"{sample:,} trajectories, {repeats} times each, were asked for; "
            f"a run makes 2 to {MOST_JUDGEMENTS:,} judgements."
        )
    if strategy in ASKS_A_MODEL:
        provider_settings(
            role="judge",
            project_id=environment.project_id if environment else None,
            asking=f"The strategy {strategy}",
            otherwise="choose code_only or rules",
        )
    chosen = draw(environment, sample, seed)
    if not chosen:
        raise InvalidInput("There is no trajectory to judge. Run agents on tasks first.")
    what = environment.title if environment else "all environments"
    title = VerdictSource(strategy).label
    return runs.queue_run(
        kind=RunKind.JUDGING,
        title=f"{title}: {len(chosen)} from {what}, {repeats} times",
        request=JudgingRequest(strategy=strategy, repeats=repeats, seed=seed, trajectories=tuple(chosen)),
        requested_by=requested_by,
        environment=environment,
        total=len(chosen) * repeats,
    )


def draw(environment: EnvironmentRecord | None, sample: int, seed: int) -> list[int]:
    """Trajectories of current revisions at random, in order; those that never played out say nothing."""
    trajectories = (
        TrajectoryRecord.objects.filter(revision=F("environment__current"))
        .exclude(stop_reason__in=("infrastructure_error", "cancelled"))
        .order_by("pk")
    )
    if environment is not None:
        trajectories = trajectories.filter(environment=environment)
    known = list(trajectories.values_list("pk", flat=True))
    if len(known) <= sample:
        return known
    return sorted(random.Random(seed).sample(known, sample))  # noqa: S311 - a reproducible drawing


def execute_judging(lease: RunLease, request: JudgingRequest) -> None:
    """Make the judgements a claimed run asks for; those an earlier worker stored are reused.

    Raises:
        Cancelled: Somebody asked to stop.
        WorldError, ProviderError: The world or the model's endpoint failed for good.
    """
    run, repeats = lease.run, request.repeats
    done = set(run.verdicts.values_list("trajectory_id", "number"))
    for revision, records in _by_revision(request.trajectories):
        if all((record.pk, number) in done for record in records for number in _numbers(repeats)):
            continue
        with ExitStack() as stack:
            stack.callback(_settle, revision.environment_id)  # a run that stops half-way raises it, too
            setup = JudgingSetup(stack, run, request, load_environment(revision))
            for record in records:
                _judge_one(lease, request, setup, record, done)
    result = judge_figures.summary(run)
    with lease.writing():
        for environment_id in _environments(run):
            _settle(environment_id)
        lease.finish(result)


def label_by_person(*, trajectory_id: int, author: User, label: str, comment: str = "") -> VerdictRecord:
    """Keep what a person says a trajectory was worth; their earlier word is replaced.

    Raises:
        Forbidden: The person is no reviewer.
        Missing: There is no such trajectory.
        UnknownName: There is no such label; a person cannot say Unscored.
        InvalidInput: The comment is too long.
    """
    require(author, Act.REVIEW)
    known = [name for name in LABEL_TITLES if name != "unscored"]
    if label not in known:
        raise UnknownName("label", label, known)
    if len(comment) > LONGEST_COMMENT:
        raise InvalidInput(f"Keep the comment under {LONGEST_COMMENT:,} characters.")
    name = cast("Label", label)
    verdict = Scored(
        label=name,
        reward=reward_table().reward(name),
        basis="person",
        share=SHARES.get(label, 0.0),
        explanation=comment.strip(),
        trainable=label != "environment_error",
    )
    with transaction.atomic():
        record = (
            TrajectoryRecord.objects.select_for_update(of=("self",))
            .select_related("environment")
            .filter(pk=trajectory_id)
            .first()
        )
        if record is None:
            raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
        membership.require_in(author, record.environment.project_id, Act.REVIEW)
        record.verdicts.filter(author=author).delete()
        stored = add_verdict(record=record, verdict=verdict, strategy=VerdictSource.PERSON, author=author)
        _settle(record.environment_id)
    return stored


def withdraw_label(*, trajectory_id: int, author: User) -> None:
    """Remove a person's label; nothing happens without one."""
    record = TrajectoryRecord.objects.filter(pk=trajectory_id).first()
    if record is None:
        raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
    with transaction.atomic():
        record.verdicts.filter(author=author).delete()
        mark_disputed(record)
        _settle(record.environment_id)


class JudgingSetup:
    """What a judge needs of one environment: its document, and its world when code is to run.

    Args:
        stack: Closes the world.
        run: The run, whose budget and ledger count.
        request: The run's request, whose strategy counts.
        environment: The environment of all trajectories judged here.
    """

    def __init__(self, stack: ExitStack, run: Run, request: JudgingRequest, environment: Environment) -> None:
        self._strategy = request.strategy
        self._environment = environment
        self._rewards = reward_table()
        self._world = stack.enter_context(World(environment)) if self._strategy not in ASKS_A_MODEL else None
        self._expected: dict[str, RuleJudge] = {}
        self._model = (
            ModelJudge(
                provider_for(run, role="judge"),
                strategy="model_only" if self._strategy == "model_only" else "code_augmented",
                rewards=self._rewards,
            )
            if self._world is None
            else None
        )

    def judge(self, record: TrajectoryRecord) -> Iterator[Judgement]:
        """One judgement after the other of a trajectory, without end.

        Code measures again every time: the actions are played in a fresh instance and the verifier looks at
        the end. A model is asked again every time.
        """
        evidence = evidence_of(self._environment, load_measured(record))
        judge = self._judge_of(evidence)
        while True:
            again = evidence
            if self._strategy == "code_only":
                again = evidence.replace(verdict=self._measure(evidence.trajectory))
            yield judge.judge(again)

    def _judge_of(self, evidence: JudgingEvidence) -> Judge:
        if self._model is not None:
            return self._model
        if self._strategy == "code_only":
            return CodeJudge()
        task = evidence.task
        if task.id not in self._expected:
            assert self._world is not None
            _, _, changes = play(self._world, task.reference_solution)
            self._expected[task.id] = RuleJudge({task.id: changes}, rewards=self._rewards)
        return self._expected[task.id]

    def _measure(self, trajectory: Trajectory) -> Verdict:
        """What the verifier says when the recorded actions are taken once more."""
        assert self._world is not None
        limits = EpisodeLimits(max_steps=max(1, len(trajectory.steps)))
        recorded = trajectory.conversation
        with Episode(
            self._world,
            trajectory.task_id,
            limits=limits,
            rewards=self._rewards,
            conversation=None if recorded is None else lambda: recorded,
        ) as episode:
            episode.reset(seed=trajectory.seed)
            for step in trajectory.steps:
                episode.step(step.action, thought=step.thought)
            if not episode.ended:
                episode.stop(trajectory.stop_reason, error=trajectory.error)
            assert episode.verdict is not None
            return episode.verdict


def _judge_one(
    lease: RunLease,
    request: JudgingRequest,
    setup: JudgingSetup,
    record: TrajectoryRecord,
    done: set[tuple[int, int]],
) -> None:
    """Judge one trajectory as often as it is still missing."""
    left = [number for number in _numbers(request.repeats) if (record.pk, number) not in done]
    if not left:
        return
    judgements = setup.judge(record)
    for number in left:
        if lease.cancelled():
            raise Cancelled("Stopped between two judgements.")
        judgement = next(judgements)
        with lease.writing(done=len(done) + 1, **AFTER_PROGRESS):
            _store(lease.run, record, number, judgement)
        done.add((record.pk, number))
    labels = lease.run.verdicts.filter(trajectory=record).values_list("label", flat=True)
    text = ", ".join(dict.fromkeys(LABEL_TITLES[cast("Label", label)] for label in labels))
    lease.note(
        "trajectory_judged",
        stage=request.strategy,
        text=f"{record.environment.name}, {record.task_id}: {text}",
        payload={"trajectory": record.pk, "disputed": record.disputed},
        done=len(done),
    )


def _store(run: Run, record: TrajectoryRecord, number: int, judgement: Judgement) -> None:
    usage = judgement.usage or Usage()
    add_verdict(
        record=record,
        verdict=judgement.verdict,
        strategy=judgement.strategy,
        judge=judgement.judge[:120],
        run=run,
        number=number,
        prompt_fingerprint=judgement.prompt_fingerprint or "",
        model=(judgement.model or "")[:120],
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
    )


def _by_revision(chosen: Sequence[int]) -> Iterator[tuple[Revision, list[TrajectoryRecord]]]:
    """The trajectories by the revision they were made in, so that each is opened once."""
    records = (
        TrajectoryRecord.objects.filter(pk__in=chosen)
        .select_related("revision", "environment")
        .order_by("revision_id", "pk")
    )
    for _, group in groupby(records, key=lambda record: record.revision_id):
        members = list(group)
        yield members[0].revision, members


def _environments(run: Run) -> list[int]:
    judged = TrajectoryRecord.objects.filter(verdicts__run=run)
    return list(judged.order_by().values_list("environment", flat=True).distinct())


def _settle(environment_id: int) -> None:
    quality_gates.settle(EnvironmentRecord.objects.select_related("current").get(pk=environment_id))


def _numbers(repeats: int) -> range:
    return range(1, repeats + 1)
