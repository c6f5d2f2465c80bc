# ruff: noqa: S608 - it writes SQL into source, from the catalogue's own names
"""Effects: what an action changes besides its target, as Python."""

from __future__ import annotations

import re

from synthesis.procedural.archetype import EffectSpec
from synthesis.procedural.entity import Entity
from synthesis.procedural.tool_source.scope import Scope
from synthesis.procedural.wording import sentence, variable

Lines = list[str]


def effect_lines(effect: EffectSpec, scope: Scope) -> Lines:
    """The statements of one effect; none where the environment lacks what it changes."""
    if effect.kind == "add":
        return _add(effect, scope)
    if effect.kind == "set":
        return _set(effect, scope)
    if effect.kind == "insert":
        return _insert(effect, scope)
    if effect.kind == "complete":
        return _complete(effect, scope)
    return _each(effect, scope)


def _add(effect: EffectSpec, scope: Scope) -> Lines:
    name, key = effect.on.split(".")
    entity = scope.entity(name)
    column = entity.column(key).name
    row_id = scope.row_id(name)
    if re.fullmatch(r"-?\d+", effect.amount):
        step = f"- {effect.amount[1:]}" if effect.amount.startswith("-") else f"+ {effect.amount}"
        return [f'db.execute("UPDATE {entity.table} SET {column} = {column} {step} WHERE id = ?", {row_id})']
    sign, amount = ("-", effect.amount[1:]) if effect.amount.startswith("-") else ("+", effect.amount)
    sql = f"UPDATE {entity.table} SET {column} = {column} {sign} ? WHERE id = ?"
    return [f'db.execute("{sql}", {scope.python(amount)}, {row_id})']


def _set(effect: EffectSpec, scope: Scope) -> Lines:
    return [update(scope, effect.on, scope.entity(effect.on), effect.values)]


def update(scope: Scope, name: str, entity: Entity, values: dict[str, str | int]) -> str:
    """One UPDATE of some columns of a row; literals stand in the SQL, values are bound."""
    sets, params = [], []
    for key, given in values.items():
        if not entity.has(key):
            continue
        column = entity.column(key).name
        if isinstance(given, int):
            sets.append(f"{column} = {given}")
        elif given == "=null":
            sets.append(f"{column} = NULL")
        elif given.startswith("="):
            sets.append(f"{column} = ?")
            params.append(scope.python(given[1:]))
        else:
            sets.append(f"{column} = '{given}'")
    bound = ", ".join([*params, scope.row_id(name)])
    statement = f'db.execute("UPDATE {entity.table} SET {", ".join(sets)} WHERE id = ?", {bound})'
    if len(statement) <= 112:
        return statement
    return f'db.execute(\n    "UPDATE {entity.table} SET {", ".join(sets)} WHERE id = ?",\n    {bound},\n)'


def _insert(effect: EffectSpec, scope: Scope) -> Lines:
    entity = scope.made.entity(effect.entity)
    return insert(scope, entity, {key: scope.value(given) for key, given in effect.values.items()}, "")


def insert(scope: Scope, entity: Entity, values: dict[str, str], variable_name: str) -> Lines:
    """One db.insert; numbers are drawn, columns without a value are left out."""
    lines = [f"{f'{variable_name} = ' if variable_name else ''}db.insert(", f'    "{entity.table}",']
    for column in entity.columns:
        if column.kind == "number":
            lines.append(f'    {column.name}=_next_number(db, "{entity.table}", "{column.spec.prefix}"),')
        elif column.key in values and values[column.key] != "None":
            lines.append(f"    {column.name}={values[column.key]},")
        elif column.key not in values and not column.nullable:
            raise KeyError(f"{scope.action.name} inserts no {entity.key}.{column.key}")
    return [*lines, ")"]


def _complete(effect: EffectSpec, scope: Scope) -> Lines:
    left, right = (scope.python(side) for side in effect.equal)
    return [
        f"if {left} == {right}:",
        f"    {update(scope, effect.on, scope.entity(effect.on), effect.values)}",
    ]


def _each(effect: EffectSpec, scope: Scope) -> Lines:
    child = scope.made.entity(effect.entity)
    own = child.column(effect.on)
    var = child.var
    sql = f"SELECT * FROM {child.table} WHERE {own.name} = ? ORDER BY id"
    lines = [f'for {var} in db.query("{sql}", {scope.row_id("target")}):']
    scope.rows["line"] = (var, child)
    for inner in effect.effects:
        if inner.kind == "add" and inner.amount.startswith("-"):
            lines += [f"    {line}" for line in _shortage(inner, scope, child)]
        for line in effect_lines(inner, scope):
            lines += [f"    {part}" for part in line.split("\n")]
    del scope.rows["line"]
    return lines


def _shortage(effect: EffectSpec, scope: Scope, child: Entity) -> Lines:
    """Refuse while a row that is taken from has too little."""
    name, key = effect.on.split(".")
    column, target = child.column(name), scope.entity(name)
    var, wanted = variable(column.stem), scope.python(effect.amount[1:])
    stock = f'{var}["{target.column(key).name}"]'
    label, asked, held = (text.replace('"', "'") for text in (f'{var}["{target.label}"]', wanted, stock))
    return [
        f'{var} = _row(db, "{target.table}", {child.var}["{column.name}"], "{sentence(target.noun)}")',
        f"if {stock} < {wanted}:",
        f'    raise ToolError(f"{{{asked}}} of {{{label}}} are wanted, but only {{{held}}} are in stock.")',
    ]
