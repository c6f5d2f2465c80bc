"""Judge figures: how reliable a judge is, and how its labels compare with those of others and of people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Max, Sum

from studio.models import Run, RunKind, RunState, TrajectoryRecord, VerdictRecord, VerdictSource
from studio.services.errors import Missing
from synthesis.documents.verdict import LABEL_TITLES, Label
from synthesis.judging.reliability import PUBLISHED, confusion, reliability

Labels = dict[int, str]
"""Trajectory to one label."""


@dataclass(frozen=True)
class JudgeComparison:
    """One judge beside another on the trajectories that both have labelled.

    Attributes:
        key: "play", "people" or a strategy.
        title: Whom the judge is compared with, in words.
        run: The other's run, when it has one.
        both: Trajectories that both labelled.
        same: Those with the same label.
        table: How often the judge said this and the other that.
    """

    key: str
    title: str
    run: int | None
    both: int
    same: int
    table: dict[tuple[str, str], int]

    @property
    def share(self) -> float | None:
        """Share of equal labels; None without a trajectory that both labelled."""
        return self.same / self.both if self.both else None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        rows: dict[str, dict[str, int]] = defaultdict(dict)
        for (mine, theirs), count in sorted(self.table.items()):
            rows[mine][theirs] = count
        return {
            "with": self.key,
            "run": self.run,
            "both": self.both,
            "same": self.same,
            "share": self.share,
            "confusion": dict(rows),
        }


@dataclass(frozen=True)
class Opinions:
    """The labels of one trajectory by the judge, the measurement and people.

    Attributes:
        trajectory: Which.
        measured: What was measured when it was played.
        judge_labels: The judge's labels, each with how often.
        people: Labels of people, each with how often.
    """

    trajectory: TrajectoryRecord
    measured: str
    judge_labels: dict[str, int]
    people: dict[str, int]

    @property
    def differs(self) -> bool:
        """Whether the judge ever disagreed with the measurement."""
        return set(self.judge_labels) != {self.measured}

    @property
    def flips(self) -> bool:
        """Whether the judge does not agree with itself."""
        return len(self.judge_labels) > 1

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "trajectory": self.trajectory.pk,
            "environment": self.trajectory.environment.name,
            "task": self.trajectory.task_id,
            "agent": self.trajectory.agent,
            "measured": self.measured,
            "judge": self.judge_labels,
            "people": self.people,
        }


def find(run_id: int) -> Run:
    """The run of judgements of that number.

    Raises:
        Missing: There is none.
    """
    run = Run.objects.listed().filter(pk=run_id, kind=RunKind.JUDGING).first()
    if run is None:
        raise Missing(f"There is no judging run {run_id}.", remedy="Choose one from the judge lab.")
    return run


def summary(run: Run) -> dict[str, Any]:
    """What a run's judgements came to, as its result: the three figures beside the published ones."""
    ratings: dict[int, list[str]] = defaultdict(list)
    verdicts = run.verdicts.order_by("trajectory_id", "number")
    for trajectory, label in verdicts.values_list("trajectory_id", "label"):
        ratings[trajectory].append(label)
    first = verdicts.first()
    spent = verdicts.aggregate(
        input_tokens=Sum("input_tokens"), output_tokens=Sum("output_tokens"), cost=Sum("cost")
    )
    return {
        "strategy": run.request["strategy"],
        "judge": first.judge if first else "",
        "model": first.model if first else "",
        "prompt_fingerprint": first.prompt_fingerprint if first else "",
        "trajectories": len(ratings),
        "repeats": run.request["repeats"],
        "labels": dict(Counter(label for labels in ratings.values() for label in labels)),
        "reliability": reliability(list(ratings.values())).model_dump(mode="json"),
        "published": PUBLISHED,
        "disagreements": len(disagreements(run)),
        "input_tokens": spent["input_tokens"] or 0,
        "output_tokens": spent["output_tokens"] or 0,
        "cost": None if spent["cost"] is None else float(spent["cost"]),
    }


