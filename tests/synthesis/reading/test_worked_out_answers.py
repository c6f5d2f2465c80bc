"""Answers that show how they come to what they say: sums, options in a table, spans, stocks and packs."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import AnswerReading, judge_answer
from synthesis.reading.observations import Observations

WAXES = [{"id": 61, "name": "Mild Wax", "pack_size": 5, "stock": 15}]
ORDERS = [
    {"id": 801 + n, "number": f"WO-{801 + n}", "wax_id": 61, "status": "placed", "quantity": quantity}
    for n, quantity in enumerate((20, 10, 15))
]
WAX = {"wax_id": 61, "name": "Mild Wax", "pack_size": 5, "stock": 15}
LISTED = [{"order_id": row["id"], **{k: v for k, v in row.items() if k != "id"}} for row in ORDERS]
FULFILLED = [{**row, "status": "fulfilled"} for row in ORDERS]
ASKED = "Put the smallest number of packs into stock with which all orders for Mild Wax can be fulfilled."
RIGHT = "Done. The number of packs added is 6."
CALLS: list[Any] = [
    [{"name": "Mild Wax"}, {"total": 1, "items": [WAX]}],
    [{"wax_id": 61, "status": "placed"}, {"total": 3, "items": LISTED}],
    [{"wax_id": 61, "packs": 6}, {**WAX, "stock": 45}],
]


def read(text: str) -> AnswerReading:
    effects = effects_from(
        {
            "tools": {"restock_wax": 1, "fulfil_order": 3, "cancel_order": 0},
            "tables": {"waxes": WAXES, "orders": ORDERS},
            "names": ["Mild Wax", *(row["number"] for row in ORDERS)],
            "own": [ASKED, RIGHT, "Mild Wax", *(row["number"] for row in ORDERS)],
            "words": [],
            "options": [],
            "amounts": [],
        }
    )
    written = [[{}, {**WAXES[0], "stock": 0}], *([{}, row] for row in FULFILLED)]
    touched = {("waxes", 61), *(("orders", row["id"]) for row in ORDERS)}
    texts = (ASKED, RIGHT, "2026-10-20 10:50:00", "Packs are never broken.")
    return judge_answer(
        text,
        facts=[AnswerFact(name="number of packs added", type="number", value=6)],
        changed=True,
        instruction=ASKED,
        reference=RIGHT,
        effects=effects,
        observed=Observations(texts, CALLS, touched, written),
    )


@pytest.mark.parametrize(
    "remark",
    [
        "The orders need 45 and there were 15 in stock, so 30 were missing, which is 6 packs of 5.",
        "Stock had been 15.",
        "There are 5 pieces in each pack.",
        "0 pieces are left in stock.",
        "Three orders were fulfilled.",
        "With them three orders fulfilled.",
    ],
)
def test_stocks_packs_and_numbers_of_deeds_may_be_told(remark: str) -> None:
    reading = read(f"6 packs were added. {remark}")
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "There were 20 in stock before.",
        "Stock had been 20.",
        "10 pieces remain in stock.",
        "There are 6 pieces in each pack.",
        "With them four orders fulfilled.",
        "2 were fulfilled.",
    ],
)
def test_other_stocks_packs_and_numbers_of_deeds_are_not_borne_out(remark: str) -> None:
    reading = read(f"6 packs were added. {remark}")
    assert reading.ungrounded or reading.untrue


LEFT = {
    "facts": [AnswerFact(name="number of places left", type="number", value=2)],
    "commits": True,
    "instruction": "How many places are left in the lesson?",
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("It has 10 places and 8 places are confirmed (2 + 2 + 3 + 1), so 2 are free.", True),
        ("It has 10 places and 7 places are confirmed (2 + 2 + 3), so 2 are free.", False),
        ("Two places are left.", True),
        ("2 places could be taken still.", True),
        ("2 places could be left.", False),
    ],
)
def test_a_sum_within_a_difference_explains_it(text: str, right: bool) -> None:
    assert judge_answer(text, **LEFT).right is right


TABLE = "| Lesson | Day |\n|---|---|\n| Midweek Lesson | 15 Nov |\n| Night Lesson | 22 Nov |\n\n"
NEXT = {
    "facts": [AnswerFact(name="next lesson", type="name", value="Midweek Lesson")],
    "commits": True,
    "instruction": "Which lesson comes next?",
    "others": {"next lesson": ("Night Lesson", "Open Lesson")},
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (f"{TABLE}Next is Midweek Lesson.", True),
        (f"{TABLE}Next is Night Lesson.", False),
        (TABLE, False),
    ],
)
def test_a_table_of_options_contradicts_no_name_beside_it(text: str, right: bool) -> None:
    assert judge_answer(text, **NEXT).right is right
