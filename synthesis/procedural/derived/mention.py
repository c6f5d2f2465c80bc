"""Mention: how a request names a row, and the calls by which an agent finds it; never an ambiguous one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import listing
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.procedural.derived.spoken import Row, label_of, spoken

Way = tuple[Field, ...]
"""Fields besides the label that single a row out."""

_TELLING = (
    "state", "choice", "day", "moment", "code", "email", "phone", "city", "country", "year", "money", "cents",
    "count", "decimal", "name", "full_name", "company", "word",
)  # fmt: skip
MOST_DEEP = 3
MOST_LISTED = 50


def mention(play: Play, relation: Relation, row: Row, *, deep: int = 0) -> str:
    """Make the calls that reveal a row's key, if need be, and say how the request names it.

    Raises:
        Abandoned: No wording singles the row out, or no tool shows it.
    """
    spot = play.spot(relation, row)
    if spot in play.phrases:
        if spot not in play.known:
            raise Abandoned("its calls were taken back")
        return play.phrases[spot]
    if spot in play.changed and spot not in play.changed_spots:
        raise Abandoned("it has changed since")
    if deep > MOST_DEEP:
        raise Abandoned("its name would be too long")
    last = Abandoned(f"a {relation.noun} cannot be told from others")
    for labelled, way in _ways(play, relation):
        if not _is_telling(play, relation, row, labelled=labelled, way=way):
            continue
        mark = play.mark()
        try:
            phrase = _worded(play, relation, row, labelled=labelled, way=way, deep=deep)
        except Abandoned as error:
            play.back_to(mark)
            last = error
            continue
        play.phrases[spot] = phrase
        play.mentioned.add(spot)
        return phrase
    raise last


def _ways(play: Play, relation: Relation) -> Iterator[tuple[bool, Way]]:
    """Ways to describe a row, the shortest and most natural first."""
    fields = sorted(
        (
            f
            for f in relation.fields
            if f.kind in _TELLING and f.asked and f.column not in relation.label and not _is_id(f, relation)
        ),
        key=lambda f: _TELLING.index(f.kind),
    )[:7]
    refs = sorted(
        (f for f in relation.refs if f.target in {op.relation.table for op in play.plan.operations}),
        key=lambda f: (f.column != relation.owner, f.nullable),
    )[:4]
    if relation.label:
        yield True, ()
        yield from ((True, (f,)) for f in (*refs, *fields))
    yield from ((False, (ref,)) for ref in refs[:1])
    yield from ((False, (ref, f)) for ref in refs[:2] for f in fields)
    yield from ((False, pair) for pair in combinations(refs, 2))
    yield from ((False, (one, other, f)) for one, other in combinations(refs[:3], 2) for f in fields)
    yield from ((False, (f,)) for f in fields)
    yield from ((False, pair) for pair in combinations(fields, 2))
    yield from ((False, (ref, *pair)) for ref in refs[:2] for pair in combinations(fields[:4], 2))


def _is_id(field: Field, relation: Relation) -> bool:
    return field.key and relation.generated_key


def _is_telling(play: Play, relation: Relation, row: Row, *, labelled: bool, way: Way) -> bool:
    """Whether the description fits this row alone, now and at the start."""
    mine = _identifying_values(play, relation, row, labelled=labelled, way=way)
    if mine is None:
        return False
    for rows in (play.rows(relation), play.begun(relation)):
        same = sum(
            _identifying_values(play, relation, other, labelled=labelled, way=way) == mine for other in rows
        )
        if same > 1:
            return False
    return True


def _identifying_values(
    play: Play, relation: Relation, row: Row, *, labelled: bool, way: Way
) -> tuple[Any, ...] | None:
    results: list[Any] = []
    if labelled:
        if (
            play.spot(relation, row) in play.changed_spots
            and relation.generated_key
            and relation.key[0].column in relation.label
        ):
            return None
        label = label_of(relation, row)
        if not label.strip() or not label.isprintable():
            return None
        results.append(label.casefold())
    for field in way:
        value = row.get(field.column)
        text = str(value) if field.kind == "ref" else spoken(field, value, play.clock)
        if value is None or not text or not text.isprintable():
            return None
        results.append(text.casefold())
    return tuple(results)


def _worded(play: Play, relation: Relation, row: Row, *, labelled: bool, way: Way, deep: int) -> str:
    phrase = f"the {relation.noun}"
    if labelled:
        phrase += f" {label_of(relation, row)}"
    owners, details = [], []
    for field in way:
        if field.kind == "ref":
            text = mention(play, play.plan.model.target(field), parent_of(play, field, row), deep=deep + 1)
            noun = play.plan.model.target(field).noun
            if field.words in (noun, *noun.split()):
                owners.append(text)
            else:
                details.append(f"{text} as {field.words}")
        else:
            details.append(f"{field.words} {spoken(field, row[field.column], play.clock)}")
    if owners:
        phrase += f" of {listing(owners)}" if len(owners) == 1 else f" for {listing(owners)}"
    if details:
        phrase += f" with {listing(details)}"
    if play.spot(relation, row) not in play.known:
        _find(play, relation, row, labelled=labelled, way=way)
    return phrase


def parent_of(play: Play, field: Field, row: Row) -> Row:
    """The row that a reference names.

    Raises:
        Abandoned: There is none.
    """
    target = play.plan.model.target(field)
    results = [p for p in play.rows(target) if p[field.target_column] == row.get(field.column)]
    if not results:
        raise Abandoned(f"no {target.noun} is named")
    return results[0]


def _find(play: Play, relation: Relation, row: Row, *, labelled: bool, way: Way) -> None:
    """The listing call that shows a row."""
    listing_tool = play.plan.listing(relation)
    if listing_tool is None:
        raise Abandoned(f"{relation.many} are not listed")
    filters = {f.column for f in listing_tool.params}
    arguments: dict[str, Any] = {}
    if labelled:
        arguments[relation.label_name] = label_of(relation, row)
    for field in way:
        value = row[field.column]
        if field.column in filters and field.column not in relation.label:
            arguments[field.name] = bool(value) if field.kind == "flag" else value
        elif field == listing_tool.day and field.kind in ("day", "moment"):
            arguments["from_day"] = arguments["to_day"] = str(value)[:10]
    result = play.call(listing_tool, **arguments)
    if play.spot(relation, row) in play.known:
        return
    if result["total"] > MOST_LISTED:
        raise Abandoned(f"too many {relation.many} to look through")
    play.forget_last()
    play.call(listing_tool, **arguments, limit=MOST_LISTED)
    if play.spot(relation, row) not in play.known:
        raise Abandoned(f"the {relation.noun} is not shown")
