"""Planted faults that show in one state, for rows that belong together, beyond the first 200 rows of a table
or in which of several rows comes first.
"""

from __future__ import annotations

from typing import Any

from benchmarks.planted_faults import Fault, Plant, both, in_verifier, rebuilt
from benchmarks.planted_tool_faults import CHANGES, LISTS, PROBES, with_tool
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import Row, SeedData

FIRST = "first_rows_are_sorted"
LOADS = "every_seed_row_loads"
NEAR = "near_misses_are_refused"
MANY = 400
"""Rows that are added to a table: twice as many as a proof reads of one table at once, and more."""


def _tool(name: str, parameters: dict[str, str], lines: str, does: str = "Show what is known of it.") -> str:
    """The source of a tool that takes whole numbers."""
    taken = "".join(f", {parameter}: int" for parameter in parameters)
    described = "".join(f"        {parameter}: {words}\n" for parameter, words in parameters.items())
    body = "".join(f"    {line}\n" for line in lines.strip().splitlines())
    return f'def {name}(db{taken}) -> dict:\n    """{does}\n\n    Args:\n{described}    """\n{body}'


def _shown(name: str, tool: str, parameters: dict[str, str], lines: str, claim: str = PROBES) -> Fault:
    """A fault in one more tool, which shows something."""
    return Fault(name, "tools", with_tool(_tool(tool, parameters, lines)), claim)


def with_messages(number: int = MANY, odd: int = 0, **values: Any) -> Plant:
    """That many further messages; the one with the id `odd` has other values."""

    def plant(environment: Environment) -> Environment:
        rows: dict[str, tuple[Row, ...]] = dict(environment.seed_data.rows)
        former = rows["messages"]
        further = [_message(key) for key in range(len(former) + 1, len(former) + number + 1)]
        rows["messages"] = (*former, *({**row, **values} if row["id"] == odd else row for row in further))
        return rebuilt(environment, seed_data=SeedData(rows=rows, actor=environment.seed_data.actor))

    return plant


def _message(key: int) -> Row:
    return {
        "id": key,
        "patient_id": key % 16 + 1,
        "appointment_id": None,
        "template": "waitlisted",
        "channel": "sms",
        "sent_at": f"2026-03-04T{9 + key // 60:02}:{key % 60:02}:00",
        "sent_by": 1,
    }


_VISIT = {"appointment_id": "Appointment to show."}
_BILL = {"invoice_id": "Invoice to show."}
_BOTH = {"invoice_id": "Invoice.", "payment_id": "Payment."}
_PATIENT = {"patient_id": "Patient to show."}
_MESSAGE = {"message_id": "Message to show."}
_LISTED = '''def list_messages(db, limit: int = 20, offset: int = 0) -> dict:
    """List all messages, the oldest first.

    Args:
        limit: Most messages to return, 1 to 50.
        offset: Messages to skip.
    """
    sql = "SELECT id AS message_id, patient_id, sent_at FROM messages"
    page = _page(db, sql, [], "sent_at, message_id", limit, offset)
'''
_WHOLE = "    return page\n"
_EARLY = """    late = {"items": [], "total": page["total"], "next_offset": None}
    return late if offset > 200 else page
"""


def with_message_list(ends: str = _WHOLE) -> Plant:
    """One more tool, which lists messages."""
    return with_tool(_LISTED + ends)


