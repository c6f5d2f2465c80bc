"""The task outlines: what agents will be asked, before the world they play in exists."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field, ValidationError
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tasks import Difficulty, TaskKind, TaskOutline, TaskOutlines, fewest_of_each_kind
from synthesis.pipeline.reply import Piece, PieceName, Reply, UnreadablePieces
from synthesis.pipeline.request import SynthesisRequest, too_few_tasks
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.listing import scenario_text

_NOT_THE_AGENTS = re.compile(
    r"\b(log ?in|log ?out|sign ?(in|up)|register an account|reset (my|the|your) password|click|scroll|"
    r"download|upload|button|drop-?down|browser)\b",
    re.IGNORECASE,
)
"""What belongs to a user interface and not to a toolset; accounts are the world outside it."""


class OutlineReply(Piece):
    """One task."""

    id: PieceName = Field(description="Lower-case letters, digits and underscores, starting with a letter.")
    instruction: str = Field(description="What the user asks, self-contained, in the user's own words.")
    kind: TaskKind
    difficulty: Difficulty
    expectation: str = Field(default="", description="The right outcome.")


class OutlinesReply(Reply):
    """The tasks of one application."""

    listed: ClassVar[tuple[str, str] | None] = ("tasks", "id")
    tasks: list[OutlineReply]


class OutlinesStage(Stage[TaskOutlines, OutlinesReply]):
    """Makes the task outlines."""

    name: ClassVar[PartName] = "outlines"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario",)
    reply: ClassVar[type[Reply]] = OutlinesReply

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The scenario and how many tasks of which kinds."""
        count = request.targets.tasks
        changing, reading, refusing = fewest_of_each_kind(count)
        return {
            "scenario": scenario_text(draft),
            "count": str(count),
            "changing": str(changing),
            "reading": str(reading),
            "refusing": str(refusing),
        }

    @override
    def read(self, reply: OutlinesReply, draft: Draft) -> TaskOutlines:
        """The outlines in an answer."""
        outlines, problems = [], dict[str, str]()
        for task in reply.tasks:
            try:
                outlines.append(TaskOutline.model_validate(task.model_dump()))
            except ValidationError as error:
                first = error.errors()[0]
                problems[task.id] = f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
        if problems:
            raise UnreadablePieces(problems)
        return TaskOutlines(outlines=tuple(outlines))

    @override
    def reply_of(self, part: TaskOutlines) -> OutlinesReply:
        """The outlines as pieces."""
        return OutlinesReply(tasks=[OutlineReply(**outline.model_dump()) for outline in part.outlines])

    @override
    def check(self, part: TaskOutlines, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Enough tasks, of every kind, none twice, none about a user interface."""
        count, wanted = len(part.outlines), request.targets.tasks
        fewer = count < wanted and not too_few_tasks(request, "outlines", count)
        return (*_counted(part.outlines, count if fewer else wanted), *_wording(part.outlines))


def _counted(outlines: tuple[TaskOutline, ...], count: int) -> list[Finding]:
    changing, reading, refusing = fewest_of_each_kind(count)
    kinds = [outline.kind for outline in outlines]
    have = (
        (len(kinds), count, "tasks"),
        (kinds.count("write") + kinds.count("mixed"), changing, "tasks that change state (write or mixed)"),
        (kinds.count("read"), reading, "tasks that only read"),
        (kinds.count("refuse"), refusing, "tasks that are rightly declined (refuse)"),
    )
    findings = [
        _finding("there_are_enough_tasks_of_every_kind", f"There are {total} {what}; {least} are needed.")
        for total, least, what in have
        if total < least
    ]
    if len(kinds) > count:
        message = f"There are {len(kinds)} tasks; {count} are requested: leave out {len(kinds) - count}."
        findings.append(_finding("there_are_as_many_tasks_as_asked_for", message))
    return findings


def _wording(outlines: tuple[TaskOutline, ...]) -> list[Finding]:
    findings, seen = [], dict[str, str]()
    for outline in outlines:
        text = " ".join(outline.instruction.lower().split())
        if text in seen:
            findings.append(
                _finding("no_task_stands_twice", f"It asks the same as {seen[text]}.", outline.id)
            )
        seen.setdefault(text, outline.id)
        if match := _NOT_THE_AGENTS.search(outline.instruction):
            findings.append(
                _finding(
                    "no_task_is_about_a_user_interface",
                    f"It mentions {match[0]!r}: agents have tools, not pages or accounts.",
                    outline.id,
                    "warning",
                )
            )
    return findings


def _finding(check: str, message: str, where: str = "", severity: str = "error") -> Finding:
    return Finding.model_validate(
        {"part": "outlines", "check": check, "message": message, "where": where, "severity": severity}
    )
