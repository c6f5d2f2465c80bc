"""A model that knows one finished environment and answers every stage of the pipeline with its parts.

It reads off the request what it is asked for, as a model does: the stage from the prompt's heading, the
pieces from the prompt.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from synthesis.documents.environment import Draft, Environment
from synthesis.documents.tasks import TaskOutline, TaskOutlines
from synthesis.documents.tool_specs import ToolSpec, ToolSpecs
from synthesis.pipeline.prompt import load_prompt
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.stages.policy import PolicyReply
from synthesis.pipeline.stages.registry import STAGES
from synthesis.pipeline.stages.scenario import ScenarioReply
from synthesis.pipeline.stages.source import definitions
from synthesis.verification.argument_values import singular
from tests.brief_replies import brief, planned_parameters

Spoil = Callable[[dict[str, Any]], Any]
"""Turns a good reply into what the model says instead: a text, or anything a server can send."""


class ScriptedModel:
    """Answers requests as `tests.openai_server` hands them over.

    Args:
        environment: Whose parts it writes.
        spoilt: Per stage, what is done to its first replies, one after the other.
        in_full: Whether it also writes what follows from earlier parts, as models were asked to before.
    """

    def __init__(
        self,
        environment: Environment,
        spoilt: Mapping[str, list[Spoil]] | None = None,
        *,
        in_full: bool = False,
    ) -> None:
        self.replies = _good_replies(environment, in_full=in_full)
        self.spoilt = {name: list(spoils) for name, spoils in (spoilt or {}).items()}
        self.asked: Counter[str] = Counter()
        self._headings = {load_prompt(name).heading: name for name in STAGES}
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Any:
        name = self.stage_of(body)
        reply = self.good(name, body)
        with self._lock:
            self.asked[name] += 1
            spoil = self.spoilt[name].pop(0) if self.spoilt.get(name) else None
        return spoil(reply) if spoil else json.dumps(reply, ensure_ascii=False)

    def stage_of(self, body: dict[str, Any]) -> str:
        lines = "\n".join(message["content"] for message in body["messages"][:2]).splitlines()
        return next(self._headings[line] for line in reversed(lines) if line in self._headings)

    def good(self, stage: str, body: dict[str, Any]) -> dict[str, Any]:
        """What a model that makes no mistake answers: the pieces it is asked for."""
        reply = self.replies[stage]
        asked = _asked_for(body["messages"])
        if not reply.pieces or not asked:
            return {**reply.only(set(reply.pieces)), **_empty(reply)}
        known = {name for name in reply.pieces if name in asked}
        return {**reply.only(known), "remove": sorted(asked - known)}


def _asked_for(messages: list[dict[str, Any]]) -> set[str]:
    """Names in a correction, or else in the block of a prompt that says what to write."""
    last = messages[-1]["content"]
    if correction := re.search(r"To be corrected: (.+)\.\n", last):
        names = set() if correction[1] == "what the findings name" else set(correction[1].split(", "))
        if names or "Reply with the whole" in last:
            return names
    prompt = messages[1]["content"]
    if ids := re.search(r"<ids>\n(.*?)\n</ids>", prompt, re.DOTALL):
        return set(ids[1].split(", "))
    for block in re.findall(
        r"<specifications>\n(.*?)\n</|Write one verifier .*?<tasks>\n(.*?)\n</tasks>", prompt, re.DOTALL
    ):
        return set(re.findall(r'"(?:name|id)": ?"([a-z0-9_]+)"', "".join(block)))
    return set()


def _empty(reply: Reply) -> dict[str, Any]:
    """Fields beside the pieces that have nothing in them, which models write all the same."""
    names = reply.model_fields_set | {*reply.wholes}
    return {name: getattr(reply, name) for name in names if not getattr(reply, name) and name != "remove"}


def _good_replies(environment: Environment, *, in_full: bool) -> dict[str, Reply]:
    draft = drafted(environment)
    scenario = environment.scenario.model_dump(mode="json", exclude={"licence"})
    replies: dict[str, Reply] = {
        "scenario": ScenarioReply.model_validate(scenario),
        "policy": PolicyReply(text=environment.policy.text if environment.policy else "No rules apply here."),
    }
    for name, stage in STAGES.items():
        part = draft.part(name)
        reply = stage.reply_of(part) if part is not None else None
        if reply is not None:
            replies[name] = reply if in_full else brief(reply, draft)
    return replies


def drafted(environment: Environment) -> Draft:
    """The environment as a draft, with the outlines and the tool specification a model would have planned."""
    outlines = TaskOutlines(
        outlines=tuple(
            TaskOutline(id=task.id, instruction=task.instruction, kind=task.kind, difficulty=task.difficulty)
            for task in environment.tasks.tasks
        )
    )
    users = {
        tool.name: tuple(
            task.id
            for task in environment.tasks.tasks
            if any(call.name == tool.name for call in task.reference_solution)
        )
        for tool in environment.tools.tools
    }
    table = environment.schema.tables[0].name
    sources = definitions(environment.tools.source)
    specs = tuple(
        ToolSpec(
            name=tool.name,
            resource=singular(tool.name.split("_")[-1]),
            summary=" ".join(tool.description.split()),
            parameters=planned_parameters(tool, sources[tool.name]),
            writes=(table,) if tool.mutates_state else (),
            tasks=users[tool.name],
        )
        for tool in environment.tools.tools
    )
    parts: dict[str, Any] = dict.fromkeys(STAGES)
    parts.update((str(name), part) for name, part in environment.parts().items())
    parts |= {"outlines": outlines, "tool_specs": ToolSpecs(specs=specs), "provenance": {}}
    return Draft.model_construct(**parts)
