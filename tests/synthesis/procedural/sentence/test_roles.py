"""The roles that words of long sentences play: who does what to what."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.inflection import plural
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.roles import misplaced, role_share

DATA = Path(__file__).parents[4] / "tests/data/sentences"


def _act(clause: Clause) -> str:
    objects = ", ".join(phrase.text for phrase in clause.roles.get(OBJECT, ()))
    return f"{clause.agent.text if clause.agent else 'it'}: {clause.verb} {objects}".strip()


@pytest.mark.parametrize(
    ("sentence", "acts"),
    [
        (
            "A property manager lets flats to tenants, who report defects that plumbers repair",
            ["it: let flat", "tenant: report defect", "plumber: repair defect"],
        ),
        (
            "A dentist inspects teeth before the insurer approves the cost",
            ["it: inspect tooth", "insurer: approve cost"],
        ),
        (
            "I let three flats and my tenants keep reporting leaks",
            ["it: let flat", "tenant: report leak"],
        ),
        ("A hut lets members reserve beds", ["member: reserve bed"]),
        ("A hut sells soup and has wardens count visitors", ["it: sell soup", "warden: count visitor"]),
        ("A club lets parents who are members borrow boats", ["parent: borrow boat"]),
        (
            "When a lift breaks down, a maintenance firm sends a technician, who files a report",
            ["it: send technician", "technician: file report"],
        ),
        ("Before a festival opens, an inspectorate checks stages", ["it: check stage"]),
        (
            "Seeds are tested, dried and stored by a gene bank, and researchers may request samples",
            ["it: test seed", "it: dry seed", "it: store seed", "researcher: request sample"],
        ),
        (
            "Beekeepers whose hives were lost in storms are compensated by an insurer",
            ["it: compensate beekeeper"],
        ),
        (
            "An aid organisation whose volunteers drive vans hands blankets to people",
            ["it: drive van", "it: hand blanket"],
        ),
        (
            "A laboratory makes crowns that dentists order, remakes those that do not fit and ships them",
            ["it: make crown", "dentist: order crown", "it: remake crown", "it: ship crown"],
        ),
        (
            "A removal company stores furniture while houses are being built and delivers it",
            ["it: store furniture", "it: build house", "it: deliver furniture"],
        ),
        (
            "A tyre dealer stores wheels for customers and reminds them to change in spring",
            ["it: store wheel", "it: remind customer"],
        ),
        (
            "A tour operator sells trips through agents, to whom it pays commission",
            ["it: sell trip", "it: pay commission"],
        ),
        (
            "A job centre registers people looking for work and pays allowances to those who attend courses",
            ["it: register person", "it: pay allowance", "person: attend course"],
        ),
        ("A cooperative sorts clothes and sells the best to shops", ["it: sort clothes", "it: sell clothes"]),
        ("A pest company that councils call treats houses infested by rats", ["it: treat house"]),
    ],
)
def test_acts_have_who_does_them_and_what_they_are_done_to(sentence: str, acts: list[str]) -> None:
    assert [_act(clause) for clause in parse(sentence).clauses] == acts


def test_words_in_a_role_that_their_form_rules_out_are_named() -> None:
    parsed = parse("A hut lets rooms")
    phrase = parsed.clauses[0].roles[OBJECT][0]
    assert misplaced(parsed) == ()
    words = parse("A club sells members reserve beds").tokens[3:]
    misread = type(phrase)("members reserve bed", tuple(words), 6, many=True)
    parsed.clauses[0].roles[OBJECT] = [misread]
    assert misplaced(parsed) == ("members",)
    assert role_share(parsed) < 1 or "members" not in {token.word for token in parsed.content}


@pytest.mark.parametrize(("name", "least"), [("trades.txt", 0.99), ("clauses.txt", 0.98)])
def test_words_play_their_role_in_sentences_of_many_trades(name: str, least: float) -> None:
    sentences = (DATA / name).read_text(encoding="utf-8").splitlines()
    assert statistics.fmean(role_share(parse(sentence)) for sentence in sentences) >= least


def test_long_sentences_become_worlds() -> None:
    for sentence in (DATA / "clauses.txt").read_text(encoding="utf-8").splitlines():
        understood = understand(sentence)
        assert not understood.problem, (sentence, understood.problem)


def test_a_time_without_an_article_is_no_place() -> None:
    planned = plan(parse("A fish market auctions catches at dawn and bills buyers before noon"))
    assert planned.places == []
    assert [process.terms for process in planned.processes] == [["dawn"]]
    planned = plan(parse("A lab collects samples at dawn and tests kits before noon"))
    assert [process.terms for process in planned.processes] == [["dawn"], ["noon"]]


def test_what_somebody_turns_is_no_thing() -> None:
    planned = plan(parse("A studio books sessions and refunds clients when an artist falls ill"))
    assert "ill" not in planned.kinds
    assert "ill" in [state for process in planned.processes for state in process.states]


def test_who_orders_what_the_business_makes_is_its_customer() -> None:
    planned = plan(parse("A laboratory makes crowns that dentists order"))
    assert (planned.processes[0].record, planned.processes[0].party) == ("crown order", "dentist")


def test_a_trade_that_only_says_where_it_is_does_what_it_is_named_after() -> None:
    planned = plan(parse("A bakery with a shop"))
    assert planned.processes[0].verb == "bake"
    assert planned.places == ["shop"]


def test_what_has_no_singular_keeps_its_form() -> None:
    assert plural("clothes") == "clothes"
