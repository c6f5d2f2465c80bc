"""Membership: which projects a person may read, and in which their role allows an act."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import BooleanField, Exists, ExpressionWrapper, Q, QuerySet

from studio.models import MATRIX, Act, Project, ProjectMember, Role
from studio.services.accounts.accounts import Person, allowed, role_of
from studio.services.errors import Forbidden, Missing

READING = frozenset({Act.VIEW, Act.TRY, Act.ACCOUNT, Act.EXPORT, Act.MANAGE})
"""What an archived project still allows."""
ONLY_PROJECT = "only_project"
"""Attribute of a person who asks with a token that opens one project: its number."""


def projects_of(user: Person, act: Act = Act.VIEW) -> QuerySet[Project]:
    """The projects in which a person may do something, by name; every one for administrators.

    A project that is open asks for the role of the account alone; another one for a role in it, too.
    """
    if user.pk is None or not allowed(user, act):
        return Project.objects.none()
    projects = Project.objects.order_by("name", "pk")
    if (only := getattr(user, ONLY_PROJECT, None)) is not None:
        projects = projects.filter(pk=only)
    if act not in READING:
        projects = projects.filter(archived_at__isnull=True)
    if role_of(user) is Role.ADMIN:
        return projects
    roles = [role.value for role in Role if act in MATRIX[role]]
    memberships = ProjectMember.objects.filter(user=user.pk, role__in=roles)
    return projects.filter(Q(is_open=True) | Q(pk__in=memberships.values("project")))


def readable_numbers(user: Person, act: Act = Act.VIEW) -> frozenset[int] | None:
    """Numbers of these projects; None where they are all that there are. Costs at most one query."""
    if not user.is_authenticated:
        return frozenset()
    if getattr(user, "has_limited_projects", True) is False and allowed(user, act):
        return None  # the account was read with the knowledge that every project is open to all
    if role_of(user) is Role.ADMIN and act in READING and getattr(user, ONLY_PROJECT, None) is None:
        return None
    theirs = Q(pk__in=projects_of(user, act).order_by().values("pk"))
    mine = ExpressionWrapper(theirs, output_field=BooleanField())
    every = dict(Project.objects.order_by().annotate(mine=mine).values_list("pk", "mine"))
    return None if all(every.values()) else frozenset(pk for pk, is_mine in every.items() if is_mine)


def find(user: Person, slug: str, act: Act = Act.VIEW) -> Project:
    """A project by its short name.

    Raises:
        Missing: There is none in which the person may do this.
    """
    project = projects_of(user, act).filter(slug=slug).first()
    if project is None:
        raise Missing(
            f"You have no project {slug!r}"
            + ("." if act is Act.VIEW else f" in which you may do this: {act.label.lower()}."),
            remedy="Choose one from the list of projects, or ask one of its leads to add you.",
        )
    return project


def reads(user: User, project_id: int, act: Act = Act.VIEW) -> bool:
    """Whether a person may read a project, or do something else in it."""
    if getattr(user, "has_limited_projects", True) is False:
        return allowed(user, act)
    return projects_of(user, act).filter(pk=project_id).exists()


def require_in(user: User, project_id: int, act: Act) -> None:
    """Go on only when the person's role in a project allows it.

    Raises:
        Forbidden: It does not; the text names the role that is missing.
    """
    if not reads(user, project_id, act):
        raise Forbidden(act=act)


def people_of(project_id: int, act: Act) -> QuerySet[User]:
    """Everybody whose role in a project allows an act, by name."""
    roles = [role.value for role in Role if act in MATRIX[role]]
    admins = Q(is_superuser=True) | Q(groups__name=Role.ADMIN.value)
    members = ProjectMember.objects.filter(project=project_id, role__in=roles).values("user")
    takes_part = Q(pk__in=members) | Q(Exists(Project.objects.filter(pk=project_id, is_open=True)))
    may = admins | (Q(groups__name__in=roles) & takes_part)
    return User.objects.filter(may, is_active=True).distinct().order_by("first_name", "username")


def role_in(user: User, project: Project) -> Role | None:
    """The person's role in a project: the lower one of the account's and the membership's."""
    own = role_of(user)
    if own is None or own is Role.ADMIN:
        return own
    order = list(Role)
    given = ProjectMember.objects.filter(project=project, user=user).values_list("role", flat=True)
    roles = [Role(each) for each in given] + ([own] if project.is_open else [])
    best = max(roles, key=order.index, default=None)
    return None if best is None else min(best, own, key=order.index)
