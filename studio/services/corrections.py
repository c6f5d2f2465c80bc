"""Corrections: reviewers' flags go back to self-correction; the new attempt comes back for review."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from studio.models import Act, AuthorKind, EnvironmentRecord, Flag, FlagState, Revision, Run, RunKind
from studio.services import flags as flag_service
from studio.services import ladder, runs
from studio.services.accounts import require
from studio.services.authors import AUTHORS, authors_for, require_authors
from studio.services.environments import add_revision, load_environment
from studio.services.execution import Hold
from studio.services.providers import provider_settings
from studio.services.refusals import NotReady, Stale
from studio.services.run_events import Listener
from studio.services.synthesis import new_request
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import DESIGN_PARTS, Draft, Environment, Provenance
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import (
    AttemptsExhausted,
    Cancelled,
    EarlierPartAtFault,
    InvalidInput,
    WorldwrightError,
)
from synthesis.pipeline.author import Author
from synthesis.pipeline.request import SynthesisRequest

Findings = dict[PartName, list[Finding]]

NEVER_CORRECT = {
    "procedural": "The procedural author composes the same part from the same sentence and seed again, so a "
    "finding changes nothing."
}
"""Authors that cannot correct what they wrote, and why."""


@dataclass(frozen=True)
class Offer:
    """An author that flags could be sent back to.

    Attributes:
        name: As requests name it.
        refusal: Why it cannot be asked, with the remedy; "" when it can.
    """

    name: str
    refusal: str


def offers() -> list[Offer]:
    """Every author, and why one of them cannot correct."""
    return [Offer(name, _why_not(name)) for name in AUTHORS]


def _why_not(author: str) -> str:
    if author in NEVER_CORRECT:
        return NEVER_CORRECT[author]
    if author == "model":
        try:
            provider_settings()
        except InvalidInput as error:
            return f"No model is configured. {str(error).partition(';')[0]}; set it, then send it back."
    return ""


@transaction.atomic
def send_back(*, record: EnvironmentRecord, revision_number: int, sender: User, author: str = "model") -> Run:
    """Hand every open flag of an environment to the authors of the parts at fault.

    Raises:
        Forbidden: The person is no reviewer.
        Stale: Another revision is current.
        NotReady: No flag is open, or the author cannot correct; the text says why.
        UnknownName: There is no such author.
    """
    require(sender, Act.REVIEW)
    EnvironmentRecord.objects.select_for_update().get(pk=record.pk)
    record = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
    assert record.current is not None
    if record.current.number != revision_number:
        raise Stale(f"You looked at revision {revision_number}.", current=record.current.number)
    raised = list(record.flags.filter(state=FlagState.OPEN).order_by("id"))
    if not raised:
        raise NotReady("There is nothing to send back: no flag is open.", remedy="Say first what is wrong.")
    request = _request(load_environment(record.current), author)
    require_authors(request)
    if why_not := _why_not(author):
        raise NotReady(why_not, remedy="Choose an author that can, or edit the part yourself.")
    Flag.objects.filter(pk__in=[flag.pk for flag in raised]).update(state=FlagState.SENT_BACK)
    ladder.settle(record)
    return runs.queue_run(
        kind=RunKind.CORRECTION,
        title=f"Correction of {record.title}: {len(raised)} flag{'s' if len(raised) > 1 else ''}",
        request={
            "revision": record.current.pk,
            "flags": [flag.pk for flag in raised],
            "synthesis": request.model_dump(mode="json"),
        },
        requested_by=sender,
        environment=record,
    )


def execute_correction(hold: Hold) -> None:
    """Correct what a claimed run's flags name, prove the whole, and make it the current revision.

    The flags are open again when it does not succeed.

    Raises:
        AttemptsExhausted: An author could not mend its part.
        NotReady: Somebody made another revision meanwhile.
        Cancelled, ProviderError, WorldError: As for a synthesis.
    """
    raised = Flag.objects.filter(pk__in=hold.run.request["flags"])
    try:
        _correct(hold, raised)
    except (WorldwrightError, NotReady):
        with hold.writing():
            raised.filter(state=FlagState.SENT_BACK).update(state=FlagState.OPEN)
        raise


def _correct(hold: Hold, raised: Iterable[Flag]) -> None:
    started = time.perf_counter()
    revision = Revision.objects.select_related("environment").get(pk=hold.run.request["revision"])
    request = SynthesisRequest.model_validate(hold.run.request["synthesis"])
    author = authors_for(request, hold.run)[request.author]
    findings = [flag_service.as_finding(flag) for flag in raised]
    environment, report = _mend(hold, load_environment(revision), findings, author, request)
    with hold.writing():
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        if record.current_id != revision.pk:
            raise NotReady("Somebody made another revision meanwhile.", remedy="Send it back again.")
        made = add_revision(
            record=record,
            environment=environment,
            author_kind=AuthorKind.MODEL,
            reason=f"Corrected after review: {'; '.join(finding.message for finding in findings)}"[:2_000],
            report=report,
            run=hold.run,
            seconds=time.perf_counter() - started,
        )
        hold.finish({"environment": record.name, "revision": made.number, "before": revision.number})


def _mend(
    hold: Hold,
    environment: Environment,
    findings: Sequence[Finding],
    author: Author,
    request: SynthesisRequest,
) -> tuple[Environment, CheckReport]:
    """Ask for the parts at fault until the whole is proved."""
    from synthesis.verification.checks import check_environment

    draft = Draft(provenance=environment.provenance, **environment.parts())
    for _ in range(request.corrections + 1):
        try:
            draft = _ask(hold, draft, _by_part(findings), author, request)
        except EarlierPartAtFault as error:
            findings = error.findings
            continue
        environment = draft.finish()
        report = check_environment(environment)
        findings = [finding for finding in report.findings if finding.blocks]
        if report.passed and not findings:
            return environment, report
    raise AttemptsExhausted(findings[0].part if findings else "verifiers", findings, request.corrections + 1)


def _ask(hold: Hold, draft: Draft, findings: Findings, author: Author, request: SynthesisRequest) -> Draft:
    from synthesis.pipeline.events import AttemptMade, StageStarted
    from synthesis.pipeline.self_correction import self_correct
    from synthesis.pipeline.stages.registry import STAGES

    listener = Listener(hold)
    for part in [name for name in STAGES if name in findings]:
        if hold.cancelled():
            raise Cancelled(f"Stopped before {part} was corrected.")
        listener(StageStarted(stage=part, author=author.name, recipe=""))
        made = self_correct(
            STAGES[part],
            draft,
            author,
            request=request,
            attempts=request.attempts,
            findings=tuple(findings[part]),
            on_attempt=lambda attempt: listener(AttemptMade(attempt=attempt)),
            cancelled=hold.cancelled,
        )
        provenance = Provenance(author=author.name, attempts=max(len(made.attempts), 1))
        draft = draft.with_part(part, made.part, provenance)
    return draft


def _by_part(findings: Sequence[Finding]) -> Findings:
    found: Findings = defaultdict(list)
    for finding in findings:
        part = finding.part if finding.part in DESIGN_PARTS else "tools"
        found[part].append(finding.replace(part=part, severity="error"))
    return found


def _request(environment: Environment, author: str) -> SynthesisRequest:
    return new_request(
        sentence=environment.scenario.description[:MAX_SENTENCE],
        author=author,
        category=environment.scenario.category,
    )
