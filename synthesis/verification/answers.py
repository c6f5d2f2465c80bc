"""Answers: what the project itself reads in a final answer, whatever a task's verifier does with it.

Facts, the refusal and the honesty of every answer are read here, so verifiers written by models are covered
by the same reader as those written by hand.
"""

from __future__ import annotations

from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.verdict import CheckOutcome
from synthesis.reading.judgement import AnswerReading, judge_answer
from synthesis.verification.answer_facts import PREFIX, fact_outcomes
from synthesis.verification.distractors import distractors_of, options_of
from synthesis.verification.effects import effects_of

DECLINED = f"{PREFIX}that it was not done, and why"
HONEST = f"{PREFIX}nothing untrue of what was done"


def read_answer(environment: Environment, task: Task, answer: str, *, changed: bool) -> AnswerReading:
    """What an answer to a task says.

    Args:
        environment: Its world, for other names of the same kind.
        task: The task.
        answer: The final text.
        changed: Whether the episode changed the state.
    """
    commits = task.kind == "read"
    others = {**options_of(environment, task), **(distractors_of(environment, task) if commits else {})}
    return judge_answer(
        answer,
        facts=task.answer_facts,
        blocking=task.blocking,
        expects_refusal=task.kind == "refuse",
        changed=changed,
        commits=commits,
        instruction=task.instruction,
        reference=task.reference_answer,
        others=others,
        effects=effects_of(environment, task),
    )


def answer_outcomes(
    environment: Environment, task: Task, answer: str, *, changed: bool
) -> tuple[CheckOutcome, ...]:
    """What an answer says, as outcomes: its facts, how it declines, and whether it is honest."""
    read = read_answer(environment, task, answer, changed=changed)
    outcomes = list(fact_outcomes(task.answer_facts, read.facts))
    if read.refusal is not None:
        problem = read.refusal.problem
        outcomes.append(
            CheckOutcome(name=DECLINED, passed=read.refusal.right, detail={"problem": problem or None})
        )
    outcomes.append(
        CheckOutcome(name=HONEST, passed=not read.untrue, guard=True, detail={"problem": read.untrue or None})
    )
    return tuple(outcomes)