def comparisons(run: Run) -> list[JudgeComparison]:
    """A run's labels beside the measurement's, people's and the latest ones of every other strategy."""
    mine = labels_of(run)
    measured = dict(TrajectoryRecord.objects.filter(pk__in=mine).values_list("pk", "label"))
    judge_comparisons = [
        _compared("play", "Verifier, during the episode", mine, measured),
        _compared("people", "People", mine, labels_of_people(mine)),
    ]
    latest = {source: pk for source, pk in _latest().items() if source != run.request["strategy"]}
    theirs = _labels_of_runs(latest.values())
    for source in VerdictSource:
        if source in latest:
            run_id = latest[source]
            judge_comparisons.append(
                _compared(source.value, source.label, mine, theirs.get(run_id, {}), run=run_id)
            )
    return judge_comparisons


def disagreements(run: Run) -> list[Opinions]:
    """Trajectories a person should see: those on which the judge flips, or differs from what was measured."""
    return [each for each in judged(run) if each.differs]


def judged(run: Run) -> list[Opinions]:
    """Every trajectory of a run; the ones that no person has labelled come first."""
    answers: dict[int, Counter[str]] = defaultdict(Counter)
    for trajectory, label in run.verdicts.order_by("number").values_list("trajectory_id", "label"):
        answers[trajectory][label] += 1
    people: dict[int, Counter[str]] = defaultdict(Counter)
    for trajectory, label in _of_people(answers):
        people[trajectory][label] += 1
    records = TrajectoryRecord.objects.filter(pk__in=answers).select_related("environment").order_by("pk")
    opinions = [Opinions(each, each.label, dict(answers[each.pk]), dict(people[each.pk])) for each in records]
    return sorted(opinions, key=lambda each: bool(each.people))


def labels_of(run: Run) -> Labels:
    """One label per trajectory: the one its repeats gave most often, the earliest of equals."""
    rows = run.verdicts.order_by("trajectory_id", "number").values_list("trajectory_id", "label")
    return _most_often(rows)


def labels_of_people(trajectories: Iterable[int]) -> Labels:
    """One label per trajectory that people labelled: the one most of them gave, the earliest of equals."""
    return _most_often(_of_people(trajectories))


def _latest() -> dict[str, int]:
    """The newest finished run of judgements by each strategy."""
    given = VerdictRecord.objects.filter(run__state=RunState.FINISHED).order_by()
    return dict(given.values_list("strategy").annotate(newest=Max("run_id")))


def _labels_of_runs(runs: Iterable[int]) -> dict[int, Labels]:
    """What `labels_of` says of each of some runs, in one query."""
    rows: dict[int, list[tuple[int, str]]] = defaultdict(list)
    given = VerdictRecord.objects.filter(run__in=list(runs)).order_by("run", "trajectory", "number")
    for run_id, trajectory, label in given.values_list("run_id", "trajectory_id", "label"):
        rows[run_id].append((trajectory, label))
    return {run_id: _most_often(results) for run_id, results in rows.items()}


def title_of(label: str) -> str:
    """A label in words."""
    return LABEL_TITLES[cast("Label", label)]


def _of_people(trajectories: Iterable[int]) -> Iterable[tuple[int, str]]:
    given = VerdictRecord.objects.filter(strategy=VerdictSource.PERSON, trajectory__in=list(trajectories))
    return given.order_by("pk").values_list("trajectory_id", "label")


def _most_often(rows: Iterable[tuple[int, str]]) -> Labels:
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for trajectory, label in rows:
        counted[trajectory][label] += 1
    return {trajectory: labels.most_common(1)[0][0] for trajectory, labels in counted.items()}


def _compared(
    key: str, title: str, mine: Mapping[int, str], theirs: Mapping[int, str], *, run: int | None = None
) -> JudgeComparison:
    shared = [trajectory for trajectory in mine if trajectory in theirs]
    table = confusion([mine[each] for each in shared], [theirs[each] for each in shared])
    same = sum(count for (one, other), count in table.items() if one == other)
    return JudgeComparison(key=key, title=title, run=run, both=len(shared), same=same, table=table)
