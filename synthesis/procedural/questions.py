"""Questions: what a request asks to be told, the calls that find out, the facts of the right answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from synthesis.documents.tasks import AnswerFact
from synthesis.procedural.action import Report
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.references import label_of, owned, reveal, value_phrase
from synthesis.procedural.tool_source.browse import ref_label
from synthesis.procedural.walk import Abandoned, Row, Walk
from synthesis.procedural.wording import money, plural, spoken_day, words, written_day

FACT_TYPES = {"money": "money_cents", "day": "date", "count": "number", "choice": "text", "ref": "name"}
"""Fact type by column kind; all other kinds are text."""


@dataclass
class Question:
    """One thing to be told."""

    text: str
    """An indirect question: "how much their open invoices come to"."""
    answer: str
    facts: tuple[AnswerFact, ...]


def ask(walk: Walk, *, tries: int = 10) -> Question:
    """Some question that has a definite answer.

    Raises:
        Abandoned: None was found.
    """
    kinds: list[Callable[[Walk], Question]] = [_detail, _detail, _count, _sum, _oldest, _holder]
    if walk.party is None:
        kinds = [_detail, _holder, _report, _report, _detail]
    for _ in range(tries):
        mark, named = walk.mark(), walk.named
        try:
            return walk.pick(kinds)(walk)
        except Abandoned:
            walk.back_to(mark)
            walk.named = named
    raise Abandoned("no question has a definite answer")


def fact(name: str, column: Column | None, value: Any, *, type: str = "") -> AnswerFact:
    """A fact about a column's value, under a name for people."""
    kind = type or FACT_TYPES.get(column.kind if column else "count", "text")
    shown = words(value) if kind == "text" and column is not None and column.kind == "choice" else value
    return AnswerFact.model_validate({"name": name, "type": kind, "value": shown})


def said(column: Column, value: Any) -> str:
    """A value as an answer writes it: days in full."""
    if column.kind == "day":
        return written_day(str(value))
    return (
        money(int(value))
        if column.kind == "money"
        else words(str(value))
        if column.kind == "choice"
        else str(value)
    )


def _own(walk: Walk) -> list[Entity]:
    """Entities whose rows belong to the request's party and are listed by it."""
    party = walk.made.entity("party")
    return [
        entity
        for entity in walk.made.browsable
        if any(ref.entity == party.key and ref.spec.filter and ref.key == "party" for ref in entity.refs)
    ]


def _own_rows(walk: Walk, entity: Entity) -> tuple[Column, list[Row]]:
    own = entity.column("party")
    return own, walk.rows(entity, **{own.name: walk.party})


def _whose(walk: Walk) -> str:
    party = walk.made.entity("party")
    assert walk.party is not None
    return reveal(walk, party, walk.party)


def _subjects(walk: Walk) -> list[Entity]:
    if walk.party is not None:
        return [*_own(walk), walk.made.entity("party")]
    families = ("document", "item", "resource")
    return [e for e in walk.made.browsable if e.spec.family in families]


def _detail(walk: Walk) -> Question:
    """One value of one row: "what the due day of invoice INV-1042 is"."""
    made = walk.made
    entity = walk.pick([e for e in _subjects(walk) if e.key in made.shown])
    is_party = entity.spec.family == "party"
    rows = walk.rows(entity, id=walk.party) if is_party else walk.rows(entity)
    if walk.party is not None and not is_party:
        _, rows = _own_rows(walk, entity)
    if not rows:
        raise Abandoned("no row to ask about")
    row = walk.pick(rows)
    column = walk.pick([c for c in entity.columns if _worth_asking(walk, entity, c, row)])
    phrase = reveal(walk, entity, row["id"])
    shown = walk.call(made.getting_tool(entity), **{entity.id: row["id"]})
    value = shown[ref_label(made, column)] if column.kind == "ref" else shown[column.name]
    told = value_phrase(walk, column, value) if column.kind != "ref" else value
    if str(told) in phrase:
        raise Abandoned("the request gives it away")
    subject = owned(phrase, column.words) if is_party else f"the {column.words} of {phrase}"
    name = f"{column.words} of the {entity.noun}"
    answer = f"The {name} is {said(column, value)}"
    return Question(subject, answer, (fact(name, column, value),))


