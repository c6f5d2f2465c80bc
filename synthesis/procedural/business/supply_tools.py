# ruff: noqa: E501, S608 - it writes source and SQL, from names of its own
"""Tools that change stock and orders; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import Writer, tool_source
from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.composing.wording import sentence, snake
from synthesis.procedural.sentence.inflection import article


def supply_tools(b: Business, p: Process) -> list[str]:
    """The tools that change stock and orders."""
    w, r, s = Writer(b, p), p.record, p.subject
    extra, passed = w.terms()
    unit_price = f'{s.var}["unit_price_cents"]'
    costs = "" if p.free else f"    unit_price_cents={unit_price}, total_cents=quantity * {unit_price},\n"
    create = f"""{p.party.var} = _row(db, "{p.party.name}", {p.party.key}, "{p.party.noun}")
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} is no longer offered.")
if not 1 <= quantity <= 1000:
    raise ToolError("quantity must be from 1 to 1000.")
due = _day(due_on, "due_on")
if due < _today(db):
    raise ToolError("due_on must not be past.")
key = db.insert(
    "{r.name}",
    {p.party.key}={p.party.var}["id"], {s.key}={s.var}["id"], status="{p.states[0]}", quantity=quantity,
{costs}    placed_on=_today(db), due_on=due{passed},
)
return _shown(db, {w.view()}, key)"""
    fulfil = f"""{w.fetch(0)}
{s.var} = _row(db, "{s.name}", {r.var}["{s.key}"], "{s.noun}")
if {s.var}["stock"] < {r.var}["quantity"]:
    raise ToolError(f"Only {{{s.var}['stock']}} of {{{s.var}['name']}} are in stock.")
db.execute("UPDATE {s.name} SET stock = stock - ? WHERE id = ?", {r.var}["quantity"], {s.var}["id"])
{w.set(f"status = '{p.states[1]}', closed_on = ?", "_today(db)")}
{w.shown()}"""
    back = f"""{w.fetch(1)}
db.execute("UPDATE {s.name} SET stock = stock + ? WHERE id = ?", {r.var}["quantity"], {r.var}["{s.key}"])
{w.set(f"status = '{p.states[3]}', closed_on = ?", "_today(db)")}
{w.shown()}"""
    resize = f"""{w.fetch(0)}
if not 1 <= quantity <= 1000:
    raise ToolError("quantity must be from 1 to 1000.")
{w.set("quantity = ?", "quantity") if p.free else w.set("quantity = ?, total_cents = ? * unit_price_cents", "quantity", "quantity")}
{w.shown()}"""
    amount = "packs" if p.packed else "quantity"
    added = f'packs * {s.var}["pack_size"]' if p.packed else "quantity"
    restock = f"""{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if not 1 <= {amount} <= 100:
    raise ToolError("{amount} must be from 1 to 100.")
db.execute("UPDATE {s.name} SET stock = stock + ? WHERE id = ?", {added}, {s.var}["id"])
return _shown(db, {snake(s.noun).upper()}_VIEW, {s.var}["id"])"""
    noun = r.noun
    return [
        w.tool(
            "create",
            [
                (p.party.key, "int", f"{sentence(p.party.noun)} it is for."),
                (s.key, "int", f"{sentence(s.noun)} wanted."),
                ("quantity", "int", "Number of units."),
                ("due_on", "str", "When it is wanted, YYYY-MM-DD."),
                *extra,
            ],
            f"Place {article(noun)}",
            create,
        ),
        w.tool(
            "fulfil",
            [w.key(p.acts["fulfil"])],
            f"Complete {article(noun)}; its units leave the stock",
            fulfil,
        ),
        w.tool(
            "cancel",
            [w.key(p.acts["cancel"])],
            f"Cancel {article(noun)} that is still {p.states[0].replace('_', ' ')}",
            f"{w.fetch(0)}\n{w.set(f'status = {chr(39)}{p.states[2]}{chr(39)}, closed_on = ?', '_today(db)')}\n{w.shown()}",
        ),
        w.tool(
            "return",
            [w.key(p.acts["return"])],
            f"Take {article(noun)} back; its units return to the stock",
            back,
        ),
        w.tool(
            "resize",
            [w.key(p.acts["resize"]), ("quantity", "int", "New number of units.")],
            f"Change how many units {article(noun)} is for",
            resize,
        ),
        tool_source(
            b.tool[f"restock {s.name}"],
            [
                (s.key, "int", f"{sentence(s.noun)} that arrived."),
                (amount, "int", f"Number of {'packs' if p.packed else 'units'}."),
            ],
            f"Add {'packs' if p.packed else 'units'} of {article(s.noun)} to the stock",
            restock,
        ),
    ]
