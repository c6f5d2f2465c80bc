"""DerivedAuthor: parts that follow from a data model which was read from outside."""

from __future__ import annotations

from pydantic import JsonValue

from synthesis.documents.environment import DESIGN_PARTS, Environment
from synthesis.documents.intake import Intake
from synthesis.pipeline.author import Ask, Written
from synthesis.pipeline.authors.procedural import program
from synthesis.pipeline.stage import AnyStage
from synthesis.procedural.derived.derive import derive


class DerivedAuthor:
    """Derives the parts of an environment from one data model; the same model and seed give the same bytes.

    Args:
        intake: The data model, with what of its source could not come along.
    """

    name = "procedural"
    corrects = False
    """A finding against its part is a defect of the derivation: asking again brings the same part."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._latest: tuple[tuple[int, int, bool], Environment] | None = None

    def writes(self, stage: AnyStage) -> bool:
        """All parts that ship."""
        return stage.name in DESIGN_PARTS

    def recipe(self, stage: AnyStage) -> dict[str, JsonValue]:  # noqa: ARG002 - the protocol's
        """Its program and the data model; the seed is part of every recipe."""
        return {"program": program(), "intake": self._intake.fingerprint}

    def write(self, ask: Ask) -> Written:
        """The part; there is only one attempt at it.

        Raises:
            InvalidInput: Nothing can be derived from the data model; the text says why.
        """
        seed, tasks = ask.request.seed, ask.request.targets.tasks
        environment = self._environment(seed, tasks, fewer=ask.request.targets.fewer_tasks)
        part = environment.parts()[ask.stage.name]
        if ask.stage.name != "schema":
            return Written(part=part, prompt=f"{tasks} tasks, seed {seed}")
        return Written(
            part=part,
            findings=self._intake.findings,
            prompt=self._intake.source,
            reply=self._intake.schema.sql,
            origin=environment.provenance["schema"].origin,
        )

    def _environment(self, seed: int, tasks: int, *, fewer: bool) -> Environment:
        """All parts are derived together, so one derivation serves every stage."""
        if self._latest is None or self._latest[0] != (seed, tasks, fewer):
            environment = derive(self._intake, seed=seed, tasks=tasks, fewer_tasks=fewer)
            self._latest = ((seed, tasks, fewer), environment)
        return self._latest[1]
