# ruff: noqa: S608 - it writes SQL into source, from the catalogue's own names
"""Actions: one function per action of the blueprint."""

from __future__ import annotations

import re

from synthesis.procedural.action import Action
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Column
from synthesis.procedural.phrases import with_nouns, with_rules
from synthesis.procedural.tool_source.effects import effect_lines, insert, update
from synthesis.procedural.tool_source.guards import guard_lines, in_states
from synthesis.procedural.tool_source.parameters import annotation, checks, docstring, explained, signature
from synthesis.procedural.tool_source.scope import Scope
from synthesis.procedural.wording import listing, participle, plural, sentence, words

Lines = list[str]


def action_source(made: Blueprint, action: Action) -> str:
    """The function of one action."""
    if action.plain_update:
        return _update_source(made, action)
    body = _body(made, action)
    return "\n".join([*_head(made, action), *_without_unused_names([f"    {line}" for line in body])]) + "\n"


def _head(made: Blueprint, action: Action) -> Lines:
    entity = action.entity
    params, told = [], {}
    if not action.creates:
        params.append(f"{entity.id}: int")
        told[entity.id] = f"{sentence(entity.noun)} to {action.verb}."
    for column in sorted(action.params, key=lambda c: c.spec.null > 0 or c.spec.default is not None):
        optional = " | None = None" if column.spec.null > 0 else ""
        if column.spec.default is not None:
            optional = f" = {column.spec.default!r}".replace("'", '"')
        params.append(f"{column.name}: {annotation(column)}{optional}")
        told[column.name] = explained(made, column)
    does = with_rules(with_nouns(action.spec.does, made.noun), action.rules)
    return [*signature(action.name, params), *docstring(does, told)]


def _body(made: Blueprint, action: Action) -> Lines:
    scope, entity = Scope(made, action), action.entity
    lines: Lines = []
    if not action.creates:
        lines.append(f'{entity.var} = _row(db, "{entity.table}", {entity.id}, "{sentence(entity.noun)}")')
    for column in action.params:
        found = checks(made, action, column)
        if column.spec.null > 0:
            found = [f"if {column.name} is not None:", *(f"    {line}" for line in found)] if found else []
        lines += found
    if action.spec.from_:
        lines += _state_check(action)
    for guard in action.spec.guards:
        if guard.enforced:
            lines += guard_lines(guard, scope)
    written = _target_lines(action, scope)
    for effect in action.spec.effects:
        for line in effect_lines(effect, scope):
            written += line.split("\n")
    lines += [*scope.take_loads(), *written]
    key = f"new_{entity.id}" if action.creates else entity.id
    return [*lines, f'return db.one({entity.view} + " WHERE t.id = ?", {key})']


def _state_check(action: Action) -> Lines:
    entity, states = action.entity, action.spec.from_
    known = f"{{{entity.var}['number']}}" if entity.numbered else f"{{{entity.id}}}"
    allowed = f"only {listing([words(state) for state in states], 'or')} {plural(entity.noun)}"
    what = participle(action.verb) if not action.spec.object else "used for this"
    return [
        f'if {entity.var}["status"] {in_states(states, negated=True)}:',
        "    raise ToolError(",
        f"        f\"{sentence(entity.noun)} {known} is {{{entity.var}['status'].replace('_', ' ')}}; \"",
        f'        "{allowed} can be {what}."',
        "    )",
    ]


def _target_lines(action: Action, scope: Scope) -> Lines:
    """What happens to the target row itself."""
    entity, spec = action.entity, action.spec
    taken = [column for column in action.params if entity.has(column.key) and column.key in spec.takes]
    if action.creates:
        values = {key: scope.value(given) for key, given in spec.sets.items()}
        values |= {column.key: _stored(column) for column in taken}
        return insert(scope, entity, values, f"new_{entity.id}")
    sets: dict[str, str | int] = {"status": spec.to} if spec.to else {}
    sets |= {
        column.key: f"={column.key}.id" if column.kind == "ref" else f"={column.key}" for column in taken
    }
    sets |= spec.sets
    return update(scope, "target", entity, sets).split("\n") if sets else []


def _stored(column: Column) -> str:
    return f"int({column.name})" if column.kind == "flag" else column.name


def _without_unused_names(lines: Lines) -> Lines:
    """Drop the name of a row that is only looked up to make sure that it exists."""
    kept = []
    for place, line in enumerate(lines):
        found = re.match(r"^(\s+)(\w+) = (_row\(.*)$", line)
        rest = "\n".join(lines[place + 1 :])
        if found and not re.search(rf"(?<![\"\w]){found[2]}\b(?!_)", rest):
            kept.append(f"{found[1]}{found[3]}")
        else:
            kept.append(line)
    return kept


def _update_source(made: Blueprint, action: Action) -> str:
    entity = action.entity
    params = [f"{entity.id}: int", *(f"{c.name}: {annotation(c)} | None = None" for c in action.params)]
    told = {entity.id: f"{sentence(entity.noun)} to {action.verb}."}
    told |= {
        column.name: f"New {explained(made, column)[0].lower()}{explained(made, column)[1:]}"
        for column in action.params
    }
    names = listing([column.name for column in action.params], "or")
    lines = [
        *signature(action.name, params),
        *docstring(action.spec.does, told),
        f'    _row(db, "{entity.table}", {entity.id}, "{sentence(entity.noun)}")',
        "    changes = {}",
    ]
    for column in action.params:
        lines.append(f"    if {column.name} is not None:")
        lines += [f"        {line}" for line in checks(made, action, column)]
        lines.append(f'        changes["{column.name}"] = {_stored(column)}')
    lines += [
        "    if not changes:",
        f'        raise ToolError("Nothing to change: give {names}.")',
        "    for column, value in changes.items():",
        f'        db.execute(f"UPDATE {entity.table} SET {{column}} = ? WHERE id = ?", value, {entity.id})',
        f'    return db.one({entity.view} + " WHERE t.id = ?", {entity.id})',
    ]
    return "\n".join(_without_unused_names(lines)) + "\n"
