"""What of a sentence is no kind, state or process of a thing: it is reported, and no value of a column."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.modifiers import condition_of
from synthesis.procedural.sentence.reader import parse

_BESIDES = {
    "round assignment",
    "boat repair",
    "training session registration",
    "registration",
    "score repair",
}
"""Records of what a business of one process does besides, and of further clauses."""


def planned(sentence: str) -> BusinessPlan:
    return plan(parse(sentence))


def records_of(sentence: str) -> dict[str, str]:
    return {process.record: process.party for process in planned(sentence).processes}


def values_of(sentence: str) -> set[str]:
    result = planned(sentence)
    described = [*(kind for p in result.processes for kind in p.kinds), *result.values]
    return {*described, *(state for p in result.processes for state in p.states)}


def details_of(sentence: str) -> tuple[str, ...]:
    reading = understand(sentence).reading
    assert reading is not None
    return reading.statements


@pytest.mark.parametrize(
    ("state", "condition"),
    [
        ("has been seized", "seized"),
        ("not cleared", "not cleared"),
        ("no longer made", "made"),
        ("left behind", "left behind"),
        ("referred by doctor", "referred by doctor"),
        ("ill", "ill"),
        ("come back", ""),
        ("hold licences", ""),
        ("pay after the fifth", ""),
        ("coming out of hospital", ""),
        ("waited longest", ""),
        ("weekly", ""),
        ("two", ""),
    ],
)
def test_only_what_says_how_a_thing_is_is_a_condition(state: str, condition: str) -> None:
    assert condition_of(state) == condition


@pytest.mark.parametrize(
    ("sentence", "details"),
    [
        (
            "A charity lends wheelchairs to people coming out of hospital",
            ("coming out of hospital",),
        ),
        ("A park rents lots by the month and fines tenants who pay late", ("who pay late",)),
        ("A shop mends bikes with a bell on the handlebars", ("on the handlebars",)),
        (
            "A theatre lends costumes to schools, and volunteers usher at shows",
            ("volunteers usher at shows",),
        ),
        (
            "A charity delivers meals to pensioners, and a few clients are diabetic",
            ("a few clients are diabetic",),
        ),
        ("We teach piano to children; lessons are fun and rush jobs cost extra", ("lessons are fun",)),
        (
            "I mend bikes for commuters, and I phone them before doing anything big",
            ("before doing anything big",),
        ),
    ],
)
def test_what_nobody_does_is_reported_and_no_value(sentence: str, details: tuple[str, ...]) -> None:
    stated = details_of(sentence)
    assert all(any(detail in each for each in stated) for detail in details)
    assert not {word for detail in details for word in detail.split()} & values_of(sentence)


def test_a_detail_is_left_out_and_costs_no_fidelity() -> None:
    reading = understand("A shop mends bikes with a bell on the handlebars").reading
    assert reading is not None
    assert reading.left_out == ("on the handlebars (a detail)",)
    assert reading.fidelity == 1


def test_a_detail_within_a_rule_is_only_reported_as_the_rule() -> None:
    reading = understand("A gym sells passes and rents shoes; a pass expires after six months").reading
    assert reading is not None
    assert reading.left_out == ("after six months (a rule)",)


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        (
            "We teach violin to children; lessons cost £32 each and parents pay at the start of the term.",
            {"violin lesson registration": "child"},
        ),
        (
            "We charter narrowboats by the week from two marinas; hirers pay a third when they book.",
            {"narrowboat rental": "hirer", "narrowboat repair": "hirer"},
        ),
        (
            "A bike workshop mends bikes for locals, and locals pay on collection",
            {"bike repair": "local"},
        ),
    ],
)
def test_that_people_pay_is_no_process_beside_what_they_pay_for(
    sentence: str, records: dict[str, str]
) -> None:
    assert records_of(sentence) == records


def test_a_deposit_that_is_paid_for_a_booking_is_kept_on_the_booking() -> None:
    sentence = "We run a campsite with cabins, guests book online and pay a deposit"
    process = build(planned(sentence), sentence, 1).processes[0]
    assert (process.record.noun, process.record.has("deposit_cents")) == ("cabin booking", True)


@pytest.mark.parametrize(
    ("sentence", "parties", "roles"),
    [
        (
            "We sharpen scissors for hairdressers and knives for restaurants",
            ["hairdresser", "restaurant"],
            [],
        ),
        ("A blood lab tests samples for clinics", ["clinic"], []),
        ("A bus firm with eight drivers runs buses; the nearest free driver drives", [], ["driver"]),
        ("We press apples for people with gardens. They bring the fruit.", ["person"], []),
        ("I rent out chairs to self-employed stylists who pay me weekly", ["self-employed stylist"], []),
    ],
)
def test_who_is_served_and_who_works_there(sentence: str, parties: list[str], roles: list[str]) -> None:
    result = planned(sentence)
    assert (result.parties, result.roles) == (parties, roles)


@pytest.mark.parametrize(
    ("sentence", "business", "processes"),
    [
        (
            "I run a boarding kennels outside Hereford. Owners drop their dogs off for a few days.",
            "boarding kennel",
            {"dog stay": "stay"},
        ),
        ("I run a bike workshop. Folks leave their bikes.", "bike workshop", {"bike repair": "repair"}),
        (
            "I'm the secretary of a chess club. Members book courts.",
            "chess club",
            {"court booking": "hours"},
        ),
        (
            "I keep a flock of sheep and sell lambs to butchers.",
            "company",
            {"lamb order": "sale"},
        ),
        (
            "A tool library whose members borrow drills for a week",
            "tool library",
            {"drill loan": "loan"},
        ),
        (
            "Our school runs an after-school club: parents sign their children up for sessions.",
            "after-school club",
            {"registration": "enrolment"},
        ),
        (
            "A publisher prints books. Authors send manuscripts.",
            "publisher",
            {"book order": "production", "manuscript sending": "handling"},
        ),
        (
            "I look after cottages for owners: I clean between guests and report anything broken.",
            "company",
            {"cottage care": "care"},
        ),
        (
            "A groomer covering three towns clips dogs",
            "groomer",
            {"dog clipping": "handling"},
        ),
    ],
)
def test_what_a_business_is_and_does(sentence: str, business: str, processes: dict[str, str]) -> None:
    result = planned(sentence)
    assert result.business == business
    assert processes.items() <= {process.record: process.name for process in result.processes}.items()


def test_those_who_book_are_told() -> None:
    result = planned("Customers book a slot online and we text them when the van is late.")
    assert [process.record for process in result.processes] == ["slot booking"]
    assert [verb for verb, _ in result.notifications] == ["text"]


def test_at_most_so_many_are_what_is_stored() -> None:
    assert list(records_of("A boatyard stores at most nine yachts per owner over winter")) == [
        "yacht storage"
    ]


def test_boats_and_vans_are_carried_in_nothing_that_is_a_place() -> None:
    assert planned("We sharpen knives for restaurants, who post them to us in a padded box").places == []
    assert planned("A pop-up cinema screens films in barns").places == ["barn"]


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("Our village hall is hired out to clubs", {"hall rental": "club"}),
        ("We restore organs. We measure up and send a quote.", {"organ restoration": "", "quote": ""}),
        ("We run a taxi firm. People ring up for a ride.", {"ride booking": "person"}),
        (
            "A food bank swaps vouchers for parcels; agencies give families a voucher",
            {"voucher exchange": ""},
        ),
        (
            "A trailer park rents lots to tenants, and tenants who pay late get charged a late fee",
            {"lot rental": "tenant", "lot repair": "tenant"},
        ),
        ("A locksmith changes locks for letting agents", {"lock repair": "letting agent"}),
        ("Our clinic sees patients", {"appointment": "patient"}),
        ("We bring meals to pensioners; volunteers drive the rounds", {"meal delivery": "pensioner"}),
        ("Our office sells residents' permits", {"permit": "resident"}),
        ("A union advises workers and opens cases", {"worker request": "worker", "case": ""}),
        ("A laundry collects linen, washes it and delivers it back", {"linen washing": ""}),
        (
            "A rescue takes in strays, has them neutered and rehomes them",
            {"stray treatment": "", "stray match": ""},
        ),
        ("Our firm valets cars for dealers; the dealers get billed monthly", {"car valeting": "dealer"}),
        ("A club rents courts; every court has lights", {"court booking": ""}),
        ("A school teaches adults and cancels when the wind is strong", {"registration": "adult"}),
        ("A salon dyes hair; regulars get every tenth manicure free", {"hair appointment": ""}),
        ("A farm keeps a herd of cows and sells milk", {"milk order": ""}),
        ("A farm books visits, and we need one adult for every six kids", {"visit": ""}),
        (
            "I run a cattery. People going on holiday leave their cats with us, and we charge by the night.",
            {"cat stay": "person"},
        ),
        ("The rowing club has twelve boats, and members sign one out", {"boat loan": "member"}),
        ("Our church lends its hall to the playgroup", {"hall rental": "playgroup"}),
        ("A museum takes school parties round", {"school party registration": ""}),
        ("My husband and I keep bees and sell honey at the farmers' market", {"honey order": ""}),
        ("A fire department that answers calls and trains on Mondays", {"call": ""}),
        ("The library runs a delivery service: drivers take books to readers", {"book delivery": "reader"}),
        (
            "Our nursery school has thirty places and a fee that parents pay in advance",
            {"registration": "pupil"},
        ),
        ("My brother runs a tyre shop; drivers come in without an appointment", {"tyre order": ""}),
        ("I restore motorcycles and people often wait a year for a slot", {"motorcycle restoration": ""}),
        (
            "A centre helps people fill in forms and hands out coats",
            {"person request": "person", "coat issue": ""},
        ),
        ("We run a launderette and wash duvets", {"duvet washing": ""}),
        ("A dive shop takes certified divers out to the wreck", {"registration": "certified diver"}),
        (
            "A society rents plots and inspects them twice a season",
            {"plot rental": "", "plot inspection": ""},
        ),
        ("The choir I sing in lends scores to members", {"score loan": "member"}),
        ("Our roller derby league skates on Sundays", {"registration": ""}),
        ("A school teaches adults, hires out dinghies and cancels in storms", {"dinghy rental": ""}),
        ("Our truck parks at offices on weekdays and sells tacos", {"taco order": ""}),
        ("We move pianos, and two men and a van turn up on the day", {"piano delivery": ""}),
        ("We sell rugs and clean old ones", {"rug order": "", "rug cleaning": ""}),
        ("A hostel serves breakfast and locks its doors at eleven", {"breakfast issue": ""}),
        (
            "A clinic fits aids and tests people's hearing",
            {"aid installation": "", "hearing": "person"},
        ),
        ("Our breakfast club feeds about thirty pupils", {"care": "pupil"}),
        ("A centre runs holiday clubs for kids", {"holiday club registration": "kid"}),
        ("A patrol marks runs and closes them when there is a risk of avalanche", {"run entry": ""}),
        (
            "Residents report faults to our office and I get a plumber or an electrician in",
            {"fault incident": "resident"},
        ),
    ],
)
def test_which_processes_and_people_a_sentence_has(sentence: str, records: dict[str, str]) -> None:
    assert records.items() <= records_of(sentence).items()
    assert {*records_of(sentence)} - {*records} <= _BESIDES


@pytest.mark.parametrize(
    ("sentence", "people"),
    [
        ("A chess club sells scarves", "member"),
        ("A school teaches violin", "pupil"),
        ("A taxi firm sells vouchers", "passenger"),
        ("A museum sells posters", "visitor"),
        ("A bakery bakes bread", "customer"),
        ("A hospital laundry washes linen", "client"),
    ],
)
def test_people_are_called_as_such_a_business_calls_them(sentence: str, people: str) -> None:
    assert build(planned(sentence), sentence, 1).party.noun == people
