# ruff: noqa: S608 - it writes SQL into source, from names of its own
"""Source: tools.py of a business: views, tools that read, tools that change state, and helpers."""

from __future__ import annotations

from synthesis.procedural.business.action_source import action_tools
from synthesis.procedural.business.helper_source import helpers_of, imports_of
from synthesis.procedural.business.model import Business, BusinessColumn, BusinessTable
from synthesis.procedural.composing.wording import RESERVED_WORDS, snake
from synthesis.procedural.sentence.inflection import article, plural


def tools_source(business: Business) -> str:
    """The whole module."""
    views = [view_source(business, table) for table in business.tables.values()]
    reading = [tool for table in business.tables.values() for tool in _reading(business, table)]
    body = "\n\n\n".join([*reading, *action_tools(business)])
    helpers = "\n\n\n".join(helpers_of(business, body))
    records = ", ".join(f'"{table.name}"' for table in business.tables.values() if table.has("number"))
    head = f'"""Tools of {business.title}: what {plural(business.clerk)} may look up and change."""'
    constants = f"MAX_LIMIT = 50\nLARGEST_ID = 2**63 - 1\nRECORDS = ({records},)\n"
    return (
        f"{head}\n\n{imports_of(body + helpers)}\n\n{constants}\n"
        + "\n\n".join(views)
        + f"\n\n\n{body}\n\n\n{helpers}\n"
    )


def view_name(table: BusinessTable) -> str:
    """The constant that holds a table's SELECT."""
    return f"{snake(table.noun).upper() or 'ROW'}_VIEW"


def view_source(business: Business, table: BusinessTable) -> str:
    """A SELECT of rows as people read them: a reference with the name of what it refers to."""
    columns, joins = [f"t.id AS {table.key}"], [f"FROM {table.name} t"]
    for column in table.columns[1:]:
        columns.append(f"t.{column.name}")
        if column.kind == "ref":
            target = business.tables[column.table]
            if target.label:
                alias = f"r{len(joins)}"
                kind = "LEFT JOIN" if column.null else "JOIN"
                joins.append(f"{kind} {target.name} {alias} ON {alias}.id = t.{column.name}")
                columns.append(f"{alias}.{target.label} AS {stem_of(column)}")
    lines = ",\n           ".join(columns)
    rest = "\n    ".join(joins)
    return f'{view_name(table)} = """\n    SELECT {lines}\n    {rest}\n"""'


def stem_of(column: BusinessColumn) -> str:
    """Under what key a reference shows the name of what it refers to."""
    stem = column.name.removesuffix("_id")
    return f"{stem}_name" if stem in RESERVED_WORDS else stem


def shown_columns(business: Business, table: BusinessTable) -> list[str]:
    """Keys that lists show of each row."""
    names = [table.key]
    for column in table.columns[1:]:
        if column.detail:
            continue
        names.append(column.name)
        if column.kind == "ref" and business.tables[column.table].label:
            names.append(stem_of(column))
    return names


def _reading(business: Business, table: BusinessTable) -> list[str]:
    tools = [_list(business, table)]
    if f"get {table.name}" in business.tool:
        tools.append(_get(business, table))
    return tools


_SEARCHES = {
    "part": ("Part of the name", "'%' || ? || '%'"),
    "start": ("How the name begins", "? || '%'"),
    "words": (
        "Some words of the name in their order, each at least in part",
        "'%' || replace(?, ' ', '%') || '%'",
    ),
    "whole": ("The name in full", "?"),
}
"""By style of search: what is to be given, and the pattern that names are held against."""


def _by_name(search: str, table: BusinessTable) -> str:
    """The condition of a search by name; SQLite's lower() knows no letter outside ASCII, as in "Café"."""
    if search == "part" and table.noun.isascii():
        return '("instr(lower(name), lower(?)) > 0", _wanted(name, "name"))'
    return f"""("name LIKE {_SEARCHES[search][1]} ESCAPE '!'", _pattern(name, "name"))"""


