"""Facets: the values a list can be narrowed to, each with how many would be left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import django_filters
from django import forms
from django.db.models import Count, QuerySet
from django.http import QueryDict

NOT_FILTERS = ("page", "sort", "columns", "per_page")
"""Parameters of an address that do not narrow the list."""


class _AnyValueField(forms.MultipleChoiceField):
    """Takes every value: one that nothing has leaves nothing, and costs no query to be known."""

    def valid_value(self, _: Any) -> bool:
        """Always."""
        return True


class ValueFilter(django_filters.MultipleChoiceFilter):
    """Rows whose column has one of the values, whichever values there are."""

    field_class = _AnyValueField


class _YesOrNoField(forms.NullBooleanField):
    """Yes, no or not asked; anything else is an error, where Django's own field takes it for not asked."""

    # Its own select says nothing for what it does not know, so that the field could not tell the two apart.
    widget = forms.TextInput

    def clean(self, value: Any) -> Any:
        """True, False or None."""
        answer = super().clean(value)
        if answer is None and value not in self.empty_values:
            raise forms.ValidationError(f"{value!r} is neither true nor false.")
        return answer


class YesOrNoFilter(django_filters.BooleanFilter):
    """Rows of which something is true, or is not."""

    field_class = _YesOrNoField


class ListFilterSet(django_filters.FilterSet):
    """What a list is narrowed by.

    A value that no filter can read leaves nothing: its chip stands above the list, and a list of everything
    below it would be counted, exported and acted on as if it were narrowed.
    """

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """What is left of the list."""
        if self.form.errors:
            return queryset.none()
        narrowed: QuerySet[Any] = super().filter_queryset(queryset)
        return narrowed


@dataclass(frozen=True)
class Choice:
    """One value of a facet."""

    value: str
    title: str
    count: int
    chosen: bool
    address: str
    """Query string that chooses it, or takes the choice back."""


@dataclass(frozen=True)
class Facet:
    """One thing a list can be narrowed by."""

    name: str
    title: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Chip:
    """One active filter, and the address without it."""

    title: str
    value: str
    address: str


def facets(
    filterset: type[django_filters.FilterSet],
    params: QueryDict,
    queryset: QuerySet[Any],
    names: Mapping[str, str],
    called: Mapping[str, Callable[[str], str]] | None = None,
) -> tuple[Facet, ...]:
    """The facets of a list; a facet's counts obey all other filters but not its own. One query per facet.

    Args:
        filterset: What the list is narrowed by.
        params: The address's parameters.
        queryset: The whole list.
        names: Field to the title it is shown under.
        called: By field, what one of its values is shown as; as the model says it where none is given.
    """
    shown_as = called or {}
    return tuple(
        _facet(filterset, params, queryset, (name, title), shown_as.get(name))
        for name, title in names.items()
    )


def facets_among(
    rows: Sequence[Mapping[str, str]],
    params: QueryDict,
    names: Mapping[str, str],
    words: Mapping[str, Mapping[str, str]],
) -> tuple[Facet, ...]:
    """The facets of a list that is in memory; the most frequent value first.

    Args:
        rows: The whole list, each by field.
        params: The address's parameters.
        names: Field to the title it is shown under.
        words: By field, what its values are shown as.
    """
    results = []
    for name, title in names.items():
        others = [other for other in names if other != name]
        counts = Counter(row[name] for row in rows if fits(row, params, others))
        chosen = params.getlist(name)
        values = [value for value, _ in counts.most_common()]
        values += [value for value in dict.fromkeys(chosen) if value and value not in counts]
        choices = tuple(
            Choice(
                value=value,
                title=words.get(name, {}).get(value, value),
                count=counts[value],
                chosen=value in chosen,
                address=_without(params, name, value) if value in chosen else _with(params, name, value),
            )
            for value in values
        )
        results.append(Facet(name, title, choices))
    return tuple(results)


def fits(row: Mapping[str, str], params: QueryDict, names: Iterable[str]) -> bool:
    """Whether a row has one of the values chosen for each field, where any is chosen."""
    return all(row[name] in chosen for name in names if any(chosen := params.getlist(name)))


def yes_or_no_words(filterset: type[django_filters.FilterSet], params: QueryDict) -> dict[str, str]:
    """The values of an address for filters of yes or no, to the word."""
    names = [name for name, each in filterset.base_filters.items() if isinstance(each, YesOrNoFilter)]
    values = [value for name in names for value in params.getlist(name)]
    spoken = {"true": "yes", "false": "no"}
    return {value: spoken[value.lower()] for value in values if value.lower() in spoken}


def chips(params: QueryDict, titles: Mapping[str, str], words: Mapping[str, str]) -> tuple[Chip, ...]:
    """The filters that stand.

    Args:
        params: The address's parameters.
        titles: Parameter to its title; others are left out.
        words: Value to the word it is shown as, where there is one.
    """
    return tuple(
        Chip(titles[name], value if name == "q" else words.get(value, value), _without(params, name, value))
        for name, values in params.lists()
        if name in titles
        for value in values
        if value
    )


def _facet(
    filterset: type[django_filters.FilterSet],
    params: QueryDict,
    queryset: QuerySet[Any],
    named: tuple[str, str],
    called: Callable[[str], str] | None,
) -> Facet:
    name, title = named
    others = params.copy()
    others.pop(name, None)
    rows = (
        filterset(others, queryset=queryset)
        .qs.order_by()
        .values_list(name)
        .annotate(Count("pk", distinct=True))
    )
    counts = {str(value): count for value, count in rows if value not in (None, "")}
    chosen = params.getlist(name)
    labels = _labels(queryset, name)
    ordered = (
        sorted(labels, key=list(labels).index) if labels else sorted(counts, key=lambda v: (-counts[v], v))
    )
    shown = [value for value in ordered if counts.get(value) or value in chosen]
    return Facet(
        name,
        title,
        tuple(
            Choice(
                value=value,
                title=called(value) if called else labels.get(value) or value,
                count=counts.get(value, 0),
                chosen=value in chosen,
                address=_without(params, name, value) if value in chosen else _with(params, name, value),
            )
            for value in shown
        ),
    )


def _labels(queryset: QuerySet[Any], name: str) -> dict[str, str]:
    if "__" in name:
        return {}
    choices: Iterable[tuple[Any, Any]] = queryset.model._meta.get_field(name).choices or ()  # noqa: SLF001
    return {str(value): str(label) for value, label in choices}


def _with(params: QueryDict, name: str, value: str) -> str:
    changed = params.copy()
    changed.pop("page", None)
    changed.appendlist(name, value)
    return "?" + changed.urlencode()


def _without(params: QueryDict, name: str, value: str) -> str:
    changed = params.copy()
    changed.pop("page", None)
    changed.setlist(name, [other for other in changed.getlist(name) if other != value])
    return "?" + changed.urlencode()
