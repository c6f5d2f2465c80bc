"""Money is only where somebody pays: what is donated, done by volunteers or a public duty is not billed."""

from __future__ import annotations

import re
import statistics

import pytest

from synthesis.documents.tasks import Task
from synthesis.procedural.business.author import compose
from synthesis.procedural.business.build import build
from synthesis.procedural.business.chasing import chased_in, doubled_in
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.sentence.reader import parse
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext

FREE = (
    "A food bank collects donations from supermarkets and hands out parcels to families.",
    "A mountain rescue team answers calls from walkers and sends out volunteers.",
    "A night shelter lends sleeping bags to homeless people.",
    "A lifeboat station rescues sailors and inspects boats.",
)
BILLED = (
    "A bike shop rents bikes to tourists and repairs them.",
    "An insurance company insures farms, assesses damage and pays claims.",
    "A bakery sells bread to cafes.",
    "A rink offers free skating time and rents skates.",
    "A hearing aid shop fits devices and replaces batteries.",
)
_OF_MONEY = re.compile(
    r"\b(?:amounts?|bills?|charges?|fees?|pa(?:id|y|ys|yments?)|prices?|costs?|cents|waiv\w+)\b",
    re.IGNORECASE,
)


def _business(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


def _columns(business: Business) -> list[str]:
    return [column.name for table in business.tables.values() for column in table.columns]


@pytest.mark.parametrize("sentence", FREE)
def test_where_nothing_costs_anything_there_is_no_word_of_money(sentence: str) -> None:
    business = _business(sentence)
    assert not business.has_charges
    assert not business.has_money
    assert not any(name.endswith("_cents") for name in _columns(business))
    environment = compose(sentence, seed=3)
    texts = [environment.policy.text, *(tool.name.replace("_", " ") for tool in environment.tools.tools)]
    texts += [task.instruction for task in environment.tasks.tasks]
    assert [found[0] for text in texts if (found := _OF_MONEY.search(text))] == []
    assert len(environment.tasks.tasks) == 10


@pytest.mark.parametrize("sentence", BILLED)
def test_what_is_sold_or_let_is_billed(sentence: str) -> None:
    business = _business(sentence)
    assert business.has_charges
    assert seed_data(business).rows[business.charge.name]


def test_what_a_charity_is_given_costs_nothing_where_it_sells_something_else() -> None:
    business = _business("A hospice shop accepts clothes from donors and sells furniture to customers.")
    free = {process.object: process.free for process in business.processes}
    assert free == {"clothes": True, "furniture": False}
    assert business.party.noun == "customer"
    sold = next(process.record for process in business.processes if not process.free)
    rows = seed_data(business).rows
    sales = {number_of(sold, row) for row in rows[sold.name]}
    assert {row["reference"] for row in rows[business.charge.name]} <= sales


@pytest.mark.parametrize(
    "sentence",
    [
        "A tool library run by volunteers lends drills to neighbours; late returns cost 50p a day.",
        "A rescue team charges walkers a fee for each call and answers calls.",
        "A shelter boards dogs for a deposit of £50.",
    ],
)
def test_a_price_that_the_sentence_names_is_charged(sentence: str) -> None:
    assert _business(sentence).has_charges


def test_who_is_only_shown_something_pays_nothing_for_it() -> None:
    shown = _business("An estate agent shows flats to buyers and collects offers")
    viewing, offer = shown.processes
    assert (viewing.free, viewing.billed, offer.billed) == (True, False, True)
    assert not any(column.kind == "money" for column in shown.tables["flats"].columns)


def test_what_an_insurer_or_a_fund_pays_out_is_billed_to_nobody() -> None:
    business = _business("A foundation awards grants to artists and sells catalogues to visitors.")
    award = next(process for process in business.processes if process.pattern == "award")
    assert (award.free, award.billed) == (False, False)
    assert business.party is not award.party


@pytest.mark.parametrize(
    ("sentence", "amount"),
    [
        ("A hotel takes bookings of rooms and cleans the rooms.", "cost"),
        ("A bike shop rents bikes to tourists and repairs them.", "cost"),
        ("A garage repairs cars and rents bikes to tourists.", "estimate"),
    ],
)
def test_upkeep_of_what_the_business_lets_itself_is_billed_to_nobody(sentence: str, amount: str) -> None:
    business = _business(sentence)
    (work,) = (process for process in business.processes if process.shape == "work")
    assert (work.amount, work.billed) == (amount, amount != "cost")
    billed = {row["reference"] for row in seed_data(business).rows[business.charge.name]}
    done = {number_of(work.record, row) for row in seed_data(business).rows[work.record.name]}
    assert work.billed or billed.isdisjoint(done)


def test_what_is_open_is_mostly_small_so_that_little_is_waived() -> None:
    rows = seed_data(business := _business("A hotel takes bookings of rooms and bills late guests.", 2)).rows
    charges = rows[business.charge.name]
    opened = [row["amount_cents"] for row in charges if row["status"] == "open"]
    paid = [row["amount_cents"] for row in charges if row["status"] == "paid"]
    assert statistics.median(opened) < 0.8 * statistics.median(paid)


def _solved(task: Task) -> set[object]:
    return {value for call in task.reference_solution for value in call.arguments.values()}


def test_matters_that_cost_nothing_are_handed_over_for_their_size() -> None:
    tasks = [(seed, task) for seed in range(8) for task in compose(FREE[0], seed=seed).tasks.tasks]
    deciding = [task for _, task in tasks if "or_hand_over" in task.id]
    assert {"above_limit" in _solved(task) for task in deciding} == {True, False}
    assert all(fact.type != "money_cents" for _, task in tasks for fact in task.answer_facts)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_entered_twice_is_on_record_and_its_rule_is_in_the_policy(seed: int) -> None:
    business = _business(FREE[0], seed)
    process = doubled_in(business)
    assert process is not None
    rows = [
        {name: value for name, value in row.items() if name not in ("id", "opened_on", "placed_on")}
        for row in seed_data(business).rows[process.record.name]
        if row["status"] == process.states[0]
    ]
    assert any(row in rows[:place] for place, row in enumerate(rows))
    assert process.record.many in business.rules["twice"].text or process.noun in business.rules["twice"].text


def test_records_that_are_late_are_followed_up_where_nothing_is_billed() -> None:
    lent = _business(FREE[2])
    chased = chased_in(lent)
    assert chased is not None
    assert (chased.due, chased.notice) == ("ends_on", "overdue")
    names = [task.id for seed in range(5) for task in compose(FREE[1], seed=seed).tasks.tasks]
    assert any(name.startswith("follow_up_late") for name in names)
    billed = _business(BILLED[0])
    assert chased_in(billed) is not None
    assert billed.chased is None


def test_putting_right_what_is_there_twice_is_told_by_no_state_of_the_records() -> None:
    sentence = "A refugee centre registers arrivals, assigns rooms and interprets interviews"
    composed = (compose(sentence, seed=seed) for seed in range(12))
    environment = next(e for e in composed if any(t.id == "withdraw_double_arrival" for t in e.tasks.tasks))
    with ProofContext(environment) as context:
        outcome = CHECKS["reference_solutions_complete_their_tasks"](context)
    assert outcome.passed, outcome.findings
