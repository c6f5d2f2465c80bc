"""Goals about units as such: one that cannot be used, and what the rules do not let people have."""

from __future__ import annotations

from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.entry_rules import entry_limits
from synthesis.procedural.business.goals_hold import (
    beside,
    fitting_days,
    is_in_use,
    is_taken,
    number,
    of_unit,
    require_one,
)
from synthesis.procedural.business.goals_slot import any_hours, look_up, refusing
from synthesis.procedural.business.model import FIRST_HOUR, LAST_HOUR, Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.sentence.inflection import article, participle


def clear_unit(play: TaskBuilder, p: Process) -> TaskDraft:  # noqa: C901, PLR0915 - one goal from end to end
    """A unit cannot be used: each coming record moves to the cheapest free one, or is cancelled."""
    b, s = play.business, p.subject
    units = [
        u
        for u in play.rows(s)
        if 1 <= len(play.rows(p.record, **{s.key: u["id"], "status": p.states[0]})) <= 3
    ]
    unit = play.pick(units)
    coming = sorted(
        play.rows(p.record, **{s.key: unit["id"], "status": p.states[0]}),
        key=lambda r: (r["starts_on"], r.get("from_hour", 0), r["id"]),
    )
    category = unit["category"].replace("_", " ")
    shown = play.find(s, name=unit["name"])
    if len(shown) != 1:
        raise Abandoned("not one unit")
    matches = play.find(p.record, (shown.at,), **{s.key: unit["id"], "status": p.states[0]})
    others = play.find(s, (shown.at,), category=unit["category"])
    ranked = sorted(
        (u for u in others if u["active"] and u["id"] != unit["id"]),
        key=lambda u: (u[p.rank], u["name"]),
    )
    if not ranked:
        raise Abandoned("no other unit")
    moves: list[tuple[Row, Row | None]] = []
    planned: dict[int, list[Row]] = {}
    because = [matches.at, others.at]
    for row in coming:
        target = None
        for other in ranked:
            because = [play.find(p.record, because, **{s.key: other["id"]}).at]
            taken = [*of_unit(play, p, other), *planned.get(other["id"], [])]
            if not is_in_use(b, p, taken, row):
                target = other
                planned.setdefault(other["id"], []).append(row)
                break
        moves.append((row, target))
    if all(target is None for _, target in moves):
        raise Abandoned("nothing can be moved")
    move, cancel, notify = p.names["move"], p.names["cancel"], b.tool["notify"]

    def act(row: Row, target: Row | None) -> tuple[str, dict[str, Any]]:
        if target is None:
            return cancel, {p.record.key: row["id"]}
        return move, {p.record.key: row["id"], s.key: target["id"]}

    moved = [row for row, target in moves if target is not None]
    gone = len(moves) - len(moved)
    answer = f"{len(moved)} moved and {gone} cancelled."
    tell = p.party is b.party
    if len(moves) > 1 or tell:
        play.tempt("stops_early", [act(*moves[0])], answer)
    if len(ranked) > 1:
        worse = [act(row, ranked[-1] if t is ranked[0] else ranked[0]) for row, t in moves]
        play.tempt("second_best", worse, answer)
    for row, target in moves:
        name, arguments = act(row, target)
        play.call(name, because, **arguments)
        if tell:
            play.call(
                notify,
                (play.last,),
                **{b.party.key: row[p.party.key], "reference": number(p, row), "kind": "change"},
            )
    text = play.say(
        _clearing(p),
        p,
        name=unit["name"],
        category=category,
        telling=play.say("clear_unit", p, rule="notice") if tell else "",
    )
    return TaskDraft(
        "mixed",
        f"clear {s.noun}",
        text,
        answer,
        [fact(f"number of {p.record.many} moved", "number", len(moved))],
    )


def _clearing(p: Process) -> str:
    """The goal of the request grammar for a unit that cannot be used."""
    if p.staffed:
        return "clear_day" if p.by_turns else "clear_priced_day"
    return "clear_free_unit" if p.free else "clear_unit"


