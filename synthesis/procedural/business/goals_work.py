"""Goals about matters that staff deal with: who takes them, what a clerk may decide, what comes first."""

from __future__ import annotations

from collections import Counter
from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.amounts import drawn_amount
from synthesis.procedural.business.deadlines import due_after
from synthesis.procedural.business.goals_hold import number
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.business.qualification import is_qualified, needed
from synthesis.procedural.business.recurrence import recurrence_of
from synthesis.procedural.composing.playing import Abandoned


def _open(play: TaskBuilder, p: Process, worker: Row) -> int:
    rows = play.rows(p.record, **{play.business.staff.key: worker["id"]})
    return len([row for row in rows if row["status"] in p.open_states])


def _able(play: TaskBuilder, p: Process) -> list[Row]:
    b = play.business
    return [w for w in play.rows(b.staff, on_duty=1) if is_qualified(p, w)]


def leader(play: TaskBuilder) -> Row:
    """The supervisor whom the policy names for what is above a limit."""
    b = play.business
    role = b.staff.column("role").choices[1]
    return min((w for w in play.rows(b.staff, on_duty=1) if w["role"] == role), key=lambda w: w["name"])


def assign(play: TaskBuilder, p: Process) -> TaskDraft:
    """Give a new matter to whom the policy says."""
    b = play.business
    row = play.pick(play.rows(p.record, status=p.states[0]))
    able = _able(play, p)
    loads = {w["id"]: _open(play, p, w) for w in able}
    free = sorted(
        (w for w in able if loads[w["id"]] < b.value(f"{p.record.name}.assign")),
        key=lambda w: (loads[w["id"]], w["name"]),
    )
    if len(free) < 2:
        raise Abandoned("nobody to choose from")
    best = free[0]
    matches = play.find(p.record, number=number(p, row))
    staff = play.find(b.staff, (matches.at,), on_duty=True, **needed(p))
    looked = [staff.at]
    for worker in staff:
        play.find(p.record, (staff.at,), **{b.staff.key: worker["id"], "status": p.states[1]})
        looked.append(play.last)
    tool = p.names["assign"]
    answer = f"{number(p, row)} goes to {best['name']}."

    def to(worker: Row) -> tuple[str, dict[str, Any]]:
        return tool, {p.record.key: row["id"], b.staff.key: worker["id"]}

    if staff[0]["id"] != best["id"]:
        play.tempt("first_row", [to(staff[0])], answer)
    play.tempt("second_best", [to(free[1])], answer)
    off = [w for w in play.rows(b.staff) if not (w["on_duty"] and is_qualified(p, w))]
    play.tempt("ignores_policy", [to(off[0])], answer)
    play.call(tool, looked, **to(best)[1])
    who = play.who(p.party, play.row(p.party, row[p.party.key]))
    subject = play.row(p.subject, row[p.subject.key])["name"]
    text = play.say("assign", p, who=who, number=number(p, row), name=subject)
    return TaskDraft(
        "mixed",
        f"assign {p.noun}",
        text,
        answer,
        [fact(f"{b.staff.noun} assigned", "name", best["name"])],
        by_policy=True,
    )


def close_and_enter_next(play: TaskBuilder, p: Process) -> TaskDraft:
    """Close what was done and enter what follows it, due when the sentence's interval is over."""
    b, limit = play.business, recurrence_of(play.business, p)
    assert limit is not None
    rows, rule = play.rows(p.record, status=p.states[1]), f"{p.record.name}.limit"
    row = play.pick([r for r in rows if rule not in b.rules or r[p.amount_column] <= b.value(rule)])
    party, subject = play.row(p.party, row[p.party.key]), play.row(p.subject, row[p.subject.key])
    result = play.pick([each for each in p.results if each != p.reserved])
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    close = (p.names["close"], {p.record.key: row["id"], "result": result})

    def following(day: str) -> tuple[str, dict[str, Any]]:
        return p.names["create"], {
            p.party.key: party["id"],
            p.subject.key: subject["id"],
            "priority": "normal",
            p.amount_column: row[p.amount_column],
            "due_on": day,
        }

    right = b.day(limit.days)
    answer = f"The next one is due on {play.day(right)}."
    from_due = b.day(play.days_until(row["due_on"]) + limit.days)
    usual = b.day(due_after(b, p, subject, "normal"))
    play.tempt("ignores_policy", [close], answer)
    if right not in (usual, from_due) and from_due >= b.day(0):
        play.tempt("rounds_wrong", [close, following(from_due)], answer)
    if usual != right:
        play.tempt("forgets_condition", [close, following(usual)], answer)
    play.call(close[0], (matches.at,), **close[1])
    tool, arguments = following(right)
    play.call(tool, (matches.at, play.last), **arguments)
    text = play.say("close_and_enter_next", p, who=who, name=subject["name"], outcome=result)
    return TaskDraft(
        "mixed",
        f"{p.acts['close']} and enter next {p.noun}",
        text,
        answer,
        [fact(f"due date of the next {p.noun}", "date", right)],
        by_policy=True,
    )


