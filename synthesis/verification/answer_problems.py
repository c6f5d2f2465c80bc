"""Answer problems: what speaks against an answer, in words with which its author can mend it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from synthesis.documents.verdict import CheckOutcome
from synthesis.verification.answer_facts import PREFIX
from synthesis.verification.answers import DECLINED, GROUNDED, HONEST

MOST_QUOTED = 300
"""Characters of an answer that are quoted."""
_MOST_FACTS = 5
_REMEDIES = {
    HONEST: "Tell what was done by the usual words for it and by the states that the rows have, and nothing "
    "that nobody asked for.",
    GROUNDED: "Add the call that shows it, write it as the row has it, or leave it out.",
    DECLINED: "Say that it was not done, and give one reason in the words of `blocking`.",
    "": "Say each value once, in a clause with the words of its fact's name.",
}

_NAMES = "Give each fact a name of its own, in the words that the instruction has for what it asks."


def quoted(text: str) -> str:
    """An answer in quotation marks, on one line, of bounded length."""
    line = " ".join(text.split())
    return json.dumps(f"{line[:MOST_QUOTED]}[...]" if len(line) > MOST_QUOTED else line, ensure_ascii=False)


def failed_checks(outcomes: Sequence[CheckOutcome]) -> str:
    """The checks that do not hold by name, each with what is known of why."""
    return ", ".join(
        f"{one.name} ({problem})" if (problem := _problem(one)) else one.name
        for one in outcomes
        if not one.passed
    )


def is_of_answer(open_checks: Sequence[str]) -> bool:
    """Whether all checks that do not hold are the project's own reading of the answer."""
    return all(name.startswith(PREFIX) for name in open_checks)


def remedy_of(open_checks: Sequence[str]) -> str:
    """What to try where just these checks do not hold, all of them the project's own."""
    return next((_REMEDIES[name] for name in open_checks if name in _REMEDIES), _NAMES)


def answer_problem(outcomes: Sequence[CheckOutcome], answer: str) -> str:
    """Why the project does not accept a reference answer, which words these are and what to try.

    Args:
        outcomes: What was read of it; a verifier's own checks are passed over.
        answer: The answer.
    """
    failed = {one.name: _problem(one) for one in outcomes if not one.passed and one.name.startswith(PREFIX)}
    texts = [
        f"the reference answer {headline}: {failed.pop(name)}"
        for name, headline in (
            (HONEST, "is not true"),
            (GROUNDED, "says what no call of the reference solution showed"),
            (DECLINED, "does not decline as it must"),
        )
        if name in failed
    ]
    remedies = [_REMEDIES[one.name] for one in outcomes if not one.passed and one.name in _REMEDIES]
    if failed:
        facts = [f"{name.removeprefix(PREFIX)} ({why})" for name, why in [*failed.items()][:_MOST_FACTS]]
        texts.append(f"the reference answer does not state its facts: {'; '.join(facts)}")
        remedies.append(_REMEDIES[""])
    return f"{'; '.join(texts)}. It says {quoted(answer)}. {' '.join(remedies)}" if texts else ""


def _problem(outcome: CheckOutcome) -> str:
    """What an outcome of the project's own says of why it failed; "" where it says nothing."""
    if not isinstance(outcome.detail, dict):
        return ""
    known = [f"expected {outcome.detail['expected']}"] if outcome.detail.get("expected") else []
    known += [str(outcome.detail["problem"])] if outcome.detail.get("problem") else []
    return ", ".join(known)
