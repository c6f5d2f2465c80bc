"""Goals about places in events: filling a place that becomes free, moving on, counting what is left."""

from __future__ import annotations

from typing import Any

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.goals_hold import number
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.sentence.inflection import participle


def _left(play: TaskBuilder, p: Process, event: Row) -> int:
    taken = (p.states[1], p.states[3])
    return int(event["capacity"]) - sum(
        int(r["places"]) for r in play.rows(p.record, **{p.subject.key: event["id"]}) if r["status"] in taken
    )


def _coming(play: TaskBuilder, p: Process) -> list[Row]:
    return [
        e for e in play.rows(p.subject) if e["status"] == "scheduled" and play.days_until(e["starts_on"]) > 0
    ]


def fill_place(play: TaskBuilder, p: Process) -> TaskDraft:
    """Somebody gives up places; they go to whom the waiting list gives them."""
    b, s = play.business, p.subject
    rule = b.rules[f"{p.record.name}.withdrawal"].values
    choices = []
    for event in _coming(play, p):
        waiting = play.rows(p.record, **{s.key: event["id"], "status": p.states[0]})
        if len(waiting) >= 3 and play.days_until(event["starts_on"]) >= rule["days"]:
            choices += [
                (event, waiting, r)
                for r in play.rows(p.record, **{s.key: event["id"], "status": p.states[1]})
            ]
    event, waiting, leaving = play.pick(choices)
    free = _left(play, p, event) + leaving["places"]

    def rank(row: Row) -> tuple[bool, str, int]:
        return play.row(p.party, row[p.party.key])["tier"] != b.tiers[1], row["registered_on"], row["id"]

    def winner(order: list[Row]) -> Row | None:
        return next((row for row in order if row["places"] <= free), None)

    right = winner(sorted(waiting, key=rank))
    if right is None or (
        len([w for w in waiting if w["places"] <= free - right["places"]]) > 1 and free > right["places"]
    ):
        raise Abandoned("more than one place goes on")
    party = play.row(p.party, leaving[p.party.key])
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(s, name=event["name"])
    mine = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    listed = play.find(p.record, (matches.at,), **{s.key: event["id"], "status": p.states[0]})
    looked = [listed.at]
    for row in listed:
        play.get(p.party, play.row(p.party, row[p.party.key]))
        looked.append(play.last)
    withdraw, admit = p.names["withdraw"], p.names["admit"]
    end = (withdraw, {p.record.key: leaving["id"]})
    new = play.row(p.party, right[p.party.key])
    answer = f"{number(p, leaving)} is {participle(p.acts['withdraw'])}; {new['name']} gets the place."
    play.tempt("stops_early", [end], answer)
    earliest = winner(sorted(waiting, key=lambda r: (r["registered_on"], r["id"])))
    first = winner(list(listed))
    if earliest is not None and earliest is not right:
        play.tempt("ignores_policy", [end, (admit, {p.record.key: earliest["id"]})], answer)
    if first is not None and first["id"] != right["id"]:
        play.tempt("first_row", [end, (admit, {p.record.key: first["id"]})], answer)
    play.call(withdraw, (mine.at,), **end[1])
    play.call(admit, (*looked, play.last), **{p.record.key: right["id"]})
    telling = ""
    if p.party is b.party:
        play.call(
            b.tool["notify"],
            (play.last,),
            **{b.party.key: new["id"], "reference": number(p, right), "kind": "place_free"},
        )
        telling = play.say("fill_place", p, rule="notice")
    text = play.say("fill_place", p, who=who, name=event["name"], telling=telling)
    return TaskDraft(
        "mixed",
        f"fill place in {s.noun}",
        text,
        answer,
        [fact(f"next {p.party.noun}", "name", new["name"])],
        by_policy=True,
    )


