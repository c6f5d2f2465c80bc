"""Saved filters: a person's own views of the catalogue, stored under a name."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import QueryDict

from studio.models import SavedFilter
from studio.services.errors import Missing
from synthesis.errors import InvalidInput

MOST = 50
"""Saved filters one person may have."""

UNSAVED_PARAMETERS = ("page", "format", "name", "chosen", "csrfmiddlewaretoken")
"""Parameters of an address that are not part of a view."""


def saved_filters(user: User) -> QuerySet[SavedFilter]:
    """A person's saved filters, by name."""
    return SavedFilter.objects.filter(user=user)


@transaction.atomic
def save_filter(*, user: User, name: str, query: str) -> SavedFilter:
    """Keep a view under a name; the same name again takes the place of what it stood for.

    Args:
        user: Whose it is.
        name: 1 to 60 characters.
        query: The catalogue's query string; page and format are left out.

    Raises:
        InvalidInput: Name or query cannot be used, or the person has too many.
    """
    name = " ".join(name.split())
    if not 1 <= len(name) <= 60:
        raise InvalidInput("Name the view with 1 to 60 characters.")
    remaining = viewed(query)
    if len(remaining) > 2000:
        raise InvalidInput("This view has too many filters to be saved; remove some.")
    there = saved_filters(user)
    if not there.filter(name=name).exists() and there.count() >= MOST:
        raise InvalidInput(f"You have {MOST} saved views; remove one before you save another.")
    saved_filter, _ = SavedFilter.objects.update_or_create(
        user=user, name=name, defaults={"query": remaining}
    )
    return saved_filter


def forget_filter(*, user: User, filter_id: int) -> None:
    """Remove one of a person's own saved filters.

    Raises:
        Missing: They have none of that number.
    """
    if not saved_filters(user).filter(pk=filter_id).delete()[0]:
        raise Missing("You have no such saved view.", remedy="Choose one from the list in the catalogue.")


def viewed(query: str) -> str:
    """A query string without what is not part of a view."""
    params = QueryDict(query, mutable=True)
    for name in UNSAVED_PARAMETERS:
        params.pop(name, None)
    return params.urlencode()
