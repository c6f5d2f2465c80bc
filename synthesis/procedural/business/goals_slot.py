"""Goals about units booked for hours of a day: choosing one, the earliest hour, too many hours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.goals_hold import is_in_use, of_unit
from synthesis.procedural.business.model import FIRST_HOUR, LAST_HOUR, Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article, singular


def clock(hour: int) -> str:
    """An hour of the day as people write it."""
    return f"{hour}:00"


def spoken_service(service: Row) -> str:
    """A service as people say it: "a haircut", "highlights"."""
    name = str(service["name"]).lower()
    return article(name) if singular(name) == name else name


@dataclass(frozen=True)
class WantedHours:
    """What somebody wants of a unit.

    Args:
        hours: For how long.
        arguments: What says that in a call.
        service: What it is, as people say it; "" of a thing or place.
        seen: Places of the calls that showed it.
    """

    hours: int
    arguments: dict[str, int]
    service: str = ""
    seen: tuple[int, ...] = ()

    def spoken(self, play: TaskBuilder, day: str, hour: int) -> dict[str, str]:
        """The words of a request for it on a day from an hour."""
        times = {"start": clock(hour), "end": clock(hour + self.hours)}
        return {"service": self.service, "day": play.day(day), "size": str(self.hours), **times}


def any_hours(play: TaskBuilder, p: Process, hours: int) -> WantedHours:
    """Some hours, or a service."""
    return _so_many(p, hours) if p.service is None else _serviced(play, p, None)


def _so_many(p: Process, hours: int) -> WantedHours:
    spoken = f"{article(p.noun)} of {hours} hour{'s' if hours > 1 else ''}" if p.staffed else ""
    return WantedHours(hours, {"hours": hours}, spoken)


def _serviced(play: TaskBuilder, p: Process, hours: int | None) -> WantedHours:
    """A service, of so many hours where that matters."""
    assert p.service is not None
    row = play.pick([row for row in play.rows(p.service) if hours in (None, row["hours"])])
    return WantedHours(row["hours"], {p.service.key: row["id"]}, spoken_service(row))


def look_up(play: TaskBuilder, p: Process, wanted: WantedHours) -> WantedHours:
    """The same, looked up by name where it is a service."""
    if p.service is None:
        return wanted
    row = play.row(p.service, wanted.arguments[p.service.key])
    matches = play.find(p.service, name=row["name"])
    return replace(wanted, seen=(matches.at,))


def _own_hours(play: TaskBuilder, p: Process, party: Row, day: str) -> int:
    """For how many hours of a day somebody has bookings."""
    rows = play.rows(p.record, **{p.party.key: party["id"], "starts_on": day})
    return sum(row["hours"] for row in rows if row["status"] in p.open_states)


def is_elsewhere(play: TaskBuilder, p: Process, party: Row, wanted: Row) -> bool:
    """Whether somebody has another appointment in the hours wanted: nobody is seen by two at once."""
    own = play.rows(p.record, **{p.party.key: party["id"]})
    return p.staffed and is_in_use(play.business, p, own, wanted)


def _within_limit(
    play: TaskBuilder, p: Process, day: str, hours: int, *, start: int = FIRST_HOUR, end: int = LAST_HOUR
) -> list[Row]:
    """Who may have so many more hours of a day, and has no appointment from `start` to `end`."""
    most = play.business.value(f"{p.record.name}.hours")
    wanted = {"starts_on": day, "from_hour": start, "hours": end - start}
    parties = [q for q in play.rows(p.party, standing="good") if not is_elsewhere(play, p, q, wanted)]
    return [
        party
        for party in parties
        if _own_hours(play, p, party, day) + hours <= most and play.may_enter(p, party, {"starts_on": day})
    ]


def _busy_days(play: TaskBuilder, p: Process) -> list[str]:
    """Coming days on which there are bookings."""
    today = play.business.day(0)
    rows = play.rows(p.record, status=p.states[0])
    return sorted({row["starts_on"] for row in rows if row["starts_on"] > today})


def choose_hours(play: TaskBuilder, p: Process) -> TaskDraft:
    """Book the cheapest unit that is free in the hours wanted."""
    b, s = play.business, p.subject
    day, asked = play.pick(_busy_days(play, p)), any_hours(play, p, play.rng.choice((1, 2)))
    hour, hours = play.rng.randint(FIRST_HOUR + 1, LAST_HOUR - 2), asked.hours
    wanted = {"starts_on": day, "from_hour": hour, "hours": hours}
    party = play.pick(_within_limit(play, p, day, hours, start=hour, end=hour + hours))
    ranked = sorted((u for u in play.rows(s) if u["active"]), key=lambda u: (u[p.rank], u["name"]))
    free = [u for u in ranked if not is_in_use(b, p, of_unit(play, p, u), wanted)]
    if len(free) < 2 or free[0] is ranked[0]:
        raise Abandoned("nothing to decide")
    best = free[0]
    who, at = play.who(p.party, party), play.party(p.party, party)
    asked = look_up(play, p, asked)
    arguments = {p.party.key: party["id"], "starts_on": day, "from_hour": hour, **asked.arguments}
    because = [play.find(s).at, at]
    for unit in ranked[: ranked.index(best) + 1]:
        because = [play.find(p.record, because, **{s.key: unit["id"]}).at]
    because = [*because, *asked.seen]
    create = p.names["create"]

    def book(unit: Row) -> tuple[str, dict[str, Any]]:
        return create, {**arguments, s.key: unit["id"]}

    answer = f"{sentence(best['name'])} is booked for {who}."
    listed = sorted(free, key=lambda u: u["name"])
    if listed[0] is not best:
        play.tempt("first_row", [book(listed[0])], answer)
    play.tempt("second_best", [book(free[1])], answer)
    play.call(create, because, **book(best)[1])
    text = play.say(_choosing(p), p, who=who, **asked.spoken(play, day, hour))
    facts = [fact(f"{s.noun} chosen", "name", best["name"])]
    return TaskDraft("mixed", f"choose {s.noun} for {p.noun}", text, answer, facts)


def _choosing(p: Process) -> str:
    """The goal of the request grammar by which a unit is chosen."""
    if p.staffed:
        return "choose_whose_day" if p.by_turns else "choose_priced_day"
    return "choose_free_hours" if p.free else "choose_hours"


def refusing(p: Process) -> str:
    """The goal of the request grammar for hours that are refused."""
    return "refuse_service" if p.staffed else "refuse_hours"


def earliest_hour(play: TaskBuilder, p: Process) -> TaskDraft:
    """Book a unit at the first hour from which it is free long enough."""
    b, s = play.business, p.subject
    asked = any_hours(play, p, 2)
    hours = asked.hours
    choices = []
    for unit in play.rows(s, active=1):
        taken = of_unit(play, p, unit)
        for day in _busy_days(play, p):
            starts = [
                hour
                for hour in range(FIRST_HOUR, LAST_HOUR - hours + 1)
                if not is_in_use(b, p, taken, {"starts_on": day, "from_hour": hour, "hours": hours})
            ]
            if len(starts) > 1 and starts[0] > FIRST_HOUR:
                choices.append((unit, day, starts))
    unit, day, starts = play.pick(choices)
    party = play.pick(_within_limit(play, p, day, hours))
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(s, (at,), name=unit["name"])
    if len(matches) != 1:
        raise Abandoned("not one unit")
    asked = look_up(play, p, asked)
    listed = play.find(p.record, (matches.at,), **{s.key: unit["id"]})
    create = p.names["create"]

    def book(hour: int) -> tuple[str, dict[str, Any]]:
        return create, {
            p.party.key: party["id"],
            s.key: unit["id"],
            "starts_on": day,
            "from_hour": hour,
            **asked.arguments,
        }

    answer = f"{unit['name']} is booked from {clock(starts[0])}."
    play.tempt("second_best", [book(starts[1])], answer)
    if starts[-1] != starts[1]:
        play.tempt("first_row", [book(starts[-1])], answer)
    play.call(create, (listed.at, at, *asked.seen), **book(starts[0])[1])
    goal = "earliest_service" if p.staffed else "earliest_hour"
    text = play.say(goal, p, who=who, name=unit["name"], **asked.spoken(play, day, starts[0]))
    return TaskDraft(
        "mixed",
        f"earliest {p.noun}",
        text,
        answer,
        [fact(f"hour at which the {p.noun} begins", "number", starts[0])],
    )


def refuse_hours(play: TaskBuilder, p: Process) -> TaskDraft:
    """More hours of one day than one person may have."""
    b, s = play.business, p.subject
    most = b.value(f"{p.record.name}.hours")
    choices = []
    for day in _busy_days(play, p):
        for party in play.rows(p.party, standing="good"):
            own = _own_hours(play, p, party, day)
            if 0 < own <= most and play.may_enter(p, party, {"starts_on": day}):
                choices.append((day, party, most - own + 1))
    day, party, over = play.pick(choices)
    asked = _so_many(p, over) if p.service is None else _serviced(play, p, over)
    hours = asked.hours
    starts = [
        (unit, hour)
        for unit in play.rows(s, active=1)
        for hour in range(FIRST_HOUR, LAST_HOUR - hours + 1)
        if not is_in_use(b, p, of_unit(play, p, unit), {"starts_on": day, "from_hour": hour, "hours": hours})
        and not is_elsewhere(play, p, party, {"starts_on": day, "from_hour": hour, "hours": hours})
    ]
    unit, hour = play.pick(starts)
    who, at = play.who(p.party, party), play.party(p.party, party)
    play.find(p.record, (at,), **{p.party.key: party["id"]})
    play.find(s, (at,), name=unit["name"])
    wanted = {"starts_on": day, "from_hour": hour, **look_up(play, p, asked).arguments}
    play.tempt(
        "ignores_policy",
        [(p.names["create"], {p.party.key: party["id"], s.key: unit["id"], **wanted})],
        f"{unit['name']} is booked for {who}.",
    )
    text = play.say(refusing(p), p, who=who, name=unit["name"], **asked.spoken(play, day, hour))
    return TaskDraft(
        "refuse",
        f"refuse {p.noun} of too many hours",
        text,
        f"I had to decline, and the {p.noun} was not entered: one {p.party.noun} has {most} hours of"
        f" {p.record.many} a day at most.",
        [fact(f"the {p.noun} was entered", "boolean", False)],
        [
            Blocking(
                kind="limit",
                text=f"one {p.party.noun} has {most} hours of {p.record.many} a day at most",
                value=most,
                type="number",
            )
        ],
        by_policy=True,
    )