def next_with_room(play: TaskBuilder, p: Process) -> TaskDraft:
    """Change somebody to the next event of the same category that has enough places left."""
    s = p.subject
    choices = []
    for row in play.rows(p.record, status=p.states[1]):
        event = play.row(s, row[s.key])
        later = sorted(
            (
                e
                for e in _coming(play, p)
                if e["category"] == event["category"]
                and e["id"] != event["id"]
                and e["starts_on"] > event["starts_on"]
            ),
            key=lambda e: (e["starts_on"], e["name"]),
        )
        room = [e for e in later if _left(play, p, e) >= row["places"]]
        others = play.rows(p.record, **{p.party.key: row[p.party.key]})
        clash = any(o[s.key] in {e["id"] for e in room} for o in others)
        if room and not clash and play.days_until(event["starts_on"]) > 0 and (len(later) > 1):
            choices.append((row, event, later, room[0]))
    row, event, later, target = play.pick(choices)
    party = play.row(p.party, row[p.party.key])
    who, at = play.who(p.party, party), play.party(p.party, party)
    mine = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    detail = play.find(s, (mine.at,), name=event["name"])
    same = play.find(s, (detail.at, mine.at), category=event["category"])
    because = [same.at, mine.at]
    for other in later[: later.index(target) + 1]:
        because = [play.find(p.record, because, **{s.key: other["id"]}).at]
    move = p.names["move"]
    answer = f"{number(p, row)} is now for {target['name']} on {play.day(target['starts_on'])}."
    far = [e for e in later if e["id"] != target["id"] and _left(play, p, e) >= row["places"]]
    if far:
        play.tempt("second_best", [(move, {p.record.key: row["id"], s.key: far[-1]["id"]})], answer)
    anything = [
        e
        for e in _coming(play, p)
        if _left(play, p, e) >= row["places"] and e["id"] not in (target["id"], event["id"])
    ]
    other_kind = sorted(
        (e for e in anything if e["category"] != event["category"]), key=lambda e: e["starts_on"]
    )
    if other_kind:
        play.tempt(
            "forgets_condition", [(move, {p.record.key: row["id"], s.key: other_kind[0]["id"]})], answer
        )
    if later[0]["id"] != target["id"]:
        play.tempt("first_row", [(move, {p.record.key: row["id"], s.key: later[0]["id"]})], answer)
    play.call(move, because, **{p.record.key: row["id"], s.key: target["id"]})
    text = play.say("next_with_room", p, who=who, name=event["name"], category=event["category"])
    return TaskDraft(
        "mixed",
        f"{p.acts['move']} {p.noun}",
        text,
        answer,
        [fact(f"new date of the {s.noun}", "date", target["starts_on"])],
    )


