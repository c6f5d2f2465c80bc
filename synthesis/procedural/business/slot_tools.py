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
    copied = [] if p.by_turns else [p.price]
    moved = [f'{s.var}["{each}"]' for each in copied]
    absent = f"takes no {r.many} now" if p.staffed else "is out of use"
    at_once = ""
    if p.staffed:
        client = f'"{p.party.key}", {p.party.var}, day, from_hour, hours, {w.opened()}'
        at_once = f'\n_free_hours(db, "{r.name}", {client})'
    create = f"""{p.party.var} = _row(db, "{p.party.name}", {p.party.key}, "{p.party.noun}")
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
{_service(p)}day = _day(starts_on, "starts_on")
if not _today(db) < day <= _plus_days(_today(db), 366):
    raise ToolError("starts_on must be a day after today, within a year.")
if hours < 1 or from_hour < {FIRST_HOUR} or from_hour + hours > {LAST_HOUR}:
    raise ToolError("{sentence(r.many)} are for whole hours between {FIRST_HOUR} and {LAST_HOUR} o'clock.")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} {absent}.")
{free % ("day, from_hour, hours", "")}{at_once}
key = db.insert(
    "{r.name}",
    {p.party.key}={p.party.var}["id"], {s.key}={s.var}["id"], status="{p.states[0]}",
    booked_on=_today(db), starts_on=day, from_hour=from_hour, hours=hours{_price(p)}{passed},
)
return _shown(db, {w.view()}, key)"""
    hours = f'{r.var}["starts_on"], {r.var}["from_hour"], {r.var}["hours"]'
    move = f"""{w.fetch(0)}
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} {absent}.")
if {s.var}["id"] == {r.var}["{s.key}"]:
    raise ToolError(f"{{{r.var}['number']}} is {"with" if p.staffed else "for"} {{{s.var}['name']}} already.")
{free % (hours, f', {r.var}["id"]')}
{w.set(", ".join(f"{each} = ?" for each in (s.key, *copied)), f'{s.var}["id"]', *moved)}
{w.shown()}"""
    missed = str(p.no_show_cents) if p.no_show_cents else f'{r.var}["{p.price}"]'
    charge = w.charge("cancellation", missed)
    fail = f"""{w.fetch(0)}
{_begun(p)}
{w.close_as(4)}{charge}
{w.shown()}"""
    consequence = f"; {article(b.charge.noun)} of the kind cancellation is raised with it" if charge else ""
    noun = r.noun
    instead = "who takes over" if p.staffed else "to use instead"
    who = f"with {article(s.noun)} who is" if p.staffed else f"of {article(s.noun)} that is"
    return [
        w.tool(
            "create",
            [
                (p.party.key, "int", f"{sentence(p.party.noun)} it is for."),
                (s.key, "int", f"{sentence(s.noun)} {'who is seen' if p.staffed else 'to use'}."),
                *([(p.service.key, "int", f"{sentence(p.service.noun)} wanted.")] if p.service else []),
                ("starts_on", "str", "Day, YYYY-MM-DD."),
                ("from_hour", "int", f"Hour at which it begins, {FIRST_HOUR} to {LAST_HOUR - 1}."),
                *([] if p.service else [("hours", "int", "How many hours it lasts.")]),
                *extra,
            ],
            f"Enter a new {noun} {who} free in these hours",
            create,
        ),
        w.start_tool(),
        w.tool(
            "finish",
            [w.key(p.acts["finish"])],
            f"Note that {article(noun)} is over",
            f"{w.fetch(0, 1)}\n{_begun(p)}\n{w.close_as(2)}\n{w.shown()}",
        ),
        w.tool(
            "move",
            [
                w.key(p.acts["move"]),
                (s.key, "int", f"{sentence(s.noun)} {instead}."),
            ],
            f"Give {article(noun)} another {s.noun} in the same hours",
            move,
        ),
        w.cancel_tool(),
        w.tool("fail", [w.key("close")], f"{p.acts['fail']} {article(noun)}{consequence}", fail),
    ]


def _begun(p: Process) -> str:
    """Statements that refuse what is only of a day that has come."""
    var = p.record.var
    come = f"{{{var}['number']}} is for {{{var}['starts_on']}}, which has not come yet."
    return f'if {var}["starts_on"] > _today(db):\n    raise ToolError(f"{come}")'


def _service(p: Process) -> str:
    """Statements that look up what is wanted, and how long it takes; none where the caller says that."""
    t = p.service
    return (
        ""
        if t is None
        else f'{t.var} = _row(db, "{t.name}", {t.key}, "{t.noun}")\nhours = {t.var}["hours"]\n'
    )


def _price(p: Process) -> str:
    """The arguments of what a new record costs and is for."""
    t = p.service
    wanted = "" if t is None else f', {t.key}={t.var}["id"]'
    priced = p.subject if t is None else t
    return wanted if p.free else f'{wanted}, {p.price}={priced.var}["{p.price}"]'
