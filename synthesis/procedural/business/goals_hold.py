"""Goals about units held for a period: choosing, extending, ending late, losing, calling off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.entry_rules import entry_limits
from synthesis.procedural.business.exempt import is_exempt
from synthesis.procedural.business.measures import measured_by
from synthesis.procedural.business.model import Business, BusinessTable, Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import sentence, snake
from synthesis.procedural.sentence.inflection import participle


def number(process: Process, row: Row) -> str:
    """The number of a record."""
    return number_of(process.record, row)


def is_taken(b: Business, process: Process, records: Sequence[Row], start: str, end: str) -> bool:
    """Whether a unit is held by one of its records at some time of a period; of what is overdue nobody knows
    when it will be free."""
    return any(
        row["status"] in process.open_states
        and row["starts_on"] <= end
        and (row["ends_on"] >= start or row["ends_on"] < b.day(0))
        for row in records
    )


def is_in_use(b: Business, process: Process, records: Sequence[Row], wanted: Row) -> bool:
    """Whether a unit is held by one of its records in the days or hours of a record that is wanted."""
    if process.shape != "slot":
        return is_taken(b, process, records, wanted["starts_on"], wanted["ends_on"])
    return any(
        row["status"] in process.open_states
        and row["starts_on"] == wanted["starts_on"]
        and row["from_hour"] < wanted["from_hour"] + wanted["hours"]
        and wanted["from_hour"] < row["from_hour"] + row["hours"]
        for row in records
    )


def start_of(play: TaskBuilder, process: Process, row: Row) -> str:
    """When a record begins, as people write it."""
    day = play.day(row["starts_on"])
    return f"{day} at {row['from_hour']}:00" if process.shape == "slot" else day


def pays_nothing(play: TaskBuilder, p: Process, row: Row) -> bool:
    """Whether whoever has a record is charged nothing for it by the sentence."""
    return is_exempt(play.business, p, play.row(p.party, row[p.party.key]), "cancellation")


def require_one(play: TaskBuilder, p: Process, record: Row, state: str) -> None:
    """See to it that whoever has a record and what it is of tell it from all others in a state.

    Raises:
        Abandoned: They have another one of the same.
    """
    meant = {key: record[key] for key in (p.party.key, p.subject.key)}
    if len(play.rows(p.record, status=state, **meant)) > 1:
        raise Abandoned("not one record")


def of_unit(play: TaskBuilder, p: Process, unit: Row) -> list[Row]:
    """All records of a unit."""
    return play.rows(p.record, **{p.subject.key: unit["id"]})


def beside(play: TaskBuilder, p: Process, record: Row) -> list[Row]:
    """Other records of the unit of a record, or of what is brought along."""
    held = (p.subject, *([p.item] if p.item is not None else []))
    return [
        row
        for row in play.rows(p.record)
        if row["id"] != record["id"] and any(row[table.key] == record[table.key] for table in held)
    ]


def free_items(play: TaskBuilder, p: Process, party: Row, start: str, end: str) -> list[Row]:
    """What somebody may bring in a period, since it is nowhere else then."""
    assert p.item is not None
    own = play.rows(p.item, **{p.party.key: party["id"]})
    return [
        item
        for item in own
        if not is_taken(play.business, p, play.rows(p.record, **{p.item.key: item["id"]}), start, end)
    ]


def allowed_items(play: TaskBuilder, p: Process, party: Row, start: str, end: str) -> list[Row]:
    """What somebody may bring in a period by what the sentence requires of it."""
    items = free_items(play, p, party, start, end)
    days = {"starts_on": start, "ends_on": end}
    return [item for item in items if play.may_enter(p, party, {**days, "thing": item})]


def fitting_days(b: Business, p: Process, start: int, length: int) -> tuple[str, str]:
    """First and last day of a record, moved as far as the sentence's limits want it."""
    limits = entry_limits(b, p)
    if "ahead" in limits:
        start += limits["ahead"].days
    if "longest" in limits:
        length = min(length, limits["longest"].days)
    if "shortest" in limits:
        length = max(length, limits["shortest"].days)
    return b.day(start), b.day(start + length)


def parties_with_room(play: TaskBuilder, p: Process) -> list[Row]:
    """Who is in good standing and has fewer records than anybody may have at one time."""
    most = play.business.value(f"{p.record.name}.most")
    opened = [row[p.party.key] for row in play.rows(p.record) if row["status"] in p.open_states]
    return [party for party in play.rows(p.party, standing="good") if opened.count(party["id"]) < most]


