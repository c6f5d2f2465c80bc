"""Narrowing the catalogue."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Q, QuerySet
from django.http import QueryDict

from studio.filters.facets import ValueFilter
from studio.models import AuthorKind, EnvironmentRecord, EnvironmentState

FACETS = {"state": "State", "category": "Category", "author_kind": "Made by"}


class EnvironmentFilter(django_filters.FilterSet):
    """By words, state, category and author."""

    q = django_filters.CharFilter(method="by_words")
    state = django_filters.MultipleChoiceFilter(choices=EnvironmentState.choices)
    category = ValueFilter(field_name="category")
    author_kind = django_filters.MultipleChoiceFilter(choices=AuthorKind.choices)

    class Meta:
        """The fields of the address."""

        model = EnvironmentRecord
        fields = ("state", "category", "author_kind")

    def by_words(self, queryset: QuerySet[Any], _: str, value: str) -> QuerySet[Any]:
        """Every word stands in the name, the title or the description."""
        for word in value.split():
            queryset = queryset.filter(
                Q(name__icontains=word) | Q(title__icontains=word) | Q(description__icontains=word)
            )
        return queryset


def matching(query: QueryDict) -> QuerySet[EnvironmentRecord]:
    """Every environment that a query string of the catalogue stands for, on whichever page, by name."""
    every = EnvironmentRecord.objects.filter(current__isnull=False).select_related("current")
    found: QuerySet[EnvironmentRecord] = EnvironmentFilter(query, queryset=every).qs.order_by("name")
    return found
