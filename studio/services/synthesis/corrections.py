"""Corrections: reviewers' flags go back to self-correction; the new attempt comes back for review."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from studio.models import (
    Act,
    AuthorKind,
    EnvironmentRecord,
    Flag,
    FlagState,
    Review,
    ReviewDecision,
    Revision,
    Run,
    RunKind,
)
from studio.services.environments import quality_gates
from studio.services.environments.environments import add_revision, load_environment
from studio.services.environments.units import part_of_unit
from studio.services.errors import NotReady, Stale
from studio.services.llm.providers import provider_settings
from studio.services.projects import membership
from studio.services.review import flags as flag_service
from studio.services.review import reviews
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from studio.services.synthesis.authors import AUTHORS, RECORDED, authors_for, require_authors
from studio.services.synthesis.run_context import run_context
from studio.services.synthesis.synthesis import new_request
from synthesis.documents.document import Document
from synthesis.documents.environment import DESIGN_PARTS, Environment
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import (
    InvalidInput,
    WorldwrightError,
)
from synthesis.pipeline.request import SynthesisRequest, Targets

NEVER_CORRECT = {
    "procedural": "The procedural author composes the same part from the same sentence and seed again, so a "
    "finding changes nothing.",
    RECORDED: "The recorded run has no replies to other findings than its own.",
}
"""Authors that cannot correct what they wrote, and why."""


class CorrectionRequest(Document):
    """Flags and reviews of a revision that go back to the authors of the parts they name."""

    revision: int
    flags: tuple[int, ...]
    reviews: tuple[int, ...] = ()
    synthesis: SynthesisRequest
    """Who mends, with how many attempts."""


GUIDE = "see “Models” in the guide “Operate a studio”"
"""Where those who run the studio read how a model is configured."""

PART_OF_CRITERION: dict[str, PartName] = {
    "task_feasibility": "tasks",
    "data_alignment": "seed_data",
    "toolset_completeness": "tools",
}
"""The part that a criterion of the rubric grades."""


@dataclass(frozen=True)
class Accepted:
    """Which objections are to be worked off, by their ids."""

    flags: frozenset[int]
    reviews: frozenset[int]


@dataclass(frozen=True)
class Offer:
    """An author that flags could be sent back to.

    Attributes:
        name: As requests name it.
        refusal: Why it cannot be asked, with the remedy; "" when it can.
    """

    name: str
    refusal: str


def offers(record: EnvironmentRecord, user: User) -> list[Offer]:
    """Every author, and why one of them cannot correct an environment, as it helps the person."""
    return [Offer(name, _why_not(name, record, user)) for name in AUTHORS]


def _why_not(author: str, record: EnvironmentRecord, user: User) -> str:
    if author in NEVER_CORRECT:
        return NEVER_CORRECT[author]
    if author == "model":
        try:
            provider_settings(project_id=record.project_id)
        except InvalidInput as error:
            if not membership.reads(user, record.project_id, Act.ADJUDICATE):
                return "No model is configured. A lead knows who can change that."
            return f"No model is configured. {str(error).partition(';')[0]}: {GUIDE}."
    return ""


@transaction.atomic
def send_back(
    *,
    record: EnvironmentRecord,
    revision_number: int,
    sender: User,
    author: str = "model",
    accepted: Accepted | None = None,
) -> Run:
    """Hand what reviewers object to in an environment to the authors of the parts at fault.

    Args:
        record: The environment.
        revision_number: The revision that was looked at.
        sender: Who hands it over.
        author: Who mends it.
        accepted: Which objections; every open flag, and the words of every review of this revision that does
            not approve, when None.

    Raises:
        Forbidden: The person is no reviewer.
        Stale: Another revision is current.
        NotReady: Nobody objects to anything, or the author cannot correct; the text says why.
        UnknownName: There is no such author.
    """
    membership.require_in(sender, record.project_id, Act.REVIEW)
    EnvironmentRecord.objects.select_for_update().get(pk=record.pk)
    record = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
    assert record.current is not None
    if record.current.number != revision_number:
        raise Stale(f"You saw revision {revision_number}.", current=record.current.number)
    raised, words = accepted_objections(record, sender, accepted)
    if not raised and not words:
        raise NotReady(
            "There is nothing to send back: no flag is open and no review asks for changes.",
            remedy="Raise a flag first." if accepted is None else "Tick at least one objection.",
        )
    request = _request(load_environment(record.current), author)
    require_authors(request)
    if why_not := _why_not(author, record, sender):
        raise NotReady(why_not, remedy="Choose another author, or edit the part yourself.")
    Flag.objects.filter(pk__in=[flag.pk for flag in raised]).update(state=FlagState.SENT_BACK)
    quality_gates.settle(record)
    return runs.queue_run(
        kind=RunKind.CORRECTION,
        title=f"Correction of {record.title}: {_counted(len(raised), len(words))}",
        request=CorrectionRequest(
            revision=record.current.pk,
            flags=tuple(flag.pk for flag in raised),
            reviews=tuple(review.pk for review in words),
            synthesis=request,
        ),
        requested_by=sender,
        environment=record,
    )


def accepted_objections(
    record: EnvironmentRecord, user: User, accepted: Accepted | None = None
) -> tuple[list[Flag], list[Review]]:
    """The open flags and the objecting reviews of an environment that were accepted, oldest first."""
    raised = list(record.flags.open().select_related("raised_by").order_by("id"))
    words = objections(record, user)
    if accepted is None:
        return raised, words
    return (
        [flag for flag in raised if flag.pk in accepted.flags],
        [review for review in words if review.pk in accepted.reviews],
    )


def _counted(flags: int, words: int) -> str:
    counted = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in ((flags, "flag"), (words, "review")) if n]
    return " and ".join(counted)


def objections(record: EnvironmentRecord, user: User) -> list[Review]:
    """Reviews of the current revision that ask for changes and say which, as far as the person may see them.

    Of a settled conflict only the lead's decision counts. Oldest first.
    """
    submitted = quality_gates.submitted_reviews(record)
    return objecting(reversed(reviews.visible_among(submitted, record=record, user=user)), record)


def objecting(texts: Iterable[Review], record: EnvironmentRecord) -> list[Review]:
    """The same among reviews that were read already, oldest first."""
    current = [review for review in texts if review.revision_id == record.current_id]
    settled = [review for review in current if review.is_adjudication]
    return [review for review in settled[-1:] or current if review.comment.strip() and _refused(review)]


def _refused(review: Review) -> list[str]:
    """The units that a review does not approve; "" stands for the whole."""
    units = [unit for unit, text in review.unit_decisions.items() if text != ReviewDecision.APPROVE]
    return units or ([""] if review.decision != ReviewDecision.APPROVE else [])


def as_findings(review: Review) -> list[Finding]:
    """A reviewer's words as findings for the authors of the parts that they did not approve."""
    return [finding for _, finding in findings_by_unit(review)]


