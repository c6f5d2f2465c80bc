"""Identifiers: names of tables and columns become words and Python names."""

from __future__ import annotations

import pytest

from synthesis.procedural.derived.identifiers import (
    ascii_name,
    free_name,
    nouns_of,
    shown_words,
    singular,
    split_words,
    words_in_a_sentence,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("OrderDetails", ["order", "details"]),
        ("order_details", ["order", "details"]),
        ("Order Details", ["order", "details"]),
        ("CustomerID", ["customer", "id"]),
        ("billingpostalcode", ["billing", "postal", "code"]),
        ("playlisttrack", ["playlist", "track"]),
        ("username", ["username"]),
    ],
)
def test_names_are_taken_apart(name, words):
    assert split_words(name) == words


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("categories", "category"),
        ("addresses", "address"),
        ("people", "person"),
        ("statuses", "status"),
        ("order details", "order detail"),
        ("status", "status"),
        ("movies", "movie"),
        ("boxes", "box"),
    ],
)
def test_nouns_are_put_into_the_singular(many, one):
    assert singular(many) == one


def test_prefixes_of_applications_are_dropped_and_those_that_are_things_are_kept():
    nouns = nouns_of(
        ["auth_user", "blog_post", "blog_tag", "blog_author", "order_order", "order_line", "tblStock"]
    )
    assert nouns == {
        "auth_user": "user",
        "blog_post": "post",
        "blog_tag": "tag",
        "blog_author": "author",
        "order_order": "order",
        "order_line": "order line",
        "tblStock": "stock",
    }


def test_no_two_tables_have_the_same_noun():
    nouns = nouns_of(["user", "users", "Users", "🚀", "💥", "thing_1", "thing_2", "thing_3"])
    assert len({ascii_name(noun) for noun in nouns.values()}) == len(nouns)


@pytest.mark.parametrize("name", ["class", "id", "db", "limit", "list", "from", "None", "🚀", "1st", "日本"])
def test_every_name_becomes_one_that_python_takes(name):
    text = free_name(shown_words(name, 3), set(), lead="order", number=3)
    assert text.isidentifier()
    assert text.isascii()
    assert text not in ("class", "id", "db", "limit", "list", "from", "none_")


def test_a_name_that_is_taken_gets_a_number():
    assert free_name("price", {"price"}, lead="order", number=4) == "price_4"


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        ("price cents", "cents", "price"),
        ("cents", "cents", "cents"),
        ("is active", "flag", "active flag"),
        ("placed at", "moment", "placed time"),
        ("due on", "day", "due date"),
        ("starts at", "moment", "start time"),
        ("valid to", "day", "valid to date"),
        ("on hand", "count", "on hand"),
        ("tracking no", "code", "tracking number"),
        ("qty", "count", "quantity"),
        ("no", "code", "number"),
        ("none", "count", "value"),
        ("created at", "text", "created at"),
    ],
)
def test_sentences_take_words_that_people_say(words, kind, message):
    assert words_in_a_sentence(words, kind) == message