STATE_FAULTS: tuple[Fault, ...] = (
    _shown(
        "a step that visits nobody came to have not",
        "show_visit_step",
        _VISIT,
        """
row = _row(db, "appointments", appointment_id, "Appointment")
steps = {"scheduled": 1, "checked_in": 2, "completed": 3, "cancelled": 0}
return {"step": steps[row["status"]]}
""",
    ),
    _shown(
        "a bill that fails where it was waived",
        "show_bill_state",
        _BILL,
        """
row = _row(db, "invoices", invoice_id, "Invoice")
return {"state": {"open": "due", "paid": "settled", "void": "void"}[row["status"]]}
""",
    ),
    _shown(
        "a payment that fails beside its own bill",
        "compare_payment",
        _BOTH,
        """
bill = _row(db, "invoices", invoice_id, "Invoice")
paid = _row(db, "payments", payment_id, "Payment")
if paid["invoice_id"] != bill["id"]:
    return {"share": 0.0}
return {"share": paid["amount"] / bill["amount_cents"]}
""",
    ),
    _shown(
        "a slot that fails where it is blocked",
        "show_slot_state",
        {"slot_id": "Slot to show."},
        """
row = _row(db, "slots", slot_id, "Slot")
return {"free": {"open": True, "booked": False}[row["status"]]}
""",
    ),
    _shown(
        "a room that fails where it is out of service",
        "show_room_use",
        {"room_id": "Room to show."},
        """
row = _row(db, "rooms", room_id, "Room")
return {"share": 100 // row["in_service"]}
""",
    ),
    _shown(
        "an address in small letters that nobody gave",
        "show_address",
        _PATIENT,
        """
row = _row(db, "patients", patient_id, "Patient")
return {"email": row["email"].lower()}
""",
    ),
    _shown(
        "a wait that fails where it was withdrawn",
        "show_wait",
        {"entry_id": "Entry to show."},
        """
row = _row(db, "waitlist_entries", entry_id, "Entry")
if row["status"] == "withdrawn":
    return {"since": row["withdrawn_at"]}
return {"since": row["created_at"]}
""",
    ),
    _shown(
        "a cover that fails where it has ended",
        "show_cover_days",
        {"coverage_id": "Cover to show."},
        """
row = _row(db, "coverages", coverage_id, "Coverage")
left = (date.fromisoformat(row["valid_until"]) - _today(db)).days
return {"days": [day for day in (left,) if day > 0][0]}
""",
    ),
    _shown(
        "a share of visits where none is left",
        "show_referral_share",
        {"referral_id": "Referral to show."},
        """
row = _row(db, "referrals", referral_id, "Referral")
return {"share": 100 // row["visits_left"]}
""",
    ),
    _shown(
        "some visit of a patient for the next one",
        "show_next_visit",
        _PATIENT,
        """
row = db.one("SELECT id FROM appointments WHERE patient_id = ?", patient_id)
return {"appointment_id": row["id"] if row else None}
""",
        FIRST,
    ),
    _shown(
        "one bill of several without an order",
        "show_latest_bill",
        _PATIENT,
        """
rows = db.query("SELECT id FROM invoices WHERE patient_id = ? LIMIT 1", patient_id)
return {"invoices": rows}
""",
        FIRST,
    ),
    _shown(
        "the first of all covers that were found",
        "show_cover",
        _PATIENT,
        """
rows = db.query("SELECT member_number FROM coverages WHERE patient_id = ?", patient_id)
return {"member_number": rows[0]["member_number"] if rows else None}
""",
        FIRST,
    ),
    Fault(
        "a waiting list whose first entry is any entry",
        "tools",
        with_tool(
            _tool(
                "withdraw_first_wait",
                _PATIENT,
                """
wait = db.one("SELECT id FROM waitlist_entries WHERE patient_id = ? AND status = 'waiting'", patient_id)
if wait is None:
    raise ToolError(f"Patient {patient_id} waits for nothing.")
db.execute("UPDATE waitlist_entries SET status = 'withdrawn' WHERE id = ?", wait["id"])
return {"entry_id": wait["id"]}
""",
                "Withdraw the first entry of a patient who waits.",
            )
        ),
        FIRST,
    ),
    Fault(
        "a message that fails in the only state that row 377 has",
        "tools",
        both(
            with_messages(odd=377, template="cancelled", appointment_id=11, patient_id=12),
            with_tool(
                _tool(
                    "show_message_step",
                    _MESSAGE,
                    """
row = _row(db, "messages", message_id, "Message")
return {"step": {"booked": 1, "moved": 2, "waitlisted": 3}[row["template"]]}
""",
                )
            ),
        ),
        PROBES,
    ),
    Fault("row 377 refers to nobody", "seed_data", with_messages(odd=377, patient_id=999), LOADS),
    Fault("row 377 is outside its CHECK", "seed_data", with_messages(odd=377, channel="pigeon"), LOADS),
    Fault("row 377 has the key of another", "seed_data", with_messages(odd=377, id=212), LOADS),
    Fault(
        "a list that ends after 200 rows of 400",
        "tools",
        both(with_messages(), with_message_list(_EARLY)),
        LISTS,
    ),
    Fault(
        "a message that takes those beyond 200 along",
        "tools",
        both(
            with_messages(),
            with_tool(
                _tool(
                    "resend_message",
                    _MESSAGE,
                    """
_row(db, "messages", message_id, "Message")
db.execute("UPDATE messages SET sent_at = ? WHERE id = ? OR id > 200", _now(db).isoformat(), message_id)
return {"message_id": message_id}
""",
                    "Send a message once more.",
                )
            ),
        ),
        CHANGES,
    ),
    Fault(
        "a verifier that minds the first 200 messages alone",
        "verifiers",
        both(
            with_messages(),
            in_verifier(
                "read_total_owed",
                ("changes.only()", 'changes.only(*(("messages", key) for key in range(201, 402)))'),
            ),
        ),
        NEAR,
    ),
)
"""Faults of states, of large tables and of which row comes first, each with the claim that finds it."""