def findings_by_unit(review: Review) -> list[tuple[str, Finding]]:
    """The same with the unit that each is about; "" is the whole, which goes to the likeliest author."""
    return [
        (
            unit,
            Finding(
                part=part_of_unit(unit) if unit else _weakest_part(review.scores),
                check=f"review_{review.decision}",
                message=f"A reviewer decided: {review.get_decision_display().lower()}. "
                f"{review.comment.strip()}",
                where=unit.partition(":")[2],
            ),
        )
        for unit in _refused(review)
    ]


def _weakest_part(scores: Mapping[str, int]) -> PartName:
    """The part behind the lowest grade, for words about the whole; the tools where nothing was graded."""
    graded = {name: grade for name, grade in scores.items() if name in PART_OF_CRITERION}
    return PART_OF_CRITERION[min(graded, key=lambda name: graded[name])] if graded else "tools"


def execute_correction(lease: RunLease, request: CorrectionRequest) -> None:
    """Correct what a claimed run's flags name, prove the whole, and make it the current revision.

    The flags are open again when it does not succeed.

    Raises:
        AttemptsExhausted: An author could not mend its part.
        NotReady: Somebody created another revision in the meantime.
        Cancelled, ProviderError, WorldError: As for a synthesis.
    """
    raised = Flag.objects.filter(pk__in=request.flags)
    try:
        _correct(lease, request, raised)
    except (WorldwrightError, NotReady):
        with lease.writing():
            raised.filter(state=FlagState.SENT_BACK).update(state=FlagState.OPEN)
        raise


def _correct(lease: RunLease, asked: CorrectionRequest, raised: Iterable[Flag]) -> None:
    from synthesis.pipeline.driver import correct

    started = time.perf_counter()
    revision = Revision.objects.select_related("environment").get(pk=asked.revision)
    request = asked.synthesis
    findings = [flag_service.as_finding(flag) for flag in raised]
    texts = Review.objects.filter(pk__in=asked.reviews).order_by("id")
    findings += [finding for review in texts for finding in as_findings(review)]
    result = correct(
        load_environment(revision),
        [_known_part(finding) for finding in findings],
        request=request,
        authors=authors_for(request, lease.run),
        context=run_context(lease),
    )
    with lease.writing():
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        if record.current_id != revision.pk:
            raise NotReady("Somebody created another revision in the meantime.", remedy="Send it back again.")
        outcome = add_revision(
            record=record,
            environment=result.environment,
            author_kind=AuthorKind.MODEL,
            reason=f"Corrected after review: {'; '.join(finding.message for finding in findings)}"[:2_000],
            report=result.report,
            run=lease.run,
            seconds=time.perf_counter() - started,
        )
        Flag.objects.filter(pk__in=asked.flags, state=FlagState.SENT_BACK).update(
            state=FlagState.RESOLVED,
            resolution=f"Corrected in revision {outcome.number}.",
            resolved_at=timezone.now(),
        )
        lease.finish({"environment": record.name, "revision": outcome.number, "before": revision.number})


def _known_part(finding: Finding) -> Finding:
    """Flags may name what no author writes; tools are the likeliest place then."""
    return finding if finding.part in DESIGN_PARTS else finding.replace(part="tools")


def _request(environment: Environment, author: str) -> SynthesisRequest:
    return new_request(
        sentence=environment.scenario.description[:MAX_SENTENCE],
        author=author,
        category=environment.scenario.category,
        targets=_no_larger_than(environment).model_dump(),
    )


def _no_larger_than(environment: Environment) -> Targets:
    """Sizes that the environment has already: a correction is no reason to grow."""
    defaults = Targets()
    return Targets(
        **{
            name: min(getattr(defaults, name), environment.counts[name])
            for name in ("tables", "rows", "tools", "tasks")
        }
    )
