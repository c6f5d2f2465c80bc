"""Terms: columns for when, how often and on what basis a sentence says that something is done."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from synthesis.procedural.business.model import BusinessColumn
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.word_lists import word_list as words_of_sentences

_MEASURES = frozenset(words_of_sentences("measures"))
_SEASONS = frozenset(word_list("seasons_of_the_year"))
_DAYS = frozenset(word_list("days_of_the_week"))
_TIMES_OF_DAY = frozenset(word_list("times_of_day"))
_INTERVALS = frozenset(word_list("intervals"))
ORDINARY = {
    "season": "all_year",
    "on_days": "any_day",
    "time_of_day": "any_time",
    "charged_by": "flat_rate",
    "measured_in": "piece",
    "interval": "once",
    "arrangement": "usual",
}
"""By column: the value of records of which the sentence says nothing like that."""
MEANING = {
    "season": "For which season.",
    "on_days": "On which days.",
    "time_of_day": "At what time of the day.",
    "charged_by": "By what it is charged.",
    "measured_in": "In what it is measured.",
    "interval": "At what intervals.",
    "arrangement": "How it is arranged.",
    "hour": "At what hour of the day it is due.",
}
"""By column, that with the hour included: what a parameter for it says."""


def term_columns(terms: Iterable[str], rated: Collection[str]) -> list[BusinessColumn]:
    """The columns that keep such words, one for each kind of them.

    Args:
        terms: The words, in the singular.
        rated: Those of them behind "by" or "per".
    """
    values: dict[str, dict[str, None]] = {}
    for term in terms:
        name = _column_of(term, rated=term in rated)
        value = f"every_{snake(term)}" if name == "interval" else snake(term)
        values.setdefault(name, {})[value] = None
    return [
        BusinessColumn(name, "choice", choices=(*named, ORDINARY[name]), detail=True)
        for name, named in values.items()
    ]


def _column_of(term: str, *, rated: bool) -> str:
    last = term.rpartition(" ")[2]
    listed = {"season": _SEASONS, "on_days": _DAYS, "time_of_day": _TIMES_OF_DAY}
    if named := next((name for name, words in listed.items() if last in words), ""):
        return named
    if rated:
        return "charged_by"
    return "measured_in" if last in _MEASURES else "interval" if term in _INTERVALS else "arrangement"
