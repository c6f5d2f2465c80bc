"""Composer: sentences choose industries and fragments; blueprints are the same for the same input."""

from __future__ import annotations

import pytest

from synthesis.errors import InvalidInput
from synthesis.procedural.archetype import archetypes
from synthesis.procedural.blueprint import Size
from synthesis.procedural.composer import blueprint, scenario_words

SENTENCE = "A municipal library lends books, games and tools"


def test_the_sentence_chooses_the_industry_and_the_fragments():
    made = blueprint(SENTENCE, 1)
    assert made.industry.name == "public_library"
    assert "loans" in made.fragments


@pytest.mark.parametrize(
    ("sentence", "industry"),
    [
        ("An animal hospital", "veterinary_clinic"),
        ("Clinic front desk", "outpatient_clinic"),
        ("Lost and found office of a railway station", "general"),
        ("A law office", "law_office"),
        ("Hotel front desk", "hotel"),
        ("A regional hospital books appointments and bills patients", "hospital"),
        ("A school enrols pupils", "school"),
        ("A driving school books lessons", "driving_school"),
        ("A university enrols students in courses", "university_department"),
        ("A museum sells tickets and lends exhibits", "museum"),
        ("A restaurant chain takes table reservations", "restaurant"),
        ("Dental practice with recalls", "dental_practice"),
    ],
)
def test_the_sentences_own_noun_decides_the_industry(sentence, industry):
    assert {blueprint(sentence, seed).industry.name for seed in range(4)} == {industry}


def test_to_book_is_not_to_lend_books():
    made = blueprint("A regional hospital books appointments and bills patients", 1)
    assert "loans" not in made.fragments


@pytest.mark.parametrize(
    ("sentence", "entity", "column"),
    [
        ("Dental practice with prescriptions", "prescription", "medicine"),
        ("Dental practice with samples for the laboratory", "sample", "assay"),
    ],
)
def test_what_is_prescribed_and_tested_has_words_of_its_own(sentence, entity, column):
    made = blueprint(sentence, 1)
    source = made.target(made.entities[entity].column(column)).column("name").spec.source
    assert not set(made.vocabulary[source]) & {*made.vocabulary["item"], *made.vocabulary["service"]}


def test_the_seed_changes_the_shape_and_the_same_seed_does_not():
    assert blueprint(SENTENCE, 1) == blueprint.__wrapped__(SENTENCE, 1)
    assert set(blueprint(SENTENCE, 1).entities) != set(blueprint(SENTENCE, 2).entities)


def test_fragments_are_joined_by_foreign_keys_between_them():
    made = blueprint(SENTENCE, 1)
    crossing = [
        column
        for entity in made.entities.values()
        for column in entity.refs
        if made.target(column).fragment != entity.fragment
    ]
    assert len({made.target(column).fragment for column in crossing}) >= 3


def test_tables_only_refer_to_tables_above_them():
    made = blueprint(SENTENCE, 3)
    above: set[str] = set()
    for key, entity in made.entities.items():
        assert {column.entity for column in entity.refs} <= above
        above.add(key)


@pytest.mark.parametrize("seed", range(8))
def test_names_of_tables_and_tools_are_used_once(seed):
    made = blueprint("courier firm", seed)
    tables = [entity.table for entity in made.entities.values()]
    tools = [action.name for action in made.actions] + [report.name for report in made.reports]
    tools += [made.listing_tool(entity) for entity in made.browsable]
    assert len(tables) == len(set(tables))
    assert len(tools) == len(set(tools))


def test_every_fragment_keeps_some_tools_that_change_state():
    made = blueprint(SENTENCE, 1)
    acting = {action.entity.fragment for action in made.actions}
    assert {name for name in made.fragments if not archetypes()[name].base} <= acting


def test_a_smaller_size_gives_fewer_tables():
    small = blueprint(SENTENCE, 1, Size(tables=12, fragments=(2, 3)))
    assert len(small.entities) < len(blueprint(SENTENCE, 1).entities)


def test_an_empty_sentence_is_refused():
    with pytest.raises(InvalidInput, match="empty"):
        blueprint("  ", 1)


def test_the_description_tells_who_acts_and_what_is_kept():
    words = scenario_words(blueprint(SENTENCE, 1))
    assert "librarian" in words
    assert "{" not in words


def test_a_sentence_of_unknown_words_gets_a_vocabulary_that_fits_anything():
    made = blueprint("Zyxqo wvut", 3)
    assert made.industry.name == "general"
    assert "service organisation" in scenario_words(made)
    assert made.entities
