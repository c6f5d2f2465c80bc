"""Claims 4: no end state that only looks right is accepted, and no weaker verifier would have done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import JsonValue

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.verification.claims import end_states
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.measurements import EndState
from synthesis.verification.near_miss_trials import NearMissTrial
from synthesis.verification.near_misses import NearMiss
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.reference_run import MOST_ROWS
from synthesis.verification.strength import GATE, Strength, Survivor, strength_of
from synthesis.worlds.verifier_trial import Rejection

_MOST_HOLES = 8
"""Findings about one verifier; more of them say nothing new."""
_ELSEWHERE = frozenset({"collateral", "extra_call"})
"""Kinds of near-misses in which something else was damaged: one guard keeps all of them out."""
_MOST_NAMED = 5
_IN_ANOTHER_PROCESS = (
    "in a process of its own it says something else than after others, so it depends on more than the state "
    "and the answer"
)
Pair = tuple[NearMiss, Rejection]


def near_misses_are_refused(context: ProofContext, answer: ClaimOutcome) -> None:
    """End states that look right and are not are refused: other row, wrong value, twice, partial, reverted,
    damage elsewhere, a call with a slip."""
    kinds: Counter[str] = Counter()
    impossible = left_out = right = 0
    unlike = _unlike_elsewhere(context)
    for trial in context.near_miss_trials:
        required = [pair for pair in trial.tried if pair[0].required]
        wrong = [pair for pair in required if pair[1].error or not pair[1].open]
        kinds.update(near_miss.kind for near_miss, _ in required)
        impossible += len(trial.impossible)
        left_out += trial.left_out
        right += len(required) - len(wrong)
        answer.scored(
            trial.task.id, tried=len(required), right=len(required) - len(wrong), expected="refused"
        )
        _show(answer, trial, required)
        _blame(answer, trial, wrong, unlike.get(trial.task.id, ""))
    _say_sampled(context, answer)
    answer.counts(
        mutants=sum(kinds.values()),
        refused=right,
        not_possible=impossible,
        **({"not_tried": left_out} if left_out else {}),
        **dict(kinds),
    )


def _say_sampled(context: ProofContext, answer: ClaimOutcome) -> None:
    """Say so where near-misses were made from some rows of large tables only, and of how many."""
    counts = {name: len(rows) for name, rows in context.environment.seed_data.rows.items()}
    rows, seen = sum(counts.values()), sum(min(count, MOST_ROWS) for count in counts.values())
    if seen < rows:
        large = [name for name, count in counts.items() if count > MOST_ROWS]
        answer.counts(rows=rows, rows_sampled=seen, share_sampled=round(seen / rows, 4))
        answer.finds(
            "seed_data",
            f"Near-misses were made from {seen:,} of {rows:,} rows ({seen / rows:.0%}): of tables with more "
            f"than {MOST_ROWS} rows, such as {large[0]}, {MOST_ROWS} spread evenly over it were used.",
            where=large[0],
            severity="note",
        )


def weaker_verifiers_would_be_noticed(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every way to weaken a verifier lets some near-miss through: each check, column, comparison and guard is
    needed."""
    strength = strength_of(context.near_miss_trials)
    for task in {trial.task.id: trial for trial in context.near_miss_trials}:
        missing = [one for one in strength.survivors if one.task == task and one.reason != "check redundant"]
        if missing:
            answer.finds(
                "verifiers",
                f"{task}: nothing that was tried depends on {_named(missing)}. Demand it otherwise, or drop "
                "it if it is not asked for.",
                where=task,
                severity="warning" if strength.share >= GATE else "error",
                evidence=_evidence(missing),
            )
    _count(answer, strength)


def _count(answer: ClaimOutcome, strength: Strength) -> None:
    noticed = sum(strength.noticed.values())
    missed = sum(strength.missed.values())
    answer.counts(
        weakenings=noticed + missed,
        noticed=noticed,
        redundant=sum(strength.redundant.values()),
        strength=round(strength.share, 4),
        gate=GATE,
        by_kind=dict[str, JsonValue](strength.by_kind()),
        counts=dict[str, JsonValue](strength.counts()),
        survivors=[
            {
                "task": one.task,
                "check": one.weakening.check,
                "weakening": one.weakening.text,
                "reason": one.reason,
                "explanation": one.explanation,
            }
            for one in sorted(strength.survivors, key=lambda one: one.reason == "check redundant")[
                :_MOST_LISTED
            ]
        ],
    )


_MOST_LISTED = 60
_MOST_ALIKE = 8
"""Further near-misses of one hole, so that one correction closes it."""


def _named(survivors: Sequence[Survivor]) -> str:
    texts = list(dict.fromkeys(one.weakening.check or one.weakening.text for one in survivors))
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return ", ".join(f"“{text}”" for text in texts[:_MOST_NAMED]) + more


def _evidence(survivors: Sequence[Survivor]) -> JsonValue:
    return [
        {"check": one.weakening.check, "weakening": one.weakening.text, "reason": one.reason}
        for one in survivors[:20]
    ]


