"""Amounts of records: what the price list says of their kind, limits of the size of what is decided."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.amounts import amount_range, limit_among
from synthesis.procedural.business.author import _business
from synthesis.procedural.business.build import build
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.model import Business, Row
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.sentence.reader import parse


def _built(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


def _with_kind(business: Business) -> list[tuple[Row, Row]]:
    """Records of the first process, each with the kind of work or thing it is about."""
    process, rows = business.processes[0], seed_data(business).rows
    kinds = {row["id"]: row for row in rows[process.subject.name]}
    return [(row, kinds[row[process.subject.key]]) for row in rows[process.record.name]]


def test_a_fee_is_that_of_the_price_list() -> None:
    pairs = _with_kind(_built("A council issues permits to builders"))
    assert pairs
    assert all(row["amount_cents"] == kind["standard_cents"] for row, kind in pairs)


def test_what_is_estimated_is_near_the_standard_price_of_its_kind() -> None:
    pairs = _with_kind(_built("A water company repairs leaks for households"))
    shares = [row["amount_cents"] / kind["standard_cents"] for row, kind in pairs]
    assert min(shares) >= 0.6
    assert max(shares) <= 1.75
    assert len({row["amount_cents"] for row, _ in pairs}) > 10


def test_nobody_has_repaired_what_costs_more_than_the_thing_is_worth() -> None:
    pairs = _with_kind(_built("A shop repairs bicycles for commuters"))
    assert all(row["amount_cents"] <= thing["value_cents"] for row, thing in pairs)


@pytest.mark.parametrize(
    ("cheaper", "dearer"),
    [
        ("A firm inspects boats for owners", "A yard repairs boats for owners"),
        ("A firm washes cars for drivers", "A garage repairs cars for drivers"),
        ("A club registers teams for a league", "A firm installs alarms for shops"),
    ],
)
def test_what_work_costs_depends_on_the_work_and_not_only_on_the_thing(cheaper: str, dearer: str) -> None:
    low, high = (amount_range(_built(each).processes[0])[1] for each in (cheaper, dearer))
    assert low * 2 <= high


@pytest.mark.parametrize(
    "sentence",
    [
        "A yard repairs yachts for owners",
        "A shop replaces batteries for customers",
        "A jeweller repairs rings for customers",
    ],
)
def test_a_limit_has_the_size_of_what_is_decided(sentence: str) -> None:
    business = _business(sentence, 1)
    process = business.processes[0]
    limit = business.value(f"{process.record.name}.limit")
    rows = seed_data(business).rows[process.record.name]
    assigned = [int(str(row["amount_cents"])) for row in rows if row["status"] == process.states[1]]
    above = sum(amount > limit for amount in assigned)
    assert 0.3 * len(assigned) <= above <= 0.75 * len(assigned)
    assert business.money(limit) in business.rules[f"{process.record.name}.limit"].text


def test_limits_are_in_steps_that_people_name() -> None:
    assert limit_among([1_130, 1_270]) == 1_200
    assert limit_among([14_300, 13_900, 9_000, 22_000]) == 14_000
    assert limit_among([148_300, 171_000]) == 150_000
    assert limit_among([40]) == 100
    assert limit_among([16_500, 19_000, 19_500, 26_000, 29_000]) == 19_500, "not so round"


def test_one_thing_has_one_price() -> None:
    both = _built("A counter buys and sells currencies")
    bought = next(p for p in both.processes if p.pattern == "purchase")
    assert bought.subject.has("unit_price_cents")
    assert not bought.subject.has("standard_cents")
    rows = seed_data(both).rows
    prices = {row["id"]: row["unit_price_cents"] for row in rows[bought.subject.name]}
    assert all(
        3 * prices[row[bought.subject.key]] // 2
        <= row["amount_cents"]
        <= 15 * prices[row[bought.subject.key]]
        for row in rows[bought.record.name]
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "A water company repairs leaks for households",
        "A utility bills households",
        "A courier delivers parcels to shops",
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_nobody_pays_for_what_was_not_done(sentence: str, seed: int) -> None:
    business = _built(sentence, seed)
    process, rows = business.processes[0], seed_data(business).rows
    results = {number_of(process.record, row): row["result"] for row in rows[process.record.name]}
    charged = [results[str(row["reference"])] for row in rows[business.charge.name]]
    assert charged
    assert set(charged) == {process.results[0]}
