"""Returns: who asked for changes, and what of it the current revision answers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from studio.models import (
    ChangeListState,
    EnvironmentRecord,
    Flag,
    FlagState,
    Review,
    ReviewDecision,
    Revision,
    RunKind,
    UnitAnswer,
)
from studio.services.notifications import notifications

UNITS = {"tools": "tool", "tool_specs": "tool", "tasks": "task", "verifiers": "task"}
"""Parts whose pieces are units of their own, to the kind of unit."""
FIELDS = {"request": "instruction", "reply": "reference_answer"}
"""Places in the card of a task that are one field of it."""


def answered(record: EnvironmentRecord) -> dict[int, int]:
    """People by id for whom the current revision brings what they asked for, to the revision they spoke of.

    A verdict that does not approve is about the whole: every later revision answers it, until its reviewer
    decides again. A flag is answered where its place has changed since its author last heard of it, or by
    the change list or the correction that took it.
    """
    assert record.current is not None
    results = _verdicts(record)
    since = notifications.last_returned(record)
    for flag in record.flags.filter(revision__number__lt=record.current.number).select_related("revision"):
        spoken = max(flag.revision.number, results.get(flag.raised_by_id, 0))
        start = max(flag.revision.number, since.get(flag.raised_by_id, 0))
        if start < record.current.number and _is_answered(flag, record, start):
            results[flag.raised_by_id] = spoken
    here = Review.objects.submitted().filter(revision=record.current)
    for reviewer in here.values_list("reviewer", flat=True):
        results.pop(reviewer, None)
    return results


def _verdicts(record: EnvironmentRecord) -> dict[int, int]:
    """Whose latest verdict on an older revision does not approve, to that revision."""
    assert record.current is not None
    older = Review.objects.submitted().filter(environment=record, revision__number__lt=record.current.number)
    latest: dict[int, tuple[str, int]] = {}
    texts = older.order_by("revision__number", "id")
    for reviewer, decision, number in texts.values_list("reviewer", "decision", "revision__number"):
        latest[reviewer] = (decision, number)
    return {
        reviewer: number
        for reviewer, (decision, number) in latest.items()
        if decision != ReviewDecision.APPROVE
    }


def _is_answered(flag: Flag, record: EnvironmentRecord, start: int) -> bool:
    assert record.current is not None
    now = record.current.number
    lists = flag.change_lists.filter(
        state=ChangeListState.FINISHED, outcome__number__gt=start, outcome__number__lte=now
    )
    if lists.exists():
        return True
    later = Revision.objects.filter(environment=record, number__gt=start, number__lte=now)
    corrections = later.filter(run__kind=RunKind.CORRECTION).values_list("run__request", flat=True)
    if any(flag.pk in request.get("flags", ()) for request in corrections):
        return True
    if flag.state != FlagState.OPEN:
        return False
    return FlaggedPlace(flag).differs(Revision.objects.get(environment=record, number=start), record.current)


class FlaggedPlace:
    """The place in a design that a flag is about."""

    def __init__(self, flag: Flag) -> None:
        self.flag = flag

    def differs(self, before: Revision, after: Revision) -> bool:
        """Whether it is another one in a later revision; the whole part where the flag names no place."""
        part = "tools" if self.flag.part == "tool_specs" else self.flag.part
        if not part:
            return before.fingerprint != after.fingerprint
        old, new = (self._part(revision, part) for revision in (before, after))
        if old is None or new is None:
            return (old is None) != (new is None)
        if old.fingerprint == new.fingerprint:
            return False
        unit = f"{UNITS.get(part, '')}:{self.flag.where}"
        if before.units.get(unit) != after.units.get(unit):
            return part != "tasks" or self._field(old.load()) != self._field(new.load())
        if unit in after.units:
            return False
        return part != "seed_data" or self._rows(old.load()) != self._rows(new.load())

    @staticmethod
    def _part(revision: Revision, part: str) -> Any:
        return revision.parts.filter(part=part).first()

    def _field(self, tasks: Any) -> Any:
        """The task, or the one field of it that the flag is about."""
        task = next((each for each in tasks.tasks if each.id == self.flag.where), None)
        return getattr(task, self._name_of_field) if task and self._name_of_field else task

    @cached_property
    def _name_of_field(self) -> str:
        place = UnitAnswer.objects.filter(flag=self.flag).values_list("place", flat=True).first()
        return FIELDS.get(place or "", "")

    def _rows(self, seeds: Any) -> Any:
        """The rows of the table that the flag names, or all of them."""
        evidence: Mapping[str, Any] = self.flag.evidence
        table = evidence.get("changed_table") or evidence.get("table") or self.flag.where
        return seeds.rows.get(table, seeds.rows)
