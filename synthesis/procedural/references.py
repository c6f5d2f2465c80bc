"""References: how a request names a row, and the calls by which an agent finds it; never an ambiguous one."""

from __future__ import annotations

from datetime import datetime

from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.phrases import SLOT, with_nouns
from synthesis.procedural.pronouns import THEIR, THEM, possessive, settled, spoken
from synthesis.procedural.walk import Abandoned, Row, Walk
from synthesis.procedural.wording import money, spoken_day, spoken_moment, words, written_day

MOST_LISTED = 20
"""Rows that a listing call shows at once."""


def label_of(entity: Entity, row: Row) -> str:
    """What a row is called."""
    if entity.has("first_name"):
        return f"{row['first_name']} {row['last_name']}"
    return str(row[entity.label])


def with_pronouns(walk: Walk, text: str) -> str:
    """The whole request, with the party's name wherever somebody else was named since."""
    if walk.party is None:
        return spoken(text)
    party = walk.made.entity("party")
    return settled(text, label_of(party, walk.row(party, walk.party)), _everybody(walk))


def _everybody(walk: Walk) -> set[str]:
    """What every party, contact and member of staff is called."""
    people = [e for e in walk.made.entities.values() if e.spec.family in ("party", "staff")]
    named = {label_of(entity, row) for entity in people for row in walk.rows(entity)}
    contacts = [e for e in people if e.has("contact_first_name")]
    return named | {
        f"{row['contact_first_name']} {row['contact_last_name']}" for e in contacts for row in walk.rows(e)
    }


def reveal(walk: Walk, entity: Entity, row_id: int) -> str:
    """Make the calls that reveal a row's key, if need be, and say how the request names it.

    Raises:
        Abandoned: No wording singles the row out.
    """
    spot = (entity.key, row_id)
    if spot in walk.phrases:
        if spot not in walk.known:
            _find(walk, entity, row_id)
        return walk.phrases[spot]
    if entity.spec.family == "party":
        return _party(walk, entity, row_id)
    if entity.label and (not entity.numbered or not entity.parent or walk.rng.random() < 0.5):
        return _labelled(walk, entity, row_id)
    return _by_parent(walk, entity, row_id)


def _party(walk: Walk, entity: Entity, row_id: int) -> str:
    row = walk.row(entity, row_id)
    name = label_of(entity, row)
    if (entity.key, row_id) not in walk.known:
        _find(walk, entity, row_id)
    if row_id == walk.party and walk.named:
        return THEM
    if row_id == walk.party:
        walk.named = True
    return full_name(walk, entity, row, name)


def full_name(walk: Walk, entity: Entity, row: Row, name: str) -> str:
    """The name, with the date of birth where two people share the name."""
    if not entity.has("birth_date"):
        return name
    same = walk.rows(entity, first_name=row["first_name"], last_name=row["last_name"])
    return name if len(same) == 1 else f"{name} (born {written_day(row['birth_date'])})"


def owned(whose: str, thing: str) -> str:
    """A thing with its owner: "their bill", "Jane Smith's bill", "the bill of Jane Smith (born ...)"."""
    return f"the {thing} of {whose}" if " (born" in whose else f"{possessive(whose)} {thing}"


def _find(walk: Walk, entity: Entity, row_id: int) -> None:
    """The listing call by label that shows a row."""
    if "list" not in entity.spec.tools:
        raise Abandoned(f"{entity.key} is not listed")
    row = walk.row(entity, row_id)
    label = label_of(entity, row)
    arguments: dict[str, str] = {entity.label_name: label}
    if entity.spec.family == "lookup" and len(walk.rows(entity)) <= MOST_LISTED:
        arguments = {}
    found = walk.call(walk.made.listing_tool(entity), **arguments)
    if not any(item[entity.id] == row_id for item in found["items"]):
        raise Abandoned(f"{label} is not among the first")


def _labelled(walk: Walk, entity: Entity, row_id: int) -> str:
    label = label_of(entity, walk.row(entity, row_id))
    if (entity.key, row_id) not in walk.known:
        _find(walk, entity, row_id)
    phrase = f"{entity.noun} {label}" if entity.numbered else label
    walk.phrases[entity.key, row_id] = phrase
    return phrase


def _by_parent(walk: Walk, entity: Entity, row_id: int) -> str:
    """Name a row by whom it belongs to and what sets it apart: "their booking of Elm Room on 14 March"."""
    parent = entity.parent
    if parent is None:
        raise Abandoned(f"{entity.key} belongs to nobody")
    row = walk.row(entity, row_id)
    owner = walk.made.target(parent)
    siblings = walk.rows(entity, **{parent.name: row[parent.name]})
    for mention in ("{~" + entity.key + "}", *entity.spec.mentions):
        said = mentioned(walk, entity, mention, row)
        if said and sum(mentioned(walk, entity, mention, other) == said for other in siblings) == 1:
            break
    else:
        raise Abandoned(f"{entity.key} {row_id} cannot be told from others")
    whose = reveal(walk, owner, row[parent.name])
    if (entity.key, row_id) not in walk.known:
        _list_of_parent(walk, entity, parent, row, with_status="{status}" in mention)
    if (entity.key, row_id) not in walk.known:
        raise Abandoned(f"{entity.key} {row_id} is not shown")
    phrase = owned(whose, said) if owner.spec.family == "party" else f"the {said} of {whose}"
    walk.phrases[entity.key, row_id] = f"{THEIR} {said}" if whose == THEM else phrase
    return phrase


def _list_of_parent(walk: Walk, entity: Entity, parent: Column, row: Row, *, with_status: bool) -> None:
    made = walk.made
    if "list" not in entity.spec.tools or not parent.spec.filter:
        owner = made.target(parent)
        if owner.key not in made.shown:
            raise Abandoned(f"{entity.key} is not shown with its {owner.noun}")
        walk.call(made.getting_tool(owner), **{owner.id: row[parent.name]})
        return
    arguments = {parent.name: row[parent.name]}
    if with_status and entity.column("status").spec.filter:
        arguments["status"] = row["status"]
    walk.call(made.listing_tool(entity), **arguments)


def mentioned(walk: Walk, entity: Entity, mention: str, row: Row) -> str:
    """A mention with the row's values; empty where one of them is missing."""
    text = with_nouns(mention, walk.made.noun)
    missing = False

    def filled(key: str) -> str:
        nonlocal missing
        if not entity.has(key) or row[entity.column(key).name] is None:
            missing = True
            return ""
        return value_phrase(walk, entity.column(key), row[entity.column(key).name])

    said = SLOT.sub(lambda match: filled(match[2]), text)
    return "" if missing else said


def value_phrase(  # noqa: PLR0911 - one line per kind of column
    walk: Walk, column: Column, value: int | str, *, start: str = ""
) -> str:
    """How people write a value of a column."""
    clock: datetime = walk.made.clock
    kind = column.kind
    if kind == "ref":
        target = walk.made.target(column)
        return label_of(target, walk.row(target, int(value))) if target.label else ""
    if kind == "money":
        return money(int(value))
    if kind == "day":
        return spoken_day(str(value), clock)
    if kind == "birth_date":
        return written_day(str(value))
    if kind == "moment":
        return str(value)[11:16] if start[:10] == str(value)[:10] else spoken_moment(str(value), clock)
    if kind == "choice":
        return words(str(value))
    if kind == "flag" and column.spec.values:
        return str(column.spec.values[int(value)])
    if kind == "flag":
        return "yes" if value else "no"
    return str(value)
