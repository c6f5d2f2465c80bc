"""One environment: overview, schema, tools, tasks, checks, history."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from studio.models import Act, EnvironmentRecord, EnvironmentState
from studio.presentation.comment_threads import CommentPlace, threads
from studio.presentation.design_words import columns_in_words, parameters_in_words
from studio.presentation.downloads import svg_response
from studio.presentation.er_diagram import diagram_of
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.task_card import TaskCard, task_card
from studio.services.browse import visited_revisions
from studio.services.browse.tool_statements import tool_statements
from studio.services.environments import change_lists, promises, proofs, quality_gates, weak_agents
from studio.services.errors import Missing
from studio.services.review import flags
from studio.services.synthesis import schema_import
from studio.templatetags.shell import shows_code
from studio.templatetags.states import state_title
from studio.views.access import requires
from studio.views.environments.check_trials import kind_words
from studio.views.environments.environment_shell import find, page
from synthesis.documents.finding import PartName
from synthesis.documents.policy import Policy
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Tasks
from synthesis.documents.tools import Toolset
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.worlds.tool_graph import tool_tables

OVERVIEW_PARTS = ("scenario", "policy", "seed_data", "invariants")


@requires(Act.VIEW)
def environment(request: HttpRequest, name: str) -> HttpResponse:
    """What it simulates, its level, what blocks the next one."""
    record = find(name)
    assert record.current is not None
    parts = {part.part: part.load() for part in record.current.parts.filter(part__in=OVERVIEW_PARTS)}
    report = quality_gates.latest_report(record.current)
    raised = flags.unsettled(record)
    gates = quality_gates.gates(record, report, blocking=[flag for flag in reversed(raised) if flag.blocks])
    results = list(report.results.all()) if report else []
    context = {
        **parts,
        "actor": SimpleLazyObject(lambda: _actor(record, cast("SeedData", parts["seed_data"]))),
        "seen_before": visited_revisions.seen_before(record, request.user),
        "changes": change_lists.in_work(record),
        "results": results,
        "promises": promises.promises(results),
        "measures": proofs.measures(results),
        "gates": _levels(record, gates, expert=shows_code(request)),
        "blocker": quality_gates.blocker_of(gates),
        "flags": raised,
        "best": record.trajectories.order_by("-id")[:5],
        **_origin(record),
    }
    return page(request, record, "environment", "environments/overview.html", context)


def _actor(record: EnvironmentRecord, seeds: SeedData) -> str:
    """Who the agent acts for, as people call them."""
    if seeds.actor is None:
        return ""
    plain = PlainLanguage(record)
    table, key = seeds.actor.table, seeds.actor.key
    columns = plain.primary_key(table)
    name = plain.name_of(table, columns[0], key) if len(columns) == 1 else ""
    return f"{plain.one_of(table)} {name or key}"


def _origin(record: EnvironmentRecord) -> dict[str, Any]:
    """What its schema was read from, and what of that it lacks."""
    origin = schema_import.origin_of(record)
    if origin is None:
        return {}
    return {
        "origin": origin,
        "lost": [finding for finding in origin.findings if finding.severity == "warning"],
        "changed": [finding for finding in origin.findings if finding.severity == "note"],
    }


@requires(Act.VIEW)
def schema(request: HttpRequest, name: str) -> HttpResponse:
    """Tables, keys and the DDL."""
    record = find(name)
    document = _part(record, Schema)
    seeds = _part(record, SeedData)
    words = None if shows_code(request) else PlainLanguage(record)
    diagram = diagram_of(document, words)
    if request.GET.get("file") == "svg" and diagram:
        return svg_response(f"{record.name}_schema", diagram, f"Tables of {record.title}")
    context = {
        "schema": document,
        "diagram": diagram,
        "columns": columns_in_words(document, words) if words else {},
        "counts": {table: len(rows) for table, rows in seeds.rows.items()},
    }
    return page(request, record, "environment_schema", "environments/schema.html", context)


@requires(Act.VIEW)
def tools(request: HttpRequest, name: str) -> HttpResponse:
    """Every tool with its first sentence."""
    record = find(name)
    toolset = _part(record, Toolset)
    called = _callers(_part(record, Tasks))
    raised = flags.unsettled(record)
    flagged = flags.by_unit(record, raised)
    context = {
        "tools": [
            (tool, len(called.get(tool.name, ())), flagged.get(f"tool:{tool.name}", []))
            for tool in toolset.tools
        ],
        "reading": sum(not tool.mutates_state for tool in toolset.tools),
    }
    return page(request, record, "environment_tools", "environments/tools.html", context, raised=raised)


@requires(Act.VIEW)
def tool(request: HttpRequest, name: str, tool: str) -> HttpResponse:
    """One tool as agents get it, with its code and who calls it."""
    record = find(name)
    toolset, schema, tasks = _parts(record, Toolset, Schema, Tasks)
    result = toolset.tool(tool)
    if result is None:
        raise Missing(
            f"{record.title} has no tool named {tool!r}.", remedy="Choose one from the list of tools."
        )
    names = [each.name for each in toolset.tools]
    at = names.index(tool)
    assert record.current is not None
    proof = proofs.tool_proof(record.current, tool)
    raised = flags.unsettled(record)
    context = {
        "tool": result,
        "flags": flags.by_unit(record, raised).get(f"tool:{tool}", []),
        "proof": proof,
        "calls": [(kind_words(count.kind), count) for count in proof.calls] if proof else [],
        "parameters": parameters_in_words(result, PlainLanguage(record)),
        "source": _source_of(toolset.source, tool),
        "statements": tool_statements(toolset.source, tool),
        "tables": tool_tables(toolset, schema)[tool],
        "tasks": _callers(tasks).get(tool, ()),
        "steps": record.trajectories.filter(steps__tool=tool).distinct()[:8],
        "previous": names[at - 1] if at else "",
        "next": names[at + 1] if at + 1 < len(names) else "",
        **threads(
            record,
            kind="tool",
            anchor=tool,
            words="tool",
            unit=f"tool:{tool}",
            snapshot=_source_of(toolset.source, tool)[0],
            reader=request.user.pk,
            places=_lines_of(tool, *_source_of(toolset.source, tool)) if shows_code(request) else (),
        ),
    }
    return page(request, record, "environment_tools", "environments/tool.html", context, raised=raised)


@requires(Act.VIEW)
def tasks(request: HttpRequest, name: str) -> HttpResponse:
    """Every task with its agents' results."""
    record = find(name)
    outcomes: dict[str, list[tuple[str, str]]] = {}
    for task_id, agent, label in record.trajectories.order_by("agent", "-id").values_list(
        "task_id", "agent", "label"
    ):
        if agent not in [seen for seen, _ in outcomes.setdefault(task_id, [])]:
            outcomes[task_id].append((agent, label))
    raised = flags.unsettled(record)
    flagged = flags.by_unit(record, raised)
    written = _part(record, Tasks).tasks
    assert record.current is not None
    weak = weak_agents.summary_of(record.current, written)
    context = {
        "tasks": [
            (
                task,
                outcomes.get(task.id, []),
                flagged.get(f"task:{task.id}", []),
                weak.by_task.get(task.id, []),
            )
            for task in written
        ],
        "weak_agents": weak,
    }
    return page(request, record, "environment_tasks", "environments/tasks.html", context, raised=raised)


