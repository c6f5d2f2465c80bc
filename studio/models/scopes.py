"""Scopes: what a token may be used for, within what its person's role allows."""

from __future__ import annotations

from django.db import models

from studio.models.roles import Act


class Scope(models.TextChoices):
    """One group of acts that a token can be limited to."""

    READ = "read", "Read environments, runs, trajectories and bundles"
    SYNTHESISE = "synthesise", "Start and stop runs, import bundles"
    REVIEW = "review", "Review, comment, flag, edit and archive"
    EXPORT = "export", "Export bundles and trajectories"
    SERVE = "serve", "Run instances of environments, register servers of worlds"
    ACCOUNT = "account", "List and revoke tokens"


_ACTS_BY_SCOPE: dict[Scope, frozenset[Act]] = {
    Scope.READ: frozenset({Act.VIEW}),
    Scope.SYNTHESISE: frozenset({Act.SYNTHESISE, Act.IMPORT}),
    Scope.REVIEW: frozenset({Act.COMMENT, Act.REVIEW, Act.EDIT, Act.ADJUDICATE, Act.ARCHIVE}),
    Scope.EXPORT: frozenset({Act.EXPORT}),
    Scope.SERVE: frozenset({Act.TRY, Act.HOST}),
    Scope.ACCOUNT: frozenset({Act.ACCOUNT, Act.MANAGE}),
}

SCOPE_OF: dict[Act, Scope] = {act: scope for scope, acts in _ACTS_BY_SCOPE.items() for act in acts}
"""The scope that a token needs for each act."""


def all_scopes() -> list[str]:
    """Every scope, for tokens that are not limited."""
    return list(Scope.values)