def _wanted(
    play: TaskBuilder, units_of: BusinessTable, units: list[Row]
) -> tuple[Callable[[Row], bool], str]:
    """What somebody asks of a unit, a test and its words: how large it is, or of which category."""
    if measure := measured_by(units_of):
        least = play.pick(sorted({u[measure] for u in units})[1:6])
        long = measure == "length_m"
        words = play.say("fit_length_m", least=least) if long else play.say("fit_capacity", least=least)
        return lambda u: u[measure] >= least, _within(words)
    category = play.pick(sorted({u["category"] for u in units}))
    wanted = _within(play.say("fit_category", category=category))
    return lambda u: u["category"] == category, wanted


def _within(words: str) -> str:
    """Words that stand within a sentence."""
    return words[:1].lower() + words[1:]


def choose(play: TaskBuilder, p: Process) -> TaskDraft:
    """Enter a record of the cheapest unit that is large enough, or of the right category, and free."""
    b, s = play.business, p.subject
    parties = parties_with_room(play, p)
    start_in, length = play.rng.randint(3, 16), play.rng.randint(3, 9)
    if p.monthly:
        start_in, length = 5 * start_in, 30 * length
    start, end = fitting_days(b, p, start_in, length)
    parties = [q for q in parties if play.may_enter(p, q, {"starts_on": start, "ends_on": end})]
    party = play.pick([q for q in parties if p.item is None or allowed_items(play, p, q, start, end)])
    units = [u for u in play.rows(s) if u["active"]]
    free = [u for u in units if not is_taken(b, p, of_unit(play, p, u), start, end)]
    fits, wanted = _wanted(play, s, units)
    ranked = sorted(filter(fits, units), key=lambda u: (u[p.rank], u["name"]))
    fitting = [u for u in ranked if u in free]
    cheaper = [u for u in free if not fits(u) and fitting and u[p.rank] < fitting[0][p.rank]]
    if len(fitting) < 2 or (fitting[0] is ranked[0] and not cheaper):
        raise Abandoned("nothing to decide")
    best = fitting[0]
    who, at = play.who(p.party, party), play.party(p.party, party)
    arguments = {p.party.key: party["id"], "starts_on": start, "ends_on": end}
    item_text = ""
    if p.item is not None:
        item = play.pick(allowed_items(play, p, party, start, end))
        play.find(p.item, **{p.party.key: party["id"]})
        arguments[p.item.key] = item["id"]
        item_text = f" for the {p.item.noun} {item['name']}"
    because = [play.find(s).at, at]
    for unit in ranked[: ranked.index(best) + 1]:
        because = [play.find(p.record, because, **{s.key: unit["id"]}).at]
    create = p.names["create"]
    done = f"{best['name']} is entered for {who} from {play.day(start)} to {play.day(end)}"

    def wrong(unit: Row) -> tuple[str, dict[str, Any]]:
        return create, {**arguments, s.key: unit["id"]}

    listed = sorted(free, key=lambda u: u["name"])
    if listed[0] is not best:
        play.tempt("first_row", [wrong(listed[0])], f"{sentence(done)}.")
    play.tempt("second_best", [wrong(fitting[1])], f"{sentence(done)}.")
    if cheaper:
        play.tempt(
            "forgets_condition",
            [wrong(min(cheaper, key=lambda u: (u[p.rank], u["name"])))],
            f"{sentence(done)}.",
        )
    play.call(create, because, **{**arguments, s.key: best["id"]})
    text = play.say(
        "choose_free" if p.free else "choose",
        p,
        who=who,
        fit=wanted,
        start=play.day(start),
        end=play.day(end),
        item=item_text,
    )
    facts = [fact(f"{s.noun} chosen", "name", best["name"])]
    return TaskDraft(
        "mixed",
        f"choose {s.noun} for {p.noun}",
        text,
        f"{sentence(done)}{_cost(play, p, best)}.",
        facts,
    )


def _cost(play: TaskBuilder, p: Process, unit: Row) -> str:
    """What a unit costs, after a semicolon; "" of what is free."""
    return "" if p.free else f"; it costs {play.business.money(unit[p.price])} per {p.period}"


