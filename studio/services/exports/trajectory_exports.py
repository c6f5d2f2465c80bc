"""Trajectory exports: trajectories of many environments as training data, tried dry, built as a run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from studio.models import Act, Run, RunKind, TrajectoryRecord
from studio.services.accounts.accounts import require
from studio.services.environments.environments import load_environment
from studio.services.errors import Conflict, Missing, NotReady
from studio.services.exports import stored_archives
from studio.services.exports.trajectory_export_plan import (
    ExportFacts,
    ExportPlan,
    ExportSettings,
    matching,
    plan,
    remedy_for,
)
from studio.services.rollouts.trajectories import load_judged
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.bundles.trajectory_archive import REPEATED, TrajectoryArchive
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.errors import Cancelled, InvalidInput

AT_ONCE = 20
"""Trajectories in memory at a time; a step may hold megabytes."""
IN_A_LOG = 500
"""Trajectories at a time where the format is a log of many."""
MOST_EPISODES = 128
"""Episodes at one task that preference pairs are made of: of more, the best and the worst."""

_ORDER = ("environment__name", "revision__number", "task_id", "agent", "model", "seed", "id")
_ROW = (
    "pk",
    "revision_id",
    "task_id",
    "agent",
    "model",
    "seed",
    "reward",
    "label",
    "trainable",
    "stop_reason",
)

Row = dict[str, Any]


class TrajectoryExportRequest(Document):
    """What a selection holds, as one archive."""

    selection: dict[str, Any]
    """See `TrajectorySelection.told`."""
    settings: ExportSettings
    through: int | None = None
    """The newest trajectory that may be in it."""


@transaction.atomic
def start_export(
    *,
    selection: TrajectorySelection,
    wanted: ExportSettings,
    requested_by: User | None = None,
    through: int | None = None,
    shown: int | None = None,
) -> Run:
    """Queue the export of what a selection holds now.

    Args:
        selection: Which trajectories.
        wanted: How.
        requested_by: Who asks; None for the command line.
        through: The newest trajectory of the dry run that was agreed to.
        shown: How many it would hold then.

    Raises:
        Forbidden: The person may not export.
        Conflict: It would hold something else by now.
        NotReady: It would hold nothing.
        UnknownName, InvalidInput: There is no such export.
    """
    if requested_by is not None:
        require(requested_by, Act.EXPORT)
    export_plan = plan(selection, wanted, through=through)
    if shown is not None and shown != export_plan.included:
        raise Conflict(
            f"{shown} would have been exported when you looked, {export_plan.included} now. Nothing was "
            "done.",
            remedy="Review the new dry run.",
        )
    if not export_plan.included:
        why = export_plan.left_out[0][0] if export_plan.left_out else "No trajectory matches."
        raise NotReady(f"No trajectory would be exported. {why}", remedy=remedy_for(why))
    return runs.queue_run(
        kind=RunKind.TRAJECTORIES,
        title=f"Trajectories as {wanted.format}",
        request=TrajectoryExportRequest(
            selection=selection.as_record(), settings=wanted, through=export_plan.through
        ),
        requested_by=requested_by,
        total=export_plan.included,
    )


def exported() -> QuerySet[Run]:
    """The runs that export trajectories, newest first."""
    return Run.objects.listed().filter(kind=RunKind.TRAJECTORIES)


def find(run_id: int) -> Run:
    """The export of that run.

    Raises:
        Missing: There is none.
    """
    run = runs.find(run_id)
    if run.kind != RunKind.TRAJECTORIES:
        raise Missing(f"Run {run_id} exports no trajectories.", remedy="Choose one from the list of runs.")
    return run


def archive_of(run: Run) -> str:
    """The name in the storage of the archive that an export made.

    Raises:
        NotReady: It is not made yet.
        Missing: It is not in the storage any more.
        StorageDown: The storage cannot be used.
    """
    if not run.result:
        raise NotReady(f"Run {run.pk} has no archive: {run.get_state_display().lower()}.")
    name = str(run.result["path"])
    if not stored_archives.is_there(name):
        raise Missing(f"The archive {name} is not in the storage any more.", remedy=stored_archives.REMEDY)
    return name


def execute_trajectory_export(lease: RunLease, request: TrajectoryExportRequest) -> None:
    """Write the archive a claimed run asks for.

    Raises:
        Cancelled: Somebody asked to stop.
        InvalidInput: Nothing is left of what was chosen.
    """
    selection, wanted = TrajectorySelection.of(request.selection), request.settings
    with stored_archives.draft_folder() as folder:
        content = folder / "content"
        content.mkdir()
        archive = TrajectoryArchive(
            content,
            wanted.format,
            splits=wanted.splits,
            history=wanted.history,
            reasoning=wanted.reasoning,
        )
        export_plan = plan(selection, wanted, through=request.through)
        if not export_plan.included:
            raise InvalidInput(
                "None of the chosen trajectories can be exported any more; review the new dry run."
            )
        _fill(lease, archive, selection, wanted, export_plan)
        written = folder / "archive.zip"
        card = archive.finish(written, details=_plan_payload(selection, wanted, export_plan, archive))
        with written.open("rb") as buffered_reader:
            fingerprint = hashlib.file_digest(buffered_reader, "sha256").hexdigest()
        size = written.stat().st_size
        name = f"trajectories/trajectories-{wanted.format}-{fingerprint[:16]}.zip"
        stored_archives.store(written, name)
    with lease.writing(done=export_plan.included, total=export_plan.included):
        lease.finish(
            {
                "trajectory_export": lease.run.pk,
                "path": name,
                "fingerprint": fingerprint,
                "size": size,
                "card": card,
            }
        )


def _fill(
    lease: RunLease,
    archive: TrajectoryArchive,
    selection: TrajectorySelection,
    wanted: ExportSettings,
    export_plan: ExportPlan,
) -> None:
    facts = ExportFacts(export_plan.revisions)
    for each in export_plan.environments:
        archive.place(each.name, facts.first[each.name], each.assigned)
    done = 0
    for revision_id, rows in groupby(_rows(selection, wanted, export_plan, facts), itemgetter("revision_id")):
        environment = load_environment(facts.revisions[revision_id])
        for episodes in _portions(rows, wanted.format):
            if lease.cancelled():
                raise Cancelled("Stopped before the export was complete.")
            archive.add(environment, _loaded(episodes))
            done += len(episodes)
            with lease.writing(done=done):
                pass


def _plan_payload(
    selection: TrajectorySelection,
    wanted: ExportSettings,
    export_plan: ExportPlan,
    archive: TrajectoryArchive,
) -> dict[str, Any]:
    """What the card says beside its counts; a run's number is of this studio and says nothing elsewhere."""
    later = {
        REPEATED: archive.repeated,
        f"Its task has more than {MOST_EPISODES} episodes: the best and the worst are paired.": (
            export_plan.included - archive.held - archive.repeated
        ),
    }
    left_out = [*export_plan.left_out, *((why, count) for why, count in later.items() if count)]
    return {
        "selection": {name: value for name, value in selection.as_record().items() if name != "run"},
        "older_revisions": wanted.older_revisions,
        "waiver": wanted.waiver.strip(),
        "left_out": [{"why": why, "count": count} for why, count in left_out],
    }


