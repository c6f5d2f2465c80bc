"""The change list: objections gathered in one place, accepted, and worked off by an author or a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from studio.forms.reviews import PERSON, SendBackForm
from studio.models import Act, ChangeList, EnvironmentRecord, Flag, Review
from studio.services.day_words import day_words
from studio.services.environments import change_lists
from studio.services.errors import NotReady, ServiceError, Stale
from studio.services.projects import membership
from studio.services.review import flags
from studio.services.synthesis import corrections
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.finding import Finding
from synthesis.errors import InvalidInput

DAYS = 7
"""Days that a list is given unless another day is chosen."""
PLACES_OF_THE_WHOLE = (
    ("What it simulates", "edit_scenario"),
    ("Rules", "edit_policy"),
    ("Data", "environment_data"),
    ("Tasks", "environment_tasks"),
)
"""Where words about the world as a whole are worked off: pages without code."""


@dataclass(frozen=True)
class Objection:
    """One thing that is to be changed, as the page lists it.

    Attributes:
        finding: What it says, and about which part.
        review: The verdict that says it, or None.
        flag: The flag that says it, or None.
        whole: Whether it is about the world as a whole; the finding names its likeliest author then.
    """

    finding: Finding
    review: Review | None = None
    flag: Flag | None = None
    whole: bool = False


@requires(Act.REVIEW)
def send_back(request: SignedInRequest, name: str) -> HttpResponse:
    """The list in work, or else every objection, to be accepted and given to an author or a person."""
    record = find(name)
    changes = change_lists.in_work(record)
    if changes is not None:
        return _in_work(request, record, changes)
    assert record.current is not None
    raised, reviews = corrections.accepted_objections(record, request.user)
    offers = corrections.offers(record, request.user)
    able = [offer for offer in offers if not offer.refusal]
    leads = membership.reads(request.user, record.project_id, Act.ADJUDICATE)
    first = able[0].name if able else PERSON if leads else ""
    form = SendBackForm(
        request.POST or None,
        authors=[offer.name for offer in offers],
        people=membership.people_of(record.project_id, Act.EDIT),
        own=request.user,
        flags=[flag.pk for flag in raised],
        reviews=[review.pk for review in reviews],
        initial={
            "revision": record.current.number,
            "author": first,
            "assignee": request.user.pk,
            "until": timezone.localdate() + timedelta(days=DAYS),
        },
    )
    status, stale = 200, None
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                return _handed_over(request, record, form, raised, reviews)
            except Stale as refused:
                status, stale = refused.status, {"refused": refused, "seen": form.cleaned_data["revision"]}
            except InvalidInput as error:
                form.add_error("until", str(error))
            except ServiceError as refused:
                form.add_error(None, f"{refused.message} {refused.remedy}".strip())
                status = refused.status
    context = {
        "form": form,
        "offers": offers,
        "able": able,
        "leads": leads,
        "stale": stale,
        "objections": [*_in_reviews(reviews), *map(_in_flag, raised)],
    }
    response = page(request, record, "environment_review", "reviews/send_back.html", context)
    response.status_code = status
    return response


def _handed_over(
    request: SignedInRequest,
    record: EnvironmentRecord,
    form: SendBackForm,
    raised: Iterable[Flag],
    reviews: Iterable[Review],
) -> HttpResponse:
    values = form.cleaned_data
    accepted = corrections.Accepted(frozenset(values["flag"]), frozenset(values["review"]))
    if values["author"] != PERSON:
        run = corrections.send_back(
            record=record,
            revision_number=values["revision"],
            sender=request.user,
            author=values["author"],
            accepted=accepted,
        )
        messages.success(request, "The findings are sent back. The corrected revision returns to your queue.")
        return redirect(run)
    changes = change_lists.accept(
        record=record,
        revision_number=values["revision"],
        lead=request.user,
        assignee=values["assignee"],
        until=values["until"],
        flags=[flag for flag in raised if flag.pk in accepted.flags],
        reviews=[review for review in reviews if review.pk in accepted.reviews],
    )
    who = "You have" if changes.assignee_id == request.user.pk else f"{_name(changes)} has"
    messages.success(request, f"{who} the list until {day_words(changes.until)}.")
    return redirect("send_back", name=record.name)


@require_POST
@requires(Act.EDIT)
def changes_finish(request: SignedInRequest, name: str) -> HttpResponse:
    """Make one revision of everything that was gathered; one proof covers it."""
    record = find(name)
    changes = change_lists.in_work(record)
    if changes is None:
        return _none(request, name)
    try:
        revision = change_lists.finish(changes=changes, editor=request.user)
    except (NotReady, Stale) as refused:
        messages.error(request, f"{refused.message} {refused.remedy}".strip())
        return redirect("send_back", name=name)
    except InvalidInput as error:
        messages.error(request, f"It is not saved: {error} {change_lists.NOTHING_LOST}")
        return redirect("send_back", name=name)
    messages.success(
        request,
        f"Revision {revision.number} is saved and being proved. Who objected is told what changed "
        "when it passes.",
    )
    return redirect("environment_revision", name=name, number=revision.number)


@require_POST
@requires(Act.EDIT)
def changes_withdraw(request: SignedInRequest, name: str) -> HttpResponse:
    """Close the list; what was gathered is dropped and its flags are open again."""
    changes = change_lists.in_work(find(name))
    if changes is None:
        return _none(request, name)
    change_lists.withdraw(changes=changes, user=request.user)
    messages.info(request, "The change list is withdrawn; its flags are open again.")
    return redirect("send_back", name=name)


def _none(request: SignedInRequest, name: str) -> HttpResponse:
    messages.info(request, "Nobody works off a change list of this environment now.")
    return redirect("send_back", name=name)


def _in_work(request: SignedInRequest, record: EnvironmentRecord, changes: ChangeList) -> HttpResponse:
    accepted = list(changes.flags.select_related("raised_by").order_by("id"))
    theirs = changes.assignee_id == request.user.pk
    named = {(element.kind, element.name) for element in record.elements.all()}
    context: dict[str, Any] = {
        "changes": changes,
        "theirs": theirs,
        "may_withdraw": theirs or membership.reads(request.user, record.project_id, Act.ADJUDICATE),
        "late": changes.until < timezone.localdate(),
        "objections": [
            (each, _places(record, named, each) if theirs else ())
            for each in (
                *_in_reviews(changes.reviews.select_related("reviewer").order_by("id")),
                *map(_in_flag, accepted),
            )
        ],
        "parts": sorted(changes.parts),
    }
    return page(request, record, "environment_review", "reviews/change_list.html", context)


def _in_reviews(reviews: Iterable[Review]) -> list[Objection]:
    return [
        Objection(finding, review=review, whole=not unit)
        for review in reviews
        for unit, finding in corrections.findings_by_unit(review)
    ]


def _in_flag(flag: Flag) -> Objection:
    return Objection(flags.as_finding(flag), flag=flag)


def _places(
    record: EnvironmentRecord, named: set[tuple[str, str]], objection: Objection
) -> list[tuple[str, str]]:
    """Where an objection is worked off, each place with its title."""
    if not objection.whole:
        return [("Edit this", _edit_address(record, named, objection.finding, objection.flag))]
    return [(title, reverse(place, args=[record.name])) for title, place in PLACES_OF_THE_WHOLE]


def _edit_address(
    record: EnvironmentRecord, named: set[tuple[str, str]], finding: Finding, flag: Flag | None = None
) -> str:
    """The page that edits what an objection is about; the nearest where it names no place."""
    name, where = record.name, finding.where
    if finding.part in ("tools", "tool_specs"):
        tool = f"?{urlencode({'tool': where})}" if ("tool", where) in named else ""
        return reverse("edit_tools", args=[name]) + tool
    if ("task", where) in named:
        place = "edit_verifier" if finding.part == "verifiers" else "edit_task"
        return reverse(place, args=[name, where])
    if finding.part == "seed_data":
        evidence = flag.evidence if flag is not None else {}
        table = evidence.get("changed_table") or evidence.get("table") or where
        if ("table", table) in named:
            return reverse("edit_sheet", args=[name, table])
        return reverse("environment_data", args=[name])
    places = {"schema": "edit_schema", "policy": "edit_policy", "invariants": "edit_invariants"}
    if finding.part in ("tasks", "verifiers"):
        return reverse("environment_tasks", args=[name])
    return reverse(places.get(finding.part, "edit_scenario"), args=[name])


def _name(changes: ChangeList) -> str:
    return changes.assignee.get_full_name() or changes.assignee.get_username()
