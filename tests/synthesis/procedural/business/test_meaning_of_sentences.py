"""What sentences mean to who knows the trade: made for one customer, held too long, helped, measured."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.reader import parse


@pytest.mark.parametrize(
    ("sentence", "pattern"),
    [
        ("A tailor makes suits to measure", "commission"),
        ("A workshop sells bespoke saddles", "commission"),
        ("A bakery bakes cakes to order", "commission"),
        ("A bakery bakes bread", "production"),
        ("A shop sells curtains to hotels", "sale"),
    ],
)
def test_what_is_made_for_one_customer_is_in_no_stock(sentence: str, pattern: str) -> None:
    process = build(plan(parse(sentence)), sentence, 1).processes[0]
    assert process.pattern == pattern
    assert process.subject.has("stock") is (pattern != "commission")
    assert process.subject.has("customer_id") is False


def test_those_by_whom_patients_were_referred_do_not_treat_them() -> None:
    sentence = "A practice treats patients who were referred by their doctor, and each course is six sessions"
    business = build(plan(parse(sentence)), sentence, 1)
    assert [(process.worker, process.object) for process in business.processes] == [
        ("practitioner", "patient")
    ]
    assert understand(sentence).problem == ""


def test_units_of_measure_and_helping_hands_are_nobody() -> None:
    planned = plan(parse("A yard lifts boats of up to 40 feet with the help of volunteers"))
    assert (planned.parties, planned.roles) == ([], ["volunteer"])
    assert planned.processes[0].terms == ["foot"]
    assert plan(parse("A marina rents berths to boats of up to 40 feet")).parties == []


def test_a_late_fee_is_what_days_after_the_end_of_a_loan_cost() -> None:
    sentence = "A library lends laptops to readers and charges a late fee for each day"
    business = build(plan(parse(sentence)), sentence, 1)
    assert [process.record.noun for process in business.processes] == ["laptop loan"]
    assert (business.charge.noun, business.processes[0].late) == ("fee", "late")
    assert "late fee" in business.rules["laptop_loans.late"].text
    assert business.charge.column("kind").choices[:2] == ("service", "late")
    reading = understand(sentence).reading
    assert reading is not None
    assert reading.unread == ()


@pytest.mark.parametrize(
    ("sentence", "late"),
    [
        ("A kennel boards dogs", ("overstay",)),
        ("A shop rents bikes to tourists", ("late_return",)),
        ("A plumber fixes taps", ()),
    ],
)
def test_only_what_is_held_has_charges_for_days_after_its_end(sentence: str, late: tuple[str, ...]) -> None:
    kinds = build(plan(parse(sentence)), sentence, 1).charge.column("kind").choices
    assert kinds == ("service", *late, "cancellation", "replacement", "damage")


def test_of_two_limits_on_the_same_records_the_first_counts() -> None:
    sentence = "A library lends books, and members may borrow at most four, children six books at most"
    business = build(plan(parse(sentence)), sentence, 1)
    assert [limit.number for limit in business.limits] == [4, 6]
    assert business.rules["book_loans.most"].values["n"] == 4
