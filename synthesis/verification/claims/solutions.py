"""Claims 3 and 5: every task can be done, and doing it again comes to the same."""

from __future__ import annotations

from synthesis.documents.finding import PartName
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.answer_problems import answer_problem, failed_checks, is_of_answer
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.tools import reads_by_name
from synthesis.verification.measurements import EndState, Measured
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.reference_run import ReferenceRun
from synthesis.worlds.replay import differences, replay

_VERBS = """
    add accept approve archive assign book cancel change charge check close complete confirm create delete
    edit end enrol enroll extend issue mark move open pause pay place post record refund register reject
    release remove rename renew reopen request reschedule reserve resolve return send set ship start stop
    submit switch transfer update upgrade void waive withdraw
"""
_WRITING_VERBS = frozenset(_VERBS.split())
"""First words of names of tools that write."""
_UNMISTAKABLE = frozenset(
    {
        "add",
        "approve",
        "assign",
        "cancel",
        "create",
        "delete",
        "edit",
        "enrol",
        "enroll",
        "refund",
        "register",
    }
    | {"reject", "remove", "rename", "reschedule", "transfer", "update", "waive", "withdraw"}
)
"""Those that no name of a tool which only reads begins with, unless it ends with a verb: refund_list."""


def writes_by_name(name: str) -> bool:
    """Whether a tool's name promises that it writes."""
    first, last = name.split("_", maxsplit=1)[0], name.rsplit("_", 1)[-1]
    return first in _UNMISTAKABLE and not reads_by_name(last)