def _show(answer: ClaimOutcome, trial: NearMissTrial, required: Sequence[Pair]) -> None:
    """Of every kind some, and all that were not rejected."""
    for near_miss, rejection in required:
        if rejection.changes is not None:
            answer.tried(
                end_states.refused(
                    trial.task,
                    near_miss.kind,
                    near_miss.description,
                    rejection,
                    changes=rejection.changes,
                    calls=near_miss.calls,
                )
            )


def _blame(answer: ClaimOutcome, trial: NearMissTrial, wrong: Sequence[Pair], unlike: str) -> None:
    task = trial.task
    if trial.error:
        answer.finds(
            "verifiers", f"The verifier of {task.id} could not be tried: {trial.error}", where=task.id
        )
    if trial.left_out:
        tried = len(trial.tried) + len(trial.impossible)
        answer.finds(
            "verifiers",
            f"The verifier of {task.id} is too slow: {tried} of {tried + trial.left_out} near-misses were "
            "tried in the time there is.",
            where=task.id,
            severity="warning",
        )
    if unlike := trial.inconsistent or unlike:
        answer.finds(
            "verifiers",
            f"The verifier of {task.id} does not always say the same of one end state ({unlike}): "
            f"{trial.cause or _IN_ANOTHER_PROCESS}.",
            where=task.id,
        )
    for pairs in _by_cause(wrong)[:_MOST_HOLES]:
        near_miss, rejection = pairs[0]
        more = _more(pairs)
        changes = rejection.changes or StateDiff()
        verb = f"fails ({rejection.error}) on" if rejection.error else "accepts"
        answer.finds(
            "verifiers",
            f"The verifier of {task.id} {verb} an end state that is wrong: {near_miss.description}{more}. "
            f"{_remedy(near_miss, rejection)}",
            where=task.id,
            evidence={
                "task": task.id,
                "kind": near_miss.kind,
                "differs_from_the_right_end": [_difference(change) for change in changes.changes[:10]],
                "more_like_it": [other.description for other, _ in pairs[1 : 1 + _MOST_ALIKE]],
                "answer": task.reference_answer,
                "error": rejection.error,
            },
        )


def _difference(change: RowChange) -> JsonValue:
    """A row of the right end, "before", and of the wrong one; of an updated row only what differs."""
    shown: dict[str, JsonValue] = change.model_dump(mode="json", exclude={"columns"})
    if change.kind == "updated":
        for side in ("before", "after"):
            row = shown[side]
            assert isinstance(row, dict)
            shown[side] = {column: row[column] for column in change.columns if column in row}
    return shown


def _more(pairs: Sequence[Pair]) -> str:
    """How many near-misses one hole lets through, and in which tables where they do damage elsewhere."""
    if len(pairs) == 1:
        return ""
    tables: dict[str, None] = {}
    for near_miss, rejection in pairs:
        if near_miss.kind in _ELSEWHERE and rejection.changes is not None:
            tables.update(dict.fromkeys(change.table for change in rejection.changes.changes))
    return f" ({len(pairs) - 1} more like it{', in ' + ', '.join(tables) if tables else ''})"


def _remedy(near_miss: NearMiss, rejection: Rejection) -> str:
    if rejection.error:
        return "Have it answer with failed checks, whatever it is shown."
    if near_miss.kind in _ELSEWHERE:
        return "Add a guard with changes.only(...) that names every row which may change."
    if near_miss.kind in ("twice", "call_twice"):
        return "Demand exactly one such row, and the exact amount."
    return "Add a check that demands what is right there."


def _by_cause(wrong: Sequence[Pair]) -> list[list[Pair]]:
    """Near-misses that one hole lets through: the same cells, or another change to the same table."""
    causes: dict[tuple[object, ...], list[Pair]] = {}
    for near_miss, rejection in wrong:
        edits = near_miss.variants[0]
        places = tuple(
            (edit.table, *sorted(edit.values)) if edit.kind == "update" else (edit.kind,) for edit in edits
        )
        elsewhere = near_miss.kind in _ELSEWHERE
        cause = (elsewhere, bool(rejection.error), () if elsewhere or rejection.error else places)
        causes.setdefault(cause, []).append((near_miss, rejection))
    return list(causes.values())


def _unlike_elsewhere(context: ProofContext) -> dict[str, str]:
    """By task: the near-miss of which its verifier says something else in another process."""
    measurements, ends = context.measurements, list[tuple[EndState, Pair]]()
    for trial in context.near_miss_trials:
        pair = next((pair for pair in reversed(trial.tried) if _is_comparable(pair)), None)
        if pair is None:
            continue
        edited = context.row_editor.make(context.reference(trial.task).after, pair[0].variants)
        if edited is not None:
            ends.append((EndState(trial.task, edited.state, trial.task.reference_answer), pair))
    measurements.take(end for end, _ in ends)
    return {
        end.task.id: near_miss.description
        for end, (near_miss, rejection) in ends
        if tuple(measurements.code_of(end).open) != rejection.open or measurements.code_of(end).error
    }


def _is_comparable(pair: Pair) -> bool:
    near_miss, rejection = pair
    return rejection.changes is not None and not near_miss.reached and not rejection.error
