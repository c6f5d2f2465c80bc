"""Visibility: of which projects the records are that anything may read at this moment.

A request binds it to the person who asks, a worker to the project of the run that it executes; commands and
the bookkeeping of workers are bound to nothing and read everything. Managers of records that belong to a
project apply it to every query, so that no page and no service has to remember it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from django.db import models


@dataclass(frozen=True)
class Visibility:
    """Numbers of the projects that are readable.

    Attributes:
        allowed: Those that the reader may read at all; None for every one.
        chosen: Those of them that lists are about; None for every one.
    """

    allowed: frozenset[int] | None
    chosen: frozenset[int] | None

    @classmethod
    def only(cls, *projects: int) -> Visibility:
        """Of these and no others."""
        return cls(frozenset(projects), frozenset(projects))

    @classmethod
    def everything(cls) -> Visibility:
        """Of all projects."""
        return cls(None, None)


_current: ContextVar[Callable[[], Visibility] | None] = ContextVar("visibility", default=None)


def current() -> Visibility | None:
    """What is visible at this moment; None where nothing limits it."""
    source = _current.get()
    return source() if source is not None else None


@contextmanager
def limited(source: Callable[[], Visibility]) -> Iterator[None]:
    """Limit what the block reads to what the source says, which is asked before each query."""
    token = _current.set(source)
    try:
        yield
    finally:
        _current.reset(token)


M_co = TypeVar("M_co", bound="models.Model", covariant=True)


class ProjectManager(models.Manager[M_co]):
    """Reads the records of visible projects only."""

    def get_queryset(self) -> models.QuerySet[M_co]:
        """The records that are visible now."""
        records = super().get_queryset()
        visibility = current()
        model: Any = self.model
        if visibility is None:
            return records
        projects = visibility.chosen if model.follows_choice else visibility.allowed
        return records if projects is None else records.filter(in_projects(model, projects))


class InProject(models.Model):
    """A record that belongs to a project, by itself or through another record."""

    visible_through: ClassVar[str] = "environment"
    """The field that leads to the project: "project", or the record that it belongs to."""
    follows_choice: ClassVar[bool] = True
    """Whether it is left out where somebody chose another project that they may read, too."""

    objects = ProjectManager()
    all_projects: ClassVar[models.Manager[Any]] = models.Manager()
    """Whatever is visible: for names that are unique in the studio, limits that all share, and deletion."""

    class Meta:
        """Its table is that of the record."""

        abstract = True


def in_projects(model: Any, projects: frozenset[int]) -> models.Q:
    """The condition under which records of a model are of these projects.

    It is about the row alone and no join, so that PostgreSQL looks at the other conditions of an update
    again when a concurrent one has changed the row.
    """
    through = model.visible_through
    if through == "project":
        return models.Q(project__in=sorted(projects))
    owner: Any = getattr(model, through).field.related_model
    owners = owner.all_projects.filter(in_projects(owner, projects)).order_by().values("pk")
    return models.Q(**{f"{through}__in": owners})
