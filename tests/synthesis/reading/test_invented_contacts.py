"""That somebody was reached or paid is untrue where no call did it and nothing was asked of the kind."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.document import ParsedText
from synthesis.reading.effects import effects_from
from synthesis.reading.invented_contacts import invents_a_contact
from synthesis.reading.judgement import judge_answer
from synthesis.reading.refusals import keys_of_texts

ASKED = "Please end the loan that Hugo Moorcock has for Saffron Bay and charge the delay."
TABLES = ("loans", "invoice_items", "messages", "payments")
NONE: dict[str, Any] = dict.fromkeys(("names", "own", "words", "options", "amounts"), ())


def invents(text: str, tools: dict[str, int], asked: str = ASKED) -> bool:
    deeds = effects_from({**NONE, "tools": tools, "tables": TABLES}).deeds
    return invents_a_contact(ParsedText(text), deeds, keys_of_texts(asked))


END = {"end_loan": 1, "raise_invoice_item": 1, "send_message": 0, "record_payment": 0}


@pytest.mark.parametrize(
    "text",
    [
        "The loan has ended; the delay costs 9.00. I rang him straight away.",
        "I ended the loan, charged 9.00 and informed Hugo Moorcock.",
        "The loan has ended and Hugo Moorcock has been told by e-mail.",
        "The delay costs 9.00. Hugo Moorcock got a notice about it.",
        "Hugo Moorcock returned it and paid the 9.00 at the desk.",
        "The loan is closed; he settled it straight away.",
        "I reminded Hugo to bring the other one back.",
    ],
)
def test_a_contact_or_payment_that_no_call_made_is_invented(text: str) -> None:
    assert invents(text, END)


@pytest.mark.parametrize(
    "text",
    [
        "The loan has ended; the delay costs 9.00.",
        "The loan has ended. I have not informed Hugo Moorcock.",
        "Hugo Moorcock should be informed, and he must pay the 9.00.",
        "I told you before that the delay would cost 9.00.",
        "The 9.00 is not paid yet.",
        "The loan is called Saffron Bay, and Hugo has two others.",
        "Once he has paid the 9.00, nothing is owed.",
        "Please call me if you need anything else.",
    ],
)
def test_what_is_denied_wished_or_said_to_the_reader_is_not(text: str) -> None:
    assert not invents(text, END)


def test_what_a_call_did_or_the_request_speaks_of_is_not_invented() -> None:
    message, payment = "I informed Hugo Moorcock.", "Hugo Moorcock paid the 9.00."
    assert not invents(message, {**END, "send_message": 1})
    assert not invents(payment, {**END, "record_payment": 1})
    assert not invents(message, END, asked=f"{ASKED} He sent us a message about it.")
    assert not invents(payment, END, asked=f"{ASKED} He says that he paid for it.")


def test_a_read_answer_may_tell_who_was_told_and_not_that_the_speaker_did_it() -> None:
    look_up = dict.fromkeys(END, 0)
    assert not invents("She owes 9.00 and has been reminded twice.", look_up)
    assert invents("She owes 9.00, and I reminded her.", look_up)


def test_a_refusal_with_an_invented_contact_is_none() -> None:
    effects = effects_from({**NONE, "tools": dict.fromkeys(END, 0), "tables": TABLES})
    for text, right in (
        ("I could not end the loan.", True),
        ("I could not end the loan, so I rang Hugo Moorcock.", False),
    ):
        reading = judge_answer(text, expects_refusal=True, instruction=ASKED, effects=effects)
        assert reading.refusal is not None
        assert reading.refusal.claims is not right