def refuse_standing(play: TaskBuilder, p: Process) -> TaskDraft:
    """Somebody in suspended standing wants something new."""
    b, s = play.business, p.subject
    if p.item is not None:
        raise Abandoned("an item is needed")
    party = play.pick(play.rows(p.party, standing="suspended"))
    first, last = b.day(play.rng.randint(2, 9)), b.day(play.rng.randint(11, 16))
    if p.shape == "hold" and entry_limits(b, p):
        first, last = fitting_days(b, p, play.days_until(first), play.days_until(last))
    wanted: Row = {"starts_on": first, "ends_on": last}
    asked = any_hours(play, p, 2) if p.shape == "slot" else None
    if asked is not None:
        hour = play.rng.randint(FIRST_HOUR, LAST_HOUR - 2)
        wanted = {"starts_on": first, "from_hour": hour, "hours": asked.hours}
    if not play.may_enter(p, party, wanted):
        raise Abandoned("another rule is against it, too")
    free = [u for u in play.rows(s) if u["active"] and not is_in_use(b, p, of_unit(play, p, u), wanted)]
    unit = play.pick(free)
    who, at = play.who(p.party, party), play.party(p.party, party)
    play.find(s, (at,), name=unit["name"])
    given = {**wanted, p.party.key: party["id"], s.key: unit["id"]}
    if asked is not None:
        asked = look_up(play, p, asked)
        given = {**{key: value for key, value in given.items() if key != "hours"}, **asked.arguments}
    play.tempt("ignores_policy", [(p.names["create"], given)], f"{unit['name']} is entered for {who}.")
    about = {"who": who, "name": unit["name"]}
    if asked is not None:
        text = play.say(refusing(p), p, **about, **asked.spoken(play, first, wanted["from_hour"]))
    else:
        text = play.say("refuse_standing", p, **about, start=play.day(first), end=play.day(last))
    return TaskDraft(
        "refuse",
        f"refuse {p.noun} in suspended standing",
        text,
        f"I had to decline, and the {p.noun} was not entered: the standing of {who} is suspended.",
        [fact(f"the {p.noun} was entered", "boolean", False)],
        [
            Blocking(
                kind="rule",
                text=f"nothing new is entered for {article(p.party.noun)} whose standing is suspended",
                value="suspended",
                type="text",
            )
        ],
        by_policy=True,
    )


def refuse_extension(play: TaskBuilder, p: Process) -> TaskDraft:
    """An extension that the tool would make and a rule forbids."""
    b, s = play.business, p.subject
    most = b.value(f"{p.record.name}.renew")
    rows = [
        r
        for r in play.rows(p.record, status=p.states[1])
        if r["extensions"] >= most or r["ends_on"] < b.day(0)
    ]
    row = play.pick(rows)
    party, unit = play.row(p.party, row[p.party.key]), play.row(s, row[s.key])
    require_one(play, p, row, p.states[1])
    end = b.day(max(play.days_until(row["ends_on"]), 0) + 2)
    if is_taken(b, p, beside(play, p, row), b.day(play.days_until(row["ends_on"]) + 1), end):
        raise Abandoned("the tool refuses it, too")
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    play.get(p.record, row, (matches.at,))
    verb = p.acts["extend"]
    play.tempt(
        "ignores_policy",
        [(p.names["extend"], {p.record.key: row["id"], "ends_on": end})],
        f"{unit['name']} is extended.",
    )
    past = row["ends_on"] < b.day(0)
    reason = (
        f"its end date, {play.day(row['ends_on'])}, has passed"
        if past
        else f"{most} {'is' if most == 1 else 'are'} the most allowed, and it has had that already"
    )
    evidence = (
        [
            Blocking(
                kind="value",
                text=f"the {p.noun} ended on {row['ends_on']}",
                value=row["ends_on"],
                type="date",
            )
        ]
        if past
        else [
            Blocking(
                kind="limit",
                text=f"{article(p.noun)} is extended {most} times at most",
                value=most,
                type="number",
            )
        ]
    )
    text = play.say("refuse_extension", p, who=who, name=unit["name"], end=play.day(end))
    return TaskDraft(
        "refuse",
        f"refuse to {verb} {p.noun}",
        text,
        f"I had to decline: the {p.noun} was not {participle(verb)}, because {reason}.",
        [fact(f"the {p.noun} was {participle(verb)}", "boolean", False)],
        evidence,
        by_policy=True,
    )


def quote(play: TaskBuilder, p: Process) -> TaskDraft:
    """What somebody would have and pay: the first free unit of a category, by name, and its price in all."""
    b, s = play.business, p.subject
    category = play.pick(sorted(p.category_cents))
    start, length = play.rng.randint(2, 9), play.rng.randint(2, 6) * (30 if p.monthly else 1)
    first, last = fitting_days(b, p, start, length)
    wanted: Row = {"starts_on": first, "ends_on": last}
    active = [unit for unit in play.rows(s, category=category) if unit["active"]]
    units = sorted(active, key=lambda unit: str(unit["name"]))
    free = [u for u in units if not is_in_use(b, p, of_unit(play, p, u), wanted)]
    if p.shape != "hold" or not free or free[0] is units[0]:
        raise Abandoned("the first is free, or none")
    matches = play.find(s, category=category)
    for unit in units[: units.index(free[0]) + 1]:
        play.find(p.record, (matches.at,), **{s.key: unit["id"]})
    days = play.days_until(last) - play.days_until(first)
    total = days * p.day_cents(free[0])
    about = {"start": play.day(first), "end": play.day(last), "days": f"{days} days"}
    text = play.say("quote", p, category=category, **about)
    return TaskDraft(
        "read",
        f"quote for {s.noun}",
        text,
        f"{free[0]['name']} is free; it costs {b.money(total)}.",
        [fact(f"{s.noun} that is free", "name", free[0]["name"]), fact("price in all", "money_cents", total)],
    )
