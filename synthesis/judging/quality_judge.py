"""The quality judge: a model reads a whole environment and grades it by the rubric that reviewers use.

The three criteria, the scale and the question for bugs and blocked tasks are Agent World Model's quality
protocol (arXiv 2602.10090).
"""

from __future__ import annotations

from importlib import resources
from typing import Any

from pydantic import Field

from synthesis.documents.check_report import CheckReport
from synthesis.documents.document import Document, digest
from synthesis.documents.environment import Environment
from synthesis.documents.quality import Bug, Grade, QualityGrade
from synthesis.documents.rubric import ENVIRONMENT_QUALITY
from synthesis.judging.asking import ReplyRead, ask
from synthesis.judging.evidence import fenced
from synthesis.llm.provider import Provider
from synthesis.llm.structured import read_reply

ROWS_SHOWN = 5
"""Rows of each table."""
LONGEST_SOURCE = 80_000
"""Characters of the tools' source."""
LONGEST_VERIFIER = 4_000


class QualityReply(Document):
    """What a quality judge answers; one field per criterion."""

    task_feasibility: Grade
    data_alignment: Grade
    toolset_completeness: Grade
    bugs: tuple[Bug, ...] = Field(default=(), max_length=40)
    blocked_tasks: tuple[str, ...] = Field(default=(), max_length=200)


class QualityJudge:
    """Asks a provider.

    Args:
        provider: Who is asked.
        temperature: Passed on when given.
    """

    def __init__(self, provider: Provider, *, temperature: float | None = None) -> None:
        self._provider, self._temperature = provider, temperature
        self._prompt = quality_prompt()

    @property
    def name(self) -> str:
        """With the model."""
        return f"judge:{self._provider.model}"

    def grade(self, environment: Environment, *, report: CheckReport | None = None) -> QualityGrade:
        """The model's grades of an environment.

        Args:
            environment: What is graded.
            report: What was proved of it, shown to the model when given.

        Raises:
            ProviderError: The model did not answer.
            ReplyUnreadable: Its replies cannot be read.
        """
        text, word = fenced(shown(environment, report))
        read = ask(
            self._provider,
            prompt=self._prompt,
            question=f"The application stands between the lines with the word {word}.\n\n{text}",
            form=QualityReply,
            read=lambda completion: read_reply(completion, QualityReply),
            stage="quality",
            temperature=self._temperature,
        )
        return self._graded(environment, read)

    def _graded(self, environment: Environment, read: ReplyRead[QualityReply]) -> QualityGrade:
        reply = read.reply
        known = {task.id for task in environment.tasks.tasks}
        return QualityGrade(
            environment=environment.fingerprint,
            grades={each.name: getattr(reply, each.name) for each in ENVIRONMENT_QUALITY.criteria},
            bugs=reply.bugs,
            blocked_tasks=tuple(task for task in dict.fromkeys(reply.blocked_tasks) if task in known),
            judge=self.name,
            model=read.model,
            prompt_fingerprint=digest(self._prompt.encode()),
            usage=read.usage,
        )


def shown(environment: Environment, report: CheckReport | None) -> dict[str, Any]:
    """The environment as a reader needs it; what is long is cut and says so."""
    scenario, tools = environment.scenario, environment.tools
    return {
        "title": scenario.title,
        "category": scenario.category,
        "description": scenario.description,
        "clock": scenario.clock.isoformat(),
        "policy": environment.policy.text if environment.policy else None,
        "schema": environment.schema.sql,
        "rows": {
            table: {"count": len(rows), "first": list(rows[:ROWS_SHOWN])}
            for table, rows in environment.seed_data.rows.items()
        },
        "tools": _cut(tools.source, LONGEST_SOURCE),
        "tasks": [_task(environment, task.id) for task in environment.tasks.tasks],
        "checks": [
            {
                "claim": result.description or result.claim,
                "holds": result.passed,
                "found": [finding.message for finding in result.findings[:5]],
            }
            for result in (report.results if report else ())
        ],
    }


def _task(environment: Environment, task_id: str) -> dict[str, Any]:
    task, verifier = environment.task(task_id), environment.verifier(task_id)
    assert task is not None
    return {
        "id": task.id,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "instruction": task.instruction,
        "solution": [call.model_dump(mode="json") for call in task.reference_solution],
        "answer": task.reference_answer,
        "verifier": _cut(verifier.source, LONGEST_VERIFIER) if verifier else None,
    }


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text)} characters)"


def quality_prompt() -> str:
    """The judge's instructions, prompts/quality.md."""
    return resources.files("synthesis.judging").joinpath("prompts", "quality.md").read_text(encoding="utf-8")
