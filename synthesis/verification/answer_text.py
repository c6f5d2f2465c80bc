"""Answer text: what a verifier's own code reads of an answer that was given in fields.

Verifiers written for text look for amounts, days and a refusal in the text alone. So the fields stand below
it, a line each; where text and fields differ, such a verifier sees both.
"""

from __future__ import annotations

from typing import Any

from synthesis.reading.answer import Answer

_OUTCOMES = {
    "declined": "Declined: it was not done",
    "not_possible": "Not possible: it was not done",
}


def with_fields_in_words(answer: str) -> str:
    """The answer with its fields as lines below its text; the text itself where it has none."""
    if not isinstance(answer, Answer) or not answer.declared:
        return answer
    lines = [f"{name}: {_shown(value)}" for name, value in answer.values.items()]
    if answer.outcome in _OUTCOMES:
        lines.append(_OUTCOMES[answer.outcome])
    if answer.reason:
        lines.append(f"Because {answer.reason}")
    text = "\n".join(part for part in (str(answer), *(f"{line}." for line in lines)) if part)
    return Answer(text, answer.outcome, answer.reason, answer.values)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and round(value, 2) == value:
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return "" if value is None else str(value)
