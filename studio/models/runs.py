"""Runs: one execution of the pipeline, of rollouts or of an export, as the studio remembers it."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from studio.models.environments import EnvironmentRecord
from studio.models.fields import PayloadField, WholeTextField
from studio.models.projects import ProjectField
from studio.models.visibility import InProject, ProjectManager
from studio.release import own_release
from studio.work_queue import WorkQueue
from synthesis.documents.finding import Finding


class RunState(models.TextChoices):
    """The state of a run."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"

    @property
    def terminal(self) -> bool:
        """Whether nothing more will happen to the run."""
        return self in TERMINAL


TERMINAL = frozenset({RunState.FINISHED, RunState.FAILED, RunState.CANCELLED})


class RunKind(models.TextChoices):
    """What is executed."""

    SYNTHESIS = "synthesis", "Synthesis"
    BATCH = "batch", "Batch of syntheses"
    CORRECTION = "correction", "Correction after review"
    CHECKS = "checks", "Proof"
    ROLLOUT = "rollout", "Rollouts"
    ROLLOUTS = "rollouts", "Batch of rollouts"
    JUDGING = "judging", "Judging"
    QUALITY = "quality", "Grading"
    EXPORT = "export", "Export"
    COLLECTION = "collection", "Collection of bundles"
    TRAJECTORIES = "trajectories", "Export of trajectories"
    INTAKE = "intake", "Schema import"


KINDS_IN: dict[WorkQueue, frozenset[RunKind]] = {
    WorkQueue.SYNTHESIS: frozenset({RunKind.SYNTHESIS, RunKind.BATCH, RunKind.CORRECTION, RunKind.CHECKS}),
    WorkQueue.ROLLOUTS: frozenset({RunKind.ROLLOUT, RunKind.ROLLOUTS}),
    WorkQueue.JUDGING: frozenset({RunKind.JUDGING, RunKind.QUALITY}),
    WorkQueue.TRANSFERS: frozenset(
        {RunKind.EXPORT, RunKind.COLLECTION, RunKind.TRAJECTORIES, RunKind.INTAKE}
    ),
}
"""Every kind is in exactly one queue."""


def queue_of(kind: str) -> WorkQueue:
    """The queue in which runs of a kind wait."""
    return next(queue for queue, kinds in KINDS_IN.items() if kind in kinds)


AFTER_PROGRESS = {"claims": 1, "losses": 0.0}
"""Values of a run that has just kept something: what was lost before counts for nothing any more."""

BATCHES = frozenset({RunKind.BATCH, RunKind.ROLLOUTS})
"""Kinds whose runs have children and end with the last of them."""


class RunQuerySet(models.QuerySet["Run"]):
    """Reads of runs, and the conditional updates that decide who executes one."""

    def active(self) -> Self:
        """Queued or running."""
        return self.filter(state__in=(RunState.QUEUED, RunState.RUNNING))

    def top_level(self) -> Self:
        """Not a child of a batch."""
        return self.filter(parent__isnull=True)

    def listed(self) -> Self:
        """With what a list shows, in one query."""
        return self.select_related("environment", "requested_by", "parent")

    def claimable(self) -> Self:
        """Queued, and neither it nor its batch is paused."""
        return self.filter(state=RunState.QUEUED, paused_at__isnull=True).exclude(
            parent__paused_at__isnull=False
        )

    def executable(self) -> Self:
        """Claimable, and queued by no later release than that of this process."""
        return self.claimable().filter(release__lte=own_release())

    def lost(self, *, after: timedelta) -> Self:
        """Running without a sign of life for so long; of kinds that this release knows."""
        return self.of_known_kinds().filter(state=RunState.RUNNING, heartbeat_at__lt=Now() - after)

    def of_known_kinds(self) -> Self:
        """Without kinds that only a later release has."""
        return self.filter(kind__in=RunKind.values)

    def held(self, *, run_id: int, claim: str) -> Self:
        """That run while this claim on it is valid; empty after it was reaped or ended."""
        return self.filter(pk=run_id, claim=claim, state=RunState.RUNNING)


