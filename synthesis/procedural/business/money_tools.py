# ruff: noqa: E501, S608 - it writes source and SQL, from names of its own
"""Tools that change charges, payments, notices and handovers; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import tool_source
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.model import Business, BusinessTable
from synthesis.procedural.composing.wording import listing, sentence, snake
from synthesis.procedural.sentence.inflection import article


def money_tools(b: Business) -> list[str]:
    """The tools that change charges, payments, notices and handovers."""
    charge, payment, notice, handover, staff, party = (
        b.charge,
        b.payment,
        b.notice,
        b.handover,
        b.staff,
        b.party,
    )

    def view(table: BusinessTable) -> str:
        return f"{snake(table.noun).upper()}_VIEW"

    kinds = ", ".join(f'"{kind}"' for kind in b.charge_kinds)
    methods = ", ".join(f'"{method}"' for method in payment.column("method").choices)
    tellings = ", ".join(f'"{kind}"' for kind in b.notice_kinds)
    raised = f"""{party.var} = _row(db, "{party.name}", {party.key}, "{party.noun}")
number = _reference(db, reference)
if not 1 <= amount_cents <= 100_000_000:
    raise ToolError("amount_cents must be from 1 to 100000000.")
today = _today(db)
key = db.insert(
    "{charge.name}",
    {party.key}={party.var}["id"], reference=number, kind=kind, amount_cents=amount_cents, status="open",
    raised_on=today, due_on=_plus_days(today, 14),
)
return _shown(db, {view(charge)}, key)"""
    settle = f"""{charge.var} = _row(db, "{charge.name}", {charge.key}, "{charge.noun}")
_state({charge.var}, {charge.var}["number"], "open")
db.insert(
    "{payment.name}",
    {charge.key}={charge.var}["id"], amount_cents={charge.var}["amount_cents"], method=method, paid_on=_today(db),
    status="received",
)
db.execute("UPDATE {charge.name} SET status = 'paid' WHERE id = ?", {charge.var}["id"])
return _shown(db, {view(charge)}, {charge.var}["id"])"""
    waive = f"""{charge.var} = _row(db, "{charge.name}", {charge.key}, "{charge.noun}")
_state({charge.var}, {charge.var}["number"], "open")
db.execute("UPDATE {charge.name} SET status = 'waived' WHERE id = ?", {charge.var}["id"])
return _shown(db, {view(charge)}, {charge.var}["id"])"""
    void = f"""{payment.var} = _row(db, "{payment.name}", {payment.key}, "{payment.noun}")
_state({payment.var}, f"{payment.noun} {{{payment.key}}}", "received")
db.execute("UPDATE {payment.name} SET status = 'voided' WHERE id = ?", {payment.var}["id"])
{charge.var} = _row(db, "{charge.name}", {payment.var}["{charge.key}"], "{charge.noun}")
sql = "SELECT coalesce(sum(amount_cents), 0) AS n FROM {payment.name} WHERE {charge.key} = ? AND status = 'received'"
if db.one(sql, {charge.var}["id"])["n"] < {charge.var}["amount_cents"]:
    db.execute("UPDATE {charge.name} SET status = 'open' WHERE id = ?", {charge.var}["id"])
return _shown(db, {view(payment)}, {payment.var}["id"])"""
    notify = f"""{party.var} = _row(db, "{party.name}", {party.key}, "{party.noun}")
key = db.insert(
    "{notice.name}", {party.key}={party.var}["id"], reference=_reference(db, reference), kind=kind, sent_on=_today(db)
)
return _shown(db, {view(notice)}, key)"""
    over = f"""{staff.var} = _row(db, "{staff.name}", {staff.key}, "{staff.noun}")
key = db.insert(
    "{handover.name}", reference=_reference(db, reference), {staff.key}={staff.var}["id"], reason=reason, opened_on=_today(db)
)
return _shown(db, {view(handover)}, key)"""
    amend = f"""{party.var} = _row(db, "{party.name}", {party.key}, "{party.noun}")
given = {{"phone": phone, "email": email, "city": city}}
for name, value in given.items():
    if value is not None:
        db.execute(f"UPDATE {party.name} SET {{name}} = ? WHERE id = ?", _text(value, name), {party.var}["id"])
return _shown(db, {view(party)}, {party.var}["id"])"""
    records = [number_of(p.record, {"id": p.record.base + 7}) for p in b.processes[:2]]
    of_record = ("reference", "str", f"Number of the record it belongs to, such as {listing(records, 'or')}.")
    any_number = listing([records[0], number_of(charge, {"id": charge.base + 7})], "or")
    of_any = ("reference", "str", f"Number of what it is about, such as {any_number}.")
    new = "str | None = None"
    return [
        tool_source(
            b.tool["raise"],
            [
                (party.key, "int", f"{sentence(party.noun)} who owes it."),
                of_record,
                ("kind", f"Literal[{kinds}]", "What it is for."),
                ("amount_cents", "int", "Amount in cents."),
            ],
            f"Raise {article(charge.noun)}, due in two weeks",
            raised,
        ),
        tool_source(
            b.tool["settle"],
            [
                (charge.key, "int", f"{sentence(charge.noun)} that is paid."),
                ("method", f"Literal[{methods}]", "How."),
            ],
            f"Record that {article(charge.noun)} is paid in full today",
            settle,
        ),
        tool_source(
            b.tool["waive"],
            [(charge.key, "int", f"{sentence(charge.noun)} to waive.")],
            f"Waive an open {charge.noun}",
            waive,
        ),
        tool_source(
            b.tool["void"],
            [(payment.key, "int", f"{sentence(payment.noun)} to void.")],
            f"Void {article(payment.noun)}; a {charge.noun} that is no longer covered is open again".replace(
                f"a {charge.noun}", article(charge.noun)
            ),
            void,
        ),
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
                ("reason", 'Literal["above_limit", "complaint", "unclear"]', "Why it is handed over."),
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
