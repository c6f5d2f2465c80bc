"""Goals: one action asked for and done: values drawn, rows found, the tool called, the wording kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from synthesis.procedural.action import Action
from synthesis.procedural.column_values import ColumnValues
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.phrases import with_nouns, with_rules, with_values
from synthesis.procedural.pronouns import THEM, possessive
from synthesis.procedural.references import owned, reveal, value_phrase
from synthesis.procedural.walk import Abandoned, Row, Walk
from synthesis.procedural.wording import listing, participle

TRIES = 8
SEVERAL = re.compile(r"\b1 (keys|units|guests|hours|months|days|stars|refills|points|kilometres|people)\b")
"""Counts of one whose noun the catalogue has in the plural."""


@dataclass
class Clause:
    """One thing asked for, and what came of it."""

    text: str
    """The request, as a clause without a subject: "cancel their booking of ..."."""
    done: str
    """What the answer says about it."""
    action: Action
    target: int | None
    """Key of the row that was changed; for a creation the new one."""
    arguments: dict[str, Any]
    number: str = ""
    """The number of a new document."""


@dataclass
class Draw:
    """Values chosen for one action, before anything is looked up."""

    action: Action
    target: Row | None
    values: dict[str, Any]
    """By column key; references are keys of rows."""


def act(walk: Walk, action: Action, *, tries: int = TRIES) -> Clause:
    """Do an action with some values that its rules allow.

    Raises:
        Abandoned: No drawn values were allowed or could be worded.
    """
    last: Abandoned = Abandoned(f"{action.name}: nothing to act on")
    for _ in range(tries):
        mark, named = walk.mark(), walk.named
        try:
            return perform(walk, draw(walk, action))
        except Abandoned as error:
            last = error
            walk.back_to(mark)
            walk.named = named
    raise last


def draw(walk: Walk, action: Action, *, any_state: bool = False) -> Draw:
    """Choose a target and values by chance.

    Raises:
        Abandoned: No row can be the target.
    """
    target = None if action.creates else _target(walk, action, any_state=any_state)
    values: dict[str, Any] = {}
    drawing = ColumnValues(walk.made, walk.rng)
    params = list(action.params)
    if action.plain_update:
        params = walk.rng.sample(params, min(len(params), walk.pick((1, 1, 2))))
    for column in params:
        values[column.key] = _value(walk, action, column, values, drawing, target)
    if not any_state and any(action.breaks(guard, values) for guard in action.spec.guards):
        raise Abandoned("the policy forbids it")
    return Draw(action, target, values)


def _target(walk: Walk, action: Action, *, any_state: bool) -> Row:
    entity = action.entity
    rows = walk.rows(entity)
    if action.spec.from_ and not any_state:
        rows = [row for row in rows if row["status"] in action.spec.from_]
    rows = [row for row in rows if (entity.key, row["id"]) not in walk.changed | walk.barred]
    if walk.party is not None:
        rows = [row for row in rows if _belongs(walk, entity, row)]
    if not rows:
        raise Abandoned(f"no {entity.noun} to {action.verb}")
    return walk.pick(rows)


def _belongs(walk: Walk, entity: Entity, row: Row) -> bool:
    """Whether a row is the request's party's, where rows belong to parties at all."""
    party = walk.made.entity("party")
    if entity.key == party.key:
        return bool(row["id"] == walk.party)
    own = next((column for column in entity.refs if column.entity == party.key), None)
    if own is not None:
        return bool(row[own.name] == walk.party)
    parent = entity.parent
    if parent is None:
        return True
    above = walk.made.target(parent)
    return _belongs(walk, above, walk.row(above, row[parent.name]))


def _value(
    walk: Walk,
    action: Action,
    column: Column,
    values: dict[str, Any],
    drawing: ColumnValues,
    target: Row | None,
) -> Any:
    if column.kind == "ref":
        entity = walk.made.target(column)
        if entity.spec.family == "party" and walk.party is not None:
            return walk.party
        rows = walk.rows(entity)
        if entity.parent is not None and walk.party is not None and entity.spec.family == "document":
            rows = [row for row in rows if _belongs(walk, entity, row)]
        rows = [row for row in rows if (entity.key, row["id"]) not in walk.barred]
        if not rows:
            raise Abandoned(f"no {entity.noun} to choose")
        return walk.pick(rows)["id"]
    known = {} if target is None else {c.key: target[c.name] for c in action.entity.columns}
    value = drawing.value(column, {**known, **values})
    if action.plain_update and target is not None and target[column.name] == value:
        raise Abandoned(f"{column.name} already has that value")
    if column.kind == "label" and walk.rows(action.entity, **{column.name: value}):
        raise Abandoned(f"{value} is taken")
    return value


def perform(walk: Walk, drawn: Draw) -> Clause:
    """Find the rows, word the request, make the call.

    Raises:
        Refused: A rule forbids it.
        Abandoned: It cannot be worded without ambiguity.
    """
    action = drawn.action
    text = word_request(walk, drawn)
    arguments = arguments_of(drawn)
    found = walk.call(action.name, **arguments)
    key = found[action.entity.id]
    spot = (action.entity.key, key)
    walk.changed.add(spot)
    if action.creates:
        walk.known.add(spot)
    number = str(found.get("number", "")) if action.creates else ""
    done = _done(walk, drawn, number)
    _rename(walk, action, spot)
    return Clause(text, done, action, key, arguments, number)


def arguments_of(drawn: Draw) -> dict[str, Any]:
    """The call's arguments."""
    given: dict[str, Any] = {}
    if drawn.target is not None:
        given[drawn.action.entity.id] = drawn.target["id"]
    for column in drawn.action.params:
        if column.key in drawn.values:
            value = drawn.values[column.key]
            given[column.name] = bool(value) if column.kind == "flag" else value
    return given


