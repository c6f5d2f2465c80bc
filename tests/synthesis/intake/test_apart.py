"""A stranger's text is read in a process of its own, within its limits."""

from __future__ import annotations

import pytest

from synthesis.errors import InvalidInput
from synthesis.intake import Wishes, read_text
from synthesis.intake.apart import read_apart

SCRIPT = "CREATE TABLE café (id int PRIMARY KEY, name text NOT NULL);"


def test_it_reads_the_same_as_in_one_process() -> None:
    wishes = Wishes(name="Café", seed=3)
    assert read_apart(SCRIPT, source="é.sql", wishes=wishes) == read_text(
        SCRIPT, source="é.sql", wishes=wishes
    )


def test_what_is_refused_keeps_its_words() -> None:
    with pytest.raises(InvalidInput, match=r"x\.sql, line 2, column 1: 'HELLO' begins no statement"):
        read_apart("\nHELLO", source="x.sql", wishes=Wishes())


@pytest.mark.parametrize(
    ("limits", "says"), [({"seconds": 0.01}, "given up after"), ({"memory": 2**20}, "of memory")]
)
def test_a_text_that_takes_too_much_is_given_up(limits: dict[str, float], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read_apart(SCRIPT, source="x.sql", wishes=Wishes(), **limits)  # type: ignore[arg-type]
