"""Bulk actions: one act on everything a filter matches, on exactly what was shown or not at all."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from studio.models import (
    MATRIX,
    Act,
    Claim,
    EnvironmentRecord,
    EnvironmentState,
    PartRecord,
    Project,
    Role,
    Run,
    RunKind,
)
from studio.services.accounts.accounts import allowed, require
from studio.services.environments import archive, checks
from studio.services.errors import Conflict
from studio.services.projects import membership
from studio.services.review import queue

Reason = Callable[[EnvironmentRecord], str]


@dataclass(frozen=True)
class BulkAction:
    """Something that can be done to many environments.

    Attributes:
        name: As the address says it.
        title: As the button says it.
        does: What will happen to each, as the end of "... environments will".
        act: The right that it needs.
    """

    name: str
    title: str
    does: str
    act: Act


ACTIONS: dict[str, BulkAction] = {
    action.name: action
    for action in (
        BulkAction("checks", "Prove again", "have all their claims checked again", Act.SYNTHESISE),
        BulkAction("assign", "Assign for review", "be assigned to one reviewer", Act.ADJUDICATE),
        BulkAction("archive", "Archive", "be taken out of lists, reviews and exports", Act.ARCHIVE),
        BulkAction("restore", "Bring back", "be in use again", Act.ARCHIVE),
    )
}


@dataclass(frozen=True)
class BulkPlan:
    """What a bulk action would do, before it does it.

    Attributes:
        matching: Environments the filter matches.
        included: Those it acts on, in the filter's order.
        excluded: Those it leaves out, each with the reason.
        seen: Digest of both sets; an act on another set is refused.
    """

    matching: int
    included: tuple[EnvironmentRecord, ...]
    excluded: tuple[tuple[EnvironmentRecord, str], ...]
    seen: str

    def reasons(self) -> list[tuple[str, int]]:
        """Why environments are left out, and how many for each reason, the most frequent first."""
        return Counter(why for _, why in self.excluded).most_common()


def plan_of(records: Iterable[EnvironmentRecord], reason: Reason) -> BulkPlan:
    """Part what a filter matches into what is acted on and what is left out.

    Args:
        records: The environments with their current revisions.
        reason: Why one is left out, or "".
    """
    included: list[EnvironmentRecord] = []
    excluded: list[tuple[EnvironmentRecord, str]] = []
    for record in records:
        if why := reason(record):
            excluded.append((record, why))
        else:
            included.append(record)
    parts = (
        sorted(f"{r.pk}@{r.current_id}" for r in group) for group in (included, [r for r, _ in excluded])
    )
    seen = hashlib.sha256("/".join(",".join(part) for part in parts).encode()).hexdigest()
    return BulkPlan(len(included) + len(excluded), tuple(included), tuple(excluded), seen)


def plan(
    *, action: BulkAction, matching: QuerySet[EnvironmentRecord], assignee: User | None = None
) -> BulkPlan:
    """What an action would do to what a filter matches.

    Args:
        action: One of `ACTIONS`.
        matching: What the filter matches.
        assignee: For "assign", who would hold the items.
    """
    if action.name == "checks":
        under_way = Run.objects.active().filter(kind=RunKind.CHECKS)
        checked = set(under_way.values_list("environment_id", flat=True))
        return plan_of(matching, lambda record: _unchecked(record, checked))
    if action.name == "archive":
        return plan_of(matching, lambda record: "It is archived already." if record.archived_at else "")
    if action.name == "restore":
        return plan_of(matching, lambda record: "" if record.archived_at else "It is in use.")
    written = PartRecord.objects.filter(revisions=OuterRef("current"), author=assignee)
    held = Claim.objects.active().filter(environment=OuterRef("pk"))
    marked = matching.annotate(theirs=Exists(written), held_now=Exists(held))
    theirs = membership.projects_of(assignee, Act.REVIEW) if assignee else Project.objects.all()
    open_to_them = set(theirs.values_list("pk", flat=True))
    return plan_of(marked, lambda record: _unassignable(record, assignee, open_to_them))


def _unchecked(record: EnvironmentRecord, checked: set[int]) -> str:
    return "Its proof is already queued or running." if record.pk in checked else ""


def _unassignable(record: EnvironmentRecord, assignee: User | None, open_to_them: set[int]) -> str:
    assert record.current is not None
    if record.project_id not in open_to_them:
        return "The reviewer may not review in its project."
    if record.state not in (EnvironmentState.PROVED, EnvironmentState.REVIEWED):
        return f"It is {record.level.label.lower()}, so there is nothing to review."
    if record.held_now:  # type: ignore[attr-defined]
        return "Another reviewer holds it."
    if assignee is not None and (record.theirs or record.current.author_id == assignee.pk):  # type: ignore[attr-defined]
        return "The reviewer wrote a part of it, and nobody reviews their own work."
    return ""


@transaction.atomic
def act(
    *,
    action: BulkAction,
    matching: QuerySet[EnvironmentRecord],
    seen: str,
    shown: int,
    user: User,
    assignee: User | None = None,
    until: date | None = None,
    reason: str = "",
) -> int:
    """Do it to exactly what was shown; returns to how many.

    Args:
        action: One of `ACTIONS`.
        matching: What the filter matches now.
        seen: The digest of the plan that the person agreed to.
        shown: How many it matched then.
        user: Who acts.
        assignee: For "assign", who will hold the items.
        until: For "assign", the last day on which they do; None for today.
        reason: For "archive", why.

    Raises:
        InvalidInput: The day is over, or too far away, or there is no reason.
        Forbidden: The person's role does not allow it.
        Conflict: The filter matches something else by now; nothing was done.
    """
    require(user, action.act)
    if action.name == "assign" and (assignee is None or not allowed(assignee, Act.REVIEW)):
        raise Conflict("Choose a reviewer.", remedy="Only reviewers can be chosen.")
    agreed = plan(action=action, matching=matching, assignee=assignee)
    require_unchanged(agreed, seen=seen, shown=shown)
    for record in agreed.included:
        if action.name == "checks":
            assert record.current is not None
            checks.start_checks(revision=record.current, requested_by=user)
        elif action.name == "archive":
            archive.archive(record=record, lead=user, reason=reason)
        elif action.name == "restore":
            archive.restore(record=record, lead=user)
        else:
            assert assignee is not None
            queue.assign(record=record, reviewer=assignee, lead=user, until=until or timezone.localdate())
    return len(agreed.included)


def require_unchanged(now: BulkPlan, *, seen: str, shown: int) -> None:
    """Go on only when the plan is the one that was agreed to.

    Raises:
        Conflict: It is another; the text says how many match now.
    """
    if now.seen != seen:
        changed = f"{shown} matched when you looked, {now.matching} match now"
        if now.matching == shown:
            changed = f"{shown} still match, but not the same ones in the same state"
        raise Conflict(f"{changed}. Nothing was done.", remedy="Review the new list and decide again.")


def assignees() -> QuerySet[User]:
    """Everybody who may review, by name."""
    roles = [role.value for role in Role if Act.REVIEW in MATRIX[role]]
    may = Q(groups__name__in=roles) | Q(is_superuser=True)
    return User.objects.filter(may, is_active=True).distinct().order_by("first_name", "username")
