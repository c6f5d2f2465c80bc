"""Flow: how rows move from state to state, guessed from the states' names and their order."""

from __future__ import annotations

import re

from synthesis.procedural.derived.identifiers import ascii_name
from synthesis.procedural.derived.operation import Closing
from synthesis.procedural.derived.relation import Field, Relation

_ENDS = re.compile(
    r"cancel|reject|refus|declin|archiv|closed?$|complete|done|finish|refund|return|deliver|expire|void|fail|delete|lost"
    r"|resolve|ship|dispatch|withdrawn|terminat|retire|sold|settled|dispos|attended|no.?show|missed|absent"
)
_WAYS_OUT = re.compile(
    r"cancel|reject|refus|declin|expire|void|fail|lost|withdrawn|terminat|suspend|hold|block|inactive|delete|refund"
    r"|no.?show|missed|absent"
)
_PLACES = (
    re.compile(r"draft|^new$|created|planned|registered"),
    re.compile(r"pending|open|requested|submitted|to ?do|queued|placed|waiting|scheduled|backlog"),
    re.compile(
        r"confirm|approv|accept|active|progress|process|paid|reserved|assigned|booked|running|started"
    ),
    re.compile(r"partial|review|ready|packed|shipped|sent|dispatch|testing"),
    re.compile(r"complete|deliver|receiv|closed|done|resolved|finish|returned|settled|published"),
    re.compile(r"archiv"),
)
"""What states are called, in the order in which they usually come."""
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
_CLOSED = re.compile(
    r"\b(paid|cancell?ed|resolved|returned|shipped|delivered|closed|completed|finished|settled|void|voided|refunded"
    r"|archived|disposed|sold|terminated|withdrawn|checked out)$"
)
"""What a row is after which nothing of it is changed."""
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
    details = {value: value.lower() for value in states}
    main = _in_order([s for s in states if not _WAYS_OUT.search(details[s])])
    results: list[tuple[str, tuple[str, ...]]] = []
    for place, value in enumerate(main[1:], start=1):
        results.append((value, (main[place - 1],)))
    for value in states:
        if value not in main:
            sources = tuple(s for s in main if not _ENDS.search(details[s]))
            if sources:
                results.append((value, sources))
    fitting = [(value, sources) for value, sources in results if ascii_name(value)]
    return tuple(fitting[:MOST_STATES])


def _in_order(states: list[str]) -> list[str]:
    """States as a row usually passes through them; one without a known place stays where it is named."""
    placed, last = [], 2.0
    for number, state in enumerate(states):
        known = next((rank for rank, pattern in enumerate(_PLACES) if pattern.search(state.lower())), None)
        last = last if known is None else float(known)
        placed.append((last, number, state))
    return [state for _, _, state in sorted(placed)]


def closing_of(relation: Relation) -> Closing | None:
    """What tells that a row is closed: a state that none follows, or the time at which it was paid."""
    left = {source for _, sources in relation.flow for source in sources}
    ends = tuple(state for state, _ in relation.flow if state not in left and _ENDS.search(state.lower()))
    if ends and relation.state is not None:
        return Closing(relation.state.column, ends)
    stamped = ((column, done) for column, done in relation.stamps if _CLOSED.search(done))
    column, done = next(stamped, ("", ""))
    return Closing(column, done=done) if column else None


def stamps_of(relation: Relation) -> tuple[tuple[str, str], ...]:
    """Columns with the time at which something happened, and the participle for it."""
    return tuple((f.column, done) for f in relation.fields if (done := happened(f)))


def happened(field: Field) -> str:
    """What a row is once the column has a value, "shipped" for ShippedDate; empty for other columns."""
    if field.kind not in ("day", "moment") or not field.nullable or field.stamped or field.default:
        return ""
    match = _STEM.match(field.words)
    if not match:
        return ""
    stem = match[1]
    if stem in _HAPPENED:
        return _HAPPENED[stem]
    last = stem.rpartition(" ")[2]
    is_past = (last.endswith("ed") and len(last) > 4) or last in _IRREGULAR
    return stem if is_past and last not in ("required", "expected", "planned", "scheduled", "speed") else ""
