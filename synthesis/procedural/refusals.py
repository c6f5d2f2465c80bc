"""Refusals: requests that a rule forbids, with the calls that show why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from synthesis.procedural.action import Action
from synthesis.procedural.archetype import GuardSpec
from synthesis.procedural.goals import Draw, arguments_of, draw, word_request
from synthesis.procedural.phrases import SLOT, with_nouns, with_rules
from synthesis.procedural.references import label_of, reveal
from synthesis.procedural.walk import Abandoned, Walk
from synthesis.procedural.wording import listing, participle, plural, sentence, words

TRIES = 40


@dataclass
class Forbidden:
    """A request that must be declined."""

    text: str
    """The clause that asks for it."""
    done: str
    """What must not have happened, as a fact's name: "order SO-1042 is cancelled"."""
    reason: str
    action: Action
    touched: frozenset[tuple[str, int]]
    """Rows it is about and those that the rule looks at, by entity key and id; never people."""


def forbidden(walk: Walk, action: Action, *, tries: int = TRIES) -> Forbidden:
    """Find values that some rule of the action forbids; only calls that read stay in the walk.

    Raises:
        Abandoned: No such values were found.
    """
    tempting = [guard for guard in action.spec.guards if guard.tempting and guard.because]
    if not tempting and not action.spec.from_:
        raise Abandoned(f"{action.name} has no rule to break")
    for _ in range(tries):
        mark, named = walk.mark(), walk.named
        try:
            return _attempt(walk, action, tempting)
        except Abandoned:
            walk.back_to(mark)
            walk.named = named
    raise Abandoned(f"{action.name}: no values break a rule")


def _attempt(walk: Walk, action: Action, tempting: list[GuardSpec]) -> Forbidden:
    wrong_state = bool(action.spec.from_) and (not tempting or walk.rng.random() < 0.35)
    drawn = draw(walk, action, any_state=wrong_state)
    drawn = _pushed(walk, drawn, tempting)
    alone = next((guard for guard in tempting if action.breaks(guard, drawn.values)), None)
    if alone is not None:
        return _told(walk, drawn, alone)
    result = walk.instance.call(action.name, arguments_of(drawn))
    if result.ok:
        walk.note_change(action.name)
        walk.instance.reset()
        raise Abandoned("it is allowed")
    if result.status != "refused":
        raise Abandoned(result.message)
    guard = next((g for g in tempting if _says(walk, g, result.message)), None)
    if guard is None and not (
        drawn.target and action.spec.from_ and drawn.target["status"] not in action.spec.from_
    ):
        raise Abandoned("refused for another reason")
    return _told(walk, drawn, guard)


def _told(walk: Walk, drawn: Draw, guard: GuardSpec | None) -> Forbidden:
    text = word_request(walk, drawn)
    _look_into(walk, drawn, guard)
    reason = _reason(walk, drawn, guard)
    return Forbidden(text, _done(walk, drawn), reason, drawn.action, _touched(walk, drawn, guard))


def _touched(walk: Walk, drawn: Draw, guard: GuardSpec | None) -> frozenset[tuple[str, int]]:
    made, action = walk.made, drawn.action
    found: set[tuple[str, int]] = set()
    if guard is not None and guard.of:
        counted = made.entity(guard.of)
        found |= {(counted.key, row["id"]) for row in walk.rows(counted)}
    for column in action.params:
        if column.kind == "ref" and drawn.values.get(column.key):
            found.add((column.entity, drawn.values[column.key]))
    if drawn.target is not None:
        found.add((action.entity.key, drawn.target["id"]))
        found |= {(c.entity, drawn.target[c.name]) for c in action.entity.refs if drawn.target[c.name]}
        for child, own in made.children(action.entity):
            rows = walk.rows(child, **{own.name: drawn.target["id"]})
            found |= {(child.key, row["id"]) for row in rows}
    return frozenset(spot for spot in found if made.entities[spot[0]].spec.family not in ("party", "staff"))


