"""Answer source: Python with which a verifier asks what an answer says."""

from __future__ import annotations

from synthesis.documents.tasks import AnswerFact, Task


def fact_source(fact: AnswerFact) -> str:
    """Python that tells whether the answer says a fact."""
    value = _quoted(fact.value) if isinstance(fact.value, str) else repr(fact.value)
    return f"says(answer, {value}, about={_quoted(fact.name)}, type={_quoted(fact.type)})"


def declining_lines(task: Task) -> list[str]:
    """Python that names the request and the reasons why it is declined."""
    reasons = [f"    {each.model_dump(mode='json', exclude={'kind'})!r}," for each in task.blocking]
    return [f"request = {task.instruction!r}", "reasons = [", *reasons, "]"]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
