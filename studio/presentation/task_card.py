"""One task as a card in plain language, and the trade's world beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from studio.models import EnvironmentRecord, FlagReason
from studio.presentation.check_words import ANSWER, check_words
from studio.presentation.plain_language import (
    PlainCall,
    PlainChange,
    PlainLanguage,
    PlainValue,
)
from studio.presentation.plain_results import PlainResult, plain_result
from studio.presentation.plain_values import formatted
from studio.services.environments import dictionaries
from studio.services.review.answers import NotedPlace
from studio.services.review.demonstrations import Demonstration, demonstration
from synthesis.documents.dictionary import ColumnEntry, ColumnFormat
from synthesis.documents.tasks import AnswerFact, FactType, Task
from synthesis.documents.verdict import CheckOutcome

SHOWN_ROWS = 6
SHOWN_CELLS = 3
MOST_TODAY = 8
KIND_WORDS = {
    "read": "The agent only answers; nothing may change.",
    "write": "The agent changes something.",
    "mixed": "The agent changes something and answers a question.",
    "refuse": "The agent rightly declines; nothing may change.",
}
FACT_FORMATS: dict[FactType, ColumnFormat] = {
    "money_cents": "money_cents",
    "date": "date",
    "time": "time",
    "number": "number",
    "boolean": "yes_no",
}


@dataclass(frozen=True)
class CardStep:
    """One thing the agent does, with the code of its place, and what it saw, where that is not too long."""

    place: str
    call: PlainCall
    ok: bool
    changed: int
    tool: str
    seen: PlainResult | None


@dataclass(frozen=True)
class TaskCard:
    """What a person needs to judge one task.

    Attributes:
        task: The task.
        title: What it is called.
        kind: In a sentence, what is asked for.
        steps: What the agent does.
        checks: Place and words of what must be true afterwards.
        rows: Place and change of each row that differs afterwards.
        facts: What the answer must say: title and value; what it denies is among the checks.
        facts_alone: Those of them that no check names.
        demonstration: Where all that comes from.
    """

    task: Task
    title: str
    kind: str
    steps: tuple[CardStep, ...]
    checks: tuple[tuple[str, str, bool], ...]
    rows: tuple[tuple[str, PlainChange], ...]
    facts: tuple[tuple[str, str], ...]
    facts_alone: tuple[tuple[str, str], ...]
    demonstration: Demonstration

    def places(self) -> list[tuple[str, str]]:
        """The places that a note can be about: code and words."""
        return [
            ("", "The whole task"),
            ("request", "The request"),
            *((step.place, f"Step {at}: {step.call.title}") for at, step in enumerate(self.steps, start=1)),
            *((place, f"Row: {change.title}, {change.name}") for place, change in self.rows),
            *((place, f"Afterwards: {words}") for place, words, _ in self.checks),
            ("reply", "What the agent says"),
        ]

    def noted(self, code: str) -> NotedPlace:
        """What a note at a place is about; the whole task where there is no such place."""
        words = dict(self.places()).get(code, "") if code else ""
        kind, _, number = code.partition("-")
        evidence: dict[str, Any] = {"task": self.task.id}
        at = int(number) - 1 if words and number.isdecimal() else 0
        if kind == "step" and words:
            return self._step_place(code, words, at, evidence)
        reasons = {
            "request": (FlagReason.TASK_UNCLEAR, "tasks"),
            "row": (FlagReason.DATA_WRONG, "seed_data"),
            "check": (FlagReason.VERIFIER_WRONG, "verifiers"),
        }
        reason, part = reasons.get(kind, (FlagReason.OTHER, "tasks"))
        if kind == "row" and words:
            evidence |= {"changed_table": self.rows[at][1].table, "changed_key": self.rows[at][1].key}
        return NotedPlace(code if words else "", words, reason, part, self.task.id, evidence)

    def _step_place(self, code: str, words: str, at: int, evidence: dict[str, Any]) -> NotedPlace:
        played = self.demonstration.calls[at]
        if self.demonstration.trajectory is not None:
            evidence |= {"trajectory": self.demonstration.trajectory, "step": at + 1}
        else:
            evidence |= {"tool": played.call.name}
        return NotedPlace(code, words, FlagReason.TOOL_BUG, "tools", played.call.name, evidence)


def task_card(record: EnvironmentRecord, task: Task, plain: PlainLanguage) -> TaskCard:
    """The card of one task."""
    assert record.current is not None
    shown = demonstration(record.current, task)
    later = plain.after(shown.changes)
    steps = tuple(
        CardStep(
            place=f"step-{at}",
            call=later.call(each.call),
            ok=each.ok,
            changed=len(each.changes),
            tool=each.call.name,
            seen=None if each.seen is None else plain_result(later, each.seen),
        )
        for at, each in enumerate(shown.calls, start=1)
    )
    facts = tuple(
        (dictionaries.as_words(fact.name), fact_words(fact))
        for fact in task.answer_facts
        if fact.value is not False
    )
    checks = tuple(_checks(later, shown.checks, denied_facts(task)))
    named = {f"{ANSWER}: {title}".casefold(): value for title, value in facts}
    stated = {words.casefold() for _, words, _ in checks}
    return TaskCard(
        task=task,
        title=plain.task(task.id),
        kind=KIND_WORDS[task.kind],
        steps=steps,
        checks=tuple((place, _with_value(words, named), passed) for place, words, passed in checks),
        rows=tuple((f"row-{at}", change) for at, change in enumerate(later.changes(shown.changes), start=1)),
        facts=facts,
        facts_alone=tuple(fact for fact in facts if f"{ANSWER}: {fact[0]}".casefold() not in stated),
        demonstration=shown,
    )


def _checks(
    plain: PlainLanguage, checks: Sequence[CheckOutcome], denied: Collection[str]
) -> Iterator[tuple[str, str, bool]]:
    """Place, words and outcome of each check; one that was stated before is left out where it holds."""
    words = check_words(plain, [check.name for check in checks], denied=denied)
    for at, (check, sentence) in enumerate(zip(checks, words, strict=True), start=1):
        if sentence or not check.passed:
            yield f"check-{at}", sentence or check.name, check.passed


def _with_value(words: str, named: Mapping[str, str]) -> str:
    """What must be true, with the value that the answer has to say where it is about one."""
    value = named.get(words.casefold())
    return f"{words}, {value}" if value else words


def denied_facts(task: Task) -> frozenset[str]:
    """Facts of which a right answer says that they are not so."""
    return frozenset(fact.name for fact in task.answer_facts if fact.value is False)


def fact_words(fact: AnswerFact) -> str:
    """What an answer must say, as people write it."""
    kind = FACT_FORMATS.get(fact.type, "text")
    text = formatted(ColumnEntry(format=kind, unit=fact.unit or ""), fact.value)
    return f"{text}, {fact.direction}" if fact.direction else text


# The world beside it


@dataclass(frozen=True)
class WorldTable:
    """One table of the world as the trade sees it."""

    name: str
    title: str
    count: int
    seen: bool
    chosen: bool


@dataclass(frozen=True)
class WorldRow:
    """One row by its name, with what else matters about it, and its page."""

    name: str
    values: tuple[PlainValue, ...]
    address: str


def today(plain: PlainLanguage, clock: datetime) -> list[tuple[str, str, str]]:
    """What the world contains for the day of its clock: time, kind of row, its name; earliest first."""
    results = []
    day = clock.date().isoformat()
    for table, entry in plain.dictionary.tables.items():
        column = next((name for name, each in entry.columns.items() if each.format == "moment"), None)
        if column is None or column.endswith(("created_at", "updated_at", "sent_at", "booked_at")):
            continue
        for row in plain.rows_of(table):
            if str(row.get(column) or "").startswith(day):
                results.append((str(row[column])[11:16], entry.singular, plain.row(table, row)))
                if len(results) >= 4 * MOST_TODAY:
                    break
    return sorted(results)[:MOST_TODAY]


def world_rows(plain: PlainLanguage, table: str) -> Iterator[WorldRow]:
    """The first rows of a table, each with what else matters about it."""
    naming = set(plain.dictionary.tables[table].names_row)
    for row in list(plain.rows_of(table))[:SHOWN_ROWS]:
        values = [
            plain.value(table, name, value)
            for name, value in row.items()
            if name not in naming and value is not None and name not in plain.primary_key(table)
        ]
        key = plain.primary_key(table)
        address = plain.row_address(table, key[0], row.get(key[0])) if len(key) == 1 else ""
        yield WorldRow(plain.row(table, row), tuple(values[:SHOWN_CELLS]), address)
