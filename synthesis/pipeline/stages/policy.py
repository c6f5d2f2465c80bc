"""The policy: the rules an agent must follow, also those no tool enforces."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, ValidationError
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.policy import Policy
from synthesis.errors import ReplyUnreadable
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.language import require_english
from synthesis.pipeline.stages.listing import outlines_text, scenario_text


class PolicyReply(Reply):
    """The rules."""

    text: str = Field(description="Markdown, numbered rules.")


class PolicyStage(Stage[Policy, PolicyReply]):
    """Makes the policy."""

    name: ClassVar[PartName] = "policy"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "outlines")
    reply: ClassVar[type[Reply]] = PolicyReply

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The scenario and the tasks the rules must decide."""
        return {"scenario": scenario_text(draft), "outlines": outlines_text(draft.outlines)}

    @override
    def read(self, reply: PolicyReply, draft: Draft) -> Policy:
        """The policy in an answer."""
        require_english("The policy", reply.text)
        try:
            return Policy(text=reply.text.strip())
        except ValidationError as error:
            raise ReplyUnreadable(f"This is not a valid policy: {error.errors()[0]['msg']}") from None

    @override
    def check(self, part: Policy, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Rules, and not a word only."""
        if len(part.text.split()) >= 10:
            return ()
        return (
            Finding(
                part="policy",
                check="the_policy_says_something",
                message="The policy has fewer than ten words. Write the rules that decide the tasks.",
            ),
        )
