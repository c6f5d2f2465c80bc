# ruff: noqa: S608 - it writes SQL into source; every name of the schema is quoted
"""Browse: the SELECT of each relation, and the tools that list and show its rows."""

from __future__ import annotations

from synthesis.procedural.composing.signatures import docstring, signature
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.identifiers import ascii_name
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.procedural.derived.source.parameters import key_args, key_descriptions, key_params
from synthesis.procedural.derived.source.text import (
    Lines,
    constant,
    hint,
    key_name,
    label_alias,
    label_sql,
    lit,
    view_name,
    wrapped,
)
from synthesis.worlds.tables import quoted

HIDDEN = frozenset({"blob", "secret"})
LONG = frozenset({"text", "json"})


def view_source(model: DataModel, relation: Relation) -> str:
    """The constants with the SELECT over a relation and the condition that names one row."""
    shown: Lines = []
    joins: Lines = []
    for field in relation.fields:
        if field.kind in HIDDEN:
            continue
        shown.append(f"t.{quoted(field.column)} AS {quoted(field.name)}")
        if field.kind == "ref" and (alias := label_alias(model, relation, field)):
            target, joined = model.target(field), f"r{len(joins) + 1}"
            shown.append(f"{label_sql(target, joined)} AS {quoted(alias)}")
            on = f"{joined}.{quoted(field.target_column)} = t.{quoted(field.column)}"
            joins.append(f"    LEFT JOIN {quoted(target.table)} {joined} ON {on}")
    if len(relation.label) > 1:
        shown.insert(len(relation.key), f"{label_sql(relation, 't')} AS {quoted(relation.label_name)}")
    sql = "\n".join(["", *wrapped("    SELECT ", shown), f"    FROM {quoted(relation.table)} t", *joins, ""])
    key = " AND ".join(f"t.{quoted(field.column)} = ?" for field in relation.key)
    return constant(view_name(relation), sql) + f"{key_name(relation)} = {key!r}\n"


def shown_in_lists(model: DataModel, relation: Relation) -> Lines:
    """Keys of a listed row."""
    shown = [field.name for field in relation.key]
    if len(relation.label) > 1:
        shown.append(relation.label_name)
    for field in relation.fields:
        if (
            field.kind in HIDDEN | LONG
            or field.name in shown
            or (field.column in relation.label and len(relation.label) > 1)
        ):
            continue
        shown.append(field.name)
        if field.kind == "ref" and (alias := label_alias(model, relation, field)):
            shown.append(alias)
    keyed = [label_alias(model, relation, field) for field in relation.key if field.kind == "ref"]
    return shown + [alias for alias in keyed if alias]


def list_source(model: DataModel, operation: Operation) -> str:
    """The tool that lists rows, narrowed by what was given."""
    relation = operation.relation
    params, details, conditions = [], {}, []
    for name, kind, about, condition in _filters(model, operation):
        params.append(f"{name}: {kind} | None = None")
        details[name] = about
        conditions.append(f"        {condition},")
    params += ["limit: int = 20", "offset: int = 0"]
    details |= {
        "limit": f"Most {relation.many} to return, 1 to 50.",
        "offset": f"{sentence(relation.many)} to skip.",
    }
    where = (
        ["    where, params = _where(", *conditions, "    )"]
        if conditions
        else ['    where, params = "", []']
    )
    columns = ", ".join(quoted(name) for name in shown_in_lists(model, relation))
    order = ", ".join(quoted(field.name) for field in relation.key)
    about = (
        f"Find {relation.many} by a part of their {_label_words(relation)}, or list all."
        if relation.label
        else f"List {relation.many}."
    )
    return (
        "\n".join(
            [
                *signature(operation.name, params),
                *docstring(about, details),
                *where,
                *_columns(columns),
                f'    sql = f"SELECT {{columns}} FROM ({{{view_name(relation)}}}){{where}}"',
                f"    return _page(db, sql, params, {order!r}, limit, offset)",
            ]
        )
        + "\n"
    )


def _columns(columns: str) -> Lines:
    if len(columns) < 90:
        return [f"    columns = {columns!r}"]
    parts = [part.strip() for part in wrapped("    ", columns.split(", "))]
    lines = [f"        {part + ' ' * (place < len(parts) - 1)!r}" for place, part in enumerate(parts)]
    return ["    columns = (", *lines, "    )"]


def _label_words(relation: Relation) -> str:
    return relation.field(relation.label[0]).words if len(relation.label) == 1 else "name"


def _filters(model: DataModel, operation: Operation) -> list[tuple[str, str, str, str]]:
    """Name, type, explanation and condition of each filter."""
    relation, results = operation.relation, []
    if relation.label:
        results.append(_part_of(relation.label_name, _label_words(relation)))
    for field in operation.params:
        if field.column in relation.label:
            continue
        results.append(_filter(model, relation, field))
    if operation.day is not None:
        day = operation.day
        for bound, sign, word in (("from_day", ">=", "First"), ("to_day", "<=", "Last")):
            condition = f"substr({quoted(day.name)}, 1, 10) {sign} ?"
            about = f"{word} {day.words}, YYYY-MM-DD."
            results.append((bound, "str", about, f'({condition!r}, _optional_day({bound}, "{bound}"))'))
    return results


def _part_of(name: str, words: str) -> tuple[str, str, str, str]:
    condition = f"instr(lower({quoted(name)}), lower(?)) > 0"
    about = f"Part of the {words}; upper and lower case are the same."
    return name, "str", about, f'({condition!r}, _wanted({name}, "{name}"))'


def _filter(model: DataModel, relation: Relation, field: Field) -> tuple[str, str, str, str]:
    if field.kind in ("city", "country"):
        return _part_of(field.name, field.words)
    condition = f"{quoted(field.name)} = ?"
    if field.kind == "ref":
        target = model.target(field)
        place = (
            f"{lit(quoted(target.table))}, {lit(quoted(field.target_column))}, {lit(sentence(target.noun))}"
        )
        about = f"Only {relation.many} of this {field.words}."
        return field.name, hint(field), about, f"({condition!r}, _known(db, {place}, {field.name}))"
    about = f"Only {relation.many} with this {field.words}."
    return field.name, hint(field), about, f"({condition!r}, {field.name})"


def get_source(model: DataModel, operation: Operation) -> str:
    """The tool that shows everything about one row, with its parts."""
    relation = operation.relation
    parts = model.parts_of(relation)
    extra = f", with its {listing([child.many for child, _ in parts])}" if parts else ""
    lines = [
        *signature(operation.name, key_params(relation)),
        *docstring(
            f"Show everything that is recorded about one {relation.noun}{extra}.",
            key_descriptions(relation, "show"),
        ),
    ]
    place = f"{view_name(relation)}, {key_name(relation)}, {lit(sentence(relation.noun))}"
    shown = f"_row(db, {place}, {key_args(relation)})"
    if not parts:
        return "\n".join([*lines, f"    return {shown}"]) + "\n"
    lines.append(f"    found = {shown}")
    for child, own in parts:
        order = ", ".join(f"t.{quoted(f.column)}" for f in child.key)
        condition = f" WHERE t.{quoted(own.column)} = ? ORDER BY {order} LIMIT 50"
        named = next((f.name for f in relation.fields if f.column == own.target_column), relation.key[0].name)
        place = ascii_name(child.many) or f"{child.id}_list"
        place = place if place not in {f.name for f in relation.fields} else f"{place}_rows"
        lines.append(f'    found["{place}"] = db.query({view_name(child)} + {condition!r}, found["{named}"])')
    return "\n".join([*lines, "    return found"]) + "\n"
