"""What sentences of strangers mean by who does what to whom, and in which state things are."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.reader import parse


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
