"""Goals about what is still open: what somebody has, what is late, what was entered twice."""

from __future__ import annotations

from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.chasing import Chased, chased_in, doubled_in
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.goals_hold import number
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.sentence.inflection import participle

_ENTERED = {"supply": "placed_on", "work": "opened_on"}
"""By shape: the column with the day on which a record was entered."""
_OPEN = {"hold": (1, "ends_on"), "slot": (0, "starts_on"), "supply": (0, "due_on"), "work": (1, "due_on")}
"""By shape: the place of the state that is asked about, and the column with the day that is."""
_DAYS = {"ends_on": "end date", "starts_on": "day", "due_on": "due date"}
"""What people call such a day."""


def open_of(play: TaskBuilder, p: Process) -> TaskDraft:
    """How many records somebody has, and the first day among them."""
    place, column = _OPEN[p.shape]
    state = p.states[place]
    choices = []
    for party in play.rows(p.party):
        rows = play.rows(p.record, **{p.party.key: party["id"], "status": state})
        if len(rows) > 1:
            choices.append((party, rows))
    party, rows = play.pick(choices)
    who, at = play.who(p.party, party), play.party(p.party, party)
    play.find(p.record, (at,), **{p.party.key: party["id"], "status": state})
    first, day = min(row[column] for row in rows), _DAYS[column]
    text = play.say("open_of", p, who=who, state=state, day=day)
    return TaskDraft(
        "read",
        f"open {p.record.many} of {p.party.noun}",
        text,
        f"{len(rows)} in all; the first {day} is {play.day(first)}.",
        [fact(f"number of {p.record.many}", "number", len(rows)), fact(f"first {day}", "date", first)],
    )


def _late(play: TaskBuilder, chased: Chased, more_than: int) -> list[Row]:
    rows = [row for row in play.rows(chased.table) if row["status"] in chased.states]
    return [row for row in rows if -play.days_until(row[chased.due]) > more_than]


def _chased(play: TaskBuilder) -> Chased:
    chased = chased_in(play.business)
    if chased is None:
        raise Abandoned("nothing is followed up")
    return chased


def follow_up(play: TaskBuilder) -> TaskDraft:
    """Write about whatever is late, but to nobody twice in too short a time."""
    b, chased = play.business, _chased(play)
    rule, key = b.rules["remind"].values, b.party.key
    late = _late(play, chased, rule["late"])
    sent = play.rows(b.notice, kind=chased.notice)
    recent = {n[key] for n in sent if -play.days_until(n["sent_on"]) <= rule["gap"]}
    right = [row for row in late if row[key] not in recent]
    if not right or len(right) == len(late) or len(right) > 6:
        raise Abandoned("nobody is left out")
    looked = [play.find(chased.table, status=state).at for state in chased.states]
    looked.append(play.find(b.notice, (looked[0],), kind=chased.notice).at)
    tool = b.tool["notify"]

    def letter(row: Row) -> tuple[str, dict[str, Any]]:
        return tool, {key: row[key], "reference": number_of(chased.table, row), "kind": chased.notice}

    answer = f"{len(right)} sent, {len(late) - len(right)} left out."
    play.tempt("ignores_policy", [letter(row) for row in late], answer)
    if len(right) > 1:
        play.tempt("first_page", [letter(right[0])], answer)
    soon = [row for row in _late(play, chased, 0) if row not in late]
    if soon:
        play.tempt("forgets_condition", [letter(row) for row in [*right, soon[0]]], answer)
    for row in right:
        play.call(tool, looked, **letter(row)[1])
    text = play.say("remind" if b.has_charges else "follow_up", b.chased, kind=chased.notice)
    return TaskDraft(
        "mixed",
        f"remind about {chased.table.many}" if b.has_charges else f"follow up late {chased.table.many}",
        text,
        answer,
        [fact(f"number of {b.notice.many} sent", "number", len(right))],
        by_policy=True,
    )


