"""Goals about new records where the sentence states a rule of its own: refused, just allowed, one of two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.amounts import drawn_amount
from synthesis.procedural.business.deadlines import due_after
from synthesis.procedural.business.entry_rules import entry_limits
from synthesis.procedural.business.goals_hold import (
    fitting_days,
    free_items,
    is_in_use,
    of_unit,
    parties_with_room,
)
from synthesis.procedural.business.goals_slot import WantedHours, any_hours, is_elsewhere, look_up
from synthesis.procedural.business.model import FIRST_HOUR, LAST_HOUR, BusinessTable, Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.business.proofs import table_of
from synthesis.procedural.business.stated_limits import days_of, span_of
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.sentence.inflection import article, plural
from synthesis.procedural.sentence.limits import StatedLimit

_DRAWS = 400
_OF_TIMES = ("longest", "shortest", "ahead")
_OF_OTHERS = ("wait", "rate", "only", "age", "proof")


@dataclass(frozen=True)
class WantedRecord:
    """A record that somebody wants.

    Attributes:
        party: Who.
        subject: What it is of.
        days: Its columns as far as days go.
        arguments: What its tool is given.
        what: What is wanted and when, as people say it.
        span: For how long, as people say it.
        hours: For which hours or service, where it is for those.
    """

    party: Row
    subject: Row
    days: dict[str, Any]
    arguments: dict[str, Any]
    what: str
    span: str = ""
    hours: WantedHours | None = None


def refuse_entry(play: TaskBuilder, p: Process) -> TaskDraft:
    """Something new that the tool would enter and a rule of the sentence forbids."""
    kind, limit = _stated(play, p, (*_OF_TIMES, *_OF_OTHERS))
    entry = _drawn(play, p, kind, allowed=False)
    who, _ = _looked_up(play, p, entry)
    create = p.names["create"]
    play.tempt(
        "ignores_policy", [(create, entry.arguments)], f"{entry.subject['name']} is entered for {who}."
    )
    asked = _asked_of(p, limit)
    named = who if asked is p.party else f"the {asked.noun} {entry.days['thing']['name']}"
    reason = f"{named} {limit.proof.denied}" if limit.proof is not None else _reason(play, p, kind, limit)
    return TaskDraft(
        "refuse",
        f"refuse {p.noun} against the rule",
        play.say("refuse_entry", p, who=who, what=entry.what),
        f"I had to decline, and the {p.noun} was not entered: {reason}.",
        [fact(f"the {p.noun} was entered", "boolean", False)],
        _evidence(play, p, kind, limit, named),
        by_policy=True,
    )


def as_allowed(play: TaskBuilder, p: Process) -> TaskDraft:
    """Enter something that lasts as long, or begins as early, as the sentence allows."""
    b = play.business
    kind, limit = _stated(play, p, _OF_TIMES)
    entry = _drawn(play, p, kind, allowed=True)
    first = entry.days.get("starts_on", "")
    if not first:
        raise Abandoned("it starts on no day")
    goal, column, right, step = {
        "longest": ("as_long", "ends_on", play.days_until(first) + limit.days, 1),
        "shortest": ("as_short", "ends_on", play.days_until(first) + limit.days, -1),
        "ahead": ("as_early", "starts_on", limit.days, -1),
    }[kind]
    length = play.days_until(entry.days["ends_on"]) - play.days_until(first) if "ends_on" in entry.days else 0

    def call(day: int) -> tuple[str, dict[str, Any]]:
        moved = {column: b.day(day)}
        if column == "starts_on" and "ends_on" in entry.days:
            moved["ends_on"] = b.day(day + length)
        return p.names["create"], {**entry.arguments, **moved}

    wanted = {**entry.days, **{k: v for k, v in call(right)[1].items() if k in entry.days}}
    if play.may_enter(p, entry.party, wanted) is not True or not _is_free(play, p, entry, wanted):
        raise Abandoned("not on these days")
    who, looked = _looked_up(play, p, entry)
    answer = f"{entry.subject['name']} is entered for {who}."
    play.tempt("rounds_wrong", [call(right + step)], answer)
    play.tempt("ignores_policy", [call(right + 5 if kind == "longest" else max(right + 3 * step, 1))], answer)
    tool, arguments = call(right)
    play.call(tool, looked, **arguments)
    about = {"who": who, "name": entry.subject["name"], "start": play.day(first), "span": entry.span}
    name = "last day" if column == "ends_on" else "first day"
    return TaskDraft(
        "mixed",
        f"enter {p.noun} as allowed",
        play.say(goal, p, **about),
        answer,
        [fact(f"{name} of the {p.noun}", "date", b.day(right))],
        by_policy=True,
    )


def one_of_two(play: TaskBuilder, p: Process) -> TaskDraft:
    """Two want the same, and only one of them may have something new."""
    if p.item is not None or p.subject.has(p.party.key):
        raise Abandoned("what it is of is one person's")
    kind, _ = _stated(play, p, _OF_OTHERS)
    drawn = (_drawn(play, p, kind, allowed=True) for _ in range(_DRAWS // 16))
    choices = ((entry, others) for entry in drawn if (others := _forbidden_to(play, p, kind, entry)))
    entry, others = next(choices, (None, []))
    if entry is None:
        raise Abandoned("nobody else is forbidden the same")
    right, wrong = entry.party, play.pick(others)
    pair = sorted((right, wrong), key=lambda row: (row["name"], row["id"]))
    if play.rng.random() < 0.5:
        pair.reverse()
    looked: list[int] = []
    names: list[str] = []
    for row in pair:
        names.append(play.who(p.party, row))
        at = play.party(p.party, row)
        looked.append(play.find(p.record, (at,), **{p.party.key: row["id"]}).at)
    looked.append(play.find(p.subject, looked, name=entry.subject["name"]).at)
    if entry.hours is not None:
        look_up(play, p, entry.hours)
    create, name = p.names["create"], play.who(p.party, right)
    answer = f"{entry.subject['name']} is entered for {name}."
    play.tempt("ignores_policy", [(create, {**entry.arguments, p.party.key: wrong["id"]})], answer)
    if p.shape in ("supply", "work"):  # a unit can be held but once
        both = [(create, {**entry.arguments, p.party.key: row["id"]}) for row in (right, wrong)]
        play.tempt("forgets_condition", both, answer)
    play.call(create, (*looked, play.last), **entry.arguments)
    return TaskDraft(
        "mixed",
        f"enter {p.noun} for one of two",
        play.say("either", p, one=names[0], two=names[1], what=entry.what),
        answer,
        [fact(f"{p.party.noun} who gets it", "name", right["name"])],
        by_policy=True,
    )


def _stated(play: TaskBuilder, p: Process, kinds: tuple[str, ...]) -> tuple[str, StatedLimit]:
    """One of the limits that the sentence states for a process, of some kinds."""
    limits = entry_limits(play.business, p)
    kind = play.pick([kind for kind in kinds if kind in limits])
    return kind, limits[kind]


def _drawn(play: TaskBuilder, p: Process, kind: str, *, allowed: bool) -> WantedRecord:
    """A record that somebody could want, which one limit allows or forbids and nothing else forbids.

    Raises:
        Abandoned: None was found.
    """
    for _ in range(_DRAWS):
        entry = _ENTRIES[p.shape](play, p, kind)
        if entry is None or play.may_enter(p, entry.party, entry.days, but=kind) is not True:
            continue
        if play.may_enter(p, entry.party, entry.days) is allowed:
            return entry
    raise Abandoned("nobody wants what would fit")


def _forbidden_to(play: TaskBuilder, p: Process, kind: str, entry: WantedRecord) -> list[Row]:
    """To whom one limit, and nothing else, forbids what somebody may have."""
    return [
        party
        for party in _parties(play, p, entry.days)
        if play.may_enter(p, party, entry.days, but=kind) is True
        and play.may_enter(p, party, entry.days) is False
    ]


def _parties(play: TaskBuilder, p: Process, days: dict[str, Any]) -> list[Row]:
    """Who may have one more by the rules that every world has."""
    if p.shape == "hold":
        return parties_with_room(play, p)
    good = play.rows(p.party, standing="good")
    if p.shape != "slot":
        return good
    most = play.business.value(f"{p.record.name}.hours")
    there = play.rows(p.record, starts_on=days["starts_on"])
    hours = Counter[int]()
    for row in there:
        hours[row[p.party.key]] += row["hours"] if row["status"] in p.open_states else 0
    return [party for party in good if hours[party["id"]] < most]


def _hold(play: TaskBuilder, p: Process, kind: str) -> WantedRecord | None:
    b, rng = play.business, play.rng
    start, length = rng.randint(2, 9), rng.randint(3, 9)
    if p.monthly:
        start, length = 5 * start, 30 * length
    if kind in _OF_OTHERS:
        start = rng.randint(1, 28)
    first, last = fitting_days(b, p, start, length)
    limit = entry_limits(b, p)[kind].days
    if kind == "ahead":
        first, last = b.day(start := rng.randint(1, limit + 3)), b.day(start + length)
    elif kind in _OF_TIMES:
        last = b.day(play.days_until(first) + max(1, limit + rng.randint(-3, 6)))
    days, brought = {"starts_on": first, "ends_on": last}, dict[str, Row]()
    party = play.pick(_parties(play, p, days))
    arguments, with_item = {p.party.key: party["id"], **days}, ""
    if p.item is not None:
        own = free_items(play, p, party, first, last)
        if not own:
            return None
        item = rng.choice(own)
        brought = {"thing": item}
        arguments[p.item.key], with_item = item["id"], f" for the {p.item.noun} {item['name']}"
    unit = _free_unit(play, p, days)
    if unit is None:
        return None
    arguments[p.subject.key] = unit["id"]
    what = f"{unit['name']}{with_item} from {play.day(first)} to {play.day(last)}"
    length = play.days_until(last) - play.days_until(first)
    span = f"{with_item.strip() + ', ' if with_item else ''}the last day {days_of(length)} after the first"
    return WantedRecord(party, unit, {**days, **brought}, arguments, what, span)


def _slot(play: TaskBuilder, p: Process, kind: str) -> WantedRecord | None:
    b, rng = play.business, play.rng
    limit = entry_limits(b, p)[kind].days
    day = b.day(rng.randint(1, limit + 3 if kind == "ahead" else 14))
    hour = rng.randint(FIRST_HOUR, LAST_HOUR - 1)
    days = {"starts_on": day}
    asked = any_hours(play, p, 1)
    if hour + asked.hours > LAST_HOUR:
        return None
    unit = _free_unit(play, p, {**days, "from_hour": hour, "hours": asked.hours})
    if unit is None:
        return None
    wanted = {**days, "from_hour": hour, "hours": asked.hours}
    party = play.pick([q for q in _parties(play, p, days) if not is_elsewhere(play, p, q, wanted)])
    at = {**days, "from_hour": hour, **asked.arguments}
    arguments = {p.party.key: party["id"], p.subject.key: unit["id"], **at}
    times = f"{hour}:00 to {hour + asked.hours}:00"
    what = f"{asked.service} with {unit['name']}" if asked.service else unit["name"]
    what = f"{what} on {play.day(day)}, {times}"
    return WantedRecord(party, unit, days, arguments, what, f"from {times}", asked)


def _supply(play: TaskBuilder, p: Process, kind: str) -> WantedRecord | None:
    b, rng = play.business, play.rng
    party, item = play.pick(_parties(play, p, {})), play.pick(play.rows(p.subject, active=1))
    quantity, ahead = p.pack_of(item) * rng.randint(1, 3), rng.randint(10, 25)
    if kind == "ahead":
        ahead = rng.randint(1, entry_limits(b, p)[kind].days + 3)
    due = b.day(ahead)
    arguments = {
        p.party.key: party["id"],
        p.subject.key: item["id"],
        "quantity": quantity,
        "due_on": due,
    }
    days = {"due_on": due}
    return WantedRecord(
        party, item, days, arguments, f"{quantity} units of {item['name']}, due {play.day(due)}"
    )


def _work(play: TaskBuilder, p: Process, _: str) -> WantedRecord | None:
    b, rng = play.business, play.rng
    party = play.pick(_parties(play, p, {}))
    owned = {p.party.key: party["id"]} if p.subject.has(p.party.key) else {}
    subjects = play.rows(p.subject, **owned)
    if not subjects:
        return None
    subject, priority = rng.choice(subjects), rng.choice(("urgent", "normal"))
    amount = drawn_amount(p, subject, rng)
    arguments = {
        p.party.key: party["id"],
        p.subject.key: subject["id"],
        "priority": priority,
        p.amount_column: amount,
        "due_on": b.day(due_after(b, p, subject, priority)),
    }
    terms = f"priority {priority}, {p.amount} {b.amount(p, amount)}"
    what = f"{subject['name']}, {terms}, with the due date that our rules give"
    days = {"thing": subject} if owned else {}
    return WantedRecord(party, subject, days, arguments, what)


def _seat(play: TaskBuilder, p: Process, _: str) -> WantedRecord | None:
    party = play.pick(_parties(play, p, {}))
    mine = {row[p.subject.key] for row in play.rows(p.record, **{p.party.key: party["id"]})}
    coming = [event for event in play.rows(p.subject, status="scheduled") if event["id"] not in mine]
    event = play.pick([event for event in coming if play.days_until(event["starts_on"]) > 0])
    places = play.rng.randint(1, min(2, play.business.value(f"{p.record.name}.places")))
    arguments = {p.party.key: party["id"], p.subject.key: event["id"], "places": places}
    what = f"{event['name']} on {play.day(event['starts_on'])}, {places} place{'s' if places > 1 else ''}"
    return WantedRecord(party, event, {}, arguments, what)


_ENTRIES: dict[str, Callable[[TaskBuilder, Process, str], WantedRecord | None]] = {
    "hold": _hold,
    "slot": _slot,
    "seat": _seat,
    "supply": _supply,
    "work": _work,
}
"""By shape of a process: what draws a record that somebody could want."""


def _free_unit(play: TaskBuilder, p: Process, wanted: dict[str, Any]) -> Row | None:
    units = play.rows(p.subject, active=1)
    free = [unit for unit in units if not is_in_use(play.business, p, of_unit(play, p, unit), wanted)]
    return play.rng.choice(free) if free else None


def _is_free(play: TaskBuilder, p: Process, entry: WantedRecord, wanted: dict[str, Any]) -> bool:
    times: dict[str, Any] = {}
    if entry.hours is not None:
        times = {"from_hour": entry.arguments["from_hour"], "hours": entry.hours.hours}
    taken = is_in_use(play.business, p, of_unit(play, p, entry.subject), {**wanted, **times})
    return not taken and not (times and is_elsewhere(play, p, entry.party, {**wanted, **times}))


def _looked_up(play: TaskBuilder, p: Process, entry: WantedRecord) -> tuple[str, tuple[int, ...]]:
    """Look up who wants it, what they have and what it is of; how a request names them, and these calls."""
    who, at = play.who(p.party, entry.party), play.party(p.party, entry.party)
    mine = play.find(p.record, (at,), **{p.party.key: entry.party["id"]})
    shown = play.find(p.subject, (mine.at,), name=entry.subject["name"]).at
    if p.item is not None:
        play.find(p.item, (at,), **{p.party.key: entry.party["id"]})
    if entry.hours is not None:
        look_up(play, p, entry.hours)
    return who, (at, mine.at, shown, play.last)


def _reason(play: TaskBuilder, p: Process, kind: str, limit: StatedLimit) -> str:
    """Why a limit forbids a record."""
    party, record, span = p.party.noun, p.noun, span_of(limit)
    many = record if limit.number == 1 else p.record.many
    tier = play.business.tiers[1].replace("_", " ")
    reasons = {
        "longest": f"{article(record)} lasts {span} at most",
        "shortest": f"{article(record)} lasts {span} at least",
        "ahead": f"{article(record)} is entered at least {span} ahead",
        "wait": f"there are at least {span} between two {p.record.many} of one {party}",
        "rate": f"one {party} gets at most {limit.number} {many} {_time_of(p, limit)}",
        "age": f"{article(party)} must be at least {limit.number} years old",
        "only": f"only {p.party.many} whose tier is {tier} get a new {record}",
    }
    return reasons[kind]


def _evidence(play: TaskBuilder, p: Process, kind: str, limit: StatedLimit, who: str) -> list[Blocking]:
    """What a right refusal may name: the rule's number, where no other rule has the same, or its words."""
    b, period = play.business, _period_of(p, limit)
    if limit.proof is not None:
        # beside the words of a request to enter something, "registered" alone would say nothing
        denied = limit.proof.denied
        short = f"the {_asked_of(p, limit).noun} {denied}"
        phrase = denied.partition(" ")[2]
        lacking = Blocking(kind="rule", text=f"{who} {denied}", value=phrase, type="text")
        return [lacking, Blocking(kind="rule", text=short)]
    if kind == "only":
        tier = b.tiers[1].replace("_", " ")
        texts = (f"{who} is not {article(tier)}", f"only {plural(tier)} get a new {p.noun}")
        return [Blocking(kind="rule", text=text) for text in texts]
    texts = {
        "longest": ("that is longer than the maximum", "that is too long"),
        "shortest": ("that is shorter than the minimum", "that is too short"),
        "ahead": (
            f"notice of {limit.days} days is needed, and this is short",
            f"it has to be entered at least {limit.days} days ahead",
        ),
        "wait": ("that is too soon", f"{_weeks(limit)} have to pass in between"),
        "rate": (
            f"the limit of {period} is reached",
            f"{limit.number} is all for {period}",
        ),
        "age": ("that is too young", "that is under the minimum age"),
    }[kind]
    evidence = [Blocking(kind="limit", text=text) for text in texts]
    numbers = dict.fromkeys((limit.number,) if kind in ("rate", "age") else (limit.number, limit.days))
    own = f"{p.record.name}.{kind}"
    other = {value for key, rule in b.rules.items() if key != own for value in rule.values.values()}
    reason = _reason(play, p, kind, limit)
    named = [Blocking(kind="limit", text=reason, value=n, type="number") for n in numbers if n not in other]
    return [*(named or [Blocking(kind="limit", text=reason)]), *evidence]


def _asked_of(p: Process, limit: StatedLimit) -> BusinessTable:
    """The table of those of whom something is required."""
    return table_of(p, limit) or p.party


def _weeks(limit: StatedLimit) -> str:
    return f"{limit.days} days" if limit.days % 7 else f"{limit.days // 7} weeks, {limit.days} days,"


def _period_of(p: Process, limit: StatedLimit) -> str:
    return f"that {limit.unit}" if p.shape in ("hold", "slot") else f"the last {limit.days} days"


def _time_of(p: Process, limit: StatedLimit) -> str:
    if p.shape in ("hold", "slot"):
        return f"in one {limit.unit}"
    return f"within {days_of(limit.days)}"
