"""The tasks: instructions with reference solutions, each played on a fresh instance."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from keyword import iskeyword
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    ValidationError,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.evidence import evidence_of_calls
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tasks import BlockingKind, Difficulty, FactType, Task, TaskKind, TaskOutline, Tasks
from synthesis.documents.tools import ToolResult
from synthesis.pipeline.reply import Piece, PieceName, Reply, UnreadablePieces
from synthesis.pipeline.request import SynthesisRequest, too_few_tasks
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.listing import (
    outlines_text,
    policy_text,
    rows_text,
    scenario_text,
    schema_text,
    tools_text,
)
from synthesis.pipeline.stages.source import placed
from synthesis.pipeline.stages.trial import tried
from synthesis.pipeline.stages.written_call import is_readable, read_call, written_call
from synthesis.verification.answer_problems import answer_problem
from synthesis.verification.answers import answer_outcomes, observed_in
from synthesis.worlds.world import Instance, World


class CallReply(Piece):
    """One tool call; written as Python does, or as an object."""

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        return read_call(value) if isinstance(value, str) else value

    @model_serializer(mode="wrap")
    def _as_python(self, as_object: SerializerFunctionWrapHandler) -> Any:
        names = all(name.isidentifier() and not iskeyword(name) for name in (self.name, *self.arguments))
        text = written_call(self.name, self.arguments) if names else ""
        return text if text and is_readable(text) else as_object(self)


_Call = Annotated[
    CallReply,
    WithJsonSchema({"type": "string", "description": "For example: find_patients(name='Ilse', limit=5)"}),
]


_EarlierPart = Annotated[
    PartName, WithJsonSchema({"enum": ["outlines", "policy", "schema", "seed_data", "tools"]})
]
"""Any part is read; those whose authors can help are named."""


class FactReply(Piece):
    """One thing the answer must hold."""

    name: str
    type: FactType
    value: bool | int | float | str
    unit: str | None = Field(default=None, description="What is counted, where it could be another thing.")
    direction: str | None = Field(default=None, description="Which way a difference goes, where it matters.")


class BlockingReply(Piece):
    """One piece of evidence why a request is declined."""

    kind: BlockingKind
    text: str = Field(description="The reason in plain words.")
    value: bool | int | float | str | None = Field(
        default=None, description="What an answer may name instead: a state, a limit, a day."
    )
    type: FactType | None = Field(default=None, description="Of the value; with a value only.")


class TaskReply(Piece):
    """One task, worked out."""

    id: PieceName = Field(description="The id of the outline.")
    instruction: str = Field(
        default="", description="The outline's instruction, made exact; only where it has to be another."
    )
    kind: TaskKind | None = Field(default=None, description="Only where it has to be another.")
    difficulty: SkipJsonSchema[Difficulty | None] = None
    reference_solution: list[_Call]
    min_calls: int | None = Field(
        default=None, description="The fewest calls, where the reference solution has more than needed."
    )
    reference_answer: str = Field(description="A right final answer of the agent.")
    answer_facts: list[FactReply] = Field(default_factory=list)
    blocking: list[BlockingReply] = Field(
        default_factory=list, description="Why the request, or a part of it, must be declined."
    )
    max_steps: SkipJsonSchema[int | None] = None
    depth: SkipJsonSchema[int | None] = None


class ImpossibleReply(Piece):
    """A task that cannot be done, and the part that would have to change."""

    id: PieceName
    part: _EarlierPart
    reason: str


class TasksReply(Reply):
    """Tasks, worked out."""

    listed: ClassVar[tuple[str, str] | None] = ("tasks", "id")
    tasks: list[TaskReply]
    impossible: list[ImpossibleReply] = Field(default_factory=list)

    def merged(self, correction: Self) -> Self:
        """As for all pieces; a task called impossible stays so until it is worked out after all."""
        done = {task.id for task in correction.tasks} | {one.id for one in correction.impossible}
        impossible_replies = [one for one in self.impossible if one.id not in done]
        for task in correction.tasks:
            if not task.instruction and task.id in self.pieces:
                task.instruction = self.pieces[task.id].instruction
        both = super().merged(correction)
        return both.model_copy(update={"impossible": [*impossible_replies, *correction.impossible]})


class TasksStage(Stage[Tasks, TasksReply]):
    """Makes the tasks with their reference solutions."""

    name: ClassVar[PartName] = "tasks"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "outlines", "policy", "schema", "seed_data", "tools")
    reply: ClassVar[type[Reply]] = TasksReply
    batch: ClassVar[int | None] = 10

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The world the tasks are played in."""
        return {
            "scenario": scenario_text(draft),
            "policy": policy_text(draft),
            "schema": schema_text(draft),
            "rows": rows_text(draft.seed_data),
            "tools": tools_text(draft),
            "outlines": outlines_text(draft.outlines),
        }

    @override
    def wanted(self, draft: Draft) -> tuple[str, ...]:
        """The outlines' ids."""
        return tuple(outline.id for outline in _outlines(draft).values())

    @override
    def read(self, reply: TasksReply, draft: Draft) -> Tasks:
        """The tasks in an answer; kind and difficulty are the outline's unless the answer says otherwise."""
        outlines = _outlines(draft)
        tasks, problems = [], dict[str, str]()
        for task in reply.tasks:
            try:
                tasks.append(_task(task, outlines.get(task.id)))
            except ValidationError as error:
                message = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
                problems[task.id] = f"{message}."
        if problems:
            raise UnreadablePieces(problems)
        return Tasks(tasks=tuple(tasks))

    @override
    def reply_of(self, part: Tasks) -> TasksReply:
        """The tasks as pieces."""
        return TasksReply.model_validate({"tasks": [task.model_dump(mode="json") for task in part.tasks]})

    @override
    def at_fault(self, reply: TasksReply) -> tuple[Finding, ...]:
        """Findings against earlier parts, for the tasks the answer calls impossible."""
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
    def check(self, part: Tasks, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Every outline has its task, and every reference solution is really played."""
        findings = (*_complete(part, draft), *_known_tools(part, draft))
        findings = (*findings, *_counted(len(part.tasks), request))
        if any(finding.blocks for finding in findings):
            return findings
        source = draft.tools.source if draft.tools else ""
        played = tried("tasks", "every_reference_solution_runs", draft, partial(_played, part.tasks, source))
        return (*findings, *played)


def _counted(count: int, request: SynthesisRequest) -> tuple[Finding, ...]:
    """What is wrong with the number of tasks; that there are fewer than the usual number is only noted."""
    wanted = request.targets.tasks
    if count == wanted:
        return ()
    if count > wanted or too_few_tasks(request, "tasks", count):
        message = f"There are {count} tasks; exactly {wanted} are needed."
        return (_finding("there_are_enough_tasks", message),)
    message = f"This world offers {count} tasks, not the usual {wanted}; a fuller description gives more."
    return (_finding("there_are_enough_tasks", message).replace(severity="warning"),)


def _played(tasks: tuple[Task, ...], source: str, world: World) -> list[Finding]:
    """Every reference solution played from the world's first state."""
    findings: list[Finding] = []
    with world.instance(keep_process=True) as instance:
        for task in tasks:
            instance.reset()
            results = list[ToolResult]()
            findings += _refused(task, instance, source, results) or (
                _outcome(task, bool(instance.diff())) or _misread(task, results, instance, world)
            )
    return findings


def _refused(task: Task, instance: Instance, source: str, results: list[ToolResult]) -> list[Finding]:
    """The first call that does not succeed; a tool that fails is the tools' to mend, not the task's.

    Results of the calls before it are appended to `results`.
    """
    for number, call in enumerate(task.reference_solution, start=1):
        result = instance.call(call.name, call.arguments)
        results.append(result)
        if not result.ok:
            text = f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})"
            if result.status == "error":
                failure = (
                    f"Called with {json.dumps(call.arguments)} it failed: {placed(result.message, source)}"
                )
                return [Finding(part="tools", check="every_tool_runs", message=failure, where=call.name)]
            message = f"Call {number}, {text}, ended with {result.status}: {result.message}"
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
    texts = Counter(fact.name for fact in task.answer_facts if fact.type in ("name", "text"))
    for name in [name for name, count in texts.items() if count > 1]:
        message = (
            f"Several facts are called {name!r}, so each of them contradicts the others. Ask for a list in "
            "an order and name its entries by their places: 'first ...', 'second ...'."
        )
        findings.append(_finding("every_fact_has_its_own_name", message, task.id))
    if task.kind == "read" and not task.answer_facts:
        findings.append(
            _finding("every_read_task_has_a_fact", "It names no fact the answer must contain.", task.id)
        )
    if task.kind == "refuse" and not task.blocking:
        message = "It must be declined, but names no `blocking` evidence that says why."
        findings.append(_finding("every_refusal_names_what_blocks_it", message, task.id))
    return findings


