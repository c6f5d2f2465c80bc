"""What a business lists behind its name."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.reader import parse


@pytest.mark.parametrize(
    ("sentence", "offers"),
    [
        (
            "dog groomer, baths, nail clipping and full grooms, big dogs pay extra",
            ["bath", "nail clipping", "full groom"],
        ),
        (
            "Photographer: weddings, portraits and school photos. Clients order prints.",
            ["wedding", "portrait", "school photo"],
        ),
        (
            "Vet practice: vaccinations, neutering, dental checks; nobody comes without an appointment.",
            ["vaccination", "neutering", "dental check"],
        ),
        ("Small barbershop. Haircuts, beard trims and shaves.", ["haircut", "beard trim", "shave"]),
        (
            "A nail salon offering manicures, pedicures and gel nails by appointment.",
            ["manicure", "pedicure", "gel nail"],
        ),
        (
            "Massage therapist \u2013 sports massages, hot stones and wraps, I come to offices.",
            ["sports massage", "hot stone", "wrap"],
        ),
    ],
)
def test_services_are_what_people_come_for(sentence: str, offers: list[str]) -> None:
    parsed = parse(sentence)
    assert [each.text for each in parsed.offers] == offers
    first = plan(parsed).processes[0]
    assert (first.name, first.services) == ("appointment", offers)
    understood = understand(sentence)
    assert understood.problem == ""


def test_goods_are_sold() -> None:
    result = plan(parse("Corner bakery, bread, cakes and pies"))
    assert [(process.name, process.object) for process in result.processes] == [
        ("sale", "bread"),
        ("sale", "cake"),
        ("sale", "pie"),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "A kitchen fitter measures rooms, orders worktops and installs cabinets",
        "Translators' cooperative: clients send documents, and we invoice per word.",
        "Piano teacher with 25 pupils, parents pay per term, missed lessons are not refunded.",
        "A bakery, a farm and a mill",
        "A hotel, guests and couples",
    ],
)
def test_clauses_and_people_are_no_offers(sentence: str) -> None:
    assert parse(sentence).offers == []


def test_those_who_only_get_something_are_who_do_the_rest() -> None:
    result = plan(parse("Photographer: weddings and portraits. Clients get a gallery and order prints."))
    assert [(process.name, process.party) for process in result.processes][1:] == [("sale", "client")]
