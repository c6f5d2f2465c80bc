"""Goals: one change asked for and made: values drawn, rows found, the tool called, the wording kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import listing, plural, words
from synthesis.procedural.derived.field_values import FieldValues
from synthesis.procedural.derived.mention import mention, parent_of
from synthesis.procedural.derived.operation import Operation, list_name
from synthesis.procedural.derived.play import Play, Spot
from synthesis.procedural.derived.relation import Field, Relation, Value
from synthesis.procedural.derived.spoken import PRONOUNS, Row, label_of, marked, marking, pronoun, spoken

ATTEMPTS = 5


@dataclass
class DerivedClause:
    """One thing asked for, and what came of it."""

    text: str
    """The request as a clause without a subject: "delete the customer Arbor Foods"."""
    done: str
    """What the answer says about it: "the customer was deleted"."""
    operation: Operation


@dataclass
class DerivedDraw:
    """What was chosen for one call, before anything is looked up."""

    operation: Operation
    target: Row | None = None
    values: dict[str, Value] = field(default_factory=dict)
    """By column; references are the values they hold."""
    parts: list[dict[str, Value]] = field(default_factory=list)
    relative: tuple[str, str] = ("", "")
    """For one number or day that is said by how it differs from what it is: the verb, and by how much."""


def act(play: Play, operation: Operation, *, attempts: int = ATTEMPTS) -> DerivedClause:
    """Make a change with some values that the rules allow.

    Raises:
        Abandoned: No drawn values were allowed or could be worded.
    """
    last = Abandoned(f"{operation.name}: nothing to act on")
    for _ in range(attempts):
        mark = play.mark()
        try:
            return perform(play, draw(play, operation))
        except Abandoned as error:
            last = error
            play.back_to(mark)
    raise last


def draw(play: Play, operation: Operation, *, forbidden: bool = False) -> DerivedDraw:
    """Choose a target and values by chance; `forbidden` rather a target that the rules protect.

    Raises:
        Abandoned: No row can be the target.
    """
    result = DerivedDraw(operation)
    values = FieldValues(play.clock, play.rng)
    if operation.kind in ("create", "create_with"):
        result.values = _new_values(play, operation, values)
        if operation.parts is not None:
            result.parts = _new_parts(play, operation, values)
        return result
    result.target = _target(play, operation, forbidden=forbidden)
    if operation.kind == "update":
        result.values = changed_values(play, operation, result.target, most=play.pick((1, 1, 1, 2)))
    return result


def changed_values(play: Play, operation: Operation, target: Row, *, most: int) -> dict[str, Value]:
    """Other values for at most so many columns of a row.

    Raises:
        Abandoned: There is nothing to change.
    """
    relation, values = operation.relation, FieldValues(play.clock, play.rng)
    fields = [f for f in operation.params if f.kind != "text" or play.rng.random() < 0.3]
    fields = [f for f in fields if f.kind != "ref" or play.plan.model.target(f).label]
    plain = [f for f in fields if f.column not in relation.label]
    fields = plain if plain and play.rng.random() < 0.85 else fields
    results: dict[str, Value] = {}
    for chosen in play.rng.sample(fields, min(len(fields), most)):
        results[chosen.column] = _other_value(play, relation, chosen, target, values)
    if not results:
        raise Abandoned("nothing to change")
    return results


def allowed(play: Play, operation: Operation, row: Row) -> bool:
    """Whether no rule keeps an operation from a row."""
    relation = operation.relation
    if operation.kind == "move":
        return relation.state is not None and row[relation.state.column] in operation.sources
    if operation.kind == "stamp":
        return row[operation.column] is None
    if operation.closing is not None:
        return not operation.closing.is_closed(row)
    return operation.kind != "delete" or not is_referred(play, operation, row)


def _target(play: Play, operation: Operation, *, forbidden: bool) -> Row:
    relation = operation.relation
    rows = [
        row
        for row in play.rows(relation)
        if play.spot(relation, row) not in play.changed | play.changed_spots
    ]
    rows = [
        row for row in rows if play.spot(relation, row) not in play.mentioned or operation.kind != "delete"
    ]
    if operation.kind == "move" and relation.state is not None:
        state = relation.state.column
        rows = [row for row in rows if (row[state] in operation.sources) != forbidden]
        if forbidden:
            rows = [row for row in rows if row[state] != operation.state and row[state] is not None]
    if operation.kind == "stamp":
        rows = [row for row in rows if (row[operation.column] is None) != forbidden]
    if (closing := operation.closing) is not None:
        rows = [row for row in rows if closing.is_closed(row) == forbidden]
    if operation.kind == "delete":
        rows = [row for row in rows if is_referred(play, operation, row) == forbidden]
    return play.pick(rows)


def is_referred(play: Play, operation: Operation, row: Row) -> bool:
    """Whether other rows than its own parts refer to a row."""
    relation, parts = operation.relation, operation.parts
    for child, columns, references in play.plan.model.children[relation.table]:
        if parts is not None and child.table == parts.table:
            continue
        for other in play.rows(child):
            if other is not row and all(other[c] == row[r] for c, r in zip(columns, references, strict=True)):
                return True
    return False


def _new_values(play: Play, operation: Operation, values: FieldValues) -> dict[str, Value]:
    relation = operation.relation
    rows = play.rows(relation)
    model_row = play.rng.choice(rows) if rows and relation.checked else {}
    row: dict[str, Value] = {}
    for param in operation.params:
        if (
            (param.nullable or param.default)
            and play.rng.random() < 0.45
            and param.column not in relation.label
        ):
            continue
        if param.kind == "text" and (param.nullable or param.default):
            continue
        row[param.column] = _value(play, relation, param, row, values, model_row)
    return row


def _new_parts(play: Play, operation: Operation, values: FieldValues) -> list[dict[str, Value]]:
    assert operation.parts is not None
    results: list[dict[str, Value]] = []
    for _ in range(play.pick((2, 2, 3))):
        row: dict[str, Value] = {}
        for param in operation.part_fields:
            row[param.column] = _value(play, operation.parts, param, row, values, {})
        first = operation.part_fields[0].column
        if all(other[first] != row[first] for other in results):
            results.append(row)
    return results


def _value(
    play: Play, relation: Relation, param: Field, row: dict[str, Value], values: FieldValues, model_row: Row
) -> Value:
    if param.kind == "ref":
        target = play.plan.model.target(param)
        rows = [
            r
            for r in play.rows(target)
            if play.spot(target, r) not in play.changed or play.spot(target, r) in play.changed_spots
        ]
        return play.pick(rows)[param.target_column]
    if param.column in relation.checked and param.kind != "name" and play.rng.random() < 0.8:
        copied = model_row.get(param.column)
        if copied is not None:
            return copied
    value = values.draw(relation, param, row)
    is_taken = param.unique and any(other.get(param.column) == value for other in play.rows(relation))
    if is_taken or (
        param.column in relation.label and len(relation.label) == 1 and _is_taken(play, relation, value)
    ):
        raise Abandoned(f"{value} is taken")
    return value


def _is_taken(play: Play, relation: Relation, value: Value) -> bool:
    label = str(value).casefold()
    return any(label_of(relation, row).casefold() == label for row in play.rows(relation))


def _other_value(play: Play, relation: Relation, param: Field, target: Row, values: FieldValues) -> Value:
    for _ in range(6):
        if param.kind == "flag":
            return 0 if target[param.column] else 1
        value = _value(play, relation, param, dict(target), values, {})
        if value != target[param.column] and _says_more(play, param, value, target[param.column]):
            return value
    raise Abandoned(f"{param.column} already has that value")


def _says_more(play: Play, param: Field, value: Value, old: Value) -> bool:
    return param.kind == "ref" or spoken(param, value, play.clock) != spoken(param, old, play.clock)


def perform(play: Play, drawn: DerivedDraw, *, who: str = "", because: Sequence[int] = ()) -> DerivedClause:
    """Find the rows, word the request, make the call.

    Args:
        play: Where it is made.
        drawn: What is chosen.
        who: How the target is referred to where the request has named it already.
        because: Places of the calls on whose observations the decision depends.

    Raises:
        Refused: A rule forbids it.
        Abandoned: It cannot be worded without ambiguity.
    """
    text = word_request(play, drawn, who=who)
    operation, relation = drawn.operation, drawn.operation.relation
    target = play.spot(relation, drawn.target) if drawn.target is not None else None
    results = play.decided_call(operation, arguments_of(play, drawn), because)
    if target is not None:
        play.changed.add(target)
    elif isinstance(results, dict):
        spot = (relation.table, tuple(results[f.name] for f in relation.key))
        play.changed_spots.add(spot)
        play.changed.add(spot)
        _name_new(play, relation, spot, results)
    return DerivedClause(text, done_words(drawn), operation)


def _name_new(play: Play, relation: Relation, spot: Spot, results: dict[str, Any]) -> None:
    """What a later clause calls a new row: by its name, or as the new one while there is no other."""
    label = label_of(relation, {f.column: results.get(f.name) for f in relation.fields})
    if label and not (relation.generated_key and relation.key[0].column in relation.label):
        play.phrases[spot] = f"the {relation.noun} {label}"
        return
    phrase = f"the new {relation.noun}"
    others = [other for other, text in play.phrases.items() if text == phrase]
    for other in others:
        del play.phrases[other]
    if not others:
        play.phrases[spot] = phrase


def arguments_of(play: Play, drawn: DerivedDraw) -> dict[str, Any]:
    """The call's arguments."""
    operation, relation = drawn.operation, drawn.operation.relation
    given: dict[str, Any] = play.named(relation, drawn.target) if drawn.target is not None else {}
    for param in operation.params:
        if param.column in drawn.values:
            given[param.name] = _given(param, drawn.values[param.column])
    names = {f.name for f in operation.params}
    for param in operation.part_fields if drawn.parts else ():
        name = list_name(param)
        name = name if name not in names else f"part_{name}"
        given[name] = [_given(param, part[param.column]) for part in drawn.parts]
    return given


