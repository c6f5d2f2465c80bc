"""ProceduralAuthor: parts without a model, derived from the sentence and the seed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import JsonValue

from synthesis import procedural
from synthesis.documents.document import digest
from synthesis.pipeline.author import Ask, Written
from synthesis.pipeline.stage import AnyStage
from synthesis.procedural.business.author import Size, write_part

LEAVES_OUT = frozenset({"tool_specs"})
"""It writes code straight from its catalogue."""


class ProceduralAuthor:
    """Composes parts from the catalogue; the same sentence and seed give the same bytes."""

    name = "procedural"
    corrects = False
    """A finding against its part is a defect of the catalogue: asking again brings the same part."""

    def writes(self, stage: AnyStage) -> bool:
        """All parts but the tool specification."""
        return stage.name not in LEAVES_OUT

    def recipe(self, stage: AnyStage) -> dict[str, JsonValue]:  # noqa: ARG002 - the protocol's
        """Its program; the sentence and the seed are part of every recipe."""
        return {"program": program()}

    def write(self, ask: Ask) -> Written:
        """The part; there is only one attempt at it."""
        request = ask.request
        part = write_part(
            ask.stage.name,
            ask.draft,
            sentence=request.sentence,
            seed=request.seed,
            size=Size(tasks=request.targets.tasks, fewer=request.targets.fewer_tasks),
        )
        return Written(part=part)


@cache
def program() -> str:
    """Fingerprint of the catalogue and the composer's source: a change in either makes parts again."""
    folder = Path(next(iter(procedural.__path__)))
    files = sorted(file for kind in ("*.py", "*.toml") for file in folder.rglob(kind))
    return digest(b"\0".join(file.read_bytes() for file in files))
