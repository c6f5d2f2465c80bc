"""Parameters: how a value that is given is explained, checked and stored."""

from __future__ import annotations

from synthesis.procedural.composing.wording import article, sentence
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.procedural.derived.source.text import Lines, hint, lit
from synthesis.worlds.tables import quoted

LARGEST = 10_000_000


def key_params(relation: Relation) -> list[str]:
    """The parameters that name one row."""
    return [f"{field.name}: {hint(field)}" for field in relation.key]


def key_args(relation: Relation) -> str:
    """Those parameters as arguments."""
    return ", ".join(field.name for field in relation.key)


def key_descriptions(relation: Relation, doing: str) -> dict[str, str]:
    """Their explanations."""
    if len(relation.key) == 1:
        return {relation.key[0].name: f"{sentence(relation.noun)} to {doing}."}
    return {f.name: f"{sentence(f.words)} of the {relation.noun} to {doing}." for f in relation.key}


def explained(model: DataModel, field: Field) -> str:
    """What the docstring says about a parameter."""
    base = sentence(field.words)
    if field.kind == "ref":
        noun = model.target(field).noun
        return f"{base}." if field.words == noun else f"{base}: {article(noun)}."
    endings = {
        "day": ", YYYY-MM-DD",
        "moment": ", YYYY-MM-DD" if field.at_midnight else ", YYYY-MM-DDTHH:MM",
        "time": ", HH:MM",
        "cents": ", in cents",
    }
    return f"{base}{endings.get(field.kind, '')}."


def bounds(field: Field) -> tuple[float | int, float | int]:
    """Least and most of a number."""
    low: float | int = field.low if field.low is not None else (-LARGEST if field.kind == "decimal" else 0)
    high: float | int = field.high if field.high is not None else LARGEST
    if field.kind in ("count", "year", "cents"):
        return int(low), int(high)
    return low, high


def checks(  # noqa: PLR0911 - one line per kind
    model: DataModel, field: Field, value: str
) -> tuple[Lines, str]:
    """Statements that refuse a value which the type alone lets through, and the value as it is stored."""
    what = lit(field.name)
    lines: Lines = []
    if field.kind == "ref":
        target = model.target(field)
        place = (
            f"{lit(quoted(target.table))}, {lit(quoted(field.target_column))}, {lit(sentence(target.noun))}"
        )
        return [f"_known(db, {place}, {value})"], value
    if field.kind in ("count", "year", "cents", "decimal", "money", "ratio"):
        low, high = bounds(field)
        stored = f"_number({value}, {what}, {low!r}, {high!r})"
        if field.affinity == "TEXT":
            stored = f'f"{{{stored}:.2f}}"' if hint(field) == "float" else f"str({stored})"
        return lines, stored
    if field.kind == "flag":
        return lines, f"int({value})"
    if field.kind in ("state", "choice"):
        return lines, value
    if field.kind == "day":
        return lines, f"_day({value}, {what})"
    if field.kind == "moment":
        return lines, f"_moment({value}, {what}, {lit(field.separator)})"
    if field.kind == "time":
        return lines, f"_time_of_day({value}, {what})"
    longest = f", {min(field.longest, 2_000)}" if field.longest else ""
    return lines, f"_text({value}, {what}{longest})"


def generated_columns(relation: Relation, *, new: bool) -> list[tuple[str, str]]:
    """Columns that a tool fills in by itself, with Python for the value."""
    results = []
    for field in relation.fields:
        if field.key and relation.generated_key and new:
            place = f"db, {lit(quoted(relation.table))}, {lit(quoted(field.column))}"
            if field.kind == "uuid" or field.generated:
                lead = (
                    "".join(word[:1] for word in relation.id.split("_"))[:3].upper()
                    if field.generated
                    else ""
                )
                results.append((field.column, f"_fresh_key({place}, {lit(lead)})"))
            elif not relation.auto:
                results.append(
                    (field.column, f"_next(db, {lit(quoted(relation.table))}, {lit(quoted(field.column))})")
                )
        elif field.stamped and (
            _changes(field) if not new else (not field.default and not field.nullable) or _changes(field)
        ):
            results.append((field.column, now_of(field)))
        elif new and not field.nullable and not field.default:
            cut = f"[:{field.longest}]" if field.longest else ""
            by_kind = {
                "secret": f"_token(db){cut}",
                "json": '"{}"',
                "epoch": "_epoch(db)",
                "uuid": "_uuid(db)",
            }
            if field.kind in by_kind and not field.stamped:
                results.append((field.column, by_kind[field.kind]))
            elif field.kind == "state":
                results.append((field.column, lit(field.values[0])))
    return results


def _changes(field: Field) -> bool:
    """Whether a column says when its row was changed last."""
    return field.words.startswith(
        ("updated", "modified", "changed", "last update", "last modified", "date modified")
    )


def now_of(field: Field) -> str:
    """Python for the world's time as the column stores it."""
    if field.kind == "epoch":
        return "_epoch(db)"
    return '_now(db, "T")[:10]' if field.kind == "day" else f"_now(db, {lit(field.separator)})"
