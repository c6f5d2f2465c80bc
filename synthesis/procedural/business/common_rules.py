"""Common rules: what only the policy says beside its processes, of charges, late records and people."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from synthesis.procedural.business.amounts import limit_among
from synthesis.procedural.business.chasing import Chased, chased_in, doubled_in
from synthesis.procedural.business.exempt import exemption_rules
from synthesis.procedural.business.model import Business, Rule
from synthesis.procedural.business.stated_limits import days_of
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.sentence.inflection import article, participle

_FEWEST = 2
"""Amounts without which nothing is above a limit, or nothing below."""


def set_limits(b: Business, rows: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Let a clerk decide about half of what is open: were most above a limit, handing over would be right
    whatever a request says.

    Args:
        b: The business, whose rules are replaced.
        rows: Its rows by table.
    """
    if b.has_charges:
        charges = [row for row in rows[b.charge.name] if row["status"] == "open"]
        _set_limit(b, "waive", [int(str(row["amount_cents"])) for row in charges])
    for process in b.processes:
        if process.shape == "work" and not process.counted:
            assigned = [row for row in rows[process.record.name] if row["status"] == process.states[1]]
            amounts = [int(str(row[process.amount_column])) for row in assigned]
            _set_limit(b, f"{process.record.name}.limit", amounts)


def _set_limit(b: Business, key: str, amounts: Sequence[int]) -> None:
    if key not in b.rules or len(amounts) < _FEWEST:
        return
    rule, most = b.rules[key], limit_among(amounts)
    ((name, before),) = rule.values.items()
    text = rule.text.replace(b.money(before), b.money(most))
    b.rules[key] = replace(rule, text=text, values={name: most})


def common_rules(b: Business, rng: random.Random) -> list[Rule]:
    """The rules that belong to no process."""
    return [*(_of_charges(b, rng) if b.has_charges else _of_records(b, rng)), *_of_people(b, rng)]


def _of_records(b: Business, rng: random.Random) -> list[Rule]:
    """What is followed up and put right where nothing is billed."""
    rules, chased, doubled = [], chased_in(b), doubled_in(b)
    if chased is not None:
        rules.append(_following_up(b, chased, rng))
    if doubled is not None:
        gone = participle(doubled.acts["cancel"])
        twice = (
            f"Where {article(doubled.noun)} was entered twice, the later one is {gone} and the earlier one is"
            " kept."
        )
        same = (
            f"Of two {doubled.record.many} that are the same but for the day on which they were entered, the"
            f" first one counts; {doubled.acts['cancel']} the second."
        )
        rules.append(Rule("twice", rng.choice((twice, same))))
    return rules


def _following_up(b: Business, chased: Chased, rng: random.Random) -> Rule:
    """When somebody is written to about what is late."""
    late, gap = rng.choice((1, 2, 3)), rng.choice((5, 7))
    record, notice, party = chased.table.noun, f"{chased.notice} {b.notice.noun}", b.party.noun
    states = listing([state.replace("_", " ") for state in chased.states], "or")
    due, days = "end date" if chased.due == "ends_on" else "due date", days_of(late)
    each = (
        f"For every {record} that is {states} more than {days} after its {due}, the {party} is sent one"
        f" {notice} under its number, but none where the {party} got {article(notice)} in the last"
        f" {gap} days."
    )
    still = (
        f"{sentence(article(record))} still {states} more than {days} past its {due} calls for"
        f" {article(notice)} to its {party}, with its number as the reference. Leave out whoever got"
        f" one within the last {gap} days."
    )
    return Rule("remind", rng.choice((each, still)), {"late": late, "gap": gap})


def _of_charges(b: Business, rng: random.Random) -> list[Rule]:
    """What is waived, followed up and put right of charges."""
    most = rng.choice((2500, 3000, 4000, 5000))
    late, gap = rng.choice((7, 10, 14)), rng.choice((5, 7))
    charge, party = b.charge, b.party
    return [
        *exemption_rules(b),
        Rule(
            "waive",
            rng.choice(
                (
                    (
                        f"{sentence(article(b.clerk))} may waive {article(charge.noun)} of up to"
                        f" {b.money(most)}. A higher one is handed over, with the reason above limit, to the"
                        f" first {b.supervisor} by first name who is on duty."
                    ),
                    f"Waiving is for small amounts: up to {b.money(most)} per {charge.noun}. What is higher"
                    f" goes to the {b.supervisor} on duty who comes first by first name, as"
                    f" a {b.handover.noun} with the reason above limit.".replace(
                        "a " + b.handover.noun, article(b.handover.noun)
                    ),
                )
            ),
            {"cents": most},
        ),
        Rule(
            "remind",
            rng.choice(
                (
                    (
                        f"{sentence(charge.many)} that are still open more than {late} days after their due"
                        f" date are followed up with an overdue {b.notice.noun} each, under the number of the"
                        f" {charge.noun}, unless the {party.noun} was sent an overdue {b.notice.noun} in the"
                        f" last {gap} days."
                    ),
                    (
                        f"Send an overdue {b.notice.noun} for every {charge.noun} that is more than {late}"
                        f" days past its due date, with the {charge.noun}'s number as its reference. Leave"
                        f" out whoever got an overdue {b.notice.noun} within the last {gap} days."
                    ),
                )
            ),
            {"late": late, "gap": gap},
        ),
        Rule(
            "twice",
            rng.choice(
                (
                    (
                        f"Where {article(charge.noun)} was paid twice, the later {b.payment.noun} is voided"
                        " and the earlier one is kept."
                    ),
                    (
                        f"Of two {b.payment.many} for the same {charge.noun} the first one counts; void the"
                        " second."
                    ),
                )
            ),
        ),
    ]


def _of_people(b: Business, rng: random.Random) -> list[Rule]:
    """What every business asks of whoever works on its records."""
    party = b.party
    return [
        Rule(
            "namesake",
            rng.choice(
                (
                    (
                        f"Where a request fits more than one {party.noun}, nothing is changed: say what is"
                        " missing to tell them apart."
                    ),
                    (
                        f"If it is not certain which {party.noun} is meant, change nothing and ask for what"
                        " tells them apart."
                    ),
                )
            ),
        ),
        Rule(
            "records",
            rng.choice(
                (
                    f"Dates and {_figures(b)} on record decide, whatever somebody remembers.",
                    f"What callers say about dates or {_figures(b)} is checked; the record counts.",
                )
            ),
        ),
    ]


def _figures(b: Business) -> str:
    return "amounts" if b.has_money else "numbers"
