"""The catalogue of environments, and what is done to all that match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from operator import attrgetter
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from studio.filters.environments import FACETS, UNLISTED, EnvironmentFilter, matching
from studio.models import Act, AuthorKind, EnvironmentRecord
from studio.presentation.downloads import csv_response, json_response
from studio.presentation.lists import listed
from studio.services.accounts.accounts import allowed
from studio.services.browse import saved_filters
from studio.services.environments.trade_words import trade_word
from studio.services.errors import Missing
from studio.services.review import bulk, flags, queue
from studio.tables.environments import CHOSEN, EXPORTED, EnvironmentTable
from studio.templatetags.shell import shows_code
from studio.templatetags.states import state_title
from studio.views.access import SignedInRequest, go_on_for, requires
from synthesis.errors import InvalidInput

ASSIGNED_DAYS = 7
"""Days of an assignment for which no other end is chosen."""
SHOWN = 100
"""Environments of a plan that are named on its page; the others are counted."""


def called(request: HttpRequest) -> dict[str, Callable[[str], str]]:
    """What values are called among filters of environments; in the expert view as the field says it."""
    if shows_code(request):
        return {}
    return {
        "state": lambda value: state_title(value, expert=False),
        "author_kind": lambda value: trade_word(dict(AuthorKind.choices).get(value, value)),
    }


@requires(Act.VIEW)
def environments(request: SignedInRequest) -> HttpResponse:
    """Every environment, narrowed, sorted and shown as the address says."""
    context = listed(
        request,
        queryset=flags.with_blocking(EnvironmentRecord.objects.listed().with_reviews()),
        filterset=EnvironmentFilter,
        table=EnvironmentTable,
        names=FACETS,
        fixed="title",
        chosen=CHOSEN,
        unlisted=UNLISTED,
        called=called(request),
    )
    if request.GET.get("format") in ("csv", "json"):
        remaining = csv_response if request.GET["format"] == "csv" else json_response
        return remaining("environments", *_exported(context["table"]))
    view = saved_filters.viewed(request.GET.urlencode())
    context |= {
        "section": "environments",
        "view": view,
        "saved": list(saved_filters.saved_filters(request.user)),
        "actions": [action for action in bulk.ACTIONS.values() if allowed(request.user, action.act)],
        "archived": EnvironmentRecord.objects.filter(archived_at__isnull=False).count(),
        "narrowed": narrowing(request.GET).urlencode(),
    }
    return render(request, "environments/list.html", context)


def _exported(table: EnvironmentTable) -> tuple[list[str], Iterator[list[Any]]]:
    """The columns shown and every environment the address narrows to, in its order, on whichever page."""
    fields = [field for column in table.columns.iterall() if column.name in EXPORTED and column.visible
              for field in EXPORTED[column.name]]  # fmt: skip
    getters = [attrgetter(place) for _, place in fields]
    rows = ([_plain(get(row.record)) for get in getters] for row in table.rows)
    return [name for name, _ in fields], rows


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def narrowing(query: QueryDict) -> QueryDict:
    """The parameters that narrow the catalogue, without order, columns and page."""
    params = QueryDict(mutable=True)
    for name in EnvironmentFilter.base_filters:
        if values := [value for value in query.getlist(name) if value]:
            params.setlist(name, values)
    return params


@requires(Act.VIEW)
def environments_bulk(request: SignedInRequest) -> HttpResponse:
    """What an act on everything that matches would do; with POST it is done, to exactly that."""
    given = request.POST if request.method == "POST" else request.GET
    action = bulk.ACTIONS.get(given.get("action", ""))
    if action is None:
        raise Missing("There is no such bulk action.", remedy="Choose one in the catalogue.")
    go_on_for(request, action.act)
    narrowed = narrowing(given)
    people = bulk.assignees() if action.name == "assign" else User.objects.none()
    assignee = people.filter(pk=number(given.get("assignee"))).first()
    until = _last_day(given.get("until", ""))
    records = matching(narrowed)
    if request.method == "POST":
        done = bulk.act(
            action=action,
            matching=records,
            seen=given.get("seen", ""),
            shown=number(given.get("shown")),
            user=request.user,
            assignee=assignee,
            until=until,
            reason=given.get("reason", ""),
        )
        messages.success(request, f"{action.title}: done for {done} environment{'s' if done != 1 else ''}.")
        return redirect(reverse("runs") if action.name == "checks" else _catalogue(narrowed))
    plan = bulk.plan(action=action, matching=records, assignee=assignee)
    context = {
        "section": "environments",
        "action": action,
        "plan": plan,
        "included": plan.included[:SHOWN],
        "excluded": plan.excluded[:SHOWN],
        "people": people,
        "assignee": assignee,
        "until": until,
        "expected": number(given.get("shown")) if "shown" in given else plan.matching,
        "other_parameters": [(name, value) for name, values in narrowed.lists() for value in values],
        "catalogue": _catalogue(narrowed),
    }
    return render(request, "environments/bulk.html", context)


def _last_day(text: str) -> date:
    """The last day of an assignment as a form names it; in a week where it names none."""
    if not text:
        return timezone.localdate() + timedelta(days=ASSIGNED_DAYS)
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text[:40]!r} is not a day. Write it like 2026-07-04.") from None
    queue.end_of(day)
    return day


def number(text: str | None) -> int:
    """A number from an address or a form; 0 where it is none."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def _catalogue(narrowed: QueryDict) -> str:
    return f"{reverse('environments')}?{narrowed.urlencode()}"


@require_POST
@requires(Act.VIEW)
def saved_filter_new(request: SignedInRequest) -> HttpResponse:
    """Keep the catalogue as it is shown under a name."""
    query = request.POST.get("query", "")
    try:
        saved_filter = saved_filters.save_filter(
            user=request.user, name=request.POST.get("name", ""), query=query
        )
    except InvalidInput as error:
        messages.error(request, str(error))
        return redirect(f"{reverse('environments')}?{saved_filters.viewed(query)}")
    messages.success(request, f"Saved as “{saved_filter.name}”.")
    return redirect(f"{reverse('environments')}?{saved_filter.query}")


@require_POST
@requires(Act.VIEW)
def saved_filter_forget(request: SignedInRequest, filter_id: int) -> HttpResponse:
    """Remove one of one's own views."""
    saved_filters.forget_filter(user=request.user, filter_id=filter_id)
    messages.info(request, "The saved view was removed.")
    return redirect("environments")
