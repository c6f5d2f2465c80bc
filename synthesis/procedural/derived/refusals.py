"""Refusals: requests that a rule forbids, with the calls that show why."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from synthesis.documents.tasks import Blocking, BlockingKind
from synthesis.documents.tools import ToolCall
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.composing.wording import article, listing, words
from synthesis.procedural.derived.goals import DerivedDraw, arguments_of, draw, word_request
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.spoken import label_of

LONGEST_TEXT = 400
ATTEMPTS = 10
_ISO_DAY = re.compile(r"^\d{4}-\d\d-\d\d")


@dataclass
class DerivedForbiddenRequest:
    """A request that must be declined."""

    text: str
    done: str
    """What must not have happened, as a fact's name: "the order was deleted"."""
    reason: str
    operation: Operation
    blocking: tuple[Blocking, ...]
    """What a right answer may name as the reason."""
    call: ToolCall
    """The call that the rule forbids."""


def can_be_forbidden(operation: Operation) -> bool:
    """Whether some rule bears on an operation."""
    return (
        operation.kind in ("move", "stamp", "delete") or operation.distinct or operation.closing is not None
    )


def forbidden(play: Play, operation: Operation, *, attempts: int = ATTEMPTS) -> DerivedForbiddenRequest:
    """Find values that some rule of the operation forbids; only calls that read stay in the play.

    Raises:
        Abandoned: No such values were found.
    """
    last = Abandoned(f"{operation.name} has no rule to break")
    for _ in range(attempts):
        mark = play.mark()
        try:
            return _attempt(play, operation)
        except Abandoned as error:
            if play.wrote:
                raise
            last = error
            play.back_to(mark)
    raise last


def _attempt(play: Play, operation: Operation) -> DerivedForbiddenRequest:
    ways: list[Callable[[Play, Operation], DerivedForbiddenRequest]] = []
    if operation.kind in ("move", "stamp", "delete"):
        ways.append(_protected)
    if operation.distinct:
        ways.append(_taken)
    if operation.closing is not None:
        ways.append(_closed)
    return play.pick(ways)(play, operation)


def _protected(play: Play, operation: Operation) -> DerivedForbiddenRequest:
    """A row in the wrong state, marked already, or referred to by others."""
    drawn = draw(play, operation, forbidden=True)
    text = word_request(play, drawn)
    _look(play, drawn)
    message = play.would_refuse(operation, arguments_of(play, drawn))
    if not message:
        raise Abandoned("it fails for another reason")
    relation = operation.relation
    if operation.kind == "delete":
        others = _referring(play, drawn)
        reason = f"{article(relation.noun)} with {others} is kept"
        done = f"the {relation.noun} was deleted"
        return DerivedForbiddenRequest(
            text, done, reason, operation, _texts("rule", reason, message), _called(play, drawn)
        )
    target = drawn.target or {}
    if operation.kind == "stamp":
        done = f"the {relation.noun} was marked again"
        reason = "it carries a date for that already"
        blocking = _texts("status", reason, message)
        if _ISO_DAY.match(day := str(target.get(operation.column))):
            blocking += (Blocking(kind="value", text=reason, value=day[:10], type="date"),)
        return DerivedForbiddenRequest(text, done, reason, operation, blocking, _called(play, drawn))
    allowed = listing([words(source) for source in operation.sources], "or")
    reason = f"the state does not fit: only {relation.many} that are {allowed} qualify"
    blocking = _texts("status", reason, message)
    if relation.state is not None and isinstance(state := target.get(relation.state.column), str) and state:
        blocking += (Blocking(kind="status", text=f"its state is {words(state)}", value=state, type="text"),)
    return DerivedForbiddenRequest(
        text, f"the {relation.noun} was marked", reason, operation, blocking, _called(play, drawn)
    )


def _referring(play: Play, drawn: DerivedDraw) -> str:
    operation = drawn.operation
    for child, columns, references in play.plan.model.children[operation.relation.table]:
        if operation.parts is not None and child.table == operation.parts.table:
            continue
        for row in play.rows(child):
            own = {r: row[c] for c, r in zip(columns, references, strict=True)}
            if row is not drawn.target and own.items() <= (drawn.target or {}).items():
                return child.many
    raise Abandoned("nothing refers to it")


def _look(play: Play, drawn: DerivedDraw) -> None:
    """The reading calls by which an agent sees that a rule forbids it."""
    operation, relation = drawn.operation, drawn.operation.relation
    assert drawn.target is not None
    if operation.kind == "delete":
        for child, columns, references in play.plan.model.children[relation.table]:
            tool = play.plan.listing(child)
            refers = next((f for f in child.refs if (f.column,) == columns), None)
            if tool is None or refers is None or refers not in tool.params:
                continue
            rows = [row for row in play.rows(child) if row[columns[0]] == drawn.target[references[0]]]
            if rows:
                play.call(tool, **{refers.name: drawn.target[references[0]]})
                return
    getting = play.plan.getting(relation)
    if getting is not None:
        play.call(getting, **play.named(relation, drawn.target))


def _taken(play: Play, operation: Operation) -> DerivedForbiddenRequest:
    """A new row with the name of another one."""
    relation = operation.relation
    drawn = draw(play, operation)
    other = play.pick([row for row in play.begun(relation) if label_of(relation, row).strip()])
    for column in relation.label:
        drawn.values[column] = other[column]
    label = label_of(relation, other)
    text = word_request(play, drawn)
    tool = play.plan.listing(relation)
    if tool is None or not label.isprintable():
        raise Abandoned("nobody can see that it is there")
    play.call(tool, **{relation.label_name: label})
    message = play.would_refuse(operation, arguments_of(play, drawn))
    if "of that name" not in message:
        raise Abandoned("it fails for another reason")
    reason = f"names are used once and there is another {relation.noun} of that name"
    done = f"the new {relation.noun} was added"
    return DerivedForbiddenRequest(
        text, done, reason, operation, _texts("rule", reason, message), _called(play, drawn)
    )


def _closed(play: Play, operation: Operation) -> DerivedForbiddenRequest:
    """A change of a row that is closed, which only the policy forbids."""
    relation, closing = operation.relation, operation.closing
    assert closing is not None
    drawn = draw(play, operation, forbidden=True)
    assert drawn.target is not None
    text = word_request(play, drawn)
    getting = play.plan.getting(relation)
    if getting is not None:
        play.call(getting, **play.named(relation, drawn.target))
    value = str(drawn.target[closing.column])
    state = words(value) if closing.states else closing.done
    reason = f"{article(relation.noun)} that is {state} stays as it is"
    blocking = _texts("status", reason, f"the {relation.noun} is {state}")
    if closing.states:
        blocking += (Blocking(kind="status", text=reason, value=value, type="text"),)
    elif _ISO_DAY.match(value):
        blocking += (Blocking(kind="value", text=reason, value=value[:10], type="date"),)
    done = f"the {relation.noun} was changed"
    return DerivedForbiddenRequest(text, done, reason, operation, blocking, _called(play, drawn))


def _called(play: Play, drawn: DerivedDraw) -> ToolCall:
    return ToolCall(name=drawn.operation.name, arguments=arguments_of(play, drawn))


def _texts(kind: BlockingKind, *texts: str) -> tuple[Blocking, ...]:
    return tuple(Blocking(kind=kind, text=text[:LONGEST_TEXT]) for text in texts if text)