def _pushed(walk: Walk, drawn: Draw, tempting: list[GuardSpec]) -> Draw:
    """Move a number just beyond the rule that limits it, now and then."""
    for guard in tempting:
        param = drawn.action.param(guard.amount)
        rule = drawn.action.rules.get(guard.value)
        if guard.kind == "at_most" and param and rule and not param.spec.values:
            step = 500 if param.kind == "money" else 1
            drawn.values[param.key] = rule.value + step * walk.rng.randint(1, 4)
    return drawn


def _says(walk: Walk, guard: GuardSpec, message: str) -> bool:
    """Whether a refusal is that guard's."""
    text = sentence(with_nouns(guard.says, walk.made.noun))
    pattern = "".join(
        ".+" if place % 2 else re.escape(part) for place, part in enumerate(re.split(r"(\{[^{}]*\})", text))
    )
    return re.fullmatch(pattern, message, re.DOTALL) is not None


def _look_into(walk: Walk, drawn: Draw, guard: GuardSpec | None) -> None:
    """The reading calls by which an agent sees that the rule forbids it."""
    made, action = walk.made, drawn.action
    if guard is not None and guard.kind in ("limit", "capacity", "free", "once"):
        _look_at_counted(walk, drawn, guard)
    if drawn.target is not None and (guard is None or "target" in f"{guard.on} {guard.value} {guard.amount}"):
        _show(walk, action.entity.key, drawn.target["id"])
    if guard is None:
        return
    for path in (guard.on, guard.value):
        name = path.split(".")[0]
        param = action.param(name)
        if param is not None and param.kind == "ref":
            _show(walk, made.target(param).key, drawn.values[name])


def _show(walk: Walk, key: str, row_id: int) -> None:
    """Show a row in full where a tool does so; listings have shown the rest."""
    entity = walk.made.entities[key]
    if key in walk.made.shown and not _listed_already(walk, entity.id, row_id):
        walk.call(walk.made.getting_tool(entity), **{entity.id: row_id})


def _listed_already(walk: Walk, id_name: str, row_id: int) -> bool:
    return any(call.arguments == {id_name: row_id} for call in walk.calls)


def _look_at_counted(walk: Walk, drawn: Draw, guard: GuardSpec) -> None:
    made, action = walk.made, drawn.action
    counted = made.entity(guard.of)
    if "list" not in counted.spec.tools:
        return
    arguments: dict[str, int | str] = {}
    for key in guard.per:
        param = action.param(key)
        if param is None or param.kind != "ref":
            continue
        column = (
            counted.column(key)
            if counted.has(key)
            else next(r for r in counted.refs if r.entity == param.entity)
        )
        if column.spec.filter:
            arguments[column.name] = drawn.values[key]
    if len(guard.states) == 1 and counted.column("status").spec.filter:
        arguments["status"] = guard.states[0]
    if arguments:
        walk.call(made.listing_tool(counted), **arguments)


def _reason(walk: Walk, drawn: Draw, guard: GuardSpec | None) -> str:
    action, made = drawn.action, walk.made
    if guard is None:
        assert drawn.target is not None
        allowed = listing([words(state) for state in action.spec.from_], "or")
        verb = f"can be {participle(action.verb)}" if not action.spec.object else "qualify"
        state = words(drawn.target["status"])
        return f"it does not qualify (state: {state}): only {allowed} {plural(action.entity.noun)} {verb}"
    text = with_rules(with_nouns(guard.because, made.noun), action.rules)

    def phrase(slot: str) -> str:
        if slot == "target" and drawn.target is not None:
            return f"the {action.entity.noun}" if not action.entity.label else _label(action, drawn)
        param = action.param(slot)
        if param is None:
            raise Abandoned(f"{{{slot}}} is not there")
        target = made.target(param)
        if target.spec.family == "party":
            return f"the {target.noun}"
        return reveal(walk, target, drawn.values[slot])

    return SLOT.sub(lambda match: phrase(match[2]), text)


def _label(action: Action, drawn: Draw) -> str:
    """What the answer calls the target: by its label alone."""
    assert drawn.target is not None
    label = label_of(action.entity, drawn.target)
    return label if not action.entity.numbered else f"{action.entity.noun} {label}"


def _done(walk: Walk, drawn: Draw) -> str:
    action = drawn.action
    noun = with_nouns(action.spec.object, walk.made.noun) or action.entity.noun
    return f"the {noun} was {participle(action.verb)}"