def clear_event(play: TaskBuilder, p: Process) -> TaskDraft:  # noqa: C901, PLR0915 - one goal from end to end
    """An event is called off: everybody is moved to the next of its category with room, or withdrawn."""
    b, s = play.business, p.subject
    choices = []
    for event in _coming(play, p):
        booked = play.rows(p.record, **{s.key: event["id"], "status": p.states[1]})
        later = [e for e in _coming(play, p) if e["category"] == event["category"] and e["id"] != event["id"]]
        elsewhere = {e["id"] for e in later}
        people = {row[p.party.key] for row in booked}
        clash = any(o[s.key] in elsewhere for o in play.rows(p.record) if o[p.party.key] in people)
        if 2 <= len(booked) <= 5 and later and not clash:
            choices.append((event, booked, sorted(later, key=lambda e: (e["starts_on"], e["name"]))))
    event, booked, later = play.pick(choices)
    booked = sorted(booked, key=lambda r: (r["registered_on"], r["id"]))
    if len({r["registered_on"] for r in booked}) < len(booked):
        raise Abandoned("two on one day")
    room = {e["id"]: _left(play, p, e) for e in later}
    moves: list[tuple[Row, Row | None]] = []
    for row in booked:
        target = next((e for e in later if room[e["id"]] >= row["places"]), None)
        if target is not None:
            room[target["id"]] -= row["places"]
        moves.append((row, target))
    moved = [row for row, target in moves if target is not None]
    if not moved:
        raise Abandoned("nobody can be moved")
    matches = play.find(s, name=event["name"])
    listed = play.find(p.record, (matches.at,), **{s.key: event["id"], "status": p.states[1]})
    others = play.find(s, (matches.at,), category=event["category"])
    lookups = [play.find(p.record, (others.at,), **{s.key: other["id"]}).at for other in later]
    because = [listed.at, *lookups]
    reason = play.pick(b.reasons)
    off = (b.tool[f"call off {s.name}"], {s.key: event["id"], "reason": reason})
    answer = f"{len(moved)} moved, {len(moves) - len(moved)} withdrawn."

    def act(row: Row, target: Row | None) -> tuple[str, dict[str, Any]]:
        if target is None:
            return p.names["withdraw"], {p.record.key: row["id"]}
        return p.names["move"], {p.record.key: row["id"], s.key: target["id"]}

    play.tempt("stops_early", [off], answer)
    play.tempt("first_row", [off, act(*moves[0])], answer)
    play.call(off[0], (listed.at,), **off[1])
    for row, target in moves:
        name, arguments = act(row, target)
        play.call(name, (*because, play.last), **arguments)
        if p.party is b.party:
            play.call(
                b.tool["notify"],
                (play.last,),
                **{b.party.key: row[p.party.key], "reference": number(p, row), "kind": "change"},
            )
    text = play.say(
        "clear_event",
        p,
        name=event["name"],
        why=reason,
        state=p.states[1],
        telling=play.say("clear_event", p, rule="notice") if p.party is b.party else "",
    )
    return TaskDraft(
        "mixed",
        f"call off {s.noun}",
        text,
        answer,
        [fact(f"number of {p.record.many} moved", "number", len(moved))],
    )


def places_left(play: TaskBuilder, p: Process) -> TaskDraft:
    """How many places the next event of a category has left."""
    s = p.subject
    categories = sorted({e["category"] for e in _coming(play, p)})
    category = play.pick(categories)
    events = sorted((e for e in _coming(play, p) if e["category"] == category), key=lambda e: e["starts_on"])
    if len(events) < 2 or events[0]["starts_on"] == events[1]["starts_on"]:
        raise Abandoned("no next one")
    event = events[0]
    matches = play.find(s, category=category, status="scheduled")
    play.find(p.record, (matches.at,), **{s.key: event["id"]})
    left = _left(play, p, event)
    words = category.replace("_", " ")
    text = play.say("places_left", p, category=category)
    return TaskDraft(
        "read",
        f"places left in next {s.noun}",
        text,
        f"It is {event['name']}, with {left} places left.",
        [
            fact(f"next {words} {s.noun}", "name", event["name"]),
            fact("number of places left", "number", left),
        ],
    )


def refuse_places(play: TaskBuilder, p: Process) -> TaskDraft:
    """More places than one registration may cover."""
    b, s = play.business, p.subject
    most = b.value(f"{p.record.name}.places")
    events = [e for e in _coming(play, p) if e["capacity"] > most]
    event = play.pick(events)
    parties = [
        q
        for q in play.rows(p.party, standing="good")
        if not play.rows(p.record, **{p.party.key: q["id"], s.key: event["id"]})
    ]
    party = play.pick(parties)
    places = most + 1
    allowed = f"one {p.noun} covers {'one place' if most == 1 else f'{most} places'} at most"
    who, at = play.who(p.party, party), play.party(p.party, party)
    play.find(s, (at,), name=event["name"])
    play.tempt(
        "ignores_policy",
        [(p.names["create"], {p.party.key: party["id"], s.key: event["id"], "places": places})],
        f"{who} has {places} places in {event['name']}.",
    )
    text = play.say("refuse_places", p, who=who, name=event["name"], places=places)
    return TaskDraft(
        "refuse",
        f"refuse {p.noun} of too many places",
        text,
        f"I had to decline, and the {p.noun} was not entered: {allowed}.",
        [fact(f"the {p.noun} was entered", "boolean", False)],
        [Blocking(kind="limit", text=allowed, value=most, type="number")],
        by_policy=True,
    )
