"""Rollout statistics: how often stored episodes succeeded, by whom and at what; whether one did better."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum

from studio.models import Element, ElementKind, EnvironmentRecord, Run, StepRecord, TrajectoryRecord
from studio.services.runs import runs
from studio.services.runs.families import family_of
from synthesis.documents.document import Document
from synthesis.errors import UnknownName
from synthesis.rollouts.failures import FAILURE_TITLES
from synthesis.rollouts.statistics import Comparison, Rates, ShareEstimate, TaskResult, compare_results, rates

By = Literal["agent", "environment", "category", "difficulty", "task", "model"]
BY: dict[str, str] = {
    "agent": "Agent",
    "model": "Model",
    "environment": "Environment",
    "category": "Category",
    "difficulty": "Difficulty",
    "task": "Task",
}
"""What episodes are told apart by, with the word for it; always beside the agent."""

Interval = ShareEstimate
"""A share with its 95% interval."""

MOST_DIFFERING = 200
"""Tasks that a comparison lists."""

WRONG_STEPS = ((1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, None))
"""Groups of the first wrong step, from and to."""


class Selection(Document):
    """Which stored episodes are selected; an empty part narrows nothing."""

    run: int | None = None
    """A run or a batch with all its parts."""
    environment: str = ""
    category: str = ""
    agent: str = ""
    model: str = ""
    task: str = ""

    def trajectories(self) -> QuerySet[TrajectoryRecord]:
        """The episodes, in no order.

        Raises:
            Missing: There is no such run.
        """
        wanted = {
            "environment__name": self.environment,
            "environment__category": self.category,
            "agent": self.agent,
            "model": self.model,
            "task_id": self.task,
        }
        results = TrajectoryRecord.objects.filter(**{name: value for name, value in wanted.items() if value})
        if self.run is not None:
            results = results.filter(run__in=family_of(self._run))
        return results.order_by()

    @cached_property
    def _run(self) -> Run:
        assert self.run is not None
        return runs.find(self.run)


@dataclass
class EpisodeCounts:
    """All episodes of one agent that belong together.

    Attributes:
        agent: Who tried.
        model: The model behind it, or "".
        key: Value that they share, for example an environment's name.
        title: The same for people.
        rollouts: Episodes in all.
        measured: Those that say something about the agent.
        completed: Of the measured.
        tasks: Episodes and successes per task, without the tasks' names.
        reward: Sum over the measured.
        steps: Sum over the measured.
    """

    agent: str
    model: str
    key: str
    title: str
    rollouts: int = 0
    measured: int = 0
    completed: int = 0
    reward: float = 0.0
    steps: int = 0
    tasks: list[TaskResult] = field(default_factory=list)

    @property
    def most_episodes(self) -> int:
        """The k for which pass@k and pass^k are reported: the attempts that most tasks have at least."""
        counts = sorted(result.episodes for result in self.tasks if result.episodes)
        return counts[len(counts) // 2] if counts else 1

    def rates(self) -> Rates:
        """pass@k and pass^k, for 1 and for the usual number of episodes."""
        return rates(self.tasks, ks=sorted({1, self.most_episodes}))

    def figures(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "agent": self.agent,
            "model": self.model,
            "key": self.key,
            "rollouts": self.rollouts,
            "measured": self.measured,
            "completed": self.completed,
            "tasks": len(self.tasks),
            "k": self.most_episodes,
            "mean_reward": self.reward / self.measured if self.measured else None,
            "mean_steps": self.steps / self.measured if self.measured else None,
            **self.rates().model_dump(mode="json"),
        }


@dataclass(frozen=True)
class Taxonomy:
    """How episodes failed.

    Attributes:
        kinds: (title, kind, count), most frequent first.
        unsorted: Failed episodes from before failures were told apart.
        first_wrong: ("1", "4-5", ..., count) of the first step that did not go through.
        refused: Calls that a tool declined.
        invalid: Calls with bad arguments, of unknown tools, or that could not be read.
        repeated: Calls made before with the same arguments.
        unused: Tools nobody called, where one environment is looked at.
    """

    kinds: tuple[tuple[str, str, int], ...]
    unsorted: int
    first_wrong: tuple[tuple[str, int], ...]
    refused: int
    invalid: int
    repeated: int
    unused: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """Two sets of episodes on the tasks both have.

    Attributes:
        comparison: Difference, test and counts.
        differing: Tasks on which they differ, largest difference first: (task, first, second) with shares.
    """

    comparison: Comparison
    differing: tuple[tuple[TaskResult, TaskResult], ...]


_SILENT = Q(label__in=("unscored", "environment_error")) | Q(trainable=False)
"""Episodes that say nothing about the agent."""


def episode_counts(selection: Selection, by: str = "agent") -> list[EpisodeCounts]:
    """The selected episodes, by agent and one more property; two or three queries.

    Raises:
        UnknownName: Episodes are not told apart by that.
    """
    if by not in get_args(By):
        raise UnknownName("property", by, list(BY))
    rows = _counted(selection, _NEEDED[by])
    known = _known(rows, by)
    results: dict[tuple[str, str, str], EpisodeCounts] = {}
    for row in rows:
        key, title = _KEYS[by](row, known)
        place = (row["agent"], row["model"], key)
        group = results.setdefault(place, EpisodeCounts(row["agent"], row["model"], key, title))
        group.rollouts += int(row["rollouts"])
        group.measured += row["measured"] * row["tasks"]
        group.completed += row["completed"] * row["tasks"]
        group.reward += float(row["rewards"] or 0.0)
        group.steps += int(row["taken"] or 0)
        if row["measured"]:
            group.tasks += [_result(row["measured"], row["completed"])] * row["tasks"]
    return [results[place] for place in sorted(results, key=lambda place: (place[2], place[0], place[1]))]


def taxonomy(selection: Selection) -> Taxonomy:
    """How the selected episodes failed; four queries."""
    chosen = selection.trajectories()
    failed = chosen.exclude(_SILENT).exclude(label="completed")
    kinds: Counter[str] = Counter(dict(failed.values_list("failure").annotate(count=Count("pk"))))
    unsorted = kinds.pop("", 0)
    wrong = dict(
        chosen.filter(first_wrong_step__isnull=False)
        .values_list("first_wrong_step")
        .annotate(count=Count("pk"))
    )
    sums = chosen.aggregate(
        refused=Sum("refused_calls"), invalid=Sum("invalid_calls"), repeated=Sum("repeated_calls")
    )
    return Taxonomy(
        kinds=tuple((FAILURE_TITLES.get(kind, kind), kind, count) for kind, count in kinds.most_common()),
        unsorted=unsorted,
        first_wrong=tuple(_first_wrong(wrong)),
        refused=sums["refused"] or 0,
        invalid=sums["invalid"] or 0,
        repeated=sums["repeated"] or 0,
        unused=_unused(selection, chosen),
    )


def compare(first: Selection, second: Selection) -> Compared:
    """Whether the second did better, on the tasks both tried.

    Raises:
        Missing: There is no such run.
    """
    one, other = (_by_task(selection) for selection in (first, second))
    comparison = compare_results(one.values(), other.values())
    both = [(one[task], other[task]) for task in one if task in other]
    differing = [(a, b) for a, b in both if a.completed * b.episodes != b.completed * a.episodes]
    differing.sort(key=lambda pair: -abs(_share(pair[1]) - _share(pair[0])))
    return Compared(comparison, tuple(differing[:MOST_DIFFERING]))


_BY_TASK = ("environment_id", "task_id", "agent", "model")


def _per_task(selection: Selection) -> QuerySet[Any, dict[str, Any]]:
    """Episodes and successes of every agent at every task; names are looked up apart, a join is slower."""
    measured = ~_SILENT
    counted: QuerySet[Any, dict[str, Any]] = (
        selection.trajectories()
        .values(*_BY_TASK)
        .annotate(
            rollouts=Count("pk"),
            measured=Count("pk", filter=measured),
            completed=Count("pk", filter=measured & Q(label="completed")),
            rewards=Sum("reward", filter=measured),
            taken=Sum("step_count", filter=measured),
        )
    )
    return counted


def _counted(selection: Selection, needed: tuple[str, ...]) -> list[dict[str, Any]]:
    """How many tasks (`tasks`) were tried and solved equally often, by what is needed of them.

    Rates need no more than that, so the database counts tasks, and only these counts are read.
    """
    if needed == _BY_TASK:
        return [{**row, "tasks": 1} for row in _per_task(selection)]
    try:
        inner, values = _per_task(selection).query.sql_with_params()
    except EmptyResultSet:  # nothing can match, as where somebody takes part in no project
        return []
    keys = (*needed, "measured", "completed")
    sums = ("rollouts", "rewards", "taken")
    sql = (
        f"SELECT {', '.join(keys)}, COUNT(*), {', '.join(f'SUM({name})' for name in sums)} "  # noqa: S608
        f"FROM ({inner}) AS per_task GROUP BY {', '.join(keys)}"
    )  # names are this module's own, values are bound
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [dict(zip((*keys, "tasks", *sums), row, strict=True)) for row in cursor.fetchall()]


@lru_cache(maxsize=10_000)
def _result(episodes: int, completed: int) -> TaskResult:
    """One of many tasks that came to the same; which one does not matter for rates."""
    return TaskResult(task_id="", episodes=episodes, completed=completed)


def _by_task(selection: Selection) -> dict[str, TaskResult]:
    """Episodes and successes per task, whoever tried."""
    sums: dict[tuple[int, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for row in _per_task(selection):
        place = row["environment_id"], row["task_id"]
        tried, completed = sums[place]
        sums[place] = (tried + row["measured"], completed + row["completed"])
    names = dict(EnvironmentRecord.objects.order_by().values_list("pk", "name"))
    # Counts of the database need no checking, and there may be tens of thousands.
    results = (
        TaskResult.model_construct(
            task_id=f"{names[environment]}/{task}", episodes=tried, completed=completed
        )
        for (environment, task), (tried, completed) in sums.items()
        if tried
    )
    return {result.task_id: result for result in results}


def _share(result: TaskResult) -> float:
    return result.completed / result.episodes


@dataclass(frozen=True)
class _Known:
    """What is looked up: environments by id as (name, title, category), difficulties of tasks."""

    environments: Mapping[int, tuple[str, str, str]]
    difficulty: Mapping[tuple[int, str], str]


def _known(rows: Sequence[Mapping[str, Any]], by: str) -> _Known:
    ids = {row["environment_id"] for row in rows if "environment_id" in row}
    if by == "difficulty" or not ids:
        return _Known({}, _difficulties(ids) if ids else {})
    wanted = EnvironmentRecord.objects.order_by().values_list("pk", "name", "title", "category")
    # A list of many ids costs more than the rows it spares.
    environments = wanted.filter(pk__in=ids) if len(ids) < 100 else wanted
    return _Known({pk: (name, title, category) for pk, name, title, category in environments}, {})


def _difficulties(environments: set[int]) -> dict[tuple[int, str], str]:
    tasks = Element.objects.filter(kind=ElementKind.TASK)
    tasks = tasks.filter(environment__in=environments) if len(environments) < 100 else tasks
    return {
        (environment, name): figures.get("difficulty", "")
        for environment, name, figures in tasks.order_by().values_list("environment_id", "name", "figures")
    }


Key = Callable[[Mapping[str, Any], _Known], tuple[str, str]]


def _same(value: str, other: str = "") -> tuple[str, str]:
    return value, other or value


_KEYS: dict[str, Key] = {
    "agent": lambda *_: ("", ""),
    "model": lambda row, _: _same(row["model"] or "", row["model"] or "no model"),
    "environment": lambda row, known: known.environments[row["environment_id"]][:2],
    "category": lambda row, known: _same(known.environments[row["environment_id"]][2]),
    "difficulty": lambda row, known: _same(
        known.difficulty.get((row["environment_id"], row["task_id"]), "") or "deleted"
    ),
    "task": lambda row, known: _same(f"{known.environments[row['environment_id']][0]}/{row['task_id']}"),
}
_NEEDED: dict[str, tuple[str, ...]] = {
    "agent": ("agent", "model"),
    "model": ("agent", "model"),
    "environment": ("environment_id", "agent", "model"),
    "category": ("environment_id", "agent", "model"),
    "difficulty": _BY_TASK,
    "task": _BY_TASK,
}
"""What a grouping needs to know of episodes, beside how often they succeeded."""


def _first_wrong(wrong: Mapping[int, int]) -> Iterable[tuple[str, int]]:
    for first, last in WRONG_STEPS:
        count = sum(
            number for step, number in wrong.items() if step >= first and (last is None or step <= last)
        )
        message = (
            str(first) if first == last else f"{first} or later" if last is None else f"{first} to {last}"
        )
        if count:
            yield message, count


def _unused(selection: Selection, chosen: QuerySet[TrajectoryRecord]) -> tuple[str, ...]:
    if not selection.environment:
        return ()
    record = EnvironmentRecord.objects.filter(name=selection.environment).first()
    if record is None:
        return ()
    used = set(
        StepRecord.objects.filter(trajectory__in=chosen).order_by().values_list("tool", flat=True).distinct()
    )
    names = record.elements.filter(kind=ElementKind.TOOL).order_by("position").values_list("name", flat=True)
    return tuple(name for name in names if name not in used)
