"""Verifier text: a verifier per task, from the rows that its reference solution changes."""

from __future__ import annotations

from typing import Any

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import AnswerFact, Task
from synthesis.procedural.business.model import Business, BusinessTable


def verifier_source(business: Business, task: Task, diff: StateDiff) -> str:
    """The file of one verifier; facts and refusals are judged by the project beside it."""
    writer = _Writer(business, diff)
    lines = writer.lines()
    if not diff:
        lines += _answer(task)
    about = _summary(task, diff)
    body = "\n".join(f"    {line}" for line in lines)
    return f'def verify(before, after, changes, answer):\n    """{about}"""\n{body}\n'


def _summary(task: Task, diff: StateDiff) -> str:
    if task.kind == "refuse":
        return "The request is declined and nothing changes."
    if not diff:
        return "The question is answered and nothing changes."
    updated, inserted = len(diff.updated), len(diff.inserted)
    return f"Rows changed: {updated}, rows added: {inserted}, each as asked for, and nothing else."


def _answer(task: Task) -> list[str]:
    """What must be said where nothing changes: the facts, or the refusal with what stands in the way."""
    if task.kind == "refuse":
        evidence = [
            {"text": each.text, **({} if each.value is None else {"value": each.value, "type": each.type})}
            for each in task.blocking
        ]
        listed = "".join(f"\n    {each!r}," for each in evidence)
        return [f'yield check("the answer declines", declines(answer,{listed}))'.replace("\n", "\n    ")]
    return [
        f"yield check({_quoted(f'the answer says the {fact.name}')}, says(answer, {_fact(fact)!r}))"
        for fact in task.answer_facts
    ]


def _fact(fact: AnswerFact) -> dict[str, Any]:
    return {"name": fact.name, "type": fact.type, "value": fact.value}


class _Writer:
    def __init__(self, business: Business, diff: StateDiff) -> None:
        self.business, self.diff = business, diff
        self.new: dict[str, list[RowChange]] = {}
        for change in diff.inserted:
            self.new.setdefault(change.table, []).append(change)

    def lines(self) -> list[str]:
        lines = [f'new_{table} = added(before, after, "{table}")' for table in self.new]
        for change in self.diff.updated:
            lines += self._updated(change)
        for table, rows in self.new.items():
            lines += self._inserted(self.business.tables[table], rows)
        places = [f'("{change.table}", {change.key})' for change in self.diff.updated]
        places += [f'*(("{table}", row["id"]) for row in new_{table})' for table in self.new]
        lines += [
            "yield check(",
            '    "nothing else changed",',
            f"    changes.only({', '.join(places)}),",
            "    guard=True,",
            ")",
        ]
        return lines

    def _updated(self, change: RowChange) -> list[str]:
        table = self.business.tables[change.table]
        after = change.after or {}
        values = ", ".join(f'"{name}": {self._python(table, name, after[name])}' for name in change.columns)
        label = f"{table.noun} {after.get('number') or after.get('name') or change.key}"
        columns = ", ".join(name.removesuffix("_id").replace("_", " ") for name in change.columns)
        return [
            "yield check(",
            f"    {_quoted(f'{label}: {columns} as asked')},",
            f'    changed(before, after, "{change.table}", {change.key}) == {{{values}}},',
            ")",
        ]

    def _inserted(self, table: BusinessTable, rows: list[RowChange]) -> list[str]:
        names = [column.name for column in table.columns if column.kind not in ("id", "number")]
        got = ", ".join(f'row["{name}"]' for name in names)
        expected = [
            "(" + ", ".join(self._python(table, name, (row.after or {}).get(name)) for name in names) + ",)"
            for row in rows
        ]
        title = (
            f"one new {table.noun} as asked" if len(rows) == 1 else f"{len(rows)} new {table.many} as asked"
        )
        listed = "".join(f"\n            {row}," for row in expected)
        return [
            f"new_rows = [({got},) for row in new_{table.name}]",
            "yield check(",
            f"    {_quoted(title)},",
            "    sorted(new_rows, key=repr) =="
            f" sorted([{listed.replace(chr(10) + ' ' * 12, chr(10) + ' ' * 8)}\n    ], key=repr),".replace(
                "\n", "\n    "
            ),
            ")",
        ]

    def _python(self, table: BusinessTable, name: str, value: Any) -> str:
        """A value in Python; the key of a row that is new as well is looked up."""
        column = table.column(name)
        new = self.new.get(column.table, []) if column.kind == "ref" else []
        if any(row.key == value for row in new):
            return f'(new_{column.table}[0]["id"] if new_{column.table} else None)'
        return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
