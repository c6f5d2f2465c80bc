"""Claims: all of them, and one with its figures, its findings and every trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse

from studio.filters.facets import chips, facets_among, fits
from studio.models import Act, EnvironmentRecord
from studio.presentation.comment_threads import threads
from studio.presentation.row_changes import Change, shown_row
from studio.services.environments import promises, proofs
from studio.services.environments.titles import titles_of
from studio.services.environments.trade_words import trade_word
from studio.templatetags.shell import shows_code
from studio.templatetags.texts import words
from studio.views.access import requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.check_report import RowDifference, Trial

PER_PAGE = 50

KINDS = {
    "collateral": "Other rows damaged",
    "twice": "Done twice",
    "later": "Later",
    "missing": "Missing parameter",
    "extra": "Unknown parameter",
    "null": "Null",
    "boundary": "At the bounds",
    "out_of_bounds": "Beyond the bounds",
    "unknown_id": "Unknown id",
    "repeated": "Repeated",
    "existing_row": "Rows of every state",
}
"""What kinds of ends and calls are called where the identifier does not say it."""

OUTCOMES = {
    "task": {"refused": "refused", "accepted": "accepted", "failed": "the verifier failed"},
    "tool": {"refused": "refused", "accepted": "answered", "failed": "the tool failed"},
}
EXPECTED = {
    "refused": "must be rejected",
    "accepted": "must be accepted",
    "either": "may be answered or refused, must not fail",
}
FACETS = {"right": "Result", "outcome": "Outcome", "kind": "Kind", "subject": "Task or tool"}


@dataclass(frozen=True)
class ShownTrial:
    """One trial, ready to be shown.

    Attributes:
        number: Its place among all trials of the claim, from 1.
        trial: The document.
        address: The page of its task or tool, or "".
        kind: In words.
        expected: What must come of it, in words.
        outcome: What came of it, in words.
        changes: Rows that differ from the right end, or that the call changed.
    """

    number: int
    trial: Trial
    address: str
    kind: str
    expected: str
    outcome: str
    changes: list[Change]


@requires(Act.VIEW)
def checks(request: HttpRequest, name: str) -> HttpResponse:
    """Every claim that was tried, with the findings and figures behind it."""
    record = find(name)
    assert record.current is not None
    results = proofs.results(record.current)
    counted = {result.pk: (result, proofs.tally(result)) for result in results}
    passed = promises.promises([result for result in results if result.passed])
    context = {
        "report": results[0].report if results else None,
        "measures": proofs.measures(results),
        "failed": [each for each in counted.values() if not each[0].passed],
        "passed": [(each.title, [counted[result.pk] for result in each.results]) for each in passed],
    }
    return page(request, record, "environment_checks", "environments/checks.html", context)


@requires(Act.VIEW)
def environment_check(request: HttpRequest, name: str, claim: str) -> HttpResponse:
    """One claim with its trials, narrowed by subject, kind and outcome."""
    record = find(name)
    assert record.current is not None
    result = proofs.result_of(record.current, claim)
    rows = [_row(trial) for trial in result.trials]
    facets = facets_among(rows, request.GET, FACETS, _words(rows, _subjects(request, record, rows)))
    left = [number for number, row in enumerate(rows) if fits(row, request.GET, FACETS)]
    left.sort(key=lambda number: rows[number]["right"] == "yes")
    shown: Page[int] = Paginator(left, PER_PAGE).get_page(request.GET.get("page"))
    titles = {choice.value: choice.title for facet in facets for choice in facet.choices}
    context = {
        "result": result,
        "tally": proofs.tally(result),
        "measures": [measure for measure in proofs.measures([result]) if claim in measure.claims],
        "trials": [_shown(record.name, number, result.trials[number]) for number in shown.object_list],
        "page_of": shown,
        "count": len(left),
        "all": len(rows),
        "about_tools": any(row["about"] == "tool" for row in rows),
        "facets": facets,
        "chips": chips(request.GET, FACETS, titles),
        "cleared": request.path,
        **threads(
            record,
            kind="check",
            anchor=claim,
            words="claim" if shows_code(request) else trade_word("claim"),
            snapshot=f"{result.title} {'Passed' if result.passed else 'Failed'}",
            reader=request.user.pk,
        ),
    }
    return page(request, record, "environment_checks", "environments/check.html", context)


def kind_words(kind: str) -> str:
    """How a trial was made, in words."""
    return KINDS.get(kind) or words(kind)


def shown_differences(rows: Sequence[RowDifference]) -> list[Change]:
    """Rows that differ between two ends, ready to be shown."""
    return [_change(row) for row in rows]


def _row(trial: Mapping[str, Any]) -> dict[str, str]:
    """What a stored trial can be narrowed by."""
    about = trial.get("about", "task")
    expected, outcome = trial["expected"], trial["outcome"]
    right = outcome != "failed" if expected == "either" else expected == outcome
    return {
        "about": about,
        "subject": trial["subject"],
        "kind": trial["kind"],
        "outcome": outcome,
        "right": "yes" if right else "no",
    }


def _subjects(
    request: HttpRequest, record: EnvironmentRecord, rows: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """What the tasks and tools that were tried are called; in the expert view nothing but their names."""
    if shows_code(request):
        return {}
    titles = titles_of(record)
    called = {"tool": titles.tool, "task": titles.task}
    return {row["subject"]: called[row["about"]](row["subject"]) for row in rows}


def _words(rows: Sequence[Mapping[str, str]], subjects: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    about = "tool" if any(row["about"] == "tool" for row in rows) else "task"
    return {
        "right": {"yes": "As expected", "no": "Unexpected"},
        "outcome": {value: words(text) for value, text in OUTCOMES[about].items()},
        "kind": {row["kind"]: kind_words(row["kind"]) for row in rows},
        "subject": subjects,
    }


def _shown(name: str, number: int, stored: Mapping[str, Any]) -> ShownTrial:
    trial = Trial.model_validate(stored)
    return ShownTrial(
        number=number + 1,
        trial=trial,
        address=_address(name, trial),
        kind=kind_words(trial.kind),
        expected=EXPECTED[trial.expected],
        outcome=OUTCOMES[trial.about][trial.outcome],
        changes=shown_differences(trial.rows),
    )


def _address(name: str, trial: Trial) -> str:
    try:
        return reverse(f"environment_{trial.about}", args=[name, trial.subject])
    except NoReverseMatch:
        return ""


def _change(row: RowDifference) -> Change:
    before = {} if row.kind == "inserted" else {column: cell[0] for column, cell in row.cells.items()}
    after = {} if row.kind == "deleted" else {column: cell[1] for column, cell in row.cells.items()}
    return shown_row(row.table, row.key, row.kind, before, after, only_differing=True)
