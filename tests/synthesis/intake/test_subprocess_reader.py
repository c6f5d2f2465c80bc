"""A stranger's text is read in a process of its own, within its limits."""

from __future__ import annotations

import pytest

from synthesis.errors import InvalidInput
from synthesis.intake import ImportOptions, read_text
from synthesis.intake.subprocess_reader import read_in_subprocess

SCRIPT = "CREATE TABLE café (id int PRIMARY KEY, name text NOT NULL);"


def test_it_reads_the_same_as_in_one_process() -> None:
    import_options = ImportOptions(name="Café", seed=3)
    assert read_in_subprocess(SCRIPT, source="é.sql", import_options=import_options) == read_text(
        SCRIPT, source="é.sql", import_options=import_options
    )


def test_what_is_refused_keeps_its_words() -> None:
    with pytest.raises(
        InvalidInput, match=r"x\.sql, line 2, column 1: 'HELLO' does not start a known statement"
    ):
        read_in_subprocess("\nHELLO", source="x.sql", import_options=ImportOptions())


@pytest.mark.parametrize(
    ("limits", "says"), [({"seconds": 0.01}, "aborted after"), ({"memory": 2**20}, "of memory")]
)
def test_a_text_that_takes_too_much_is_given_up(limits: dict[str, float], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read_in_subprocess(SCRIPT, source="x.sql", import_options=ImportOptions(), **limits)  # type: ignore[arg-type]
