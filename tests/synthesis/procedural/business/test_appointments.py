"""Appointments: hours of somebody's day, for what the sentence or the trade says people come for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.business.author import _business, compose, trial_world, understand
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.plan import plan
from synthesis.procedural.composing.playing import Playable
from synthesis.procedural.sentence.reader import parse
from synthesis.verification.checks import check_environment

BARBER = "A barber takes appointments for haircuts and beard trims"
PRICED = "A barber cuts hair by appointment: £18 for a haircut and £9 for a beard trim."


@pytest.fixture(scope="module")
def environment() -> Environment:
    return compose(BARBER, seed=2)


@pytest.fixture(scope="module")
def world(environment: Environment) -> Iterator[tuple[Business, Playable]]:
    with trial_world(environment) as trial, trial.instance() as instance:
        yield _business(BARBER, 2), instance


def test_a_world_of_appointments_passes_every_check(environment: Environment) -> None:
    report = check_environment(environment)
    assert [finding.message for finding in report.findings if finding.blocks] == []
    assert report.passed


@pytest.mark.parametrize(
    ("sentence", "people", "services"),
    [
        (BARBER, "barber", ["haircut", "beard trim"]),
        (
            "A hair salon takes appointments for cuts and colouring with stylists",
            "stylist",
            ["cut", "colouring"],
        ),
        ("A dentist sees patients", "dentist", []),
        ("A clinic books appointments for patients", "doctor", []),
        ("A law firm takes appointments", "solicitor", []),
        ("Zorblax takes appointments", "specialist", []),
        ("A venue shows couples around", "host", None),
        ("A guitar tutor gives lessons to pupils", "guitar tutor", []),
        ("A driving test centre books tests", "examiner", None),
        ("A mobile library visits villages", "vehicle", None),
        ("An agent shows flats to buyers", "flat", None),
    ],
)
def test_appointments_are_in_the_day_of_those_who_see_people(
    sentence: str, people: str, services: list[str] | None
) -> None:
    planned = plan(parse(sentence)).processes[0]
    assert (planned.pattern.shape, planned.subject) == ("slot", people)
    assert planned.services == (services or [])
    assert bool(planned.service) is (services is not None)


def test_several_things_that_are_booked_are_services_of_one_kind_of_appointment() -> None:
    planned = plan(parse("A vet clinic has three vets and books vaccinations, check-ups and surgery."))
    assert [(each.record, each.subject) for each in planned.processes] == [("appointment", "vet")]
    assert planned.processes[0].services == ["vaccination", "check-up", "surgery"]
    alone = plan(parse("A driving test centre books tests and assigns examiners"))
    assert [each.record for each in alone.processes if each.name == "appointment"] == ["test"]


def test_those_who_see_people_are_in_one_table_and_no_role_of_the_staff() -> None:
    planned = plan(parse("A hair salon takes appointments for cuts with stylists"))
    assert "stylist" not in planned.roles
    business = _business("A hair salon takes appointments for cuts with stylists", 1)
    assert business.processes[0].subject.name == "stylists"
    assert "stylist" not in business.staff.column("role").choices


def test_services_of_a_sentence_are_the_only_ones_where_there_are_several(environment: Environment) -> None:
    services = environment.seed_data.rows["services"]
    assert [row["name"] for row in services] == ["Haircut", "Beard Trim"]
    assert "Appointments are for haircut or beard trim." in (
        environment.policy.text if environment.policy else ""
    )
    of_trade = compose("A dentist sees patients", seed=2).seed_data.rows["services"]
    assert {"Check-Up", "Filling"} < {row["name"] for row in of_trade}


def test_a_service_says_how_long_an_appointment_takes_and_what_it_costs(environment: Environment) -> None:
    services = {row["id"]: row for row in environment.seed_data.rows["services"]}
    appointments = environment.seed_data.rows["appointments"]
    for row in appointments:
        service = services[row["service_id"]]
        assert (row["hours"], row["price_cents"]) == (service["hours"], service["price_cents"])
    charges = {row["reference"]: row for row in environment.seed_data.rows[_business(BARBER, 2).charge.name]}
    kept = [row for row in appointments if row["status"] == "completed"]
    assert kept
    for row in kept:
        charge = charges.get(f"AP-{row['id']}")
        assert charge is None or charge["amount_cents"] == row["price_cents"]


def test_a_tool_books_a_service_with_somebody_who_is_free(world: tuple[Business, Playable]) -> None:
    business, instance = world
    process = business.processes[0]
    instance.reset()
    row = instance.query("SELECT * FROM appointments WHERE status = 'booked' ORDER BY starts_on DESC, id")[0]
    party = row[process.party.key]
    wanted = {process.party.key: party, "barber_id": row["barber_id"], "starts_on": row["starts_on"]}
    create = process.names["create"]
    taken = instance.call(create, {**wanted, "from_hour": row["from_hour"], "service_id": row["service_id"]})
    assert "is taken by" in taken.message
    late = instance.call(create, {**wanted, "from_hour": 20, "service_id": row["service_id"]})
    assert "Appointments are for whole hours" in late.message
    nothing = instance.call(create, {**wanted, "from_hour": 9, "service_id": 1})
    assert "1" in nothing.message
    assert not nothing.ok


def test_prices_of_a_sentence_are_those_of_its_services() -> None:
    understood = understand(PRICED)
    assert understood.reading is not None
    assert understood.reading.unkept == ()
    environment = compose(PRICED, seed=3)
    prices = {row["name"]: row["price_cents"] for row in environment.seed_data.rows["services"]}
    assert prices == {"Haircut": 1800, "Beard Trim": 900}
    assert environment.policy is not None
    assert "Haircut" in environment.policy.text
    assert check_environment(environment).passed


def test_what_costs_something_is_named_before_its_price_too() -> None:
    sentence = "A dog groomer takes appointments; a wash costs £25 and a full groom £45."
    business = _business(sentence, 1)
    assert business.processes[0].service_cents == {"Wash": 2500, "Full Groom": 4500}
    assert [name for name, *_ in business.processes[0].services] == ["Wash", "Full Groom"]


def test_requests_for_appointments_speak_of_people_and_what_they_do() -> None:
    texts = [
        task.instruction
        for seed in range(4)
        for task in compose(BARBER, seed=seed).tasks.tasks
        if "appointment" in task.id or "barber" in task.id
    ]
    assert any("haircut" in text or "beard trim" in text for text in texts)
    assert not [text for text in texts if "out of use" in text or "repaired" in text or "it is free" in text]


@pytest.mark.parametrize(
    ("sentence", "no_show", "cancel", "records"),
    [
        ("A clinic books appointments and charges £40 to patients who do not turn up.", 4000, 0, 1),
        ("A salon takes appointments for cuts. No-shows pay £15.", 1500, 0, 1),
        ("A dentist books appointments; people who cancel less than a day before pay £30.", 0, 3000, 1),
        ("A barber takes appointments and charges people who do not turn up.", 0, 0, 1),
        ("A barber takes appointments and sells wax at £9 a jar.", 0, 0, 2),
    ],
)
def test_what_not_coming_costs_is_what_the_sentence_says(
    sentence: str, no_show: int, cancel: int, records: int
) -> None:
    business = _business(sentence, 1)
    process = business.processes[0]
    assert (process.no_show_cents, process.cancel_cents) == (no_show, cancel)
    assert len(business.processes) == records
    assert business.reading.unkept == ()
    text = business.rules[f"{process.record.name}.no_show"].text
    assert business.money(no_show) in text if no_show else "the price of its service" in text
    if cancel:
        assert business.value(f"{process.record.name}.notice", "days") == 1
        assert business.money(cancel) in business.rules[f"{process.record.name}.notice"].text


@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_seen_by_two_at_once_and_nobody_has_more_hours_of_a_day_than_allowed(seed: int) -> None:
    rows = compose(BARBER, seed=seed).seed_data.rows["appointments"]
    business = _business(BARBER, seed)
    most = business.value("appointments.hours")
    there = [row for row in rows if row["status"] != "cancelled"]
    for client, day in {(row["client_id"], row["starts_on"]) for row in there}:
        own = [row for row in there if (row["client_id"], row["starts_on"]) == (client, day)]
        hours = [hour for row in own for hour in range(row["from_hour"], row["from_hour"] + row["hours"])]
        assert len(hours) == len(set(hours)) <= most
        assert date.fromisoformat(day).weekday() != 6 or day == business.day(0)


def test_a_no_show_is_of_a_day_that_has_come_and_nobody_is_booked_twice_at_an_hour(world) -> None:
    business, instance = world
    process, today = business.processes[0], business.day(0)
    instance.reset()
    booked = "SELECT * FROM appointments WHERE status = 'booked' AND starts_on"
    row = instance.query(f"{booked} > '{today}' ORDER BY id")[0]
    fail = process.names["fail"]
    assert "has not come yet" in instance.call(fail, {"appointment_id": row["id"]}).message
    wanted = {key: row[key] for key in ("client_id", "service_id", "starts_on", "from_hour")}
    others = instance.query(
        f"SELECT id FROM barbers WHERE id <> {row['barber_id']} AND active = 1 ORDER BY id"
    )
    messages = [
        instance.call(process.names["create"], {**wanted, "barber_id": other["id"]}).message
        for other in others
    ]
    assert messages
    assert all("is taken by" in message for message in messages)
    missed = instance.query(f"{booked} = '{today}'")
    assert missed
    assert instance.call(fail, {"appointment_id": missed[0]["id"]}).ok


def test_as_many_see_people_as_the_sentence_says() -> None:
    sentence = "A vet clinic has three vets and books vaccinations, check-ups and surgery."
    environment = compose(sentence, seed=1)
    assert len(environment.seed_data.rows["vets"]) == 3
    prices = {row["name"]: row["price_cents"] for row in environment.seed_data.rows["services"]}
    assert prices["Surgery"] > prices["Vaccination"] > 0
    assert check_environment(environment).passed


def test_those_who_pay_for_something_else_are_still_billed_where_late_cancellations_cost() -> None:
    sentence = "A club rents courts by the hour and refunds members; late cancellations cost £5."
    business = _business(sentence, 1)
    assert len(business.processes) == 2
    assert business.processes[0].cancel_cents == 500
