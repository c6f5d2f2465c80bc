"""What others do to a thing, who acts where, and by what word people are called."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.inflection import gerund
from synthesis.procedural.sentence.reader import parse


@pytest.mark.parametrize(
    ("sentence", "records", "states"),
    [
        ("A balloonist refunds trips that the wind cancels", ["trip refund"], ["cancelled by wind"]),
        ("A club lends boats the club owns to members", ["boat loan"], ["owned by club"]),
        ("A hotel refunds rooms which guests leave early", ["room refund"], ["left early by guests"]),
        ("A shop repairs phones that children break", ["phone repair"], ["broken by children"]),
        ("A nursery replaces plants that frost damages", ["plant replacement"], ["damaged by frost"]),
        ("A market auctions the catch that boats land", ["catch consignment"], ["landed by boats"]),
    ],
)
def test_what_others_do_to_a_thing_is_its_state(sentence: str, records: list[str], states: list[str]) -> None:
    planned = plan(parse(sentence))
    assert [process.record for process in planned.processes] == records
    assert [state for process in planned.processes for state in process.states] == states


def test_several_verbs_before_one_object_are_all_done_to_it() -> None:
    planned = plan(parse("A co-operative dries, stores and sells wheat"))
    assert [(p.verb, p.object) for p in planned.processes] == [
        ("dry", "wheat"),
        ("store", "wheat"),
        ("sell", "wheat"),
    ]


@pytest.mark.parametrize(
    ("sentence", "called"),
    [
        ("A marina stores yachts; it calls its customers agents.", "agent"),
        ("A theatre sells tickets to members, called friends, and lends costumes", "friend"),
        ("A fund lends money to clients known as partners", "partner"),
    ],
)
def test_people_are_called_as_the_business_calls_them(sentence: str, called: str) -> None:
    planned = plan(parse(sentence))
    assert planned.parties == [called]
    assert planned.roles == []
    assert not planned.notifications
    models = [build(planned, sentence, seed) for seed in range(8)]
    assert {(model.party.noun, called in (model.clerk, model.supervisor)) for model in models} == {
        (called, False)
    }


def test_riders_who_carry_things_work_there_and_hospitals_get_them() -> None:
    planned = plan(parse("Blood-bike riders carry blood, milk and samples between hospitals at night"))
    assert planned.roles == ["blood-bike rider"]
    assert [(p.record, p.subject, p.party, p.kinds) for p in planned.processes] == [
        ("delivery", "consignment", "hospital", ["blood", "milk", "sample"])
    ]


def test_who_acts_where_a_business_is_gets_what_it_gives_out() -> None:
    parsed = parse("A food bank where referred households may collect parcels")
    assert parsed.business is not None
    assert parsed.business.text == "food bank"
    assert [(p.name, p.party) for p in plan(parsed).processes] == [("supply", "referred household")]


@pytest.mark.parametrize(
    ("sentence", "business"),
    [
        ("Boilers are inspected by a competent person", "company"),
        ("Boilers are inspected by a repair shop", "repair shop"),
        ("A mobile shearing gang working from May to July that shears sheep", "mobile shearing gang"),
    ],
)
def test_the_business_is_neither_somebody_nor_when_it_works(sentence: str, business: str) -> None:
    parsed = parse(sentence)
    assert parsed.business is not None
    assert parsed.business.text == business


def test_verbs_and_objects_mean_what_the_trade_means() -> None:
    planned = plan(parse("A court office fixes hearings and allocates judges and courtrooms"))
    assert [(p.name, p.record) for p in planned.processes] == [
        ("appointment", "hearing"),
        ("roster", "judge assignment"),
        ("booking", "courtroom booking"),
    ]
    charged = parse("A harbour assigns berths to yachts, charges £2.80 per metre and checks papers")
    assert [clause.verb for clause in charged.clauses] == ["assign", "charge", "check"]
    assert gerund("repot") == "repotting"
    assert gerund("repair") == "repairing"


@pytest.mark.parametrize(
    ("sentence", "things", "party"),
    [
        ("A co-operative sells its members' wheat", ["wheat"], "member"),
        ("A mechanic repairs cars at customers' homes", ["car"], "customer"),
        ("A practice pays vets' bills", ["vet bill"], ""),
    ],
)
def test_what_is_of_people_is_for_them_and_not_called_after_them(
    sentence: str, things: list[str], party: str
) -> None:
    processes = plan(parse(sentence)).processes
    assert [process.object for process in processes] == things
    assert processes[0].party == party
