"""Dictionaries: the words of an environment, derived from its design and corrected by people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from studio.models import Act, DictionaryVersion, EnvironmentRecord
from studio.services.errors import Conflict
from studio.services.projects import membership
from synthesis.documents.dictionary import ColumnEntry, ColumnFormat, Dictionary, TableEntry
from synthesis.documents.schema import Column, Schema, Table
from synthesis.documents.seed_data import Row, Scalar, SeedData
from synthesis.documents.tasks import Tasks
from synthesis.documents.tools import Toolset
from synthesis.verification.argument_values import singular

ROW_NAMES = ("name", "title", "label", "code", "number", "subject", "email", "last_name")
"""Columns that name a row to people, best first."""
MOST_NAMING = 3
"""Columns that name a row together where none does alone."""
SAMPLED = 200
"""Values of a column from which its format is read."""
_FORMATS: tuple[tuple[ColumnFormat, re.Pattern[str]], ...] = (
    ("moment", re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?")),
    ("date", re.compile(r"\d{4}-\d\d-\d\d")),
    ("time", re.compile(r"\d\d:\d\d(:\d\d)?")),
)
_PRICES = ("price", "amount", "fee", "total", "cost", "balance", "budget", "salary", "deposit")
_ACTOR_SUFFIXES = ("_by", "_by_id")
"""Endings of keys that say who wrote a row: they do not name it."""


def derive(schema: Schema, seeds: SeedData, tools: Toolset, tasks: Tasks) -> Dictionary:
    """The words of a design as its own names give them."""
    names = [table.name for table in schema.tables]
    return Dictionary(
        tables={table.name: _table(table, seeds.rows.get(table.name, ())) for table in schema.tables},
        tools={tool.name: tool_title(tool.name, names) for tool in tools.tools},
        tasks={task.id: task_title(task.id) for task in tasks.tasks},
    )


def edited(record: EnvironmentRecord) -> Dictionary:
    """What people wrote in place of what is derived."""
    return Dictionary.model_validate(record.dictionary or {})


def version_of(record: EnvironmentRecord) -> int:
    """The number of the dictionary in use; 0 while nobody wrote one."""
    return record.dictionary_versions.aggregate(last=Max("number"))["last"] or 0


def save(*, record: EnvironmentRecord, editor: User, dictionary: Dictionary, seen: int) -> int:
    """Keep what people call things as a new version; the design and its proofs stay as they are.

    Args:
        record: The environment.
        editor: Who changes it.
        dictionary: Everything people call otherwise than the design does.
        seen: The version that the editor looked at.

    Returns:
        The version in use: a new one, or the same where nothing changed.

    Raises:
        Forbidden: The person may not edit.
        Conflict: Somebody changed it meanwhile.
    """
    membership.require_in(editor, record.project_id, Act.EDIT)
    with transaction.atomic():
        current = EnvironmentRecord.objects.select_for_update().get(pk=record.pk)
        number = version_of(current)
        if number != seen:
            raise Conflict(
                "Somebody changed the dictionary since you opened it.",
                remedy="Open it again: it shows what they wrote.",
            )
        if edited(current) == dictionary:
            return number
        keep(record, dictionary, editor=editor)
    return number + 1


def keep(record: EnvironmentRecord, dictionary: Dictionary, editor: User | None = None) -> None:
    """Store what people call things, for example as a bundle brought it."""
    record.dictionary = dictionary.model_dump(mode="json", exclude_defaults=True)
    record.save(update_fields=["dictionary"])
    DictionaryVersion.objects.create(
        environment=record, number=version_of(record) + 1, editor=editor, document=record.dictionary
    )


def tool_title(name: str, tables: Iterable[str]) -> str:
    """What a tool is called: what it does before what it does it to, "members_find" reads "Find members"."""
    nouns = {noun for table in tables for noun in (table, singular(table))}
    about = max((noun for noun in nouns if name.startswith(f"{noun}_")), key=len, default="")
    act = name.removeprefix(f"{about}_") if about else ""
    return as_words(f"{act}_{about}" if act else name).replace("no show", "no-show")


def task_title(task_id: str) -> str:
    """What a task is called: "record_no_show_of_and_settle" reads "Record no-show and settle"."""
    return re.sub(r"\bof and\b", "and", as_words(task_id)).replace("no show", "no-show")


def as_words(name: str) -> str:
    """A name of the code as words: "visit_types" reads "Visit types"."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").strip() or name
    return text[:1].upper() + text[1:]


