"""Trajectory export plan: what an export of trajectories would hold, and what it would leave out and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.conf import settings
from django.db.models import Count, Max, QuerySet

from studio.models import EnvironmentState, PartRecord, Revision, TrajectoryRecord
from studio.services.errors import NotReady
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from synthesis.bundles.splits import SPLITS, Assignment, Split, SplitSettings, assign
from synthesis.bundles.trajectory_archive import TRAINING, require_format
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput
from synthesis.rollouts.history import make_history

LONGEST_WAIVER = 300

NOT_APPROVED = "Its environment is not approved."
OLDER_REVISION = "It was recorded on an older revision of its environment."
_REMEDIES = {
    NOT_APPROVED: "Have the environment approved, or give a reason for exporting it all the same (a waiver).",
    OLDER_REVISION: "Include older revisions.",
}
_SILENT_STOPS = {
    "environment_error": "Environment error: it says nothing about the agent.",
    "infrastructure_error": "Infrastructure error: it says nothing about the agent.",
    "cancelled": "Cancelled: it says nothing about the agent.",
}
_SILENT_LABELS = {
    "unscored": "Unscored: the verifier failed.",
    "environment_error": _SILENT_STOPS["environment_error"],
}


class ExportSettings(Document):
    """How chosen trajectories become an archive."""

    format: str = "chat_jsonl"
    history: str = ""
    """For training samples: full, window:3, tokens:16000, summary:3; "" for what the agent was shown."""
    reasoning: bool = True
    """Whether chat lines and training samples hold what models thought."""
    splits: SplitSettings = SplitSettings()
    older_revisions: bool = False
    """Whether trajectories of revisions before the current one come along."""
    waiver: str = ""
    """Why trajectories of environments that are not approved come along; "" leaves them out."""

    def require_sound(self) -> None:
        """Pass when an archive can be made like this.

        Raises:
            UnknownName: There is no such format or history.
            InvalidInput: The shares do not make 100 percent, or the reason is too long.
            NotReady: Nothing may leave without approval here.
        """
        require_format(self.format)
        self.splits.shares()
        if self.history:
            make_history(self.history)
        if len(self.waiver) > LONGEST_WAIVER:
            raise InvalidInput(f"Keep the reason for the waiver under {LONGEST_WAIVER} characters.")
        if self.waiver.strip() and not settings.WORLDWRIGHT.gate_waivers:
            raise NotReady(
                "Trajectories of environments that are not approved cannot be exported here.",
                remedy=(
                    "Have them approved; WORLDWRIGHT_GATE_WAIVERS does not allow exports without approval."
                ),
            )


@dataclass(frozen=True)
class Placed:
    """Where the trajectories of one environment go."""

    name: str
    title: str
    assigned: Assignment
    trajectories: int


@dataclass(frozen=True)
class ExportPlan:
    """What an export would hold.

    Attributes:
        matching: Trajectories that are chosen.
        through: The newest of them; later ones are not in it.
        left_out: Why some are left out, and how many for each reason.
        labels: Trajectories by label, of those it holds.
        environments: Its environments by name.
        revisions: Ids of the revisions it reads.
    """

    matching: int
    through: int
    left_out: tuple[tuple[str, int], ...]
    labels: tuple[tuple[str, int], ...]
    environments: tuple[Placed, ...]
    revisions: frozenset[int]

    @property
    def included(self) -> int:
        """Trajectories it contains, duplicates counted twice."""
        return sum(count for _, count in self.labels)

    def splits(self) -> dict[Split, tuple[int, int]]:
        """Environments and trajectories by split."""
        return {
            split: (len(there), sum(each.trajectories for each in there))
            for split in SPLITS
            for there in [[each for each in self.environments if each.assigned.split == split]]
        }

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "matching": self.matching,
            "included": self.included,
            "splits": {
                split: {"environments": environments, "trajectories": count}
                for split, (environments, count) in self.splits().items()
            },
            "labels": dict(self.labels),
            "environments": {
                each.name: {**each.assigned.model_dump(mode="json"), "trajectories": each.trajectories}
                for each in self.environments
            },
            "left_out": [{"why": why, "count": count} for why, count in self.left_out],
        }


class ExportFacts:
    """What deciding about trajectories needs to know of their revisions; a few queries however many.

    Args:
        revisions: Ids.

    Attributes:
        revisions: By id, with their environments.
        first: Environment's name to the fingerprint of its first revision: it stays when others follow.
        tasks: Revision's id to its tasks' ids with the split each names.
    """

    def __init__(self, revisions: Collection[int]) -> None:
        wanted = sorted(revisions)
        self.revisions = Revision.objects.select_related("environment").in_bulk(wanted)
        environments = {each.environment_id for each in self.revisions.values()}
        numbered = Revision.objects.filter(environment__in=environments).order_by("environment", "-number")
        self.first = dict(numbered.values_list("environment__name", "fingerprint"))
        self.tasks: dict[int, dict[str, Split | None]] = {number: {} for number in wanted}
        parts = PartRecord.objects.filter(part="tasks", revisions__in=wanted).order_by()
        for revision, document in parts.values_list("revisions", "document").iterator(chunk_size=50):
            tasks = orjson.loads(document)["tasks"]
            self.tasks[revision] = {task["id"]: task.get("split") for task in tasks}

    def why_not(self, row: Mapping[str, Any], wanted: ExportSettings) -> str:
        """Why a trajectory is left out, "" when it is not.

        Args:
            row: Its revision_id, task_id, label, trainable and stop_reason.
            wanted: How it would be exported.
        """
        revision = self.revisions[row["revision_id"]]
        environment = revision.environment
        if row["task_id"] not in self.tasks[revision.pk]:
            return "Its environment has no such task."
        if environment.level.level < EnvironmentState.APPROVED.level and not wanted.waiver.strip():
            return NOT_APPROVED
        if environment.current_id != revision.pk and not wanted.older_revisions:
            return OLDER_REVISION
        if wanted.format not in TRAINING:
            return ""
        silent = _SILENT_LABELS.get(row["label"]) or _SILENT_STOPS.get(row["stop_reason"])
        return silent or ("" if row["trainable"] else "It is marked as not trainable.")


def remedy_for(why: str) -> str:
    """What to do where trajectories are left out for that reason."""
    return _REMEDIES.get(why, "Choose others, or another format.")


def matching(selection: TrajectorySelection, through: int | None = None) -> QuerySet[TrajectoryRecord]:
    """The chosen trajectories, in no order.

    Args:
        selection: Which.
        through: The newest that counts; None for all there are.
    """
    trajectories = selection.narrow(TrajectoryRecord.objects.order_by())
    return trajectories if through is None else trajectories.filter(pk__lte=through)


def plan(selection: TrajectorySelection, wanted: ExportSettings, *, through: int | None = None) -> ExportPlan:
    """What an export would hold and what it would leave out; no step is read.

    Raises:
        UnknownName, InvalidInput, NotReady: There is no such export.
    """
    wanted.require_sound()
    chosen = matching(selection, through)
    rows = list(
        chosen.values("revision_id", "task_id", "label", "trainable", "stop_reason").annotate(
            count=Count("pk"), newest=Max("pk")
        )
    )
    facts = ExportFacts({row["revision_id"] for row in rows})
    left_out: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    held: Counter[str] = Counter()
    own: dict[str, dict[str, Split | None]] = defaultdict(dict)
    revisions = set()
    for row in rows:
        if why := facts.why_not(row, wanted):
            left_out[why] += row["count"]
            continue
        revision = facts.revisions[row["revision_id"]]
        name = revision.environment.name
        labels[row["label"]] += row["count"]
        held[name] += row["count"]
        own[name][f"{revision.pk}/{row['task_id']}"] = facts.tasks[revision.pk][row["task_id"]]
        revisions.add(revision.pk)
    titles = {each.environment.name: each.environment.title for each in facts.revisions.values()}
    return ExportPlan(
        matching=sum(row["count"] for row in rows),
        through=max((row["newest"] for row in rows), default=0),
        left_out=tuple(sorted(left_out.items(), key=lambda each: (-each[1], each[0]))),
        labels=tuple(sorted(labels.items())),
        environments=tuple(
            Placed(name, titles[name], assign(facts.first[name], own[name], wanted.splits), held[name])
            for name in sorted(held)
        ),
        revisions=frozenset(revisions),
    )