class Run(InProject):
    """One execution. This row is the truth; a message to a worker only carries its id."""

    visible_through = "project"

    project = ProjectField(related_name="runs")
    kind = models.CharField(max_length=12, choices=RunKind.choices, db_index=True)
    state = models.CharField(max_length=12, choices=RunState.choices, default=RunState.QUEUED, db_index=True)
    title = models.CharField(max_length=200)
    request = PayloadField(default=dict)
    """What was asked for: the arguments of the service that executes it."""
    release = models.PositiveIntegerField(default=own_release, db_default=0)
    """Of the process that queued it, as a number; workers of earlier releases leave it to others. 0: of one
    that knew of no releases yet."""
    result = PayloadField(null=True)
    live = PayloadField(default=dict)
    """What is going on in it at this moment: rollouts say how many episodes are being played."""
    stage = models.CharField(max_length=40, blank=True)
    """The stage it is in, while running."""
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    environment = models.ForeignKey(
        EnvironmentRecord, on_delete=models.SET_NULL, null=True, blank=True, related_name="runs"
    )
    parent = models.ForeignKey["Run | None"](
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    retry_of = models.ForeignKey["Run | None"](
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="retries"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="runs"
    )
    priority = models.SmallIntegerField(default=0)
    claim = models.CharField(max_length=32, blank=True)
    """Secret of the worker that executes it; another worker's writes no longer match after a reaping."""
    claims = models.PositiveIntegerField(default=0)
    """How many times a worker took it up since it last got further."""
    losses = models.FloatField(default=0.0)
    """Workers lost with it since it last got further; each is shared by the runs that may be to blame."""
    worker = models.CharField(max_length=120, blank=True)
    error_type = models.CharField(max_length=80, blank=True, db_index=True)
    error = WholeTextField(blank=True)
    error_stage = models.CharField(max_length=40, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectManager.from_queryset(RunQuerySet)()  # type: ignore[misc]

    class Meta:
        """Newest first; workers and the reaper read by state."""

        ordering = ("-id",)
        indexes = (
            models.Index(fields=["state", "heartbeat_at"]),
            models.Index(fields=["state", "-priority", "id"]),
            models.Index(fields=["kind", "-id"]),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"

    def get_absolute_url(self) -> str:
        """The run's page."""
        return reverse("run", args=[self.pk])

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return RunState(self.state).terminal

    @property
    def cancel_requested(self) -> bool:
        """Whether somebody asked it to stop and it has not yet."""
        return self.cancel_requested_at is not None and not self.is_over

    @property
    def seconds(self) -> float | None:
        """How long it has been or was executed, or None before it began."""
        if self.started_at is None:
            return None
        return ((self.finished_at or timezone.now()) - self.started_at).total_seconds()

    @staticmethod
    def new_claim() -> str:
        """A secret for one worker's hold on a run."""
        return secrets.token_hex(16)


class RunEvent(InProject):
    """One thing that happened in a run, in order of its id."""

    visible_through = "run"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=40)
    """Name of the pipeline's event in snake case: stage_started, attempt_ended, part_stored, failed ..."""
    stage = models.CharField(max_length=40, blank=True)
    text = WholeTextField(blank=True)
    payload = PayloadField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Oldest first; pages ask for what came after an id."""

        ordering = ("id",)
        indexes = (models.Index(fields=["run", "id"]),)

    def __str__(self) -> str:
        return f"{self.kind} {self.stage}".strip()


class AttemptRecord(InProject):
    """One ask-read-check of a stage, whole."""

    visible_through = "run"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="attempts")
    stage = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    author = models.CharField(max_length=80, blank=True)
    model = models.CharField(max_length=120, blank=True)
    prompt = WholeTextField(blank=True)
    reply = WholeTextField(blank=True)
    reasoning = WholeTextField(blank=True)
    """What the model thought before its reply, as far as its endpoint tells."""
    findings = PayloadField(default=list)
    accepted = models.BooleanField()
    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    reasoning_tokens = models.PositiveIntegerField(default=0)
    """Those of the output that were reasoning, where the endpoint says so."""
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    seconds = models.FloatField(default=0.0)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """In the order they were made."""

        ordering = ("id",)
        indexes = (models.Index(fields=["run", "stage", "number"]),)

    def __str__(self) -> str:
        return f"{self.stage}, attempt {self.number}"

    def finding_documents(self) -> tuple[Finding, ...]:
        """The findings as documents."""
        return tuple(Finding.model_validate(finding) for finding in self.findings)
