"""Phrases: slots of the catalogue's texts."""

from __future__ import annotations

from synthesis.procedural.action import Rule
from synthesis.procedural.phrases import of_one, slots, with_nouns, with_rules, with_values

NOUNS = {"order": "order", "party": "patron", "item": "umbrella"}


def test_nouns_come_with_plural_and_article():
    text = with_nouns("A {~party} has {a ~item} and two {~order+}; {A ~order} waits.", NOUNS.__getitem__)
    assert text == "A patron has an umbrella and two orders; An order waits."


def test_rules_are_written_as_people_read_them():
    rules = {
        "days": Rule("DAYS", 14, money=False, policy=""),
        "fee": Rule("FEE", 1250, money=True, policy=""),
    }
    assert with_rules("{days} days cost {fee}; {=days} stays", rules) == "14 days cost 12.50; {=days} stays"


def test_other_slots_are_filled_by_name():
    assert slots("give {target} to {party}") == ("target", "party")
    assert with_values("give {target}", lambda name: name.upper()) == "give TARGET"


def test_an_article_agrees_with_the_value_that_follows_it():
    values = {"priority": "urgent", "kind": "union form", "colour": "black"}
    assert with_values("open a {priority} ticket", values.__getitem__) == "open an urgent ticket"
    assert with_values("A {kind} and a {colour} bag", values.__getitem__) == "A union form and a black bag"


def test_what_a_rule_of_one_counts_is_in_the_singular():
    rules = {"most": Rule("MOST", 1, money=False, policy=""), "days": Rule("DAYS", 2, money=False, policy="")}
    text = of_one("At most {most} open {~order+}, {days} {~item+}, of {~party+}.", rules)
    assert text == "At most {most} open {~order}, {days} {~item+}, of {~party+}."
