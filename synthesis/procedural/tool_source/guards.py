# ruff: noqa: S608 - it writes SQL into source, from the catalogue's own names
"""Guards: the conditions of an action as Python that refuses."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.procedural.archetype import GuardSpec
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.tool_source.scope import Scope

Lines = list[str]


def guard_lines(guard: GuardSpec, scope: Scope) -> Lines:
    """The statements that refuse when the guard does not hold."""
    before, condition = WRITERS[guard.kind](guard, scope)
    message = scope.message(guard.says)
    refusal = [f"if {condition}:", f"    raise ToolError({message})"]
    return [*scope.take_loads(), *before, *refusal]


def _flag(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"not {scope.python(guard.on)}"


def _status(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"{scope.python(guard.on)} {in_states(guard.states, negated=True)}"


def in_states(states: tuple[str, ...], *, negated: bool = False) -> str:
    """Python that compares with one or several states."""
    if len(states) == 1:
        return f'{"!=" if negated else "=="} "{states[0]}"'
    return f"{'not in' if negated else 'in'} ({', '.join(_quoted(states))})"


def _quoted(states: tuple[str, ...]) -> Lines:
    return [f'"{state}"' for state in states]


def sql_states(states: tuple[str, ...]) -> str:
    """SQL that compares the status with one or several states."""
    listed = ", ".join(f"'{state}'" for state in states)
    return f"status = {listed}" if len(states) == 1 else f"status IN ({listed})"


def _where(guard: GuardSpec, scope: Scope, counted: Entity) -> tuple[str, str]:
    """Conditions and parameters that pick the rows a guard looks at."""
    conditions, params = [], []
    for key in guard.per:
        if key == "target":
            own = next(ref for ref in counted.refs if ref.entity == scope.action.entity.key)
            conditions.append(f"{own.name} = ?")
            params.append(scope.row_id("target"))
            continue
        column = _counted_column(counted, key, scope)
        if column.kind == "ref":
            conditions.append(f"{column.name} = ?")
            params.append(scope.row_id(key))
        else:
            conditions.append(f"lower({column.name}) = lower(?)")
            params.append(scope.python(key))
    if guard.states:
        conditions.append(sql_states(guard.states))
    return " AND ".join(conditions), ", ".join(params)


def _counted_column(counted: Entity, key: str, scope: Scope) -> Column:
    """The column of the counted rows that a name stands for: of that key, or referring to the same entity."""
    if counted.has(key):
        return counted.column(key)
    wanted = scope.entity(key)
    return next(ref for ref in counted.refs if ref.entity == wanted.key)


def _limit(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    counted = scope.made.entity(guard.of)
    where, params = _where(guard, scope, counted)
    line = f'taken = db.one("SELECT count(*) AS n FROM {counted.table} WHERE {where}", {params})["n"]'
    return [line], f"taken >= {scope.python(guard.value)}"


def _enough(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"{scope.python(guard.on)} < {scope.python(guard.amount)}"


def _at_most(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    amount, limit = scope.python(guard.amount), scope.python(guard.value)
    if scope.action.param(guard.amount) is not None:
        return [], f"not 1 <= {amount} <= {limit}"
    return [], f"{amount} > {limit}"


def _within_days(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"_days_since(db, {scope.python(guard.on)}) > {scope.python(guard.value)}"


def _at_least_days(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"_days_since(db, {scope.python(guard.on)}) < {scope.python(guard.value)}"


def _notice(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"_hours_until(db, {scope.python(guard.on)}) < {scope.python(guard.value)}"


def _future(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    param = scope.action.param(guard.on)
    moment = param is not None and param.kind == "moment"
    return (
        [],
        f"{scope.python(guard.on)} {'<=' if moment else '<'} {scope.python('now' if moment else 'today')}",
    )


def _before(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    start, end = scope.python(guard.on), scope.python(guard.value)
    param = scope.action.param(guard.on)
    if param is not None and param.kind == "moment":
        return [], f"{start} >= {end} or {start}[:10] != {end}[:10]"
    return [], f"{start} > {end}"


def _free(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    counted = scope.made.entity(guard.of)
    start = next(column for column in counted.columns if column.spec.free)
    end = next(
        column for column in counted.columns if column.spec.after == start.key and column.kind == start.kind
    )
    where, params = _where(guard, scope, counted)
    besides, own = "", ""
    if counted.key == scope.action.entity.key and not scope.action.creates:
        besides, own = " AND id <> ?", f", {scope.row_id('target')}"
    lines = [
        "taken = db.one(",
        f'    """SELECT id, {start.name}, {end.name} FROM {counted.table} WHERE {where}',
        f'       AND {start.name} < ? AND {end.name} > ?{besides} ORDER BY {start.name}""",',
        f"    {params}, {scope.python(guard.value)}, {scope.python(guard.on)}{own},",
        ")",
    ]
    return lines, "taken is not None"


def _once(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    counted = scope.made.entity(guard.of)
    where, params = _where(guard, scope, counted)
    return [f'taken = db.one("SELECT id FROM {counted.table} WHERE {where}", {params})'], "taken is not None"


def _same(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"{scope.python(guard.on)} != {scope.python(guard.value)}"


def _differs(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"{scope.python(guard.on)} == {scope.python(guard.value)}"


def _reached(guard: GuardSpec, scope: Scope) -> tuple[Lines, str]:
    return [], f"{scope.python(guard.on)} < {scope.python(guard.value)}"


WRITERS: dict[str, Callable[[GuardSpec, Scope], tuple[Lines, str]]] = {
    "flag": _flag,
    "status": _status,
    "limit": _limit,
    "capacity": _limit,
    "enough": _enough,
    "at_most": _at_most,
    "within_days": _within_days,
    "at_least_days": _at_least_days,
    "notice": _notice,
    "future": _future,
    "before": _before,
    "free": _free,
    "once": _once,
    "same": _same,
    "differs": _differs,
    "reached": _reached,
}
"""Who writes which kind of guard."""
