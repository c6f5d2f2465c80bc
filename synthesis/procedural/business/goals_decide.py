"""Goals about who closes a matter: a clerk, or a supervisor by its amount or by how it came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthesis.documents.tasks import AnswerFact
from synthesis.procedural.business.goals_hold import number
from synthesis.procedural.business.goals_work import leader
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.business.recurrence import recurrence_of
from synthesis.procedural.composing.playing import Abandoned


@dataclass(frozen=True)
class _Closing:
    """A matter that somebody wants closed.

    Attributes:
        row: The record.
        result: How it came out.
        goes_up: Whether a supervisor has to close it.
        reason: Of handing it over.
        why: What the answer says of that, either way.
        reported: What is to be told of it once it is closed.
    """

    row: Row
    result: str
    goes_up: bool
    reason: str
    why: str
    reported: AnswerFact


def decide_or_hand_over(play: TaskBuilder, p: Process) -> TaskDraft:
    """Close a matter, or hand it over where its amount is above what a clerk may decide."""
    b = play.business
    if f"{p.record.name}.limit" not in b.rules:
        raise Abandoned("no amount is above a limit")
    limit = b.value(f"{p.record.name}.limit")
    above = _goes_up(play, p)
    rows = [r for r in play.rows(p.record, status=p.states[1]) if (r[p.amount_column] > limit) is above]
    row = play.pick(rows)
    amount = b.amount(p, row[p.amount_column])
    closing = _Closing(
        row=row,
        result=play.pick(p.results),
        goes_up=above,
        reason="above_limit",
        why=f"{amount} is above the limit" if above else f"its {p.amount} of {amount} is within the limit",
        reported=fact(p.amount, "number" if p.counted else "money_cents", row[p.amount_column]),
    )
    return _closed_or_handed_over(play, p, closing)


def decide_by_result(play: TaskBuilder, p: Process) -> TaskDraft:
    """Close a matter, or hand it over where its result is one that only supervisors enter."""
    b = play.business
    if f"{p.record.name}.result" not in b.rules:
        raise Abandoned("no result is kept for supervisors")
    reserved = _goes_up(play, p)
    row = play.pick(play.rows(p.record, status=p.states[1]))
    result = p.reserved if reserved else play.pick([each for each in p.results if each != p.reserved])
    spoken = result.replace("_", " ")
    whose = "one that only a supervisor enters" if reserved else "one that clerks enter"
    closing = _Closing(
        row=row,
        result=result,
        goes_up=reserved,
        reason="result",
        why=f"the result {spoken} is {whose.replace('supervisor', b.supervisor)}",
        reported=fact(f"due date of the {p.noun}", "date", row["due_on"]),
    )
    return _closed_or_handed_over(play, p, closing)


def _goes_up(play: TaskBuilder, p: Process) -> bool:
    """Whether it is to be handed over: either end is right about as often, unless another record follows."""
    return play.rng.random() < 0.5 or recurrence_of(play.business, p) is not None


def _closed_or_handed_over(play: TaskBuilder, p: Process, closing: _Closing) -> TaskDraft:
    b, row = play.business, closing.row
    party, subject = play.row(p.party, row[p.party.key]), play.row(p.subject, row[p.subject.key])
    opened = [each for state in p.open_states for each in play.rows(p.record, status=state)]
    alike = [r for r in opened if all(r[key] == row[key] for key in (p.party.key, p.subject.key))]
    which = f" ({number(p, row)})" if len(alike) > 1 else ""
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[1]})
    act = _hand_over if closing.goes_up else _close
    answer, facts = act(play, p, closing, matches)
    words = {"who": who, "name": subject["name"], "which": which, "outcome": closing.result}
    message = play.say("closed_notice", p, **words) if p.party is b.party else ""
    by_result = closing.reason == "result"
    text = play.say("decide_by_result" if by_result else "decide_or_hand_over", p, telling=message, **words)
    return TaskDraft("mixed", f"{p.acts['close']} or hand over {p.noun}", text, answer, facts, by_policy=True)


def _hand_over(
    play: TaskBuilder, p: Process, closing: _Closing, matches: Any
) -> tuple[str, list[AnswerFact]]:
    b, label = play.business, number(p, closing.row)
    role = b.staff.column("role").choices[1]
    leaders = play.find(b.staff, (matches.at,), role=role, on_duty=True)
    chief = leader(play)
    answer = f"Not for us to close: {label} is handed over to {chief['name']}, since {closing.why}."
    play.tempt("ignores_policy", [_closing_call(p, closing.row, closing.result)], answer)
    wrong = next((w for w in play.rows(b.staff, role=role) if w["id"] != chief["id"]), None)
    if wrong is not None:
        play.tempt("first_row", [_handing_over(play, p, closing, wrong)], answer)
    tool, arguments = _handing_over(play, p, closing, chief)
    play.call(tool, (matches.at, leaders.at), **arguments)
    return answer, [fact("one who decides", "name", chief["name"])]


def _close(play: TaskBuilder, p: Process, closing: _Closing, matches: Any) -> tuple[str, list[AnswerFact]]:
    b, row, label = play.business, closing.row, number(p, closing.row)
    spoken = closing.result.replace("_", " ")
    answer = f"{label} is closed as {spoken}; {closing.why}."
    if closing.reported.type == "date":
        answer = f"{label} is closed as {spoken}; it was due on {play.day(row['due_on'])}."
    play.tempt("ignores_policy", [_handing_over(play, p, closing, leader(play))], answer)
    if matches[0]["id"] != row["id"]:
        play.tempt("first_row", [_closing_call(p, matches[0], closing.result)], answer)
    tool, arguments = _closing_call(p, row, closing.result)
    play.call(tool, (matches.at,), **arguments)
    if p.party is b.party:
        play.tempt("stops_early", [], answer)
        telling = {b.party.key: row[p.party.key], "reference": label, "kind": "change"}
        play.call(b.tool["notify"], (play.last,), **telling)
    return answer, [closing.reported]


def _closing_call(p: Process, row: Row, result: str) -> tuple[str, dict[str, Any]]:
    return p.names["close"], {p.record.key: row["id"], "result": result}


def _handing_over(play: TaskBuilder, p: Process, closing: _Closing, chief: Row) -> tuple[str, dict[str, Any]]:
    b = play.business
    arguments = {
        "reference": number(p, closing.row),
        b.staff.key: chief["id"],
        "reason": closing.reason,
    }
    return b.tool["hand over"], arguments
