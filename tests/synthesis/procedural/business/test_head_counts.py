"""As many as the sentence says: rows of tables, and what has another number of them is reported."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.sentence.head_counts import head_counts
from synthesis.procedural.sentence.tokens import tokens_of


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("A marina with 85 berths", [("berth", 85)]),
        ("A choir of 60 singers", [("singer", 60)]),
        ("lends at most three books", []),
        ("with three weeks between two jabs", []),
        ("puts on two shows a year", []),
        ("lends it for three weeks", []),
        ("costs 40 pounds", []),
        ("keeps twelve ponies and two carts", [("pony", 12), ("cart", 2)]),
    ],
)
def test_what_a_sentence_counts(text: str, counted: list[tuple[str, int]]) -> None:
    assert [(each.noun, each.number) for each in head_counts(tokens_of(text))] == counted


@pytest.mark.parametrize(
    ("sentence", "table", "rows"),
    [
        ("A society rents 85 plots to members", "plots", 85),
        ("A village pub lets five rooms by the night", "rooms", 5),
        ("A tutor teaches 30 pupils and repairs pianos", "pupils", 30),
        ("A library lends books in six branches", "branches", 6),
        ("A caterer delivers meals to 80 schools", "schools", 80),
    ],
)
def test_there_are_as_many_rows(sentence: str, table: str, rows: int) -> None:
    environment = compose(sentence, seed=1)
    assert len(environment.seed_data.rows[table]) == rows
    names = {row["name"] for row in environment.seed_data.rows[table]}
    assert len(names) >= rows - 1  # two people of one name are there on purpose
    assert len(environment.tasks.tasks) == 10
    reading = understand(sentence, seed=1).reading
    assert reading is not None
    assert reading.miscounted == ()


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("A pub lets two rooms by the night", "two rooms"),
        ("A farm sells eggs of 9000 hens and lends 300 baskets", "300 baskets"),
    ],
)
def test_another_number_is_reported(sentence: str, number: str) -> None:
    reading = understand(sentence, seed=1).reading
    assert reading is not None
    assert number in reading.miscounted
    assert f"{number} (a number)" in reading.left_out


def test_a_word_of_another_script_makes_no_second_table_of_payments() -> None:
    sentence = "A trade union registers members and pays strike benefits but 歯科医院の予約"
    environment = compose(sentence, seed=1)
    assert len({table.name for table in environment.schema.tables}) == len(environment.schema.tables)
