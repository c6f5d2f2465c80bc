"""Retention: what is deleted after the days that the settings give, and what is never deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from studio.models import (
    BundleRecord,
    Claim,
    EnvironmentState,
    Flag,
    Notification,
    Review,
    ReviewDecision,
    ReviewState,
    Run,
    RunKind,
)
from studio.models.visibility import Visibility, limited
from studio.services.errors import StorageDown
from studio.services.exports import stored_archives

AT_ONCE = 500
"""Rows that are deleted in one transaction."""

_APPROVED = [state for state in EnvironmentState if state.level >= EnvironmentState.APPROVED.level]


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """How long one kind of thing is kept.

    Attributes:
        title: What it is about, for people.
        setting: Field of the settings with its days; 0 keeps for ever.
        due: What is older than a moment and nothing refers to, as ids or names.
        delete: Deletes those of a portion that are still due, and says how many.
    """

    title: str
    setting: str
    due: Callable[[datetime], Sequence[Any]]
    delete: Callable[[Sequence[Any], datetime], int]

    @property
    def days(self) -> int:
        """Days it is kept; 0 for ever."""
        return int(getattr(settings.WORLDWRIGHT, self.setting))


@dataclass(frozen=True, slots=True)
class RetentionCount:
    """What a rule would delete now, or deleted.

    Attributes:
        title: Of the rule.
        days: It keeps; 0 for ever.
        count: How many; None when the storage cannot be asked.
    """

    title: str
    days: int
    count: int | None


def planned() -> list[RetentionCount]:
    """What `apply` would delete now in all projects, whichever the reader chose; nothing is changed."""
    with limited(Visibility.everything):
        return [RetentionCount(rule.title, rule.days, _due_count(rule)) for rule in RULES]


def _due_count(rule: RetentionRule) -> int | None:
    try:
        return len(_due(rule))
    except StorageDown:
        return None


def apply() -> list[RetentionCount]:
    """Delete what is past its time, in portions; what ended midway goes on at the next time.

    Raises:
        StorageDown: The storage of archives cannot be used.
    """
    # A reference in a project that the caller does not see keeps things as well.
    with limited(Visibility.everything):
        return [RetentionCount(rule.title, rule.days, _deleted(rule)) for rule in RULES]


def _before(rule: RetentionRule) -> datetime:
    return timezone.now() - timedelta(days=rule.days)


def _due(rule: RetentionRule) -> Sequence[Any]:
    return rule.due(_before(rule)) if rule.days else ()


def _deleted(rule: RetentionRule) -> int:
    before, due = _before(rule), _due(rule)
    return sum(rule.delete(due[start : start + AT_ONCE], before) for start in range(0, len(due), AT_ONCE))


def _notifications(before: datetime) -> QuerySet[Notification]:
    """Those that were read, or that nobody read in all the time, and that no e-mail waits for."""
    return Notification.objects.filter(created_at__lt=before, mail_due_at__isnull=True)


def _delete_notifications(ids: Sequence[int], before: datetime) -> int:
    return _notifications(before).filter(pk__in=ids).delete()[0]


def _bundles(before: datetime) -> QuerySet[BundleRecord]:
    """Bundles of revisions that nobody approved, outside of collections and of everything under review."""
    of_environment = {"environment": OuterRef("environment")}
    approving = Review.objects.submitted().filter(decision=ReviewDecision.APPROVE)
    drafts = Review.objects.filter(state=ReviewState.DRAFT)
    return (
        BundleRecord.objects.filter(created_at__lt=before, collections__isnull=True)
        .filter(Q(run__isnull=True) | Q(run__created_at__lt=before))
        .exclude(environment__state__in=_APPROVED, environment__current=F("revision"))
        .exclude(Exists(approving.filter(revision=OuterRef("revision"))))
        .exclude(Exists(drafts.filter(**of_environment)))
        .exclude(Exists(Claim.objects.active().filter(**of_environment)))
        .exclude(Exists(Flag.objects.open().filter(**of_environment)))
        .exclude(Exists(_unfinished().filter(**of_environment)))
    )


def _unfinished() -> QuerySet[Run]:
    return Run.objects.filter(finished_at__isnull=True)


def _delete_bundles(ids: Sequence[int], before: datetime) -> int:
    with transaction.atomic():
        paths = dict(_bundles(before).filter(pk__in=ids).order_by().values_list("pk", "path"))
        BundleRecord.objects.filter(pk__in=paths).delete()
    for path in paths.values():
        stored_archives.remove(path)
    return len(paths)


def _trajectory_exports(before: datetime) -> list[str]:
    """Archives that only old exports name; while one is being written, it may be of the same content."""
    exports = Run.objects.filter(kind=RunKind.TRAJECTORIES)
    if exports.filter(finished_at__isnull=True).exists():
        return []
    results = exports.exclude(result=None).values_list("created_at", "result")
    ages = [(created < before, result["path"]) for created, result in results if result]
    newer = {path for old, path in ages if not old}
    stored = set(stored_archives.names("trajectories"))
    return sorted({path for old, path in ages if old and path in stored} - newer)


def _delete_trajectory_exports(paths: Sequence[str], before: datetime) -> int:
    due = set(_trajectory_exports(before)).intersection(paths)
    for path in due:
        stored_archives.remove(path)
    return len(due)


RULES = (
    RetentionRule(
        "Notifications",
        "notification_days",
        lambda before: list(_notifications(before).order_by("pk").values_list("pk", flat=True)),
        _delete_notifications,
    ),
    RetentionRule(
        "Bundles",
        "export_days",
        lambda before: list(_bundles(before).order_by("pk").values_list("pk", flat=True)),
        _delete_bundles,
    ),
    RetentionRule(
        "Archives of trajectory exports", "export_days", _trajectory_exports, _delete_trajectory_exports
    ),
)
"""In the order in which they are applied."""
