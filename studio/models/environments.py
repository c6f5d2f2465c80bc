"""Environments as the studio remembers them: every version of every part, and the revisions they make."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from studio.models.fields import PayloadField, WholeTextField
from studio.models.projects import ProjectField
from studio.models.visibility import InProject, ProjectManager
from synthesis.documents.environment import Part, part_types


class EnvironmentState(models.TextChoices):
    """Levels that the quality gates lead to; nothing skips one."""

    DRAFT = "draft", "Draft"
    EXECUTABLE = "executable", "Executable"
    PROVED = "proved", "Proved"
    REVIEWED = "reviewed", "Reviewed"
    APPROVED = "approved", "Approved"
    EXPORTED = "exported", "Exported"

    @property
    def level(self) -> int:
        """Rank of the level, from 0."""
        return list(EnvironmentState).index(self)


class AuthorKind(models.TextChoices):
    """Who made a part or a revision."""

    PROCEDURAL = "procedural", "Procedural author"
    MODEL = "model", "Model"
    PERSON = "person", "Person"
    HAND = "hand", "Imported"


class EnvironmentQuerySet(models.QuerySet["EnvironmentRecord"]):
    """Reads of environments."""

    def listed(self) -> Self:
        """With the current revision in the same query, and counts of what is open."""
        open_flags = models.Count("flags", filter=models.Q(flags__state="open"), distinct=True)
        return self.filter(current__isnull=False).select_related("current").annotate(open_flags=open_flags)

    def in_use(self) -> Self:
        """Without what was archived."""
        return self.filter(archived_at__isnull=True)

    def with_reviews(self) -> Self:
        """With how many people reviewed what the current revision holds, in whichever revision."""
        theirs = models.Q(
            reviews__state="submitted", reviews__revision__fingerprint=models.F("current__fingerprint")
        )
        return self.annotate(reviewed=models.Count("reviews__reviewer", filter=theirs, distinct=True))

    def in_state(self, *states: EnvironmentState) -> Self:
        """On one of these levels."""
        return self.filter(state__in=states)

    def reviewable(self) -> Self:
        """Proved, not yet decided and not archived."""
        return self.in_use().in_state(EnvironmentState.PROVED, EnvironmentState.REVIEWED)


class EnvironmentRecord(InProject):
    """One environment; its content is the current revision's."""

    visible_through = "project"

    project = ProjectField(related_name="environments")
    name = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=120)
    category = models.CharField(max_length=80, db_index=True)
    description = WholeTextField()
    state = models.CharField(
        max_length=12, choices=EnvironmentState.choices, default=EnvironmentState.DRAFT, db_index=True
    )
    author_kind = models.CharField(max_length=12, choices=AuthorKind.choices)
    current = models.ForeignKey["Revision | None"](
        "Revision", on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    risk = models.FloatField(default=0.0)
    risk_reasons = PayloadField(default=list)
    """Why it needs a look, in words, the heaviest first."""
    dictionary = PayloadField(default=dict)
    """What people call things in place of what is derived, see `synthesis.documents.dictionary`."""
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now, db_index=True)
    archived_at = models.DateTimeField(null=True, blank=True, db_index=True)
    """When it was taken out of use; None while it is in use."""
    archived_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    archived_reason = models.CharField(max_length=300, blank=True)

    objects = ProjectManager.from_queryset(EnvironmentQuerySet)()  # type: ignore[misc]

    class Meta:
        """Newest activity first; the queue reads by state and risk."""

        verbose_name = "environment"
        ordering = (
            "-updated_at",
            "-id",
        )
        indexes = (models.Index(fields=["state", "-risk"]),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The environment's page."""
        return reverse("environment", args=[self.name])

    @property
    def level(self) -> EnvironmentState:
        """The state as a level."""
        return EnvironmentState(self.state)


class PartRecord(InProject):
    """One version of one part of one environment; never changed after it was written."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="parts")
    part = models.CharField(max_length=16)
    version = models.PositiveIntegerField()
    fingerprint = models.CharField(max_length=64, db_index=True)
    document = models.TextField()
    author_kind = models.CharField(max_length=12, choices=AuthorKind.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reason = WholeTextField(blank=True)
    provenance = PayloadField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Versions count from 1 within a part."""

        verbose_name = "part"
        ordering = (
            "environment",
            "part",
            "version",
        )
        constraints = (
            models.UniqueConstraint(fields=["environment", "part", "version"], name="part_version_once"),
        )

    def __str__(self) -> str:
        return f"{self.part} v{self.version}"

    def load(self) -> Part:
        """The part's document."""
        return part_types()[self.part].model_validate_json(self.document)  # type: ignore[index]


class Revision(InProject):
    """One state of the whole design: a version of each part, with sizes and the outcome of its checks."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    fingerprint = models.CharField(max_length=64, db_index=True)
    parts = models.ManyToManyField(PartRecord, related_name="revisions")
    author_kind = models.CharField(max_length=12, choices=AuthorKind.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reason = WholeTextField(blank=True)
    run = models.ForeignKey("Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="revisions")
    created_at = models.DateTimeField(default=timezone.now)
    tables = models.PositiveIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    tools = models.PositiveIntegerField(default=0)
    tasks = models.PositiveIntegerField(default=0)
    code_lines = models.PositiveIntegerField(default=0)
    checks_passed = models.PositiveIntegerField(default=0)
    checks_failed = models.PositiveIntegerField(default=0)
    units = PayloadField(default=dict)
    """What approvals cover, by name (scenario, schema, tool:..., task:...), to its fingerprint."""

    class Meta:
        """Revisions count from 1 within an environment; an execution makes at most one."""

        ordering = (
            "environment",
            "-number",
        )
        constraints = (
            models.UniqueConstraint(fields=["environment", "number"], name="revision_number_once"),
            models.UniqueConstraint(
                fields=["run"], condition=models.Q(run__isnull=False), name="a_run_makes_one_revision"
            ),
        )

    def __str__(self) -> str:
        return f"{self.environment} r{self.number}"

    @property
    def checks(self) -> int:
        """How many claims were tried."""
        return self.checks_passed + self.checks_failed


class ElementKind(models.TextChoices):
    """What can be found by name within an environment."""

    TABLE = "table", "Table"
    TOOL = "tool", "Tool"
    TASK = "task", "Task"


class Element(InProject):
    """A table, tool or task of an environment's current revision, so that lists need not open documents."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="elements")
    kind = models.CharField(max_length=8, choices=ElementKind.choices)
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=128, db_index=True)
    summary = WholeTextField(blank=True)
    figures = PayloadField(default=dict)
    """Table: rows, columns. Tool: mutates_state, parameters. Task: kind, difficulty, min_calls."""

    class Meta:
        """In the order of the documents."""

        ordering = (
            "environment",
            "kind",
            "position",
        )
        constraints = (
            models.UniqueConstraint(fields=["environment", "kind", "name"], name="element_name_once"),
        )
        indexes = (models.Index(fields=["kind", "name"]),)

    def __str__(self) -> str:
        return f"{self.environment}: {self.kind} {self.name}"


class StoredPartRecord(models.Model):
    """A part that a pipeline finished, by the recipe that made it: what lets a run resume."""

    recipe = models.CharField(max_length=64, unique=True)
    part = models.CharField(max_length=16)
    fingerprint = models.CharField(max_length=64)
    document = models.TextField()
    provenance = PayloadField(null=True)
    run = models.ForeignKey("Run", on_delete=models.SET_NULL, null=True, related_name="stored_parts")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Oldest first."""

        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.part} by {self.recipe[:12]}"
