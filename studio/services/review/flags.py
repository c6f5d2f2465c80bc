"""Flags: what people say is wrong, with evidence, until it is settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from studio.models import Act, EnvironmentRecord, Flag, FlagReason, FlagSeverity, FlagState
from studio.services.environments import quality_gates
from studio.services.errors import Conflict
from studio.services.notifications import notifications
from studio.services.projects import membership
from synthesis.documents.finding import PART_NAMES, Finding, PartName
from synthesis.errors import InvalidInput

LONGEST_COMMENT = 10_000

PART_OF_REASON: dict[FlagReason, PartName] = {
    FlagReason.TOOL_BUG: "tools",
    FlagReason.VERIFIER_WRONG: "verifiers",
    FlagReason.TASK_INFEASIBLE: "tasks",
    FlagReason.TASK_UNCLEAR: "tasks",
    FlagReason.DATA_WRONG: "seed_data",
    FlagReason.SCHEMA_WRONG: "schema",
    FlagReason.POLICY_WRONG: "policy",
    FlagReason.VERDICT_DISPUTED: "verifiers",
}
"""The part a reason points at when the reviewer named none."""


@transaction.atomic
def raise_flag(
    *,
    record: EnvironmentRecord,
    user: User,
    reason: str,
    severity: str = FlagSeverity.BLOCKING,
    part: str = "",
    where: str = "",
    comment: str = "",
    evidence: Mapping[str, Any] | None = None,
) -> Flag:
    """Say that something is wrong with the current revision.

    Raises:
        Forbidden: The person may not comment.
        InvalidInput: The reason, severity or part is none, or the text is too long.
    """
    membership.require_in(user, record.project_id, Act.COMMENT)
    if reason not in FlagReason.values:
        raise InvalidInput(f"{reason!r} is not a reason; choose one of {', '.join(FlagReason.values)}.")
    if severity not in FlagSeverity.values:
        raise InvalidInput(f"{severity!r} is not a severity; choose one of {', '.join(FlagSeverity.values)}.")
    part = part or PART_OF_REASON.get(FlagReason(reason), "")
    if part and part not in PART_NAMES:
        raise InvalidInput(f"{part!r} is not a part; choose one of {', '.join(PART_NAMES)}.")
    if len(comment) > LONGEST_COMMENT or len(where) > 200:
        raise InvalidInput(f"Keep the comment under {LONGEST_COMMENT:,} and the place under 200 characters.")
    assert record.current is not None
    flag = Flag.objects.create(
        environment=record,
        revision=record.current,
        raised_by=user,
        reason=reason,
        severity=severity,
        part=part,
        where=where,
        comment=comment,
        evidence=dict(evidence or {}),
    )
    notifications.flag_raised(flag)
    quality_gates.settle(record)
    return flag


@transaction.atomic
def settle_flag(*, flag: Flag, user: User, resolution: str) -> Flag:
    """Settle a flag: one's own is withdrawn, another person's is resolved by a lead.

    Raises:
        Forbidden: It is somebody else's and the person is no lead.
        Conflict: It is settled already.
        InvalidInput: A lead gave no reason.
    """
    own = flag.raised_by_id == user.pk
    membership.require_in(user, flag.environment.project_id, Act.COMMENT if own else Act.ADJUDICATE)
    if not own and not resolution.strip():
        raise InvalidInput("Say how it was resolved: the person who raised it will read it.")
    changed = Flag.objects.filter(pk=flag.pk, state__in=(FlagState.OPEN, FlagState.SENT_BACK)).update(
        state=FlagState.WITHDRAWN if own else FlagState.RESOLVED,
        resolution=resolution,
        resolved_by=user,
        resolved_at=timezone.now(),
    )
    if not changed:
        raise Conflict("This flag is already closed.")
    quality_gates.settle(EnvironmentRecord.objects.select_related("current").get(pk=flag.environment_id))
    flag.refresh_from_db()
    notifications.flag_settled(flag, by=user)
    return flag


def unsettled(record: EnvironmentRecord) -> list[Flag]:
    """Flags that nobody settled yet, newest first: the open ones and those sent back."""
    raised = record.flags.filter(state__in=(FlagState.OPEN, FlagState.SENT_BACK))
    return list(raised.select_related("raised_by", "revision"))


def by_unit(record: EnvironmentRecord, raised: Iterable[Flag]) -> dict[str, list[Flag]]:
    """Flags under the tool:... and task:... of the current revision that they are about."""
    assert record.current is not None
    seen = {
        flag.evidence["trajectory"] for flag in raised if isinstance(flag.evidence.get("trajectory"), int)
    }
    tried = record.trajectories.filter(pk__in=seen).values_list("pk", "task_id") if seen else ()
    task_of = {pk: f"task:{task_id}" for pk, task_id in tried}
    results: dict[str, list[Flag]] = {}
    for flag in raised:
        for unit in _units_of(flag, task_of):
            if unit in record.current.units:
                results.setdefault(unit, []).append(flag)
    return results


def _units_of(flag: Flag, task_of: Mapping[int, str]) -> set[str]:
    """The tools and tasks that a flag may mean: by its place, by its evidence."""
    texts = {
        f"tool:{flag.where}",
        f"task:{flag.where}",
        f"tool:{flag.evidence.get('tool')}",
        f"task:{flag.evidence.get('task')}",
    }
    step = flag.evidence.get("trajectory")
    return texts | ({task_of[step]} if isinstance(step, int) and step in task_of else set())


def with_blocking(records: QuerySet[EnvironmentRecord]) -> QuerySet[EnvironmentRecord]:
    """Environments with how many open flags block each, as `blocking`."""
    theirs = Flag.objects.blocking().filter(environment=OuterRef("pk")).order_by().values("environment")
    counted = theirs.annotate(number=Count("pk")).values("number")
    return records.annotate(blocking=Coalesce(Subquery(counted), 0))


def as_finding(flag: Flag) -> Finding:
    """A reviewer's flag as the finding that the part's author is shown."""
    text = flag.comment.strip() or "The reviewer gave no comment."
    part = flag.part or PART_OF_REASON.get(FlagReason(flag.reason), "scenario")
    return Finding(
        part=part,
        check=f"review_{flag.reason}",
        message=f"{flag.get_reason_display()}: {text}",
        where=flag.where,
        severity="warning" if flag.severity == FlagSeverity.MINOR else "error",
        evidence=flag.evidence or None,
    )
