"""Tolerance: how much of what a claim measured must hold for a gate, by the settings."""

from __future__ import annotations

from typing import Literal

from django.conf import settings

from studio.models import CheckResultRecord

TOOL_CLAIM = "no_tool_fails"
"""The claim with the toolset's score."""

Property = Literal["soundness", "completeness", "strength"]

MEASURED: dict[str, tuple[str, str, Property]] = {
    "near_misses_are_refused": ("refused", "mutants", "soundness"),
    "wrong_answers_are_refused": ("refused", "mutants", "soundness"),
    "wrong_wordings_are_refused": ("refused", "wordings", "soundness"),
    "weaker_verifiers_would_be_noticed": ("noticed", "weakenings", "strength"),
    "right_wordings_are_accepted": ("accepted", "wordings", "completeness"),
    "equivalent_solutions_are_accepted": ("accepted", "equivalents", "completeness"),
}
"""Claims of which a share may be enough for the gate: the figure, what it is a share of, the property."""


def gate(measured: Property) -> float:
    """The least share of a property's trials that must end right, 0-1."""
    variables = settings.WORLDWRIGHT
    gates = {
        "soundness": variables.gate_soundness,
        "completeness": variables.gate_completeness,
        "strength": variables.gate_strength,
    }
    return float(gates[measured])


def runs(result: CheckResultRecord) -> bool:
    """Whether a failed claim still lets an environment count as executable: its tools score high enough."""
    score = result.figures.get("score")
    if result.claim != TOOL_CLAIM or not isinstance(score, int | float):
        return False
    return bool(score >= settings.WORLDWRIGHT.gate_tool_score)


def forgiven(result: CheckResultRecord) -> bool:
    """Whether a failed claim still lets an environment count as proved: enough of what it measured holds."""
    share, least = _share(result)
    return share is not None and least < 1 and share >= least


def falls_short(result: CheckResultRecord) -> bool:
    """Whether a claim that holds measured less than the settings ask for."""
    share, least = _share(result)
    return result.passed and share is not None and share < least


def _share(result: CheckResultRecord) -> tuple[float | None, float]:
    """The share that a claim measured, None where it measured none, and the least share by the settings."""
    if result.claim not in MEASURED:
        return None, 1.0
    part, whole, measured = MEASURED[result.claim]
    total = result.figures.get(whole)
    if not isinstance(total, int) or total <= 0:
        return None, gate(measured)
    return float(result.figures.get(part, 0) / total), gate(measured)
