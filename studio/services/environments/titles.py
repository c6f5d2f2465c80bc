"""Titles: what the tasks, tools and tables of an environment are called, without a look at its design."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from studio.models import Element, ElementKind, EnvironmentRecord, TrajectoryRecord
from studio.services.environments.dictionaries import as_words, edited, task_title, tool_title

_NAME = re.compile(r"(?<![\w/-])[A-Za-z]\w*(?:[_-]\w+)+(?![\w/-])|(?<![\w/-])\w+(?![\w/-])")
"""What may be the name of a task, a tool or a table in a text."""

_ARGUMENT = re.compile(r"(^|, )(\w+)=")


class Titles:
    """Calls the parts of an environment as its dictionary does; the names of tables cost one query.

    Args:
        record: The environment, with its dictionary.
        elements: Its tables, tools and tasks, where they were read already.
    """

    def __init__(self, record: EnvironmentRecord, elements: Iterable[Element] | None = None) -> None:
        self._record = record
        self._elements = elements
        self._edited = edited(record)

    @property
    def environment(self) -> str:
        """What the environment itself is called."""
        return self._record.title

    def task(self, task_id: str) -> str:
        """What a task is called."""
        return self._edited.tasks.get(task_id) or task_title(task_id)

    def tool(self, name: str) -> str:
        """What a tool is called."""
        return self._edited.tools.get(name) or tool_title(name, self._named[ElementKind.TABLE])

    def table(self, name: str) -> str:
        """What a table is called."""
        entry = self._edited.tables.get(name)
        return (entry.title if entry else "") or as_words(name)

    def place(self, where: str) -> str:
        """What a place of a finding or a flag is called: "cancel_appointment, line 4" by the tool's title.

        Other names in code become words, and what is no name stays as it is.
        """
        text = _NAME.sub(lambda match: self._known(match[0]) or match[0].replace("_", " "), where)
        return text[:1].upper() + text[1:]

    def text(self, message: str) -> str:
        """A text about the design with the titles of what it names; single words stay as they are."""
        return _NAME.sub(lambda match: self._in_text(match[0]), message)

    def call(self, written: str) -> str:
        """A call as the proof writes it down: 'book(visit_id=7)' reads 'Book: visit id 7'."""
        name, opened, rest = written.partition("(")
        if not opened or not rest.endswith(")"):
            return self.text(written)
        values = _ARGUMENT.sub(lambda match: f"{match[1]}{match[2].replace('_', ' ')} ", rest[:-1])
        return f"{self.tool(name)}: {values}" if values else self.tool(name)

    def _in_text(self, name: str) -> str:
        if "_" not in name and "-" not in name:
            return name
        return f"“{title}”" if (title := self._known(name)) else name.replace("_", " ")

    def _known(self, name: str) -> str:
        called = {ElementKind.TASK: self.task, ElementKind.TOOL: self.tool, ElementKind.TABLE: self.table}
        return next((title(name) for kind, title in called.items() if name in self._named[kind]), "")

    @cached_property
    def _named(self) -> Mapping[str, set[str]]:
        names: dict[str, set[str]] = {kind: set() for kind in ElementKind.values}
        elements = self._elements
        if elements is None:
            elements = self._record.elements.only("kind", "name", "environment_id").order_by()
        for element in elements:
            names[element.kind].add(element.name)
        return names


def titles_of(record: EnvironmentRecord) -> Titles:
    """The titles of an environment, made once for each record that was read."""
    values: dict[str, Any] = record.__dict__
    if "_titles" not in values:
        values["_titles"] = Titles(record)
    titles: Titles = values["_titles"]
    return titles


def titles_by_name(names: Iterable[str]) -> dict[str, Titles]:
    """The titles of several environments by their names, in one query."""
    records = EnvironmentRecord.objects.filter(name__in=set(names)).only("pk", "name", "title", "dictionary")
    return {record.name: Titles(record) for record in records}


def tasks_called(places: Iterable[str]) -> dict[str, str]:
    """What tasks of several environments are called, by "environment/task": "Book a visit, Clinic"."""
    split = {place: place.partition("/") for place in places}
    titles = titles_by_name(name for name, _, _ in split.values())
    return {
        place: f"{titles[name].task(task)}, {titles[name].environment}" if name in titles else place
        for place, (name, _, task) in split.items()
    }


def with_task_called(trajectories: QuerySet[TrajectoryRecord], words: str) -> QuerySet[TrajectoryRecord]:
    """Those whose task's title, as people or the design give it, or whose id has every one of some words."""
    wanted = words.lower().replace("_", " ").split()
    fitting = Q(*(Q(task_id__icontains=word) for word in wanted))
    for record in _with_edited("tasks"):
        tasks = [task for task, title in edited(record).tasks.items() if _has(wanted, title)]
        fitting |= Q(environment=record, task_id__in=tasks)
    return trajectories.filter(fitting)


def elements_called(words: str) -> QuerySet[Element]:
    """Tables, tools and tasks with each of some words in the name, the title or the environment's name."""
    elements = Element.objects.select_related("environment")
    records = [(record, _edited_titles(record)) for record in _with_edited("tables", "tools", "tasks")]
    for word in words.split():
        fitting = Q(name__icontains=word) | Q(environment__name__icontains=word)
        for record, titles in records:
            fitting |= _titled(record, titles, word)
        elements = elements.filter(fitting)
    return elements


def _edited_titles(record: EnvironmentRecord) -> dict[str, dict[str, str]]:
    """By kind of element: names to the titles that people gave."""
    words = edited(record)
    tables = {name: entry.title for name, entry in words.tables.items()}
    return {
        ElementKind.TABLE: tables,
        ElementKind.TOOL: dict(words.tools),
        ElementKind.TASK: dict(words.tasks),
    }


def _titled(record: EnvironmentRecord, titles: Mapping[str, Mapping[str, str]], word: str) -> Q:
    fitting = Q()
    for kind, called in titles.items():
        names = [name for name, title in called.items() if _has([word.lower()], title)]
        fitting |= Q(environment=record, kind=kind, name__in=names) if names else Q()
    return fitting


def _with_edited(*parts: str) -> QuerySet[EnvironmentRecord]:
    written = EnvironmentRecord.objects.annotate(text=Cast("dictionary", TextField()))
    any_part = Q(*(Q(text__contains=f'"{part}":') for part in parts), _connector=Q.OR)
    return written.filter(any_part).only("pk", "dictionary")


def _has(words: Iterable[str], text: str) -> bool:
    return all(word in text.lower() for word in words)
