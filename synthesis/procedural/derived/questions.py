"""Questions: what a request asks to be told, the calls that find out, the facts of the right answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from synthesis.documents.tasks import AnswerFact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import spoken_day
from synthesis.procedural.derived.mention import mention
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.procedural.derived.source.reports import count_key, sum_key
from synthesis.procedural.derived.source.text import label_alias
from synthesis.procedural.derived.spoken import Row, fact_of, fact_text, marked, spoken

_NEVER_ASKED = frozenset({"json", "blob", "secret", "epoch", "uuid", "flag", "time", "text", "url"})


@dataclass
class DerivedQuestion:
    """One thing to be told."""

    text: str
    """An indirect question: "what the freight of the order is"."""
    answer: str
    facts: tuple[AnswerFact, ...]


def ask(play: Play, *, attempts: int = 12) -> DerivedQuestion:
    """Some question that has a definite answer.

    Raises:
        Abandoned: None was found.
    """
    kinds: list[Callable[[Play], DerivedQuestion]] = [
        _detail,
        _detail,
        _detail,
        _count,
        _count,
        _top,
        _sum,
        _period,
    ]
    for _ in range(attempts):
        mark = play.mark()
        try:
            return play.pick(kinds)(play)
        except Abandoned:
            play.back_to(mark)
    raise Abandoned("no question has a definite answer")


def _rows(play: Play, relation: Relation) -> list[Row]:
    return [row for row in play.rows(relation) if play.spot(relation, row) not in play.changed]


def _detail(play: Play) -> DerivedQuestion:
    """One value of one row."""
    operation = play.pick([op for op in play.plan.operations if op.kind == "get"])
    relation = operation.relation
    row = play.pick(_rows(play, relation))
    fitting = [
        f
        for f in relation.fields
        if f.kind not in _NEVER_ASKED
        and f.column not in relation.label
        and row.get(f.column) is not None
        and not (f.key and (relation.generated_key or f.kind == "ref"))
        and not f.stamped
    ]
    field = play.pick(fitting)
    phrase = mention(play, relation, row)
    shown = play.call(operation, **play.named(relation, row))
    fact = fact_about(play, relation, field, shown)
    if (
        str(fact_text(fact)).casefold() in phrase.casefold()
        or spoken(field, row[field.column], play.clock) in phrase
    ):
        raise Abandoned("the request gives it away")
    asked = field.words
    if field.kind == "moment" and not field.at_midnight:
        asked = f"{asked.removesuffix(' time')} date" if asked.endswith(" time") else f"day of the {asked}"
    text = f"what the {asked} of {phrase} is"
    return DerivedQuestion(text, f"The {fact.name} is {fact_text(fact)}", (fact,))


def fact_about(play: Play, relation: Relation, field: Field, shown: dict[str, Any]) -> AnswerFact:
    """A fact about one value of a row, as a tool shows it.

    Raises:
        Abandoned: An answer could not be held to it.
    """
    name = f"{field.words} of the {relation.noun}"
    if field.kind == "ref":
        alias = label_alias(play.plan.model, relation, field)
        value = shown.get(alias) if alias else None
        if not isinstance(value, str):
            raise Abandoned("it has no name")
        return AnswerFact(name=name[:120], type="name", value=value)
    fact = fact_of(name, field, shown[field.name])
    if fact is None:
        raise Abandoned("nothing to be held to")
    return fact


def _narrowed(play: Play) -> tuple[Operation, Relation, list[Field], Row]:
    operation = play.pick([op for op in play.plan.operations if op.kind == "list" and op.params])
    relation = operation.relation
    row = play.pick(play.rows(relation))
    fields = [
        f
        for f in operation.params
        if f.kind in ("ref", "state", "choice", "flag") and row.get(f.column) is not None
    ]
    chosen = play.rng.sample(fields, min(len(fields), play.pick((1, 1, 2))))
    if not chosen:
        raise Abandoned("nothing to narrow by")
    return operation, relation, chosen, row


def _count(play: Play) -> DerivedQuestion:
    """How many rows have something in common."""
    operation, relation, fields, row = _narrowed(play)
    arguments: dict[str, Any] = {}
    messages = []
    for field in sorted(fields, key=lambda f: f.kind != "ref"):
        value = row[field.column]
        arguments[field.name] = bool(value) if field.kind == "flag" else value
        messages.append(_condition(play, field, row))
    result = play.call(operation, **arguments)
    name = f"number of {relation.many}"
    text = f"how many {relation.many} there are {' and '.join(messages)}"
    fact = AnswerFact(name=f"{name} {' and '.join(messages)}"[:120], type="number", value=result["total"])
    return DerivedQuestion(text, f"The {name} is {result['total']}", (fact,))


def _condition(play: Play, field: Field, row: Row) -> str:
    if field.kind == "ref":
        target = play.plan.model.target(field)
        parents = [p for p in play.rows(target) if p[field.target_column] == row[field.column]]
        phrase = mention(play, target, play.pick(parents))
        same = field.words == target.noun
        return f"for {phrase}" if same else f"that have {phrase} as {field.words}"
    if field.binary:
        return marked(field, row[field.column])
    return f"with {field.words} {spoken(field, row[field.column], play.clock)}"


def _line(play: Play) -> tuple[Operation, list[dict[str, Any]], str, Field]:
    """The lines of a report, and the key under which they say what they are about."""
    operation = play.pick([op for op in play.plan.operations if op.kind == "count_by"])
    relation = operation.relation
    field = relation.field(operation.column)
    result = play.call(operation)
    shown = label_alias(play.plan.model, relation, field) if field.kind == "ref" else field.name
    if result["total"] > len(result["items"]) or len(result["items"]) < 2:
        raise Abandoned("the report is too short or too long")
    return operation, result["items"], shown, field


def _about(play: Play, field: Field) -> str:
    return play.plan.model.target(field).noun if field.kind == "ref" else field.words


def _by(play: Play, field: Field, many: str) -> str:
    """What a report's lines are about, with the role where it is not the thing's own name."""
    noun = _about(play, field)
    return (
        f"{noun} has the most {many}"
        if field.words == noun
        else f"{noun}, as {field.words}, has the most {many}"
    )


def _top(play: Play) -> DerivedQuestion:
    """Which row or state most others belong to."""
    operation, items, shown, field = _line(play)
    relation = operation.relation
    key = count_key(relation)
    first, second = items[0], items[1]
    labels = [item[shown] for item in items]
    if first[key] == second[key] or labels.count(first[shown]) > 1 or not isinstance(first[shown], str):
        raise Abandoned("nothing is at the top alone")
    noun = _about(play, field)
    who = str(first[shown]) if field.kind == "ref" else spoken(field, first[shown], play.clock)
    facts = (
        AnswerFact.model_validate(
            {
                "name": f"{noun} with the most {relation.many}"[:120],
                "type": "name" if field.kind == "ref" else "text",
                "value": who,
            }
        ),
        AnswerFact(name=f"their number of {relation.many}"[:120], type="number", value=first[key]),
    )
    text = f"which {_by(play, field, relation.many)} and how many that is"
    return DerivedQuestion(text, f"{who} has the most {relation.many}: {first[key]}", facts)


def _sum(play: Play) -> DerivedQuestion:
    """What the rows of one group come to."""
    operation, items, shown, field = _line(play)
    if operation.amount is None:
        raise Abandoned("nothing is added up")
    item = play.pick(items)
    labels = [other[shown] for other in items]
    if labels.count(item[shown]) > 1 or not isinstance(item[shown], str) or not item[sum_key(operation)]:
        raise Abandoned("it has no name of its own")
    amount, relation = operation.amount, operation.relation
    who = item[shown] if field.kind == "ref" else spoken(field, item[shown], play.clock)
    noun = _about(play, field)
    role = "" if field.words == noun else f" as {field.words}"
    name = f"{amount.words} of all {relation.many} with {noun} {who}{role}"
    fact = fact_of(name, amount, item[sum_key(operation)])
    if fact is None:
        raise Abandoned("nothing to be held to")
    text = f"what the {amount.words} of all {relation.many} with {noun} {who}{role} comes to together"
    return DerivedQuestion(
        text, f"The {amount.words} of these {relation.many} comes to {fact_text(fact)}", (fact,)
    )


def _period(play: Play) -> DerivedQuestion:
    """How many rows a period has, and what they come to."""
    operation = play.pick([op for op in play.plan.operations if op.kind == "sum_up"])
    relation, day = operation.relation, operation.day
    assert day is not None
    days = sorted(str(row[day.column])[:10] for row in play.rows(relation) if row[day.column])
    if len(days) < 4:
        raise Abandoned("too few days")
    first = date.fromisoformat(play.pick(days)) - timedelta(days=play.rng.randint(1, 5))
    last = first + timedelta(days=play.pick((13, 20, 27)))
    result = play.call(operation, from_day=first.isoformat(), to_day=last.isoformat())
    count = result[count_key(relation)]
    if not count:
        raise Abandoned("the period is empty")
    begin, end = spoken_day(first.isoformat(), play.clock), spoken_day(last.isoformat(), play.clock)
    when = f"whose {day.words} lies in the period from {begin} to {end}"
    facts = [AnswerFact(name=f"number of {relation.many} in the period"[:120], type="number", value=count)]
    text, answer = f"how many {relation.many} there are {when}", f"There are {count} such {relation.many}"
    if operation.amount is not None:
        fact = fact_of(
            f"{operation.amount.words} of these {relation.many}", operation.amount, result[sum_key(operation)]
        )
        if fact is not None:
            facts.append(fact)
            text += f" and what their {operation.amount.words} comes to together"
            answer += f", and their {operation.amount.words} comes to {fact_text(fact)}"
    return DerivedQuestion(text, answer, tuple(facts))
