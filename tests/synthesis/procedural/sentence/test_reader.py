"""A sentence is read into its business, its processes and what they are done to."""

from __future__ import annotations

import pytest

from synthesis.procedural.sentence.clauses import OBJECT
from synthesis.procedural.sentence.inflection import article, participle, plural, singular
from synthesis.procedural.sentence.reader import parse


def _processes(sentence: str) -> list[tuple[str, str, list[str]]]:
    return [
        (clause.verb, clause.pattern, [phrase.text for phrase in clause.roles.get(OBJECT, [])])
        for clause in parse(sentence).clauses
    ]


@pytest.mark.parametrize(
    ("sentence", "business", "processes"),
    [
        (
            "A boatyard stores yachts over winter and services engines",
            "boatyard",
            [("store", "storage", ["yacht"]), ("service", "repair", ["engine"])],
        ),
        (
            "A ferry line sells vehicle spaces, checks in passengers and cancels crossings in storms.",
            "ferry line",
            [
                ("sell", "sale", ["vehicle space"]),
                ("check in", "enrolment", ["passenger"]),
                ("cancel", "disruption", ["crossing"]),
            ],
        ),
        (
            "A city parks department books pavilions and assigns crews to mow lawns",
            "city parks department",
            [
                ("book", "booking", ["pavilion"]),
                ("assign", "roster", ["crew"]),
                ("mow", "cleaning", ["lawn"]),
            ],
        ),
        (
            "A municipal library lends books, games and tools in five branches.",
            "municipal library",
            [("lend", "loan", ["book", "game", "tool"])],
        ),
        (
            "A law firm opens cases, files documents and bills clients by the hour",
            "law firm",
            [("open", "case", ["case"]), ("file", "case", ["document"]), ("bill", "billing", ["client"])],
        ),
        (
            "A food bank hands out parcels to families who register",
            "food bank",
            [("hand out", "supply", ["parcel"]), ("register", "enrolment", [])],
        ),
        ("Please simulate a kennel that boards dogs", "kennel", [("board", "stay", ["dog"])]),
        (
            "Our chimney sweeps visit houses, inspect flues and issue certificates",
            "chimney sweep",
            [
                ("visit", "care", ["house"]),
                ("inspect", "inspection", ["flue"]),
                ("issue", "permit", ["certificate"]),
            ],
        ),
        (
            "A costume hire shop in Leeds lends gowns and wigs",
            "costume hire shop",
            [("lend", "loan", ["gown", "wig"])],
        ),
        (
            "The farm sells cut flowers, plant pots and waters gardens",
            "farm",
            [("sell", "sale", ["cut flower", "plant pot"]), ("water", "care", ["garden"])],
        ),
        (
            "Bakes bread and sells cakes",
            "company",
            [("bake", "production", ["bread"]), ("sell", "sale", ["cake"])],
        ),
        (
            "Books are lent to members and fines are charged",
            "company",
            [("lend", "loan", ["book"]), ("charge", "billing", ["fine"])],
        ),
        (
            "A company that rents e-bikes to tourists and repairs them",
            "company",
            [("rent", "rental", ["e-bike"]), ("repair", "repair", ["e-bike"])],
        ),
        (
            "Build a system for a dog kennel that boards dogs",
            "dog kennel",
            [("board", "stay", ["dog"])],
        ),
    ],
)
def test_business_and_processes_are_read(
    sentence: str, business: str, processes: list[tuple[str, str, list[str]]]
) -> None:
    result = parse(sentence)
    assert result.business is not None
    assert result.business.text == business
    assert _processes(sentence) == processes


@pytest.mark.parametrize(
    ("sentence", "processes"),
    [
        (
            "A museum of clocks restores clocks and lends them to exhibitions.",
            [("restore", "repair", ["clock"]), ("lend", "loan", ["clock"])],
        ),
        (
            "A mobile crane firm dispatches cranes with operators to building sites.",
            [("dispatch", "dispatch", ["crane"])],
        ),
        (
            "A piano tuner keeps appointments with schools and concert halls and charges for broken strings.",
            [("keep", "storage", ["appointment"]), ("charge for", "billing", ["broken string"])],
        ),
        (
            "A data recovery lab receives broken disks, quotes prices and returns recovered files.",
            [
                ("receive", "handling", ["broken disk"]),
                ("quote", "registration", ["price"]),
                ("return", "transfer", ["recovered file"]),
            ],
        ),
    ],
)
def test_words_that_may_be_nouns_or_verbs_are_told_apart(
    sentence: str, processes: list[tuple[str, str, list[str]]]
) -> None:
    assert _processes(sentence) == processes


