"""The review page: the verdict form beside everything a verdict rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.forms import BoundField
from django.http import HttpResponse
from django.urls import reverse

from studio.forms.reviews import ReviewForm
from studio.models import (
    AnswerKind,
    EnvironmentRecord,
    EnvironmentState,
    Flag,
    FlagState,
    Review,
    ReviewDecision,
)
from studio.presentation.comment_threads import threads
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments import quality_gates
from studio.services.environments.dictionaries import as_words
from studio.services.environments.promises import promises
from studio.services.environments.trade_words import trade_word
from studio.services.environments.unit_words import unit_words
from studio.services.review import answers, queue, reviews
from studio.services.review import conflicts as disputes
from studio.services.synthesis import corrections
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest
from studio.views.environments.environment_shell import page

OPEN = (FlagState.OPEN, FlagState.SENT_BACK)
DECIDABLE = (EnvironmentState.PROVED, EnvironmentState.REVIEWED)
"""Levels on which somebody's decision is awaited."""
MOST_FLAGS = 200
MOST_SETTLED = 20
MOST_EPISODES = 60

Words = Callable[[str], str]
"""What a term of the field is called where it is shown."""

GROUPS = (("tool", "Tools"), ("task", "Tasks, each with its verifier"))


@dataclass(frozen=True)
class Unit:
    """One thing that a verdict covers.

    Attributes:
        name: As it is stored: schema, tool:<name>, task:<id> ...
        title: In words.
        address: The page that shows it.
        field: Its own verdict in the form.
        approvals: People who approve of exactly this content.
        refusals: People who do not.
        changed: Whether it is another than at the person's last look.
    """

    name: str
    title: str
    address: str
    field: BoundField
    approvals: int
    refusals: int
    changed: bool


