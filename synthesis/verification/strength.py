"""Strength: of all ways to weaken the verifiers, the share that some near-miss notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from synthesis.verification.near_miss_trials import NearMissTrial
from synthesis.verification.near_misses import NearMiss
from synthesis.verification.weakenings import Kind, Weakening
from synthesis.worlds.verifier_trial import Rejection
from synthesis.worlds.weakness import admits

GATE = 0.98
"""Least share of weakenings that must be noticed."""

Reason = Literal["near-miss missing", "check redundant"]


class Survivor(NamedTuple):
    """A weakening that no near-miss notices."""

    task: str
    weakening: Weakening
    reason: Reason
    explanation: str
    """Why nothing notices it, as a sentence."""


class Strength(NamedTuple):
    """How much of what verifiers demand is needed by some near-miss.

    A weakening that lets nothing through although near-misses were aimed at it changes no verdict: what it
    drops is demanded elsewhere, or the schema allows no other value. Such a one counts as redundant, neither
    for nor against.
    """

    noticed: dict[Kind, int]
    missed: dict[Kind, int]
    redundant: dict[Kind, int]
    survivors: tuple[Survivor, ...]

    @property
    def share(self) -> float:
        """Share of weakenings that were noticed, in [0, 1]; 1 where there is none."""
        noticed, missed = sum(self.noticed.values()), sum(self.missed.values())
        return noticed / (noticed + missed) if noticed + missed else 1.0

    def by_kind(self) -> dict[str, float]:
        """The share of each kind of weakening."""
        kinds = sorted({*self.noticed, *self.missed})
        counts = {kind: (self.noticed.get(kind, 0), self.missed.get(kind, 0)) for kind in kinds}
        return {kind: round(noticed / (noticed + missed), 4) for kind, (noticed, missed) in counts.items()}

    def counts(self) -> dict[str, int]:
        """How many weakenings of each kind count, noticed or not."""
        kinds = sorted({*self.noticed, *self.missed})
        return {kind: self.noticed.get(kind, 0) + self.missed.get(kind, 0) for kind in kinds}


def strength_of(trials: Iterable[NearMissTrial]) -> Strength:
    """The strength of the verifiers that were tried."""
    noticed: Counter[Kind] = Counter()
    missed: Counter[Kind] = Counter()
    redundant: Counter[Kind] = Counter()
    survivors = []
    for trial in trials:
        if trial.error:
            continue
        for weakening in trial.weakenings.all:
            if weakening.place in trial.killed:
                noticed[weakening.kind] += 1
                continue
            survivor = _survivor(trial, weakening)
            (missed if survivor.reason == "near-miss missing" else redundant)[weakening.kind] += 1
            survivors.append(survivor)
    return Strength(dict(noticed), dict(missed), dict(redundant), tuple(survivors))


def _survivor(trial: NearMissTrial, weakening: Weakening) -> Survivor:
    rejected = [(near_miss, rejection) for near_miss, rejection in trial.tried if rejection.open]
    aimed = [pair for pair in rejected if _is_aimed(pair[0], weakening)]
    if weakening.check:
        aimed = [
            (near_miss, rejection) for near_miss, rejection in aimed if weakening.check in rejection.open
        ]
    is_specific = weakening.column or weakening.table
    impossible = [one for one in trial.impossible if is_specific and _is_aimed(one, weakening)]
    reason: Reason = "check redundant"
    if aimed:
        explanation = _covered(aimed, weakening)
    elif impossible:
        explanation = "the schema allows none of the rows that would show it"
    else:
        reason, explanation = "near-miss missing", "no near-miss depends on it"
    return Survivor(trial.task.id, weakening, reason, explanation)


def _covered(aimed: Sequence[tuple[NearMiss, Rejection]], weakening: Weakening) -> str:
    others = Counter(name for _, rejection in aimed for name in rejection.open if name != weakening.check)
    if not others:
        return f"{len(aimed)} near-misses are aimed at it and rejected all the same"
    other = others.most_common(1)[0][0]
    return f"what it would let through fails “{other}” as well"


def _is_aimed(near_miss: NearMiss, weakening: Weakening) -> bool:
    """Whether a near-miss is of the kind that would show a weakening."""
    edits = near_miss.variants[0] if near_miss.variants else ()
    if weakening.table:
        return any(edit.table == weakening.table for edit in edits)
    if weakening.kind == "count":
        return near_miss.kind in ("twice", "call_twice", "collateral")
    if weakening.kind == "other_columns":
        return near_miss.kind == "other_cell"
    if weakening.column:
        if near_miss.kind == "other_row" and any(
            edit.kind == "delete" and weakening.column in edit.key for edit in edits
        ):
            return True
        return any(
            weakening.column in edit.values
            and (
                not weakening.loosening
                or admits(weakening.loosening, weakening.value, edit.values[weakening.column])
            )
            for edit in edits
            if edit.kind == "update"
        )
    return True
