"""Refusals: requests that a rule forbids, with the calls that show why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from synthesis.procedural.derivation.goals import Draw, arguments_of, draw, word_request
from synthesis.procedural.derivation.operation import Operation
from synthesis.procedural.derivation.play import Play
from synthesis.procedural.derivation.spoken import label_of
from synthesis.procedural.walk import Abandoned
from synthesis.procedural.wording import article, listing, words

TRIES = 10


@dataclass
class Forbidden:
    """A request that must be declined."""

    text: str
    done: str
    """What must not have happened, as a fact's name: "the order was deleted"."""
    reason: str
    operation: Operation


def can_be_forbidden(operation: Operation) -> bool:
    """Whether some rule bears on an operation."""
    return operation.kind in ("move", "stamp", "delete") or operation.distinct or operation.limit is not None


def forbidden(play: Play, operation: Operation, *, tries: int = TRIES) -> Forbidden:
    """Find values that some rule of the operation forbids; only calls that read stay in the play.

    Raises:
        Abandoned: No such values were found.
    """
    last = Abandoned(f"{operation.name} has no rule to break")
    for _ in range(tries):
        mark = play.mark()
        try:
            return _attempt(play, operation)
        except Abandoned as error:
            if play.wrote:
                raise
            last = error
            play.back_to(mark)
    raise last


def _attempt(play: Play, operation: Operation) -> Forbidden:
    ways: list[Callable[[Play, Operation], Forbidden]] = []
    if operation.kind in ("move", "stamp", "delete"):
        ways.append(_protected)
    if operation.distinct:
        ways.append(_taken)
    if operation.limit is not None and operation.kind in ("create", "update"):
        ways.append(_too_much)
    return play.pick(ways)(play, operation)


def _protected(play: Play, operation: Operation) -> Forbidden:
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
        return Forbidden(text, f"the {relation.noun} was deleted", reason, operation)
    if operation.kind == "stamp":
        done = f"the {relation.noun} was marked again"
        return Forbidden(text, done, "it carries a date for that already", operation)
    allowed = listing([words(source) for source in operation.sources], "or")
    reason = f"the state does not fit: only {relation.many} that are {allowed} qualify"
    return Forbidden(text, f"the {relation.noun} was marked", reason, operation)


def _referring(play: Play, drawn: Draw) -> str:
    operation = drawn.operation
    for child, columns, references in play.plan.model.children[operation.relation.table]:
        if operation.parts is not None and child.table == operation.parts.table:
            continue
        for row in play.rows(child):
            own = {r: row[c] for c, r in zip(columns, references, strict=True)}
            if row is not drawn.target and own.items() <= (drawn.target or {}).items():
                return child.many
    raise Abandoned("nothing refers to it")


def _look(play: Play, drawn: Draw) -> None:
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


def _taken(play: Play, operation: Operation) -> Forbidden:
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
    if "of that name" not in play.would_refuse(operation, arguments_of(play, drawn)):
        raise Abandoned("it fails for another reason")
    reason = f"names are used once and there is another {relation.noun} of that name"
    return Forbidden(text, f"the new {relation.noun} was added", reason, operation)


def _too_much(play: Play, operation: Operation) -> Forbidden:
    """An amount beyond what the rules allow."""
    assert operation.limit is not None
    field, relation = operation.limit.field, operation.relation
    drawn = draw(play, operation)
    if drawn.target is not None:
        drawn.values = {}
    step = max(1, int(operation.limit.most // 20))
    beyond = operation.limit.most + step * play.rng.randint(1, 6)
    drawn.values[field.column] = str(beyond) if field.affinity == "TEXT" else beyond
    text = word_request(play, drawn)
    if drawn.target is not None:
        getting = play.plan.getting(relation)
        if getting is not None:
            play.call(getting, **play.named(relation, drawn.target))
    elif not play.calls:
        tool = play.plan.listing(relation)
        if tool is None:
            raise Abandoned("there is nothing to look at")
        play.call(tool)
    if operation.limit.enforced and "may be at most" not in play.would_refuse(
        operation, arguments_of(play, drawn)
    ):
        raise Abandoned("it fails for another reason")
    reason = f"our rules set a limit on the {field.words} of {article(relation.noun)}"
    done = f"the new {relation.noun} was added" if drawn.target is None else f"the {field.words} was changed"
    return Forbidden(text, done, reason, operation)
