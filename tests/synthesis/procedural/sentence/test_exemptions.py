"""Exemptions: who pays nothing for what others pay for."""

from __future__ import annotations

import pytest

from synthesis.procedural.sentence.exemptions import exemptions_of
from synthesis.procedural.sentence.reader import parse


def _exempt(sentence: str) -> list[str]:
    return [limit.noun for limit in exemptions_of(parse(sentence).tokens)]


@pytest.mark.parametrize(
    ("sentence", "noun"),
    [
        ("A tennis club books courts at £8 an hour, free for members", "member"),
        ("A hall committee hires out the hall and waives the charge for charities", "charity"),
        ("A scout hut is hired out to groups; charities pay nothing", "charity"),
        ("A boat club rents canoes to families, free of charge to members", "member"),
        ("A hotel rents rooms at £65 a night; pensioners stay free", "pensioner"),
        ("A pool sells tickets and passes; under sixes swim free.", "under six"),
        ("A club lets people book courts by the hour; over 60s play free", "over 60"),
        (
            "A canteen sells lunches; pupils on free school meals pay nothing",
            "pupil on free school meals",
        ),
        ("A theatre sells tickets, with free seats for helpers", "helper"),
    ],
)
def test_those_who_pay_nothing_are_read(sentence: str, noun: str) -> None:
    assert _exempt(sentence) == [noun]


@pytest.mark.parametrize(
    "sentence",
    [
        "A repair cafe mends toasters for free",
        "A bakery bakes gluten free bread for shops",
        "A firm waives fees of up to £40",
        "A café sells cakes, free from nuts",
        "A library where members borrow free games",
        "A charity serves free meals for pensioners",
    ],
)
def test_what_is_free_for_everybody_exempts_nobody(sentence: str) -> None:
    assert _exempt(sentence) == []


def test_an_exemption_is_no_process_and_its_people_no_party() -> None:
    clauses = parse("A club hires out the hall at £15 a day and waives the charge for charities").clauses
    assert [clause.verb for clause in clauses] == ["hire out"]
