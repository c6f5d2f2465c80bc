"""The catalogue of environments, and what is done to all that match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from operator import attrgetter
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
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
from studio.services.environments import archive
from studio.services.environments.trade_words import trade_word
from studio.services.errors import Conflict, Missing
from studio.services.review import bulk, flags, queue
from studio.tables.environments import CHOSEN, CHOSEN_ROWS, EXPORTED, EnvironmentTable
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
    actions = [action for action in bulk.ACTIONS.values() if allowed(request.user, action.act)]
    context = listed(
        request,
        queryset=flags.with_blocking(EnvironmentRecord.objects.listed().with_reviews()),
        filterset=EnvironmentFilter,
        table=EnvironmentTable,
        names=FACETS,
        fixed=("choose", "title"),
        exclude=() if actions else ("choose",),
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
        "actions": actions,
        "archived": EnvironmentRecord.objects.filter(archived_at__isnull=False).count(),
        "narrowed": narrowing(request.GET).urlencode(),
        "shown_as": _shown_as(request.GET).urlencode(),
        "sent_along": [*_pairs(narrowing(request.GET)), *_pairs(_shown_as(request.GET))],
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
    asked = AskedAct.of(given, action)
    if asked.of_chosen and not asked.chosen:
        messages.info(request, "Nothing was chosen. Tick the rows first, then choose what to do with them.")
        return redirect(asked.catalogue)
    refused, status = asked.refusal, 422 if asked.refusal else 200
    if request.method == "POST" and not refused:
        try:
            return _done(request, asked)
        except Conflict as error:
            refused, status = f"{error.message} {error.remedy}".strip(), error.status
        except InvalidInput as error:
            refused, status = str(error), 422
    plan = bulk.plan(action=action, matching=asked.records(), assignee=asked.assignee)
    shown = len(asked.chosen) or (number(given.get("shown")) if "shown" in given else plan.matching)
    context = {
        "section": "environments",
        "action": action,
        "plan": plan,
        "included": plan.included[:SHOWN],
        "excluded": plan.excluded[:SHOWN],
        "works": _in_hands(plan) if action.name == "archive" else [],
        "asked": asked,
        "people": asked.people,
        "assignee": asked.assignee,
        "until": asked.until,
        "reason": given.get("reason", ""),
        "refused": refused,
        "expected": plan.matching if refused else shown,
        "other_parameters": asked.parameters(),
        "catalogue": asked.catalogue,
    }
    return render(request, "environments/bulk.html", context, status=status)


@dataclass(frozen=True)
class AskedAct:
    """What somebody wants to do to many environments, as the address or the form says it.

    Attributes:
        given: The parameters.
        action: What is done.
        narrowed: The filters.
        chosen: Names of the rows that were ticked, where it is done to those alone.
        of_chosen: Whether it is done to ticked rows.
        people: Who an item can be given to.
        assignee: Who it is given to.
        until: The last day of an assignment.
        refusal: Why that day cannot be; "" where it can.
    """

    given: QueryDict
    action: bulk.BulkAction
    narrowed: QueryDict
    chosen: list[str]
    of_chosen: bool
    people: QuerySet[User]
    assignee: User | None
    until: date
    refusal: str

    @classmethod
    def of(cls, given: QueryDict, action: bulk.BulkAction) -> AskedAct:
        """The same, read."""
        people = bulk.assignees() if action.name == "assign" else User.objects.none()
        of_chosen = given.get("of") == CHOSEN_ROWS
        refusal, until = "", timezone.localdate() + timedelta(days=ASSIGNED_DAYS)
        try:
            until = _last_day(given.get("until", "")) or until
        except InvalidInput as error:
            refusal = str(error)
        return cls(
            given=given,
            action=action,
            narrowed=narrowing(given),
            chosen=given.getlist(CHOSEN_ROWS) if of_chosen else [],
            of_chosen=of_chosen,
            people=people,
            assignee=people.filter(pk=number(given.get("assignee"))).first(),
            until=until,
            refusal=refusal,
        )

    def records(self) -> QuerySet[EnvironmentRecord]:
        """What it is done to: what the filters leave, or what of it was ticked."""
        left = matching(self.narrowed)
        return left.filter(name__in=self.chosen) if self.of_chosen else left

    def parameters(self) -> list[tuple[str, str]]:
        """Filters, order and ticked rows, for the hidden fields of a form."""
        ticked = [("of", CHOSEN_ROWS), *((CHOSEN_ROWS, name) for name in self.chosen)]
        listed = [*_pairs(self.narrowed), *_pairs(_shown_as(self.given))]
        return [*listed, *(ticked if self.of_chosen else [])]

    @property
    def catalogue(self) -> str:
        """The list with the same filters, order, page and ticks."""
        query = self.narrowed.copy()
        for name, values in _shown_as(self.given).lists():
            query.setlist(name, values)
        query.setlist(CHOSEN_ROWS, self.chosen)
        return f"{reverse('environments')}?{query.urlencode()}"


def _done(request: SignedInRequest, asked: AskedAct) -> HttpResponse:
    """Do it, to exactly what was shown.

    Raises:
        Conflict, InvalidInput: Nothing was done; the text says why.
    """
    action = asked.action
    count = bulk.act(
        action=action,
        matching=asked.records(),
        seen=asked.given.get("seen", ""),
        shown=number(asked.given.get("shown")),
        user=request.user,
        assignee=asked.assignee,
        until=asked.until,
        reason=asked.given.get("reason", ""),
    )
    messages.success(request, f"{action.title}: done for {count} environment{'s' if count != 1 else ''}.")
    place = reverse("runs") if action.name == "checks" else f"{reverse('environments')}?"
    return redirect(place if action.name == "checks" else place + asked.narrowed.urlencode())


def _in_hands(plan: bulk.BulkPlan) -> list[tuple[EnvironmentRecord, archive.Work]]:
    works = archive.in_hands(plan.included)
    return [(record, work) for record in plan.included for work in works[record.pk]]


def _last_day(text: str) -> date | None:
    """The last day of an assignment as a form names it; None where it names none.

    Raises:
        InvalidInput: It is no day, it is over, or it is too far away.
    """
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text[:40]!r} is not a day. Write it like 2026-07-04.") from None
    queue.end_of(day)
    return day


def _shown_as(query: QueryDict) -> QueryDict:
    """The parameters that say in what order, with which columns and from which page a list is shown."""
    params = QueryDict(mutable=True)
    for name in ("sort", "columns", "page"):
        if values := query.getlist(name):
            params.setlist(name, values)
    return params


def _pairs(query: QueryDict) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, values in query.lists() for value in values]


def number(text: str | None) -> int:
    """A number from an address or a form; 0 where it is none."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


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
