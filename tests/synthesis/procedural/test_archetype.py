"""The catalogue: every archetype and industry is readable, complete and consistent."""

from __future__ import annotations

from collections import Counter

import pytest

from synthesis.errors import BrokenEnvironment
from synthesis.procedural.archetype import archetypes, industries, read_archetype, vocabulary


def test_it_has_the_archetypes_and_industries_it_promises():
    assert len(archetypes()) >= 40
    assert len(industries()) >= 60


def test_entity_keys_are_unique_across_archetypes():
    keys = Counter(key for archetype in archetypes().values() for key in archetype.entities)
    assert [key for key, count in keys.items() if count > 1] == []


def test_industries_name_archetypes_and_entities_that_exist():
    keys = {key for archetype in archetypes().values() for key in archetype.entities}
    for industry in industries().values():
        assert set(industry.prefers) <= set(archetypes()), industry.name
        assert set(industry.nouns) <= keys, industry.name


def test_every_need_is_offered_by_some_archetype():
    offered = {role for archetype in archetypes().values() for role in archetype.offers}
    for archetype in archetypes().values():
        assert set(archetype.needs) <= offered, archetype.name


def test_every_label_has_words_to_draw_from():
    for archetype in archetypes().values():
        known = {*vocabulary(), *archetype.vocabulary, "full_names"}
        for entity in archetype.entities.values():
            for key, column in entity.columns.items():
                if column.kind == "label":
                    assert (column.source or key) in known, f"{archetype.name}: {key}"


def test_every_action_has_rules_it_refers_to_and_words_to_ask_for_it():
    for archetype in archetypes().values():
        for action in archetype.actions:
            assert action.asks, f"{archetype.name}: {action.verbs[0]}"
            assert (action.creates or action.changes) in archetype.entities


def test_a_file_that_is_no_archetype_is_named():
    with pytest.raises(BrokenEnvironment, match=r"mine\.toml is not TOML"):
        read_archetype("name = ", "mine.toml")
    with pytest.raises(BrokenEnvironment, match=r"mine\.toml does not fit the catalogue"):
        read_archetype('name = "x"\ncolour = "red"', "mine.toml")
