"""The tasks: instructions with reference solutions, each played on a fresh instance."""

from __future__ import annotations

import json
from functools import partial
from typing import ClassVar, Self

from pydantic import Field, JsonValue, ValidationError
from typing_extensions import override

from synthesis.documents.environment import Draft, Part
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tasks import Difficulty, FactType, Task, TaskKind, TaskOutline, Tasks
from synthesis.pipeline.reply import Piece, Reply, UnreadablePieces
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.listing import outlines_text, policy_text, rows_text, scenario_text, tools_text
from synthesis.pipeline.stages.trial import tried
from synthesis.verification.answer_facts import facts_hold
from synthesis.worlds.world import Instance, World


class CallReply(Piece):
    """One tool call."""

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class FactReply(Piece):
    """One thing the answer must hold."""

    name: str
    type: FactType
    value: bool | int | float | str


class TaskReply(Piece):
    """One task, worked out."""

    id: str = Field(description="The id of the outline.")
    instruction: str = Field(description="The outline's, made exact for the rows that are there.")
    kind: TaskKind | None = None
    difficulty: Difficulty | None = None
    reference_solution: list[CallReply]
    min_calls: int | None = Field(default=None, description="Fewest calls that can do it.")
    reference_answer: str = Field(description="What the agent rightly says at the end.")
    answer_facts: list[FactReply] = Field(default_factory=list)


class ImpossibleReply(Piece):
    """A task that cannot be done, and the part that would have to change."""

    id: str
    part: PartName
    reason: str


class TasksReply(Reply):
    """Tasks, worked out."""

    listed: ClassVar[tuple[str, str] | None] = ("tasks", "id")
    tasks: list[TaskReply]
    impossible: list[ImpossibleReply] = Field(default_factory=list)

    def merged(self, correction: Self) -> Self:
        """As for all pieces; a task called impossible stays so until it is worked out after all."""
        done = {task.id for task in correction.tasks} | {one.id for one in correction.impossible}
        kept = [one for one in self.impossible if one.id not in done]
        both = super().merged(correction)
        return both.model_copy(update={"impossible": [*kept, *correction.impossible]})


class TasksStage(Stage):
    """Makes the tasks with their reference solutions."""

    name: ClassVar[PartName] = "tasks"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "outlines", "policy", "schema", "seed_data", "tools")
    reply: ClassVar[type[Reply]] = TasksReply
    batch: ClassVar[int | None] = 5

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The world the tasks are played in."""
        return {
            "scenario": scenario_text(draft),
            "policy": policy_text(draft),
            "rows": rows_text(draft.seed_data),
            "tools": tools_text(draft.tools.tools if draft.tools else ()),
            "outlines": outlines_text(draft.outlines),
        }

    @override
    def wanted(self, draft: Draft) -> tuple[str, ...]:
        """The outlines' ids."""
        return tuple(outline.id for outline in _outlines(draft).values())

    @override
    def pieces_text(self, names: tuple[str, ...], draft: Draft) -> str:
        """Their outlines."""
        if draft.outlines is None:
            return ""
        kept = tuple(outline for outline in draft.outlines.outlines if outline.id in names)
        return outlines_text(draft.outlines.replace(outlines=kept))

    @override
    def read(self, reply: Reply, draft: Draft) -> Part:
        """The tasks in an answer; kind and difficulty are the outline's unless the answer says otherwise."""
        assert isinstance(reply, TasksReply)
        outlines = _outlines(draft)
        tasks, problems = [], dict[str, str]()
        for task in reply.tasks:
            try:
                tasks.append(_task(task, outlines.get(task.id)))
            except ValidationError as error:
                told = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
                problems[task.id] = f"{told}."
        if problems:
            raise UnreadablePieces(problems)
        return Tasks(tasks=tuple(tasks))

    @override
    def reply_of(self, part: Part) -> Reply:
        """The tasks as pieces."""
        assert isinstance(part, Tasks)
        return TasksReply.model_validate({"tasks": [task.model_dump(mode="json") for task in part.tasks]})

    @override
    def at_fault(self, reply: Reply) -> tuple[Finding, ...]:
        """Findings against earlier parts, for the tasks the answer calls impossible."""
        assert isinstance(reply, TasksReply)
        return tuple(
            Finding(
                part=one.part if one.part in self.reads else "outlines",
                check="every_task_can_be_done",
                message=f"The task {one.id!r} cannot be done: {one.reason}",
                where=one.id if one.part == "outlines" else "",
            )
            for one in reply.impossible
        )

    @override
    def check(self, part: Part, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Every outline has its task, and every reference solution is really played."""
        assert isinstance(part, Tasks)
        findings = (*_complete(part, draft), *_known_tools(part, draft))
        if len(part.tasks) < request.targets.tasks:
            message = f"There are {len(part.tasks)} tasks; {request.targets.tasks} are needed."
            findings = (*findings, _finding("there_are_enough_tasks", message))
        if any(finding.blocks for finding in findings):
            return findings
        played = tried("tasks", "every_reference_solution_runs", draft, partial(_played, part.tasks))
        return (*findings, *played)


def _played(tasks: tuple[Task, ...], world: World) -> list[Finding]:
    """Every reference solution played from the world's first state."""
    findings: list[Finding] = []
    with world.instance(keep_process=True) as instance:
        for task in tasks:
            instance.reset()
            findings += _refused(task, instance) or _outcome(task, bool(instance.diff()))
    return findings


def _refused(task: Task, instance: Instance) -> list[Finding]:
    for number, call in enumerate(task.reference_solution, start=1):
        result = instance.call(call.name, call.arguments)
        if not result.ok:
            told = f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})"
            message = f"Call {number}, {told}, came back as {result.status}: {result.message}"
            return [_finding("every_reference_solution_runs", message, task.id)]
    return []