def review_page(
    request: SignedInRequest,
    record: EnvironmentRecord,
    form: ReviewForm | None = None,
    *,
    settling: ReviewForm | None = None,
    stale: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, with the form that was sent or the person's draft.

    Args:
        request: Whose page.
        record: What is reviewed.
        form: What was sent and could not be taken.
        settling: A lead's decision that was sent and could not be taken.
        stale: The refusal and the revision that was looked at, when another one is current.
        status: The answer's status.
    """
    assert record.current is not None
    user = request.user
    texts = quality_gates.submitted_reviews(record)
    visible = reviews.visible_among(texts, record=record, user=user)
    flags = list(record.flags.select_related("raised_by", "resolved_by", "revision")[:MOST_FLAGS])
    holders = queue.active_claims(record)
    mine = next((held for held in holders if held.reviewer_id == user.pk), None)
    full = len(holders) >= quality_gates.needed_reviewers() and mine is None
    report = quality_gates.latest_report(record.current)
    seen = answers.progress(record=record, reviewer=user)
    form = form or _draft_form(record, request, seen, flags)
    seen_revision = _seen_revision(record, request, texts, flags)
    in_words: Words = str if shows_code(request) else trade_word
    called: Words = str if shows_code(request) else partial(unit_words, PlainLanguage(record))
    units = _units(record, form, quality_gates.coverage(record, texts), seen_revision, in_words)
    given = next(
        (r for r in visible if r.reviewer_id == user.pk and r.revision_id == record.current_id), None
    )
    context = {
        "form": form,
        "settling": settling,
        "stale": stale,
        "why_not": reviews.may_review(user=user, record=record),
        "holders": holders,
        "mine": mine,
        "held_by_others": holders[0] if full else None,
        "given": given,
        "reviews": [
            {
                "review": review,
                "stale": [(unit, called(unit)) for unit in reviews.stale_units(review)],
                "exceptions": [(called(unit), verdict) for unit, verdict in reviews.exceptions(review)],
            }
            for review in visible
        ],
        "needed": quality_gates.needed_reviewers(),
        "units": units,
        "groups": _groups(units, in_words),
        "decided_parts": sum(bool(unit.field.value()) for unit in units),
        "flags": [flag for flag in flags if flag.state in OPEN],
        "to_send": any(flag.state in OPEN for flag in flags)
        or bool(corrections.objecting(reversed(visible), record)),
        "settled": [flag for flag in flags if flag.state not in OPEN][:MOST_SETTLED],
        "seen_revision": seen_revision.number if seen_revision else None,
        "returned": seen_revision is not None and given is None and record.level in DECIDABLE,
        "disputed": disputes.disputed_among(texts, record.current),
        "report": report,
        "promises": promises(list(report.results.all())) if report else [],
        "blocker": quality_gates.blocker(record, report, texts, _blocking(flags)),
        "seen": seen,
        "questions": [question for result in report.results.all() for question in result.questions]
        if report
        else [],
        **{kind.value: seen.counted(kind) for kind in AnswerKind},
        "least": settings.WORLDWRIGHT.review_coverage,
        "next_item": queue.next_for(user, after=record) if given else None,
        "episodes": record.current.trajectories.all()[:MOST_EPISODES],
        **threads(record, kind="environment", words="environment", everywhere=True, reader=user.pk),
    }
    response = page(request, record, "environment_review", "reviews/review.html", context)
    response.status_code = status
    return response


def _blocking(newest: Sequence[Flag]) -> list[Flag] | None:
    """The flags that block, oldest first; None where not all flags were read."""
    return [flag for flag in reversed(newest) if flag.blocks] if len(newest) < MOST_FLAGS else None


def _draft_form(
    record: EnvironmentRecord, request: SignedInRequest, seen: answers.Progress, flags: Sequence[Flag]
) -> ReviewForm:
    """The person's draft; without one, what follows from their answers to the tasks."""
    assert record.current is not None
    draft = reviews.draft_of(record=record, reviewer=request.user)
    initial: dict[str, Any] = {"revision": record.current.number}
    if draft is None:
        own = [flag for flag in flags if flag.raised_by_id == request.user.pk and flag.state in OPEN]
        initial |= {f"score_{name}": str(n) for name, n in answers.suggested_grades(seen, own).items()}
        wrong = [unit for unit, given in seen.answers.items() if given.answer == AnswerKind.WRONG]
        initial |= {f"unit.{unit}": ReviewDecision.REQUEST_CHANGES for unit in wrong}
        plain = PlainLanguage(record) if wrong else None
        initial["comment"] = "\n".join(
            f"{plain.task(unit.removeprefix('task:'))}: {seen.answers[unit].note}" for unit in wrong if plain
        )
    else:
        initial |= {"decision": draft.decision, "comment": draft.comment}
        initial |= {f"score_{name}": str(score) for name, score in draft.scores.items()}
        initial |= {f"unit.{unit}": decision for unit, decision in draft.unit_decisions.items()}
    return ReviewForm(initial=initial, units=record.current.units)


@dataclass(frozen=True)
class SeenRevision:
    """What a person saw when they last decided about or flagged an older revision."""

    number: int
    units: dict[str, str]


def _seen_revision(
    record: EnvironmentRecord, request: SignedInRequest, texts: Sequence[Review], flags: Sequence[Flag]
) -> SeenRevision | None:
    """The newest older revision this person decided about or flagged; None when there is none."""
    assert record.current is not None
    own = [review.revision for review in texts if review.reviewer_id == request.user.pk]
    own += [flag.revision for flag in flags if flag.raised_by_id == request.user.pk]
    older = [revision for revision in own if revision.number < record.current.number]
    newest = max(older, key=lambda revision: revision.number, default=None)
    return SeenRevision(newest.number, newest.units) if newest else None


def _units(
    record: EnvironmentRecord,
    form: ReviewForm,
    covered: dict[str, dict[int, bool]],
    seen_revision: SeenRevision | None,
    in_words: Words,
) -> list[Unit]:
    assert record.current is not None
    plain = PlainLanguage(record)
    return [
        Unit(
            name=name,
            title=unit_words(plain, name) if ":" in name else in_words(as_words(name)),
            address=_address(record, name),
            field=form.unit_field(name),
            approvals=sum(covered[name].values()),
            refusals=len(covered[name]) - sum(covered[name].values()),
            changed=seen_revision is not None and seen_revision.units.get(name) != fingerprint,
        )
        for name, fingerprint in record.current.units.items()
    ]


def _groups(units: Sequence[Unit], in_words: Words) -> list[tuple[str, list[Unit]]]:
    """Units under their headings: the whole parts, the tools, the tasks."""
    groups = [("Parts", [unit for unit in units if ":" not in unit.name])]
    groups += [
        (in_words(title), [u for u in units if u.name.startswith(f"{kind}:")]) for kind, title in GROUPS
    ]
    return [(title, results) for title, results in groups if results]


def _address(record: EnvironmentRecord, unit: str) -> str:
    kind, _, name = unit.partition(":")
    pages = {"tool": "environment_tool", "task": "environment_task"}
    if name:
        return reverse(pages[kind], args=[record.name, name])
    whole = {"schema": "environment_schema", "seed_data": "environment_data"}
    return reverse(whole.get(kind, "environment"), args=[record.name])
