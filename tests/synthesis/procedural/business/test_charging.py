"""Clauses that say what people pay for what a business does anyway."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.reader import parse


def _planned(sentence: str) -> BusinessPlan:
    return plan(parse(sentence))


def _statements(sentence: str) -> tuple[str, ...]:
    understood = understand(sentence)
    assert not understood.problem
    assert understood.reading is not None
    return understood.reading.statements


@pytest.mark.parametrize(
    ("sentence", "records", "stated"),
    [
        (
            "A locksmith opens doors, cuts keys and charges double on Sundays",
            ["door opening", "key order"],
            "charges double on Sundays",
        ),
        ("A costume store lends costumes and charges for damage", ["costume loan"], "charges for damage"),
        ("A baker sells cakes; customers leave a deposit", ["cake order"], "customers leave a deposit"),
        ("A dog groomer, baths and trims, big dogs pay extra", ["appointment"], "big dogs pay extra"),
    ],
)
def test_what_costs_more_is_reported_and_no_process(sentence: str, records: list[str], stated: str) -> None:
    assert [process.record for process in _planned(sentence).processes] == records
    assert stated in _statements(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "A golf club charges green fees, lends trolleys and organises tournaments for members",
        "The choir collects fees each term and lends out scores",
        "A harbour office assigns berths, charges mooring fees and inspects vessels",
    ],
)
def test_fees_are_what_the_bills_of_a_world_are_called(sentence: str) -> None:
    result = _planned(sentence)
    assert "billing" not in {process.name for process in result.processes}
    assert result.charge == "fee"


def test_what_is_charged_by_a_measure_is_the_process_before() -> None:
    result = _planned("The boatyard stores boats over winter; storage is charged per metre.")
    assert [process.record for process in result.processes] == ["boat storage"]
    assert "metre" in result.processes[0].rated


@pytest.mark.parametrize(
    "sentence",
    [
        "A bridge authority inspects bridges and charges tolls",
        "A city library lets members reserve printers and charges for filament by the gram",
        "A tour operator sells trips and refunds travellers if a flight is cancelled",
    ],
)
def test_tolls_goods_by_measure_and_refunds_stay_processes(sentence: str) -> None:
    assert "billing" in {process.name for process in _planned(sentence).processes}


def test_what_is_done_to_people_beside_more_is_reported() -> None:
    sentence = "A lost property office stores umbrellas, identifies owners and auctions phones"
    assert [process.record for process in _planned(sentence).processes] == [
        "umbrella storage",
        "phone consignment",
    ]
    assert "identifies owners" in _statements(sentence)


@pytest.mark.parametrize(
    ("sentence", "record"),
    [
        ("A ski school groups children by level, and moves a child up after passing a test.", "ski lesson"),
        ("A language school tests newcomers and puts them in a class", "language lesson"),
    ],
)
def test_a_school_that_only_sorts_people_teaches_them(sentence: str, record: str) -> None:
    first = _planned(sentence).processes[0]
    assert (first.name, first.subject) == ("event", record)


def test_a_school_that_lends_things_is_given_no_lessons() -> None:
    result = _planned("A recording school lends microphones to students")
    assert [process.record for process in result.processes] == ["microphone loan"]


def test_people_who_are_tested_have_tests_and_no_sites() -> None:
    result = _planned("A clinic tests patients and sells glasses")
    assert next((process.record, process.subject) for process in result.processes) == (
        "patient test",
        "test type",
    )
