"""Matching: nearness of a sentence to descriptions."""

from __future__ import annotations

from synthesis.matching import likeness, terms

KNOWN = {"library": "books reading lend borrow", "garage": "cars repair workshop", "empty": ""}


def test_it_prefers_what_shares_words_with_the_sentence():
    scores = likeness("A library lends books", KNOWN)
    assert scores["library"] > scores["garage"] == 0.0


def test_word_forms_are_one_word():
    assert terms("lending lends lend") == ["lend", "lend", "lend"]


def test_a_sentence_without_known_words_is_near_nothing():
    assert set(likeness("😀 ;--", KNOWN).values()) == {0.0}
