"""Text: names and values of a foreign schema as safe pieces of SQL and Python."""

from __future__ import annotations

import json

from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.worlds.tables import quoted

Lines = list[str]
WIDTH = 108


def lit(value: str | float) -> str:
    """A value as a Python literal, in double quotes where that needs no backslash."""
    if isinstance(value, str) and '"' in value:
        return repr(value)
    return (
        json.dumps(value, ensure_ascii=False)
        if isinstance(value, str) and value.isprintable()
        else repr(value)
    )


def constant(name: str, sql: str) -> str:
    """An assignment of SQL to a name, over several lines where nothing in it forbids that."""
    if "\\" in sql or '"""' in sql or sql.endswith('"') or not sql.replace("\n", "").isprintable():
        return f"{name} = {sql!r}\n"
    return f'{name} = """{sql}"""\n'


def label_sql(relation: Relation, alias: str) -> str:
    """SQL for what people call a row."""
    return " || ' ' || ".join(f"{alias}.{quoted(column)}" for column in relation.label)


def label_alias(model: DataModel, relation: Relation, field: Field) -> str:
    """The key under which observations show the label of what a reference names; empty without one."""
    if not model.target(field).label:
        return ""
    names = {f.name for f in relation.fields} | ({relation.label_name} if len(relation.label) > 1 else set())
    stems = [other.stem for other in relation.refs if other.name != field.name]
    stem = field.stem
    return stem if stem not in names and stem not in stems else f"{field.name}_label"


def view_name(relation: Relation) -> str:
    """The constant with a relation's SELECT."""
    return f"{relation.id.upper()}_VIEW"


def key_name(relation: Relation) -> str:
    """The constant with the condition that names one row."""
    return f"{relation.id.upper()}_KEY"


def hint(field: Field) -> str:  # noqa: PLR0911 - one line per kind
    """The type hint of a parameter."""
    if field.kind in ("state", "choice"):
        if any(isinstance(value, float) for value in field.values):
            return "float"
        return f"Literal[{', '.join(lit(value) for value in field.values)}]"
    if field.kind == "flag":
        return "bool"
    if field.kind == "ref":
        return {"INTEGER": "int", "NUMERIC": "int", "REAL": "float"}.get(field.affinity, "str")
    if field.kind in ("count", "year", "cents"):
        return "int"
    if field.kind in ("decimal", "money", "ratio"):
        return "float"
    return "str"


def wrapped(lead: str, parts: Lines, ending: str = "") -> Lines:
    """Parts joined by commas over as many lines as they need, each beginning as deep as the first."""
    lines, line = [], lead
    for place, part in enumerate(parts):
        piece = part + ("," if place < len(parts) - 1 else ending)
        if len(line) + len(piece) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * (len(lead) - len(lead.lstrip()) + 4)
        line += f"{piece} "
    return [*lines, line.rstrip()]