@requires(Act.VIEW)
def task(request: HttpRequest, name: str, task: str) -> HttpResponse:
    """One task: what is asked, the reference solution, the verifier, the episodes."""
    record = find(name)
    written, verifiers = _parts(record, Tasks, Verifiers)
    every = written.tasks
    result = next((each for each in every if each.id == task), None)
    if result is None:
        raise Missing(
            f"{record.title} has no task named {task!r}.", remedy="Choose one from the list of tasks."
        )
    at = every.index(result)
    verifier = verifiers.of(task)
    raised = flags.unsettled(record)
    assert record.current is not None
    card = None if shows_code(request) else task_card(record, result, PlainLanguage(record))
    context = {
        "task": result,
        "card": card,
        "flags": flags.by_unit(record, raised).get(f"task:{task}", []),
        "proof": proofs.task_proof(record.current, task),
        "verifier": verifier,
        "trajectories": record.trajectories.filter(task_id=task)[:20],
        "reference": card.demonstration.trajectory if card else _reference_of(record, task),
        "previous": every[at - 1].id if at else "",
        "next": every[at + 1].id if at + 1 < len(every) else "",
        **threads(
            record,
            kind="task",
            anchor=task,
            words="task",
            unit=f"task:{task}",
            snapshot=result.instruction,
            reader=request.user.pk,
            places=_verifier_places(task, verifier, card),
        ),
    }
    return page(request, record, "environment_tasks", "environments/task.html", context, raised=raised)


