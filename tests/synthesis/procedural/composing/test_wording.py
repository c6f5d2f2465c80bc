"""Wording: English from nouns and verbs."""

from __future__ import annotations

from datetime import datetime

import pytest

from synthesis.procedural.composing.wording import (
    alias,
    article,
    listing,
    money,
    participle,
    plural,
    spoken_day,
    variable,
)


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("bus", "buses"),
        ("library", "libraries"),
        ("shelf section", "shelf sections"),
        ("person", "people"),
        ("day", "days"),
        ("chambers", "chambers"),
        ("kind of work", "kinds of work"),
    ],
)
def test_it_forms_plurals_of_the_last_word(noun, many):
    assert plural(noun) == many


@pytest.mark.parametrize(
    ("verb", "made"),
    [
        ("cancel", "cancelled"),
        ("take back", "taken back"),
        ("apply", "applied"),
        ("move", "moved"),
        ("forgive", "forgiven"),
        ("unfreeze", "unfrozen"),
        ("unhide", "unhidden"),
        ("annul", "annulled"),
        ("fulfil", "fulfilled"),
        ("top up", "topped up"),
    ],
)
def test_it_forms_participles_and_keeps_particles(verb, made):
    assert participle(verb) == made


def test_it_chooses_the_article_by_sound():
    assert article("hour") == "an hour"
    assert article("user") == "a user"
    assert article("order") == "an order"


def test_identifiers_shadow_nothing_and_need_no_quotes():
    assert variable("class") == "the_class"
    assert variable("row") == "the_row"
    assert alias("order") == "the_order"
    assert alias("sales order") == "sales_order"


def test_it_writes_lists_money_and_days_as_people_do():
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert money(1205) == "12.05"
    clock = datetime(2026, 3, 11, 8, 30)
    assert spoken_day("2026-03-13", clock) == "Friday 13 March"
    assert spoken_day("2027-03-13", clock) == "13 March 2027"