def word_request(walk: Walk, drawn: Draw) -> str:
    """The clause that asks for an action; the calls that find its rows are made on the way."""
    action = drawn.action
    template = walk.pick(action.spec.asks)
    phrases: dict[str, str] = {}
    party = walk.made.entity("party")
    for column in action.params:  # the party comes first, as people would say it
        if column.kind == "ref" and column.entity == party.key:
            phrases[column.key] = reveal(walk, party, drawn.values[column.key])
    if drawn.target is not None:
        phrases["target"] = reveal(walk, action.entity, drawn.target["id"])
    start = ""
    for column in action.params:
        if column.key in phrases or column.key not in drawn.values:
            continue
        value = drawn.values[column.key]
        if value is None:
            raise Abandoned(f"{column.key} has no value to ask for")
        if column.kind == "ref":
            phrases[column.key] = reveal(walk, walk.made.target(column), value)
        else:
            phrases[column.key] = value_phrase(walk, column, value, start=start)
            start = str(value) if column.kind == "moment" else start
    phrases["facts"] = _facts(drawn, phrases) if action.creates else ""
    phrases["changes"] = _changes(drawn, phrases) if action.plain_update else ""
    return _filled(walk, action, template, phrases)


def _filled(walk: Walk, action: Action, template: str, phrases: dict[str, str]) -> str:
    text = with_rules(with_nouns(template, walk.made.noun), action.rules)

    def value(slot: str) -> str:
        name, apostrophe, _ = slot.partition("'")
        if name not in phrases:
            raise Abandoned(f"{action.name}: {{{slot}}} is not there")
        return possessive(phrases[name]) if apostrophe else phrases[name]

    filled = with_values(text, value)
    filled = SEVERAL.sub(lambda match: "1 person" if match[1] == "people" else f"1 {match[1][:-1]}", filled)
    return re.sub(r"\b([Aa]) (?=[AEIOaeio])", r"\1n ", filled)


def _facts(drawn: Draw, phrases: dict[str, str]) -> str:
    """Everything about a new row in the order of its columns."""
    lead = {"first_name", "last_name", "name", "birth_date", "contact_first_name", "contact_last_name"}
    name = " ".join(phrases[key] for key in ("first_name", "last_name", "name") if key in phrases)
    said = [name]
    if "birth_date" in phrases:
        said.append(f"born {phrases['birth_date']}")
    if "contact_first_name" in phrases:
        said.append(f"contact {phrases['contact_first_name']} {phrases['contact_last_name']}")
    said += [
        f"{c.words} {phrases[c.key]}" for c in drawn.action.params if c.key in phrases and c.key not in lead
    ]
    return ", ".join(said)


def _changes(drawn: Draw, phrases: dict[str, str]) -> str:
    """The request to change some columns: "change their phone to 555-0177 and their city to Millhaven"."""
    whose = phrases["target"]
    told = []
    for column in drawn.action.params:
        if column.key not in phrases:
            continue
        owner = owned(whose, column.words) if drawn.action.entity.spec.family == "party" else ""
        told.append(f"{owner or f'the {column.words} of {whose}'} to {phrases[column.key]}")
        whose = THEM if drawn.action.entity.spec.family == "party" else "it"
    return f"change {listing(told)}".replace("the payment term in days", "the payment term (in days)")


def _done(walk: Walk, drawn: Draw, number: str) -> str:
    action = drawn.action
    if action.spec.done:
        return with_nouns(action.spec.done, walk.made.noun)
    if action.creates:
        named = f" {number}" if number else ""
        return f"the new {action.entity.noun}{named} is recorded"
    phrase = walk.phrases.get(
        (action.entity.key, drawn.target["id"] if drawn.target else 0), f"the {action.entity.noun}"
    )
    if action.plain_update:
        return "the record is changed"
    if action.spec.object:
        return f"the {with_nouns(action.spec.object, walk.made.noun)} is {participle(action.verb)}"
    return f"{phrase} is {participle(action.verb)}"


def _rename(walk: Walk, action: Action, spot: tuple[str, int]) -> None:
    """How later clauses of the same request call the row."""
    if action.creates:
        if action.entity.spec.family == "party":
            walk.party, walk.named = spot[1], True
            walk.phrases[spot] = THEM
        else:
            walk.phrases[spot] = f"the new {action.entity.noun}"
    elif spot in walk.phrases:
        walk.phrases[spot] = f"that {action.entity.noun}" if action.entity.spec.family != "party" else THEM
