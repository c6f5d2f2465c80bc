# ruff: noqa: E501 - it writes source and SQL, from names of its own
"""Tools that change matters that staff deal with; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import Writer
from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article


def work_tools(b: Business, p: Process) -> list[str]:
    """The tools that change matters that staff deal with."""
    w, r, s, staff = Writer(b, p), p.record, p.subject, b.staff
    extra, passed = w.terms()
    results = ", ".join(f'"{result}"' for result in p.results)
    amount, unit = p.amount_column, "" if p.counted else ", in cents"
    least, most = (1, 1000) if p.counted else (100, 100_000_000)
    checked = f"""if not {least} <= {amount} <= {most:_}:
    raise ToolError("{amount} must be from {least} to {most}.")"""
    create = f"""{p.party.var} = _row(db, "{p.party.name}", {p.party.key}, "{p.party.noun}")
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
due = _day(due_on, "due_on")
if due < _today(db):
    raise ToolError("due_on must not be past.")
{checked}
key = db.insert(
    "{r.name}",
    {p.party.key}={p.party.var}["id"], {s.key}={s.var}["id"], status="{p.states[0]}", priority=priority,
    {amount}={amount}, opened_on=_today(db), due_on=due{passed},
)
return _shown(db, {w.view()}, key)"""
    assign = f"""{w.fetch(0, 1)}
{staff.var} = _row(db, "{staff.name}", {staff.key}, "{staff.noun}")
if {r.var}["{staff.key}"] == {staff.var}["id"]:
    raise ToolError(f"{{{staff.var}['name']}} has {{{r.var}['number']}} already.")
{w.set(f"{staff.key} = ?, status = '{p.states[1]}'", f'{staff.var}["id"]')}
{w.shown()}"""
    close = f"""{w.fetch(1)}
{w.set(f"status = '{p.states[2]}', result = ?, closed_on = ?", "result", "_today(db)")}
{w.shown()}"""
    postpone = f"""{w.fetch(0, 1)}
due = _day(due_on, "due_on")
if not _today(db) <= due or due == {r.var}["due_on"]:
    raise ToolError(f"due_on must be another day than {{{r.var}['due_on']}} and not past.")
{w.set("due_on = ?", "due")}
{w.shown()}"""
    reprice = f"""{w.fetch(0, 1)}
{checked}
{w.set(f"{amount} = ?", amount)}
{w.shown()}"""
    noun = r.noun
    return [
        w.tool(
            "create",
            [
                (p.party.key, "int", f"{sentence(p.party.noun)} it is for."),
                (s.key, "int", f"{sentence(s.noun)} concerned."),
                ("priority", 'Literal["normal", "urgent"]', "How urgent it is."),
                (amount, "int", f"{sentence(p.amount)}{unit}."),
                ("due_on", "str", "By when, YYYY-MM-DD."),
                *extra,
            ],
            f"Start {article(noun)}",
            create,
        ),
        w.tool(
            "assign",
            [w.key(p.acts["assign"]), (staff.key, "int", f"{sentence(staff.noun)} who takes it.")],
            f"Give {article(noun)} to {article(staff.noun)}",
            assign,
        ),
        w.tool(
            "close",
            [w.key(p.acts["close"]), ("result", f"Literal[{results}]", "How it ended.")],
            f"Close {article(noun)} that somebody has, with its result",
            close,
        ),
        w.tool(
            "cancel",
            [w.key(p.acts["cancel"])],
            f"End {article(noun)} without a result",
            f"{w.fetch(0, 1)}\n{w.set(f'status = {chr(39)}{p.states[3]}{chr(39)}, closed_on = ?', '_today(db)')}\n{w.shown()}",
        ),
        w.tool(
            "postpone",
            [w.key(p.acts["postpone"]), ("due_on", "str", "New due date, YYYY-MM-DD.")],
            f"Set another due date for {article(noun)}",
            postpone,
        ),
        w.tool(
            "reprice",
            [w.key("change"), (amount, "int", f"New {p.amount}{unit}.")],
            f"Change the {p.amount} of {article(noun)}",
            reprice,
        ),
    ]
