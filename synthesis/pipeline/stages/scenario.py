"""The scenario: which application is simulated, from the sentence a person wrote."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from pydantic import Field, ValidationError
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.scenario import Scenario
from synthesis.errors import ReplyUnreadable
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.language import require_english

FEWEST_WORDS = 8
"""A description of fewer words leaves the later stages nothing to work with."""


class ScenarioReply(Reply):
    """The scenario of one application."""

    name: str = Field(description="Lower-case letters, digits and underscores, starting with a letter.")
    title: str
    category: str = Field(description="Kind of business, in lower case.")
    description: str = Field(description="150 to 300 words.")
    clock: datetime = Field(
        description="Local date and time at which the world starts, e.g. 2026-03-11T08:30:00."
    )


class ScenarioStage(Stage[Scenario, ScenarioReply]):
    """Makes the scenario."""

    name: ClassVar[PartName] = "scenario"
    reply: ClassVar[type[Reply]] = ScenarioReply

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The sentence, and the kind of business where it is known."""
        return {
            "sentence": request.sentence,
            "category": request.category or "(you choose it)",
            "tables": str(request.targets.tables),
        }

    @override
    def read(self, reply: ScenarioReply, draft: Draft) -> Scenario:
        """The scenario in an answer."""
        require_english("The description", reply.description)
        fields = reply.model_dump(exclude={"remove"})
        fields["clock"] = reply.clock.replace(tzinfo=None, microsecond=0)
        try:
            return Scenario.model_validate(fields)
        except ValidationError as error:
            message = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            raise ReplyUnreadable(f"This is not a valid scenario: {message}") from None

    @override
    def check(self, part: Scenario, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """A description one can build on."""
        words = len(part.description.split())
        if words >= FEWEST_WORDS or part.description.strip() == request.sentence.strip():
            return ()
        return (
            Finding(
                part="scenario",
                check="the_description_says_enough",
                message=f"The description has {words} words; it needs {FEWEST_WORDS}, better 150 to 300.",
                where="description",
            ),
        )
