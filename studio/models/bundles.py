"""Bundles that were exported."""

from __future__ import annotations

from pathlib import PurePosixPath

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from studio.models.environments import EnvironmentRecord, Revision
from studio.models.fields import PayloadField
from studio.models.projects import ProjectField
from studio.models.runs import Run
from studio.models.visibility import InProject


class BundleRecord(InProject):
    """One archive in the storage of archives."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="bundles")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="bundles")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="bundles")
    codec = models.CharField(max_length=40)
    path = models.CharField(max_length=300, unique=True)
    """Its name in the storage of archives, with forward slashes."""
    fingerprint = models.CharField(max_length=64, db_index=True)
    """SHA-256 of the archive."""
    size = models.PositiveBigIntegerField()
    manifest = PayloadField(default=dict)
    waiver = models.CharField(max_length=300, blank=True)
    """Why it holds something that is not approved, if it does."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Newest first."""

        verbose_name = "bundle"
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.path

    def get_absolute_url(self) -> str:
        """The bundle's page."""
        return reverse("bundle", args=[self.pk])

    @property
    def file_name(self) -> str:
        """What the archive is called when it is downloaded."""
        return PurePosixPath(self.path).name


class BundleCollection(InProject):
    """Bundles of many environments in one archive, with a manifest of what was decided about each."""

    visible_through = "project"

    project = ProjectField(related_name="collections")
    title = models.CharField(max_length=120)
    query = models.CharField(max_length=2000, blank=True)
    """The catalogue's query string it was chosen by."""
    bundles = models.ManyToManyField(BundleRecord, related_name="collections")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="collections")
    path = models.CharField(max_length=300, unique=True)
    """Its name in the storage of archives, with forward slashes."""
    fingerprint = models.CharField(max_length=64, db_index=True)
    """SHA-256 of the archive."""
    size = models.PositiveBigIntegerField()
    count = models.PositiveIntegerField()
    """Environments in it."""
    manifest = PayloadField(default=dict)
    """The archive's `collection.json`: per environment its digests, decisions and waivers."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Newest first."""

        verbose_name = "bundle collection"
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.path

    def get_absolute_url(self) -> str:
        """The collection's page."""
        return reverse("collection", args=[self.pk])

    @property
    def file_name(self) -> str:
        """What the archive is called when it is downloaded."""
        return PurePosixPath(self.path).name
