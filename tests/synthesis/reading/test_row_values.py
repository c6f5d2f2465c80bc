"""What an answer tells of a row is held against what the results showed of that row."""

from __future__ import annotations

import pytest

from synthesis.reading.document import ParsedText
from synthesis.reading.json_values import JsonValues
from synthesis.reading.row_values import RowValues

SHOWN = [
    {"status": "open"},
    {
        "total": 2,
        "items": [
            {"charge_id": 3009, "number": "CH-3009", "amount_cents": 5200, "due_on": "2026-10-09"},
            {"charge_id": 3022, "number": "CH-3022", "amount_cents": 41000, "due_on": "2026-10-15"},
        ],
    },
    {
        "rental_id": 4227,
        "number": "RR-4227",
        "room": {"room_id": 1, "name": "Otter Room"},
        "status": "booked",
    },
    {"rental_id": 4227, "ends_on": "2026-11-20"},
    {"rental_id": 4235, "number": "RR-4235", "room": {"room_id": 2, "name": "Lark Room"}},
    {"room_id": 3, "name": "Pepper Room"},
]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- CH-3009: 52.00, due 9 October 2026\n- CH-3022: 410.00, due 15 October 2026", ""),
        ("- CH-3009: 410.00\n- CH-3022: 52.00", "an amount"),
        ("- CH-3009: 2 × 26.00 = 52.00\n- CH-3022: 410.00", ""),
        ("CH-3009 over 52.00 is due on 15 October 2026.", "a day"),
        ("CH-3009 and CH-3022 come to 462.00, 410.00 of it for the second.", ""),
        ("CH-3009 has 52.00, not 410.00.", ""),
        ("CH-3009 is 52.00, above the limit of 30.00.", ""),
        ("RR-4227 was moved to Pepper Room.", "a name"),
        ("RR-4227 was moved to Otter Room and RR-4235 to Lark Room.", ""),
        ("RR-4227 was moved to Lark Room and RR-4235 to Otter Room.", "a name"),
        ("RR-4227 now runs until 20 November 2026; I wrote to Ann Lee.", ""),
        ("Is CH-3009 over 410.00?", ""),
        ("ZZ-1 is over 410.00.", ""),
    ],
)
def test_values_of_another_row_are_swapped(text: str, told: str) -> None:
    problem = RowValues(JsonValues(SHOWN)).swapped(ParsedText(text), known={3000})
    assert told in problem
    assert bool(problem) is bool(told)


@pytest.mark.parametrize("values", [[], [None, 1, "x"], [{"number": None}], [[[{"number": "A-1"}]]]])
def test_results_of_any_shape_are_read(values: list[object]) -> None:
    assert RowValues(JsonValues(values)).swapped(ParsedText("A-1 is over 410.00, BB-22 too."), known=()) == ""
