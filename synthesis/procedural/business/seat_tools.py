# ruff: noqa: E501, S608 - it writes source and SQL, from names of its own
"""Tools that change places in events; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import Writer, quoted_states, tool_source
from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.composing.wording import sentence, snake
from synthesis.procedural.sentence.inflection import article


def seat_tools(b: Business, p: Process) -> list[str]:
    """The tools that change places in events."""
    w, r, s = Writer(b, p), p.record, p.subject
    extra, passed = w.terms()
    left = f'_left(db, "{r.name}", "{s.key}", {s.var}, ("{p.states[1]}", "{p.states[3]}"))'
    create = f"""{p.party.var} = _row(db, "{p.party.name}", {p.party.key}, "{p.party.noun}")
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if {s.var}["status"] != "scheduled" or {s.var}["starts_on"] <= _today(db):
    raise ToolError(f"{{{s.var}['name']}} takes nobody any more.")
if not 1 <= places <= {s.var}["capacity"]:
    raise ToolError(f"places must be from 1 to {{{s.var}['capacity']}}.")
sql = "SELECT id FROM {r.name} WHERE {p.party.key} = ? AND {s.key} = ? AND status IN ({quoted_states(p.open_states)})"
if db.one(sql, {p.party.var}["id"], {s.var}["id"]) is not None:
    raise ToolError(f"{{{p.party.var}['name']}} has {article(r.noun)} for {{{s.var}['name']}} already.")
status = "{p.states[1]}" if places <= {left} else "{p.states[0]}"
key = db.insert(
    "{r.name}",
    {p.party.key}={p.party.var}["id"], {s.key}={s.var}["id"], status=status, registered_on=_today(db), places=places{passed},
)
return _shown(db, {w.view()}, key)"""
    admit = f"""{w.fetch(0)}
{s.var} = _row(db, "{s.name}", {r.var}["{s.key}"], "{s.noun}")
if {r.var}["places"] > {left}:
    raise ToolError(f"{{{s.var}['name']}} has fewer than {{{r.var}['places']}} places left.")
{w.set(f"status = '{p.states[1]}'")}
{w.shown()}"""
    move = f"""{w.fetch(0, 1)}
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if {s.var}["id"] == {r.var}["{s.key}"] or {s.var}["status"] != "scheduled" or {s.var}["starts_on"] <= _today(db):
    raise ToolError(f"{{{r.var}['number']}} cannot be moved to {{{s.var}['name']}}.")
if {r.var}["places"] > {left}:
    raise ToolError(f"{{{s.var}['name']}} has fewer than {{{r.var}['places']}} places left.")
{w.set(f"{s.key} = ?, status = '{p.states[1]}'", f'{s.var}["id"]')}
{w.shown()}"""
    off = f"""{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if {s.var}["status"] != "scheduled":
    raise ToolError(f"{{{s.var}['name']}} was called off before.")
db.execute("UPDATE {s.name} SET status = 'called_off' WHERE id = ?", {s.var}["id"])
return {{**_shown(db, {snake(s.noun).upper()}_VIEW, {s.var}["id"]), "reason": reason}}"""
    reasons = ", ".join(f'"{reason}"' for reason in b.reasons)
    noun = r.noun
    return [
        w.tool(
            "create",
            [
                (p.party.key, "int", f"{sentence(p.party.noun)} it is for."),
                (s.key, "int", f"{sentence(s.noun)} wanted."),
                ("places", "int", "Number of places."),
                *extra,
            ],
            f"Enter a new {noun}; it waits where not enough places are left",
            create,
        ),
        w.tool("admit", [w.key(p.acts["admit"])], f"Give a waiting {noun} its places", admit),
        w.tool(
            "withdraw",
            [w.key(p.acts["withdraw"])],
            f"End {article(noun)}; its places become free",
            f"{w.fetch(0, 1)}\n{w.set(f'status = {chr(39)}{p.states[2]}{chr(39)}, closed_on = ?', '_today(db)')}\n{w.shown()}",
        ),
        w.tool(
            "move",
            [w.key(p.acts["move"]), (s.key, "int", f"{sentence(s.noun)} to go to instead.")],
            f"Change {article(noun)} to another {s.noun} with enough places left",
            move,
        ),
        w.tool(
            "attend",
            [w.key(p.acts["attend"])],
            f"Note that {article(noun)} was made use of",
            f"{w.fetch(1)}\n{w.set(f'status = {chr(39)}{p.states[3]}{chr(39)}, closed_on = ?', '_today(db)')}\n{w.shown()}",
        ),
        tool_source(
            b.tool[f"call off {s.name}"],
            [
                (s.key, "int", f"{sentence(s.noun)} that will not take place."),
                ("reason", f"Literal[{reasons}]", "Why."),
            ],
            f"Call off {article(s.noun)}; each {noun} stays as it is until it is dealt with",
            off,
        ),
    ]