def last_and_next(play: TaskBuilder, p: Process) -> TaskDraft:
    """When something was done for somebody last, and when it is due next."""
    closed = {row["id"]: row for row in play.rows(p.record, status=p.states[2])}
    waiting = [row for row in play.rows(p.record) if row["status"] in p.open_states]
    row = play.pick(waiting)
    same = (p.party.key, p.subject.key)
    earlier = [r for r in closed.values() if all(r[key] == row[key] for key in same)]
    others = [r for r in waiting if r[p.party.key] == row[p.party.key] and r["id"] != row["id"]]
    if not earlier or others:
        raise Abandoned("nothing came before, or more than one is next")
    party, subject = play.row(p.party, row[p.party.key]), play.row(p.subject, row[p.subject.key])
    last = max(each["closed_on"] for each in earlier)
    who, at = play.who(p.party, party), play.party(p.party, party)
    listed = play.find(p.record, (at,), **{p.party.key: party["id"]})
    latest = max(earlier, key=lambda each: each["closed_on"])
    play.get(p.record, latest, (listed.at,))
    text = play.say("last_and_next", p, who=who, name=subject["name"])
    return TaskDraft(
        "read",
        f"last and next {p.noun}",
        text,
        f"It was closed on {play.day(last)} and is due again on {play.day(row['due_on'])}.",
        [
            fact(f"closing date of the last {p.noun}", "date", last),
            fact(f"due date of the next {p.noun}", "date", row["due_on"]),
        ],
    )


def stand_in(play: TaskBuilder, p: Process) -> TaskDraft:
    """Somebody is off duty: everything of theirs goes to others by the rule, one after the other."""
    b = play.business
    others = _able(play, p)
    most = b.value(f"{p.record.name}.assign")
    off_duty = play.rows(b.staff, on_duty=0)
    worker = play.pick([w for w in off_duty if 2 <= _open(play, p, w) <= 3])
    rows = sorted(
        (r for r in play.rows(p.record, **{b.staff.key: worker["id"], "status": p.states[1]})),
        key=lambda r: (r["due_on"], r["id"]),
    )
    loads = Counter({w["id"]: _open(play, p, w) for w in others})
    if len(others) < 2:
        raise Abandoned("nobody else")
    matches = play.find(b.staff, name=worker["name"])
    listed = play.find(p.record, (matches.at,), **{b.staff.key: worker["id"], "status": p.states[1]})
    staff = play.find(b.staff, (matches.at,), on_duty=True, **needed(p))
    looked = [listed.at]
    for other in staff:
        play.find(p.record, (staff.at,), **{b.staff.key: other["id"], "status": p.states[1]})
        looked.append(play.last)
    tool, tell = p.names["assign"], p.party is b.party
    steps: list[tuple[Row, Row]] = []
    for row in rows:
        free = [w for w in others if loads[w["id"]] < most]
        if not free:
            raise Abandoned("everybody is busy")
        target = min(free, key=lambda w: (loads[w["id"]], w["name"]))
        loads[target["id"]] += 1
        steps.append((row, target))
    last = steps[-1][1]["name"]
    answer = f"All {len(rows)} are passed on; the one due last went to {last}."
    first = staff[0]
    play.tempt(
        "first_row", [(tool, {p.record.key: row["id"], b.staff.key: first["id"]}) for row in rows], answer
    )
    play.tempt("stops_early", [(tool, {p.record.key: rows[0]["id"], b.staff.key: steps[0][1]["id"]})], answer)
    if all(target["id"] == first["id"] for _, target in steps):
        play.temptations.pop(0)
    for row, target in steps:
        play.call(tool, looked, **{p.record.key: row["id"], b.staff.key: target["id"]})
        looked = [*looked, play.last]
        if tell:
            telling = {b.party.key: row[p.party.key], "reference": number(p, row), "kind": "change"}
            play.call(b.tool["notify"], (play.last,), **telling)
    text = play.say(
        "stand_in",
        p,
        worker=worker["name"],
        state=p.states[1],
        telling=play.say("stand_in", p, rule="notice") if tell else "",
    )
    return TaskDraft(
        "mixed",
        f"pass on {p.record.many}",
        text,
        answer,
        [fact("one who gets the last", "name", last)],
        by_policy=True,
    )


