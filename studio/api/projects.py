"""Projects: which there are, who takes part, what moves between them, and their end."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Router, Schema, Status
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.models import Act, Project
from studio.services.environments.environments import find as find_environment
from studio.services.operations import project_deletion
from studio.services.projects import membership
from studio.services.projects import projects as services

router = Router()


class ProjectOut(Schema):
    """A project; `slug` is the short name that `?project=` takes."""

    slug: str
    name: str
    description: str
    is_open: bool
    month_cost: float | None
    month_tokens: int | None
    created_at: datetime
    archived_at: datetime | None


class ProjectIn(Schema):
    """A new project."""

    name: str
    description: str = ""


class MemberIn(Schema):
    """A person and a role in a project: viewer, reviewer or lead; an empty role takes the person out."""

    username: str
    role: str


class MoveIn(Schema):
    """An environment by its name."""

    environment: str


class DeletionIn(Schema):
    """The project's short name once more, so that nothing is deleted by mistake."""

    typed: str


class DeletedOut(Schema):
    """How many of each were deleted, and how many archives."""

    counts: dict[str, int]
    files: int


@router.get("", response=list[ProjectOut], summary="List your projects, by name")
@paginate
def list_projects(request: HttpRequest) -> QuerySet[Project]:
    """An administrator sees every project."""
    return membership.projects_of(caller(request))


@router.post("", response={201: ProjectOut}, summary="Create a project", auth=needs(Act.MANAGE))
def create_project(request: HttpRequest, wanted: ProjectIn) -> Status[Project]:
    """It is closed and has no members yet."""
    project = services.create(user=caller(request), name=wanted.name, description=wanted.description)
    return Status(201, project)


@router.get("/{slug}", response=ProjectOut, summary="Read a project")
def read_project(request: HttpRequest, slug: str) -> Project:
    """One that you may read."""
    return membership.find(caller(request), slug)


@router.post(
    "/{slug}/members",
    response=ProjectOut,
    summary="Add, change or take out a member",
    auth=needs(Act.ARCHIVE),
)
def set_member(request: HttpRequest, slug: str, member: MemberIn) -> Project:
    """Leads of the project and administrators may."""
    person = caller(request)
    project = membership.find(person, slug, Act.ARCHIVE)
    services.set_member(user=person, project=project, username=member.username, role=member.role)
    return project


@router.post(
    "/{slug}/environments", response=ProjectOut, summary="Move an environment here", auth=needs(Act.ARCHIVE)
)
def move_environment(request: HttpRequest, slug: str, moved: MoveIn) -> Project:
    """You have to be a lead in both projects, or an administrator."""
    return services.move(user=caller(request), record=find_environment(moved.environment), slug=slug)


@router.post("/{slug}/delete", response=DeletedOut, summary="Delete a project", auth=needs(Act.MANAGE))
def delete_project(request: HttpRequest, slug: str, confirmed: DeletionIn) -> DeletedOut:
    """With everything in it; refused while runs of it are queued or running."""
    person = caller(request)
    project = membership.find(person, slug)
    deleted = project_deletion.delete(user=person, project=project, typed=confirmed.typed)
    return DeletedOut(counts=dict(deleted.counts), files=len(deleted.files))
