"""Numbers that sentences state as rules, and what becomes of them in the policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synthesis.procedural.business.author import compose
from synthesis.procedural.sentence.limits import limits_of
from synthesis.procedural.sentence.tokens import tokens_of
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("members may borrow at most three", [("most", 3, 0)]),
        ("up to 12 books each, no more than five films", [("most", 12, 0), ("most", 5, 0)]),
        ("a boat for at most two hours", [("hours", 2, 0)]),
        ("printers for two hours at most", [("hours", 2, 0)]),
        ("loans of 10 days at most", [("longest", 10, 10)]),
        ("at most two hours a day", []),
        ("members borrow up to 3 tools for a week", [("most", 3, 0), ("longest", 1, 7)]),
        ("cancellations up to 48 hours before are free", [("notice", 2, 2)]),
        ("tenants give two months' notice", [("notice", 2, 60)]),
        ("on four weeks' notice, 10 days notice", [("notice", 4, 28), ("notice", 10, 10)]),
        ("three cats and two dogs", []),
        ("loans of up to 21 days", [("longest", 21, 21)]),
        ("for a maximum of ten nights", [("longest", 10, 10)]),
        ("no longer than two weeks at a time", [("longest", 2, 14)]),
        ("nobody may keep one longer than five days", [("longest", 5, 5)]),
        ("boats longer than five days", []),
        ("with a minimum stay of two nights", [("shortest", 2, 2)]),
        ("must book at least three days ahead", [("ahead", 3, 3)]),
        ("must book at least two days in advance", [("ahead", 2, 2)]),
        ("takes returns within a week", [("within", 1, 7)]),
        ("may give again after 56 days", [("wait", 56, 56)]),
        ("must wait 10 days between loans", [("wait", 10, 10)]),
        ("leaves after a week", []),
        ("at most two bookings a week per member", [("rate", 2, 7)]),
        ("no more than two repairs per visitor a month", [("rate", 2, 30)]),
        ("once a month at most", [("rate", 1, 30)]),
        ("two bookings a week", []),
        ("no more than three parcels in six months", [("rate", 3, 180)]),
        ("at most two loans within 3 weeks", [("rate", 2, 21)]),
        ("only members may book", [("only", 1, 0)]),
        ("nobody under 18 may book", [("age", 18, 0)]),
        ("clients must be at least 16 years old", [("age", 16, 0)]),
        ("children under 12 need an adult", []),
        ("there must be at least 18 people", []),
    ],
)
def test_limits_are_numbers_with_words_that_make_rules_of_them(
    text: str, limits: list[tuple[str, int, int]]
) -> None:
    read = [(limit.kind, limit.number, limit.days) for limit in limits_of(tokens_of(text))]
    assert read == limits


@pytest.mark.parametrize("digits", [4, 5_000])
def test_numbers_of_many_digits_are_no_limits(digits: int) -> None:
    assert not list(limits_of(tokens_of("members may borrow at most " + "9" * digits)))


def test_a_stated_limit_is_the_number_of_the_rule() -> None:
    policy = compose("A library lends books, and members may borrow at most three", seed=1).policy.text
    assert "at most 3 book loans" in policy or "No more than 3 book loans" in policy
    assert "4 where" not in policy


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("members may borrow at most three", ""),
        ("boats of up to 40 feet", "foot"),
        ("up to 12 small boats each", "small boat"),
        ("no more than five per member", ""),
        ("no more than five films and two books", "film"),
    ],
)
def test_what_a_number_counts_stands_behind_it(text: str, noun: str) -> None:
    assert [limit.noun for limit in limits_of(tokens_of(text))] == [noun]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A marina rents berths to boats of up to 40 feet.", 40),
        ("A firm rents out vans for up to 17 people.", 17),
    ],
)
def test_a_limit_on_something_else_is_no_rule_of_what_is_lent(text: str, number: int) -> None:
    world = compose(text, seed=1)
    assert not re.search(rf"(?:at most|more than) {number}\b", world.policy.text)
    assert not any(home.startswith("rule") for home in world.scenario.reading.homes.values())


@pytest.mark.parametrize(
    "text",
    [
        "A boatyard stores at most nine yachts per owner over winter",
        "A library lends books, and members may borrow no more than nine books",
        "A firm rents out vans for up to three people, at most nine vans each",
    ],
)
def test_a_limit_on_what_is_lent_is_its_rule(text: str) -> None:
    policy = compose(text, seed=1).policy.text
    assert re.search(r"(?:at most|[Nn]o more than) 9\b", policy)


def test_rents_are_by_the_month_and_notice_is_as_long_as_the_sentence_says() -> None:
    environment = compose("We rent out garages by the month. Tenants give two months' notice.", seed=2)
    tables = {table.name: [column.name for column in table.columns] for table in environment.schema.tables}
    assert "monthly_cents" in tables["garages"]
    assert "monthly_cents" in tables["garage_tenancies"]
    assert not any("daily_cents" in columns for columns in tables.values())
    assert "2 months (60 days)" in environment.policy.text
    assert "months_notices" not in tables
    assert "per day" not in " ".join(task.instruction for task in environment.tasks.tasks)
    rents = [row["monthly_cents"] for row in environment.seed_data.rows["garages"]]
    assert all(isinstance(rent, int) and rent % 30 == 0 for rent in rents)


@pytest.mark.parametrize("seed", [6, 41])
def test_where_everybody_has_as_many_as_a_sentence_allows_nobody_gets_one_more(seed: int) -> None:
    text = "A beekeeper sells honey to shops and lends hives to schools, at most two hives per school"
    with ProofContext(compose(text, seed=seed)) as context:
        result = CHECKS["rows_obey_the_policy"](context)
    assert result.passed, result.findings


def test_every_rule_that_the_guide_names_is_read() -> None:
    guide = (Path(__file__).parents[4] / "docs/guides/engineer.md").read_text(encoding="utf-8")
    table = guide.partition("| Say | For instance |")[2].partition("\n\n")[0].splitlines()[2:]
    examples = [example.strip() for row in table for example in row.split("|")[2].split(";")]
    assert len(examples) >= 12
    assert [example for example in examples if not list(limits_of(tokens_of(example)))] == []
