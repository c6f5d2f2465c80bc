# ruff: noqa: S608 - it writes SQL into source, from the catalogue's own names
"""VerifierSource: a verifier per task, from the rows its reference solution changes and its facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import AnswerFact, Task
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.walk import Abandoned
from synthesis.procedural.wording import article, listing, plural, sentence, snake, words

TOLERANT = {"moment": "_in_time", "phone": "_digits"}
"""Helper by column kind for values that may be written or timed differently."""

HELPERS = {
    "_in_time": '''def _in_time(moment):
    """Whether a moment lies within the first hour of the world's clock."""
    return isinstance(moment, str) and {start!r} <= moment < {end!r}
''',
    "_digits": '''def _digits(phone):
    """The digits of a phone number, however they are grouped."""
    return "".join(sign for sign in str(phone) if sign.isdigit())
''',
}


class VerifierSource:
    """Writes the verifier of one task.

    Args:
        made: The blueprint, for nouns and kinds of columns.
        task: Whose verifier.
        diff: What the reference solution changes.
    """

    def __init__(self, made: Blueprint, task: Task, diff: StateDiff) -> None:
        self.made, self.task, self.diff = made, task, diff
        self.tables = {entity.table: entity for entity in made.entities.values()}
        self.lines: list[str] = []
        self.lists: dict[str, str] = {}
        """Table to the variable that holds its new rows."""
        self.places: list[str] = []

    def source(self) -> str:
        """The whole file.

        Raises:
            Abandoned: The end state cannot be described without depending on the order of calls.
        """
        self._added()
        for change in self.diff.updated:
            self._updated(change)
        for table, variable in self.lists.items():
            self._inserted(self.tables[table], variable)
        for change in self.diff.deleted:
            self._deleted(change)
        self._only()
        self._answer()
        body = "\n".join(f"    {line}" if line else "" for line in self.lines)
        needs = "import re\n\n\n" if "re." in body else ""
        source = f'{needs}def verify(before, after, changes, answer):\n    """{self._summary()}"""\n{body}\n'
        for name, helper in HELPERS.items():
            if f"{name}(" in source:
                start = self.made.clock.isoformat()
                end = self.made.clock.replace(hour=self.made.clock.hour + 1).isoformat()
                source += "\n\n" + helper.replace("{start!r}", repr(start)).replace("{end!r}", repr(end))
        return source

    def _summary(self) -> str:
        if self.task.kind == "refuse":
            return "A rule forbids what is asked: nothing changed, and the answer declines."
        if not self.diff:
            return "The answer says what was asked, and nothing changed."
        told = [f"{self._label(change)} is changed" for change in self.diff.updated]
        for table in self.lists:
            count = len(self._rows_of(table))
            noun = self.tables[table].noun
            told.append(f"{article(noun)} is new" if count == 1 else f"{count} {plural(noun)} are new")
        return f"{sentence(listing(told))}, as asked; nothing else changed."

    def _rows_of(self, table: str) -> list[RowChange]:
        return [change for change in self.diff.inserted if change.table == table]

    def _added(self) -> None:
        for change in self.diff.inserted:
            if change.table not in self.lists:
                variable = f"new_{snake(change.table)}"
                self.lists[change.table] = variable
                self.lines.append(f'{variable} = added(before, after, "{change.table}")')

    def _label(self, change: RowChange) -> str:
        entity = self.tables[change.table]
        row = change.after or change.before or {}
        if entity.has("first_name"):
            return f"{entity.noun} {row['first_name']} {row['last_name']}"
        return f"{entity.noun} {row[entity.label] if entity.label else change.key}"

    def _updated(self, change: RowChange) -> None:
        entity = self.tables[change.table]
        assert change.after is not None
        label = self._label(change)
        values = {name: change.after[name] for name in change.columns}
        self.places.append(f'("{change.table}", {change.key})')
        exact = {n: v for n, v in values.items() if _kind(entity, n) not in TOLERANT}
        told = ", ".join(f"{words(name)} is {_spoken(entity, name, value)}" for name, value in values.items())
        found = f'changed(before, after, "{change.table}", {change.key})'
        if exact == values:
            own_values = {name: self._python(entity, name, value) for name, value in values.items()}
            shown = "{" + ", ".join(f'"{name}": {value}' for name, value in own_values.items()) + "}"
            self._check(f"{label}: {told}", f"{found} == {shown}")
            return
        variable = snake(entity.noun) + f"_{change.key}"
        self.lines.append(f"{variable} = {found} or {{}}")
        conditions = [f"set({variable}) == {{{', '.join(repr(name) for name in values)}}}".replace("'", '"')]
        conditions += [
            f'{variable}.get("{name}") == {self._python(entity, name, v)}' for name, v in exact.items()
        ]
        conditions += [
            _tolerated(f'{variable}.get("{name}")', entity, name, value)
            for name, value in values.items()
            if name not in exact
        ]
        self._check(f"{label}: {told}", *conditions)

    def _inserted(self, entity: Entity, variable: str) -> None:
        rows = self._rows_of(entity.table)
        self.places.append(f'*(("{entity.table}", row["id"]) for row in {variable})')
        if len(rows) == 1:
            self._one_inserted(entity, variable, rows[0])
            return
        names = [
            column.name
            for column in entity.columns
            if column.kind not in TOLERANT
            and column.kind != "number"
            and any((r.after or {})[column.name] is not None for r in rows)
        ]
        expected = [[self._python(entity, name, (row.after or {})[name]) for name in names] for row in rows]
        listed = ", ".join(f"({', '.join(row)},)" for row in expected)
        got = ", ".join(f'row["{name}"]' for name in names)
        many = plural(entity.noun)
        self._check(
            f"{len(rows)} new {many} are the ones asked for",
            f"sorted([({got},) for row in {variable}], key=str) == sorted([{listed}], key=str)",
        )
        for column in entity.columns:
            if column.kind == "moment" and any((r.after or {})[column.name] is not None for r in rows):
                self._check(
                    f"their {column.words} is right",
                    f'all(_in_time(row["{column.name}"]) for row in {variable})',
                )

    def _one_inserted(self, entity: Entity, variable: str, row: RowChange) -> None:
        assert row.after is not None
        exact, conditions = [], []
        for column in entity.columns:
            value = row.after[column.name]
            if value is not None and column.kind in TOLERANT and not self._asked_moment(column, value):
                conditions.append(_tolerated(f'row["{column.name}"]', entity, column.name, value))
            else:
                exact.append(f"{column.name}={self._python(entity, column.name, value)}")
        holds = f"holds({variable}, {', '.join(exact)})"
        extra = [f"all({condition} for row in {variable})" for condition in conditions]
        label = self._label(row) if entity.label and not entity.numbered else entity.noun
        self._check(f"one new {label} has everything that was asked for", holds, *extra)

    def _asked_moment(self, column: Column, value: Any) -> bool:
        """Whether a moment was chosen by the request rather than taken from the clock."""
        return column.kind == "moment" and str(value)[:13] != self.made.clock.isoformat()[:13]

    def _deleted(self, change: RowChange) -> None:
        self.places.append(f'("{change.table}", {change.key})')
        gone = f'after.one("SELECT id FROM {change.table} WHERE id = ?", {change.key}) is None'
        self._check(f"{self._label(change)} is gone", gone)

    def _python(self, entity: Entity, name: str, value: Any) -> str:
        """A value in Python; the key of a row that is new as well is looked up instead of guessed."""
        column = next((c for c in entity.columns if c.name == name), None)
        if column is not None and column.kind == "ref" and value is not None:
            table = self.made.target(column).table
            new = [row.key for row in self._rows_of(table)]
            if value in new:
                if len(new) > 1:
                    raise Abandoned("several new rows are referred to")
                return f'({self.lists[table]}[0]["id"] if {self.lists[table]} else None)'
        return repr(value) if not isinstance(value, str) else _quoted(value)

    def _only(self) -> None:
        self._check("no other row changed", f"changes.only({', '.join(self.places)})", guard=True)

    def _answer(self) -> None:
        if self.task.kind == "refuse":
            pattern = r"\b(?:not|no|cannot|unable|declin\w*|refus\w*|forbid\w*|impossible|\w+n't)\b"
            self.lines.append(f'declined = re.search(r"{pattern}", answer.lower().replace("\\u2019", "\'"))')
            self._check("the answer declines", "declined is not None")
        if self.task.kind == "read":
            for fact in self.task.answer_facts:
                self._check(f"the answer says the {fact.name}", said(fact))

    def _check(self, name: str, *conditions: str, guard: bool = False) -> None:
        title = _quoted(_short(name))
        ending = ", guard=True" if guard else ""
        joined = " and ".join(conditions)
        line = f"yield check({title}, {joined}{ending})"
        if len(line) <= 108:
            self.lines.append(line)
            return
        inner = [f"    {title},"]
        if len(conditions) == 1:
            inner += _folded(joined)
        else:
            inner += ["    (", *_joined(conditions), "    ),"]
        if guard:
            inner.append("    guard=True,")
        self.lines += ["yield check(", *inner, ")"]


def said(fact: AnswerFact) -> str:
    """Python that tells whether the answer says a fact."""
    if fact.type == "money_cents":
        return f"{fact.value} in amounts(answer)"
    if fact.type == "date":
        return f'"{fact.value}" in dates(answer, {str(fact.value)[:4]})'
    if fact.type == "number":
        return f"{fact.value} in numbers(answer)"
    return f"bool(names(answer, [{_quoted(str(fact.value))}]))"


def _joined(conditions: Sequence[str]) -> list[str]:
    lines = []
    for place, condition in enumerate(conditions):
        lines.append(f"        {'and ' if place else ''}{condition}")
    return lines


def _folded(expression: str) -> list[str]:
    """A call whose arguments stand on lines of their own where it is long."""
    found = re.match(r"^(holds|changes\.only)\((.*)\)$", expression)
    if not found or len(expression) <= 100:
        return [f"    {expression},"]
    lines, line = [f"    {found[1]}("], "        "
    for part in re.split(r", (?=[a-z_*(]+[=(\"])", found[2]):
        if len(line) + len(part) > 104:
            lines.append(line.rstrip())
            line = "        "
        line += f"{part}, "
    return [*lines, line.rstrip(), "    ),"]


def _kind(entity: Entity, name: str) -> str:
    return next(column.kind for column in entity.columns if column.name == name)


def _tolerated(found: str, entity: Entity, name: str, value: Any) -> str:
    if _kind(entity, name) == "moment":
        return f"_in_time({found})"
    digits = "".join(sign for sign in str(value) if sign.isdigit())
    return f'_digits({found}) == "{digits}"'


def _spoken(entity: Entity, name: str, value: Any) -> str:
    if value is None:
        return "empty"
    return words(str(value)) if _kind(entity, name) == "choice" else str(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _short(name: str) -> str:
    return name if len(name) <= 100 else name[:97] + "..."
