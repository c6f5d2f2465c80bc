"""Pronouns: they never stand where they would be taken for somebody named since."""

from __future__ import annotations

from synthesis.procedural.pronouns import THEIR, THEM, possessive, settled, spoken

OTHERS = {"Quentin Kingsbury", "Atlas Media", "Arbor Foods"}


def told(text: str) -> str:
    return settled(text, "Atlas Media", OTHERS)


def test_a_pronoun_stays_where_its_own_name_was_the_last():
    assert told(f"Atlas Media called. Cancel {THEIR} case and write to {THEM}.") == (
        "Atlas Media called. Cancel their case and write to them."
    )


def test_the_name_comes_back_after_somebody_else_was_named():
    text = f"Atlas Media called. Give {THEIR} case to Quentin Kingsbury. Hand {THEIR} parcel to {THEM}."
    assert told(text) == (
        "Atlas Media called. Give their case to Quentin Kingsbury. Hand Atlas Media's parcel to them."
    )


def test_a_pronoun_never_goes_before_its_name():
    assert told(f"Let Quentin Kingsbury call {THEM}.") == "Let Quentin Kingsbury call Atlas Media."
    assert told(f"Cancel {THEIR} case.") == "Cancel Atlas Media's case."


def test_a_name_within_a_longer_one_is_not_that_name():
    text = settled(f"Ann Lee called. Tell Ann Leeds about {THEM}.", "Ann Lee", {"Ann Leeds"})
    assert text == "Ann Lee called. Tell Ann Leeds about Ann Lee."


def test_whose_something_is():
    assert possessive(THEM) == THEIR
    assert possessive("Meridian Foods") == "Meridian Foods'"
    assert spoken(f"{THEIR} bill for {THEM}") == "their bill for them"
