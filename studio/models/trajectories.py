"""Trajectories: episodes of tasks, step by step, with their verdicts."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from studio.models.environments import EnvironmentRecord, Revision
from studio.models.fields import PayloadField, WholeTextField
from studio.models.runs import Run
from studio.models.visibility import InProject, ProjectManager
from synthesis.documents.trajectory import Step, Trajectory
from synthesis.documents.verdict import LABEL_TITLES, Scored, Unscored

STOP_TITLES = {
    "answered": "Answered",
    "step_limit": "Step limit",
    "token_limit": "Token limit",
    "time_limit": "Time limit",
    "format_violation": "Format violation",
    "agent_stopped": "Agent stopped",
    "environment_error": "Environment error",
    "infrastructure_error": "Infrastructure error",
    "cancelled": "Cancelled",
}


class TrajectoryQuerySet(models.QuerySet["TrajectoryRecord"]):
    """Reads of trajectories."""

    def listed(self) -> Self:
        """With what a list shows, in one query."""
        return self.select_related("environment")


class TrajectoryRecord(InProject):
    """One try at one task by one agent; its steps are rows of their own."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="trajectories")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="trajectories")
    run = models.ForeignKey(
        Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="trajectories"
    )
    task_id = models.CharField(max_length=80)
    agent = models.CharField(max_length=80, db_index=True)
    model = models.CharField(max_length=120, blank=True)
    seed = models.BigIntegerField(default=0)
    stop_reason = models.CharField(max_length=24, choices=list(STOP_TITLES.items()))
    error = WholeTextField(blank=True)
    answer = WholeTextField(blank=True)
    step_count = models.PositiveIntegerField(default=0)
    changed_rows = models.PositiveIntegerField(default=0)
    label = models.CharField(max_length=24, choices=list(LABEL_TITLES.items()), db_index=True)
    """Label of the first verdict, for lists."""
    reward = models.FloatField(null=True)
    trainable = models.BooleanField(default=True)
    disputed = models.BooleanField(default=False)
    """Whether its verdicts do not agree."""
    failure = models.CharField(max_length=24, blank=True, db_index=True)
    """Kind of failure by `synthesis.rollouts.failures`; empty when it succeeded or says nothing."""
    refused_calls = models.PositiveIntegerField(default=0)
    invalid_calls = models.PositiveIntegerField(default=0)
    repeated_calls = models.PositiveIntegerField(default=0)
    """Calls that were made before with the same arguments."""
    first_wrong_step = models.PositiveIntegerField(null=True, blank=True)
    """The first step that did not go through, from 1."""
    created_at = models.DateTimeField(default=timezone.now)

    objects = ProjectManager.from_queryset(TrajectoryQuerySet)()  # type: ignore[misc]

    class Meta:
        """Newest first; lists sort by age, dashboards and facets count by agent, label and reason."""

        verbose_name = "trajectory"
        verbose_name_plural = "trajectories"
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["environment", "task_id", "-id"]),
            models.Index(fields=["environment", "-id"]),
            models.Index(fields=["label", "-id"]),
            models.Index(fields=["-created_at"]),
            models.Index(fields=["environment", "-created_at"]),
            models.Index(fields=["agent", "label"]),
            models.Index(fields=["stop_reason"]),
        )

    def __str__(self) -> str:
        return f"{self.agent} on {self.task_id}"

    def get_absolute_url(self) -> str:
        """The trajectory's page."""
        return reverse("trajectory", args=[self.pk])

    def load(self) -> Trajectory:
        """The whole trajectory's document."""
        return Trajectory(
            environment=self.revision.fingerprint,
            environment_name=self.environment.name,
            task_id=self.task_id,
            agent=self.agent,
            model=self.model or None,
            seed=self.seed,
            steps=tuple(step.load() for step in self.steps.all()),
            stop_reason=self.stop_reason,
            error=self.error,
            conversation=self.conversation.load() if hasattr(self, "conversation") else None,
        )


class StepRecord(InProject):
    """One step; `document` is the whole, the other columns are for the outline."""

    visible_through = "trajectory"

    trajectory = models.ForeignKey(TrajectoryRecord, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    tool = models.CharField(max_length=128, blank=True)
    status = models.CharField(max_length=20)
    changed_rows = models.PositiveIntegerField(default=0)
    changed_tables = PayloadField(default=list)
    size = models.PositiveIntegerField(default=0)
    """Length of the document in characters."""
    document = models.TextField()

    class Meta:
        """From 1."""

        verbose_name = "step"
        ordering = (
            "trajectory",
            "index",
        )
        constraints = (models.UniqueConstraint(fields=["trajectory", "index"], name="step_index_once"),)

    def __str__(self) -> str:
        return f"step {self.index}"

    def load(self) -> Step:
        """The step's document."""
        return Step.model_validate_json(self.document)


class VerdictSource(models.TextChoices):
    """What decided: the play itself, one of the judge's strategies, or a person."""

    PLAY = "", "Verifier, during the episode"
    CODE_ONLY = "code_only", "Verifier, replayed"
    RULES = "rules", "Rules"
    MODEL_ONLY = "model_only", "Model only"
    CODE_AUGMENTED = "code_augmented", "Model that sees the verifier's result"
    PERSON = "person", "People"


class VerdictRecord(InProject):
    """One verdict on a trajectory; several may stand side by side."""

    visible_through = "trajectory"

    trajectory = models.ForeignKey(TrajectoryRecord, on_delete=models.CASCADE, related_name="verdicts")
    label = models.CharField(max_length=24, choices=list(LABEL_TITLES.items()))
    reward = models.FloatField(null=True)
    basis = models.CharField(max_length=120)
    document = models.TextField()
    strategy = models.CharField(
        max_length=16, choices=VerdictSource.choices, default=VerdictSource.PLAY, blank=True
    )
    judge = models.CharField(max_length=120, blank=True)
    """Who: "verifier", "rules" or "judge:<model>"; empty for the play's own measurement and for people."""
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, blank=True, related_name="verdicts")
    """The run of judgements it belongs to."""
    number = models.PositiveIntegerField(default=0)
    """Which of the run's repeated judgements of this trajectory, from 1."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="verdicts"
    )
    """The person who gave it."""
    prompt_fingerprint = models.CharField(max_length=64, blank=True)
    model = models.CharField(max_length=120, blank=True)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """In the order they were made; a run's repeat and a person's word stand once."""

        verbose_name = "verdict"
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=["run", "trajectory", "number"],
                condition=models.Q(run__isnull=False),
                name="one_verdict_per_repeat",
            ),
            models.UniqueConstraint(
                fields=["trajectory", "author"],
                condition=models.Q(author__isnull=False),
                name="one_verdict_per_person",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_label_display()} by {self.basis}"

    def load(self) -> Scored | Unscored:
        """The verdict's document."""
        kind = Unscored if self.label == "unscored" else Scored
        return kind.model_validate_json(self.document)