def _given(param: Field, value: Value) -> Any:
    if param.kind == "flag":
        return bool(value)
    if param.affinity == "TEXT" and param.kind in ("decimal", "money", "ratio") and isinstance(value, str):
        return float(value)
    if param.affinity == "TEXT" and param.kind in ("count", "year", "cents") and isinstance(value, str):
        return int(value)
    if param.at_midnight and isinstance(value, str):
        return value[:10]
    if param.kind == "moment" and isinstance(value, str):
        return value.replace(" ", "T")
    return value


def word_request(play: Play, drawn: DerivedDraw, *, who: str = "") -> str:
    """The clause that asks for a change; the calls that find its rows are made on the way."""
    operation, relation = drawn.operation, drawn.operation.relation
    if drawn.target is None:
        return _creation_request(play, drawn)
    who = who or mention(play, relation, drawn.target)
    if operation.kind == "delete":
        return f"delete {who}"
    if operation.kind == "move":
        return f"mark {who} as {words(operation.state)}"
    if operation.kind == "stamp":
        return f"record that {who} is {operation.state} now"
    return _change_request(play, drawn, who)


def _creation_request(play: Play, drawn: DerivedDraw) -> str:
    operation, relation = drawn.operation, drawn.operation.relation
    if not drawn.parts and _is_link(operation):
        one, other = (_phrase(play, param, drawn.values[param.column]) for param in operation.params)
        return f"connect {one} with {other}"
    text = f"add a new {relation.noun}: {_facts(play, operation.params, drawn.values)}"
    if drawn.parts and operation.parts is not None:
        messages = [_facts(play, operation.part_fields, part) for part in drawn.parts]
        if len(operation.part_fields) == 1:
            return f"{text}; with the {_alone(operation, messages)}"
        text += f"; with these {operation.parts.many}: {'; '.join(messages)}"
    return text


