"""What sentences of strangers mean by who does what to whom, and in which state things are."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.reader import parse

DATA = Path(__file__).parents[4] / "tests/data/sentences"


def _planned(sentence: str) -> BusinessPlan:
    return plan(parse(sentence))


def _records(sentence: str) -> list[str]:
    return [process.record for process in _planned(sentence).processes]


@pytest.mark.parametrize(
    ("sentence", "noun", "state"),
    [
        ("A dealer buys used phones and sells them", "phone", "used"),
        ("A laundry washes dirty linen", "linen", "dirty"),
        ("A workshop repairs old bicycles", "bicycle", "old"),
    ],
)
def test_in_what_state_a_thing_is_does_not_name_it(sentence: str, noun: str, state: str) -> None:
    first = _planned(sentence).processes[0]
    assert (first.object, set(first.states)) == (noun, {state})


@pytest.mark.parametrize(
    ("sentence", "noun"),
    [
        ("A garage sells spare parts", "spare part"),
        ("A smokehouse sells smoked fish", "smoked fish"),
        ("A charity finds new homes for dogs", "new home"),
    ],
)
def test_words_that_tell_of_what_kind_a_thing_is_name_it(sentence: str, noun: str) -> None:
    assert noun in {process.object for process in _planned(sentence).processes}


def test_those_the_business_is_of_are_no_other_business() -> None:
    sentence = (
        "Translators' cooperative: clients send documents, a translator translates, a second one checks."
    )
    assert understand(sentence).problem == ""
    result = _planned(sentence)
    assert (result.roles, result.parties) == (["translator"], ["client"])
    assert next((process.name, process.object) for process in result.processes) == ("editing", "document")


@pytest.mark.parametrize(
    ("sentence", "name", "party", "record"),
    [
        ("A theatre group rents costumes from other groups", "purchase", "group", "costume rental"),
        ("A club borrows projectors from libraries", "purchase", "library", "projector loan"),
        ("A marina charters boats from two marinas", "rental", "", "boat rental"),
        ("The rowing club assigns boats to crews", "booking", "crew", "boat booking"),
        ("A school assigns lockers to pupils", "booking", "pupil", "locker booking"),
        ("A firm assigns guards to shops", "roster", "shop", "guard assignment"),
        ("A laundry collects linen from wards", "collection", "ward", "linen collection"),
    ],
)
def test_who_has_something_from_whom(sentence: str, name: str, party: str, record: str) -> None:
    first = _planned(sentence).processes[0]
    assert (first.name, first.party, first.record) == (name, party, record)


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("A wine merchant sells by the case and delivers", ["wine order", "wine delivery"]),
        ("A wine merchant stores cases for customers", ["case storage"]),
        ("A credit union lends to members", ["loan application"]),
        ("A food bank lends tables to members", ["table loan"]),
        ("A removals company packs and moves households", ["removal"]),
        ("Escape room with four rooms, bookings can be moved", ["booking"]),
        ("An office registers found items and gives them back", ["found item entry"]),
    ],
)
def test_what_a_verb_is_done_to_where_its_own_noun_does_not_say(sentence: str, records: list[str]) -> None:
    assert _records(sentence) == records


def test_a_block_of_flats_has_flats_and_those_who_are_sent_work_there() -> None:
    result = _planned(
        "I manage a block of 60 flats: tenants report repairs, and I send a plumber or an electrician"
    )
    assert result.places == ["flat"]
    assert result.roles == ["plumber", "electrician"]
    assert [process.record for process in result.processes] == ["repair"]


@pytest.mark.parametrize(
    ("sentence", "name", "record"),
    [
        ("Window cleaners. We do houses every six weeks and invoice monthly.", "cleaning", "house cleaning"),
        ("A florist makes wreaths to order and does flowers for weddings", "commission", "wreath order"),
        ("I tutor maths and physics to teenagers", "event", "maths lesson registration"),
        ("Mobile library van, each reader can take six books.", "loan", "book loan"),
        ("Cheese maker; we sell to shops and restaurants by the kilo.", "sale", "cheese order"),
        (
            "Campsite: 40 pitches, 6 cabins, dogs allowed on pitches only, cancel 14 days before or pay.",
            "booking",
            "cabin booking",
        ),
        ("Estate agent: we let flats and collect the rent for landlords.", "letting", "flat tenancy"),
    ],
)
def test_what_trades_mean_by_short_words(sentence: str, name: str, record: str) -> None:
    assert understand(sentence).problem == ""
    first, *others = _planned(sentence).processes
    assert (first.name, first.record) == (name, record)
    assert not {process.name for process in others} & {"billing", "case", "inspection", "handling"}


def test_flowers_that_a_florist_does_are_sold() -> None:
    result = _planned("A florist makes wreaths to order and does flowers for weddings")
    assert [process.record for process in result.processes] == ["wreath order", "flower order"]


def test_home_behind_people_and_verbs_behind_days_name_nothing() -> None:
    result = _planned("Our parish runs a lunch club for pensioners, volunteers cook and drive people home.")
    assert "home" not in {process.object for process in result.processes}
    reasons = _planned("A dairy sells cheese; orders before Wednesday go out on Friday.").reasons
    assert "wednesday go" not in reasons


def test_what_somebody_costs_is_no_price_of_a_thing() -> None:
    result = _planned("A firm rents cars to drivers, an extra driver costs 8 euros a day.")
    assert [process.price_cents for process in result.processes if process.object == "car"][:1] == [0]


def test_seven_days_ahead_of_an_order_are_a_rule_of_its_world() -> None:
    sentence = "We are a village bakery: customers order cakes at least seven days ahead."
    understood = understand(sentence, seed=3)
    assert understood.reading is not None
    assert not understood.reading.unkept
    world = compose(sentence, seed=3)
    assert "7 days" in world.policy.text or "1 week" in world.policy.text
    early = [
        row
        for row in world.seed_data.rows["cake_orders"]
        if (date.fromisoformat(str(row["due_on"])) - date.fromisoformat(str(row["placed_on"]))).days < 7
    ]
    assert not early


def test_so_many_in_six_months_are_a_rule_of_what_is_handed_out() -> None:
    sentence = "Our food bank gives parcels to families, no more than three parcels in six months."
    assert "within 180 days, today included" in compose(sentence, seed=3).policy.text
    lent = understand("A library lends books, no more than three books in six months.")
    assert lent.reading is not None
    assert lent.reading.unkept == ("no more than three books in six months",)


def test_who_is_on_a_waiting_list_waits_for_what_is_let() -> None:
    result = _planned("A garden rents plots to members and keeps a waiting list for people who want one.")
    entries = result.processes[1]
    assert (entries.record, entries.subject, entries.party) == ("waiting list entry", "plot", "member")


def test_savings_are_deposits_on_accounts() -> None:
    assert _records("A credit union takes savings from members and lends to them") == [
        "savings deposit",
        "loan application",
    ]


def test_members_of_a_choir_are_who_borrows() -> None:
    sentence = "The choir lends out scores and collects fees each term."
    assert build(_planned(sentence), sentence, 3).party.noun == "member"


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("The boatyard lifts boats out in October and stores them over winter", ["boat storage"]),
        ("An optician sells frames and contact lenses", ["frame order", "contact lens order"]),
        ("A shop replaces frames free within the first year", ["frame replacement"]),
        ("A tuner repairs pianos and reminds owners when a year has passed", ["piano repair"]),
        ("Stallholders book a pitch at our market and pay 25 a day", ["pitch booking"]),
        ("A library for toys, each family borrows up to four toys, lost pieces are charged.", ["toy loan"]),
        (
            "Driving instructor, lessons of two hours, or the lesson is charged.",
            ["driving lesson appointment"],
        ),
        ("Acupuncture clinic, first consultations take 90 minutes.", ["appointment"]),
        (
            "A society lets plots, inspects them and gives notice to anyone who leaves theirs overgrown",
            ["plot tenancy", "plot inspection"],
        ),
        ("The library runs a delivery service: drivers take books to readers", ["book delivery"]),
    ],
)
def test_words_beside_a_process_make_no_further_one(sentence: str, records: list[str]) -> None:
    assert _records(sentence) == records


def test_sentences_of_neighbours_are_worlds_without_accounts_and_matters() -> None:
    sentences = (DATA / "neighbours.txt").read_text(encoding="utf-8").splitlines()
    for sentence in sentences:
        understood = understand(sentence)
        assert not understood.problem, (sentence, understood.problem)
        subjects = {process.subject for process in _planned(sentence).processes}
        assert not subjects & {"tariff", "matter"}, sentence
