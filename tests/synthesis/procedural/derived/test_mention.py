"""Mention: rows are named so that no other row is meant, and calls reveal their keys."""

from __future__ import annotations

import pytest

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived.mention import mention


def test_a_row_with_a_name_is_called_by_it_and_found_by_it(play, model):
    relation = model.relations["Customers"]
    row = play.rows(relation)[2]
    assert mention(play, relation, row) == f"the customer {row['CompanyName']}"
    assert [call.name for call in play.calls] == ["find_customers"]
    assert play.spot(relation, row) in play.known


def test_a_row_without_a_name_is_called_by_whom_it_belongs_to_and_what_sets_it_apart(play, model):
    relation = model.relations["Orders"]
    for row in play.rows(relation)[:6]:
        phrase = mention(play, relation, row)
        assert phrase.startswith("the order of the ")
        assert str(row["OrderID"]) not in phrase
    assert len(set(play.phrases.values())) == len(play.phrases)


def test_what_is_known_is_not_looked_up_again(play, model):
    relation = model.relations["Customers"]
    row = play.rows(relation)[2]
    mention(play, relation, row)
    mention(play, relation, row)
    assert len(play.calls) == 1


def test_a_row_that_has_changed_is_not_named_by_what_it_was(play, model):
    relation = model.relations["Customers"]
    row = play.rows(relation)[2]
    play.changed.add(play.spot(relation, row))
    with pytest.raises(Abandoned):
        mention(play, relation, row)


def test_twins_are_never_named(play, model):
    relation = model.relations["Products"]
    twin = dict(play.begun(relation)[0], ProductID=9999)
    play.start["Products"] = [*play.begun(relation), twin]
    with pytest.raises(Abandoned):
        mention(play, relation, twin)
