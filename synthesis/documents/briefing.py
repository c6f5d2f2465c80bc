"""Briefing: everything an agent is told before its first action, the same through every way in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import JsonValue

from synthesis.documents.answer_form import FORM_TEXTS, AnswerForm
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Task

_SECRET = ("password", "secret", "token", "hash", "salt")
_LONGEST_CELL = 120


class Briefing(Document):
    """What is simulated, for whom, by which rules, and how to answer."""

    title: str
    description: str
    clock: str
    """The world's time at the start, ISO, local."""
    actor: dict[str, JsonValue] | None = None
    """Who the agent acts for: the table, the key, and the row."""
    policy: str | None = None
    answer_form: AnswerForm
    answer: str
    """How to answer, in words."""
    instruction: str | None = None
    """What is asked; None where no task was named."""
    max_steps: int | None = None
    """Tool calls that may be made for it."""

    def text(self) -> str:
        """All of it as Markdown, what is asked left out."""
        parts = [
            "You act for a user of this application through its tools.",
            f"# {self.title}\n\n{self.description}",
            f"Its clock shows {self.clock}.",
        ]
        if self.actor is not None:
            parts.append(f"You act for {actor_text(self.actor)}.")
        if self.policy:
            parts.append(f"# Policy\n\n{self.policy}")
        parts.append(f"# Answer\n\n{self.answer}{steps_text(self.max_steps)}")
        return "\n\n".join(parts)


def briefing_of(environment: Environment, task: Task | None = None, form: AnswerForm = "both") -> Briefing:
    """What an agent is told of an environment and, where one is named, of a task."""
    scenario = environment.scenario
    return Briefing(
        title=scenario.title,
        description=scenario.description,
        clock=f"{scenario.clock:%A}, {scenario.clock:%Y-%m-%d %H:%M}",
        actor=actor_of(environment),
        policy=environment.policy.text if environment.policy else None,
        answer_form=form,
        answer=FORM_TEXTS[form],
        instruction=task.instruction if task else None,
        max_steps=task.step_limit if task else None,
    )


def actor_of(environment: Environment) -> dict[str, JsonValue] | None:
    """The table, the key and the row of whom the agent acts for; None where it acts for nobody named."""
    actor = environment.seed_data.actor
    if actor is None:
        return None
    table = environment.schema.table(actor.table)
    key = table.primary_key if table else ()
    rows = environment.seed_data.rows.get(actor.table, ())
    row = next((row for row in rows if len(key) == 1 and row.get(key[0]) == actor.key), None)
    fields: dict[str, Any] = {"table": actor.table, "key": actor.key}
    return fields if row is None else {**fields, "row": _shown(row)}


def actor_text(actor: dict[str, JsonValue]) -> str:
    """Whom an agent acts for, in a line."""
    row = actor.get("row")
    cells = ", ".join(f"{name}: {value}" for name, value in row.items()) if isinstance(row, dict) else ""
    return f"row {actor['key']} of {actor['table']}" + (f" ({cells})" if cells else "")


def steps_text(max_steps: int | None) -> str:
    """How many calls may be made, as a sentence to add; empty where nothing limits them."""
    return f" At most {max_steps} tool calls may be made." if max_steps is not None else ""


def _shown(row: Row) -> dict[str, JsonValue]:
    """The cells that say who it is; none that is long or a secret."""
    return {
        name: value
        for name, value in row.items()
        if value is not None and len(str(value)) <= _LONGEST_CELL and not _is_secret(name)
    }


@lru_cache(maxsize=1_024)
def _is_secret(column: str) -> bool:
    return any(word in column.lower() for word in _SECRET)
