# ruff: noqa: E501, S608 - it writes source, from names of its own
"""Tools that write to people, hand matters over and keep how people are reached."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import tool_source, view_of
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.model import Business
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.sentence.inflection import article


def message_tools(b: Business) -> list[str]:
    """The tools that send notices, hand matters over and change how people are reached."""
    notice, handover, staff, party = b.notice, b.handover, b.staff, b.party
    tellings = ", ".join(f'"{kind}"' for kind in b.notice_kinds)
    reasons = ", ".join(f'"{reason}"' for reason in handover.column("reason").choices)
    notify = f"""{party.var} = _row(db, "{party.name}", {party.key}, "{party.noun}")
key = db.insert(
    "{notice.name}", {party.key}={party.var}["id"], reference=_reference(db, reference), kind=kind, sent_on=_today(db)
)
return _shown(db, {view_of(notice)}, key)"""
    over = f"""{staff.var} = _row(db, "{staff.name}", {staff.key}, "{staff.noun}")
key = db.insert(
    "{handover.name}", reference=_reference(db, reference), {staff.key}={staff.var}["id"], reason=reason, opened_on=_today(db)
)
return _shown(db, {view_of(handover)}, key)"""
    amend = f"""{party.var} = _row(db, "{party.name}", {party.key}, "{party.noun}")
given = {{"phone": phone, "email": email, "city": city}}
for name, value in given.items():
    if value is not None:
        db.execute(f"UPDATE {party.name} SET {{name}} = ? WHERE id = ?", _text(value, name), {party.var}["id"])
return _shown(db, {view_of(party)}, {party.var}["id"])"""
    table = b.charge if b.has_charges else b.processes[-1].record
    numbers = [number_of(b.processes[0].record, {"id": b.processes[0].record.base + 7})]
    numbers.append(number_of(table, {"id": table.base + 7 + (len(b.processes) == 1)}))
    of_any = ("reference", "str", f"Number of what it is about, such as {listing(numbers, 'or')}.")
    new = "str | None = None"
    return [
        tool_source(
            b.tool["notify"],
            [
                (party.key, "int", f"{sentence(party.noun)} to write to."),
                of_any,
                ("kind", f"Literal[{tellings}]", "What it says."),
            ],
            f"Send {article(notice.noun)}",
            notify,
        ),
        tool_source(
            b.tool["hand over"],
            [
                of_any,
                (staff.key, "int", f"{sentence(staff.noun)} who decides."),
                ("reason", f"Literal[{reasons}]", "Why it is handed over."),
            ],
            f"Hand a matter over to {article(staff.noun)} who may decide it",
            over,
        ),
        tool_source(
            b.tool["amend"],
            [
                (party.key, "int", f"{sentence(party.noun)} concerned."),
                ("phone", new, "New phone number."),
                ("email", new, "New e-mail address."),
                ("city", new, "New city."),
            ],
            f"Change how {article(party.noun)} is reached; what is left out stays",
            amend,
        ),
    ]
