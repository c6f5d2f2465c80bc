"""Goals about stock and orders: a budget in whole packs, short stock, returns in time."""

from __future__ import annotations

from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.goals_hold import number
from synthesis.procedural.business.goals_work import leader
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.sentence.inflection import article, participle


def within_budget(play: TaskBuilder, p: Process) -> TaskDraft:
    """As many whole packs of the cheapest item as a budget allows."""
    b, s = play.business, p.subject
    if p.free:
        raise Abandoned("nobody pays for it")
    category = play.pick(s.column("category").choices)
    items = sorted(
        (i for i in play.rows(s, category=category) if i["active"]),
        key=lambda i: (i["unit_price_cents"], i["name"]),
    )
    if len(items) < 2 or items[0]["unit_price_cents"] == items[1]["unit_price_cents"]:
        raise Abandoned("no cheapest one")
    best = items[0]
    pack = p.pack_of(best) * best["unit_price_cents"]
    packs = play.rng.randint(2, 5)
    budget = -(-(packs * pack + play.rng.randint(1, 9) * pack // 10) // 100) * 100
    packs = budget // pack
    quantity, loose = packs * p.pack_of(best), budget // best["unit_price_cents"]
    party = play.pick([q for q in play.rows(p.party, standing="good") if play.may_enter(p, q, {})])
    due = b.day(play.rng.randint(10, 25))
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(s, (), category=category)
    create = p.names["create"]

    def order(item: Row, count: int) -> tuple[str, dict[str, Any]]:
        return create, {p.party.key: party["id"], s.key: item["id"], "quantity": count, "due_on": due}

    answer = f"{quantity} of {best['name']} for {b.money(quantity * best['unit_price_cents'])} in all."
    if loose != quantity:
        play.tempt("ignores_policy", [order(best, loose)], answer)
    play.tempt("rounds_wrong", [order(best, quantity + p.pack_of(best))], answer)
    first = next((i for i in matches if i["active"] and i["id"] != best["id"]), None)
    if first is not None:
        count = max(1, budget // (p.pack_of(first) * first["unit_price_cents"])) * p.pack_of(first)
        play.tempt("first_row", [order(first, count)], answer)
    play.call(create, (matches.at, at), **order(best, quantity)[1])
    text = play.say("within_budget", p, who=who, category=category, budget=b.money(budget), due=play.day(due))
    return TaskDraft(
        "mixed",
        f"{p.acts['create']} {s.noun} within budget",
        text,
        answer,
        [fact("number of units ordered", "number", quantity)],
        by_policy=p.packed,
    )


def _reached(item: Row, order: list[Row]) -> set[int]:
    """Keys of the orders that the stock covers when they are taken in some order."""
    left, ids = item["stock"], set[int]()
    for row in order:
        if row["quantity"] <= left:
            ids.add(row["id"])
            left -= row["quantity"]
    return ids


def while_stock_lasts(play: TaskBuilder, p: Process) -> TaskDraft:
    """Fulfil what is waiting for one item in the order of the policy, as far as the stock goes."""
    s = p.subject
    choices = []
    for item in play.rows(s):
        placed = sorted(
            play.rows(p.record, **{s.key: item["id"], "status": p.states[0]}),
            key=lambda r: (r["placed_on"], r["id"]),
        )
        reached = _reached(item, placed)
        right = [row for row in placed if row["id"] in reached]
        days = [row["placed_on"] for row in placed]
        if len(placed) >= 2 and right and len(set(days)) == len(days):
            choices.append((item, placed, right))
    short = [choice for choice in choices if len(choice[2]) < len(choice[1])]
    item, placed, right = play.pick(short or choices)
    matches = play.find(s, name=item["name"])
    if len(matches) != 1:
        raise Abandoned("not one item")
    listed = play.find(p.record, (matches.at,), **{s.key: item["id"], "status": p.states[0]})
    fulfil = p.names["fulfil"]
    answer = f"{len(right)} of {len(placed)} could be {participle(p.acts['fulfil'])}."
    if len(right) > 1:
        play.tempt("stops_early", [(fulfil, {p.record.key: right[0]["id"]})], answer)
    if _reached(item, list(listed)) != _reached(item, placed):
        play.tempt("first_row", [(fulfil, {p.record.key: row["id"]}) for row in listed], answer)
    small = sorted(placed, key=lambda r: r["quantity"])
    if _reached(item, small) != _reached(item, placed):
        play.tempt("ignores_policy", [(fulfil, {p.record.key: row["id"]}) for row in small], answer)
    because = [listed.at, matches.at]
    for row in right:
        play.call(fulfil, because, **{p.record.key: row["id"]})
        because = [*because, play.last]
    text = play.say("while_stock_lasts", p, name=item["name"], state=p.states[0])
    return TaskDraft(
        "mixed",
        f"{p.acts['fulfil']} waiting {p.record.many}",
        text,
        answer,
        [fact(f"number of {p.record.many} {participle(p.acts['fulfil'])}", "number", len(right))],
        by_policy=True,
    )


def cover_orders(play: TaskBuilder, p: Process) -> TaskDraft:
    """Add just the packs that all orders of one item lack, then fulfil every one of them."""
    b, s = play.business, p.subject
    choices = []
    for item in play.rows(s, active=1):
        placed = play.rows(p.record, **{s.key: item["id"], "status": p.states[0]})
        lacking = sum(row["quantity"] for row in placed) - item["stock"]
        if len(placed) >= 2 and lacking > 0:
            choices.append((item, lacking))
    item, lacking = play.pick(choices)
    pack = p.pack_of(item)
    packs = -(-lacking // pack)
    units = "packs" if p.packed else "units"
    matches = play.find(s, name=item["name"])
    if len(matches) != 1:
        raise Abandoned("not one item")
    listed = play.find(p.record, (matches.at,), **{s.key: item["id"], "status": p.states[0]})
    restock, fulfil = b.tool[f"restock {s.name}"], p.names["fulfil"]
    answer = f"{packs} {units} of {item['name']} were added."
    amount = "packs" if p.packed else "quantity"

    def add(count: int) -> tuple[str, dict[str, Any]]:
        return restock, {s.key: item["id"], amount: count}

    done = [(fulfil, {p.record.key: row["id"]}) for row in listed]
    play.tempt("stops_early", [add(packs)], answer)
    play.tempt("rounds_wrong", [add(packs + 1), *done], answer)
    everything = -(-(lacking + item["stock"]) // pack)
    if everything not in (packs, packs + 1):
        play.tempt("forgets_condition", [add(everything), *done], answer)
    play.call(restock, (matches.at, listed.at), **add(packs)[1])
    for tool, arguments in done:
        play.call(tool, (play.last,), **arguments)
    text = play.say("cover_orders", p, name=item["name"], state=p.states[0], packs=units)
    return TaskDraft(
        "mixed",
        f"restock and {p.acts['fulfil']} {p.record.many}",
        text,
        answer,
        [fact(f"number of {units} added", "number", packs)],
    )


def returns_in_time(play: TaskBuilder, p: Process) -> TaskDraft:
    """Take back what may still be taken back of what somebody got."""
    b = play.business
    days = b.value(f"{p.record.name}.return")
    choices = []
    for party in play.rows(p.party):
        mine = play.rows(p.record, **{p.party.key: party["id"], "status": p.states[1]})
        right = [row for row in mine if -play.days_until(row["closed_on"]) <= days]
        if right and len(right) < len(mine):
            choices.append((party, mine, right))
    party, mine, right = play.pick(choices)
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    looked = [matches.at]
    for row in matches:
        play.get(p.record, row)
        looked.append(play.last)
    back = p.names["return"]
    ids = {row["id"] for row in right}
    total = sum(row["quantity" if p.free else "total_cents"] for row in right)
    worth = f"{total} units" if p.free else f"worth {b.money(total)}"
    answer = f"{len(right)} {participle(p.acts['return'])}, {worth}."
    play.tempt("ignores_policy", [(back, {p.record.key: row["id"]}) for row in matches], answer)
    if matches[0]["id"] not in ids:
        play.tempt("first_row", [(back, {p.record.key: matches[0]["id"]})], answer)
    for row in matches:
        if row["id"] in ids:
            play.call(back, looked, **{p.record.key: row["id"]})
    text = play.say("returns_of_units" if p.free else "returns_in_time", p, who=who, state=p.states[1])
    return TaskDraft(
        "mixed",
        f"{p.acts['return']} in time",
        text,
        answer,
        [
            fact("number of units taken back", "number", total)
            if p.free
            else fact("total taken back", "money_cents", total)
        ],
        by_policy=True,
    )


def fulfil_or_hand_over(play: TaskBuilder, p: Process) -> TaskDraft:
    """Let somebody have what is free, or hand it over where it is more than a clerk may give."""
    b = play.business
    if not p.free:
        raise Abandoned("whoever pays gets what is ordered")
    limit, above = b.value(f"{p.record.name}.limit"), play.rng.random() < 0.5
    rows = [r for r in play.rows(p.record, status=p.states[0]) if (r["quantity"] > limit) is above]
    row = play.pick([r for r in rows if r["quantity"] <= play.row(p.subject, r[p.subject.key])["stock"]])
    party, item = play.row(p.party, row[p.party.key]), play.row(p.subject, row[p.subject.key])
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[0]})
    label, chief = number(p, row), leader(play)
    give = (p.names["fulfil"], {p.record.key: row["id"]})
    over = {"reference": label, b.staff.key: chief["id"], "reason": "above_limit"}
    if above:
        leaders = play.find(b.staff, (matches.at,), role=b.staff.column("role").choices[1], on_duty=True)
        answer = f"{label} is for more than {limit} units; {chief['name']} decides."
        play.tempt("ignores_policy", [give], answer)
        play.call(b.tool["hand over"], (matches.at, leaders.at), **over)
        facts = [fact("one who decides", "name", chief["name"])]
    else:
        answer = f"{label} is {participle(p.acts['fulfil'])}: {row['quantity']} units."
        play.tempt("ignores_policy", [(b.tool["hand over"], over)], answer)
        if matches[0]["id"] != row["id"]:
            play.tempt("first_row", [(give[0], {p.record.key: matches[0]["id"]})], answer)
        play.call(give[0], (matches.at,), **give[1])
        facts = [fact("number of units", "number", row["quantity"])]
    tell = p.party is b.party and not above
    if tell:
        play.tempt("stops_early", [], answer)
        telling = {b.party.key: party["id"], "reference": label, "kind": "change"}
        play.call(b.tool["notify"], (play.last,), **telling)
    words = {"who": who, "name": item["name"], "number": label}
    message = play.say("fulfilled_notice", p, **words) if p.party is b.party else ""
    text = play.say("fulfil_or_hand_over", p, telling=message, **words)
    return TaskDraft(
        "mixed", f"{p.acts['fulfil']} or hand over {p.noun}", text, answer, facts, by_policy=True
    )


def refuse_return(play: TaskBuilder, p: Process) -> TaskDraft:
    """A return that the tool would accept and a rule forbids."""
    b = play.business
    days = b.value(f"{p.record.name}.return")
    rows = [r for r in play.rows(p.record, status=p.states[1]) if -play.days_until(r["closed_on"]) > days]
    row = play.pick(rows)
    party, item = play.row(p.party, row[p.party.key]), play.row(p.subject, row[p.subject.key])
    matches = play.find(p.record, number=number(p, row))
    play.get(p.record, row, (matches.at,))
    play.tempt(
        "ignores_policy",
        [(p.names["return"], {p.record.key: row["id"]})],
        f"{number(p, row)} is {participle(p.acts['return'])}.",
    )
    who = play.who(p.party, party)
    verb = participle(p.acts["return"])
    text = play.say("refuse_return", p, who=who, name=item["name"], number=number(p, row))
    return TaskDraft(
        "refuse",
        f"refuse to {p.acts['return']}",
        text,
        f"I had to decline: {number(p, row)} was not {verb}, because it was closed on"
        f" {play.day(row['closed_on'])}, more than {days} days ago.",
        [fact(f"{p.noun} {number(p, row)} was {verb}", "boolean", False)],
        [
            Blocking(
                kind="limit",
                text=f"{article(p.noun)} is {verb} within {days} days only",
                value=days,
                type="number",
            ),
            Blocking(
                kind="value", text=f"it was closed on {row['closed_on']}", value=row["closed_on"], type="date"
            ),
        ],
        by_policy=True,
    )


def resize_packs(play: TaskBuilder, p: Process) -> TaskDraft:
    """Raise an order to what is needed, in whole packs."""
    s = p.subject
    row = play.pick(
        [r for r in play.rows(p.record, status=p.states[0]) if p.pack_of(play.row(s, r[s.key])) > 2]
    )
    item = play.row(s, row[s.key])
    need = row["quantity"] + p.pack_of(item) + play.rng.randint(1, p.pack_of(item) - 1)
    right = -(-need // p.pack_of(item)) * p.pack_of(item)
    matches = play.find(p.record, number=number(p, row))
    details = play.find(s, (matches.at,), name=item["name"])
    tool = p.names["resize"]
    answer = f"{number(p, row)} is now for {right} units."
    play.tempt("ignores_policy", [(tool, {p.record.key: row["id"], "quantity": need})], answer)
    play.tempt(
        "rounds_wrong", [(tool, {p.record.key: row["id"], "quantity": right - p.pack_of(item)})], answer
    )
    play.call(tool, (matches.at, details.at), **{p.record.key: row["id"], "quantity": right})
    who = play.who(p.party, play.row(p.party, row[p.party.key]))
    text = play.say("resize_packs", p, who=who, number=number(p, row), need=need)
    return TaskDraft(
        "mixed", f"resize {p.noun}", text, answer, [fact("new quantity", "number", right)], by_policy=True
    )
