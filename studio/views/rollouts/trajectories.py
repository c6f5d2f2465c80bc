"""Trajectories: the list, and the replay with one step per address."""

from __future__ import annotations

import json
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

import orjson
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studio.filters.trajectories import FACETS, FACETS_EVERYWHERE, UNLISTED, TrajectoryFilter
from studio.models import Act, EnvironmentRecord, StepRecord, TrajectoryRecord
from studio.presentation.check_words import outcome_words
from studio.presentation.comment_threads import threads
from studio.presentation.lists import listed
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.plain_results import plain_result
from studio.presentation.replay_timeline import timeline
from studio.presentation.row_changes import net_changes, shown_changes
from studio.presentation.task_card import denied_facts
from studio.services.environments.dictionaries import as_words
from studio.services.environments.environments import load_part
from studio.services.environments.titles import titles_of
from studio.services.errors import Missing
from studio.services.rollouts.trajectories import opinions
from studio.tables.trajectories import TrajectoryTable
from studio.templatetags.plain import agent_title
from studio.templatetags.shell import shows_code
from studio.templatetags.states import state_title
from studio.templatetags.texts import pretty_json
from studio.views.access import requires
from studio.views.environments.environment_shell import find as find_environment
from studio.views.environments.environment_shell import page
from synthesis.documents.conversation import Reasoning
from synthesis.documents.trajectory import Step

LARGE = 60_000
"""Characters of a result shown at once; the whole is one click away and never sent unasked."""
LONGEST_TO_INDENT = 1_000_000
"""Characters of a step's document up to which its result is indented before it is cut."""
MOST_DIGITS = 8
"""Digits of a step's number in an address."""
MOST_CHANGES = 200
"""Changed rows shown at once."""
STEPS_BESIDE = 100
"""Steps of two episodes on one page."""


@requires(Act.VIEW)
def trajectories(request: HttpRequest) -> HttpResponse:
    """Every trajectory of every environment."""
    context = listed(
        request,
        queryset=TrajectoryRecord.objects.listed(),
        filterset=TrajectoryFilter,
        table=TrajectoryTable,
        names=FACETS_EVERYWHERE,
        unlisted=UNLISTED,
        called=_called(request, _environment(request)),
    )
    return render(request, "trajectories/list.html", {**context, "section": "trajectories"})


@requires(Act.VIEW)
def environment_trajectories(request: HttpRequest, name: str) -> HttpResponse:
    """The trajectories of one environment."""
    record = find_environment(name)
    context = listed(
        request,
        queryset=TrajectoryRecord.objects.listed().filter(environment=record),
        filterset=TrajectoryFilter,
        table=TrajectoryTable,
        names=FACETS,
        exclude=("environment",),
        called=_called(request, record),
    )
    return page(request, record, "environment_trajectories", "environments/trajectories.html", context)


def _environment(request: HttpRequest) -> EnvironmentRecord | None:
    """The one that the address narrows the list to."""
    name = request.GET.get("environment", "")
    return EnvironmentRecord.objects.filter(name=name).first() if name else None


def _called(request: HttpRequest, record: EnvironmentRecord | None) -> dict[str, Callable[[str], str]]:
    """What values are called among filters; in the expert view their names."""
    if shows_code(request):
        return {}
    titles = titles_of(record) if record else None
    return {
        "task_id": titles.task if titles else as_words,
        "environment": lambda value: record.title if record else value,
        "agent": lambda value: agent_title(value, expert=False),
        "label": lambda value: state_title(value, expert=False),
    }


