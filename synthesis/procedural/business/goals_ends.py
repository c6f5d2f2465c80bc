"""Goals about what ends otherwise than it was meant to: what is lost, not come for, or called off."""

from __future__ import annotations

from typing import Any

from synthesis.procedural.business.goals_hold import number, pays_nothing, require_one, start_of
from synthesis.procedural.business.goals_slot import spoken_service
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.sentence.inflection import participle


def _had(play: TaskBuilder, process: Process, record: Row) -> dict[str, str]:
    """What somebody has by a record, as a request names it: a unit, or who sees them and what for."""
    name = str(play.row(process.subject, record[process.subject.key])["name"])
    if process.service is None:
        return {"name": name, "service": ""}
    service = spoken_service(play.row(process.service, record[process.service.key]))
    return {"name": name, "service": f" ({service})"}


def lost(play: TaskBuilder, p: Process) -> TaskDraft:
    """Report that something failed, then settle the charge that this raises."""
    b, s = play.business, p.subject
    if not b.bills(p):
        raise Abandoned("nobody is billed")
    is_lost = p.is_losable
    state = p.states[1] if is_lost else p.states[0]
    rows = [
        r
        for r in play.rows(p.record, status=state)
        if play.rows(b.charge, **{b.party.key: r[p.party.key], "status": "open"})
        and play.days_until(r["starts_on"]) <= 0  # nobody can have failed to come before that
        and (is_lost or not pays_nothing(play, p, r))
    ]
    row = play.pick(rows)
    party, unit = play.row(p.party, row[p.party.key]), play.row(s, row[s.key])
    if len([r for r in rows if r[p.party.key] == party["id"] and r[s.key] == unit["id"]]) > 1:
        raise Abandoned("not one record")
    method = play.pick(b.payment.column("method").choices)
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": state})
    other = play.rows(b.charge, **{b.party.key: party["id"], "status": "open"})[0]
    fail, settle = p.names["fail"], b.tool["settle"]
    amount = unit["replacement_cents"] if is_lost else p.missed_cents(row)
    answer = f"It is recorded, and {b.money(amount)} was paid by {method.replace('_', ' ')}."
    play.tempt("stops_early", [(fail, {p.record.key: row["id"]})], answer)
    play.tempt(
        "first_row",
        [(fail, {p.record.key: row["id"]}), (settle, {b.charge.key: other["id"], "method": method})],
        answer,
    )
    play.call(fail, (matches.at,), **{p.record.key: row["id"]})
    charges = play.find(b.charge, (play.last,), **{b.party.key: party["id"], "status": "open"})
    new = max(charges, key=lambda each: each["id"])
    play.call(settle, (charges.at,), **{b.charge.key: new["id"], "method": method})
    text = play.say(
        "lost" if is_lost else "no_show_of_day" if p.staffed else "no_show",
        p,
        who=who,
        **_had(play, p, row),
        means=method,
        start=start_of(play, p, row),
    )
    return TaskDraft(
        "mixed", f"{p.acts['fail']} and settle", text, answer, [fact("amount paid", "money_cents", amount)]
    )


def call_off(play: TaskBuilder, p: Process) -> TaskDraft:
    """Cancel a booking, with the charge that the notice given calls for."""
    b = play.business
    if not b.bills(p):
        raise Abandoned("nobody is billed")
    rule = b.rules[f"{p.record.name}.notice"].values
    rows = [
        r
        for r in play.rows(p.record, status=p.states[0])
        if 0 < play.days_until(r["starts_on"]) < rule["days"] + 4
    ]
    spared = [r for r in rows if pays_nothing(play, p, r) and play.days_until(r["starts_on"]) < rule["days"]]
    row = play.pick(spared or rows)
    party = play.row(p.party, row[p.party.key])
    require_one(play, p, row, p.states[0])
    ahead = play.days_until(row["starts_on"])
    costs = ahead < rule["days"] and not pays_nothing(play, p, row)
    late = p.called_off_cents(row, rule["fee"])
    amount = late if costs else 0
    who, at = play.who(p.party, party), play.party(p.party, party)
    matches = play.find(p.record, (at,), **{p.party.key: party["id"], "status": p.states[0]})
    cancel = (p.names["cancel"], {p.record.key: row["id"]})

    def charge(cents: int) -> tuple[str, dict[str, Any]]:
        return b.tool["raise"], {
            b.party.key: party["id"],
            "reference": number(p, row),
            "kind": "cancellation",
            "amount_cents": cents,
        }

    verb = participle(p.acts["cancel"])
    answer = f"{number(p, row)} is {verb}; the charge is {b.money(amount)}."
    if costs:
        play.tempt("ignores_policy", [cancel], answer)
        play.tempt("rounds_wrong", [cancel, charge(3 * late)], answer)
        play.tempt("trusts_user", [cancel], f"{number(p, row)} is {verb} free of charge.")
    else:
        play.tempt("ignores_policy", [cancel, charge(late)], answer)
    play.call(cancel[0], (matches.at,), **cancel[1])
    if costs:
        play.call(b.tool["raise"], (matches.at, play.last), **charge(amount)[1])
    premise = f" {play.say('call_off', p, rule='premise')}" if costs else ""
    text = play.say(
        "call_off_day" if p.staffed else "call_off", p, who=who, **_had(play, p, row), premise=premise
    )
    return TaskDraft(
        "mixed",
        f"{p.acts['cancel']} {p.noun}",
        text,
        answer,
        [fact("amount charged", "money_cents", amount)],
        by_policy=True,
    )
