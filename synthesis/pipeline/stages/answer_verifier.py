"""Answer verifier: the verifier of a task that changes nothing, which follows from the task itself."""

from __future__ import annotations

from typing import Any

from synthesis.documents.tasks import Task
from synthesis.documents.verifiers import Verifier

LONGEST_NAME = 80
"""Characters of a fact's name by which its check is called."""


def follows_from_task(task: Task) -> bool:
    """Whether the task itself says all that its verifier asks: the facts to tell, or why to decline."""
    if task.kind == "read":
        return bool(task.answer_facts) and not task.blocking
    return task.kind == "refuse" and bool(task.blocking)


def answer_verifier(task: Task) -> Verifier:
    """The verifier of a task that `follows_from_task`."""
    if task.kind == "refuse":
        about = "The request is declined"
        reasons = [each.model_dump(mode="json", exclude={"kind"}) for each in task.blocking]
        lines = _check("the request is declined", "declines", reasons)
    else:
        about, lines = "The question is answered", []
        for number, fact in enumerate(task.answer_facts, start=1):
            name = f"{fact.name} is told" if _is_its_own_name(task, fact.name) else f"fact {number} is told"
            lines += _check(name, "says", [fact.model_dump(mode="json")])
    lines.append('yield check("nothing changed", changes.only(), guard=True)')
    body = "\n".join(f"    {line}" for line in lines)
    source = f'def verify(before, after, changes, answer):\n    """{about} and nothing changed."""\n{body}\n'
    return Verifier(task_id=task.id, source=source)


def _is_its_own_name(task: Task, name: str) -> bool:
    return (
        len(name) <= LONGEST_NAME
        and name.isprintable()
        and [fact.name for fact in task.answer_facts].count(name) == 1
    )


def _check(name: str, helper: str, values: list[dict[str, Any]]) -> list[str]:
    """A check whether the answer says a fact, or declines for one of several reasons."""
    return [
        "yield check(",
        f"    {name!r},",
        f"    {helper}(",
        "        answer,",
        *(f"        {value!r}," for value in values),
        "    ),",
        ")",
    ]
