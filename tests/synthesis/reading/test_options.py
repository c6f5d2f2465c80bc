"""Options: another way of doing it is untrue, named, and told apart from what the act is done to."""

from __future__ import annotations

import pytest

from synthesis.reading.acts import acts
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import effects_from
from synthesis.reading.options import another_option, like_options

EFFECTS = effects_from(
    {
        "tools": {"record_payment": 1},
        "tables": ("payments", "invoices"),
        "names": (),
        "own": (),
        "words": (),
        "options": (("bank_transfer", ("cash", "card"), "method"),),
        "amounts": (),
    }
)


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("I booked 350.00 on invoice HL-2026-014, which is now paid.", ""),
        ("I booked 350.00 by bank transfer on invoice HL-2026-014.", ""),
        ("I booked 350.00 as a cash payment.", "cash"),
        ("I recorded a card payment of 350.00.", "card"),
        ("I recorded 350.00, paid by cheque.", "check"),
        ("I recorded 350.00, not a card payment.", ""),
    ],
)
def test_another_option_is_named(text: str, option: str) -> None:
    document = ParsedText(text)
    claims = [act for act in acts(document) if not act.denied]
    assert another_option(document, claims, EFFECTS) == option


def test_only_the_noun_of_an_option_says_what_is_like_it() -> None:
    assert "cash" in like_options("bank_transfer")
    assert not like_options("high_chair")
