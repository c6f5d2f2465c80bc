"""Chains: choices that only the answers of earlier calls allow, each with a single right end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived.chains import Chain, Hop, drawn_chain, near_misses, ranked, sharing, walk


def _hop(model, *, highest=True):
    """Of the orders of one customer, the one with the most or least of something."""
    orders = model.relations["Orders"]
    ref = next(f for f in orders.refs if f.target == "Customers")
    by = next(
        f for f in orders.fields if f.kind in ("money", "cents", "count", "day", "moment") and not f.key
    )
    return Hop(orders, ref, by, highest)


def test_every_choice_of_a_chain_has_one_best_row(play):
    for _ in range(5):
        chain = drawn_chain(play, 2)
        row = chain.row
        for hop in chain.hops:
            best, second = ranked(play, hop, row)[:2]
            assert best[hop.by.column] != second[hop.by.column]
            row = best
        assert row is chain.end


def test_the_last_call_of_a_chain_depends_on_one_for_each_choice(play):
    chain = drawn_chain(play, 2)
    texts = walk(play, chain)
    assert len(texts) == len(chain.hops)
    assert play.depths[chain.at] >= len(chain.hops)
    assert play.spot(chain.relation, chain.end) in play.known


def test_rows_are_ranked_from_either_end(play, model):
    hop = _hop(model)
    row = next(r for r in play.rows(model.relations["Customers"]) if len(sharing(play, hop, r)) > 1)
    down = [r[hop.by.column] for r in ranked(play, hop, row)]
    up = [r[hop.by.column] for r in ranked(play, _hop(model, highest=False), row)]
    assert down == sorted(down, reverse=True)
    assert up == sorted(up)


def test_near_misses_are_never_the_right_one(play):
    for _ in range(5):
        chain = drawn_chain(play, 2)
        ends = near_misses(play, chain)
        assert {weakness for weakness, _ in ends} <= {"second_best", "first_row"}
        assert not any(end is chain.end for _, end in ends)


def test_without_a_hop_there_is_nothing_to_get_wrong(play, model):
    relation = model.relations["Products"]
    row = play.rows(relation)[0]
    assert near_misses(play, Chain(relation, row, end=row)) == []


def test_more_choices_than_the_tables_offer_are_given_up(play):
    with pytest.raises(Abandoned):
        drawn_chain(play, 30)


@pytest.mark.parametrize(
    ("column", "kind", "words", "highest", "said"),
    [
        ("OrderDate", "day", "order date", True, "the latest order date"),
        ("OrderDate", "day", "order date", False, "the earliest order date"),
        ("Price", "money", "unit price", False, "the lowest unit price"),
        ("Stock", "count", "units in stock", True, "the most units in stock"),
        ("Stock", "count", "units in stock", False, "the fewest units in stock"),
        ("Status", "count", "address", True, "the highest address"),
    ],
)
def test_a_choice_is_said_as_people_say_it(model, column, kind, words, highest, said):
    some = model.relations["Products"].fields[0]
    by = replace(some, column=column, kind=kind, words=words)
    assert Hop(model.relations["Products"], some, by, highest).superlative == said
