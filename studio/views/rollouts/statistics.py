"""Statistics: how often agents succeed, at what and how surely; whether one of two did better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode

from studio.forms.picked import EpisodesForm
from studio.models import Act, EnvironmentRecord
from studio.services.browse import pickers
from studio.services.browse.pickers import Options, title_of
from studio.services.environments.titles import tasks_called
from studio.services.rollouts import rollout_statistics as services
from studio.services.rollouts.cached_statistics import cached, stored_state
from studio.services.rollouts.rollout_statistics import BY, Interval, Selection
from studio.templatetags.shell import shows_code
from studio.views.access import requires

PER_PAGE = 25
WIDTH = 100
"""Of an interval's drawing, for shares from 0 to 1."""
FIELDS = ("environment", "category", "agent", "model", "task")


def _offers(state: tuple[Any, ...]) -> dict[str, Options]:
    """What the fields suggest; agents and models take a look at every trajectory, so they are remembered."""
    return EpisodesForm.offers(lambda: cached("players", (), "", pickers.agents_and_models, state=state))


@requires(Act.VIEW)
def statistics(request: HttpRequest) -> HttpResponse:
    """pass@k and pass^k of the chosen episodes with their intervals, and how the others failed."""
    state = stored_state()
    offers = _offers(state)
    chosen = selection(request.GET, offers=offers)
    by = request.GET.get("by", "agent")
    if request.GET.get("format") == "json":
        groups = cached(
            "figures",
            (chosen,),
            by,
            lambda: [each.figures() for each in services.episode_counts(chosen, by)],
            state=state,
        )
        return JsonResponse({"by": by, "groups": groups})
    raw = request.GET.get("page", "")
    number = int(raw) if raw.isdecimal() and len(raw) < 7 else 1
    rows, count = cached("rows", (chosen,), f"{by}/{number}", lambda: _rows(chosen, by, number), state=state)
    context = {
        "section": "trajectories",
        "chosen": chosen,
        "form": EpisodesForm(initial=chosen.model_dump(), offers=offers),
        "chips": _chips(request.GET, chosen, offers),
        "by": by,
        "choices": BY,
        "rows": _titled(rows) if by == "task" and not shows_code(request) else rows,
        "unused_in": EnvironmentRecord.objects.filter(name=chosen.environment).first()
        if chosen.environment
        else None,
        "page": Paginator(range(count), PER_PAGE).get_page(number),
        "taxonomy": cached("taxonomy", (chosen,), "", lambda: services.taxonomy(chosen), state=state),
        "query": urlencode({k: v for k, v in chosen.model_dump().items() if v}),
    }
    return render(request, "rollouts/statistics.html", context)


@requires(Act.VIEW)
def statistics_compare(request: HttpRequest) -> HttpResponse:
    """Two sets of episodes on the tasks both have, with the chance that the difference is none."""
    offers = _offers(stored_state())
    sides = tuple(selection(request.GET, prefix, offers=offers) for prefix in ("first_", "second_"))
    asked = any(side != Selection() for side in sides)
    compared = cached("compared", sides, "", lambda: services.compare(*sides)) if asked else None
    if compared is not None and request.GET.get("format") == "json":
        comparison = compared.comparison
        return JsonResponse({**comparison.model_dump(mode="json"), "significant": comparison.significant})
    tasks = [one.task_id for one, _ in compared.differing] if compared else []
    titles = {} if shows_code(request) else tasks_called(tasks)
    context = {
        "section": "trajectories",
        "differing": [
            (titles.get(one.task_id, one.task_id), one, other)
            for one, other in (compared.differing if compared else ())
        ],
        "sides": [
            (title, EpisodesForm(prefix=prefix, initial=side.model_dump(), offers=offers))
            for prefix, title, side in zip(("first_", "second_"), ("First", "Second"), sides, strict=True)
        ],
        "outcome": compared,
        "difference": _interval(compared.comparison.difference, low=-1.0) if compared else None,
    }
    return render(request, "rollouts/compare.html", context)


def selection(params: QueryDict, prefix: str = "", *, offers: Mapping[str, Options]) -> Selection:
    """What an address asks for, by names or titles; a run that is no number is none."""
    form = EpisodesForm(params, prefix=prefix, offers=offers)
    form.is_valid()
    wanted = {name: params.get(prefix + name, "").strip() for name in FIELDS}
    wanted |= {name: form.cleaned_data.get(name, "") for name in form.fields if wanted.get(name)}
    run = form.cleaned_data.get("run", "")
    return Selection(run=int(run) if run.isdecimal() and len(run) < 10 else None, **wanted)


def _rows(chosen: Selection, by: str, number: int) -> tuple[list[dict[str, Any]], int]:
    """The groups of one page, and how many there are in all."""
    episode_countses = services.episode_counts(chosen, by)
    page = Paginator(episode_countses, PER_PAGE).get_page(number)
    # Of a group's tasks the page shows only what they come to.
    return [{**_row(group), "group": replace(group, tasks=[])} for group in page], len(episode_countses)


def _titled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The groups of tasks by what the tasks are called now: figures are kept for longer than titles."""
    titles = tasks_called(row["group"].key for row in rows)
    return [{**row, "group": replace(row["group"], title=titles[row["group"].key])} for row in rows]


def _row(group: services.EpisodeCounts) -> dict[str, Any]:
    rates, k = group.rates(), group.most_episodes
    return {
        "group": group,
        "k": k,
        "one": _interval(rates.pass_at_1),
        "any": _interval(rates.pass_at[k]) if k in rates.pass_at else None,
        "all": _interval(rates.pass_hat[k]) if k in rates.pass_hat else None,
        "bands": rates.bands,
        "reward": group.reward / group.measured if group.measured else None,
        "steps": group.steps / group.measured if group.measured else None,
    }


def _interval(estimate: Interval, *, low: float = 0.0) -> dict[str, Any]:
    """An estimate in percent, with the places of its drawing."""

    def place(value: float) -> float:
        return round(WIDTH * (min(1.0, max(low, value)) - low) / (1.0 - low), 1)

    return {
        "value": 100 * estimate.value,
        "low": 100 * estimate.low,
        "high": 100 * estimate.high,
        "x": place(estimate.value),
        "x1": place(estimate.low),
        "x2": place(estimate.high),
        "width": round(place(estimate.high) - place(estimate.low), 1),
    }


def _chips(params: QueryDict, chosen: Selection, offers: Mapping[str, Options]) -> list[dict[str, str]]:
    """What narrows the page, each with the address without it."""
    results = []
    for name in ("run", *FIELDS):
        value = getattr(chosen, name)
        if value:
            title = title_of(offers[name](), str(value)) if name in offers else str(value)
            without = params.copy()
            without.pop(name, None)
            without.pop("page", None)
            results.append({"title": name.title(), "value": title, "address": "?" + without.urlencode()})
    return results
