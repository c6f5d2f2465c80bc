"""Projects: created, changed, archived, and who takes part in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from studio.models import Act, ChangeListState, EnvironmentRecord, Project, ProjectMember, Role, Run
from studio.services.accounts import held
from studio.services.accounts.accounts import require
from studio.services.errors import Conflict, Missing
from studio.services.projects import membership
from synthesis.errors import InvalidInput

LONGEST_NAME, LONGEST_DESCRIPTION = 80, 2_000
RESERVED = frozenset({"new", "choose"})
"""Addresses of pages beside those of projects."""
MEMBER_ROLES = [(each.value, str(each.label)) for each in Role if each is not Role.ADMIN]


@transaction.atomic
def create(*, user: User, name: str, description: str = "") -> Project:
    """A new project without members, which only administrators read until somebody is added.

    Raises:
        Forbidden: The person is no administrator.
        InvalidInput: The name cannot be used or is taken.
    """
    require(user, Act.MANAGE)
    name = _usable(name, description)
    slug = slugify(name)[:60].strip("-")
    if not slug:
        raise InvalidInput(f"The name {name!r} needs a letter or a digit of the Latin alphabet.")
    if slug in RESERVED or Project.objects.filter(slug=slug).exists():
        raise InvalidInput(f"There is a project {slug!r} already. Choose another name.")
    with _names_are_unique():
        return Project.objects.create(slug=slug, name=name, description=description.strip(), created_by=user)


@transaction.atomic
def change(
    *,
    user: User,
    project: Project,
    name: str,
    description: str = "",
    is_open: bool = False,
    month_cost: Decimal | None = None,
    month_tokens: int | None = None,
) -> Project:
    """Give a project another name, budget or openness; its address stays.

    Raises:
        Forbidden: The person is no administrator.
        InvalidInput: The name cannot be used or is taken.
    """
    require(user, Act.MANAGE)
    project.name = _usable(name, description, but=project)
    project.description, project.is_open = description.strip(), is_open
    project.month_cost, project.month_tokens = month_cost, month_tokens
    with _names_are_unique():
        project.save(update_fields=["name", "description", "is_open", "month_cost", "month_tokens"])
    if project.archived_at is None:
        _let_outsiders_give_back(project)
    return project


@contextmanager
def _names_are_unique() -> Iterator[None]:
    """Tell somebody who was slower than another with the same name."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise InvalidInput("Somebody gave another project this name a moment ago. Choose another.") from None


def _usable(name: str, description: str, but: Project | None = None) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or len(description) > LONGEST_DESCRIPTION:
        raise InvalidInput(
            f"Name the project with 1 to {LONGEST_NAME} characters and describe it with at most "
            f"{LONGEST_DESCRIPTION:,}."
        )
    others = Project.objects.exclude(pk=but.pk) if but else Project.objects.all()
    if others.filter(name__iexact=name).exists():
        raise InvalidInput(f"There is a project called {name!r} already. Choose another name.")
    return name


def set_archived(*, user: User, project: Project, archived: bool) -> Project:
    """Make a project read-only, or take it into use again.

    Raises:
        Forbidden: The person is no administrator.
        Conflict: Runs of it are queued or running.
    """
    require(user, Act.MANAGE)
    if archived and Run.all_projects.filter(project=project, finished_at__isnull=True).exists():
        raise Conflict(
            f"Runs of {project.name} are queued or running.", remedy="Cancel them, or wait for their end."
        )
    project.archived_at = timezone.now() if archived else None
    project.save(update_fields=["archived_at"])
    return project


@transaction.atomic
def set_member(*, user: User, project: Project, username: str, role: str) -> User:
    """Give a person a role in a project, or with an empty one take the person out; returns the person.

    Whoever is taken out gives back what they hold for review or work off. A deactivated person can be
    taken out, too.

    Raises:
        Missing: The person who asks is no lead of the project, or there is no such account.
        InvalidInput: There is no such role.
    """
    membership.find(user, project.slug, Act.ARCHIVE)
    if role and role not in dict(MEMBER_ROLES):
        raise InvalidInput(f"There is no role {role!r}; choose one of {', '.join(dict(MEMBER_ROLES))}.")
    person = User.objects.filter(username=username).first()
    if person is None or (role and not person.is_active):
        raise Missing(
            f"There is no active account {username!r}.", remedy="Write the name with which they sign in."
        )
    if role:
        ProjectMember.objects.update_or_create(project=project, user=person, defaults={"role": role})
    else:
        ProjectMember.objects.filter(project=project, user=person).delete()
    if not membership.reads(person, project.pk, Act.REVIEW):
        held.give_back(person, project=project)
    return person


@transaction.atomic
def move(*, user: User, record: EnvironmentRecord, slug: str) -> Project:
    """Move an environment with everything about it, and the runs that are about it alone.

    Runs of a batch stay with their batch and no longer name the environment; what was spent stays with the
    project that paid; collections and exports stay where they were made.

    Raises:
        Missing: The person is no lead in one of the two projects.
        Conflict: Runs of it are queued or running, or it is there already.
    """
    target = membership.find(user, slug, Act.ARCHIVE)
    source = Project.objects.get(pk=record.project_id)
    membership.find(user, source.slug, Act.ARCHIVE)
    EnvironmentRecord.all_projects.select_for_update().get(pk=record.pk)
    if target.pk == record.project_id:
        raise Conflict(f"{record.title} is in {target.name} already.")
    about_it = Run.all_projects.filter(environment=record)
    if about_it.filter(finished_at__isnull=True).exists():
        raise Conflict(
            f"Runs of {record.title} are queued or running.", remedy="Cancel them, or wait for their end."
        )
    alone = list(about_it.filter(parent=None, children=None).values_list("pk", flat=True))
    Run.all_projects.filter(pk__in=alone).update(project=target)
    about_it.exclude(pk__in=alone).update(environment=None)
    record.project = target
    record.save(update_fields=["project"])
    _let_outsiders_give_back(target)
    return target


def _let_outsiders_give_back(project: Project) -> None:
    """Release what is held in a project by people who may not review there any more."""
    claims = Q(claims__environment__project=project, claims__released_at__isnull=True)
    lists = Q(change_lists__environment__project=project, change_lists__state=ChangeListState.OPEN)
    for person in User.objects.filter(claims | lists).distinct():
        if not membership.reads(person, project.pk, Act.REVIEW):
            held.give_back(person, project=project)
