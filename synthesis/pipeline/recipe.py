"""Recipe: the hash of all that makes a part. Resume, cache and invalidation are this one idea."""

from __future__ import annotations

from pydantic import JsonValue

from synthesis.documents.document import Document
from synthesis.documents.environment import Draft, Part
from synthesis.documents.finding import Finding, PartName
from synthesis.pipeline.author import Author
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import AnyStage


class Recipe(Document):
    """What a part is made from; a part whose recipe is found in a store need not be made."""

    stage: PartName
    author: str
    settings: dict[str, JsonValue]
    """The author's own: model, prompt fingerprint, temperature."""
    asked: dict[str, JsonValue]
    """The person's: sentence, seed, targets, category."""
    reads: dict[str, str]
    """Fingerprints of the parts it reads."""
    sent_back: tuple[str, ...] = ()
    """For a part that was sent back: the fingerprints of what it was and of the findings."""


def recipe_of(
    stage: AnyStage,
    draft: Draft,
    author: Author,
    request: SynthesisRequest,
    sent_back: tuple[str, ...] = (),
) -> Recipe:
    """The recipe of a stage's part as things stand.

    Args:
        stage: The stage.
        draft: The parts that are there.
        author: Who writes it.
        request: What the person asked for.
        sent_back: See `sent_back_with`; empty for a part that never was.
    """
    read = {name: part.fingerprint for name in stage.reads if (part := draft.part(name)) is not None}
    return Recipe(
        stage=stage.name,
        author=author.name,
        settings=author.recipe(stage),
        asked={
            "sentence": request.sentence,
            "seed": request.seed,
            "category": request.category,
            "targets": request.targets.content(),
        },
        reads=read,
        sent_back=sent_back,
    )


def sent_back_with(before: Part, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What makes the recipe of a corrected part another one than that of the part before."""
    return (before.fingerprint, *(finding.fingerprint for finding in findings))