def _worth_asking(walk: Walk, entity: Entity, column: Column, row: Row) -> bool:
    if row[column.name] is None or (entity.has("first_name") and column.kind in ("first_name", "last_name")):
        return False
    if column.kind == "ref":
        target = walk.made.target(column)
        known = bool(column.spec.about) or not column.spec.to
        return known and bool(target.label) and target.spec.family in ("lookup", "staff", "resource", "place")
    asked = {"money", "day", "choice", "phone", "email", "city"}
    return column.kind in asked or (column.kind == "count" and bool(column.spec.about))


def _count(walk: Walk) -> Question:
    """How many rows in one state belong to the party."""
    entity = walk.pick([e for e in _own(walk) if e.states])
    own, rows = _own_rows(walk, entity)
    if not rows:
        raise Abandoned("there is nothing to count")
    state = walk.pick(rows)["status"]
    whose = _whose(walk)
    found = walk.call(walk.made.listing_tool(entity), **{own.name: walk.party, "status": state})
    name = f"number of {words(state)} {plural(entity.noun)}"
    text = f"how many of {owned(whose, plural(entity.noun))} are {words(state)}"
    return Question(text, f"The {name} is {found['total']}", (fact(name, None, found["total"]),))


def _sum(walk: Walk) -> Question:
    """What the party's rows in one state come to."""
    fitting = [
        (e, c) for e in _own(walk) for c in e.columns if e.states and c.kind == "money" and c.spec.shown
    ]
    if not fitting:
        raise Abandoned("nothing has an amount")
    entity, column = walk.pick(fitting)
    own, rows = _own_rows(walk, entity)
    states = [row["status"] for row in rows]
    several = sorted({state for state in states if states.count(state) > 1})
    if not several:
        raise Abandoned("there is nothing to sum up")
    state = walk.pick(several)
    whose = _whose(walk)
    found = walk.call(walk.made.listing_tool(entity), **{own.name: walk.party, "status": state})
    total = sum(item[column.name] for item in found["items"])
    if not total:
        raise Abandoned("the sum is nothing")
    name = f"{column.words} of all {words(state)} {plural(entity.noun)}"
    things = owned(whose, f"{words(state)} {plural(entity.noun)}")
    text = f"the {column.words} of {things} in total"
    return Question(text, f"The {name} is {money(total)}", (fact(name, column, total),))


def _oldest(walk: Walk) -> Question:
    """The first or last of the party's rows by day, and its number or name."""
    fitting = [e for e in _own(walk) if e.spec.order and e.column(e.spec.order).kind == "day" and e.numbered]
    if not fitting:
        raise Abandoned("nothing has a day")
    entity = walk.pick(fitting)
    own, rows = _own_rows(walk, entity)
    column = entity.column(entity.spec.order)
    days = sorted(row[column.name] for row in rows)
    last = walk.rng.random() < 0.5
    if len(days) < 2 or days.count(days[-1 if last else 0]) > 1:
        raise Abandoned("no row is the first or last")
    whose = _whose(walk)
    found = walk.call(walk.made.listing_tool(entity), **{own.name: walk.party})
    item = found["items"][-1 if last else 0]
    which = "latest" if last else "earliest"
    text = f"the number of {owned(whose, entity.noun)} with the {which} {column.words} and that date"
    facts = (
        fact(f"number of the {entity.noun}", None, item["number"], type="text"),
        fact(column.words, column, item[column.name]),
    )
    return Question(text, f"The {entity.noun} is {item['number']}, {written_day(item[column.name])}", facts)


def _holder(walk: Walk) -> Question:
    """Something about the party behind a numbered document: two steps."""
    made, party = walk.made, walk.made.entity("party")
    if walk.party is not None and not walk.changed:
        raise Abandoned("whoever asks would be a second name in an answer that is a name")
    fitting = [e for e in made.browsable if e.numbered and e.has("party") and e.has("status")]
    if not fitting or party.key not in made.shown:
        raise Abandoned("no document leads to a party")
    entity = walk.pick(fitting)
    row = walk.pick(walk.rows(entity))
    holder = row[entity.column("party").name]
    if holder == walk.party:
        raise Abandoned("it is the party itself")
    number = row["number"]
    walk.call(made.listing_tool(entity), number=number)
    shown = walk.call(made.getting_tool(party), **{party.id: holder})
    column = walk.pick([c for c in party.columns if c.kind in ("phone", "email", "city")])
    name = label_of(party, walk.row(party, holder))
    text = f"which {party.noun} {entity.noun} {number} belongs to and what {_their(party)} {column.words} is"
    facts = (
        fact(f"{party.noun} of {entity.noun} {number}", None, name, type="name"),
        fact(f"{column.words} of that {party.noun}", column, shown[column.name]),
    )
    return Question(
        text, f"{entity.noun} {number} belongs to {name}, {column.words} {shown[column.name]}", facts
    )


