"""A small world for tests of answers: a desk with clerks and refunds, one of which was assigned."""

from __future__ import annotations

from typing import Any

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.effects import effects_from
from synthesis.reading.judgement import AnswerReading, judge_answer
from synthesis.reading.observations import Observations

RULES = (
    "A refund goes to a clerk who is on duty: the one with the fewest open refunds. Nobody gets more than 5 "
    "open ones. A clerk may waive a bill of up to 40.00. A delivery whose declared value is above 30.00 is "
    "for a lead. Send a letter for every bill that is more than 14 days past its due date, unless one was "
    "sent within the last 7 days. An order can be taken back up to 14 days after the day it was closed."
)
CLOCK = "2026-05-23 09:20:00"
PEOPLE = [
    {"id": 1, "name": "Ada Brook", "role": "clerk", "on_duty": 1},
    {"id": 2, "name": "Bo Hale", "role": "clerk", "on_duty": 1},
    {"id": 3, "name": "Cleo Marsh", "role": "clerk", "on_duty": 1},
    {"id": 4, "name": "Dan Orr", "role": "lead", "on_duty": 0},
    {"id": 5, "name": "Eva Flint", "role": "driver", "on_duty": 1},
]
CUSTOMERS = [
    {"id": 31, "name": "Greta Stone", "tier": "plain", "standing": "good"},
    {"id": 32, "name": "Hugo Vale", "tier": "patron", "standing": "suspended"},
]
REFUNDS = [
    {
        "id": number,
        "number": f"RF-{number}",
        "customer_id": customer,
        "clerk_id": clerk,
        "status": status,
        "amount_cents": cents,
        "due_on": due,
        "closed_on": None,
    }
    for number, customer, clerk, status, cents, due in (
        (501, 31, None, "opened", 52_000, "2026-05-25"),
        (502, 32, 2, "assigned", 30_500, "2026-05-24"),
        (503, 31, 3, "assigned", 7_500, "2026-05-26"),
        (504, 32, 3, "assigned", 19_000, "2026-05-29"),
    )
]


def shown(row: dict[str, Any], kind: str) -> dict[str, Any]:
    """A row as a tool shows it."""
    return {f"{kind}_id": row["id"], **{name: value for name, value in row.items() if name != "id"}}


def _page(rows: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return {"total": len(rows), "items": [shown(row, kind) for row in rows]}


ASSIGNED = {**REFUNDS[0], "clerk_id": 1, "status": "assigned"}
CALLS = [
    [{"number": "RF-501"}, _page(REFUNDS[:1], "refund")],
    [{"role": "clerk", "on_duty": True}, _page(PEOPLE[:3], "clerk")],
    *(
        [
            {"clerk_id": clerk, "status": "assigned"},
            _page([row for row in REFUNDS if row["clerk_id"] == clerk], "refund"),
        ]
        for clerk in (1, 2, 3)
    ),
]
WRITING = [{"refund_id": 501, "clerk_id": 1}, shown(ASSIGNED, "refund")]
ASKED = "Assign refund RF-501 to the clerk who should have it, and say who that is."
RIGHT = "Done. The clerk is Ada Brook."
TOOLS = {"assign_refund": 1, "close_refund": 0, "send_letter": 0, "waive_bill": 0, "record_payment": 0}


def judged(text: str, **changes: Any) -> AnswerReading:
    """What is read of an answer to the task that assigns a refund; `changes` are other arguments of it."""
    calls = changes.pop("calls", [*CALLS, WRITING])
    touched = changes.pop("touched", {("refunds", 501)})
    tools = changes.pop("tools", TOOLS)
    written, rules = changes.pop("written", []), changes.pop("rules", RULES)
    marks = changes.pop("marks", {"RF-501": "refund", "Ada Brook": "clerk"})
    effects = effects_from(
        {
            "tools": tools,
            "tables": {"clerks": PEOPLE, "customers": CUSTOMERS, "refunds": REFUNDS},
            "names": [row["name"] for row in (*PEOPLE, *CUSTOMERS)] + [row["number"] for row in REFUNDS],
            "own": [changes.get("instruction", ASKED), changes.get("reference", RIGHT), *marks],
            "words": [],
            "options": [],
            "amounts": [],
            "calls": [(tool, marks) for tool in tools if tools[tool]],
            "distractors": {"refund": ["RF-502", "RF-503", "RF-504"], "clerk": ["Bo Hale", "Cleo Marsh"]},
        }
    )
    written = written or ([[{}, ASSIGNED]] if touched else [])
    task: dict[str, Any] = {
        "facts": [AnswerFact(name="clerk assigned", type="name", value="Ada Brook")],
        "instruction": ASKED,
        "reference": RIGHT,
        "changed": bool(touched),
        **changes,
    }
    texts = (task["instruction"], task["reference"], CLOCK, rules)
    return judge_answer(text, effects=effects, observed=Observations(texts, calls, touched, written), **task)
