"""Plain words are taken up at once; where another kind of token could begin, nothing changes."""

from __future__ import annotations

import pytest

from synthesis.reading.counts import is_amount
from synthesis.reading.document import ParsedText, parsed
from synthesis.reading.judgement import judge_answer
from synthesis.reading.tokens import tokens
from synthesis.reading.words import plain


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Five o'clock", [("value", "five o'clock")]),
        ("ten\no'clock", [("value", "ten\no'clock")]),
        ("may 5", [("value", "may 5")]),
        ("May they", [("word", "may"), ("word", "they")]),
        ("mayor 5", [("word", "mayor"), ("value", "5")]),
        ("eur 5", [("value", "eur 5")]),
        ("europe 5", [("word", "europe"), ("value", "5")]),
        ("x 5", [("value", "x 5")]),
        ("six 5", [("word", "six"), ("value", "5")]),
        ("a.b@c.org", [("mail", "a.b@c.org")]),
        ("see https://a.org", [("word", "see"), ("url", "https://a.org")]),
        ("done. Then", [("word", "done"), ("sign", "."), ("word", "then")]),
        ("can't stop", [("word", "can't"), ("word", "stop")]),
        ("order-ab12 x", [("code", "order-ab12"), ("word", "x")]),
    ],
)
def test_words_give_way_to_what_they_begin(text: str, expected: list[tuple[str, str]]) -> None:
    codes = {"mail": "code", "url": "code"}
    assert kinds(text) == [(codes.get(kind, kind), shown) for kind, shown in expected]


def test_places_and_capitals_are_those_of_the_text() -> None:
    text = "The Fee  was Paid, then\nclosed."
    words = [token for token in tokens(text) if token.kind == "word"]
    assert [text[token.start : token.end].lower() for token in words] == [token.text for token in words]
    assert [token.capital for token in words] == [True, True, False, True, False, False]


@pytest.mark.parametrize("text", ["\u2780 done", "abc \u2780\u2781 def", "5\u2780 eur", "#\u2776-3"])
def test_digits_that_are_no_decimal_ones_are_no_numbers(text: str) -> None:
    assert not any("\u2780" in token.text and token.kind == "value" for token in ParsedText(text).tokens)
    assert judge_answer(text).facts == ()


def test_days_in_words_are_days() -> None:
    assert plain("the ninth of October, the Twenty-first of May") == "the 9th of October, the 21th of May"
    assert plain("the first of its kind") == "the first of its kind"


@pytest.mark.parametrize("text", ["KR-7610", "EUR-12", "DKK-2041"])
def test_a_code_that_begins_as_a_currency_does_is_no_amount(text: str) -> None:
    assert [token.kind for token in tokens(text)] == ["code"]
    assert tokens(text.replace("-", " "))[0].unit == "money"


@pytest.mark.parametrize(
    ("text", "is_money"), [("24.05.26", False), ("2.5.26", False), ("12.50", True), ("EUR 12", True)]
)
def test_a_day_that_ends_as_an_amount_does_is_none(text: str, is_money: bool) -> None:
    assert is_amount(tokens(text)[0]) is is_money


def test_many_short_texts_are_remembered_and_few_long_ones() -> None:
    short, long = (
        [parsed(f"reason {n}") for n in range(200)],
        [parsed(f"rule {n}. " * 90) for n in range(200)],
    )
    assert all(parsed(f"reason {n}") is text for n, text in enumerate(short))
    assert parsed("rule 199. " * 90) is long[199]
    assert parsed("rule 0. " * 90) is not long[0]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Ivo Castlemain \u2013 3 \u2013 14 November 2026", ["14 november 2026"]),
        ("- Ada Lund - 12 - 3 May 2026\n- Bo Falk - 7 - 4 May 2026", ["3 may 2026", "4 may 2026"]),
        ("It ran from 3 - 14 November 2026", ["3", "14 november 2026"]),
    ],
)
def test_dashes_between_cells_tell_no_range_of_days(text: str, days: list[str]) -> None:
    assert [token.text for token in ParsedText(text).tokens if "date" in token.values] == days
