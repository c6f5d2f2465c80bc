"""Tools that change units that are held for a period; integrity is theirs, policy the caller's."""

from __future__ import annotations

from synthesis.procedural.business.action_writer import Writer
from synthesis.procedural.business.model import Business, BusinessTable, Process
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article


def hold_tools(b: Business, p: Process) -> list[str]:
    """The tools that change units that are held for a period."""
    w, r, s = Writer(b, p), p.record, p.subject
    extra, passed = w.terms()
    item = [(p.item.key, "int", f"{sentence(p.item.noun)} concerned.")] if p.item else []
    item_row = ""
    item_value = item_free = item_free_later = ""
    if p.item:
        item_row = (
            f'\n{p.item.var} = _row(db, "{p.item.name}", {p.item.key}, "{p.item.noun}")\n'
            f'if {p.item.var}["{p.party.key}"] != {p.party.var}["id"]:\n'
            f"    raise ToolError(f\"{{{p.item.var}['name']}} does not belong to"
            f" {{{p.party.var}['name']}}.\")"
        )
        item_value = f', {p.item.key}={p.item.var}["id"]'
        item_free = _free(w, p.item) % ("start, end", "") + "\n"
        item_free_later = f"""
{p.item.var} = _row(db, "{p.item.name}", {r.var}["{p.item.key}"], "{p.item.noun}")
{_free(w, p.item) % (f'_plus_days({r.var}["ends_on"], 1), end', f', {r.var}["id"]')}"""
    free = _free(w, s)
    secured = p.deposit is not None
    deposit = (
        f"""
    deposit_cents={s.var}["deposit_cents"], deposit_status="held","""
        if secured
        else ""
    )
    price = ("" if p.free else f', {p.price}={s.var}["{p.price}"]') + passed
    copied = [*([] if p.free else [p.price]), *(["deposit_cents"] if secured else [])]
    create = f"""{p.party.var} = _row(db, "{p.party.name}", {p.party.key}, "{p.party.noun}")
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}"){item_row}
start, end = _day(starts_on, "starts_on"), _day(ends_on, "ends_on")
if not _today(db) <= start <= end <= _plus_days(start, 366):
    raise ToolError("The period must begin today or later and end after it begins, within a year.")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} is out of use.")
{item_free}{free % ("start, end", "")}
key = db.insert(
    "{r.name}",
    {p.party.key}={p.party.var}["id"], {s.key}={s.var}["id"]{item_value}, status="{p.states[0]}",
    booked_on=_today(db), starts_on=start, ends_on=end, extensions=0{price},{deposit}
)
return _shown(db, {w.view()}, key)"""
    extend = f"""{w.fetch(0, 1)}
{s.var} = _row(db, "{s.name}", {r.var}["{s.key}"], "{s.noun}")
end = _day(ends_on, "ends_on")
if not {r.var}["ends_on"] < end <= _plus_days({r.var}["ends_on"], 366):
    raise ToolError(f"The new end must be after {{{r.var}['ends_on']}}, by a year at most.")
{free % (f'_plus_days({r.var}["ends_on"], 1), end', f', {r.var}["id"]')}{item_free_later}
{w.set("ends_on = ?, extensions = extensions + 1", "end")}
{w.shown()}"""
    moved = [f'{s.var}["{each}"]' for each in copied]
    move = f"""{w.fetch(0, 1)}
{s.var} = _row(db, "{s.name}", {s.key}, "{s.noun}")
if not {s.var}["active"]:
    raise ToolError(f"{{{s.var}['name']}} is out of use.")
if {s.var}["id"] == {r.var}["{s.key}"]:
    raise ToolError(f"{{{r.var}['number']}} is for {{{s.var}['name']}} already.")
{free % (f'{r.var}["starts_on"], {r.var}["ends_on"]', f', {r.var}["id"]')}
{w.set(", ".join(f"{each} = ?" for each in (s.key, *copied)), f'{s.var}["id"]', *moved)}
{w.shown()}"""
    lost = p.is_losable
    amount = f'{s.var}["replacement_cents"]' if lost else f'{r.var}["{p.price}"]'
    kind = "replacement" if lost else "cancellation"
    charge = w.charge(kind, amount)
    fail = f"""{w.fetch(1 if lost else 0)}
{s.var} = _row(db, "{s.name}", {r.var}["{s.key}"], "{s.noun}")
{w.close_as(4)}{charge}
return {{**_shown(db, {w.view()}, {r.var}["id"]), "note": f"For {{{s.var}['name']}}."}}"""
    consequence = f"; {article(b.charge.noun)} of the kind {kind} is raised with it" if charge else ""
    noun = r.noun
    failing = f"Mark {article(noun)} as lost" if lost else f"{p.acts['fail']} {article(noun)}"
    return [
        w.tool(
            "create",
            [
                (p.party.key, "int", f"{sentence(p.party.noun)} it is for."),
                (s.key, "int", f"{sentence(s.noun)} to use."),
                *item,
                ("starts_on", "str", "First day, YYYY-MM-DD."),
                ("ends_on", "str", "Last day, YYYY-MM-DD."),
                *extra,
            ],
            f"Enter a new {noun} of {article(s.noun)} that is free in the whole period",
            create,
        ),
        w.start_tool(),
        w.tool(
            "finish",
            [w.key(p.acts["finish"])],
            f"Note that {article(noun)} is over today",
            f"{w.fetch(1)}\n{w.close_as(2)}\n{w.shown()}",
        ),
        w.tool(
            "extend",
            [w.key(p.acts["extend"]), ("ends_on", "str", "New last day, YYYY-MM-DD.")],
            f"Let {article(noun)} end later, where the {s.noun} is free until then",
            extend,
        ),
        w.tool(
            "move",
            [w.key(p.acts["move"]), (s.key, "int", f"{sentence(s.noun)} to use instead.")],
            f"Give {article(noun)} another {s.noun} for the same period",
            move,
        ),
        w.cancel_tool(),
        w.tool("fail", [w.key("close")], f"{failing}{consequence}", fail),
    ]


def _free(w: Writer, table: BusinessTable) -> str:
    """A call that refuses a period in which something is taken; the period and the record are filled in."""
    return f'_free(db, "{w.record.name}", "{table.key}", {table.var}, %s, {w.opened()}%s)'
