"""Plain numbers of a column, held against the rows that were written and shown."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.effects import Effects, effects_from
from synthesis.reading.judgement import AnswerReading, judge_answer
from synthesis.reading.observations import Observations
from synthesis.reading.statements import says

ASKED = "The pitch of Ada Brook's piano was measured at 436 Hz today. Please enter it."
RIGHT = "I entered it."
PIANOS = [{"id": 11, "name": "Ada Brook's piano"}]
ENTRIES: list[dict[str, Any]] = [
    {"id": 21, "piano_id": 11, "pitch_hz": 440, "entered_on": "2025-03-01"},
    {"id": 22, "piano_id": 11, "pitch_hz": 438, "entered_on": "2025-09-01"},
]
WRITTEN = {"entry_id": 23, "piano_id": 11, "pitch_hz": 436, "entered_on": "2026-03-11"}


def shown(row: dict[str, Any]) -> dict[str, Any]:
    return {"entry_id": row["id"], **{name: value for name, value in row.items() if name != "id"}}


CALLS = [
    [{"name": "Ada Brook"}, {"total": 1, "items": [{"piano_id": 11, "name": "Ada Brook's piano"}]}],
    [{"piano_id": 11}, {"total": 2, "items": [shown(row) for row in ENTRIES]}],
]


@pytest.fixture(name="effects", scope="module")
def _effects() -> Effects:
    return effects_from(
        {
            "tools": {"enter_pitch": 1},
            "tables": {"pianos": PIANOS, "entries": ENTRIES},
            "names": ["Ada Brook's piano"],
            "own": [ASKED],
            "words": [],
            "options": [],
            "amounts": [],
        }
    )


def read(text: str, effects: Effects) -> AnswerReading:
    observed = Observations((ASKED, "2026-03-11 09:00:00"), CALLS, written=[WRITTEN])
    return judge_answer(
        text, commits=True, instruction=ASKED, reference=RIGHT, effects=effects, observed=observed
    )


@pytest.mark.parametrize(
    "text",
    [
        "I entered a pitch of 436 Hz.",
        "The pitch is now 436.",
        "The pitch was 440 in March and 438 in September.",
        "I looked at 2 entries and added a pitch of 436 Hz.",
    ],
)
def test_a_number_that_was_written_or_shown_is_grounded(text: str, effects: Effects) -> None:
    reading = read(text, effects)
    assert not reading.ungrounded, reading.ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "Now the pitch is 438 Hz.",  # which an older row has
        "The pitch is now 440.",
        "I added the entry with a pitch of 450.",
        "The pitch was 450.",
    ],
)
def test_another_number_than_the_one_that_was_written_is_not(text: str, effects: Effects) -> None:
    reading = read(text, effects)
    assert "the pitch" in str(reading.ungrounded)


@pytest.mark.parametrize(
    "text",
    [
        "Not enough in stock: 4 of the 6 needed, so none were reserved.",
        "There are not enough in stock - 4 bass strings instead of 6 - so I put none aside.",
        "Only 4 in stock, so none were reserved.",
    ],
)
def test_what_is_not_enough_is_there_all_the_same(text: str) -> None:
    assert says(text, AnswerFact(name="bass strings in stock", type="number", value=4))
    assert not says(text, AnswerFact(name="bass strings in stock", type="number", value=5))