def _reference_of(record: EnvironmentRecord, task_id: str) -> int | None:
    """The newest episode of the reference solution."""
    episodes = record.trajectories.filter(task_id=task_id, agent="reference")
    return episodes.values_list("pk", flat=True).first()


@requires(Act.VIEW)
def history(request: HttpRequest, name: str) -> HttpResponse:
    """Every revision: who made it, why, and which parts changed."""
    record = find(name)
    revisions = list(record.revisions.select_related("author", "run").prefetch_related("parts"))
    rows = []
    for revision, before in zip(revisions, [*revisions[1:], None], strict=True):
        old = {part.pk for part in before.parts.all()} if before else set()
        rows.append((revision, [part for part in revision.parts.all() if part.pk not in old]))
    return page(request, record, "environment_history", "environments/history.html", {"rows": rows})


_NAMES: dict[type, PartName] = {
    Scenario: "scenario", Policy: "policy", Schema: "schema", SeedData: "seed_data", Toolset: "tools",
    Tasks: "tasks", Verifiers: "verifiers",
}  # fmt: skip


def _part(record: EnvironmentRecord, kind: type) -> Any:
    """One part of the current revision, which every stored environment has."""
    (part,) = _parts(record, kind)
    return part


def _parts(record: EnvironmentRecord, *kinds: type) -> list[Any]:
    """Parts of the current revision, in one query."""
    assert record.current is not None
    names = [_NAMES[kind] for kind in kinds]
    results = {part.part: part.load() for part in record.current.parts.filter(part__in=names)}
    return [results[name] for name in names]


_STEPS = {
    EnvironmentState.EXECUTABLE: ("See what does not work", "environment_checks"),
    EnvironmentState.PROVED: ("See which checks fail", "environment_checks"),
    EnvironmentState.REVIEWED: ("Review it", "environment_review"),
    EnvironmentState.APPROVED: ("See what keeps it from being approved", "environment_review"),
    EnvironmentState.EXPORTED: ("Export a bundle", "environment_export"),
}
"""By gate: what opens it, and where."""


def _levels(
    record: EnvironmentRecord, gates: Iterable[quality_gates.QualityGate], *, expert: bool
) -> list[dict[str, str]]:
    """The quality gates: passed, next, or still to come."""
    levels: list[dict[str, str]] = []
    open_before = False
    for gate in gates:
        passed = gate.passed and not open_before
        standing = "done" if passed else ("later" if open_before else "next")
        open_before = open_before or not gate.passed
        reason = quality_gates.QualityGate.WAITS if standing == "later" and gate.passed else gate.reason
        step, place = _STEPS[gate.state]
        address = reverse(place, args=[record.name])
        level = {
            "title": state_title(gate.state.value, expert=expert),
            "standing": standing,
            "reason": reason,
        }
        levels.append({**level, "step": step, "address": address})
    return levels


def _lines_of(tool: str, source: str, first: int) -> list[CommentPlace]:
    """The lines of a tool's code that hold any."""
    return [
        CommentPlace("lines", f"{tool}:{number}", f"Line {number}: {line.strip()[:60]}", line)
        for number, line in enumerate(source.splitlines(), start=first)
        if line.strip()
    ]


def _verifier_places(task: str, verifier: Verifier | None, card: TaskCard | None) -> list[CommentPlace]:
    """What decides whether a task is done: the whole of it, and each thing that must be true afterwards."""
    if verifier is None:
        return []
    whole = CommentPlace("verifier", task, "What must be true afterwards", verifier.source)
    checks = card.checks if card else ()
    return [whole, *(CommentPlace("verifier", f"{task}/{at}"[:300], words, words) for at, words, _ in checks)]


def _callers(tasks: Tasks) -> dict[str, list[str]]:
    """Tool to the ids of the tasks whose reference solution calls it."""
    results: dict[str, list[str]] = {}
    for each in tasks.tasks:
        for name in dict.fromkeys(call.name for call in each.reference_solution):
            results.setdefault(name, []).append(each.id)
    return results


def _source_of(source: str, name: str) -> tuple[str, int]:
    """The function's own lines and the number of the first; the whole source where it cannot be read."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return source, 1
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno]), node.lineno
    return source, 1
