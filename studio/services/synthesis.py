"""Synthesis: one service behind the page, the command, the programs' interface and the worker's task."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from pydantic import ValidationError

from studio.models import AuthorKind, LlmRecording, Run, RunKind
from studio.services import runs
from studio.services.authors import authors_for, names_of, require_authors, require_model
from studio.services.environments import store_environment
from studio.services.execution import Hold
from studio.services.kept_parts import DatabasePartStore
from studio.services.precedence import requests_first
from studio.services.run_events import Listener
from synthesis.errors import InvalidInput
from synthesis.pipeline.request import SynthesisRequest, out_of_range, require_usable


def new_request(
    *, sentence: str, author: str = "procedural", seed: int = 0, **options: Any
) -> SynthesisRequest:
    """What is to be made, with the studio's settings where nothing else is asked for.

    Args:
        sentence: The application in a sentence or up to a page.
        author: Name of the author of all parts.
        seed: Seed of the procedural author's choices.
        options: Other fields of `SynthesisRequest`.

    Raises:
        InvalidInput: The sentence, the author or a number cannot be used; the text names it.
    """
    request = _request(
        {
            "sentence": sentence.strip(),
            "author": author,
            "seed": seed,
            "attempts": settings.ENV["WORLDWRIGHT_ATTEMPTS"],
            "targets": {"tasks": settings.ENV["WORLDWRIGHT_TASKS"]},
            **options,
        }
    )
    require_usable(request)
    require_authors(request)
    return request


def start_synthesis(
    *,
    request: SynthesisRequest,
    requested_by: User | None = None,
    parent: Run | None = None,
    priority: int = 0,
) -> Run:
    """Queue the making of one environment.

    Raises:
        InvalidInput: A model is to write, and no key or no model is set.
    """
    require_model(names_of(request))
    return runs.queue_run(
        kind=RunKind.SYNTHESIS,
        title=request.sentence,
        request=request.model_dump(mode="json"),
        requested_by=requested_by,
        parent=parent,
        priority=priority,
    )


def execute_synthesis(hold: Hold) -> None:
    """Make the environment a claimed run asks for, and store it whole or not at all.

    Raises:
        SynthesisError, ProviderError, WorldError: It could not be made.
    """
    from studio.services.stage_turns import stage_turns
    from synthesis.pipeline.pipeline import synthesize
    from synthesis.pipeline.stages.registry import STAGES

    started = time.perf_counter()
    requests_first()
    request = SynthesisRequest.model_validate(hold.run.request)
    authors = authors_for(request, hold.run)
    written = [name for name, stage in STAGES.items() if authors[request.author_of(name)].writes(stage)]
    hold.note("synthesis_started", payload={"stages": written}, total=len(written) + 1)
    made = synthesize(
        request,
        authors=authors,
        store=DatabasePartStore(hold),
        on_event=Listener(hold),
        cancelled=hold.cancelled,
        turns=stage_turns(),
    )
    seconds = time.perf_counter() - started
    with hold.writing(done=len(written) + 1):
        revision = store_environment(
            environment=made.environment,
            author_kind=AuthorKind.MODEL if request.author == "model" else AuthorKind.PROCEDURAL,
            reason="Synthesised.",
            report=made.report,
            created_by=hold.run.requested_by,
            run=hold.run,
            seconds=seconds,
        )
        Run.objects.filter(pk=hold.run.pk).update(environment=revision.environment)
        forget_answers(hold.run)
        hold.finish(
            {
                "environment": revision.environment.name,
                "revision": revision.number,
                "fingerprint": revision.fingerprint,
                "seconds": round(seconds, 3),
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
