"""Policy: the rules of a derived environment in words."""

from __future__ import annotations

from synthesis.documents.policy import Policy
from synthesis.procedural.composing.wording import article, listing, sentence, words
from synthesis.procedural.derived.operation import Closing, Operation
from synthesis.procedural.derived.relation import Relation
from synthesis.procedural.derived.tool_plan import ToolPlan

_GENERAL = (
    "Look records up before you change them, and change only what is asked for.",
    "When a rule forbids what is asked, change nothing, say that you decline and why.",
    "Names, dates and amounts come from the request or from the records; nothing is made up.",
)
LONGEST = 38_000


def policy_of(plan: ToolPlan, title: str) -> Policy:
    """The policy of a plan's tools."""
    lines = [f"# Rules of {title}", "", *(f"- {line}" for line in _GENERAL), ""]
    for relation in plan.model.relations.values():
        messages = [
            line
            for operation in plan.writing
            if operation.relation is relation
            for line in _rules(plan, operation)
        ]
        if messages:
            lines.append(f"**{sentence(relation.many)}.** {' '.join(dict.fromkeys(messages))}")
            lines.append("")
    text = "\n".join(lines)
    return Policy(text=text if len(text) <= LONGEST else text[:LONGEST].rpartition("\n")[0])


def _rules(plan: ToolPlan, operation: Operation) -> list[str]:
    relation = operation.relation
    texts = []
    if operation.closing is not None:
        closed = closed_words(operation.closing)
        texts.append(f"{sentence(article(relation.noun))} that is {closed} stays as it is.")
    if operation.distinct:
        texts.append(f"No two {relation.many} have the same {_label_words(relation)}.")
    if operation.kind == "move":
        allowed = listing([words(source) for source in operation.sources], "or")
        texts.append(f"Only {relation.many} that are {allowed} can become {words(operation.state)}.")
    if operation.kind == "stamp":
        texts.append(f"{sentence(article(relation.noun))} is marked as {operation.state} once.")
    if operation.kind == "delete":
        children = plan.model.children[relation.table]
        parts = operation.parts.table if operation.parts else ""
        others = [child.many for child, _, _ in children if child.table != parts]
        if others:
            texts.append(
                f"{sentence(article(relation.noun))} that other records refer to"
                f" ({listing(list(dict.fromkeys(others)), 'or')}) is not deleted."
            )
        if operation.parts is not None:
            texts.append(f"Its {operation.parts.many} are deleted with it.")
    return texts


def closed_words(closing: Closing) -> str:
    """What a row is that is closed, as people say it: "paid", "cancelled or expired"."""
    return listing([words(state) for state in closing.states] or [closing.done], "or")


def _label_words(relation: Relation) -> str:
    return "name" if len(relation.label) > 1 else relation.field(relation.label[0]).words
