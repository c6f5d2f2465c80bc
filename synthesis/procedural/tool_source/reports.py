# ruff: noqa: S608 - it writes SQL into source, from the catalogue's own names
"""Reports: reading tools over many rows."""

from __future__ import annotations

from synthesis.procedural.action import Report
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.phrases import with_nouns
from synthesis.procedural.tool_source.browse import ref_label
from synthesis.procedural.tool_source.guards import sql_states
from synthesis.procedural.tool_source.parameters import docstring, signature
from synthesis.procedural.wording import plural, snake

PAGE = ["limit: int = 20", "offset: int = 0"]
Lines = list[str]


def report_source(made: Blueprint, report: Report) -> str:
    """The function of one report."""
    writer = {"totals": _totals, "overdue": _overdue, "ranking": _ranking, "shortage": _shortage}[
        report.spec.kind
    ]
    return "\n".join(writer(made, report)) + "\n"


def _head(made: Blueprint, report: Report, params: Lines, told: dict[str, str]) -> Lines:
    summary = with_nouns(report.spec.does, made.noun)
    return [*signature(report.name, params), *docstring(summary, told)]


def _paged() -> dict[str, str]:
    return {"limit": "Most rows to return, 1 to 50.", "offset": "Rows to skip."}


def _totals(made: Blueprint, report: Report) -> Lines:
    entity, spec = report.entity, report.spec
    day, amount = entity.column(spec.day), entity.column(spec.amount).name if spec.amount else ""
    days = day.name if day.kind == "day" else f"substr({day.name}, 1, 10)"
    summed = f", coalesce(sum({amount}), 0) AS {amount}" if amount else ""
    told = {
        "from_day": "First day of the period, YYYY-MM-DD.",
        "to_day": "Last day of the period, YYYY-MM-DD.",
    }
    lines = [
        *_head(made, report, ["from_day: str", "to_day: str"], told),
        '    first, last = _day(from_day, "from_day"), _day(to_day, "to_day")',
        "    if first > last:",
        '        raise ToolError("from_day must not lie after to_day.")',
        "    groups = db.query(",
        f'        """SELECT status, count(*) AS count{summed} FROM {entity.table}',
        f'           WHERE {days} BETWEEN ? AND ? GROUP BY status ORDER BY status""",',
        "        first, last,",
        "    )",
        '    result = {"from_day": first, "to_day": last, "by_status": groups}',
        '    result["count"] = sum(group["count"] for group in groups)',
    ]
    if amount:
        lines.append(f'    result["{amount}"] = sum(group["{amount}"] for group in groups)')
    return [*lines, "    return result"]


def _overdue(made: Blueprint, report: Report) -> Lines:
    entity, spec = report.entity, report.spec
    day = entity.column(spec.day).name
    return [
        *_head(made, report, PAGE, _paged()),
        f'    sql = f"SELECT * FROM ({{{entity.view}}}) WHERE {sql_states(spec.states)} AND {day} < ?"',
        f'    return _page(db, sql, [_today(db)], "{day}, {entity.id}", limit, offset)',
    ]


def _shortage(made: Blueprint, report: Report) -> Lines:
    entity, spec = report.entity, report.spec
    held, needed = entity.column(spec.amount).name, entity.column(spec.value).name
    active = " AND active = 1" if entity.has("active") else ""
    return [
        *_head(made, report, PAGE, _paged()),
        f'    sql = f"SELECT * FROM ({{{entity.view}}}) WHERE {held} < {needed}{active}"',
        f'    return _page(db, sql, [], "{held}, {entity.id}", limit, offset)',
    ]


def _ranking(made: Blueprint, report: Report) -> Lines:
    entity, spec = report.entity, report.spec
    by = entity.column(spec.by)
    label = ref_label(made, by)
    amount = entity.column(spec.amount).name if spec.amount else ""
    count = snake(plural(entity.noun))
    count = f"{count}_count"
    summed = f", sum({amount}) AS {amount}" if amount else ""
    order = f"{amount or count} DESC, {by.name}"
    states = f" WHERE {sql_states(spec.states)}" if spec.states else ""
    given = f"{by.name}, {label}" if label else by.name
    return [
        *_head(made, report, PAGE, _paged()),
        f'    sql = f"""SELECT {given}, count(*) AS {count}{summed}',
        f'              FROM ({{{entity.view}}}){states} GROUP BY {by.name}"""',
        f'    return _page(db, sql, [], "{order}", limit, offset)',
    ]
