"""Narrowing the catalogue."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from studio.filters.facets import ListFilterSet, ValueFilter, YesOrNoFilter
from studio.models import AuthorKind, Claim, EnvironmentRecord, EnvironmentState, Flag, FlagState

FACETS = {"state": "State", "category": "Category", "author_kind": "Author"}
UNLISTED = {"flagged": "Open flags", "held": "Held by a reviewer", "archived": "Archived"}
"""Filters without a facet, to the title of their chip."""


class EnvironmentFilter(ListFilterSet):
    """By words, state, category and author."""

    q = django_filters.CharFilter(method="by_words")
    name = django_filters.CharFilter()
    state = django_filters.MultipleChoiceFilter(choices=EnvironmentState.choices)
    category = ValueFilter(field_name="category")
    author_kind = django_filters.MultipleChoiceFilter(choices=AuthorKind.choices)
    flagged = YesOrNoFilter(method="by_flags")
    held = YesOrNoFilter(method="by_claims")
    archived = YesOrNoFilter(method="by_archive")

    class Meta:
        """The fields of the address."""

        model = EnvironmentRecord
        fields = ("state", "category", "author_kind")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """What was archived is left out, unless it is asked for."""
        narrowed: QuerySet[Any] = super().filter_queryset(queryset)
        asked = self.form.cleaned_data.get("archived") is not None
        return narrowed if asked else narrowed.filter(archived_at__isnull=True)

    def by_words(self, queryset: QuerySet[Any], _: str, value: str) -> QuerySet[Any]:
        """Every word is in the name, the title or the description."""
        for word in value.split():
            queryset = queryset.filter(
                Q(name__icontains=word) | Q(title__icontains=word) | Q(description__icontains=word)
            )
        return queryset

    def by_flags(self, queryset: QuerySet[Any], _: str, value: bool) -> QuerySet[Any]:
        """Something open is flagged in it, or nothing."""
        return _either(queryset, Flag.objects.filter(environment=OuterRef("pk"), state=FlagState.OPEN), value)

    def by_claims(self, queryset: QuerySet[Any], _: str, value: bool) -> QuerySet[Any]:
        """A reviewer holds it now, or nobody."""
        return _either(queryset, Claim.objects.active().filter(environment=OuterRef("pk")), value)

    def by_archive(self, queryset: QuerySet[Any], _: str, value: bool) -> QuerySet[Any]:
        """Only what was archived, or only what was not."""
        return queryset.filter(archived_at__isnull=not value)


def _either(queryset: QuerySet[Any], there: QuerySet[Any], value: bool) -> QuerySet[Any]:
    return queryset.filter(Exists(there)) if value else queryset.exclude(Exists(there))


def matching(query: QueryDict) -> QuerySet[EnvironmentRecord]:
    """Every environment that a query string of the catalogue stands for, on whichever page, by name."""
    every = EnvironmentRecord.objects.filter(current__isnull=False).select_related("current")
    environments: QuerySet[EnvironmentRecord] = EnvironmentFilter(query, queryset=every).qs.order_by("name")
    return environments
