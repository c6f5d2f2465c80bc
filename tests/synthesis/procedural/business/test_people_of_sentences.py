"""Who in a sentence is served, supplies, is told something or is nobody."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.reader import parse


@pytest.mark.parametrize(
    ("sentence", "noun"),
    [
        ("A cheese maker ages wheels in caves and ships them to delicatessens.", "delicatessen"),
        ("A greenhouse grows tomatoes and sells crates to grocers", "grocer"),
        ("A lighthouse trust opens towers to visitors.", "visitor"),
    ],
)
def test_those_to_whom_things_go_are_parties_also_where_the_word_is_unknown(sentence: str, noun: str) -> None:
    assert noun in plan(parse(sentence)).parties


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("A ski lift company sells day passes and refunds them when the wind stops the lifts.", "wind"),
        ("A seed library lends seeds to gardeners who return seeds after the harvest.", "harvest"),
    ],
)
def test_what_a_condition_is_about_is_a_reason_and_nobody(sentence: str, reason: str) -> None:
    planned = plan(parse(sentence))
    assert reason in planned.reasons
    assert reason not in planned.parties


def test_from_whom_a_business_buys_is_nobody_whom_it_serves() -> None:
    sentence = "A tea importer buys tea from growers and sells it to cafes that reorder every month"
    planned = plan(parse(sentence))
    assert [(p.name, p.record, p.party) for p in planned.processes] == [
        ("purchase", "tea purchase", "grower"),
        ("sale", "tea order", "cafe"),
    ]
    assert planned.processes[0].pattern.shape == "work"
    assert build(planned, sentence, 1).party.noun == "cafe"


def test_a_purchase_that_names_no_supplier_has_one_of_its_own() -> None:
    sentence = "A garage services cars and orders tyres"
    business = build(plan(parse(sentence)), sentence, 1)
    purchase = next(process for process in business.processes if process.pattern == "purchase")
    assert purchase.party.noun == "supplier"
    assert business.party.noun == "owner"


def test_a_day_behind_a_pronoun_says_when_and_is_not_handed_over() -> None:
    planned = plan(parse("A bike courier picks up parcels from offices and delivers them the same day"))
    assert planned.processes[0].verbs == ["pick up", "deliver"]
    assert planned.processes[0].terms == ["same day"]


def test_kinds_listed_behind_a_colon_are_served_by_nobody() -> None:
    planned = plan(parse("My wife does alterations: hems, zips and waists"))
    assert (planned.parties, planned.processes[0].kinds) == ([], ["hem", "zip", "waist"])


def test_whoever_comes_by_appointment_comes_at_an_hour() -> None:
    sentence = "A barber with two chairs"
    business = build(plan(parse(sentence)), sentence, 1)
    process = business.processes[0]
    assert (process.party.noun, process.record.has("from_hour")) == ("client", True)


@pytest.mark.parametrize(
    ("sentence", "table", "kind"),
    [
        ("A chimney sweep cleans flues and reminds customers a year later", "reminders", "year"),
        ("A bus company picks up pupils and tells parents when a bus is late", "messages", "late_bus"),
        ("A weather service forecasts storms and warns ports before a storm comes", "warnings", "storm"),
    ],
)
def test_those_who_are_told_something_get_a_notice_and_no_process(
    sentence: str, table: str, kind: str
) -> None:
    made = build(plan(parse(sentence)), sentence, 3)
    assert made.notice.name == table
    assert kind in made.notice_kinds
    assert len([p for p in made.processes if p.verb in ("remind", "tell", "warn")]) == 0
    understood = understand(sentence)
    assert understood.reading is not None
    assert understood.reading.unread in ((), ("comes",))


def test_what_people_need_or_how_they_live_is_their_state() -> None:
    planned = plan(parse("A charity matches volunteers with elderly people who need company"))
    assert planned.parties == ["elderly person"]
    assert planned.processes[0].name == "match"
    assert "handling" not in [process.name for process in planned.processes]


def test_people_who_act_for_themselves_are_no_business() -> None:
    planned = plan(parse("Villagers share a tractor and book it by the hour"))
    assert planned.business == "association"
    assert planned.parties == ["villager"]


def test_what_only_describes_people_is_nothing_that_is_done() -> None:
    planned = plan(parse("Our society rents plots to members and warns those who let weeds grow"))
    assert [process.record for process in planned.processes] == [
        "plot rental",
    ]
    assert planned.notifications == [("warn", "letting weeds grow")]
    assert "hive storage" not in str(plan(parse("An association inspects hives that its members keep")))


def test_reminders_that_are_sent_are_notices_and_no_deliveries() -> None:
    planned = plan(parse("A tax office assesses returns and sends reminders to taxpayers"))
    assert planned.notifications == [("remind", "")]
    assert "dispatch" not in [process.name for process in planned.processes]


def test_people_who_are_sent_to_occasions_are_rostered_for_them() -> None:
    planned = plan(parse("A service sends interpreters to hearings"))
    assert [(p.name, p.subject) for p in planned.processes] == [
        ("roster", "hearing"),
    ]
