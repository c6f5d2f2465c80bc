"""Requirements: who must have or be what before something is done for them."""

from __future__ import annotations

import pytest

from synthesis.procedural.sentence.limits import StatedLimit
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.requirements import requirements_of


def _required(sentence: str) -> list[StatedLimit]:
    return list(requirements_of(parse(sentence).tokens))


@pytest.mark.parametrize(
    ("sentence", "noun", "denied", "column"),
    [
        (
            "A pantry hands out parcels to families who have been referred",
            "family",
            "has not been referred",
            "referred",
        ),
        (
            "A pantry hands out parcels to families who were referred by a doctor",
            "family",
            "has not been referred by a doctor",
            "referred",
        ),
        (
            "A club hires out canoes to members who have passed a capsize test",
            "member",
            "has not passed a capsize test",
            "passed_capsize_test",
        ),
        ("A kennel boards dogs; dogs must be vaccinated", "dog", "is not vaccinated", "vaccinated"),
        ("A club lends gliders only to pilots who hold a licence", "pilot", "has no licence", "has_licence"),
        (
            "A school owns planes that only pupils with a medical may fly",
            "pupil",
            "has no medical",
            "has_medical",
        ),
        ("A market sells stalls; nobody without a permit may trade", "", "has no permit", "has_permit"),
        (
            "A salon books appointments; every client needs a patch test",
            "client",
            "has no patch test",
            "has_patch_test",
        ),
        (
            "A club lends scopes to members, provided they have passed a course",
            "",
            "has not passed a course",
            "passed_course",
        ),
        ("A gym books saunas, but only after an induction", "", "has not had an induction", "had_induction"),
        (
            "A hostel books beds; guests must show proof of address",
            "guest",
            "has not shown proof of address",
            "shown_proof_of_address",
        ),
    ],
)
def test_a_requirement_is_read_with_those_of_whom_it_is_asked(
    sentence: str, noun: str, denied: str, column: str
) -> None:
    (limit,) = _required(sentence)
    assert limit.proof is not None
    assert (limit.noun, limit.proof.denied, limit.proof.column) == (noun, denied, column)


@pytest.mark.parametrize(
    "sentence",
    [
        "A clinic treats people who have broken bones",
        "A helpline calls donors who have lapsed",
        "A firm writes to members who have not paid",
        "A firm rents cranes; each crane must be certified once a year",
        "A hostel books beds; guests must book a week ahead",
        "A hotel rents rooms; guests must leave a deposit of £50",
        "A town hall marries couples, who must bring two witnesses",
        "A garage repairs cars that have been damaged",
    ],
)
def test_what_only_describes_or_counts_is_no_requirement(sentence: str) -> None:
    assert _required(sentence) == []


def test_words_of_a_requirement_describe_nothing_else() -> None:
    (clause,) = parse("A bank hands out parcels to families who have been referred").clauses
    assert clause.states == []
