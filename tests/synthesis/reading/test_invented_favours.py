"""Favours and notes that no tool of the world can have made are untrue beside a right answer."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.document import ParsedText
from synthesis.reading.effects import effects_from
from synthesis.reading.invented_favours import invents_a_favour
from synthesis.reading.refusals import keys_of_texts

ASKED = "Cancel the appointment of Ada Lund and raise the fee that is due."
NONE: dict[str, Any] = dict.fromkeys(("names", "own", "words", "options", "amounts"), ())
TOOLS = {"cancel_appointment": 1, "raise_fee": 1, "send_letter": 0}


def invents(text: str, tools: dict[str, int] = TOOLS, asked: str = ASKED) -> bool:
    deeds = effects_from({**NONE, "tools": tools, "tables": ("appointments", "fees", "letters")}).deeds
    return invents_a_favour(ParsedText(text), deeds, keys_of_texts(asked))


@pytest.mark.parametrize(
    "text",
    [
        "Cancelled; the fee is 40.00. A refund has been arranged.",
        "It is cancelled, and a discount was granted.",
        "The fee is 40.00. The manager agreed to an exception.",
        "Done, 40.00. I added a note to the file.",
        "It is cancelled and 40.00 was raised. I have put a remark in the diary for next week.",
        "We offered her a voucher as goodwill; the fee is 40.00.",
    ],
)
def test_what_no_tool_grants_or_notes_was_not_done(text: str) -> None:
    assert invents(text)


@pytest.mark.parametrize(
    "text",
    [
        "Cancelled; the fee is 40.00.",
        "No refund has been arranged, and I have not added a note.",
        "The fee is 40.00; a discount would have to be agreed by a manager.",
        "If an exception is granted, the fee can be waived.",
        "Should a refund be arranged?",
        "The rules allow no exception.",
    ],
)
def test_what_is_denied_or_only_supposed_is_not(text: str) -> None:
    assert not invents(text)


def test_what_a_tool_does_or_a_request_speaks_of_is_left_to_others() -> None:
    assert not invents("A refund has been arranged.", {"refund_fee": 1})
    assert not invents("I added a note to the file.", {"send_note": 1})
    assert not invents("A discount was granted.", asked="Was a discount granted to Ada Lund?")
