"""DependentGoals: changes and questions about rows that only the answers of earlier calls lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from synthesis.documents.tasks import AnswerFact, Temptation, Weakness
from synthesis.documents.tools import ToolCall
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.derived.chains import (
    Chain,
    belonging,
    drawn_chain,
    listed,
    near_misses,
    sortable,
    walk,
)
from synthesis.procedural.derived.goals import (
    DerivedDraw,
    allowed,
    arguments_of,
    changed_values,
    perform,
    word_request,
)
from synthesis.procedural.derived.mention import mention, parent_of
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.questions import fact_about
from synthesis.procedural.derived.relation import Field, Relation, Value
from synthesis.procedural.derived.spoken import Row, fact_text, is_plural, label_of, pronoun, spoken

_CHANGES = ("update", "update", "move", "stamp")
_COMPARED = frozenset({"count", "decimal", "money", "cents", "ratio", "year", "day", "moment"})
_FEWEST_EACH, _MOST_EACH = 2, 6
_PERCENTS = (5, 10, 20, 25, 50)
WALKS = 25

Mistakes = list[tuple[Weakness, list[tuple[DerivedDraw, Row]]]]
"""What agents of known weaknesses do: changes, each with the row that they make it to."""


@dataclass
class DependentGoal:
    """What is asked, what was done, and what the answer must hold."""

    text: str
    """Whole sentences."""
    operations: list[Operation]
    done: str
    facts: tuple[AnswerFact, ...] = ()
    temptations: list[Temptation] = field(default_factory=list)


@dataclass(frozen=True)
class Condition:
    """What must be so for a row: "above 20", for a field."""

    field: Field
    text: str
    holds: Callable[[Row], bool]


def choose(play: Play, hops: int) -> DependentGoal:
    """Change the row to which a chain leads."""
    chain = _changeable(play, hops)
    texts = walk(play, chain)
    drawn = _change(play, chain.relation, chain.end)
    tempted: Mistakes = [(w, [(drawn, row)]) for w, row in near_misses(play, chain)]
    if wrong := _careless(drawn):
        tempted.append(("rounds_wrong", [(wrong, chain.end)]))
    goal = _tempted(play, tempted)
    clause = perform(play, drawn, who=pronoun(chain.relation), because=(chain.at,))
    text = f"{' '.join(texts)} {play.rng.choice(('Then', 'Please'))} {clause.text}."
    return DependentGoal(text, [drawn.operation], clause.done, temptations=goal)


def branch(play: Play, hops: int) -> DependentGoal:
    """Change the row to which a chain leads in one way or another, as it is."""
    chain = _changeable(play, hops)
    texts = walk(play, chain)
    condition = _condition(play, chain.relation, [*play.rows(chain.relation)], chain.end)
    one, other = _change(play, chain.relation, chain.end), _change(play, chain.relation, chain.end)
    if _is_same_change(one, other) or condition.field.column in {**one.values, **other.values}:
        raise Abandoned("both ways are the same")
    right, wrong = (one, other) if condition.holds(chain.end) else (other, one)
    who = pronoun(chain.relation)
    wording = [word_request(play, drawn, who=who) for drawn in (one, other)]
    tempted: Mistakes = [("forgets_condition", [(wrong, chain.end)])]
    tempted += [(w, [(one if condition.holds(row) else other, row)]) for w, row in near_misses(play, chain)]
    temptations = _tempted(play, tempted)
    clause = perform(play, right, who=who, because=(chain.at,))
    whose = pronoun(chain.relation, own=True)
    choice = f"If {whose} {condition.text}, {wording[0]}; otherwise {wording[1]}."
    return DependentGoal(
        f"{' '.join(texts)} {choice}", [right.operation], clause.done, temptations=temptations
    )


def each(play: Play, hops: int) -> DependentGoal:
    """Change all rows that belong to one and fulfil a condition."""
    chain, child, ref = _with_children(play, hops)
    texts = walk(play, chain) if chain.hops else []
    subject = f"that {chain.relation.noun}" if chain.hops else mention(play, chain.relation, chain.end)
    rows = [row for row in play.rows(child) if row[ref.column] == chain.end[ref.target_column]]
    at = listed(play, child, (chain.at,), **{ref.name: chain.end[ref.target_column]})
    play.known |= {play.spot(child, row) for row in rows}
    condition = _condition(play, child, rows, play.pick(rows))
    fitting = [row for row in rows if condition.holds(row)]
    if not _FEWEST_EACH <= len(fitting) <= min(_MOST_EACH, len(rows) - 1):
        raise Abandoned("all or hardly any fulfil it")
    first = _change(play, child, fitting[0], by_difference=False)
    draws = [_same_change(play, first, row) for row in fitting]
    others = [row for row in rows if row not in fitting and allowed(play, first.operation, row)]
    if not any(_does_something(first, row) for row in others):
        raise Abandoned("doing it to all would do no harm")
    if condition.field.column in first.values:
        raise Abandoned("the change touches the condition")
    wrong: Mistakes = [
        ("stops_early", [(first, fitting[0])]),
        ("forgets_condition", [(first, row) for row in (*fitting, *others)]),
    ]
    temptations = _tempted(play, wrong)
    clauses = [perform(play, drawn, who=pronoun(child), because=(at,)) for drawn in draws]
    whose = belonging(ref, chain.relation, subject)
    about = f"For every {child.noun} {whose} whose {condition.text}: {clauses[0].text}."
    done = f"{len(clauses)} {child.many} were changed"
    return DependentGoal(" ".join([*texts, about]), [first.operation], done, temptations=temptations)


def find(play: Play, hops: int) -> DependentGoal:
    """Tell something of the row to which a chain leads."""
    chain = drawn_chain(play, hops)
    getting = play.plan.getting(chain.relation)
    fields = [f for f in _askable(chain.relation, chain) if chain.end[f.column] is not None]
    if getting is None:
        raise Abandoned("nothing can be told of where the chain leads")
    texts = walk(play, chain)
    shown = play.decided_call(getting, play.named(chain.relation, chain.end), (chain.at,))
    asked = play.pick(fields)
    fact = fact_about(play, chain.relation, asked, shown)
    noun, whose = chain.relation.noun, pronoun(chain.relation, own=True)
    form = play.pick((f"What is {whose} {asked.words}?", f"I need to know {whose} {asked.words}."))
    if is_plural(asked.words):
        form = f"Tell me {whose} {asked.words}."
    answer = f"The {asked.words} of the {noun} is {fact_text(fact)}"
    wrong: list[tuple[Weakness, str]] = []
    for weakness, row in near_misses(play, chain):
        text = _value_text(play, asked, row)
        if text and row[asked.column] != chain.end[asked.column]:
            wrong.append((weakness, f"The {asked.words} of the {noun} is {text}."))
    calls = tuple(play.calls)
    temptations = [Temptation(weakness=w, calls=calls, answer=sentence(text)) for w, text in wrong]
    return DependentGoal(f"{' '.join(texts)} {form}", [], answer, (fact,), temptations)


def _value_text(play: Play, asked: Field, row: Row) -> str:
    """A value of a row as an answer writes it; empty where there is none."""
    if asked.kind != "ref":
        return spoken(asked, row[asked.column], play.clock)
    if row[asked.column] is None:
        return ""
    return label_of(play.plan.model.target(asked), parent_of(play, asked, row))


def _askable(relation: Relation, chain: Chain) -> list[Field]:
    """Fields of the last row that a question may be about."""
    by = chain.hops[-1].by.column
    return [
        f
        for f in relation.fields
        if f.asked
        and not f.key
        and f.column != by
        and f.kind in _COMPARED | {"ref", "email", "phone", "city"}
    ] + [relation.field(column) for column in relation.label if len(relation.label) == 1]


def _changeable(play: Play, hops: int) -> Chain:
    """A chain to a row that may be changed."""
    for _ in range(WALKS):
        chain = drawn_chain(play, hops)
        if any(op.kind in _CHANGES and op.relation is chain.relation for op in play.plan.writing):
            return chain
    raise Abandoned("nothing may be changed where chains lead")


def _with_children(play: Play, hops: int) -> tuple[Chain, Relation, Field]:
    """A chain to a row, and a relation several rows of which belong to it and may be changed."""
    changing = {op.relation.table for op in play.plan.writing if op.kind in _CHANGES}
    for _ in range(WALKS):
        chain = drawn_chain(play, hops)
        used = {(hop.relation.table, hop.ref.column) for hop in chain.hops}
        lists = [op for op in play.plan.operations if op.kind == "list" and op.relation.table in changing]
        fitting = [
            (op.relation, ref)
            for op in lists
            for ref in op.params
            if ref.kind == "ref"
            and ref.target == chain.relation.table
            and (op.relation.table, ref.column) not in used
            and sum(r[ref.column] == chain.end[ref.target_column] for r in play.rows(op.relation))
            > _FEWEST_EACH
        ]
        if fitting:
            return chain, *play.rng.choice(fitting)
    raise Abandoned("nothing has several parts")


def _change(play: Play, relation: Relation, row: Row, *, by_difference: bool = True) -> DerivedDraw:
    """A change of one row that the rules allow; `by_difference` perhaps one of a number that it has.

    Raises:
        Abandoned: There is none.
    """
    fitting = [
        op
        for op in play.plan.writing
        if op.kind in _CHANGES and op.relation is relation and allowed(play, op, row)
    ]
    operation = play.pick(fitting)
    drawn = DerivedDraw(operation, target=row)
    if operation.kind == "update":
        if by_difference and play.rng.random() < 0.5 and _by_difference(play, drawn):
            return drawn
        drawn.values = changed_values(play, operation, row, most=1)
    return drawn


def _by_difference(play: Play, drawn: DerivedDraw) -> bool:
    """Draw a value given by its difference to the present one; False where no column allows that."""
    row = drawn.target or {}
    fields = [f for f in drawn.operation.params if f.column not in drawn.operation.relation.checked]
    play.rng.shuffle(fields)
    for param in fields:
        value = row[param.column]
        moved = _moved(play, param, value)
        if moved is None or not _is_in_bounds(drawn.operation, param, moved[0]):
            continue
        drawn.values, drawn.relative = {param.column: moved[0]}, (moved[1], moved[2])
        return True
    return False


def _moved(play: Play, param: Field, value: Value) -> tuple[Value, str, str] | None:
    """Another value, the verb that leads to it, and by how much."""
    if param.kind in ("day", "moment") and isinstance(value, str) and not param.pattern:
        days = play.rng.choice((3, 7, 10, 14))
        later = _later(value, days)
        return (later, "put off", f"by {days} days") if later else None
    if isinstance(value, str) or not value or param.unique:
        return None
    if param.kind == "count":
        step = play.rng.randint(2, 6)
        return int(value) + step, "raise", f"by {step}"
    if param.kind not in ("money", "cents"):
        return None
    exact = [p for p in _PERCENTS if _percent_more(param, value, p) is not None]
    if not exact:
        return None
    percent = play.rng.choice(exact)
    return _percent_more(param, value, percent), "raise", f"by {percent} percent"


def _percent_more(param: Field, value: float, percent: int) -> Value:
    """A price raised by percent; None where that does not come out even to the cent."""
    cents = int(value) if param.kind == "cents" else round(float(value) * 100)
    if cents * percent % 100 or (param.kind == "money" and abs(cents / 100 - float(value)) > 1e-9):
        return None
    more = cents + cents * percent // 100
    return more if param.kind == "cents" else more / 100


def _later(value: str, days: int) -> str | None:
    try:
        day = date.fromisoformat(value[:10]) + timedelta(days=days)
        datetime.fromisoformat(value)
    except ValueError:
        return None
    return day.isoformat() + value[10:]


def _is_in_bounds(operation: Operation, param: Field, value: Value) -> bool:
    if param.high is not None and isinstance(value, int | float) and value > param.high:
        return False
    return param.column not in {one for one, _ in operation.relation.before}


def _same_change(play: Play, first: DerivedDraw, row: Row) -> DerivedDraw:
    """The change of one row made to another one.

    Raises:
        Abandoned: It is not allowed there, or changes nothing.
    """
    if not allowed(play, first.operation, row) or not _does_something(first, row):
        raise Abandoned("not every one can be changed so")
    return DerivedDraw(first.operation, target=row, values=dict(first.values))


def _does_something(drawn: DerivedDraw, row: Row) -> bool:
    """Whether a change makes a row different."""
    return drawn.operation.kind != "update" or all(row[c] != value for c, value in drawn.values.items())


def _is_same_change(one: DerivedDraw, other: DerivedDraw) -> bool:
    if one.operation is not other.operation:
        return False
    return one.operation.kind != "update" or bool(one.values.keys() & other.values.keys())


def _condition(play: Play, relation: Relation, rows: Sequence[Row], row: Row) -> Condition:
    """Something that is so for some of the rows and not for others.

    Raises:
        Abandoned: All of them are alike.
    """
    fields = [f for f in relation.fields if f.kind in _COMPARED | {"state", "choice"} and f.asked]
    fields = [f for f in fields if not f.key and row[f.column] is not None]
    play.rng.shuffle(fields)
    for param in fields:
        condition = _of_field(play, param, rows, row)
        if condition is not None and len({condition.holds(r) for r in rows}) == 2:
            return condition
    raise Abandoned("nothing tells them apart")


def _of_field(play: Play, param: Field, rows: Sequence[Row], row: Row) -> Condition | None:
    if param.binary:
        return None
    column, value = param.column, row[param.column]
    be = "are" if is_plural(param.words) else "is"
    if param.kind in ("state", "choice"):
        text = spoken(param, value, play.clock)
        return Condition(param, f"{param.words} {be} {text}", lambda r: r[column] == value) if text else None
    values = sorted({r[column] for r in rows if r[column] is not None}, key=sortable)
    if len(values) < 3 or (param.affinity == "TEXT" and param.kind not in ("day", "moment")):
        return None
    edge = values[len(values) // 2]
    edge_text = (
        spoken(param, str(edge)[:10], play.clock) if param.kind == "day" else spoken(param, edge, play.clock)
    )
    if param.kind == "moment" or not edge_text:
        return None
    word = "before" if param.kind == "day" else "below"
    return Condition(
        param,
        f"{param.words} {be} {word} {edge_text}",
        lambda r: r[column] is not None and sortable(r[column]) < sortable(edge),
    )


def _careless(drawn: DerivedDraw) -> DerivedDraw | None:
    """The same change with percent taken for units of the currency."""
    column, amount = next(iter(drawn.values), ""), drawn.relative[1]
    if not amount.endswith(" percent"):
        return None
    old, param = (drawn.target or {})[column], drawn.operation.relation.field(column)
    units = int(amount.split()[1]) * (100 if param.kind == "cents" else 1)
    wrong = units + (float(old or 0) if param.kind == "money" else int(old or 0))
    if wrong == drawn.values[column]:
        return None
    return DerivedDraw(drawn.operation, target=drawn.target, values={column: wrong})


def _tempted(play: Play, wrong: Mistakes) -> list[Temptation]:
    """What weak agents do instead, after all the looking up: changes of other rows, or of other kinds."""
    results = []
    for weakness, draws in wrong:
        calls = []
        for drawn, row in draws:
            aimed = DerivedDraw(drawn.operation, target=row, values=drawn.values)
            calls.append(ToolCall(name=drawn.operation.name, arguments=arguments_of(play, aimed)))
        results.append(Temptation(weakness=weakness, calls=(*play.calls, *calls), answer="Done."))
    return results
