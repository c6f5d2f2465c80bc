"""Projects: which there are, who takes part, what moves between them, and their end."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status
from ninja.pagination import paginate
from pydantic import SecretStr

from studio.api.authentication import caller, needs
from studio.api.whole_numbers import LARGEST
from studio.models import Act, EndpointKey, Project
from studio.services.environments.environments import find as find_environment
from studio.services.llm import endpoint_keys
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


class ProjectChangeIn(Schema):
    """What changes of a project; what is left out stays, and null takes a limit away."""

    name: str = ""
    description: str = ""
    is_open: bool = False
    month_cost: Decimal | None = Field(default=None, ge=0, max_digits=12, decimal_places=2)
    month_tokens: int | None = Field(default=None, ge=0, le=LARGEST)


class MemberIn(Schema):
    """A person and a role in a project: viewer, reviewer or lead; an empty role takes the person out."""

    username: str
    role: str


class EndpointIn(Schema):
    """An endpoint by its name in WORLDWRIGHT_ENDPOINTS; empty for that of OPENAI_BASE_URL."""

    endpoint: str = ""


class EndpointKeyIn(EndpointIn):
    """The endpoint and the key that it gave."""

    key: SecretStr


class EndpointKeyOut(EndpointIn):
    """That a project has a key of its own for an endpoint."""

    set_at: datetime
    set_by: str | None = Field(default=None, alias="set_by.username")


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


@router.post("/{slug}", response=ProjectOut, summary="Change a project", auth=needs(Act.MANAGE))
def change_project(request: HttpRequest, slug: str, wanted: ProjectChangeIn) -> Project:
    """Its name, description, budget of a calendar month, or whether it is open to everybody."""
    person = caller(request)
    project = membership.find(person, slug)
    present = {name: getattr(project, name) for name in ProjectChangeIn.model_fields}
    return services.change(user=person, project=project, **present | wanted.dict(exclude_unset=True))


@router.post("/{slug}/archive", response=ProjectOut, summary="Archive a project", auth=needs(Act.MANAGE))
def archive_project(request: HttpRequest, slug: str) -> Project:
    """From then on it is only read; refused while runs of it are queued or running."""
    person = caller(request)
    return services.set_archived(user=person, project=membership.find(person, slug), archived=True)


@router.post(
    "/{slug}/restore", response=ProjectOut, summary="Take a project into use again", auth=needs(Act.MANAGE)
)
def restore_project(request: HttpRequest, slug: str) -> Project:
    """As it was before it was archived."""
    person = caller(request)
    return services.set_archived(user=person, project=membership.find(person, slug), archived=False)


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


@router.get(
    "/{slug}/endpoint-keys",
    response=list[EndpointKeyOut],
    summary="List a project's endpoint keys",
    auth=needs(Act.MANAGE),
)
@paginate
def list_endpoint_keys(request: HttpRequest, slug: str) -> QuerySet[EndpointKey]:
    """For which endpoints it has one; never the keys."""
    return endpoint_keys.stored_keys(membership.find(caller(request), slug))


@router.post(
    "/{slug}/endpoint-keys",
    response=EndpointKeyOut,
    summary="Set a project's key for an endpoint",
    auth=needs(Act.MANAGE),
)
def set_endpoint_key(request: HttpRequest, slug: str, wanted: EndpointKeyIn) -> EndpointKey:
    """Its runs use it in place of the studio's; it is stored encrypted and not shown again."""
    person = caller(request)
    project, key = membership.find(person, slug), wanted.key.get_secret_value()
    return endpoint_keys.set_key(user=person, project=project, endpoint=wanted.endpoint, key=key)


@router.post(
    "/{slug}/endpoint-keys/remove",
    response=ProjectOut,
    summary="Remove a project's key for an endpoint",
    auth=needs(Act.MANAGE),
)
def remove_endpoint_key(request: HttpRequest, slug: str, wanted: EndpointIn) -> Project:
    """From then on its runs use the studio's."""
    person = caller(request)
    project = membership.find(person, slug)
    endpoint_keys.remove_key(user=person, project=project, endpoint=wanted.endpoint)
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
