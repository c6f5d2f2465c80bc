"""Answer: an agent's final text, with what it declared beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self


class Answer(str):
    """A final text that is a `str`, and has `outcome`, `reason` and `values` where the agent gave them.

    Args:
        text: The text.
        outcome: "done", "declined" or "not_possible".
        reason: Why it was declined or is not possible.
        values: What was asked to be told, by name.
    """

    __slots__ = ("outcome", "reason", "values")

    outcome: str | None
    reason: str | None
    values: dict[str, Any]

    def __new__(
        cls,
        text: str = "",
        outcome: str | None = None,
        reason: str | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> Self:
        """A text with what was declared beside it."""
        answer = super().__new__(cls, text)
        answer.outcome, answer.reason, answer.values = outcome, reason, dict(values or {})
        return answer

    @classmethod
    def of(cls, text: str) -> Answer:
        """The text itself where it is one, or a plain text as an answer."""
        return text if isinstance(text, Answer) else Answer(text)

    @property
    def declared(self) -> bool:
        """Whether it says more than its text."""
        return self.outcome is not None or self.reason is not None or bool(self.values)
