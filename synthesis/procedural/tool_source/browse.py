# ruff: noqa: S608 - it writes SQL into source, from the catalogue's own names
"""Browse: the view of each entity, and the tools that list and show its rows."""

from __future__ import annotations

from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.phrases import with_nouns
from synthesis.procedural.tool_source.parameters import annotation, docstring, signature
from synthesis.procedural.wording import alias, plural, sentence, snake, words

Lines = list[str]


def ref_label(made: Blueprint, column: Column) -> str:
    """The key under which views show what a reference names; empty when its rows have no name."""
    target = made.target(column)
    if not target.label:
        return ""
    return f"{column.stem}_number" if target.numbered else alias(column.stem)


def view_source(made: Blueprint, entity: Entity) -> str:
    """The constant with the SELECT that shows an entity's rows with the names of what they refer to."""
    shown = [f"t.id AS {entity.id}"]
    joins: Lines = []
    for column in entity.columns:
        shown.append(f"t.{column.name}")
        label = ref_label(made, column) if column.kind == "ref" else ""
        if label:
            target = made.target(column)
            joined = f"r{len(joins) + 1}"
            expression = " || ' ' || ".join(f"{joined}.{part}" for part in target.label.split(" || ' ' || "))
            shown.append(f"{expression} AS {label}")
            kind = "LEFT JOIN" if column.nullable else "JOIN"
            joins.append(f"    {kind} {target.table} {joined} ON {joined}.id = t.{column.name}")
    if entity.has("first_name"):
        shown.insert(1, f"{' || '.join(['t.first_name', repr(' '), 't.last_name'])} AS name")
    lines = _wrapped("    SELECT ", shown)
    return "\n".join([f'{entity.view} = """', *lines, f"    FROM {entity.table} t", *joins, '"""']) + "\n"


def _wrapped(lead: str, parts: Lines) -> Lines:
    lines, line = [], lead
    for place, part in enumerate(parts):
        piece = part + ("," if place < len(parts) - 1 else "")
        if len(line) + len(piece) > 108:
            lines.append(line.rstrip())
            line = " " * len(lead)
        line += piece + " "
    return [*lines, line.rstrip()]


def list_source(made: Blueprint, entity: Entity) -> str:
    """The tool that lists an entity's rows, narrowed by what was given."""
    params, told, conditions = [], {}, []
    for name, hint, told_as, condition in _filters(made, entity):
        params.append(f"{name}: {hint} | None = None")
        told[name] = told_as
        conditions.append(f"        {condition},")
    params += ["limit: int = 20", "offset: int = 0"]
    many = plural(entity.noun)
    told |= {"limit": f"Most {many} to return, 1 to 50.", "offset": f"{sentence(many)} to skip."}
    where = (
        ["    where, params = _where(", *conditions, "    )"]
        if conditions
        else ['    where, params = "", []']
    )
    columns = ", ".join(_shown(made, entity))
    order = f"{entity.order}, {entity.id}" if entity.order != "id" else entity.id
    return (
        "\n".join(
            [
                *signature(made.listing_tool(entity), params),
                *docstring(_summary(entity), told),
                *where,
                f'    columns = "{columns}"' if len(columns) < 90 else _long_columns(columns),
                f'    sql = f"SELECT {{columns}} FROM ({{{entity.view}}}){{where}}"',
                f'    return _page(db, sql, params, "{order}", limit, offset)',
            ]
        )
        + "\n"
    )


def _long_columns(columns: str) -> str:
    parts = _wrapped("        ", columns.split(", "))
    quoted = [
        f'        "{part.strip()}{" " if place < len(parts) - 1 else ""}"' for place, part in enumerate(parts)
    ]
    return "\n".join(["    columns = (", *quoted, "    )"])


def _summary(entity: Entity) -> str:
    many = plural(entity.noun)
    if entity.spec.family in ("party", "item"):
        return f"Find {many} by a part of their name, or list all of them."
    if entity.states:
        return f"List {many}, narrowed by any of the filters."
    return f"List {many}."


