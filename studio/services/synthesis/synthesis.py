"""Synthesis: one service behind the page, the command, the programs' interface and the worker's task."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import User
from pydantic import ValidationError

from studio.models import AuthorKind, LlmRecording, Run, RunKind
from studio.services.environments.environments import store_environment
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from studio.services.runs.precedence import requests_first
from studio.services.synthesis.authors import (
    RECORDED,
    authors_for,
    names_of,
    recorded_request,
    require_authors,
    require_model,
    with_second,
)
from studio.services.synthesis.run_context import run_context
from synthesis.errors import InvalidInput
from synthesis.pipeline.request import SynthesisRequest, out_of_range, require_usable

if TYPE_CHECKING:
    from synthesis.documents.reading import ScenarioReading
    from synthesis.procedural.business.author import Understanding


def new_request(
    *, sentence: str, author: str = "procedural", seed: int = 0, **options: Any
) -> SynthesisRequest:
    """What is to be made, with the studio's settings where nothing else is asked for.

    Args:
        sentence: The application in a sentence or up to a page; may be empty for the author "recorded".
        author: Name of the author of all parts.
        seed: Seed of the procedural author's choices.
        options: Other fields of `SynthesisRequest`.

    Raises:
        InvalidInput: The sentence, the author or a number cannot be used; the text names it.
    """
    if author == RECORDED:
        return recorded_request(sentence)
    request = _request(
        {
            "sentence": sentence.strip(),
            "author": author,
            "seed": seed,
            "attempts": settings.WORLDWRIGHT.attempts,
            "targets": {"tasks": settings.WORLDWRIGHT.tasks, "fewer_tasks": True},
            **options,
        }
    )
    require_usable(request)
    request = with_second(request)
    require_authors(request)
    return request


def understanding_of(request: SynthesisRequest) -> Understanding | None:
    """What the author without a model reads in a request's sentence; None where another author writes."""
    if request.author_of("scenario") != "procedural":
        return None
    from synthesis.procedural.business.author import understand

    return understand(request.sentence, seed=request.seed, least=settings.WORLDWRIGHT.fidelity)


def require_readable(request: SynthesisRequest) -> None:
    """Pass when a world about the sentence can be made.

    Raises:
        InvalidInput: It cannot; the text says what was read and what to do.
    """
    understood = understanding_of(request)
    if understood is not None and understood.problem:
        raise InvalidInput(understood.problem)


def reading_of(request: SynthesisRequest) -> ScenarioReading | None:
    """What was read from a request's sentence; None where another author writes or nothing was read."""
    understood = understanding_of(request)
    return understood.reading if understood is not None else None


def reading_of_run(run: Run) -> dict[str, Any] | None:
    """What was read from the sentence of a queued synthesis, as a document."""
    reading = reading_of(SynthesisRequest.model_validate(run.request))
    return reading.model_dump(mode="json") if reading is not None else None


def refusal_of(request: SynthesisRequest) -> str:
    """Why nothing can be made of a request's sentence without a model; "" where something can."""
    understood = understanding_of(request)
    return understood.problem if understood is not None else ""


def doubts(request: SynthesisRequest) -> str:
    """What to tell before a request is made: which words nothing will represent; "" where there are none."""
    understood = understanding_of(request)
    if understood is None:
        return ""
    if understood.problem:
        return understood.problem
    reading = understood.reading
    if reading is None or not reading.left_out:
        return ""
    return f"{reading.summary} Not represented: {', '.join(reading.left_out)}."


def warnings_of(run: Run) -> list[str]:
    """What to know about a queued synthesis before it is made."""
    doubt = doubts(SynthesisRequest.model_validate(run.request))
    return [doubt] if doubt else []


def start_synthesis(
    *,
    request: SynthesisRequest,
    requested_by: User | None = None,
    parent: Run | None = None,
    priority: int = 0,
) -> Run:
    """Queue the making of one environment.

    Raises:
        InvalidInput: A model is to write, and no key or no model is set; or no world can be made of the
            sentence without one.
    """
    require_model(names_of(request), request, project_id=parent.project_id if parent else None)
    require_readable(request)
    return runs.queue_run(
        kind=RunKind.SYNTHESIS,
        title=request.sentence,
        request=request,
        requested_by=requested_by,
        parent=parent,
        priority=priority,
    )


def execute_synthesis(lease: RunLease, request: SynthesisRequest) -> None:
    """Make the environment a claimed run asks for, and store it whole or not at all.

    Raises:
        InvalidInput: No world can be made of the sentence without a model; the text says why.
        SynthesisError, ProviderError, WorldError: It could not be made.
    """
    from synthesis.pipeline.driver import synthesize
    from synthesis.pipeline.stages.registry import STAGES

    started = time.perf_counter()
    require_readable(request)
    requests_first()
    authors = authors_for(request, lease.run)
    written = [name for name, stage in STAGES.items() if authors[request.author_of(name)].writes(stage)]
    doubt = doubts(request)
    if doubt:
        lease.note("sentence_not_recognised", text=doubt)
    lease.note("synthesis_started", payload={"stages": written}, total=len(written) + 1)
    synthesis_result = synthesize(
        request,
        authors=authors,
        context=run_context(lease),
    )
    seconds = time.perf_counter() - started
    with lease.writing(done=len(written) + 1):
        revision = store_environment(
            environment=synthesis_result.environment,
            author_kind=AuthorKind.MODEL if request.author in ("model", RECORDED) else AuthorKind.PROCEDURAL,
            reason="Synthesised.",
            report=synthesis_result.report,
            created_by=lease.run.requested_by,
            run=lease.run,
            seconds=seconds,
        )
        Run.objects.filter(pk=lease.run.pk).update(environment=revision.environment)
        forget_answers(lease.run)
        lease.finish(
            {
                "environment": revision.environment.name,
                "revision": revision.number,
                "fingerprint": revision.fingerprint,
                "seconds": round(seconds, 3),
                **({"warnings": [doubt]} if doubt else {}),
            }
        )


def forget_answers(run: Run) -> None:
    """Let go of the answers that are kept for a run that goes on; its attempts hold them as well."""
    LlmRecording.objects.filter(run=run).delete()


def _request(values: dict[str, Any]) -> SynthesisRequest:
    try:
        return SynthesisRequest.model_validate(values)
    except ValidationError as error:
        raise InvalidInput(out_of_range(error)) from None
