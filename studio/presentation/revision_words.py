"""Two revisions compared for people who look at no code: each part as lines in the words of its trade."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from studio.models import EnvironmentRecord, Revision
from studio.presentation.check_words import check_words
from studio.presentation.design_words import columns_in_words, parameters_in_words
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.task_card import KIND_WORDS, denied_facts, fact_words
from studio.services.environments.dictionaries import as_words
from studio.services.environments.environments import load_part
from studio.services.environments.revision_differences import Difference
from studio.services.environments.unit_words import unit_words
from synthesis.documents.invariants import Invariants
from synthesis.documents.tasks import Task
from synthesis.worlds.definitions import UNPARSABLE

INSIDE = {
    "scenario": "What was read from the sentence differs; the description is the same.",
    "schema": "How it is stored differs; what people see is the same.",
    "tools": "How it works inside differs; what it is for and what it asks for are the same.",
    "invariants": "How it is checked inside differs; what always holds is called the same.",
    "tasks": "How it is planned inside differs; the request and the right way to do it are the same.",
    "verifiers": "How success is judged inside differs; what must be true afterwards is called the same.",
}
"""By part, what is said where its lines are the same and only its code or its storage differs."""


@dataclass(frozen=True)
class PlainDifference:
    """One thing that differs, as lines of text before and after.

    Attributes:
        of: What it was made from, with its rows.
        title: What it is about.
        before: Its lines before; "" where it was not there.
        after: Its lines after; "" where it is gone.
        note: What is said instead where no line differs.
    """

    of: Difference
    title: str
    before: str = ""
    after: str = ""
    note: str = ""


class RevisionWords:
    """Compares two revisions of an environment in its own words.

    Args:
        record: The environment.
        before: The earlier revision.
        after: The later one.
    """

    def __init__(self, record: EnvironmentRecord, before: Revision, after: Revision) -> None:
        self._revisions = (before, after)
        self._before = PlainLanguage(record, revision=before)
        self._after = PlainLanguage(record, revision=after)

    def unit(self, name: str) -> str:
        """What a part that approvals cover is called."""
        return unit_words(self._after, name)

    def in_words(self, differences: Sequence[Difference]) -> list[PlainDifference]:
        """Each difference in words; that of all tools as one for each tool."""
        return [each for difference in differences for each in self._each(difference)]

    def _each(self, difference: Difference) -> Iterator[PlainDifference]:
        part, name = difference.part, difference.name
        title = self.unit(part)
        if part == "seed_data":
            yield PlainDifference(difference, title)
        elif part == "policy":
            yield PlainDifference(difference, title, difference.before, difference.after)
        elif part == "scenario":
            yield _compared(difference, title, *self._both(_scenario))
        elif part == "schema":
            yield _compared(difference, title, *self._both(_tables))
        elif part == "tools":
            for tool in [name] if name else self._changed_tools():
                lines = self._both(partial(_tool, tool))
                yield _compared(difference, f"Tool: {self.unit(f'tool:{tool}')}", *lines)
        elif part == "tasks":
            lines = self._both(partial(_task, name))
            yield _compared(difference, f"Task: {self.unit(f'task:{name}')}", *lines)
        elif part == "verifiers":
            checks = (
                _checks(self._before, name, difference.before),
                _checks(self._after, name, difference.after),
            )
            yield _compared(difference, f"Success check of: {self.unit(f'task:{name}')}", *checks)
        elif part == "invariants":
            yield _compared(difference, title, *map(_invariants, self._revisions))

    def _both(self, lines: Callable[[PlainLanguage], Iterator[str]]) -> tuple[Iterator[str], Iterator[str]]:
        return lines(self._before), lines(self._after)

    def _changed_tools(self) -> list[str]:
        old, new = (revision.units for revision in self._revisions)
        names = dict.fromkeys(name for name in (*new, *old) if name.startswith("tool:"))
        return [name.removeprefix("tool:") for name in names if old.get(name) != new.get(name)]


def _compared(
    difference: Difference, title: str, before: Iterable[str], after: Iterable[str]
) -> PlainDifference:
    old, new = "\n".join(before), "\n".join(after)
    return PlainDifference(difference, title, old, new, INSIDE[difference.part] if old == new else "")


def _scenario(plain: PlainLanguage) -> Iterator[str]:
    scenario = plain.design.scenario
    yield f"Name: {scenario.title}"
    yield f"Kind of business: {scenario.category}"
    yield f"What it is: {scenario.description}"
    yield f"It begins: {scenario.clock:%a %-d %b %Y, %H:%M}"
    yield f"Licence: {scenario.licence}"


def _tables(plain: PlainLanguage) -> Iterator[str]:
    for name, columns in columns_in_words(plain.design.schema, plain).items():
        yield plain.table(name)
        for column in columns:
            refers = column["refers"]
            holds = f"one of the {plain.table(refers).lower()}" if refers else column["holds"]
            empty = "" if column["required"] else ", may be empty"
            yield f"    {column['title']}: {holds}{empty}"


def _tool(name: str, plain: PlainLanguage) -> Iterator[str]:
    tool = plain.design.tools.tool(name)
    if tool is None:
        return
    yield plain.without_code(tool.description)
    yield "It can change data." if tool.mutates_state else "It only looks something up."
    for each in parameters_in_words(tool, plain):
        needed = "needed" if each["required"] else "may be left out"
        yield f"    {each['title']}: {each['holds']}, {needed}"


def _task(name: str, plain: PlainLanguage) -> Iterator[str]:
    task = _task_of(plain, name)
    if task is None:
        return
    yield f"Request: {task.instruction}"
    yield KIND_WORDS[task.kind]
    yield f"Difficulty: {task.difficulty}"
    for number, step in enumerate(task.reference_solution, start=1):
        call = plain.call(step)
        values = ", ".join(f"{each.title}: {each.text}" if each.bare else each.text for each in call.values)
        yield f"Step {number}: {call.title}{f': {values}' if values else ''}"
    for fact in task.answer_facts:
        yield f"The answer says: {as_words(fact.name)}, {fact_words(fact)}"
    for reason in task.blocking:
        yield f"Reason to decline: {reason.text}"
    yield f"What the agent says: {task.reference_answer}"


def _checks(plain: PlainLanguage, task_id: str, source: str) -> Iterator[str]:
    """What must be true afterwards, by the names that the source gives to its checks."""
    task = _task_of(plain, task_id)
    denied = denied_facts(task) if task is not None else ()
    for sentence in check_words(plain, _check_names(source), denied=denied):
        if sentence:
            yield sentence


def _invariants(revision: Revision) -> Iterator[str]:
    part = load_part(revision, "invariants")
    for each in part.declared if isinstance(part, Invariants) else ():
        yield each.sentence


def _task_of(plain: PlainLanguage, name: str) -> Task | None:
    return next((task for task in plain.design.tasks.tasks if task.id == name), None)


def _check_names(source: str) -> Iterator[str]:
    try:
        module = ast.parse(source)
    except UNPARSABLE:
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check":
            for name in node.args[:1]:
                yield _text(name)


def _text(name: ast.expr) -> str:
    """The text of a name in source; what is put into it when it runs reads "…"."""
    if isinstance(name, ast.Constant):
        return str(name.value)
    if isinstance(name, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "…" for each in name.values)
    return "…"
