"""Grades: what an approval must say of each criterion of the rubric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from studio.models import ReviewDecision
from synthesis.documents.rubric import ENVIRONMENT_QUALITY, Criterion
from synthesis.errors import InvalidInput


def missing_grades(decisions: Iterable[str], scores: Mapping[str, int]) -> list[Criterion]:
    """Criteria without a grade, where one of the decisions approves: who approves says how good it is."""
    if ReviewDecision.APPROVE not in decisions:
        return []
    return [criterion for criterion in ENVIRONMENT_QUALITY.criteria if criterion.name not in scores]


def require_grades(values: Mapping[str, Any]) -> None:
    """Approval of the whole or of a part needs a grade for every criterion.

    Raises:
        InvalidInput: One is missing; the text names all that are.
    """
    decisions = [values["decision"], *values["unit_decisions"].values()]
    if missing := missing_grades(decisions, values["scores"]):
        names = ", ".join(f"{criterion.name} ({criterion.title})" for criterion in missing)
        raise InvalidInput(f"An approval needs a grade from 1 to 5 for every criterion; missing: {names}.")


def require_scores(scores: Mapping[str, int]) -> None:
    """Pass when every grade is of a known criterion and within its range.

    Raises:
        InvalidInput: One is not; the text names it and what is allowed.
    """
    criteria = {criterion.name: criterion for criterion in ENVIRONMENT_QUALITY.criteria}
    for name, score in scores.items():
        if name not in criteria:
            raise InvalidInput(f"{name!r} is not a criterion; the criteria are {', '.join(criteria)}.")
        lowest, highest = criteria[name].lowest, criteria[name].highest
        if not lowest <= score <= highest:
            raise InvalidInput(f"{criteria[name].title} is scored from {lowest} to {highest}, not {score}.")
