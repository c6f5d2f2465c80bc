"""Claim about averages and sums in answers: they are what the rows that were listed come to."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from synthesis.documents.tasks import AnswerFact
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.list_relations import items_of
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.reference_run import ReferenceRun

_AGGREGATES = re.compile(r"\b(?:average|mean|total|sum|altogether|combined|in all)\b", re.IGNORECASE)
_NEAR = 0.02
"""Share by which a figure that was meant is missed at most; beyond it something else was asked for."""
_FEWEST = 2


class _Figure(NamedTuple):
    """What a column of listed rows comes to."""

    words: str
    value: float


def averages_and_sums_are_right(context: ProofContext, answer: ClaimOutcome) -> None:
    """An average or a sum in a reference answer is what the rows come to that its solution listed."""
    facts = 0
    for task in context.tasks:
        if not _AGGREGATES.search(task.instruction):
            continue
        run = context.reference(task)
        figures, seen = (
            list(_figures(run)),
            {float(n) for r in run.results for n in _numbers(r.observation())},
        )
        for fact in task.answer_facts:
            if fact.type not in ("number", "money_cents") or not isinstance(fact.value, int | float):
                continue
            facts += 1
            if (missed := _missed(fact, figures, seen)) is not None:
                answer.finds(
                    "tasks",
                    f"{task.id} demands {fact.value} as {fact.name}, and {missed.words} is {missed.value:g}: "
                    "correct the answer, or name in the instruction what is left out.",
                    where=task.id,
                    severity="warning",
                )
    answer.counts(facts=facts)


def _missed(fact: AnswerFact, figures: list[_Figure], seen: set[float]) -> _Figure | None:
    """The figure that a fact misses by little; None where it is right, was shown as it is, or is another."""
    value = float(fact.value)
    if any(_same(figure.value, value) for figure in figures) or {value, value * 100, value / 100} & seen:
        return None
    return next((each for each in figures if abs(each.value - value) <= _NEAR * abs(value)), None)


def _same(figure: float, value: float) -> bool:
    return abs(figure - value) < 0.01 or round(figure) == value


def _figures(run: ReferenceRun) -> Iterator[_Figure]:
    """Sum and average of every column of numbers that the solution listed, pages of one tool joined."""
    columns: dict[tuple[str, str], list[float]] = {}
    for call, result in zip(run.task.reference_solution, run.results, strict=True):
        for item in (items_of(result.value) or ()) if result.ok else ():
            for name, cell in item.items():
                if isinstance(cell, int | float) and not isinstance(cell, bool):
                    columns.setdefault((call.name, name), []).append(cell)
    for (tool, name), cells in columns.items():
        if len(cells) >= _FEWEST and not name.endswith("id"):
            yield _Figure(f"the sum of {name} over the {len(cells)} rows that {tool} lists", sum(cells))
            yield _Figure(
                f"the average of {name} over the {len(cells)} rows that {tool} lists", statistics.fmean(cells)
            )


def _numbers(value: JsonValue) -> Iterator[float]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
