"""Roles and what they may do: one matrix, read by services, pages, the programs' interface and the docs."""

from __future__ import annotations

from django.db import models


class Role(models.TextChoices):
    """Who a person is to the studio; each is a Django group of that name, and includes the ones before."""

    VIEWER = "viewer", "Viewer"
    REVIEWER = "reviewer", "Reviewer"
    LEAD = "lead", "Lead"
    ADMIN = "admin", "Administrator"


class Act(models.TextChoices):
    """What can be done."""

    VIEW = "view", "Read environments, runs, trajectories, reviews and bundles"
    TRY = "try", "Use the scratch console on a private instance"
    ACCOUNT = "account", "Manage your own account and tokens"
    COMMENT = "comment", "Comment and raise flags"
    REVIEW = "review", "Claim items and submit reviews"
    EDIT = "edit", "Edit parts, which creates a new revision"
    SYNTHESISE = "synthesise", "Start, pause, resume and cancel runs"
    ADJUDICATE = "adjudicate", "Resolve conflicts and other people's flags"
    ARCHIVE = "archive", "Archive environments and bring them back"
    EXPORT = "export", "Export bundles"
    IMPORT = "import", "Import bundles"
    HOST = "host", "Register servers of worlds"
    MANAGE = "manage", "Manage people, roles and tokens of others"


_ACTS_BY_ROLE: dict[Role, frozenset[Act]] = {
    Role.VIEWER: frozenset({Act.VIEW, Act.TRY, Act.ACCOUNT}),
    Role.REVIEWER: frozenset({Act.COMMENT, Act.REVIEW, Act.EDIT}),
    Role.LEAD: frozenset({Act.SYNTHESISE, Act.ADJUDICATE, Act.ARCHIVE, Act.EXPORT, Act.IMPORT}),
    Role.ADMIN: frozenset({Act.HOST, Act.MANAGE}),
}

_ORDER = tuple(Role)

MATRIX: dict[Role, frozenset[Act]] = {
    role: frozenset().union(*(_ACTS_BY_ROLE[lower] for lower in _ORDER[: _ORDER.index(role) + 1]))
    for role in _ORDER
}
"""What each role may do, with what the roles below it may do."""


def least_role(act: Act) -> Role:
    """The lowest role that may do it."""
    return next(role for role in _ORDER if act in MATRIX[role])


def highest(names: set[str]) -> Role | None:
    """The highest of the roles among some group names, or None."""
    return next((role for role in reversed(_ORDER) if role.value in names), None)
