"""Clauses that only state a rule make no process and no value; they are reported in their words."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.sentence.clauses import OBJECT
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.rule_clauses import rule_clauses, without_rules
from synthesis.procedural.sentence.stated_rules import rules_of
from synthesis.procedural.sentence.tokens import tokens_of


def clauses(sentence: str) -> list[str]:
    tokens = tokens_of(sentence)
    return [" ".join(tokens[at].text for at in clause) for clause in rule_clauses(tokens)]


def verbs(sentence: str) -> list[str]:
    return [clause.verb for clause in parse(sentence).clauses]


def objects(sentence: str) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (clause.verb, tuple(phrase.text for phrase in clause.roles.get(OBJECT, ())))
        for clause in parse(sentence).clauses
    ]


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("A kennel boards dogs; dogs must be vaccinated", "dogs must be vaccinated"),
        ("A club runs races, and life jackets are compulsory", "life jackets are compulsory"),
        ("A pool has lessons, swim caps are required, and parents wait", "swim caps are required"),
        ("We place cats; every keeper needs a garden check first", "every keeper needs a garden check first"),
        ("Wardens check trees, and no pruning is done in spring", "no pruning is done in spring"),
        ("An archive lends maps, and nothing gets copied after noon", "nothing gets copied after noon"),
        ("We rent rooms. Whoever leaves late pays for a night.", "Whoever leaves late pays for a night"),
        ("A marina lets berths; members get priority over guests", "members get priority over guests"),
        ("Tattoo studio. Clients under 18 are refused.", "Clients under 18 are refused"),
        (
            "A rink rents skates, and a child without a helmet can't skate",
            "a child without a helmet can't skate",
        ),
        ("An auction sells lots to florists, who have to pick them up", "who have to pick them up"),
        ("A foundry pours castings and scraps those whose porosity exceeds 2%", None),
        ("A pier lets stalls; groups must book a week ahead", None),
        ("A theatre lends wigs that schools have to return and repairs them", None),
        ("A plumber takes calls, tells people a price and doesn't charge for visits", None),
        ("A library lends books. Readers who don't pay are reminded.", None),
        ("Dogs must be vaccinated", None),
    ],
)
def test_a_clause_that_only_rules_is_told_from_others(sentence: str, rule: str | None) -> None:
    assert clauses(sentence) == ([rule] if rule else [])


@pytest.mark.parametrize(
    ("sentence", "verb"),
    [
        (
            "A swimming club in which swimmers sign in, tow floats are compulsory, and coaches teach strokes",
            "tow",
        ),
        (
            "Wardens survey trees, felling orders need sign-off by the officer, and we plant saplings",
            "fell",
        ),
        ("A consulate issues passports to citizens, who must show a report", "show"),
    ],
)
def test_a_rule_makes_no_process_and_is_reported(sentence: str, verb: str) -> None:
    assert verb not in verbs(sentence)
    rule = clauses(sentence)[0]
    assert rule in [" ".join(token.text for token in each) for each in rules_of(tokens_of(sentence))]
    reading = understand(sentence, least=0.0).reading
    assert reading is not None
    assert rule in reading.unkept
    values = {word for word, home in reading.homes.items() if home.startswith("value of")}
    assert values.isdisjoint({*rule.split()} - {"by"})


def test_a_rule_that_the_world_has_makes_no_process_and_is_not_reported() -> None:
    sentence = "We rehome greyhounds; every adopter needs a home check before we let a dog go"
    assert "let" not in verbs(sentence)
    reading = understand(sentence, least=0.0).reading
    assert reading is not None
    assert reading.unkept == ()


@pytest.mark.parametrize(
    ("sentence", "is_refused"),
    [
        ("No dogs, no cats, no children.", True),
        ("Dogs must be vaccinated; cats must be vaccinated.", True),
        ("Helmets are compulsory and no dogs are allowed.", True),
        ("A kennel boards dogs; dogs must be vaccinated.", False),
        ("A pawn shop lends money against watches and sells what is not redeemed in time", False),
    ],
)
def test_rules_alone_are_no_business(sentence: str, is_refused: bool) -> None:
    assert understand(sentence, least=0.0).problem.startswith("Only rules were read.") is is_refused


def test_what_is_left_begins_with_no_conjunction() -> None:
    left, ruled = without_rules(tokens_of("A hall is let; no alcohol is sold, and clubs pay rent"))
    assert [token.text for token in left] == [*("A", "hall", "is", "let", ";", "clubs", "pay", "rent")]
    assert [token.text for token in ruled] == [*("no", "alcohol", "is", "sold")]


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("A harbour assigns berths and charges £2.80 per metre per night", "£2.80 per metre per night"),
        ("A depot repairs pumps for 35p a litre", "35p a litre"),
        ("An office returns finds, and claimants pay a £5 fee", "£5 fee"),
        ("An embassy issues passports at a fee of 100 euros", "100 euros"),
        ("An office stores finds for 90 days and auctions them", "for 90 days"),
        ("A food bank gives people three parcels in any six months", "three parcels in any six months"),
        ("A reading room lends maps until 4 pm", "until 4 pm"),
        ("A co-operative sells wheat and deducts 1.5% of the price", "1.5 percent"),
    ],
)
def test_numbers_that_no_rule_of_the_world_has_are_reported(sentence: str, rule: str) -> None:
    reading = understand(sentence, least=0.0).reading
    assert reading is not None
    assert rule in reading.unkept


def test_for_how_long_something_is_lent_is_a_limit_of_the_world() -> None:
    reading = understand("A toy library lends toys to families for three weeks").reading
    assert reading is not None
    assert not reading.unkept
    assert reading.homes["weeks"].startswith("rule: longest")


@pytest.mark.parametrize(
    ("sentence", "acts"),
    [
        (
            "A grain co-operative dries, stores and sells wheat",
            [("dry", ("wheat",)), ("store", ("wheat",)), ("sell", ("wheat",))],
        ),
        (
            "A dialysis unit has beds, and patients dialyse three times a week",
            [("dialyse", ("time", "week"))],
        ),
        (
            "A patrol opens pistes and sets off avalanche charges",
            [("open", ("piste",)), ("set off", ("avalanche charge",))],
        ),
        ("A foundry X-rays castings and ships them", [("x-ray", ("casting",)), ("ship", ("casting",))]),
        ("Stage lights go out to school theatres by the week", [("go out", ("stage light",))]),
        ("Blood samples from racehorses are analysed in our lab", [("analyse", ("blood sample",))]),
        (
            "Oysters are grown on our beds in the estuary and sold by the dozen to fishmongers",
            [("grow", ("oyster",)), ("sell", ("oyster",))],
        ),
        ("An archive lets readers order up to six documents a day", [("order", ("document", "day"))]),
    ],
)
def test_what_is_done_to_what(sentence: str, acts: list[tuple[str, tuple[str, ...]]]) -> None:
    assert objects(sentence)[: len(acts)] == acts


@pytest.mark.parametrize(
    ("sentence", "business"),
    [
        ("Scaffolds are inspected by a competent person and repaired", "company"),
        ("We are a mobile shearing gang working from May to July and we shear sheep", "mobile shearing gang"),
        ("Beekeepers in our association register hives and sell honey", "association"),
        ("Passports are issued by the consulate to citizens", "consulate"),
        ("Stage lights go out to school theatres", "company"),
        ("Blood samples from racehorses are analysed in our lab", "company"),
    ],
)
def test_whose_sentence_it_is(sentence: str, business: str) -> None:
    read = parse(sentence).business
    assert read is not None
    assert read.text == business


def test_a_compound_at_the_beginning_is_no_name() -> None:
    assert not parse("Blood-bike riders carry samples between hospitals").names
    assert [token.text for token in parse("Kowalski repairs bicycles and rents scooters").names] == [
        "Kowalski"
    ]


def test_what_things_are_hired_to_holds_them() -> None:
    reading = understand("A prop house hires firearms to productions").reading
    assert reading is not None
    assert reading.nouns["production"] == "party"


def test_what_is_not_done_leaves_what_the_name_of_a_business_implies() -> None:
    sentence = (
        "We run a piano tuning business; pianos have to be dry, and we don't take new customers in May."
    )
    understood = understand(sentence)
    assert not understood.problem
    assert understood.reading is not None
    assert [process.verb for process in understood.reading.processes] == ["tune"]
