"""What sentences say of some people or things only: conditions, denials, obligations, pronouns."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.clauses import OBJECT
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.stated_rules import rules_of
from synthesis.procedural.sentence.tokens import tokens_of

SENTENCES = Path(__file__).parents[4] / "tests/data/sentences/visitors.txt"


def acts(sentence: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Who does what to what."""
    return [
        (
            clause.agent.text if clause.agent else "",
            clause.verb,
            tuple(phrase.text for phrase in clause.roles.get(OBJECT, ())),
        )
        for clause in parse(sentence).clauses
    ]


def rules(sentence: str) -> list[str]:
    return [" ".join(token.text for token in rule) for rule in rules_of(tokens_of(sentence))]


def processes(sentence: str) -> dict[str, str]:
    return {each.record: each.party for each in plan(parse(sentence)).processes}


def test_contractions_are_words_and_digits_in_groups_are_one_number() -> None:
    assert [token.text for token in tokens_of("They're paid 20,000 euros, who's not?")] == [
        *("They", "are", "paid", "20,000", "euros", ",", "who", "is", "not", "?")
    ]
    assert tokens_of("20,000")[0].word == "20000"
    assert [token.word for token in tokens_of("vets' bills and 8%")] == [
        "vets",
        "bills",
        "and",
        "8",
        "percent",
    ]


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("A hall is let to clubs; alcohol is not sold", "alcohol is not sold"),
        ("A sauna sells passes and dogs aren't admitted", "dogs aren't admitted"),
        ("A library lends books. Customers who haven't paid can't borrow books.", None),
        ("A club won't let players who owe money play", "won't let players who owe money play"),
        ("An office refuses those who are not on the list", "refuses those who are not on the list"),
        ("A festival sells tickets and refunds no tickets", "refunds no tickets"),
        ("A shop mends organs and nobody starts before the parish agrees", None),
        ("A school rents wings only to pilots who hold a licence", "only to pilots who hold a licence"),
        ("A nurse gives medicine only when parents have signed", "only when parents have signed"),
        ("A club rents boats, provided they have passed a course", "provided they have passed a course"),
        ("A trust gives boaters notice who are given 14 days to leave", "given 14 days to leave"),
        ("A hall pays prizes of up to 12500 euros per week", "up to 12500 euros per week"),
        ("A market takes 8% of every sale", "8 percent of every sale"),
        ("A host suspends sites that are 30 days overdue", "30 days overdue"),
        ("An office closes bars louder than 55 decibels", "louder than 55 decibels"),
        ("An agent charges a commission of 15%", "commission of 15 percent"),
        ("A line pays passengers who are more than an hour late", "more than an hour late"),
        (
            "A market weighs cheeses, records who bought them and doesn't admit traders",
            "doesn't admit traders",
        ),
        ("A dealer doesn't deliver to anybody who owes more than 20,000 euros", None),
    ],
)
def test_rules_are_reported_in_the_words_of_the_sentence(sentence: str, rule: str | None) -> None:
    expected = {
        "A library": "Customers who haven't paid can't borrow books",
        "A shop": "nobody starts before the parish agrees",
        "A dealer": "doesn't deliver to anybody who owes more than 20,000 euros",
    }
    assert rules(sentence) == [rule or expected[" ".join(sentence.split()[:2])]]


@pytest.mark.parametrize(
    "sentence",
    [
        "A clinic treats people who are not insured",
        "A tribunal hears people who don't agree",
        "A tribunal hears people who pay late and don't agree",
        "An office keeps a list of what each dog does not tolerate",
        "A shop sells tickets that are free",
        "A company has three boats",
    ],
)
def test_what_only_describes_is_no_rule(sentence: str) -> None:
    assert rules(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("A library lends books. Customers who haven't paid can't borrow books.", {"book loan": ""}),
        ("A hall hires out rooms to clubs; alcohol is not sold", {"room rental": "club"}),
        ("A club lends boats and won't let players who owe money play", {"boat loan": ""}),
        ("A shop sells tickets and refunds no tickets", {"ticket order": ""}),
        (
            "A club lends a bike to residents. It can be borrowed for two days, and mustn't be taken away.",
            {"bike loan": "resident"},
        ),
    ],
)
def test_denied_and_repeated_acts_are_no_processes(sentence: str, records: dict[str, str]) -> None:
    assert processes(sentence) == records


def test_what_nobody_may_do_is_no_process() -> None:
    records = processes("A bike station rents bicycles to commuters, and nobody may keep one")
    assert "bicycle rental" in records
    assert not any("storage" in record for record in records)