@requires(Act.VIEW)
def trajectory(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """A trajectory opens at its first step, or at the one that the timeline asks for without script."""
    record = _find(trajectory_id)
    wanted = request.GET.get("step", "")
    index = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < MOST_DIGITS else 1
    return redirect("trajectory_step", trajectory_id=record.pk, index=index)


@requires(Act.VIEW)
def trajectory_step(request: HttpRequest, trajectory_id: int, index: int) -> HttpResponse:
    """One step: what was called, what came back, which rows changed; beside the outline of all."""
    trajectory_record = _find(trajectory_id)
    words = request.GET.get("q", "").strip()
    outline = list(
        trajectory_record.steps.only(
            "index", "tool", "status", "changed_rows", "changed_tables", "size", "trajectory_id"
        )
    )
    record = trajectory_record.steps.filter(index=index).first()
    if record is None and (outline or index != 1):
        raise Missing(
            f"This trajectory has {trajectory_record.step_count} steps; there is no step {index}.",
            remedy="Choose a step from the outline.",
        )
    step, observation = _read(record) if record else (None, "")
    view = request.GET.get("view", "diff")
    plain = PlainLanguage(trajectory_record.environment, revision=trajectory_record.revision)
    verdicts = opinions(trajectory_record)
    task = _task(trajectory_record)
    context = {
        "section": "trajectories",
        "trajectory": trajectory_record,
        "environment": trajectory_record.environment,
        "plain": plain,
        "task": task,
        "outline": outline,
        **timeline(outline),
        "matches": _matching(trajectory_record, words),
        "words": words,
        "index": index,
        "step": step,
        "reasoning": _reasoning(trajectory_record, index),
        "last": index == trajectory_record.step_count,
        "next_change": next(
            (each.index for each in outline if each.index > index and each.changed_rows), None
        ),
        "view": view if view in ("diff", "before", "after") else "diff",
        "changes": shown_changes(step.changes, most=MOST_CHANGES) if step else [],
        "changed": len(step.changes) if step else 0,
        "since": _since(request, trajectory_record, index),
        "observation": observation,
        "shown_result": plain_result(plain, step.observation) if step and len(observation) <= LARGE else None,
        "large": LARGE,
        "whole": request.GET.get("whole") == "1",
        "verdicts": verdicts,
        "outcome_words": outcome_words(plain, verdicts, denied=denied_facts(task) if task else ()),
        **threads(
            trajectory_record.environment,
            kind="step",
            anchor=f"{trajectory_record.pk}/{index}",
            words="step",
            unit=f"task:{trajectory_record.task_id}",
            reader=request.user.pk,
        ),
        "others": trajectory_record.environment.trajectories.filter(
            task_id=trajectory_record.task_id
        ).exclude(pk=trajectory_record.pk)[:8],
    }
    return render(request, "trajectories/step.html", context)


@requires(Act.VIEW)
def trajectory_compare(request: HttpRequest, trajectory_id: int, other_id: int) -> HttpResponse:
    """Two episodes of one task side by side: the same calls aligned, what each left behind."""
    left, right = _find(trajectory_id), _find(other_id)
    if (left.environment_id, left.task_id) != (right.environment_id, right.task_id):
        raise Missing("These are episodes of different tasks.", remedy="Choose two episodes of one task.")
    sides = [each.load().steps for each in (left, right)]
    context = {
        "section": "trajectories",
        "left": left,
        "right": right,
        "plain": PlainLanguage(left.environment, revision=left.revision),
        "task": _task(left),
        "rows": Paginator(aligned(*sides), STEPS_BESIDE).get_page(request.GET.get("page")),
        "ends": [net_changes([step.changes for step in steps])[:MOST_CHANGES] for steps in sides],
    }
    return render(request, "trajectories/compare.html", context)


def aligned(left: tuple[Step, ...], right: tuple[Step, ...]) -> list[dict[str, Any]]:
    """Steps of two trajectories in rows; equal actions are side by side."""
    keys = [[step.action.model_dump_json() for step in steps] for steps in (left, right)]
    rows: list[dict[str, Any]] = []
    for kind, a1, a2, b1, b2 in SequenceMatcher(a=keys[0], b=keys[1], autojunk=False).get_opcodes():
        length = max(a2 - a1, b2 - b1)
        for offset in range(length):
            one = left[a1 + offset] if a1 + offset < a2 else None
            two = right[b1 + offset] if b1 + offset < b2 else None
            same = kind == "equal" and one is not None and two is not None
            rows.append(
                {
                    "left": one,
                    "right": two,
                    "same": same,
                    "result_differs": same and one.observation != two.observation,  # type: ignore[union-attr]
                }
            )
    return rows


def _find(trajectory_id: int) -> TrajectoryRecord:
    record = (
        TrajectoryRecord.objects.select_related("environment__current", "revision", "conversation")
        .defer("conversation__document")
        .filter(pk=trajectory_id)
        .first()
    )
    if record is None:
        raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
    return record


def _reasoning(record: TrajectoryRecord, index: int) -> list[Reasoning]:
    """What the agent thought before a step; a conversation without any thought is not even parsed."""
    stored = getattr(record, "conversation", None)
    if stored is None or '"reasoning":' not in stored.document:
        return []
    thoughts: list[Reasoning] = stored.load().reasoning_before(index)
    return thoughts


def _task(record: TrajectoryRecord) -> Any:
    tasks = load_part(record.revision, "tasks")
    return next((task for task in tasks.tasks if task.id == record.task_id), None)  # type: ignore[union-attr]


def _matching(record: TrajectoryRecord, words: str) -> set[int] | None:
    """Steps whose arguments, results or changed rows hold the words; None without words."""
    if not words:
        return None
    written = json.dumps(words, ensure_ascii=False)[1:-1]  # as in a document: quotes are escaped
    holding = Q(document__icontains=written) | Q(tool__icontains=words)
    return set(record.steps.filter(holding).values_list("index", flat=True))


def _since(request: HttpRequest, trajectory_record: TrajectoryRecord, index: int) -> dict[str, Any] | None:
    """The net difference from after one step to after a later one, when the address asks for it.

    `since` is the step before the range (0 for the beginning), `through` its last step: the one shown when
    it is left out.
    """
    raw, through = request.GET.get("since", ""), request.GET.get("through", "") or str(index)
    if not (_is_step(raw) and _is_step(through)):
        return None
    first, last = int(raw), min(int(through), trajectory_record.step_count)
    if first >= last:
        return None
    steps = trajectory_record.steps.filter(index__gt=first, index__lte=last, changed_rows__gt=0)
    changes = net_changes([record.load().changes for record in steps])
    return {
        "from": first,
        "first": first + 1,
        "through": last,
        "changes": changes[:MOST_CHANGES],
        "count": len(changes),
    }


def _is_step(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 7


@requires(Act.VIEW)
def trajectory_step_whole(_: HttpRequest, trajectory_id: int, index: int) -> HttpResponse:
    """Everything about one step as it is stored, however long, as JSON."""
    record = _find(trajectory_id).steps.filter(index=index).first()
    if record is None:
        raise Missing(f"This trajectory has no step {index}.", remedy="Choose a step from the outline.")
    return HttpResponse(record.document, content_type="application/json; charset=utf-8")


def _read(record: StepRecord) -> tuple[Step, str]:
    """A step and what the agent saw as text: indented where it is shown whole, in one line where it is cut.

    A result of many megabytes is read once and checked by nobody: the page shows its beginning only.
    """
    if record.size <= LONGEST_TO_INDENT:
        step = record.load()
        return step, pretty_json(step.observation)
    document = orjson.loads(record.document)
    seen = orjson.dumps(document.pop("observation", None)).decode()
    return Step.model_validate_json(orjson.dumps(document)), seen