def _their(party: Entity) -> str:
    return "their" if party.has("first_name") else "its"


def _report(walk: Walk) -> Question:
    """What one of the reports says."""
    report = walk.pick(walk.made.reports)
    writer = {"totals": _totals, "overdue": _amount_of_rows, "shortage": _amount_of_rows, "ranking": _top}
    return writer[report.spec.kind](walk, report)


def _totals(walk: Walk, report: Report) -> Question:
    entity, clock = report.entity, walk.made.clock
    many = plural(entity.noun)
    last = clock.date() - timedelta(days=walk.rng.randint(1, 10))
    first = last - timedelta(days=walk.pick((13, 20, 27)))
    found = walk.call(report.name, from_day=first.isoformat(), to_day=last.isoformat())
    if not found["count"]:
        raise Abandoned("the period is empty")
    day = entity.column(report.spec.day)
    period = f"from {spoken_day(first.isoformat(), clock)} to {spoken_day(last.isoformat(), clock)}"
    when = f"whose {day.words} lies in the period {period}"
    facts = [fact(f"number of {many} in the period", None, found["count"])]
    text, answer = f"how many {many} there are {when}", f"There are {found['count']} such {many}"
    if report.spec.amount:
        amount = entity.column(report.spec.amount)
        facts.append(fact(f"{amount.words} of these {many}", amount, found[amount.name]))
        text += " and what they come to together"
        answer += f", and they come to {money(found[amount.name])}"
    return Question(text, answer, tuple(facts))


def _amount_of_rows(walk: Walk, report: Report) -> Question:
    found = walk.call(report.name)
    many = plural(report.entity.noun)
    if not found["total"] or report.entity.label == "":
        raise Abandoned("the report is empty")
    first = found["items"][0]
    second = found["items"][1] if found["total"] > 1 else {}
    column = report.entity.column(report.spec.day or report.spec.amount)
    if second and second[column.name] == first[column.name]:
        raise Abandoned("no row stands out")
    label = first[report.entity.label_name]
    if report.spec.kind == "overdue":
        text = f"how many {many} are overdue today and which one has been overdue longest"
        name = f"number of overdue {many}"
    else:
        text = f"how many {many} have to be reordered and which of them is scarcest"
        name = f"number of {many} to reorder"
    kind = "text" if report.entity.numbered else "name"
    facts = (fact(name, None, found["total"]), fact(f"first {report.entity.noun}", None, label, type=kind))
    return Question(text, f"The {name} is {found['total']}, above all {label}", facts)


def _top(walk: Walk, report: Report) -> Question:
    entity, made = report.entity, walk.made
    by = entity.column(report.spec.by)
    label = ref_label(made, by)
    found = walk.call(report.name)
    value = (
        entity.column(report.spec.amount).name
        if report.spec.amount
        else next(name for name in found["items"][0] if name.endswith("_count"))
        if found["items"]
        else ""
    )
    if len(found["items"]) < 2 or found["items"][0][value] == found["items"][1][value] or not label:
        raise Abandoned("nothing is at the top alone")
    first = found["items"][0]
    noun, many = made.target(by).noun, plural(entity.noun)
    states = " or ".join(words(state) for state in report.spec.states)
    scope = f"{states} {many}" if states else many
    if report.spec.amount:
        amount = entity.column(report.spec.amount)
        text = f"which {noun} is at the top by the {amount.words} of its {scope}, and with how much"
        facts = (
            fact(f"first {noun}", None, first[label], type="name"),
            fact(amount.words, amount, first[value]),
        )
        return Question(text, f"{first[label]} is first with {money(first[value])}", facts)
    text = f"which {noun} has the most {scope} and how many that is"
    facts = (
        fact(f"first {noun}", None, first[label], type="name"),
        fact(f"number of {many}", None, first[value]),
    )
    return Question(text, f"{first[label]} has the most: {first[value]}", facts)
