"""Narrowing the list of runs."""

from __future__ import annotations

import django_filters

from studio.filters.facets import ListFilterSet
from studio.models import Run, RunKind, RunState

FACETS = {"state": "State", "kind": "Kind"}


class RunFilter(ListFilterSet):
    """By words in the title, state and kind."""

    q = django_filters.CharFilter(field_name="title", lookup_expr="icontains")
    state = django_filters.MultipleChoiceFilter(choices=RunState.choices)
    kind = django_filters.MultipleChoiceFilter(choices=RunKind.choices)

    class Meta:
        """The fields of the address."""

        model = Run
        fields = ("state", "kind")
