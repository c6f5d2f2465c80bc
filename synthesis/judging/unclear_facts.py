"""Unclear facts: what a model is asked where code could not tell whether an answer states a fact."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.tools import ToolCall
from synthesis.documents.verdict import CheckOutcome, Scored, Verdict
from synthesis.errors import ReplyUnreadable
from synthesis.judging.evidence import LONGEST_QUOTE, MOST_STEPS, JudgingEvidence, fenced
from synthesis.verification.answers import GROUNDED
from synthesis.verification.rewards import RewardTable

LONGEST_ANSWER = 8_000
"""Characters of an answer that are shown."""


class FactAssessment(Document):
    """What a model says of one fact."""

    name: str
    stated: bool
    explanation: str = Field(default="", max_length=2_000)


class FactsReply(Document):
    """What a model says of the facts it was asked about."""

    facts: tuple[FactAssessment, ...]


def unclear_in(verdict: Verdict | None) -> tuple[CheckOutcome, ...]:
    """The outcomes of a verdict that code could not tell."""
    outcomes = verdict.outcomes if isinstance(verdict, Scored) else ()
    return tuple(outcome for outcome in outcomes if outcome.unclear and not outcome.passed)


def question(evidence: JudgingEvidence) -> str:
    """The facts that are unclear and the answer, for a model."""
    answer = evidence.trajectory.final_answer
    shown: dict[str, Any] = {
        "instruction": evidence.task.instruction,
        "final_answer": answer.text[:LONGEST_ANSWER],
        "answer_fields": answer.model_dump(mode="json", exclude={"text"}),
        "unclear_facts": [
            {"name": outcome.name, "code_saw": outcome.detail} for outcome in unclear_in(evidence.verdict)
        ],
    }
    if any(outcome.name == GROUNDED for outcome in unclear_in(evidence.verdict)):
        shown |= {"policy": evidence.policy, "calls": _calls(evidence)}
    text, word = fenced(shown)
    return f"The evidence stands between the lines with the word {word}.\n\n{text}"


def decided(verdict: Scored, reply: FactsReply, *, judge: str, rewards: RewardTable) -> Scored:
    """The verdict of code with its unclear facts decided; everything else stays as code says.

    Raises:
        ReplyUnreadable: The reply does not decide every fact that was asked about.
    """
    facts = {fact.name: fact for fact in reply.facts}
    missing = [outcome.name for outcome in unclear_in(verdict) if outcome.name not in facts]
    if missing:
        raise ReplyUnreadable(f"these facts are not decided: {', '.join(missing)}")
    open_names = {outcome.name for outcome in unclear_in(verdict)}
    outcomes = tuple(
        _decided(outcome, facts[outcome.name], judge) if outcome.name in open_names else outcome
        for outcome in verdict.outcomes
    )
    explanation = " ".join(facts[name].explanation for name in facts if name in open_names)
    if all(outcome.passed for outcome in outcomes):
        changes = {"label": "completed", "share": 1.0, "reward": rewards.reward("completed")}
    else:
        changes = {}
    return verdict.replace(
        unclear=(),
        outcomes=outcomes,
        basis=judge,
        explanation=f"{verdict.explanation} {explanation}".strip(),
        **changes,
    )


def _calls(evidence: JudgingEvidence) -> list[dict[str, Any]]:
    """What the agent called and saw, by which what it says besides is judged."""
    calls = [(step.action, step.observation) for step in evidence.trajectory.steps]
    return [
        {
            "name": call.name,
            "arguments": call.arguments,
            "result": json.dumps(result, ensure_ascii=False)[:LONGEST_QUOTE],
        }
        for call, result in calls[:MOST_STEPS]
        if isinstance(call, ToolCall)
    ]


def prompt() -> str:
    """The instructions, prompts/unclear_facts.md."""
    folder = resources.files("synthesis.judging").joinpath("prompts")
    return folder.joinpath("unclear_facts.md").read_text(encoding="utf-8")


def _decided(outcome: CheckOutcome, fact: FactAssessment, judge: str) -> CheckOutcome:
    saw = outcome.detail if isinstance(outcome.detail, dict) else {"code_saw": outcome.detail}
    return outcome.replace(
        passed=fact.stated, unclear=False, detail={**saw, "decided_by": judge, "because": fact.explanation}
    )
