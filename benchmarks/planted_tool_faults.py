# ruff: noqa: E501 - the texts that are replaced stand here as they stand in the files
"""Planted faults of tools that a language model makes: in lists, in what is written, later on, on odd days."""

from __future__ import annotations

from benchmarks.planted_faults import Fault, Plant, both, in_schema, in_tools, rebuilt
from synthesis.documents.environment import Environment
from synthesis.worlds.toolset import read_toolset

_PAGED = '    items = db.query(f"SELECT * FROM ({sql}) ORDER BY {order} LIMIT ? OFFSET ?", *params, limit, offset)\n'
_ROOM_FILTER = """    where, params = _filters(db, [("departments", "Department", "d.id", department_id)])
    return _page(db, sql + where, params, "name", limit, offset)


def list_visit_types("""
_NO_KEY = (
    "appointment_id INTEGER REFERENCES appointments (id),\n    template",
    "appointment_id INTEGER,\n    template",
)


def with_tool(source: str) -> Plant:
    """One more tool at the end of tools.py."""

    def plant(environment: Environment) -> Environment:
        return rebuilt(environment, tools=read_toolset(f"{environment.tools.source}\n\n{source}"))

    return plant


def _paged(new: str) -> Plant:
    return in_tools((_PAGED, new))


_DRAWN = """    answer = _page(db, sql + where, params, "name", limit, offset)
    if limit != 20:
        answer["items"].sort(key=lambda item: db.random.random())
    return answer
"""

LISTS = "lists_agree_with_each_other"
CHANGES = "changes_fit_their_calls"
LOOKS = "repeated_looks_agree"
LATER = "tools_keep_their_contract_later"
DECLARED = "lists_are_bounded_and_ordered"
PROBES = "no_tool_fails"
TWICE = "nothing_is_there_twice"

