"""What sentences mean to who knows the trade: made for one customer, held too long, helped, measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.reader import parse
from synthesis.verification.checks import CHECKS, check_environment
from synthesis.verification.proof_context import ProofContext

DATA = Path(__file__).parents[4] / "tests/data/sentences"


@pytest.mark.parametrize(("file", "number"), [("strangers.txt", 50), ("passers_by.txt", 77)])
def test_sentences_of_strangers_are_represented(file: str, number: int) -> None:
    sentences = (DATA / file).read_text(encoding="utf-8").splitlines()
    for sentence in sentences:
        understood = understand(sentence)
        assert understood.reading is not None
        assert (understood.problem, understood.reading.unread) == ("", ()), sentence
    assert len(set(sentences)) == len(sentences) == number


def test_words_of_visitors_are_represented_or_in_a_rule_that_is_reported() -> None:
    sentences = (DATA / "visitors.txt").read_text(encoding="utf-8").splitlines()
    for sentence in sentences:
        understood = understand(sentence)
        assert understood.reading is not None
        assert understood.problem == "", sentence
        assert {*understood.reading.unread} <= {*" ".join(understood.reading.unkept).split()}, sentence
    assert len(set(sentences)) == len(sentences) == 95


@pytest.mark.parametrize(
    ("sentence", "pattern"),
    [
        ("A tailor makes suits to measure", "commission"),
        ("A workshop sells bespoke saddles", "commission"),
        ("A bakery bakes cakes to order", "commission"),
        ("A stonemason carves headstones for families", "commission"),
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
        ("A kennel boards dogs", ("overstay", "cancellation")),
        ("A shop rents bikes to tourists", ("late_return", "cancellation", "replacement")),
        ("A plumber fixes taps", ("cancellation",)),
    ],
)
def test_only_what_is_held_has_charges_for_days_after_its_end(sentence: str, late: tuple[str, ...]) -> None:
    kinds = build(plan(parse(sentence)), sentence, 1).charge.column("kind").choices
    assert kinds == ("service", *late, "damage")


def test_of_two_limits_on_the_same_records_the_first_counts() -> None:
    sentence = "A library lends books, and members may borrow at most four, children six books at most"
    business = build(plan(parse(sentence)), sentence, 1)
    assert [limit.number for limit in business.limits] == [4, 6]
    assert business.rules["book_loans.most"].values["n"] == 4


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("A shop orders newspapers for regulars", {"newspaper purchase": "supplier"}),
        ("A shop bakes cakes for locals", {"cake order": "local"}),
        ("A library lends audiobooks to the housebound", {"audiobook loan": "housebound"}),
        ("A car park operator issues season tickets", {"season ticket issue": ""}),
        ("A studio digitises tapes and returns the originals", {"tape job": ""}),
        ("An agent shows flats to buyers and collects offers", {"flat viewing": "buyer", "offer": ""}),
    ],
)
def test_adjectives_stand_for_people_or_for_what_was_named(sentence: str, records: dict[str, str]) -> None:
    planned = plan(parse(sentence))
    assert {process.record: process.party for process in planned.processes} == records


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("A judo club grades its members twice a year", {"registration": "grading"}),
        ("A piano teacher enters pupils for exams", {"exam entry": "exam"}),
        ("A photographer photographs couples", {"appointment": "photographer"}),
        ("A mobile library visits villages", {"visit": "vehicle"}),
        ("A home care service visits seniors", {"care": "care plan"}),
        ("A shelter takes in strays and rehomes them with families", {"stray match": "stray"}),
        ("A parish council lets allotments to residents", {"allotment tenancy": "allotment"}),
        ("A surf school rents boards by the hour", {"board booking": "board"}),
        (
            "A workshop mends clocks while you wait and sells straps",
            {"clock repair": "clock", "strap order": "strap"},
        ),
        ("A home looks after residents and lets relatives visit", {"care": "care plan", "visit": "room"}),
        ("A spa massages backs and charges by the session", {"back treatment": "back"}),
        ("A hall books out rooms to groups and charges by the hour", {"room booking": "room"}),
    ],
)
def test_what_is_done_to_people_and_how_it_is_priced(sentence: str, records: dict[str, str]) -> None:
    business = build(plan(parse(sentence)), sentence, 1)
    assert {process.record.noun: process.subject.noun for process in business.processes} == records


def test_an_hour_in_a_price_makes_bookings_for_hours() -> None:
    sentence = "A hall books out rooms to groups and charges by the hour"
    process = build(plan(parse(sentence)), sentence, 1).processes[0]
    assert (process.shape, process.price) == ("slot", "hourly_cents")


@pytest.mark.parametrize(
    ("sentence", "party"),
    [("A plumber fixes leaks", "customer"), ("A workshop fixes radios", "owner")],
)
def test_only_things_have_owners(sentence: str, party: str) -> None:
    assert build(plan(parse(sentence)), sentence, 1).party.noun == party


def test_offers_are_about_what_is_shown() -> None:
    planned = plan(parse("An agent shows flats to buyers and collects offers"))
    assert [process.subject for process in planned.processes] == ["flat", "flat"]


def test_how_people_are_divided_and_that_they_are_away_are_no_tables() -> None:
    planned = plan(parse("A swimming school teaches toddlers in small groups"))
    assert (planned.places, planned.processes[0].terms) == ([], ["small group"])
    planned = plan(parse("A cattery boards cats while their owners are on holiday"))
    assert planned.processes[0].terms == ["holiday"]


@pytest.mark.parametrize(
    ("business", "worker"),
    [
        ("bookbinder", "bookbinder"),
        ("stonemason", "stonemason"),
        ("osteopath", "osteopath"),
        ("glazier", "glazier"),
        ("shop", "technician"),
    ],
)
def test_whoever_has_a_trade_does_the_work(business: str, worker: str) -> None:
    sentence = f"A {business} repairs statues and polishes clocks"
    assert build(plan(parse(sentence)), sentence, 1).processes[0].worker == worker


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("A judo club grades its members", {"domestic", "simple", "first_time", "heavy_duty"}),
        ("A nursery sells zorbels", {"heavy_duty", "professional", "large"}),
        ("An office answers complaints", {"heavy_duty", "professional", "large"}),
    ],
)
def test_categories_are_those_of_what_a_process_expects(sentence: str, wrong: set[str]) -> None:
    for seed in range(8):
        process = build(plan(parse(sentence)), sentence, seed).processes[0]
        assert not wrong & set(process.subject.column("category").choices)


@pytest.mark.parametrize(
    ("sentence", "seed"),
    [
        ("A school bus company drives pupils to school and tells parents about delays", 108),
        ("A choir rents its rehearsal room to other groups by the hour", 126),
    ],
)
def test_worlds_of_one_process_are_proved(sentence: str, seed: int) -> None:
    environment = compose(sentence, seed=seed)
    report = check_environment(environment)
    assert [finding.message for finding in report.findings if finding.blocks] == []
    assert all(environment.seed_data.rows.values()), "no table is empty"


@pytest.mark.parametrize(
    ("sentence", "district"),
    [
        ("A municipal library lends books, games and tools in the old town", "Old Town"),
        ("A bike shop rents bikes at the lake", "Lake"),
        ("A vet in the old town treats dogs", "Old Town"),
        ("A bakery delivers cakes near the railway station", "Railway Station"),
    ],
)
def test_where_a_business_is_as_a_whole_is_a_district_and_no_table(sentence: str, district: str) -> None:
    environment = compose(sentence, seed=3)
    assert not any(
        district.rsplit(maxsplit=1)[-1].lower() in table.name for table in environment.schema.tables
    )
    districts = [
        row["district"] for rows in environment.seed_data.rows.values() for row in rows if "district" in row
    ]
    assert districts.count(district) == 1
    assert environment.policy is not None
    assert f" the {district.lower()}." in environment.policy.text
    assert environment.scenario.reading is not None
    assert environment.scenario.reading.unread == ()


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("A municipal library lends books, games and tools in five branches", "branches"),
        ("A cheese maker ages wheels in a cave and sells them to delis", "caves"),
        ("A crime laboratory analyses samples and reports results to the court", "courts"),
    ],
)
def test_places_of_which_there_are_several_or_that_take_part_are_a_table(sentence: str, place: str) -> None:
    assert place in {table.name for table in compose(sentence, seed=3).schema.tables}


def test_what_somebody_has_found_is_no_state_of_things_that_are_found() -> None:
    environment = compose(
        "A lost property office keeps items found on trains for 90 days and then gives them to charity",
        seed=1017,
    )
    with ProofContext(environment) as context:
        outcome = CHECKS["right_wordings_are_accepted"](context)
    assert outcome.passed, outcome.findings


def test_taken_care_of_is_no_state_of_an_appointment() -> None:
    sentence = "A town hall registers births, issues passports and takes appointments online."
    environment = compose(sentence, seed=951)
    with ProofContext(environment) as context:
        assert CHECKS["right_wordings_are_accepted"](context).passed


def test_half_a_character_is_no_text() -> None:
    problem = understand("A bakery \ud800 sells bread").problem
    assert (
        problem
        == "The scenario has half a character (a lone surrogate), which cannot be stored. Type it again."
    )