def test_hours_of_whole_days_limit_a_loan() -> None:
    sentence = "A club lends a bike to residents. It can be borrowed for at most 48 hours."
    reading = understand(sentence).reading
    assert reading is not None
    assert reading.unkept == ()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "A hall hires out rooms, and hirers who leave them dirty lose their deposit",
            [("", "hire out", ("room",)), ("hirer", "lose", ("deposit",))],
        ),
        (
            "A ward assigns beds to patients who are admitted",
            [("", "assign", ("bed",)), ("", "admit", ("patient",))],
        ),
        (
            "A ward assigns beds to patients and has them cleaned",
            [("", "assign", ("bed",)), ("", "clean", ("bed",))],
        ),
        (
            "A warehouse stores pallets that importers haven't cleared",
            [("", "store", ("pallet",))],
        ),
        (
            "A society pairs teams, judges score each round",
            [("", "pair", ("team",)), ("judge", "score", ("round",))],
        ),
        (
            "Hosting company: customers order domains, we renew them and suspend sites",
            [("customer", "order", ("domain",)), ("", "renew", ("domain",)), ("", "suspend", ("site",))],
        ),
        (
            "An elevator buys wheat, tests its moisture and dries it",
            [("", "buy", ("wheat",)), ("", "test", ("moisture",)), ("", "dry", ("wheat",))],
        ),
        (
            "An auction sells lots to florists, who have to pick them up",
            [("", "sell", ("lot",))],  # a rule, and no act of its own: see test_rule_clauses
        ),
        (
            "A school trains dogs for blind people, whom we visit every six months",
            [("", "train", ("dog",)), ("", "visit", ("blind person", "month"))],
        ),
        (
            "An exchange pairs learners; those who miss three meetings are dropped",
            [("", "pair", ("learner",)), ("", "drop", ("learner",))],
        ),
        (
            "A café invites visitors; visitors bring toasters and volunteers fix what they can",
            [
                ("", "invite", ("visitor",)),
                ("visitor", "bring", ("toaster",)),
                ("volunteer", "fix", ("toaster",)),
            ],
        ),
        (
            "A yard mends pallets and sells them to freight companies",
            [("", "mend", ("pallet",)), ("", "sell", ("pallet",))],
        ),
        (
            "A market weighs cheeses and records who bought them",
            [("", "weigh", ("cheese",)), ("", "record", ("cheese",))],
        ),
        (
            "A stall sells rings and swaps anything that breaks",
            [("", "sell", ("ring",)), ("", "swap", ("ring",))],
        ),
        (
            "A bailiff delivers letters, seizes goods and sells what has been seized",
            [("", "deliver", ("letter",)), ("", "seize", ("goods",)), ("", "sell", ("goods",))],
        ),
        (
            "An agent pays owners who let crews in",
            [("", "pay", ("owner",))],
        ),
        (
            "A gardener replaces plants at no cost",
            [("", "replace", ("plant",))],
        ),
        (
            "A company fines those who park on pavements",
            [("", "fine", ("person",))],
        ),
    ],
)
def test_who_does_what(sentence: str, expected: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert acts(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "business"),
    [
        ("Our parish keeps the registers of baptisms and copies entries", "parish"),
        ("Volunteers of our hedgehog hospital treat hedgehogs", "hedgehog hospital"),
        ("Dairy farmers call our hoof trimmer, who trims cows", "hoof trimmer"),
        ("My sister and I make cakes", "company"),
        ("Moorings are let by our trust to boaters", "trust"),
        ("An egg farm with 9000 hens grades eggs", "egg farm"),
        ("We are a team of two who install heat pumps", "team"),
        ("A debt collection agency chases unpaid invoices", "debt collection agency"),
        ("Foster families look after dogs for our rescue", "rescue"),
    ],
)
def test_whose_sentence_it_is(sentence: str, business: str) -> None:
    assert plan(parse(sentence)).business == business


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("An office measures noise and orders bars to close early", [("order", "close early")]),
        ("A plumber mends taps and tells the caller a price", [("tell", "price")]),
        ("A nurse treats pupils and calls home", [("call", "")]),
        ("An office hands complaints to the department and reminds it", [("remind", "")]),
    ],
)
def test_what_people_are_told_is_a_kind_of_notice(sentence: str, told: list[tuple[str, str]]) -> None:
    assert plan(parse(sentence)).notifications == told


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("A club owns three telescopes which members can book", {"telescope booking": "member"}),
        (
            "A school has two planes that only students with a certificate may fly",
            {"plane rental": "student"},
        ),
        ("A service patrols beaches and raises flags", {"beach inspection": "", "flag raising": ""}),
        ("An agency sends interpreters to hospitals", {"interpreter assignment": "hospital"}),
        ("A goldsmith appraises heirlooms", {"heirloom appraisal": ""}),
        ("An auction house appraises heirlooms", {"heirloom consignment": ""}),
        ("An office answers letters from citizens", {"letter": "citizen"}),
        ("A company repairs organs; each repair is quoted first", {"organ repair": ""}),
        ("A union lends calculators for exams", {"calculator loan": ""}),
    ],
)
def test_what_is_recorded_of_it(sentence: str, records: dict[str, str]) -> None:
    assert records.items() <= processes(sentence).items()


@pytest.mark.parametrize(
    "text",
    [
        "My",
        "and candidates, grades tests",
        "poultry shifts what locksmith been to has km,",
        "it limited machine courses, rehearsal has",
        "those who",
        "It is",
        "who",
    ],
)
def test_fragments_are_read_without_an_error(text: str) -> None:
    assert plan(parse(text)).business


def test_sentences_that_break_off_are_read_without_an_error() -> None:
    for sentence in SENTENCES.read_text(encoding="utf-8").splitlines()[::4]:
        words = sentence.split()
        for end in range(1, len(words)):
            parsed = parse(" ".join(words[:end]))
            assert plan(parsed).business
            assert all(rules_of(parsed.tokens))
