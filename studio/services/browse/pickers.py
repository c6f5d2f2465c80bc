"""What fields that take an environment, a run, an agent, a model or a place suggest, by title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from studio.models import EnvironmentRecord, Run, RunKind, TrajectoryRecord
from studio.services.environments.titles import titles_of
from studio.services.environments.trade_words import agent_word, agents_in_words

MOST_OFFERED = 200
"""Suggestions of one field; others can still be typed."""


@dataclass(frozen=True)
class Option:
    """One suggestion: what is stored, and what people call it."""

    value: str
    title: str


Key = TypeVar("Key")
Options = Callable[[], Sequence[Option]]


def environments() -> list[Option]:
    """Environments by title."""
    records = EnvironmentRecord.objects.order_by("title").values_list("name", "title")
    return _distinct(records[:MOST_OFFERED])


def rollout_runs() -> list[Option]:
    """Runs of agents, the newest first, each by its number and title."""
    runs = Run.objects.filter(kind=RunKind.ROLLOUTS).order_by("-id").values_list("pk", "title")
    return [
        Option(str(number), f"{number}: {agents_in_words(title)}") for number, title in runs[:MOST_OFFERED]
    ]


def agents_and_models() -> tuple[list[Option], list[Option]]:
    """Agents of stored trajectories, the studio's own by what they do; and the models behind them."""
    pairs = list(TrajectoryRecord.objects.order_by("agent", "model").values_list("agent", "model").distinct())
    names = list(dict.fromkeys(agent for agent, _ in pairs))[:MOST_OFFERED]
    models = sorted({model for _, model in pairs if model})[:MOST_OFFERED]
    return [Option(name, agent_word(name)) for name in names], [Option(name, name) for name in models]


def categories() -> list[Option]:
    """Kinds of business."""
    names = EnvironmentRecord.objects.order_by("category").values_list("category", flat=True).distinct()
    return [Option(name, name) for name in names[:MOST_OFFERED] if name]


def places_of(record: EnvironmentRecord) -> list[Option]:
    """Tables, tools and tasks of an environment."""
    titles = titles_of(record)
    called = {"table": titles.table, "tool": titles.tool, "task": titles.task}
    elements = record.elements.order_by("kind", "name").values_list("kind", "name")
    return _distinct((name, f"{called[kind](name)} ({kind})") for kind, name in elements if kind in called)


def tasks_of(chosen: str) -> list[Option]:
    """Tasks of the environments that a field has chosen, by their titles or names; none where it has none."""
    if not chosen.strip():
        return []
    offered = environments()
    names = {value_of(offered, each.strip()) for each in (chosen, *chosen.split(","))}
    results: list[tuple[str, str]] = []
    for record in EnvironmentRecord.objects.filter(name__in=names).order_by("title"):
        titles = titles_of(record)
        tasks = record.elements.filter(kind="task").order_by("name").values_list("name", flat=True)
        results += [(name, titles.task(name)) for name in tasks]
    return _distinct(dict.fromkeys(results[:MOST_OFFERED]))


def value_of(options: Sequence[Option], text: str) -> str:
    """What a text means: a suggestion by its name, or by its title, else the text itself.

    A name comes first: addresses have names, and one may be another's title.
    """
    if any(each.value == text for each in options):
        return text
    return next((each.value for each in options if each.title.casefold() == text.casefold()), text)


def title_of(options: Sequence[Option], value: str) -> str:
    """What a value is called; the value itself where nothing suggests it."""
    return next((each.title for each in options if each.value == value), value)


def _distinct(named: Iterable[tuple[str, str]]) -> list[Option]:
    """Options, each with a title of its own."""
    return [Option(name, title) for name, title in distinguished(named)]


def distinguished(named: Iterable[tuple[Key, str]]) -> list[tuple[Key, str]]:
    """Names and titles, with the name behind titles that several have, or that differ in capitals alone."""
    pairs = list(named)
    counts = Counter(title.casefold() for _, title in pairs)
    return [(name, title if counts[title.casefold()] == 1 else f"{title} ({name})") for name, title in pairs]
