# ruff: noqa: E501, S608 - it writes source and SQL, from names of its own
"""Tools that change charges and payments; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import tool_source
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.model import Business, BusinessTable
from synthesis.procedural.composing.wording import listing, sentence, snake
from synthesis.procedural.sentence.inflection import article


def money_tools(b: Business) -> list[str]:
    """The tools that change charges and payments; none where nothing is billed."""
    if not b.has_charges:
        return []
    charge, payment, party = b.charge, b.payment, b.party

    def view(table: BusinessTable) -> str:
        return f"{snake(table.noun).upper()}_VIEW"

    kinds = ", ".join(f'"{kind}"' for kind in b.charge_kinds)
    methods = ", ".join(f'"{method}"' for method in payment.column("method").choices)
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
    records = [number_of(p.record, {"id": p.record.base + 7}) for p in b.processes[:2]]
    of_record = ("reference", "str", f"Number of the record it belongs to, such as {listing(records, 'or')}.")
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
    ]
