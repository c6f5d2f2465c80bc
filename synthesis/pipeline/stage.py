"""Stage: knows one part: what it is made from, how a model is asked for it, how it is really tried."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from synthesis.documents.environment import Draft, Part
from synthesis.documents.finding import Finding, PartName
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.request import SynthesisRequest

PartT = TypeVar("PartT", bound=Part)
ReplyT = TypeVar("ReplyT", bound=Reply)


class Stage(ABC, Generic[PartT, ReplyT]):
    """One part of an environment in the making; holds no state."""

    name: ClassVar[PartName]
    """The part it makes."""
    reads: ClassVar[tuple[PartName, ...]] = ()
    """The parts it is made from; when one of them changes, this one is authored again."""
    reply: ClassVar[type[Reply]]
    """What a model answers."""
    optional_checks: ClassVar[frozenset[str]] = frozenset()
    """Checks whose warnings are worth one more attempt; what passed stays if that one comes to nothing."""
    batch: ClassVar[int | None] = None
    """How many pieces a model is asked for at a time; None asks for all at once."""

    @abstractmethod
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """What fills the prompt, by placeholder."""

    def wanted(self, draft: Draft) -> tuple[str, ...]:  # noqa: ARG002 - for stages that know
        """Names of the pieces that must come, in the order of batches; empty where the author chooses."""
        return ()

    def group_of(self, draft: Draft) -> dict[str, str]:  # noqa: ARG002 - for stages whose pieces have any
        """Piece to group: pieces of one group are asked for together as far as batches allow."""
        return {}

    def pieces_text(self, names: tuple[str, ...], draft: Draft) -> str:  # noqa: ARG002 - for stages in batches
        """What a prompt says about the pieces that are to be written now."""
        return ", ".join(names)

    @abstractmethod
    def read(self, reply: ReplyT, draft: Draft) -> PartT:
        """The part in an answer.

        Raises:
            ReplyUnreadable: The answer, or some pieces of it, make no part.
            BrokenEnvironment: It names a part that does not build.
        """

    def reply_of(self, part: PartT) -> ReplyT | None:  # noqa: ARG002 - for stages of several pieces
        """The answer that would give this part, so that a finished part can be corrected piece by piece."""
        return None

    def corrected(self, standing: ReplyT, correction: ReplyT, draft: Draft) -> ReplyT:  # noqa: ARG002 - for some
        """What stands after a correction of it."""
        return standing.merged(correction)

    def completed(self, reply: ReplyT, draft: Draft, standing: ReplyT | None) -> ReplyT:  # noqa: ARG002 - for some
        """An answer with what follows from the draft, which no author needs to write.

        Args:
            reply: The answer.
            draft: The parts it is made from.
            standing: The pieces so far.
        """
        return reply

    def at_fault(self, reply: ReplyT) -> tuple[Finding, ...]:  # noqa: ARG002 - for stages that can tell
        """Findings against earlier parts that the answer itself reports."""
        return ()

    def early_findings(self, reply: ReplyT) -> tuple[Finding, ...]:  # noqa: ARG002 - for stages in batches
        """What is wrong already with the pieces so far, told with the next batch."""
        return ()

    @abstractmethod
    def check(self, part: PartT, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """All that is wrong with the part, found by really trying it with the parts of the draft."""


AnyStage = Stage[Any, Any]
"""A stage where it does not matter which part it makes."""
