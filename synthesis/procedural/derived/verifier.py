"""DerivedVerifier: a verifier per task, from the rows its reference solution changes and its facts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import Task
from synthesis.procedural.composing.answer_source import declining_lines, fact_source
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import article, listing, sentence
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.procedural.derived.spoken import label_of

_HELPERS = {
    "_new": '''def _new(changes, table):
    """The rows of a table that are new."""
    return [row.after for row in changes.inserted if row.table == table]
''',
    "_changed": '''def _changed(changes, table, key):
    """New values of the columns of one row that changed."""
    for row in changes.updated:
        if row.table == table and row.key == key:
            return {name: row.after[name] for name in row.columns}
    return {}
''',
    "_in_time": '''def _in_time(moment):
    """Whether a moment lies within the first hour of the world's clock."""
    return isinstance(moment, str) and START <= moment.replace("T", " ") < END
''',
    "_digits": '''def _digits(phone):
    """The digits of a phone number, however they are grouped."""
    return "".join(sign for sign in str(phone) if sign.isdigit())
''',
}


class DerivedVerifier:
    """Writes the verifier of one task.

    Args:
        model: What the tables mean.
        task: Whose verifier.
        diff: What the reference solution changes.
        clock: The world's time at the start.
    """

    def __init__(self, model: DataModel, task: Task, diff: StateDiff, clock: datetime) -> None:
        self.model, self.task, self.diff, self.clock = model, task, diff, clock
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        """Table to the variable that holds its new rows."""
        self.places: list[str] = []
        self.titles: set[str] = set()

    def source(self) -> str:
        """The whole file.

        Raises:
            Abandoned: The end state cannot be described without depending on the order of calls.
        """
        for change in self.diff.inserted:
            if change.table not in self.names:
                self.names[change.table] = f"new_{self.model.relations[change.table].id}"
                self.lines.append(f"{self.names[change.table]} = _new(changes, {_lit(change.table)})")
        for change in self.diff.updated:
            self._updated(change)
        for table in self.names:
            self._inserted(self.model.relations[table])
        for change in self.diff.deleted:
            self._deleted(change)
        self._check("no other row changed", f"changes.only({', '.join(self.places)})", guard=True)
        self._answer()
        body = "\n".join(f"    {line}" for line in self.lines)
        source = f'def verify(before, after, changes, answer):\n    """{self._summary()}"""\n{body}\n'
        for name, helper in _HELPERS.items():
            if f"{name}(" in source:
                source += "\n\n" + helper
        start, end = self.clock.isoformat(" "), (self.clock + timedelta(hours=1)).isoformat(" ")
        return source.replace("START <=", f"{_lit(start)} <=").replace("< END", f"< {_lit(end)}")

    def _summary(self) -> str:
        if self.task.kind == "refuse":
            return "A rule forbids what is asked: nothing changed, and the answer declines."
        if not self.diff:
            return "The answer says what was asked, and nothing changed."
        messages = []
        for kind, verb in (("inserted", "new"), ("updated", "changed"), ("deleted", "gone")):
            for table in dict.fromkeys(c.table for c in self.diff.changes if c.kind == kind):
                relation = self.model.relations[table]
                count = sum(c.table == table and c.kind == kind for c in self.diff.changes)
                messages.append(
                    f"{article(relation.noun)} is {verb}"
                    if count == 1
                    else f"{count} {relation.many} are {verb}"
                )
        return f"{sentence(listing(messages))}, as asked; nothing else changed."

    def _label(self, change: RowChange) -> str:
        relation = self.model.relations[change.table]
        row = dict(change.after or change.before or {})
        label = label_of(relation, row)
        return f"{relation.noun} {label if label and label.isprintable() else change.key}"

    def _updated(self, change: RowChange) -> None:
        relation = self.model.relations[change.table]
        assert change.after is not None
        place = f"{_lit(change.table)}, {_key(change.key)}"
        self.places.append(f"({place})")
        values = {name: change.after[name] for name in change.columns}
        exact = {n: v for n, v in values.items() if self._rule(relation, n, v) == "exact"}
        goal = [n for n, v in values.items() if self._rule(relation, n, v) != "exempt"]
        if not goal:
            raise Abandoned("only columns that the system fills in have changed")
        names = listing([relation.field(name).words for name in goal])
        text = f"_changed(changes, {place})"
        if exact == values:
            shown = ", ".join(
                f"{_lit(name)}: {self._python(relation, name, v)}" for name, v in values.items()
            )
            self._check(f"{self._label(change)}: {names} as asked", f"{text} == {{{shown}}}")
            return
        variable = f"row_{len(self.places)}"
        self.lines.append(f"{variable} = {text}")
        conditions = [f"set({variable}) == {{{', '.join(map(_lit, values))}}}"]
        for name, value in values.items():
            conditions += self._condition(relation, name, value, f"{variable}.get({_lit(name)})")
        self._check(f"{self._label(change)}: {names} as asked", *conditions)

    def _rule(self, relation: Relation, name: str, value: Any) -> str:
        """How a column is compared: "exact", "in time", "digits" or "exempt"."""
        field = relation.field(name)
        if field.kind in ("epoch", "secret", "computed", "blob", "uuid") or (
            field.key and relation.generated_key
        ):
            left_alone = field.kind == "secret" and (value is None or field.default)
            return "exact" if left_alone else "exempt"
        is_clock = (
            field.kind == "moment" and str(value).replace("T", " ")[:13] == self.clock.isoformat(" ")[:13]
        )
        if field.stamped and field.kind == "day":
            return "exempt"
        is_set_by_the_system = field.stamped and field.kind != "count"  # a version is no time
        if value is not None and (is_set_by_the_system or is_clock):
            return "in time"
        return "digits" if field.kind == "phone" and value is not None else "exact"

    def _condition(self, relation: Relation, name: str, value: Any, text: str) -> list[str]:
        rule = self._rule(relation, name, value)
        if rule == "exempt":
            return []
        if rule == "in time":
            return [f"_in_time({text})"]
        if rule == "digits":
            digits = "".join(sign for sign in str(value) if sign.isdigit())
            return [f"_digits({text}) == {_lit(digits)}"]
        return [f"{text} == {self._python(relation, name, value)}"]

    def _rows_of(self, table: str) -> list[RowChange]:
        return [change for change in self.diff.inserted if change.table == table]

    def _inserted(self, relation: Relation) -> None:
        rows, variable = self._rows_of(relation.table), self.names[relation.table]
        keys = [f"row[{_lit(f.column)}]" for f in relation.key]
        key = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        self.places.append(f"*(({_lit(relation.table)}, {key}) for row in {variable})")
        stored = [f for f in relation.fields if f.kind != "computed" and f.column in (rows[0].after or {})]
        self._check_several(relation, variable, rows, stored)

    def _check_several(
        self, relation: Relation, variable: str, rows: Sequence[RowChange], stored: Sequence[Field]
    ) -> None:
        """New rows are compared as a set, since their order and keys say nothing."""
        exact, rest = [], []
        for field in stored:
            rules = {self._rule(relation, field.column, (row.after or {})[field.column]) for row in rows}
            if rules == {"exact"}:
                exact.append(field)
            elif "exempt" not in rules:
                rest.append(field)
        noun = relation.noun if len(rows) == 1 else relation.many
        expected = [
            f"({', '.join(self._python(relation, f.column, (row.after or {})[f.column]) for f in exact)},)"
            for row in rows
        ]
        got = "".join(f"row[{_lit(f.column)}], " for f in exact).strip()
        title = f"{len(rows)} new {noun} with everything that was asked for"
        if exact:
            self._check(
                title,
                f"sorted([({got}) for row in {variable}], key=str)"
                f" == sorted([{', '.join(expected)}], key=str)",
            )
        else:
            self._check(title, f"len({variable}) == {len(rows)}")
        for field in rest:
            self._tolerant(relation, field, variable, rows)

    def _tolerant(self, relation: Relation, field: Field, variable: str, rows: Sequence[RowChange]) -> None:
        text = f"row[{_lit(field.column)}]"
        values = [(row.after or {})[field.column] for row in rows]
        name = f"the {field.words} of the new {relation.noun} is right"
        if field.kind == "phone":
            wanted = ["".join(s for s in str(v) if s.isdigit()) if v is not None else "" for v in values]
            empty = f"_digits({text}) if {text} is not None else ''"
            self._check(name, f"sorted([{empty} for row in {variable}]) == sorted({wanted!r})")
        elif all(self._rule(relation, field.column, v) == "in time" for v in values):
            self._check(
                name, f"len({variable}) == {len(rows)} and all(_in_time({text}) for row in {variable})"
            )
        else:
            raise Abandoned("new rows differ in whether the system set their time")

    def _deleted(self, change: RowChange) -> None:
        place = f"{_lit(change.table)}, {_key(change.key)}"
        self.places.append(f"({place})")
        gone = f"any((row.table, row.key) == ({place}) for row in changes.deleted)"
        self._check(f"{self._label(change)} is gone", gone)

    def _python(self, relation: Relation, name: str, value: Any) -> str:
        """A value in Python; the key of a row that is new as well is looked up instead of guessed."""
        field = relation.field(name)
        if field.kind == "ref" and value is not None:
            new = [(row.after or {}).get(field.target_column) for row in self._rows_of(field.target)]
            target = self.model.relations[field.target]
            changed = target.generated_key and target.key[0].column == field.target_column
            if changed and value in new:
                if len(new) > 1:
                    raise Abandoned("several new rows are referred to")
                variable = self.names[field.target]
                return f"({variable}[0][{_lit(field.target_column)}] if {variable} else None)"
        return _lit(value)

    def _answer(self) -> None:
        if self.task.kind == "refuse":
            self.lines += declining_lines(self.task)
            self._check("the answer declines", "declines(answer, *reasons, request=request)")
        if self.task.kind == "read":
            for fact in self.task.answer_facts:
                self._check(f"the answer says the {fact.name}", fact_source(fact))

    def _check(self, name: str, *conditions: str, guard: bool = False) -> None:
        title = name if len(name) <= 100 else f"{name[:97]}..."
        title = title if title not in self.titles else f"{title[:92]} ({len(self.titles) + 1})"
        self.titles.add(title)
        ending = ", guard=True" if guard else ""
        line = f"yield check({_lit(title)}, {' and '.join(conditions)}{ending})"
        if len(line) <= 108:
            self.lines.append(line)
            return
        joined = [
            f"        {'and ' if place else ''}{condition}" for place, condition in enumerate(conditions)
        ]
        more = ["    guard=True,"] if guard else []
        self.lines += ["yield check(", f"    {_lit(title)},", "    (", *joined, "    ),", *more, ")"]


def _lit(value: Any) -> str:
    if isinstance(value, str) and value.isprintable():
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def _key(key: Any) -> str:
    return _lit(key) if not isinstance(key, list | tuple) else f"({', '.join(map(_lit, key))},)"
