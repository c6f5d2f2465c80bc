"""Preview: the world that a sentence would become, composed without proof; nothing of it is kept."""

from __future__ import annotations

from studio.services.synthesis.synthesis import require_readable
from synthesis.documents.document import digest
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput
from synthesis.pipeline.request import SynthesisRequest


def fingerprint_of(request: SynthesisRequest) -> str:
    """What a preview was composed from, so that exactly what was shown is made."""
    return digest(request.model_dump_json().encode())


def compose_preview(request: SynthesisRequest) -> Environment:
    """The environment that the author without a model would submit to the proof.

    Raises:
        InvalidInput: A model is to write a part, or no world can be made of the sentence; the text says why.
    """
    if {request.author, *request.stage_authors.values()} != {"procedural"}:
        raise InvalidInput(
            "Only the procedural author can show a world before it is made: a model decides while it writes. "
            "Choose the procedural author, or create the environment."
        )
    require_readable(request)
    from synthesis.procedural.business.author import Size, compose

    size = Size(tasks=request.targets.tasks, fewer=request.targets.fewer_tasks)
    return compose(request.sentence, seed=request.seed, size=size)
