"""Which calls went together, and answers that swap them."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import judge_answer

GIVEN: dict[str, Any] = {
    "tools": {"repair_assign": 2, "repair_cancel": 1},
    "tables": ["repairs", "colleagues"],
    "names": ["Ada Brook", "Ida Marsh", "Nils Yarrow", "Otto Vale"],
    "own": ["Ada Brook", "Ida Marsh", "Share out the repairs of Otto Vale."],
    "words": ["2001", "2002", "2003"],
    "options": [],
    "amounts": [],
    "own_keys": [2001, 2002, 2003],
    "other_keys": [2004],
    "calls": [
        ["repair_assign", {"2001": "repairs.id", "Ada Brook": "colleagues.name"}],
        ["repair_assign", {"2002": "repairs.id", "Ida Marsh": "colleagues.name"}],
        ["repair_cancel", {"2003": "repairs.id"}],
    ],
    "distractors": {
        "guests.first_name": ["Greta"],
        "guests.last_name": ["Ironside"],
        "repairs.id": ["2004"],
        "colleagues.name": ["Nils Yarrow"],
    },
    "left": ["repair_cancel"],
}


def _is_right(text: str) -> bool:
    return judge_answer(
        text,
        changed=True,
        instruction="Share out the repairs of Otto Vale, and cancel what is too old.",
        reference="The repairs were assigned. One was cancelled.",
        effects=effects_from(GIVEN),
    ).right


@pytest.mark.parametrize(
    "text",
    [
        "RE-2001 went to Ada Brook and RE-2002 to Ida Marsh; RE-2003 was cancelled.",
        "I assigned RE-2001 (Ada Brook) and RE-2002 (Ida Marsh). I cancelled RE-2003.",
        "RE-2001 and RE-2002 were assigned to Ada Brook and Ida Marsh respectively.",
        "I assigned two repairs and cancelled one, RE-2003.",
        "Greta Ironside wanted one, so they went to two people.",
    ],
)
def test_what_went_together_may_be_told_together(text: str) -> None:
    assert _is_right(text)


@pytest.mark.parametrize(
    "text",
    [
        "RE-2001 went to Ida Marsh and RE-2002 to Ada Brook; RE-2003 was cancelled.",
        "I assigned RE-2001 (Ida Marsh) and RE-2002 (Ada Brook). I cancelled RE-2003.",
        "RE-2001 went to Nils Yarrow and RE-2002 to Ida Marsh.",
        "I cancelled RE-2001.",
        "RE-2004 was cancelled.",
        "I cancelled all of his repairs.",
    ],
)
def test_what_did_not_go_together_may_not(text: str) -> None:
    assert not _is_right(text)
