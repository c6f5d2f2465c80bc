"""Every way to weaken a verifier is found, and each is a verifier that demands less."""

from types import SimpleNamespace

import pytest

from synthesis.documents.schema import Column, Schema, Table
from synthesis.verification.weakenings import weakenings_of
from synthesis.worlds.weakness import NAME, NOWHERE, SensitivityProbe, Weakness, admits

SCHEMA = Schema(
    sql="CREATE TABLE loans (id, status, due_on); CREATE TABLE fines (id, cents)",
    tables=(
        Table(name="loans", columns=tuple(Column(name=n) for n in ("id", "status", "due_on")), sql=""),
        Table(name="fines", columns=tuple(Column(name=n) for n in ("id", "cents")), sql=""),
    ),
)
SOURCE = """
def verify(before, after, changes, answer):
    loan = changed(before, after, "loans", 7)
    fines = added(before, after, "fines")
    yield check("the loan is back", loan == {"status": "returned", "due_on": "2026-03-01"})
    yield check("one fine of 4.00", len(fines) == 1 and fines[0]["cents"] == 400)
    yield check("nothing else", changes.only(("loans", 7), *(("fines", row["id"]) for row in fines)))
    yield check("the answer says 4", "4" in answer)
"""


class Changes:
    def __init__(self, *places):
        self.places = places

    def only(self, *allowed):
        return all(any(place[: len(one)] == one for one in allowed) for place in self.places)


def passed(place, *, loan, fines, places, answer="4", switch=None):
    """The checks that pass when the verifier is weakened at one place."""
    weakenings = weakenings_of(SOURCE, SCHEMA)
    space = {
        NAME: switch or Weakness(place),
        "check": lambda name, passed, guard=False: SimpleNamespace(name=name, passed=passed),
        "changed": lambda *_: loan,
        "added": lambda *_: fines,
    }
    exec(compile(weakenings.source, "verifier", "exec"), space)
    return {one.name for one in space["verify"](None, None, Changes(*places), answer) if one.passed}


RIGHT = {
    "loan": {"status": "returned", "due_on": "2026-03-01"},
    "fines": [{"id": 3, "cents": 400}],
    "places": [("loans", 7), ("fines", 3)],
}
ALL = {"the loan is back", "one fine of 4.00", "nothing else", "the answer says 4"}


def weakening(kind, **fields):
    weakenings = weakenings_of(SOURCE, SCHEMA).all
    return next(
        one
        for one in weakenings
        if one.kind == kind and all(getattr(one, name) == value for name, value in fields.items())
    )


def test_a_prepared_verifier_that_is_not_weakened_says_what_it_said():
    assert passed(NOWHERE, **RIGHT) == ALL
    wrong = {**RIGHT, "fines": [{"id": 3, "cents": 399}], "places": [("loans", 8)]}
    assert passed(NOWHERE, **wrong) == {"the loan is back", "the answer says 4"}


@pytest.mark.parametrize(
    ("kind", "fields", "wrong"),
    [
        ("check", {"check": "the loan is back"}, {"loan": None}),
        ("column", {"column": "status"}, {"loan": {"status": "lost", "due_on": "2026-03-01"}}),
        (
            "comparison",
            {"column": "due_on", "loosening": "at least"},
            {"loan": {"status": "returned", "due_on": "2026-03-02"}},
        ),
        (
            "comparison",
            {"column": "status", "loosening": "contains"},
            {"loan": {"status": "not returned", "due_on": "2026-03-01"}},
        ),
        ("comparison", {"column": "cents", "loosening": "at most"}, {"fines": [{"id": 3, "cents": 1}]}),
        ("condition", {"column": "cents"}, {"fines": [{"id": 3, "cents": 9}]}),
        (
            "other_columns",
            {"check": "the loan is back"},
            {"loan": {"status": "returned", "due_on": "2026-03-01", "id": 9}},
        ),
        ("guard", {"table": "loans"}, {"places": [("loans", 8)]}),
        ("guard", {"table": "fines"}, {"places": [("fines", 9)]}),
    ],
)
def test_each_weakening_lets_through_what_the_verifier_rejects(kind, fields, wrong):
    end = {**RIGHT, **wrong}
    assert passed(NOWHERE, **end) != ALL
    assert passed(weakening(kind, **fields).place, **end) == ALL


def test_checks_of_the_answer_are_left_as_they_are():
    assert all(one.check != "the answer says 4" for one in weakenings_of(SOURCE, SCHEMA).all)


def test_one_more_table_is_allowed_only_where_the_guard_does_not_name_it():
    source = (
        "def verify(before, after, changes, answer):\n"
        '    yield check("nothing else", changes.only(("loans", 7)), guard=True)\n'
    )
    tables = [one.table for one in weakenings_of(source, SCHEMA).all if one.kind == "table"]
    assert tables == ["fines"]


def test_a_source_that_cannot_be_read_has_no_weakenings():
    assert weakenings_of("def verify(:", SCHEMA).all == ()


@pytest.mark.parametrize(
    ("kind", "value", "other", "through"),
    [
        ("any", 1, None, True),
        ("at most", 5, 4, True),
        ("at most", 5, 6, False),
        ("at most", 5, None, False),
        ("at least", "2026-01-01", "2026-02-01", True),
        ("contains", "open", "Reopened", True),
        ("day", "2026-01-01T10:00", "2026-01-01T11:00", True),
        ("day", "2026-01-01T10:00", "2026-01-02T10:00", False),
        ("at most", 5, "4", False),
    ],
)
def test_what_a_loosened_comparison_admits(kind, value, other, through):
    assert admits(kind, value, other) is through


WRONG_ENDS = (
    {"loan": {"status": "lost", "due_on": "2026-03-01"}},
    {"loan": {"status": "returned", "due_on": "2026-02-01"}},
    {"loan": {"status": "returned", "due_on": "2026-03-01", "note": "late"}},
    {"loan": None},
    {"fines": []},
    {"fines": [{"id": 3, "cents": 500}]},
    {"fines": [{"id": 3, "cents": None}]},
    {"fines": [{"id": 3, "cents": 400}, {"id": 4, "cents": 400}]},
    {"places": [("loans", 7), ("loans", 8), ("fines", 3)]},
    {"places": [("loans", 7), ("fines", 3), ("members", 1)]},
)


def verdict(place, end):
    """The checks that pass, None where the weakened verifier gives up."""
    try:
        return passed(place, **end)
    except IndexError:
        return None


@pytest.mark.parametrize("wrong", WRONG_ENDS)
def test_a_weakening_that_changes_a_verdict_is_at_a_place_the_probe_notes(wrong):
    end = {**RIGHT, **wrong}
    probe = SensitivityProbe()
    right = passed(NOWHERE, **end)
    assert passed(NOWHERE, **end, switch=probe) == right
    all_places = {one.place for one in weakenings_of(SOURCE, SCHEMA).all}
    changing = {place for place in all_places if verdict(place, end) != right}
    assert changing
    assert changing <= probe.sensitive < all_places


@pytest.mark.parametrize("use", [lambda value: {value}, bool])
def test_a_value_that_is_used_otherwise_than_compared_counts_as_sensitive(use):
    probe = SensitivityProbe()
    use(probe.value(3, ("any", "at most"), 400))
    assert probe.sensitive == {3, 4}