def extend_each(play: TaskBuilder, p: Process) -> TaskDraft:  # noqa: C901 - one goal from end to end
    """Extend whatever may still be extended of what somebody has."""
    b, states = play.business, p.states
    most = b.value(f"{p.record.name}.renew")
    days = play.rng.choice((2, 3))
    days = 30 if p.monthly else days

    def allowed(row: Row) -> bool:
        return bool(row["extensions"] < most and row["ends_on"] >= b.day(0))

    def end(row: Row) -> str:
        return b.day(play.days_until(row["ends_on"]) + days)

    def possible(row: Row) -> bool:
        others = beside(play, p, row)
        after = b.day(play.days_until(row["ends_on"]) + 1)
        return not is_taken(b, p, others, after, end(row))

    choices = []
    for party in play.rows(p.party):
        mine = play.rows(p.record, **{p.party.key: party["id"], "status": states[1]})
        right = [row for row in mine if allowed(row)]
        # what the rule alone forbids; where another record is in the way, the tool refuses it anyway
        forbidden = [row for row in mine if not allowed(row) and possible(row)]
        if right and forbidden and all(possible(row) for row in right):
            choices.append((party, mine, right))
    party, mine, right = play.pick(choices)
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": states[1]})
    looked = [matches.at]
    for row in matches:
        play.get(p.record, row)
        looked.append(play.last)
    tool = p.names["extend"]

    def call(row: Row) -> tuple[str, dict[str, Any]]:
        return tool, {p.record.key: row["id"], "ends_on": end(row)}

    answer = (
        f"{', '.join(number(p, r) for r in right)} {'is' if len(right) == 1 else 'are'} extended by {days}"
        " days."
    )
    play.tempt("ignores_policy", [call(row) for row in matches], answer)
    if len(right) > 1:
        play.tempt("stops_early", [call(right[0])], answer)
    elif matches[0]["id"] != right[0]["id"]:
        play.tempt("first_row", [call(matches[0])], answer)
    for row in matches:
        if row["id"] in {each["id"] for each in right}:
            play.call(tool, looked, **call(row)[1])
    verb = p.acts["extend"]
    count = len(right)
    text = play.say("extend_each", p, who=who, days=days, state=states[1])
    return TaskDraft(
        "mixed",
        f"{verb} {p.record.many} that qualify",
        text,
        f"{answer} That is {count} in all.",
        [fact(f"number of {p.record.many} extended", "number", count)],
        by_policy=True,
    )


def late_return(play: TaskBuilder, p: Process) -> TaskDraft:
    """End something that is overdue and raise what that costs by the rule."""
    b, s = play.business, p.subject
    if not b.bills(p):
        raise Abandoned("nobody is billed")
    running = [r for r in play.rows(p.record, status=p.states[1]) if not pays_nothing(play, p, r)]
    overdue = [r for r in running if r["ends_on"] < b.day(0)]
    row = play.pick(overdue)
    party, unit = play.row(p.party, row[p.party.key]), play.row(s, row[s.key])
    require_one(play, p, row, p.states[1])
    terms = b.rules[f"{p.record.name}.late"].values
    late = -play.days_until(row["ends_on"])
    amount = b.late_cents(p, row, late)
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    finish, raised = p.names["finish"], b.tool["raise"]
    end = (finish, {p.record.key: row["id"]})

    def charge(cents: int) -> tuple[str, dict[str, Any]]:
        return raised, {
            b.party.key: party["id"],
            "reference": number(p, row),
            "kind": snake(p.late),
            "amount_cents": cents,
        }

    answer = (
        f"{unit['name']} is {participle(p.acts['finish'])}; the {p.late} {b.charge.noun} for {late} days"
        f" is {b.money(amount)}."
    )
    play.tempt("stops_early", [end], answer)
    plain = late * p.day_cents(row)
    play.tempt(
        "ignores_policy" if plain != amount else "rounds_wrong",
        [end, charge(plain if plain != amount else amount + p.day_cents(row))],
        answer,
    )
    if min(late + 1, terms["cap"]) != min(late, terms["cap"]):
        over = b.late_cents(p, row, late + 1)
        play.tempt("rounds_wrong", [end, charge(over)], answer)
    if len(matches) > 1 and matches[0]["id"] != row["id"]:
        play.tempt("first_row", [(finish, {p.record.key: matches[0]["id"]}), charge(amount)], answer)
    play.call(finish, (matches.at,), **end[1])
    play.call(raised, (matches.at, play.last), **charge(amount)[1])
    claim = play.rng.random() < 0.4 and late > 1
    stays = not p.is_losable  # nobody brings a room back
    believed = f" {play.say('late_return', p, rule='premise')}" if claim else ""
    if claim:
        low = b.late_cents(p, row, 1)
        play.temptations.append(
            play.temptations[0].replace(
                weakness="trusts_user", answer=answer.replace(b.money(amount), b.money(low))
            )
        )
    about = {"who": who, "name": unit["name"], "premise": believed}
    text = play.say("late_stay", p, **about) if stays else play.say("late_return", p, **about)
    return TaskDraft(
        "mixed",
        f"{p.acts['finish']} late {p.noun}",
        text,
        answer,
        [fact(f"{b.charge.noun} for the delay", "money_cents", amount)],
        by_policy=True,
    )
