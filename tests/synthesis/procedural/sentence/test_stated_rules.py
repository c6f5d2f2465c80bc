"""Rules that sentences state: those of the world have their number, and the others are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.limits import limits_of
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.stated_rules import rules_of
from synthesis.procedural.sentence.tokens import tokens_of

SENTENCES = Path(__file__).parents[4] / "tests/data/sentences/stated_rules.txt"
NOT_IN_THE_WORLD = (
    "three services a day",
    "six sessions at most",
    "children under 12",
    "one wedding a day",
)
"""Words of the sentences of the file whose rule no world has."""


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("donors may give again after 56 days", ["again after 56 days"]),
        ("with at most three services a day", ["at most three services a day"]),
        ("no more than two repairs per visitor a month", ["no more than two repairs per visitor a month"]),
        ("six sessions at most per client", ["six sessions at most"]),
        ("they must book at least three days ahead", ["at least three days ahead"]),
        ("only members may book", ["only members may book"]),
        ("children under 12 need an adult", ["under 12"]),
        ("at most twice a week", ["at most twice a week"]),
        ("for a maximum of ten nights", ["a maximum of ten nights"]),
        (
            "a clinic that does not take walk-ins and never bills anyone",
            ["does not take walk-ins", "never bills anyone"],
        ),
        ("members may not renew loans", ["may not renew loans"]),
        ("a shop does not rent more than two bikes", ["more than two bikes"]),
        ("it reminds members who do not pay", []),
        ("a list of what each dog does not tolerate", []),
        ("three cats and two dogs", []),
        ("it has only two boats", []),
        ("after three partners left", []),
    ],
)
def test_the_words_of_a_rule_are_read(text: str, rules: list[str]) -> None:
    assert [" ".join(token.text for token in each) for each in rules_of(tokens_of(text))] == rules


def test_a_rule_that_a_sentence_states_is_in_the_world_or_reported() -> None:
    sentences = SENTENCES.read_text(encoding="utf-8").splitlines()
    assert len(set(sentences)) == len(sentences) == 51
    for sentence in sentences:
        understood = understand(sentence)
        assert understood.problem == "", sentence
        assert understood.reading is not None
        lost = any(words in sentence for words in NOT_IN_THE_WORLD)
        assert bool(understood.reading.unkept) is lost, sentence
        shown = " ".join(understood.reading.left_out)
        assert all(f"{rule} (a rule)" in shown for rule in understood.reading.unkept)


def test_what_is_said_not_to_be_done_is_reported() -> None:
    reading = understand(
        "A clinic books visits for patients. It does not take walk-ins and never bills anyone."
    ).reading
    assert reading is not None
    assert reading.unkept == ("does not take walk-ins", "never bills anyone")
    assert any("never bills anyone (a rule)" in each for each in reading.left_out)


def test_what_there_may_be_in_a_week_is_no_limit_of_one_booking() -> None:
    text = "A physiotherapy practice books sessions for clients, six sessions at most per client."
    assert "6 places" not in compose(text, seed=1).policy.text
    (limit,) = limits_of(tokens_of("at most two bookings a week per member"))
    assert (limit.kind, limit.unit) == ("rate", "week")
    text = "A museum runs tours for visitors, with at most eight places per booking."
    assert "8 places" in compose(text, seed=1).policy.text


def test_a_refused_sentence_is_answered_with_its_rules_too() -> None:
    text = "A boatyard stores yachts cheerfully, at most two yachts a day"
    problem = understand(text, least=0.99).problem
    assert "Without a home: cheerfully. No rule of the world: “at most two yachts a day”. Say" in problem


def test_words_of_a_rule_without_a_home_still_count_as_not_represented() -> None:
    reading = understand("A kennel boards dogs, and owners must book at least 40 days ahead").reading
    assert reading is not None
    assert (reading.unread, reading.unkept) == (("days", "ahead"), ("at least 40 days ahead",))
    assert reading.fidelity < 1


@pytest.mark.parametrize(
    ("sentence", "done", "not_done"),
    [
        ("A food bank gives out parcels to families but does not sell anything", "give out", "sell"),
        ("A tool library lends tools to members and never charges anyone", "lend", "charge"),
        ("Our marina does not accept boats longer than 18 metres; it rents moorings", "rent", "accept"),
        ("A studio rents rooms to bands. It doesn't clean them.", "rent", "clean"),
        ("A clinic books visits for patients and doesn\u2019t bill anyone", "book", "bill"),
        ("We aren't a hotel: we store luggage for travellers", "store", ""),
        ("The library does not lend books for more than three weeks", "lend", ""),
    ],
)
def test_what_is_not_done_has_no_process_of_its_own(sentence: str, done: str, not_done: str) -> None:
    verbs = {verb for process in plan(parse(sentence)).processes for verb in process.verbs}
    assert done in verbs
    assert not_done not in verbs


@pytest.mark.parametrize(
    "sentence",
    ["A shop that never sells alcohol", "We do not lend books.", "A clinic that doesn't bill anyone"],
)
def test_of_a_sentence_that_says_only_what_is_not_done_no_world_is_made(sentence: str) -> None:
    understood = understand(sentence)
    assert understood.reading is None
    assert "nothing that it does" in understood.problem


def test_a_bound_that_is_no_time_is_reported_and_one_that_is_becomes_a_rule() -> None:
    boats = understand("Our marina does not accept boats longer than 18 metres; it rents moorings to owners")
    assert boats.reading is not None
    assert boats.reading.unkept == ("longer than 18 metres",)
    for sentence, kind in (
        ("The library does not lend books for more than three weeks", "longest"),
        ("A massage practice books sessions for clients, who must cancel 48 hours ahead", "notice"),
        ("A massage practice books sessions for clients, who must cancel two days ahead", "notice"),
    ):
        assert kind in {limit.kind for limit in limits_of(parse(sentence).tokens)}, sentence


def test_repairing_what_comes_back_is_repairing_what_was_lent() -> None:
    planned = plan(parse("A tool library lends tools to members and repairs what comes back broken"))
    assert [process.object for process in planned.processes] == ["tool", "tool"]
