"""Tolerance: how much of what a claim measured must hold for a gate, by the settings."""

from __future__ import annotations

from django.conf import settings

from studio.models import CheckResultRecord

TOOL_CLAIM = "no_tool_fails"
"""The claim with the toolset's score."""

MEASURED = {
    "near_misses_are_refused": ("refused", "mutants", "WORLDWRIGHT_GATE_SOUNDNESS"),
    "wrong_answers_are_refused": ("refused", "mutants", "WORLDWRIGHT_GATE_SOUNDNESS"),
    "equivalent_solutions_are_accepted": ("accepted", "equivalents", "WORLDWRIGHT_GATE_COMPLETENESS"),
}
"""Claims of which a share may be enough for the gate: the figure, what it is a share of, the setting."""


def runs(result: CheckResultRecord) -> bool:
    """Whether a failed claim still lets an environment count as executable: its tools score high enough."""
    score = result.figures.get("score")
    if result.claim != TOOL_CLAIM or not isinstance(score, int | float):
        return False
    return bool(score >= settings.ENV["WORLDWRIGHT_GATE_TOOL_SCORE"])


def forgiven(result: CheckResultRecord) -> bool:
    """Whether a failed claim still lets an environment count as proved: enough of what it measured holds."""
    if result.claim not in MEASURED:
        return False
    part, whole, setting = MEASURED[result.claim]
    total = result.figures.get(whole)
    if not isinstance(total, int) or total <= 0:
        return False
    least = settings.ENV[setting]
    return bool(least < 1 and result.figures.get(part, 0) / total >= least)
