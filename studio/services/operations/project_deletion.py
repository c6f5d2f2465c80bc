"""Deletion of a project: what would go, and then all of it with its files."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, ProtectedError, Q

from studio.models import (
    Act,
    BundleCollection,
    BundleRecord,
    EnvironmentRecord,
    Project,
    Review,
    Run,
    RunKind,
    TrajectoryRecord,
    VerdictRecord,
)
from studio.models.projects import DEFAULT_SLUG
from studio.services.accounts.accounts import require
from studio.services.errors import Conflict
from studio.services.exports import stored_archives
from synthesis.errors import InvalidInput


@dataclass(frozen=True)
class DeletionPlan:
    """What goes with a project.

    Attributes:
        counts: What, and how many.
        files: Archives in the storage that nothing outside of the project names.
        running: Runs that are queued or running; while there are any, nothing is deleted.
    """

    counts: tuple[tuple[str, int], ...]
    files: tuple[str, ...]
    running: int


def plan(project: Project) -> DeletionPlan:
    """What deleting a project would remove."""
    of_environments = {"environment__project": project}
    bundles = BundleRecord.all_projects.filter(**of_environments).values_list("path", flat=True)
    collections = BundleCollection.all_projects.filter(project=project).values_list("path", flat=True)
    runs = Run.all_projects.filter(project=project).aggregate(
        every=Count("pk"), running=Count("pk", filter=Q(finished_at__isnull=True))
    )
    counts = (
        ("environments", EnvironmentRecord.all_projects.filter(project=project).count()),
        ("reviews", Review.all_projects.filter(**of_environments).count()),
        ("trajectories", TrajectoryRecord.all_projects.filter(**of_environments).count()),
        ("runs", runs["every"]),
        ("bundles", len(bundles)),
        ("collections", len(collections)),
        ("members", project.members.count()),
    )
    files = sorted({*bundles, *collections, *_exported(project)})
    return DeletionPlan(counts, tuple(files), runs["running"])


def _exported(project: Project) -> set[str]:
    """Archives of trajectories that no other project's export is, too."""
    exports = Run.all_projects.filter(kind=RunKind.TRAJECTORIES).exclude(result=None)
    own, others = exports.filter(project=project), exports.exclude(project=project)
    # Equal exports are one archive, whichever project made them.
    paths = {each["path"] for each in own.values_list("result", flat=True) if each}
    return paths - {each["path"] for each in others.values_list("result", flat=True) if each}


def delete(*, user: User, project: Project, typed: str) -> DeletionPlan:
    """Delete a project with everything in it; what it spent stays in the ledger without a run.

    Args:
        user: An administrator.
        project: The project.
        typed: Its short name, typed by the person.

    Returns:
        What was deleted.

    Raises:
        Forbidden: The person is no administrator.
        InvalidInput: Another name was typed.
        Conflict: It is the default project, or runs of it are queued or running.
    """
    require(user, Act.MANAGE)
    if project.slug == DEFAULT_SLUG:
        raise Conflict("New things go into the default project, so it stays.", remedy="Archive it instead.")
    if typed.strip() != project.slug:
        raise InvalidInput(f"Type {project.slug} to delete the project; nothing was deleted.")
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        deleted = plan(project)
        if deleted.running:
            raise Conflict(
                f"{deleted.running} runs of {project.name} are queued or running. Nothing was deleted.",
                remedy="Cancel them, or wait for their end.",
            )
        try:
            _delete_records(project)
        except ProtectedError:
            raise Conflict("Something was added to the project meanwhile.", remedy="Try again.") from None
    for path in deleted.files:
        stored_archives.remove(path)
    return deleted


def _delete_records(project: Project) -> None:
    environments = EnvironmentRecord.all_projects.filter(project=project)
    environments.update(current=None)  # it protects the revision from being deleted alone
    environments.delete()
    BundleCollection.all_projects.filter(project=project).delete()
    # What moved to another project keeps what runs of this one judged of it.
    VerdictRecord.all_projects.filter(run__project=project).update(run=None)
    Run.all_projects.filter(project=project).delete()
    project.delete()