def _rows(
    selection: TrajectorySelection, wanted: ExportSettings, export_plan: ExportPlan, facts: ExportFacts
) -> Iterator[Row]:
    """What identifies each trajectory that is exported, by environment, revision, task and who played it."""
    chosen = (
        matching(selection, export_plan.through).filter(revision__in=export_plan.revisions).order_by(*_ORDER)
    )
    # Read whole before anything is written: a few hundred bytes each.
    for row in list(chosen.values(*_ROW)):
        if not facts.why_not(row, wanted):
            yield row


def _portions(rows: Iterable[Row], format: str) -> Iterator[list[int]]:
    """Ids of one revision's trajectories in portions; equal episodes stay together, so that content decides
    their order, and so do the episodes of a task where pairs are made of them."""
    if format == "preference_pairs":
        for _, episodes in groupby(rows, itemgetter("task_id")):
            yield [row["pk"] for row in _best_and_worst(list(episodes))]
        return
    most = IN_A_LOG if format == "inspect_eval" else AT_ONCE
    portion: list[int] = []
    for _, same in groupby(rows, itemgetter("task_id", "agent", "model", "seed")):
        portion += [row["pk"] for row in same]
        if len(portion) >= most:
            yield portion
            portion = []
    if portion:
        yield portion


def _best_and_worst(episodes: list[Row]) -> list[Row]:
    if len(episodes) <= MOST_EPISODES:
        return episodes
    ranked = sorted(episodes, key=itemgetter("reward"))
    return ranked[: MOST_EPISODES // 2] + ranked[-MOST_EPISODES // 2 :]


def _loaded(ids: Sequence[int]) -> list[JudgedTrajectory]:
    records = (
        TrajectoryRecord.objects.filter(pk__in=ids)
        .select_related("revision", "environment", "conversation")
        .prefetch_related("steps", "verdicts")
    )
    return sorted(map(load_judged, records), key=_place)


def _place(judged: JudgedTrajectory) -> tuple[str, str, str, int, str]:
    tried = judged.trajectory
    return tried.task_id, tried.agent, tried.model or "", tried.seed, tried.fingerprint
