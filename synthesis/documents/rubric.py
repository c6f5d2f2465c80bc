"""Rubric: the criteria by which people and judges grade."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.document import Document, Slug


class Criterion(Document):
    """One thing that is graded."""

    name: Slug
    title: str
    question: str
    lowest: int = 1
    highest: int = 5


class Rubric(Document):
    """Criteria graded together."""

    name: Slug
    criteria: tuple[Criterion, ...] = Field(min_length=1)


ENVIRONMENT_QUALITY = Rubric(
    name="environment_quality",
    criteria=(
        Criterion(
            name="task_feasibility",
            title="Task feasibility",
            question="Can every task be completed with the existing tools and rows?",
        ),
        Criterion(
            name="data_alignment",
            title="Data alignment",
            question="Do the rows fit the scenario, each other and what the tasks ask about?",
        ),
        Criterion(
            name="toolset_completeness",
            title="Toolset completeness",
            question="Does the toolset cover what a user of this application would do?",
        ),
    ),
)
"""The three criteria of AWM's quality protocol (arXiv 2602.10090), graded from 1 to 5."""
