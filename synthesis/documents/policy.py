"""Policy: the written rules an agent must follow, told to it with every task."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.document import Document


class RowRule(Document):
    """A rule that rows can break, with the query that finds those which do."""

    name: str = Field(min_length=1, max_length=120)
    breaches: str = Field(min_length=1, max_length=4_000)
    """A SELECT of the keys of rows that break it."""


class Policy(Document):
    """The rules as Markdown; they include what the tools do not enforce."""

    text: str = Field(min_length=1, max_length=40_000)
    row_rules: tuple[RowRule, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Rules that can be checked on rows."""