@pytest.mark.parametrize(
    ("sentence", "processes", "state"),
    [
        (
            "A lost property office stores items found on trains",
            [("store", "storage", ["item"])],
            "found",
        ),
        ("A kennel boards dogs left behind by owners", [("board", "stay", ["dog"])], "left behind"),
        (
            "A farm packs oysters and ships them chilled to shops",
            [("pack", "production", ["oyster"]), ("ship", "dispatch", ["oyster"])],
            "chilled",
        ),
        ("A café mends toasters people bring along", [("mend", "repair", ["toaster"])], "people bring along"),
        ("A zoo sells tickets valid all day", [("sell", "sale", ["ticket"])], "valid"),
        ("A toy shop sells hand carved toys", [("sell", "sale", ["hand carved toy"])], ""),
        (
            "A club grounds aircraft that failed inspection",
            [("ground", "disruption", ["aircraft"])],
            "failed",
        ),
        (
            "A lounge admits travellers holding passes",
            [("admit", "enrolment", ["traveller"])],
            "holding passes",
        ),
    ],
)
def test_a_participle_behind_a_noun_is_its_state_and_no_part_of_its_name(
    sentence: str, processes: list[tuple[str, str, list[str]]], state: str
) -> None:
    found = [(verb, pattern, objects[:1]) for verb, pattern, objects in _processes(sentence)]
    assert found == processes
    states = [each for clause in parse(sentence).clauses for each in clause.states]
    assert states == ([state] if state else [])


def test_what_is_kept_in_a_state_is_brought_into_it() -> None:
    result = parse("A pest control firm keeps pigeons scared off rooftops")
    assert result.clauses[0].verb == "scare"
    assert [phrase.text for phrase in result.clauses[0].roles[OBJECT]] == ["pigeon"]
    assert "keeps" not in {token.word for token in result.content}


def test_a_passive_sentence_is_about_the_business_that_acts() -> None:
    result = parse("Boats damaged in storms are repaired by a shipyard, which also stores them over winter")
    assert result.business is not None
    assert result.business.text == "shipyard"
    assert [(clause.verb, clause.agent) for clause in result.clauses] == [("repair", None), ("store", None)]
    assert [clause.roles[OBJECT][0].text for clause in result.clauses] == ["boat", "boat"]


@pytest.mark.parametrize(
    ("sentence", "verbs"),
    [
        ("A school employs guides who lead tours and refunds lessons", ["employ", "lead", "refund"]),
        ("A cable car sells tickets and stops cars when lightning strikes", ["sell", "stop"]),
        ("A marina fuels yachts, pumps out tanks and winches boats", ["fuel", "pump out", "winch"]),
        ("A dealer who reconditions pianos delivers them to schools", ["recondition", "deliver"]),
        ("A fishmonger fillets fish and supplies hotels", ["fillet", "supply"]),
        ("A shop sells clothes and sports shoes", ["sell"]),
    ],
)
def test_further_verbs_go_on_with_the_main_clause(sentence: str, verbs: list[str]) -> None:
    assert [clause.verb for clause in parse(sentence).clauses] == verbs


def test_what_only_happens_does_not_act() -> None:
    clauses = parse("A ski lift company refunds day passes when the wind stops the lifts.").clauses
    assert clauses[0].roles["when"][0].text == "wind"
    assert clauses[1].agent is None
    assert parse("An insurer pays claims when drivers report thefts.").clauses[1].agent is not None


def test_an_unknown_verb_is_kept_under_its_own_word_with_a_neutral_pattern() -> None:
    assert _processes("A workshop tinkers with clocks and zizzles lamps")[0][:2] == ("tinker", "handling")


def test_a_brand_is_no_business_and_no_content() -> None:
    result = parse("IKEA sells furniture and delivers it to homes")
    assert [token.text for token in result.names] == ["IKEA"]
    assert result.business is not None
    assert result.business.text == "company"
    assert "ikea" not in {token.word for token in result.content}


def test_other_sentences_continue_the_same_business() -> None:
    result = parse("A bakery bakes bread. Staff deliver it to cafés. Customers order cakes.")
    assert [clause.verb for clause in result.clauses] == ["bake", "deliver", "order"]
    assert result.clauses[2].agent is not None
    assert result.clauses[2].agent.text == "customer"
    assert not result.others


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("yacht", "yachts"),
        ("person", "people"),
        ("bread", "bread"),
        ("loaf", "loaves"),
        ("kind of work", "kinds of work"),
        ("criterion", "criteria"),
        ("craftsman", "craftsmen"),
        ("café", "cafés"),
        ("vehicle space", "vehicle spaces"),
    ],
)
def test_number_is_inflected(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("lend", "lent"),
        ("cancel", "cancelled"),
        ("check in", "checked in"),
        ("enrol", "enrolled"),
        ("take back", "taken back"),
    ],
)
def test_participles_are_british(verb: str, form: str) -> None:
    assert participle(verb) == form


@pytest.mark.parametrize(("noun", "text"), [("hour", "an hour"), ("unit", "a unit"), ("engine", "an engine")])
def test_articles_follow_the_sound(noun: str, text: str) -> None:
    assert article(noun) == text


def test_a_town_before_a_noun_leaves_the_preposition_of_that_noun() -> None:
    (clause,) = parse("A bakery delivers bread to London schools").clauses
    assert [phrase.text for phrase in clause.roles["to"]] == ["school"]


@pytest.mark.parametrize(
    "sentence",
    ["A car rental with several stations", "A bike rental with two stations.", "A bakery with a shop"],
)
def test_right_behind_a_determiner_or_a_number_stands_no_verb(sentence: str) -> None:
    assert parse(sentence).clauses == []


def test_behind_all_a_verb_may_stand() -> None:
    assert [verb for verb, *_ in _processes("A crew whose members all clean windows")] == ["clean"]