def _shown(made: Blueprint, entity: Entity) -> Lines:
    shown = [entity.id]
    if entity.has("first_name"):
        shown.append("name")
    for column in entity.columns:
        if not column.spec.shown or (entity.has("first_name") and column.kind in ("first_name", "last_name")):
            continue
        shown.append(column.name)
        if column.kind == "ref" and (label := ref_label(made, column)):
            shown.append(label)
    if entity.order not in shown and entity.order != "id":
        shown.append(entity.order)
    return shown


def _filters(made: Blueprint, entity: Entity) -> list[tuple[str, str, str, str]]:
    """Name, type, explanation and SQL condition of each filter."""
    found = []
    if entity.label:
        key = entity.label_name
        about = f"Part of the {key}; upper and lower case are the same."
        found.append((key, "str", about, f'("instr(lower({key}), lower(?)) > 0", _wanted({key}, "{key}"))'))
    for column in entity.columns:
        if column.kind == "birth_date":
            name = column.name
            told = "Date of birth, YYYY-MM-DD."
            found.append((name, "str", told, f'("{name} = ?", _optional_day({name}, "{name}"))'))
        elif column.spec.filter:
            found.append(_filter(made, entity, column))
    ordered = entity.column(entity.spec.order) if entity.spec.order else None
    if ordered and ordered.kind in ("day", "moment") and entity.spec.family in ("document", "log"):
        name = ordered.name
        start = name if ordered.kind == "day" else f"substr({name}, 1, 10)"
        for bound, sign, word in (("from_day", ">=", "First"), ("to_day", "<=", "Last")):
            about = (
                f"{word} {ordered.words}, YYYY-MM-DD."
                if ordered.kind == "day"
                else f"{word} day, YYYY-MM-DD."
            )
            found.append((bound, "str", about, f'("{start} {sign} ?", _optional_day({bound}, "{bound}"))'))
    return found


def _filter(made: Blueprint, entity: Entity, column: Column) -> tuple[str, str, str, str]:
    name = column.name
    many = plural(entity.noun)
    if column.kind == "ref":
        target = made.target(column)
        known = f'_known(db, "{target.table}", {name}, "{sentence(target.noun)}")'
        about = f"Only {many} of this {target.noun}."
        return name, "int", about, f'("{name} = ?", {known})'
    hint = annotation(column)
    if column.kind == "flag":
        return name, hint, f"Only {many} with this: {column.words}.", f'("{name} = ?", {name})'
    about = "Only in this state." if name == "status" else f"Only with this {words(name)}."
    return (
        name,
        hint,
        f"{about[:-1]}: {' '.join(words(str(v)) + ',' for v in column.spec.values)[:-1]}.",
        f'("{name} = ?", {name})',
    )


def get_source(made: Blueprint, entity: Entity) -> str:
    """The tool that shows everything about one row, with its lines and logs."""
    many = [child for child, _ in made.children(entity)]
    extra = f", with its {' and '.join(plural(child.noun) for child in many)}" if many else ""
    lines = [
        *signature(made.getting_tool(entity), [f"{entity.id}: int"]),
        *docstring(
            with_nouns(f"Show everything that is recorded about one {entity.noun}{extra}.", made.noun),
            {entity.id: f"{sentence(entity.noun)} to show."},
        ),
        f'    _row(db, "{entity.table}", {entity.id}, "{sentence(entity.noun)}")',
    ]
    shown = f'db.one({entity.view} + " WHERE t.id = ?", {entity.id})'
    if not many:
        return "\n".join([*lines, f"    return {shown}"]) + "\n"
    lines.append(f"    {entity.var} = {shown}")
    for child, own in made.children(entity):
        query = f'{child.view} + " WHERE t.{own.name} = ? ORDER BY t.id LIMIT 50"'
        lines.append(f'    {entity.var}["{snake(plural(child.noun))}"] = db.query({query}, {entity.id})')
    return "\n".join([*lines, f"    return {entity.var}"]) + "\n"