def _outcome(task: Task, changed: bool) -> list[Finding]:
    findings = []
    if task.kind == "write" and not changed:
        message = "It is a write task, but its reference solution changes nothing."
        findings.append(_finding("every_write_task_changes_state", message, task.id))
    if task.kind in ("read", "refuse") and changed:
        message = f"It is a {task.kind} task, but its reference solution changes rows."
        findings.append(_finding("every_read_task_changes_nothing", message, task.id))
    for outcome in facts_hold(task.answer_facts, task.reference_answer):
        if not outcome.passed:
            message = f"The reference answer does not hold {outcome.name}: {task.reference_answer!r}"
            findings.append(_finding("every_reference_answer_holds_its_facts", message, task.id))
    if task.kind == "read" and not task.answer_facts:
        findings.append(
            _finding("every_read_task_has_a_fact", "It names no fact the answer must hold.", task.id)
        )
    return findings


def _outlines(draft: Draft) -> dict[str, TaskOutline]:
    return {outline.id: outline for outline in draft.outlines.outlines} if draft.outlines else {}


def _task(task: TaskReply, outline: TaskOutline | None) -> Task:
    fields = task.model_dump(exclude_none=True)
    fields.setdefault("kind", outline.kind if outline else None)
    fields.setdefault("difficulty", outline.difficulty if outline else "medium")
    fields.setdefault("min_calls", len(task.reference_solution))
    return Task.model_validate(fields)


def _complete(part: Tasks, draft: Draft) -> tuple[Finding, ...]:
    outlines, made = _outlines(draft), {task.id for task in part.tasks}
    if not outlines:
        return ()
    missing = [
        _finding("every_outline_has_its_task", "This task is missing.", name)
        for name in outlines
        if name not in made
    ]
    extra = [
        _finding("every_task_has_its_outline", "No outline has this id; remove the task.", name)
        for name in sorted(made - set(outlines))
    ]
    return (*missing, *extra)


def _known_tools(part: Tasks, draft: Draft) -> tuple[Finding, ...]:
    known = {tool.name for tool in draft.tools.tools} if draft.tools else set()
    return tuple(
        _finding("every_call_names_a_tool", f"It calls {name!r}, which is no tool.", task.id)
        for task in part.tasks
        for name in sorted({call.name for call in task.reference_solution} - known)
    )


def _finding(check: str, message: str, where: str = "") -> Finding:
    return Finding(part="tasks", check=check, message=message, where=where)
