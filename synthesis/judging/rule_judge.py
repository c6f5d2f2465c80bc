"""The rule-based judge: a second opinion on episodes without a model, by documented rules.

It looks at the trajectory and not at the verifier, so that it can disagree with it:

1. An action that was neither a call nor an answer: Agent Error.
2. The episode did not play out (endpoint failed, cancelled): Unscored.
3. A call failed in the environment and the agent did not get the same work done by a later call: Environment
   Error.
4. Nothing was answered (a limit was reached): Partially Completed where rows changed as the task asks,
   else Agent Error.
5. A task that is to change rows and none changed: Agent Error. A task that is not to, and some did: Agent
   Error.
6. The changes equal those of the reference solution (without keys of new rows and without moments) and the
   answer holds its facts: Completed. Some of these changes, or all and more, or an answer that lacks
   facts: Partially Completed with the share of the expected changes; none of them: Agent Error.
7. A task without changes whose answer holds its facts: Completed; some of them: Partially Completed; else
   Agent Error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step
from synthesis.documents.verdict import Label, Scored, Unscored, Verdict
from synthesis.judging.evidence import JudgingEvidence
from synthesis.judging.judgement import Judgement
from synthesis.verification.answer_facts import facts_hold
from synthesis.verification.rewards import RewardTable

BASIS = "rules"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")

Cell = tuple[str, str, str, str]


class RuleJudge:
    """Judges by the rules above.

    Args:
        expected: By task id: what the reference solution changes, as `StateDiff`. A task that is not in it is
            judged by its kind and its facts alone.
        rewards: The reward of each label.
    """

    name = BASIS

    def __init__(self, expected: dict[str, StateDiff], *, rewards: RewardTable | None = None) -> None:
        self._expected = {task: _cells(diff) for task, diff in expected.items()}
        self._rewards = rewards or RewardTable()

    def judge(self, evidence: JudgingEvidence) -> Judgement:
        """The judgement of one episode; the verdict's `basis` is "rules"."""
        return Judgement(verdict=self.verdict(evidence), strategy="rules", judge=self.name)

    def verdict(self, evidence: JudgingEvidence) -> Verdict:
        """The verdict alone."""
        trajectory = evidence.trajectory
        if trajectory.stop_reason == "format_violation":
            return self._scored(
                "agent_error", 0.0, "Rule 1: an action was neither a call nor an answer."
            ).replace(reward=self._rewards.format_violation)
        if trajectory.stop_reason in ("infrastructure_error", "cancelled"):
            return Unscored(error=f"Rule 2: the episode ended with {trajectory.stop_reason}.", basis=BASIS)
        if trajectory.stop_reason == "environment_error" or _uncorrected(trajectory.steps):
            return self._scored("environment_error", 0.0, "Rule 3: a call failed in the environment.")
        done = _net_cells(trajectory.steps)
        wanted = self._expected.get(evidence.task.id)
        if evidence.task.kind in ("read", "refuse") or (wanted is not None and not wanted):
            return self._without_changes(evidence, done)
        return self._with_changes(evidence, done, wanted)

    def _without_changes(self, evidence: JudgingEvidence, done: Counter[Cell]) -> Verdict:
        if done:
            return self._scored("agent_error", 0.0, "Rule 5: rows changed that were to stay as they are.")
        held = _facts(evidence)
        share = sum(held) / len(held) if held else float(bool(evidence.trajectory.answer.strip()))
        if evidence.trajectory.stop_reason != "answered":
            return self._scored("agent_error", 0.0, "Rule 4: nothing was answered.")
        if share == 1.0:
            return self._scored("completed", 1.0, "Rule 7: the answer contains its facts.")
        label: Label = "partially_completed" if share > 0 else "agent_error"
        return self._scored(label, share, f"Rule 7: {sum(held)} of {len(held)} facts are in the answer.")

    def _with_changes(
        self, evidence: JudgingEvidence, done: Counter[Cell], wanted: Counter[Cell] | None
    ) -> Verdict:
        if not done:
            return self._scored("agent_error", 0.0, "Rule 5: no row changed.")
        held = _facts(evidence)
        answered = evidence.trajectory.stop_reason == "answered" and all(held)
        if wanted is None:
            label: Label = "completed" if answered else "partially_completed"
            return self._scored(label, 1.0 if answered else 0.5, "Rule 6: rows changed; none are on record.")
        reached = sum((done & wanted).values())
        share = reached / sum(wanted.values())
        if done == wanted and answered:
            return self._scored("completed", 1.0, "Rule 6: the changes are those of the reference solution.")
        if reached == 0:
            return self._scored("agent_error", 0.0, "Rule 6: none of the expected changes was made.")
        extra = sum((done - wanted).values())
        text = (
            f"Rule 6: {share:.0%} of the expected values were set, {extra} others, facts held: {all(held)}."
        )
        return self._scored("partially_completed", share, text)

    def _scored(self, label: Label, share: float, explanation: str) -> Scored:
        return Scored(
            label=label,
            reward=self._rewards.reward(label),
            basis=BASIS,
            share=share,
            explanation=explanation,
            trainable=label != "environment_error",
        )


def _facts(evidence: JudgingEvidence) -> list[bool]:
    outcomes = facts_hold(
        evidence.task.answer_facts,
        evidence.trajectory.answer,
        commits=evidence.task.kind == "read",
        instruction=evidence.task.instruction,
    )
    return [outcome.passed for outcome in outcomes]


def _uncorrected(steps: Sequence[Step]) -> bool:
    """Whether a call failed in the environment and no later call of the same tool went through."""
    calls = [
        (step.index, step.status, step.action.name) for step in steps if isinstance(step.action, ToolCall)
    ]
    worked = [(at, name) for at, status, name in calls if status == "ok"]
    return any(
        status == "error" and not any(later > at and tool == name for later, tool in worked)
        for at, status, name in calls
    )


def _net_cells(steps: Sequence[Step]) -> Counter[Cell]:
    """What all steps together changed: per row, its first state against its last."""
    first: dict[tuple[str, str], dict[str, object] | None] = {}
    last: dict[tuple[str, str], dict[str, object] | None] = {}
    for step in steps:
        for change in step.changes.changes:
            place = (change.table, repr(change.key))
            first.setdefault(place, dict(change.before) if change.before is not None else None)
            last[place] = dict(change.after) if change.after is not None else None
    cells: Counter[Cell] = Counter()
    for place, before in first.items():
        cells.update(_row_cells(place[0], place[1], before, last[place]))
    return cells


def _cells(diff: StateDiff) -> Counter[Cell]:
    cells: Counter[Cell] = Counter()
    for change in diff.changes:
        before = dict(change.before) if change.before is not None else None
        after = dict(change.after) if change.after is not None else None
        cells.update(_row_cells(change.table, repr(change.key), before, after))
    return cells


def _row_cells(
    table: str, key: str, before: Mapping[str, object] | None, after: Mapping[str, object] | None
) -> list[Cell]:
    """The cells that differ; of a new row all but its key and moments, whose values nobody chooses."""
    if after is None:
        return [] if before is None else [(table, key, "", "deleted")]
    place = key if before is not None else "new"
    return [
        (table, place, column, repr(value))
        for column, value in after.items()
        if (before is None and repr(value) != key) or (before is not None and before.get(column) != value)
        if not (isinstance(value, str) and _MOMENT.match(value))
    ]