def refuse_follow_up(play: TaskBuilder) -> TaskDraft:
    """A notice about something late that would be the second within too short a time."""
    b, chased = play.business, _chased(play)
    gap, late = b.value("remind", "gap"), b.value("remind", "late")
    key, noun = b.party.key, f"{chased.notice} {b.notice.noun}"
    choices = []
    for row in _late(play, chased, late):
        notices = play.rows(b.notice, kind=chased.notice, **{key: row[key]})
        sent = [n for n in notices if -play.days_until(n["sent_on"]) <= gap]
        if sent:
            choices.append((row, max(sent, key=lambda n: n["sent_on"])))
    row, sent = play.pick(choices)
    party = play.row(b.party, row[key])
    who, at = play.who(b.party, party), play.party(b.party, party)
    play.find(b.notice, (at,), **{key: party["id"], "kind": chased.notice})
    label = number_of(chased.table, row)
    asked = {key: party["id"], "reference": label, "kind": chased.notice}
    play.tempt("ignores_policy", [(b.tool["notify"], asked)], f"The {noun} to {who} was sent.")
    text = play.say(
        "refuse_reminder" if b.has_charges else "refuse_follow_up",
        b.chased,
        who=who,
        number=label,
        kind=chased.notice,
    )
    return TaskDraft(
        "refuse",
        f"refuse second {noun}",
        text,
        f"I had to decline, and the {noun} was not sent: {who} got one on {play.day(sent['sent_on'])}, within"
        f" the last {gap} days.",
        [fact(f"the {noun} was sent", "boolean", False)],
        [
            Blocking(
                kind="rule",
                text=f"nobody gets two {chased.notice} {b.notice.many} within {gap} days",
                value=gap,
                type="number",
            ),
            Blocking(
                kind="value",
                text=f"the last one was sent on {sent['sent_on']}",
                value=sent["sent_on"],
                type="date",
            ),
        ],
        by_policy=True,
    )


def entered_twice(play: TaskBuilder) -> TaskDraft:
    """Put right what was entered twice."""
    p = doubled_in(play.business)
    if p is None:
        raise Abandoned("nothing was entered twice")
    day, same = _ENTERED[p.shape], {"id", "number", _ENTERED[p.shape]}
    waiting = play.rows(p.record, status=p.states[0])
    pairs = [
        (one, other)
        for one in waiting
        for other in waiting
        if one[day] < other[day]
        and all(other[name] == value for name, value in one.items() if name not in same)
    ]
    first, second = play.pick(pairs)
    party, subject = play.row(p.party, first[p.party.key]), play.row(p.subject, first[p.subject.key])
    if len([one for one, _ in pairs if one[p.party.key] == party["id"]]) > 1:
        raise Abandoned("twice twice")
    who, at = play.who(p.party, party), play.party(p.party, party)
    listed = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[0]})
    looked = [listed.at]
    for row in listed:
        play.get(p.record, row, (listed.at,))
        looked.append(play.last)
    cancel = p.names["cancel"]
    gone = participle(p.acts["cancel"])
    answer = f"{number(p, second)} of {play.day(second[day])} is {gone}."
    play.tempt("first_row", [(cancel, {p.record.key: first["id"]})], answer)
    play.tempt("ignores_policy", [(cancel, {p.record.key: each["id"]}) for each in (first, second)], answer)
    play.call(cancel, looked, **{p.record.key: second["id"]})
    text = play.say("entered_twice", p, who=who, name=subject["name"])
    return TaskDraft(
        "mixed",
        f"{p.acts['cancel']} double {p.noun}",
        text,
        answer,
        [fact(f"day of entry of the {p.noun} that went", "date", second[day])],  # "entered" may be a state
        by_policy=True,
    )


def postpone_first(play: TaskBuilder, p: Process) -> TaskDraft:
    """Put off what somebody has that is due first."""
    b = play.business
    choices = []
    for party in play.rows(p.party):
        rows = [r for r in play.rows(p.record, **{p.party.key: party["id"]}) if r["status"] == p.states[1]]
        ranked = sorted(rows, key=lambda r: r["due_on"])
        coming = len(ranked) > 1 and play.days_until(ranked[0]["due_on"]) > 0
        if coming and ranked[0]["due_on"] < ranked[1]["due_on"]:
            choices.append((party, ranked))
    party, ranked = play.pick(choices)
    days = play.rng.choice((2, 3, 4, 6, 8))
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    tool = p.names["postpone"]

    def put_off(row: Row) -> tuple[str, dict[str, Any]]:
        return tool, {p.record.key: row["id"], "due_on": b.day(play.days_until(row["due_on"]) + days)}

    due = put_off(ranked[0])[1]["due_on"]
    answer = f"{number(p, ranked[0])} is due on {play.day(due)} now."
    play.tempt("second_best", [put_off(ranked[1])], answer)
    play.tempt("ignores_policy", [put_off(row) for row in ranked], answer)
    play.call(tool, (matches.at,), **put_off(ranked[0])[1])
    text = play.say("postpone_first", p, who=who, state=p.states[1], days=days)
    return TaskDraft(
        "mixed",
        f"{p.acts['postpone']} first {p.noun}",
        text,
        answer,
        [fact("new due date", "date", due)],
    )