def _misread(task: Task, results: list[ToolResult], instance: Instance, world: World) -> list[Finding]:
    """What speaks against the reference answer, read beside the calls as the answer of an episode is."""
    if not (task.reference_answer or task.answer_facts or task.blocking):
        return []
    evidence = evidence_of_calls(task.reference_solution, results, instruction=task.instruction)
    outcomes = answer_outcomes(
        world.environment,
        task,
        task.reference_answer,
        changed=bool(instance.diff()),
        observed=observed_in(world.environment, task, evidence),
    )
    if problem := answer_problem(outcomes, task.reference_answer):
        return [_finding("every_reference_answer_is_accepted", f"{problem[0].upper()}{problem[1:]}", task.id)]
    return []


def _outlines(draft: Draft) -> dict[str, TaskOutline]:
    return {outline.id: outline for outline in draft.outlines.outlines} if draft.outlines else {}


def _task(task: TaskReply, outline: TaskOutline | None) -> Task:
    calls = [{"name": call.name, "arguments": call.arguments} for call in task.reference_solution]
    fields = {**task.model_dump(exclude_none=True), "reference_solution": calls}
    if not task.instruction and outline is not None:
        fields["instruction"] = outline.instruction
    fields.setdefault("kind", outline.kind if outline else None)
    fields.setdefault("difficulty", outline.difficulty if outline else "medium")
    fields.setdefault("min_calls", len(task.reference_solution))
    return Task.model_validate(fields)


def _complete(part: Tasks, draft: Draft) -> tuple[Finding, ...]:
    outlines, texts = _outlines(draft), {task.id for task in part.tasks}
    if not outlines:
        return ()
    missing = [
        _finding("every_outline_has_its_task", "This task is missing.", name)
        for name in outlines
        if name not in texts
    ]
    extra = [
        _finding("every_task_has_its_outline", "No outline has this id; remove the task.", name)
        for name in sorted(texts - set(outlines))
    ]
    return (*missing, *extra)


def _known_tools(part: Tasks, draft: Draft) -> tuple[Finding, ...]:
    known = {tool.name for tool in draft.tools.tools} if draft.tools else set()
    return tuple(
        _finding("every_call_names_a_tool", f"It calls {name!r}, which is not a tool.", task.id)
        for task in part.tasks
        for name in sorted({call.name for call in task.reference_solution} - known)
    )


def _finding(check: str, message: str, where: str = "") -> Finding:
    return Finding(part="tasks", check=check, message=message, where=where)
