"""Trajectory exports: trajectories of many environments as training data, tried dry, built as a run."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from studio.models import Act, Run, RunKind, TrajectoryRecord
from studio.services import runs
from studio.services.accounts import require
from studio.services.environments import load_environment
from studio.services.execution import Hold
from studio.services.refusals import Conflict, Missing, NotReady
from studio.services.trajectories import load_judged
from studio.services.trajectory_export_plan import ExportFacts, ExportPlan, ExportSettings, matching, plan
from studio.services.trajectory_selection import TrajectorySelection
from synthesis.bundles.trajectory_archive import REPEATED, TrajectoryArchive
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.errors import Cancelled, InvalidInput

AT_ONCE = 20
"""Trajectories in memory at a time; a step may hold megabytes."""
IN_A_LOG = 500
"""Trajectories at a time where the format is a log of many."""
MOST_TRIES = 128
"""Tries at one task that preference pairs are made of: of more, the best and the worst."""

_MARK = "trajectory_export"
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
    found = plan(selection, wanted, through=through)
    if shown is not None and shown != found.included:
        raise Conflict(
            f"{shown} would have been in it when you looked, {found.included} now. Nothing was done.",
            remedy="Look at the dry run again.",
        )
    if not found.included:
        why = found.left_out[0][0] if found.left_out else "Nothing matches."
        raise NotReady(f"No trajectory would be in it. {why}", remedy="Choose others, or another format.")
    return runs.queue_run(
        kind=RunKind.EXPORT,
        title=f"Trajectories as {wanted.format}",
        request={
            _MARK: selection.told(),
            "settings": wanted.model_dump(mode="json"),
            "through": found.through,
        },
        requested_by=requested_by,
        total=found.included,
    )


def is_trajectory_export(run: Run) -> bool:
    """Whether a run of kind export is one of trajectories."""
    return _MARK in run.request


def exported() -> QuerySet[Run]:
    """The runs that export trajectories, newest first."""
    of_kind = Run.objects.listed().filter(kind=RunKind.EXPORT)
    return of_kind.annotate(text=Cast("request", TextField())).filter(text__startswith=f'{{"{_MARK}"')


def find(run_id: int) -> Run:
    """The export of that run.

    Raises:
        Missing: There is none.
    """
    run = runs.find(run_id)
    if run.kind != RunKind.EXPORT or not is_trajectory_export(run):
        raise Missing(f"Run {run_id} exports no trajectories.", remedy="Choose one from the list of runs.")
    return run


def archive_of(run: Run) -> Path:
    """The archive that an export made.

    Raises:
        NotReady: It is not made yet.
        Missing: It is not on this server.
    """
    if not run.result:
        raise NotReady(f"Run {run.pk} has made no archive: {run.get_state_display().lower()}.")
    path = Path(settings.BUNDLES_DIR, run.result["path"])
    if not path.is_file():
        raise Missing(f"The archive {run.result['path']} is not on this server.", remedy="Export again.")
    return path


def execute_trajectory_export(hold: Hold) -> None:
    """Write the archive a claimed run asks for.

    Raises:
        Cancelled: Somebody asked to stop.
        InvalidInput: Nothing is left of what was chosen.
    """
    request = hold.run.request
    selection = TrajectorySelection.of(request[_MARK])
    wanted = ExportSettings.model_validate(request["settings"])
    folder = Path(settings.BUNDLES_DIR) / "trajectories"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=folder) as scratch:
        content = Path(scratch, "content")
        content.mkdir()
        archive = TrajectoryArchive(content, wanted.format, splits=wanted.splits, history=wanted.history)
        found = plan(selection, wanted, through=request["through"])
        if not found.included:
            raise InvalidInput("Nothing is left of what was chosen; look at the dry run again.")
        _fill(hold, archive, selection, wanted, found)
        card = archive.finish(Path(scratch, "archive.zip"), told=_told(selection, wanted, found, archive))
        with Path(scratch, "archive.zip").open("rb") as made:
            fingerprint = hashlib.file_digest(made, "sha256").hexdigest()
        path = folder / f"trajectories-{wanted.format}-{fingerprint[:16]}.zip"
        Path(scratch, "archive.zip").replace(path)
    with hold.writing(done=found.included, total=found.included):
        hold.finish(
            {
                _MARK: hold.run.pk,
                "path": path.relative_to(settings.BUNDLES_DIR).as_posix(),
                "fingerprint": fingerprint,
                "size": path.stat().st_size,
                "card": card,
            }
        )


def _fill(
    hold: Hold,
    archive: TrajectoryArchive,
    selection: TrajectorySelection,
    wanted: ExportSettings,
    found: ExportPlan,
) -> None:
    facts = ExportFacts(found.revisions)
    for each in found.environments:
        archive.place(each.name, facts.first[each.name], each.assigned)
    done = 0
    for revision_id, rows in groupby(_rows(selection, wanted, found, facts), itemgetter("revision_id")):
        environment = load_environment(facts.revisions[revision_id])
        for tries in _portions(rows, wanted.format):
            if hold.cancelled():
                raise Cancelled("Stopped before the export was whole.")
            archive.add(environment, _loaded(tries))
            done += len(tries)
            with hold.writing(done=done):
                pass


def _told(
    selection: TrajectorySelection, wanted: ExportSettings, found: ExportPlan, archive: TrajectoryArchive
) -> dict[str, Any]:
    """What the card says beside its counts; a run's number is of this studio and says nothing elsewhere."""
    later = {
        REPEATED: archive.repeated,
        f"Its task has more than {MOST_TRIES} tries: the best and the worst are paired.": (
            found.included - archive.held - archive.repeated
        ),
    }
    left_out = [*found.left_out, *((why, count) for why, count in later.items() if count)]
    return {
        "selection": {name: value for name, value in selection.told().items() if name != "run"},
        "older_revisions": wanted.older_revisions,
        "waiver": wanted.waiver.strip(),
        "left_out": [{"why": why, "count": count} for why, count in left_out],
    }


def _rows(
    selection: TrajectorySelection, wanted: ExportSettings, found: ExportPlan, facts: ExportFacts
) -> Iterator[Row]:
    """What identifies each trajectory that is exported, by environment, revision, task and who played it."""
    chosen = matching(selection, found.through).filter(revision__in=found.revisions).order_by(*_ORDER)
    # Read whole before anything is written: a few hundred bytes each.
    for row in list(chosen.values(*_ROW)):
        if not facts.why_not(row, wanted):
            yield row


def _portions(rows: Iterable[Row], format: str) -> Iterator[list[int]]:
    """Ids of one revision's trajectories in portions; equal tries stay together, so that content decides
    their order, and so do the tries at a task where pairs are made of them."""
    if format == "preference_pairs":
        for _, tries in groupby(rows, itemgetter("task_id")):
            yield [row["pk"] for row in _best_and_worst(list(tries))]
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


def _best_and_worst(tries: list[Row]) -> list[Row]:
    if len(tries) <= MOST_TRIES:
        return tries
    ranked = sorted(tries, key=itemgetter("reward"))
    return ranked[: MOST_TRIES // 2] + ranked[-MOST_TRIES // 2 :]


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
