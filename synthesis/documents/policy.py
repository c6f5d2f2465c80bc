"""Policy: the written rules an agent must follow, told to it with every task."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.document import Document


class Policy(Document):
    """The rules as Markdown; they include what the tools do not enforce."""

    text: str = Field(min_length=1, max_length=40_000)
