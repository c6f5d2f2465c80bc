"""Tools that change units that are booked for hours of a day; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import Writer
from synthesis.procedural.business.model import FIRST_HOUR, LAST_HOUR, Business, Process
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article


def slot_tools(b: Business, p: Process) -> list[str]:
    """The tools that change units that are booked for hours of a day."""
    w, r, s = Writer(b, p), p.record, p.subject
    extra, passed = w.terms()
    free = f'_free_hours(db, "{r.name}", "{s.key}", {s.var}, %s, {w.opened()}%s)'
    copied = [] if p.free else [p.price]
    moved = [f'{s.var}["{each}"]' for each in copied]
    price = "".join(f", {each}={value}" for each, value in zip(copied, moved, strict=True))
    create = f"""{p.party.var} = _row(db, "{p.party.name}", {p.party.key}, "{p.party.noun}")
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
day = _day(starts_on, "starts_on")
if not _today(db) < day <= _plus_days(_today(db), 366):
    raise ToolError("starts_on must be a day after today, within a year.")
if hours < 1 or from_hour < {FIRST_HOUR} or from_hour + hours > {LAST_HOUR}:
    raise ToolError("Bookings are for whole hours between {FIRST_HOUR} and {LAST_HOUR} o'clock.")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} is out of use.")
{free % ("day, from_hour, hours", "")}
key = db.insert(
    "{r.name}",
    {p.party.key}={p.party.var}["id"], {s.key}={s.var}["id"], status="{p.states[0]}",
    booked_on=_today(db), starts_on=day, from_hour=from_hour, hours=hours{price}{passed},
)
return _shown(db, {w.view()}, key)"""
    hours = f'{r.var}["starts_on"], {r.var}["from_hour"], {r.var}["hours"]'
    move = f"""{w.fetch(0)}
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} is out of use.")
if {s.var}["id"] == {r.var}["{s.key}"]:
    raise ToolError(f"{{{r.var}['number']}} is for {{{s.var}['name']}} already.")
{free % (hours, f', {r.var}["id"]')}
{w.set(", ".join(f"{each} = ?" for each in (s.key, *copied)), f'{s.var}["id"]', *moved)}
{w.shown()}"""
    charge = w.charge("cancellation", f'{r.var}["{p.price}"]')
    fail = f"""{w.fetch(0)}
{w.close_as(4)}{charge}
{w.shown()}"""
    consequence = f"; {article(b.charge.noun)} of the kind cancellation is raised with it" if charge else ""
    noun = r.noun
    return [
        w.tool(
            "create",
            [
                (p.party.key, "int", f"{sentence(p.party.noun)} it is for."),
                (s.key, "int", f"{sentence(s.noun)} to use."),
                ("starts_on", "str", "Day, YYYY-MM-DD."),
                ("from_hour", "int", f"Hour at which it begins, {FIRST_HOUR} to {LAST_HOUR - 1}."),
                ("hours", "int", "How many hours it lasts."),
                *extra,
            ],
            f"Enter a new {noun} of {article(s.noun)} that is free in these hours",
            create,
        ),
        w.start_tool(),
        w.tool(
            "finish",
            [w.key(p.acts["finish"])],
            f"Note that {article(noun)} is over",
            f"{w.fetch(0, 1)}\n{w.close_as(2)}\n{w.shown()}",
        ),
        w.tool(
            "move",
            [w.key(p.acts["move"]), (s.key, "int", f"{sentence(s.noun)} to use instead.")],
            f"Give {article(noun)} another {s.noun} in the same hours",
            move,
        ),
        w.cancel_tool(),
        w.tool("fail", [w.key("close")], f"{p.acts['fail']} {article(noun)}{consequence}", fail),
    ]