def _is_link(operation: Operation) -> bool:
    """Whether a new row only says that two others belong together."""
    params = operation.params
    return len(params) == 2 and all(f.kind == "ref" and not f.nullable for f in params)


def _alone(operation: Operation, messages: list[str]) -> str:
    """Parts of one value each: "actors Greta Selwick and Wanda Merriweather"."""
    words = operation.part_fields[0].words
    return f"{plural(words)} {listing([text.removeprefix(f'{words} ') for text in messages])}"


def _change_request(play: Play, drawn: DerivedDraw, who: str) -> str:
    relation, changes = drawn.operation.relation, []
    for column, value in drawn.values.items():
        param = relation.field(column)
        changes.append((param.words, _new_value(play, param, value)))
    param, value = relation.field(next(iter(drawn.values))), next(iter(drawn.values.values()))
    if len(changes) == 1 and param.binary:
        return marking(param, value, who)
    first, text = changes[0]
    whose = f"{pronoun(relation, own=True)} {first}" if who in PRONOUNS else f"the {first} of {who}"
    if verb := drawn.relative[0]:
        return f"{verb} {whose} {drawn.relative[1]}"
    if len(changes) == 1:
        return f"change {whose} to {text}"
    return f"update {who}: {listing([f'set the {what} to {value}' for what, value in changes])}"


def _new_value(play: Play, param: Field, value: Value) -> str:
    """A value as a change says it: "change the language of the film Fern Crown to English"."""
    text = _phrase(play, param, value)
    if param.kind != "ref" or not play.plan.model.target(param).label:
        return text
    noun = play.plan.model.target(param).noun
    return text.removeprefix(f"the {noun} ") if param.words == noun else text


def _facts(play: Play, params: tuple[Field, ...], values: dict[str, Value]) -> str:
    messages = []
    for param in params:
        if param.column not in values:
            continue
        if param.binary:
            messages.append(marked(param, values[param.column]))
            continue
        text = _phrase(play, param, values[param.column])
        noun = play.plan.model.target(param).noun if param.kind == "ref" else ""
        same = param.kind == "ref" and param.words == noun and text.startswith(f"the {noun}")
        messages.append(text.removeprefix("the ") if same else f"{param.words} {text}")
    return listing(messages)


def _phrase(play: Play, param: Field, value: Value) -> str:
    if param.kind == "ref":
        return mention(play, play.plan.model.target(param), parent_of(play, param, {param.column: value}))
    text = spoken(param, value, play.clock)
    if not text or not text.isprintable():
        raise Abandoned(f"{param.column} has no value to ask for")
    return text


def done_words(drawn: DerivedDraw) -> str:
    """What was done, as a sentence."""
    operation, noun = drawn.operation, drawn.operation.relation.noun
    if drawn.target is None:
        return f"the new {noun} was added"
    if operation.kind == "delete":
        return f"the {noun} was deleted"
    if operation.kind in ("move", "stamp"):
        return f"the {noun} was marked as {words(operation.state)}"
    names = listing([operation.relation.field(column).words for column in drawn.values])
    return f"the {names} of the {noun} {'was' if len(drawn.values) == 1 else 'were'} changed"
