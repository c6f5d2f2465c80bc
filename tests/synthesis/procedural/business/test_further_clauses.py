"""What a further clause of a sentence means beside the ones before it."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import compose
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.reader import parse
from synthesis.verification.claims.tools import reads_by_name


def planned(sentence: str) -> BusinessPlan:
    return plan(parse(sentence))


def records(sentence: str) -> list[str]:
    return [process.record for process in planned(sentence).processes]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("3D printer", "printer_3d"),
        ("3d printers section id", "printers_3d_section_id"),
        ("24-hour line", "hour_24_line"),
        ("42", "n42"),
        ("Ten-visit pass", "ten_visit_pass"),
    ],
)
def test_no_identifier_begins_with_a_digit(words: str, name: str) -> None:
    assert snake(words) == name


def test_a_world_of_things_with_a_digit_in_front_is_built() -> None:
    environment = compose("A makerspace lets members reserve 3D printers", seed=1)
    assert "printers_3d" in {table.name for table in environment.schema.tables}


def test_what_becomes_of_a_thing_makes_nobody_of_it() -> None:
    result = planned("A gym sells ten-visit passes and rents shoes; a pass expires after six months")
    assert result.parties == []
    assert [process.terms for process in result.processes] == [[], []]
    result = planned("A blood bank registers donors and ships units; a donor may give again after 56 days")
    assert [process.name for process in result.processes] == ["registration", "dispatch"]


def test_what_somebody_is_is_nothing_that_is_done() -> None:
    assert records("A canteen refunds meals of children who are ill") == ["meal refund"]
    result = planned("A ski school cancels lessons when lifts are closed and refunds guests")
    assert result.reasons == ["closed lift"]
    assert [process.record for process in result.processes] == ["lesson booking", "refund"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A shop charges for damage", "damage charge"),
        ("A club bills members for lost keys", "bill"),
        ("A courier firm refunds late deliveries", "late delivery refund"),
        ("A publisher pays royalties", "royalty"),
        ("A planner tracks deposits", "deposit"),
    ],
)
def test_what_is_charged_or_given_back_is_called_so(sentence: str, expected: str) -> None:
    assert records(sentence)[0] == expected


def test_measures_and_moments_are_terms_and_no_things() -> None:
    result = planned("A club lets members book vans by the hour and bills them for kilometres")
    assert [process.record for process in result.processes] == ["van booking", "account"]
    assert result.processes[1].terms == ["kilometre"]
    result = planned("A vineyard hosts tastings, sells wine and ships twice a year")
    assert [process.object for process in result.processes] == ["tasting", "wine", "wine"]
    assert result.processes[2].terms == ["year"]
    assert planned("A club bills parents at the end of the month").places == []


def test_those_who_are_booked_for_others_are_what_is_booked() -> None:
    result = planned("A wedding planner books venues, florists and bands for couples")
    assert result.parties == ["couple"]
    assert [process.record for process in result.processes] == [
        "venue booking",
        "florist booking",
        "band booking",
    ]
    assert records("A ski school books instructors for groups") == ["instructor booking"]


def test_who_is_supplied_is_a_customer_whatever_their_trade() -> None:
    result = planned("A dental lab makes crowns for dentists")
    assert (result.parties, result.roles) == (["dentist"], [])
    assert planned("A kitchen cooks meals for nursing homes").parties == ["nursing home"]


def test_what_is_assigned_to_somebody_is_no_colleague() -> None:
    result = planned("A student newspaper assigns stories to reporters")
    assert (result.parties, result.roles) == ([], ["reporter"])
    assert [process.record for process in result.processes] == ["story assignment"]


def test_moving_and_calling_off_belong_to_what_is_there_already() -> None:
    result = planned("A language school enrols students in courses and moves them between groups")
    assert (result.parties, len(result.processes)) == (["student"], 1)
    assert result.processes[0].verbs == ["enrol", "move"]
    hut = planned("A mountain hut lets beds to hikers and cancels bookings")
    assert [(process.name, process.verbs) for process in hut.processes] == [("hire", ["let", "cancel"])]
    hall = planned("A market hall lets stalls to traders by the day and moves them")
    assert [(process.name, process.verbs) for process in hall.processes] == [("hire", ["let", "move"])]
    groups = planned("A paintball park rents markers; groups must book a week ahead")
    assert [process.verbs for process in groups.processes] == [["rent", "book"]]
    assert groups.processes[0].party == "group"


def test_rooms_are_let_for_months_only_where_somebody_lives() -> None:
    assert [process.name for process in planned("A village pub lets rooms").processes] == ["hire"]
    assert [process.name for process in planned("A landlord lets rooms").processes] == ["letting"]
    assert [process.name for process in planned("A pub lets rooms by the month").processes] == ["letting"]


def test_what_is_turned_away_is_a_kind_and_no_work() -> None:
    result = planned("A recycling centre weighs loads and refuses hazardous waste")
    assert [process.record for process in result.processes] == ["load reading"]
    assert result.processes[0].kinds == ["hazardous waste"]


def test_a_noun_that_could_be_a_verb_closes_a_list_of_nouns() -> None:
    result = planned("A dog groomer books baths and trims, reminds owners and charges for no-shows")
    assert [process.object for process in result.processes] == ["bath", "trim"]
    assert result.parties == ["owner"]


def test_places_are_allotted_and_not_issued_from_stock() -> None:
    assert [process.name for process in planned("A harbour allots berths to boats").processes] == ["booking"]


@pytest.mark.parametrize("seed", range(4))
def test_tools_of_things_that_are_called_like_looking_promise_no_reading(seed: int) -> None:
    tools = compose(
        "A community radio schedules shows and trains presenters for checks", seed=seed
    ).tools.tools
    assert not [tool.name for tool in tools if tool.mutates_state and reads_by_name(tool.name)]


def test_what_only_happens_to_nobody_is_no_work() -> None:
    assert records("A rental lends trailers and checks them when they come back") == [
        "trailer loan",
        "trailer inspection",
    ]
    assert records("A festival rents out stalls and refunds tickets if it rains") == [
        "stall rental",
        "ticket refund",
    ]


def test_places_are_assigned_by_booking_them_and_flights_are_booked() -> None:
    assert records("A homeless shelter assigns beds for the night") == ["bed booking"]
    assert records("A travel agency books flights for customers") == ["flight booking"]


def test_another_spelling_is_no_singular() -> None:
    assert (singular("midwife"), singular("midwives"), singular("knives")) == ("midwife", "midwife", "knife")
    result = planned("A midwife visits families at home and orders supplies")
    assert (result.business, result.parties) == ("midwife", ["family", "supplier"])


def test_where_goods_go_is_no_thing_that_is_sent() -> None:
    assert records("A museum shop orders reprints and ships them abroad") == [
        "reprint purchase",
        "reprint delivery",
    ]


def test_entries_of_a_list_have_acts_of_their_own() -> None:
    tools = compose("An allotment society leases plots and keeps a waiting list", seed=1).tools.tools
    assert not [tool.name for tool in tools if "keep_track" in tool.name]
