"""Chains: from a row that a request names to one that only the answers of earlier calls lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from synthesis.documents.tasks import Weakness
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived.mention import MOST_LISTED, mention
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.relation import Field, Relation, Value
from synthesis.procedural.derived.spoken import Row, is_plural, pronoun

WALKS = 60
"""Chains that are tried over the rows before a number of hops is given up."""
_RANKED = frozenset({"count", "decimal", "money", "cents", "ratio", "year", "day", "moment"})
_UNRANKED = re.compile(r"\bid$|^(status|role|state|type|kind|mode|visibility|lft|rgt|version)$")
"""Numbers of which more or less means nothing."""


@dataclass(frozen=True)
class Hop:
    """One choice: of the rows that refer to the same one, that with the most or the least of something."""

    relation: Relation
    """Of whose rows one is chosen."""
    ref: Field
    """The reference that they share."""
    by: Field
    highest: bool
    up: Field | None = None
    """The reference of the row before to the one that they share; None where they share that row itself."""

    @property
    def superlative(self) -> str:
        """By what the row is chosen: "the latest order date"."""
        if self.by.kind in ("day", "moment"):
            return f"the {'latest' if self.highest else 'earliest'} {self.by.words}"
        if is_plural(self.by.words):
            return f"the {'most' if self.highest else 'fewest'} {self.by.words}"
        return f"the {'highest' if self.highest else 'lowest'} {self.by.words}"


@dataclass
class Chain:
    """Hops from a row, and where they lead."""

    start: Relation
    row: Row
    hops: list[Hop] = field(default_factory=list)
    end: Row = field(default_factory=dict)
    at: int = -1
    """Place of the call that showed the last row."""

    @property
    def relation(self) -> Relation:
        """Of the last row."""
        return self.hops[-1].relation if self.hops else self.start


def drawn_chain(play: Play, hops: int) -> Chain:
    """A chain of so many hops on which every choice is clear.

    Raises:
        Abandoned: The schema or its rows offer none.
    """
    starts = [op.relation for op in play.plan.operations if op.kind == "list" and op.relation.label]
    for _ in range(WALKS):
        relation = play.pick(starts)
        chain = Chain(relation, play.pick(play.rows(relation)))
        chain.end = chain.row
        while len(chain.hops) < hops and (fitting := [*_hops(play, chain)]):
            hop = play.rng.choice(fitting)
            chain.hops.append(hop)
            chain.end = ranked(play, hop, chain.end)[0]
        if len(chain.hops) == hops:
            return chain
    raise Abandoned(f"no chain of {hops} choices leads anywhere")


def _hops(play: Play, chain: Chain) -> Iterator[Hop]:
    """What may be chosen next: rows that belong to the last one, or to one that it refers to."""
    used = {(hop.relation.table, hop.ref.column) for hop in chain.hops}
    for listing in play.plan.operations:
        if listing.kind != "list":
            continue
        for ref in listing.params:
            if ref.kind != "ref" or (listing.relation.table, ref.column) in used:
                continue
            ways: list[Field | None] = [f for f in chain.relation.refs if _leads(f, ref) and chain.hops]
            if ref.target == chain.relation.table:
                ways.append(None)
            for up in ways:
                yield from _choices(play, chain, listing, ref, up)


def _leads(up: Field, ref: Field) -> bool:
    return up.target == ref.target and up.target_column == ref.target_column


def _choices(play: Play, chain: Chain, listing: Operation, ref: Field, up: Field | None) -> Iterator[Hop]:
    """Choices among the rows of one list, each with a single best row other than the last one."""
    relation = listing.relation
    fields = [f for f in relation.fields if f.kind in _RANKED and f.asked and not f.key]
    for by in fields:
        if (by.affinity == "TEXT" and by.kind not in ("day", "moment")) or _UNRANKED.search(by.words):
            continue
        hop = Hop(relation, ref, by, play.rng.random() < 0.5, up)
        rows = ranked(play, hop, chain.end)
        if len(rows) < 2 or rows[0][by.column] == rows[1][by.column]:
            continue
        if len(sharing(play, hop, chain.end)) <= MOST_LISTED and rows[0] is not chain.end:
            yield hop


def sharing(play: Play, hop: Hop, row: Row) -> list[Row]:
    """The rows among which a hop chooses."""
    value = shared_value(hop, row)
    return [r for r in play.rows(hop.relation) if value is not None and r[hop.ref.column] == value]


def shared_value(hop: Hop, row: Row) -> Any:
    """The value of the reference that the rows of a hop share."""
    return row[hop.up.column if hop.up is not None else hop.ref.target_column]


def ranked(play: Play, hop: Hop, row: Row) -> list[Row]:
    """The rows among which a hop chooses, the best first."""
    column = hop.by.column
    known = [r for r in sharing(play, hop, row) if r[column] is not None]
    return sorted(known, key=lambda r: sortable(r[column]), reverse=hop.highest)


def sortable(value: Value) -> tuple[float, str]:
    """A number, or a day as text, in an order that holds for either."""
    return (0.0, value) if isinstance(value, str) else (float(value or 0), "")


def walk(play: Play, chain: Chain) -> list[str]:
    """Make the calls that lead to the end of a chain; what the request says about it, in sentences.

    Raises:
        Abandoned: The first row cannot be named, or a list cannot be read.
    """
    texts = []
    row, subject = chain.row, mention(play, chain.start, chain.row)
    chain.at = len(play.calls) - 1
    for place, hop in enumerate(chain.hops):
        texts.append(_worded(play, chain, place, subject))
        because = (chain.at,) if place else ()
        chain.at = listed(play, hop.relation, because, **{hop.ref.name: shared_value(hop, row)})
        row = ranked(play, hop, row)[0]
        play.known.add(play.spot(hop.relation, row))
        subject = f"that {hop.relation.noun}"
    return texts


def listed(play: Play, relation: Relation, because: Sequence[int] = (), **filters: Any) -> int:
    """The place of a call that lists all rows that fit.

    Raises:
        Abandoned: There is no such tool, or more rows than it shows at once.
    """
    listing = play.plan.listing(relation)
    if listing is None:
        raise Abandoned(f"{relation.many} are not listed")
    result = play.decided_call(listing, filters, because)
    if result["total"] > MOST_LISTED:
        raise Abandoned(f"too many {relation.many} to look through")
    if result["total"] > len(result["items"]):
        play.forget_last()
        play.decided_call(listing, {**filters, "limit": MOST_LISTED}, because)
    return len(play.calls) - 1


def belonging(hop_ref: Field, target: Relation, subject: str) -> str:
    """How rows are said to refer to another one: "of the customer X", "with the user X as author"."""
    same = hop_ref.words in (target.noun, *target.noun.split())
    return f"of {subject}" if same else f"with {subject} as {hop_ref.words}"


def _worded(play: Play, chain: Chain, place: int, subject: str) -> str:
    hop = chain.hops[place]
    before = chain.hops[place - 1].relation if place else chain.start
    many, best, noun = hop.relation.many, hop.superlative, hop.relation.noun
    if hop.up is None:
        whose = belonging(hop.ref, before, subject)
        forms = (
            (f"Find the {noun} {whose} with {best}.", f"Among the {many} {whose}, find the one with {best}.")
            if place == 0
            else (f"Of the {many} {whose}, take the one with {best}.",)
        )
        return play.rng.choice(forms)
    if hop.relation is before and hop.ref.column == hop.up.column:
        return play.rng.choice(
            (
                f"Of all {many} with the same {hop.up.words}, pick the one with {best}.",
                f"Now compare all {many} that have the same {hop.up.words} and take the one with {best}.",
            )
        )
    whose = belonging(hop.ref, play.plan.model.target(hop.up), f"{pronoun(before, own=True)} {hop.up.words}")
    return f"Of all {many} {whose}, take the one with {best}."


def near_misses(play: Play, chain: Chain) -> list[tuple[Weakness, Row]]:
    """Where agents end up that take the next best row at one of the hops, or at the last the first row."""
    results: list[tuple[Weakness, Row]] = []
    row = chain.row
    for place, hop in enumerate(chain.hops):
        rows = ranked(play, hop, row)
        results.append(("second_best", _followed(play, chain.hops[place + 1 :], rows[1])))
        row = rows[0]
    if chain.hops:
        before = chain.row
        for hop in chain.hops[:-1]:
            before = ranked(play, hop, before)[0]
        first = min(sharing(play, chain.hops[-1], before), key=lambda r: play.key(chain.relation, r))
        results.append(("first_row", first))
    return [(weakness, end) for weakness, end in results if end and end is not chain.end]


def _followed(play: Play, hops: list[Hop], row: Row) -> Row:
    """Where hops lead from another row; empty where they lead nowhere."""
    for hop in hops:
        rows = ranked(play, hop, row)
        if not rows:
            return {}
        row = rows[0]
    return row
