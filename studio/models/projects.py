"""Projects: what groups environments, runs, budgets, people and endpoint keys."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from studio.models.roles import Role
from studio.models.visibility import current
from synthesis.errors import InvalidInput

DEFAULT_SLUG = "default"


class Project(models.Model):
    """One project; what belongs to it is read by its members only, unless it is open."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80, unique=True)
    description = models.TextField(max_length=2_000, blank=True)
    is_open = models.BooleanField(default=False)
    """Whether everybody with an account takes part, with the role of the account."""
    month_cost = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    """US dollars that its runs may spend in a calendar month; no limit of its own when None."""
    month_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    """Input plus output tokens that its runs may spend in a calendar month."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    """Since when it is only read; None while it is in use."""

    class Meta:
        """By name."""

        ordering = ("name", "id")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The project's page."""
        return reverse("project", args=[self.slug])


class ProjectMember(models.Model):
    """One person in one project, with a role there; the role of the account limits it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(
        max_length=20, choices=[(each.value, each.label) for each in Role if each is not Role.ADMIN]
    )
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """In the order they came."""

        verbose_name = "project member"
        ordering = ("project", "id")
        constraints = (models.UniqueConstraint(fields=["project", "user"], name="one_membership"),)

    def __str__(self) -> str:
        return f"{self.user_id} in {self.project_id}"


class ProjectField(models.ForeignKey[Project]):
    """The project of a record; what is stored without one belongs to `project_of_new_records`."""

    def __init__(self, to: Any = Project, on_delete: Any = models.PROTECT, **more: Any) -> None:
        super().__init__(to, on_delete=on_delete, **more)

    def deconstruct(self) -> Any:
        """As migrations see it: the plain field, since the database has no default."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, kwargs

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """The number that is stored, also by `bulk_create`."""
        if add and getattr(model_instance, self.attname) is None:
            setattr(model_instance, self.attname, project_of_new_records())
        return super().pre_save(model_instance, add)


def default_project() -> Project:
    """The project of everything that names no other; open to everybody until somebody closes it."""
    project, _ = Project.objects.get_or_create(
        slug=DEFAULT_SLUG, defaults={"name": "Default", "is_open": True}
    )
    return project


def project_of_new_records() -> int:
    """Number of the project to which what is made now belongs.

    Raises:
        InvalidInput: Several come into question; the text says how to choose.
    """
    visibility = current()
    if visibility is None:
        return default_project().pk
    projects = Project.objects.order_by("pk")
    if visibility.chosen is not None:
        projects = projects.filter(pk__in=visibility.chosen)
    candidates = list(projects[:10])
    if len(candidates) == 1:
        return candidates[0].pk
    if not candidates:
        raise InvalidInput(
            "No project is open to you in which you may do this. Ask a lead of the project, or an "
            "administrator, to add you."
        )
    names = ", ".join(each.slug for each in candidates)
    raise InvalidInput(
        f"Choose the project to which it belongs: {names}. On pages, choose it in the header; programs add "
        f"?project={candidates[0].slug} to the address."
    )