def _list(b: Business, table: BusinessTable) -> str:
    filters: list[tuple[str, str, str, str]] = []
    if table.label == "name":
        filters.append(
            (
                "name",
                "str | None = None",
                f"{_SEARCHES[b.style.search][0]}; upper and lower case are the same.",
                _by_name(b.style.search, table),
            )
        )
    if table.has("number"):
        filters.append(
            (
                "number",
                "str | None = None",
                "The number in full.",
                '("number = upper(?)", _wanted(number, "number"))',
            )
        )
    if table.has("reference"):
        filters.append(
            (
                "reference",
                "str | None = None",
                "The number of what it belongs to.",
                '("reference = upper(?)", _wanted(reference, "reference"))',
            )
        )
    filters += [_filter(b, table, column) for column in table.columns if column.filter]
    paging, start, skipped, offset = _paging(b, table)
    parameters = [f"{name}: {kind}" for name, kind, *_ in filters]
    parameters += [f"{paging[0]}: int = {b.style.limit}", f"{paging[1]}: {start}"]
    about = [f"        {name}: {text}" for name, _, text, _ in filters]
    about += [
        f"        {paging[0]}: Most {table.many} to return, 1 to 50.",
        f"        {paging[1]}: {skipped}",
    ]
    conditions = "".join(f"\n        {condition}," for *_, condition in filters)
    columns = ", ".join(shown_columns(b, table))
    order = _order(table)
    call = f"_page(db, sql, params, {order!r}, {paging[0]}, {offset})"
    by = " by " + ", ".join(name for name, *_ in filters).replace("_id", "") if filters else ""
    name = b.tool[f"find {table.name}"]
    lines = "\n".join(about)
    return f'''def {name}(
    db,
    {f",{chr(10)}    ".join(parameters)},
) -> dict:
    """Look up {table.many}{by}; everything left out does not narrow the search.

    Args:
{lines}
    """
    where, params = _where({conditions}
    )
    sql = f"SELECT {_wrapped(columns)} FROM ({{{view_name(table)}}}){{where}}"
    return {call}'''


def _paging(b: Business, table: BusinessTable) -> tuple[tuple[str, str], str, str, str]:
    """Names of the size and the place of a page, the place's type and default, what it is, and its offset."""
    if b.style.pages == "offset":
        return ("limit", "offset"), "int = 0", f"{table.many.capitalize()} to skip.", "offset"
    if b.style.pages == "page":
        return ("page_size", "page"), "int = 1", "Page, counted from 1.", "(page - 1) * page_size"
    about = "The next_cursor of the page before; left out for the first page."
    return ("limit", "cursor"), "str | None = None", about, "_after(cursor)"


def _wrapped(columns: str) -> str:
    return columns


def _order(table: BusinessTable) -> str:
    if table.label == "name":
        return f"name, {table.key}"
    for day in ("starts_on", "opened_on", "placed_on", "registered_on", "raised_on", "sent_on", "paid_on"):
        if table.has(day):
            return f"{day} DESC, {table.key}" if table.base % 200 else f"{day}, {table.key}"
    return table.key


def _filter(b: Business, table: BusinessTable, column: BusinessColumn) -> tuple[str, str, str, str]:
    if column.kind == "choice":
        members = ", ".join(f'"{choice}"' for choice in column.choices)
        return (
            column.name,
            f"Literal[{members}] | None = None",
            f"Only those with this {column.words}.",
            f'("{column.name} = ?", {column.name})',
        )
    if column.kind == "flag":
        return (
            column.name,
            "bool | None = None",
            f"Only those that are, or are not, {column.words}.",
            f'("{column.name} = ?", None if {column.name} is None else int({column.name}))',
        )
    target = b.tables[column.table]
    return (
        column.name,
        "int | None = None",
        f"Only {table.many} of this {column.words}.",
        f'("{column.name} = ?", _known(db, "{target.name}", {column.name}, "{target.noun}"))',
    )


def _get(b: Business, table: BusinessTable) -> str:
    return f'''def {b.tool[f"get {table.name}"]}(db, {table.key}: int) -> dict:
    """Everything on record about {article(table.noun)}.

    Args:
        {table.key}: Key of the {table.noun}.
    """
    {table.var} = _row(db, "{table.name}", {table.key}, "{table.noun}")
    return _shown(db, {view_name(table)}, {table.var}["id"])'''