def without_marks(name: str) -> str:
    """A name of the code without the end that says how it is stored: "amount_cents", "patient_id"."""
    return name.removesuffix("_id").removesuffix("_cents")


def choice_words(text: str) -> str:
    """One of the few values of a field as words: "money_cents" reads "money"."""
    return text.removesuffix("_cents").replace("_", " ")


def _table(table: Table, rows: Iterable[Row]) -> TableEntry:
    sampled = list(islice(rows, SAMPLED))
    columns = {
        column.name: _column(table, column, [row.get(column.name) for row in sampled])
        for column in table.columns
    }
    return TableEntry(
        title=as_words(table.name),
        singular=as_words(singular(table.name)),
        names_row=_names_row(table, columns),
        columns=columns,
    )


def _column(table: Table, column: Column, values: list[Scalar]) -> ColumnEntry:
    known = {name for key in table.foreign_keys for name in key.columns}
    name = column.name
    title = name.removesuffix("_id") if name in known else name.removesuffix("_cents")
    choices = [] if name in known else _choices(table, name)
    is_flag = set(choices) == {"0", "1"}
    return ColumnEntry(
        title=as_words(title or name),
        format="yes_no" if is_flag else _format(column, values, known),
        values={} if is_flag else {choice: as_words(choice) for choice in choices},
    )


def _format(column: Column, values: list[Scalar], keys: set[str]) -> ColumnFormat:
    seen = [value for value in values if value is not None]
    numeric = column.type.upper().startswith(("INT", "REAL", "NUM", "DEC", "FLOAT", "DOUBLE"))
    if column.name.endswith("_cents"):
        return "money_cents"
    if numeric and column.type.upper()[:3] != "INT" and any(part in column.name for part in _PRICES):
        return "money"
    if numeric:
        return "text" if column.primary_key or column.name in keys else "number"
    for name, pattern in _FORMATS:
        if seen and all(isinstance(value, str) and pattern.fullmatch(value) for value in seen):
            return name
    return "text"


def _choices(table: Table, column: str) -> list[str]:
    """The values that a CHECK of the DDL allows in a column, as text; none where it lists none."""
    listed = re.search(
        rf'CHECK\s*\(\s*"?{re.escape(column)}"?\s+IN\s*\(([^()]*)\)\s*\)', table.sql, re.IGNORECASE
    )
    if listed is None:
        return []
    return [one or two for one, two in re.findall(r"'((?:[^']|'')*)'|(-?\d+)", listed[1])]


def _names_row(table: Table, columns: Mapping[str, ColumnEntry]) -> tuple[str, ...]:
    """The column that names a row, or the keys and the moment that do so together."""
    if {"first_name", "last_name"} <= set(columns):
        return "first_name", "last_name"
    best = next((name for name in ROW_NAMES if name in columns), None)
    best = best or next((name for name in columns if name.endswith(("_name", "_title"))), None)
    if best is not None:
        return (best,)
    keys = [key.columns[0] for key in table.foreign_keys if len(key.columns) == 1]
    naming = [name for name in dict.fromkeys(keys) if not name.endswith(_ACTOR_SUFFIXES)][:MOST_NAMING]
    dated = [name for name, entry in columns.items() if entry.format in ("moment", "date")]
    texts = [
        name
        for name, entry in columns.items()
        if entry.format == "text" and not entry.values and name not in (*table.primary_key, *keys)
    ]
    return tuple([*naming, *dated[:1], *texts[:1]][:MOST_NAMING]) or table.primary_key


def clock_words(moment: datetime) -> str:
    """A moment as people say it: "Sat 4 July 2026, 16:00"."""
    return f"{moment:%a} {moment.day} {moment:%B %Y, %H:%M}"