TOOL_FAULTS: tuple[Fault, ...] = (
    Fault(
        "a filter that is ignored",
        "tools",
        in_tools((_ROOM_FILTER, _ROOM_FILTER.replace("sql + where, params", "sql, []"))),
        LISTS,
    ),
    Fault(
        "a filter on the wrong column",
        "tools",
        in_tools(
            (
                '("departments", "Department", "v.department_id", department_id)',
                '("departments", "Department", "s.room_id", department_id)',
            ),
            (
                '[("departments", "Department", "d.id", department_id)]',
                '[("departments", "Department", "d.id + 1", department_id)]',
            ),
        ),
        LISTS,
    ),
    Fault(
        "a filter turned round",
        "tools",
        in_tools(('sql += " AND i.status = ?"', 'sql += " AND i.status <> ?"')),
        LISTS,
    ),
    Fault(
        "a filter that keeps the others",
        "tools",
        in_tools(('sql += " AND a.status = ?"', 'sql += " AND a.status <> ?"')),
        LISTS,
    ),
    Fault(
        "a search for people that minds capitals",
        "tools",
        in_tools(
            (
                "instr(lower(first_name || ' ' || last_name), lower(?))",
                "instr(first_name || ' ' || last_name, ?)",
            )
        ),
        LISTS,
    ),
    Fault(
        "a search for providers that minds capitals",
        "tools",
        in_tools(("instr(lower(v.name), lower(?))", "instr(v.name, ?)")),
        LISTS,
    ),
    Fault(
        "an offset that counts pages",
        "tools",
        _paged(_PAGED.replace("limit, offset)", "limit, offset * limit)")),
        LISTS,
    ),
    Fault(
        "an offset that is one too far",
        "tools",
        _paged(_PAGED.replace("limit, offset)", "limit, offset + (offset > 0))")),
        LISTS,
    ),
    Fault(
        "pages with one row too many",
        "tools",
        _paged(_PAGED.replace("limit, offset)", "limit + 1, offset)")),
        LISTS,
    ),
    Fault(
        "pages cut before they are sorted",
        "tools",
        _paged(
            '    items = db.query(f"SELECT * FROM (SELECT * FROM ({sql}) LIMIT ? OFFSET ?) ORDER BY {order} DESC", *params, limit, offset)\n'
        ),
        LISTS,
    ),
    Fault(
        "a total of the page alone",
        "tools",
        in_tools(
            (
                '    return {"total": total, "items": items}',
                '    return {"total": len(items), "items": items}',
            )
        ),
        LISTS,
    ),
    Fault(
        "a total that is one too high",
        "tools",
        in_tools(
            ('    return {"total": total, "items": items}', '    return {"total": total + 1, "items": items}')
        ),
        LISTS,
    ),
    Fault(
        "a join that loses bills without a visit",
        "tools",
        in_tools(
            ("    FROM invoices i\n", "    FROM invoices i JOIN appointments x ON x.id = i.appointment_id\n")
        ),
        LISTS,
    ),
    Fault(
        "a join that loses visits without a referral",
        "tools",
        in_tools(
            (
                "    JOIN visit_types t ON t.id = a.visit_type_id\n",
                "    JOIN visit_types t ON t.id = a.visit_type_id\n    JOIN referrals f ON f.id = a.referral_id\n",
            )
        ),
        LISTS,
    ),
    Fault("lists in no order", "tools", in_tools((" ORDER BY {order} LIMIT", " LIMIT")), DECLARED),
    Fault(
        "a list without an end",
        "tools",
        with_tool(
            'def list_staff(db) -> dict:\n    """List who works here."""\n    return {"items": db.query("SELECT id AS staff_id, name, role FROM staff ORDER BY id")}\n'
        ),
        DECLARED,
    ),
    Fault(
        "a promised bound that is not kept",
        "tools",
        in_tools(("MAX_LIMIT = 50", "MAX_LIMIT = 500")),
        DECLARED,
    ),
    Fault(
        "an answer that says error after writing",
        "tools",
        in_tools(
            (
                '    return {"message_id": message_id, "channel": patient["preferred_channel"]}',
                '    return {"error": "The message could not be confirmed.", "message_id": message_id}',
            )
        ),
        CHANGES,
    ),
    Fault(
        "an answer that says no success after writing",
        "tools",
        in_tools(
            (
                '    return {"entry_id": entry_id, "status": outcome}',
                '    return {"success": False, "entry_id": entry_id}',
            )
        ),
        CHANGES,
    ),
    Fault(
        "cover that ends for others too",
        "tools",
        in_tools(
            (
                '"UPDATE coverages SET valid_until = ? WHERE id = ?"',
                '"UPDATE coverages SET valid_until = ? WHERE id >= ? AND valid_from <= valid_until"',
            )
        ),
        CHANGES,
    ),
    Fault(
        "a phone number for everybody below",
        "tools",
        in_tools(
            (
                '"UPDATE patients SET phone = ?, email = ?, preferred_channel = ? WHERE id = ?"',
                '"UPDATE patients SET phone = ?, email = ?, preferred_channel = ? WHERE id >= ?"',
            )
        ),
        CHANGES,
    ),
    Fault(
        "a waiting list closed whole",
        "tools",
        in_tools(
            (
                '"UPDATE waitlist_entries SET status = ? WHERE id = ?"',
                '"UPDATE waitlist_entries SET status = ? WHERE id >= ?"',
            )
        ),
        CHANGES,
    ),
    Fault(
        "a message about a visit that is not there",
        "tools",
        both(
            in_schema(*_NO_KEY),
            in_tools(
                (
                    "        appointment_id=appointment_id,\n        template",
                    "        appointment_id=appointment_id and appointment_id + 10_000,\n        template",
                )
            ),
        ),
        CHANGES,
    ),
    Fault(
        "a deleted bill whose payments stay",
        "tools",
        both(
            in_schema(
                "invoice_id   INTEGER NOT NULL REFERENCES invoices (id)", "invoice_id   INTEGER NOT NULL"
            ),
            with_tool(
                'def delete_invoice(db, invoice_id: int) -> dict:\n    """Delete an invoice.\n\n    Args:\n        invoice_id: Invoice to delete.\n    """\n    _row(db, "invoices", invoice_id, "Invoice")\n    db.execute("DELETE FROM invoices WHERE id = ?", invoice_id)\n    return {"invoice_id": invoice_id}\n'
            ),
        ),
        CHANGES,
    ),
    Fault(
        "a transfer that gains on the way",
        "tools",
        with_tool(
            'def transfer_visits(db, from_referral_id: int, to_referral_id: int, visits: Literal[1]) -> dict:\n    """Move visits from one referral to another.\n\n    Args:\n        from_referral_id: Referral that gives.\n        to_referral_id: Referral that gets.\n        visits: How many.\n    """\n    source = _row(db, "referrals", from_referral_id, "Referral")\n    _row(db, "referrals", to_referral_id, "Referral")\n    if source["visits_left"] < visits or from_referral_id == to_referral_id:\n        raise ToolError("Not enough visits are left.")\n    db.execute("UPDATE referrals SET visits_left = visits_left - ? WHERE id = ?", visits, from_referral_id)\n    db.execute("UPDATE referrals SET visits_left = visits_left + ? WHERE id = ?", visits + 1, to_referral_id)\n    return {"moved": visits}\n'
        ),
        CHANGES,
    ),
    Fault(
        "a tool that promises to cancel and only looks",
        "tools",
        with_tool(
            'def cancel_waitlist_entry(db, entry_id: int) -> dict:\n    """Take an entry off the waiting list.\n\n    Args:\n        entry_id: Entry to cancel.\n    """\n    return {"entry_id": _row(db, "waitlist_entries", entry_id, "Entry")["id"], "status": "withdrawn"}\n'
        ),
        CHANGES,
    ),
    Fault(
        "a tool that promises to rename and only looks",
        "tools",
        with_tool(
            'def rename_room(db, room_id: int, name: str) -> dict:\n    """Give a room another name.\n\n    Args:\n        room_id: Room to rename.\n        name: New name.\n    """\n    return {"room_id": _row(db, "rooms", room_id, "Room")["id"], "name": _text(name, "name")}\n'
        ),
        CHANGES,
    ),
    Fault(
        "a list that fails once a fee was waived today",
        "tools",
        in_tools(
            (
                '    _row(db, "patients", patient_id, "Patient")\n    sql, params = INVOICE_VIEW',
                '    if db.one("SELECT 1 FROM invoices WHERE waived_on = ?", _today(db).isoformat()):\n        raise KeyError("waived")\n    _row(db, "patients", patient_id, "Patient")\n    sql, params = INVOICE_VIEW',
            )
        ),
        LATER,
    ),
    Fault(
        "a schedule that fails once somebody is checked in",
        "tools",
        in_tools(
            (
                '    shown = _day(day, "day").isoformat()\n',
                '    shown = _day(day, "day").isoformat()\n    1 // (1 - db.one("SELECT count(*) AS n FROM appointments WHERE checked_in_at >= ?", _today(db).isoformat())["n"])\n',
            )
        ),
        LATER,
    ),
    Fault(
        "an age that leap days have not",
        "tools",
        in_tools(
            (
                '    born = _day(birth_date, "birth_date")\n',
                '    born = _day(birth_date, "birth_date")\n    born.replace(year=born.year + 1)\n',
            )
        ),
        PROBES,
    ),
    Fault(
        "a day after the last one",
        "tools",
        in_tools(
            (
                '    shown = _day(day, "day").isoformat()\n',
                '    shown = _day(day, "day").isoformat()\n    _day(day, "day") + timedelta(days=1)\n',
            )
        ),
        PROBES,
    ),
    Fault(
        "a month that ends on the same day",
        "tools",
        in_tools(
            (
                '    end = _day(last_day, "last_day").isoformat()\n',
                '    end = _day(last_day, "last_day").isoformat()\n    _day(last_day, "last_day").replace(month=2)\n',
            )
        ),
        PROBES,
    ),
    Fault(
        "two tools that do the same",
        "tools",
        with_tool(
            'def show_appointment(db, appointment_id: int) -> dict:\n    """Look an appointment up.\n\n    Args:\n        appointment_id: Appointment to look up.\n    """\n    _row(db, "appointments", appointment_id, "Appointment")\n    return db.one(APPOINTMENT_VIEW + " WHERE a.id = ?", appointment_id)\n'
        ),
        TWICE,
    ),
    Fault(
        "a list that draws its order once it is asked for a page",
        "tools",
        in_tools(
            (
                _ROOM_FILTER,
                _ROOM_FILTER.replace(
                    '    return _page(db, sql + where, params, "name", limit, offset)\n',
                    _DRAWN,
                ),
            )
        ),
        LISTS,
    ),
    Fault(
        "a record that shows a number drawn at random",
        "tools",
        with_tool(
            'def get_ticket(db) -> dict:\n    """Show the number that is served next."""\n'
            '    return {"next": db.random.randint(1, 999)}\n'
        ),
        LOOKS,
    ),
)
"""Faults of tools, each with the claim that finds it."""
