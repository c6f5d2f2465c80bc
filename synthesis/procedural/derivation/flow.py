"""Flow: how rows move from state to state, guessed from the states' names and their order."""

from __future__ import annotations

import re

from synthesis.procedural.derivation.identifiers import ascii_name
from synthesis.procedural.derivation.relation import Field, Relation

_ENDS = re.compile(
    r"cancel|reject|refus|declin|archiv|closed?$|complete|done|finish|refund|return|deliver|expire|void|fail|delete|lost"
    r"|resolve|ship|dispatch|withdrawn|terminat|retire|sold|settled|dispos"
)
_WAYS_OUT = re.compile(
    r"cancel|reject|refus|declin|expire|void|fail|lost|withdrawn|terminat|suspend|hold|block|inactive|delete|refund"
)
_HAPPENED = {
    "return": "returned",
    "payment": "paid",
    "ship": "shipped",
    "shipping": "shipped",
    "delivery": "delivered",
    "completion": "completed",
    "closing": "closed",
    "approval": "approved",
    "cancellation": "cancelled",
    "checkout": "checked out",
}
_STEM = re.compile(r"^(?:date )?(.+?)(?: at| on| date| time| datetime| timestamp)?$")
_IRREGULAR = frozenset({"paid", "sent", "sold", "read", "lost", "done", "left", "met", "withdrawn", "taken"})
MOST_STATES = 5


def flow_of(relation: Relation) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each state that can be entered and the states it is entered from.

    States that end a row's life or lead out of it (cancelled, rejected) are reached from every state before;
    all others from the state named before them.
    """
    state = relation.state
    if state is None:
        return ()
    states = [str(value) for value in state.values]
    told = {value: value.lower() for value in states}
    main = [s for s in states if not _WAYS_OUT.search(told[s])]
    found: list[tuple[str, tuple[str, ...]]] = []
    for place, value in enumerate(main[1:], start=1):
        found.append((value, (main[place - 1],)))
    for value in states:
        if value not in main:
            sources = tuple(s for s in main if not _ENDS.search(told[s]))
            if sources:
                found.append((value, sources))
    fitting = [(value, sources) for value, sources in found if ascii_name(value)]
    return tuple(fitting[:MOST_STATES])


def stamps_of(relation: Relation) -> tuple[tuple[str, str], ...]:
    """Columns with the time at which something happened, and the participle for it."""
    return tuple((f.column, done) for f in relation.fields if (done := happened(f)))


def happened(field: Field) -> str:
    """What a row is once the column has a value, "shipped" for ShippedDate; empty where it says no such thing."""
    if field.kind not in ("day", "moment") or not field.nullable or field.stamped or field.default:
        return ""
    found = _STEM.match(field.words)
    if not found:
        return ""
    stem = found[1]
    if stem in _HAPPENED:
        return _HAPPENED[stem]
    last = stem.rpartition(" ")[2]
    is_past = (last.endswith("ed") and len(last) > 4) or last in _IRREGULAR
    return stem if is_past and last not in ("required", "expected", "planned", "scheduled", "speed") else ""
