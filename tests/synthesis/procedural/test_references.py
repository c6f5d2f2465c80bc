"""References: rows are named so that nobody can take one for another."""

from __future__ import annotations

import pytest

from synthesis.procedural.pronouns import THEM, spoken
from synthesis.procedural.references import label_of, owned, reveal
from synthesis.procedural.walk import Abandoned


def test_owners_are_written_as_people_do():
    assert spoken(owned(THEM, "bill")) == "their bill"
    assert owned("Jane Smith", "bill") == "Jane Smith's bill"
    assert owned("Meridian Foods", "bill") == "Meridian Foods' bill"
    assert owned("Jane Smith (born 14 May 1984)", "bill") == "the bill of Jane Smith (born 14 May 1984)"


def test_a_shared_name_comes_with_the_date_of_birth(walk, made):
    party = made.entity("party")
    rows = walk.rows(party)
    names = [label_of(party, row) for row in rows]
    for row, name in zip(rows, names, strict=True):
        said = reveal(walk, party, row["id"])
        assert ("born" in said) == (names.count(name) > 1)


def test_naming_a_row_makes_the_call_that_shows_its_key(walk, made):
    party = made.entity("party")
    row = walk.rows(party)[0]
    reveal(walk, party, row["id"])
    assert [call.name for call in walk.calls] == [made.listing_tool(party)]
    assert (party.key, row["id"]) in walk.known


def test_a_known_row_is_not_looked_up_again(walk, made):
    party = made.entity("party")
    row = walk.rows(party)[0]
    reveal(walk, party, row["id"])
    calls = len(walk.calls)
    reveal(walk, party, row["id"])
    assert len(walk.calls) == calls


def test_no_two_rows_of_one_owner_are_named_alike(walk, made):
    for entity in made.browsable:
        if entity.parent is None or entity.label:
            continue
        said = []
        for row in walk.rows(entity):
            try:
                said.append(reveal(walk, entity, row["id"]))
            except Abandoned:
                continue
        assert len(said) == len(set(said))


def test_a_row_that_is_gone_cannot_be_named(walk, made):
    with pytest.raises(Abandoned):
        reveal(walk, made.entity("party"), 999_999)