def reference_solutions_run(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every call of every reference solution is answered: none fails, none is refused."""
    calls = 0
    for task in context.tasks:
        run = context.reference(task)
        calls += len(run.results)
        for number, (call, result) in enumerate(
            zip(task.reference_solution, run.results, strict=True), start=1
        ):
            if not result.ok:
                part, where = _at_fault(context, task, call, result)
                answer.finds(
                    part,
                    f"{task.id}: call {number} of the reference solution, {call.name}, "
                    f"ended with {result.status}: {result.message}",
                    where=where,
                    evidence={"task": task.id, "call": call.model_dump(mode="json"), "number": number},
                )
                break
    answer.counts(tasks=len(context.tasks), calls=calls)


def reference_solutions_complete_their_tasks(context: ProofContext, answer: ClaimOutcome) -> None:
    """After the reference solution, with the reference answer, every verifier says Completed.

    The answer is read beside the calls of the solution, as that of an episode is.
    """
    done = 0
    context.measurements.take(
        EndState(task, context.reference(task).after, task.reference_answer) for task in context.tasks
    )
    for task in context.tasks:
        run = context.reference(task)
        measured = context.measured(task, run.after, task.reference_answer)
        done += measured.completed
        if not measured.completed and run.clean:
            part, where, why = _to_blame(context, run, measured)
            answer.finds(
                part,
                f"{task.id} is not completed by its reference solution: {why}",
                where=where,
                evidence={
                    "task": task.id,
                    "open": list(measured.open),
                    "error": measured.error,
                    "outcomes": [outcome.model_dump(mode="json") for outcome in measured.outcomes],
                    "changes": [change.model_dump(mode="json") for change in run.changes.changes[:20]],
                },
            )
    answer.counts(tasks=len(context.tasks), completed=done)


def tasks_change_what_they_say(context: ProofContext, answer: ClaimOutcome) -> None:
    """Reference solutions of read and refuse tasks change nothing, those of write tasks change something."""
    for task in context.tasks:
        run = context.reference(task)
        changed = len(run.changes)
        if task.kind in ("read", "refuse") and changed:
            reader = next(
                (
                    call.name
                    for call, result in zip(task.reference_solution, run.results, strict=True)
                    if result.changes and reads_by_name(call.name)
                ),
                "",
            )
            answer.finds(
                "tools" if reader else "tasks",
                f"{task.id} is a {task.kind} task, but its reference solution changes {changed} rows"
                + (f" by calling {reader}." if reader else "."),
                where=reader or task.id,
            )
        if task.kind == "write" and not changed and run.clean:
            tool = _silent_tool(context, run)
            where = tool or task.id
            answer.finds(
                "tools" if tool else "tasks",
                f"{task.id} is a write task, but its reference solution changes no row"
                + (f": {tool} succeeded but saved nothing." if tool else "."),
                where=where,
            )
    answer.counts(
        tasks=len(context.tasks), changed_rows=sum(len(context.reference(t).changes) for t in context.tasks)
    )


def replays_come_to_the_same(context: ProofContext, answer: ClaimOutcome) -> None:
    """A replay of every reference solution, in another process, gives the same observations and state."""
    calls = 0
    for task in context.tasks:
        run = context.reference(task)
        with context.instance() as instance:
            again = replay(instance, task.reference_solution)
            hash = instance.state_hash()
        calls += len(again)
        recorded = [result.observation() for result in run.results]
        for text in differences(again, recorded)[:3]:
            answer.finds("tools", f"{task.id}: a replay differed. {text}", where=task.id)
        if hash != run.after.hash:
            answer.finds(
                "tools", f"{task.id}: a replay reached another state than the first run.", where=task.id
            )
    answer.counts(tasks=len(context.tasks), calls=calls)


def _at_fault(context: ProofContext, task: Task, call: ToolCall, result: ToolResult) -> tuple[PartName, str]:
    """Whose fault a call is that did not go through.

    The tool's that failed; the rows' where goals of the task hold already; a tool's that every task with it
    fails with; else the task's, which asks for what cannot be.
    """
    if result.status == "error":
        return "tools", call.name
    if result.status == "refused":
        start = context.measured(task, context.world.base, "")
        held = [outcome for outcome in start.outcomes if outcome.passed and not outcome.guard]
        if held:
            return "seed_data", task.id
        if tool := _common_tool(context, task):
            return "tools", tool
    return "tasks", task.id


def _to_blame(context: ProofContext, run: ReferenceRun, measured: Measured) -> tuple[PartName, str, str]:
    """The part at fault when a clean reference run is not Completed, the place, and the reason."""
    task = run.task
    words = context.forbidden_to_verifiers.get(task.id)
    if words or measured.error:
        why = f"its verifier does what no verifier may. {words}" if words else measured.error
        return "verifiers", task.id, why
    if measured.open and is_of_answer(measured.open):
        return "tasks", task.id, answer_problem(measured.outcomes, task.reference_answer)
    checks = f"failed checks: {failed_checks(measured.outcomes)}."
    if task.kind in ("write", "mixed") and (tool := _silent_tool(context, run)):
        return "tools", tool, f"{tool} succeeded but changed no row; {checks}"
    if astray := _astray(run):
        call, place = astray
        return "tools", call.name, f"{call.name} changed {place}, which its arguments do not name; {checks}"
    if tool := _common_tool(context, task):
        return "tools", tool, f"every task that needs {tool} fails the same way; {checks}"
    return "verifiers", task.id, checks


def _silent_tool(context: ProofContext, run: ReferenceRun) -> str:
    """A tool that should have written, by its own word or by its name, and changed no row."""
    writing = {tool.name for tool in context.world.tools if tool.mutates_state}
    for call, result in zip(run.task.reference_solution, run.results, strict=True):
        if result.ok and not result.changes:
            by_name = call.name.split("_")[0] in _WRITING_VERBS and not call.name.startswith("check_if")
            if call.name in writing or by_name:
                return call.name
    return ""


def _astray(run: ReferenceRun) -> tuple[ToolCall, str] | None:
    """A call that names rows by number and changed none that has such a number in it."""
    for call, result in zip(run.task.reference_solution, run.results, strict=True):
        named = {
            value
            for name, value in call.arguments.items()
            if name.endswith("id") and isinstance(value, int) and not isinstance(value, bool)
        }
        if not named or not result.changes:
            continue
        touched = {
            cell
            for change in result.changes.changes
            for row in (change.before, change.after)
            for cell in (row or {}).values()
        }
        if not named & touched:
            change = result.changes.changes[0]
            return call, f"{change.table} {change.key}"
    return None


def _common_tool(context: ProofContext, task: Task) -> str:
    """A writing tool that several tasks need and that none of them is completed with, although others are."""
    writing = {tool.name for tool in context.world.tools if tool.mutates_state}
    by_tool: dict[str, list[bool]] = {}
    completed = []
    for other in context.tasks:
        run = context.reference(other)
        good = run.clean and context.measured(other, run.after, other.reference_answer).completed
        completed.append(good)
        for name in {call.name for call in other.reference_solution} & writing:
            by_tool.setdefault(name, []).append(good)
    used = [call.name for call in task.reference_solution if call.name in writing]
    suspects = [name for name in used if len(by_tool[name]) > 1 and not any(by_tool[name])]
    return suspects[0] if suspects and any(completed) else ""