def start(play: TaskBuilder, p: Process) -> TaskDraft:
    """Open a matter with the due date that the policy asks for."""
    b = play.business
    owner = p.subject.has(p.party.key)
    party = play.pick([q for q in play.rows(p.party, standing="good") if play.may_enter(p, q, {})])
    subjects = play.rows(p.subject, **({p.party.key: party["id"]} if owner else {}))
    subject = play.pick([s for s in subjects if play.may_enter(p, party, {"thing": s} if owner else {})])
    priority = play.pick(("urgent", "normal"))
    days = {each: due_after(b, p, subject, each) for each in ("urgent", "normal")}
    amount = drawn_amount(p, subject, play.rng)
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(
        p.subject, (at,), **({p.party.key: party["id"]} if owner else {"name": subject["name"]})
    )
    tool = p.names["create"]

    def opened(due: int) -> dict[str, Any]:
        return {
            p.party.key: party["id"],
            p.subject.key: subject["id"],
            "priority": priority,
            p.amount_column: amount,
            "due_on": b.day(due),
        }

    other = "normal" if priority == "urgent" else "urgent"
    answer = f"It is due on {play.day(b.day(days[priority]))}."
    play.tempt("ignores_policy", [(tool, opened(days[other]))], answer)
    play.tempt("rounds_wrong", [(tool, opened(days[priority] + 1))], answer)
    play.call(tool, (matches.at,), **opened(days[priority]))
    text = play.say("start", p, who=who, name=subject["name"], priority=priority, sum=b.amount(p, amount))
    return TaskDraft(
        "mixed",
        f"{p.acts['create']} {p.noun}",
        text,
        answer,
        [fact("due date", "date", b.day(days[priority]))],
        by_policy=True,
    )


def busiest(play: TaskBuilder, p: Process) -> TaskDraft:
    """Who has most on the desk, and when the next of it is due."""
    b = play.business
    rows = play.rows(p.record, status=p.states[1])
    counts = Counter(row[b.staff.key] for row in rows).most_common(2)
    if len(counts) < 2 or counts[0][1] == counts[1][1]:
        raise Abandoned("nobody has most")
    worker = play.row(b.staff, counts[0][0])
    matches = play.find(p.record, status=p.states[1])
    own = play.find(p.record, (matches.at,), **{b.staff.key: worker["id"], "status": p.states[1]})
    due = min(row["due_on"] for row in own)
    text = play.say("busiest", p, state=p.states[1])
    return TaskDraft(
        "read",
        f"busiest with {p.record.many}",
        text,
        f"{worker['name']} has most: {counts[0][1]}. The first is due on {play.day(due)}.",
        [
            fact(f"{b.staff.noun} with the most", "name", worker["name"]),
            fact("number they have", "number", counts[0][1]),
            fact("first due date", "date", due),
        ],
    )


def refuse_assignment(play: TaskBuilder, p: Process) -> TaskDraft:
    """Somebody is asked for who is off duty or not qualified; the tool would not mind."""
    b = play.business
    row = play.pick(play.rows(p.record, status=p.states[0]))
    ((column, value),) = needed(p).items()
    # nobody refuses a record for want of a skill who has none on record to show
    known = [w for w in play.rows(b.staff) if w[column] is not None]
    worker = play.pick([w for w in known if not (w["on_duty"] and is_qualified(p, w))])
    matches = play.find(p.record, number=number(p, row))
    play.find(b.staff, (matches.at,), name=worker["name"])
    own, wanted = worker[column].replace("_", " "), value.replace("_", " ")
    off = not worker["on_duty"]
    play.tempt(
        "ignores_policy",
        [(p.names["assign"], {p.record.key: row["id"], b.staff.key: worker["id"]})],
        f"{number(p, row)} was assigned to {worker['name']}.",
    )
    reason = (
        f"{worker['name']} is not on duty"
        if off
        else f"the {column} of {worker['name']} is {own}, not {wanted}"
    )
    lacking = "lacks the skill" if p.skill else "does not have the role"
    evidence = (
        Blocking(kind="status", text=f"{worker['name']} is not on duty")
        if off
        else Blocking(kind="value", text=f"{worker['name']} {lacking} {wanted}", value=own, type="text")
    )
    text = play.say("refuse_assignment", p, number=number(p, row), worker=worker["name"])
    return TaskDraft(
        "refuse",
        f"refuse to assign {p.noun}",
        text,
        f"I had to decline, and {number(p, row)} was not assigned: {reason}.",
        [fact(f"{number(p, row)} was assigned", "boolean", False)],
        [evidence],
        by_policy=True,
    )
