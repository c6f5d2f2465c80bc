"""Expansion: rounds of proposals until there are enough scenarios, none a copy of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.errors import Cancelled, InvalidInput, ReplyUnreadable
from synthesis.llm.provider import CompletionRequest, Message, Provider
from synthesis.llm.structured import Wanted, read_reply, reply_format
from synthesis.pipeline.expansion.by_letters import character_similarity
from synthesis.pipeline.expansion.candidate import Candidate, Considered, Suitability
from synthesis.pipeline.expansion.categories import CATEGORIES
from synthesis.pipeline.expansion.similarity import Similarity
from synthesis.pipeline.prompt import load_prompt
from synthesis.pipeline.reply import Piece, Reply
from synthesis.pipeline.self_correction import never


class ExpansionSettings(Document):
    """The limits of an expansion; the defaults are AWM's (arXiv 2602.10090)."""

    count: int = Field(ge=1, le=100_000)
    """Scenarios wanted."""
    per_round: int = Field(default=10, ge=1, le=50)
    examples: int = Field(default=8, ge=0, le=20)
    """Scenarios shown as examples."""
    avoided: int = Field(default=60, ge=0, le=500)
    """Most recent names that a proposal is told to avoid."""
    limit: float = Field(default=0.85, gt=0, le=1)
    """A nearer scenario is a duplicate."""
    warning: float = Field(default=0.75, gt=0, le=1)
    """A nearer scenario is rejected when its category is full."""
    category_cap: int = Field(default=80, ge=1)
    least_score: int = Field(default=5, ge=1, le=10)
    """Scenarios of a lower suitability are dropped."""
    stalled_rounds: int = Field(default=10, ge=1)
    """Rounds in a row that bring nothing, after which it stops."""
    loosest: float = Field(default=0.95, gt=0, le=1)
    """A round that brings nothing raises the limit by 0.05 up to this, and the cap by a fifth."""
    categories: tuple[str, ...] = CATEGORIES


class Proposal(Piece):
    """One proposed scenario."""

    name: str
    category: str
    description: str
    seed: str = ""


class ProposalsReply(Reply):
    """Proposed scenarios."""

    scenarios: list[Proposal]


class SuitabilityReply(Reply):
    """Whether an application can be simulated."""

    score: int
    categories: list[str] = Field(default_factory=list)
    can: list[str] = Field(default_factory=list)
    cannot: list[str] = Field(default_factory=list)


@dataclass(frozen=True)
class Expanded:
    """What an expansion came to.

    Attributes:
        accepted: The scenarios, at most as many as were wanted.
        considered: Everything that was proposed, in order.
        stalled: Whether it stopped because nothing new came.
        unused: Seeds that were not reached.
    """

    accepted: tuple[Considered, ...]
    considered: tuple[Considered, ...]
    stalled: bool
    unused: tuple[str, ...] = ()


def expand(
    seeds: Sequence[str],
    settings: ExpansionSettings,
    provider: Provider,
    *,
    similarity: Similarity | None = None,
    examples: Sequence[Candidate] = (),
    on_considered: Callable[[Considered], None] | None = None,
    cancelled: Callable[[], bool] = never,
) -> Expanded:
    """Scenarios from seeds. With recordings behind the provider, called again it goes on for free.

    Args:
        seeds: Names or sentences; every one is expanded first, then scenarios of their kind are proposed.
        settings: Limits.
        provider: Who proposes and classifies.
        similarity: Finds duplicates; over character n-grams when None.
        examples: Scenarios of high suitability to show before there are any of one's own.
        on_considered: Hears of every decision.
        cancelled: Asked before every round.

    Raises:
        InvalidInput: There is no seed.
        Cancelled: Somebody asked to stop.
        ProviderError: The model did not answer.
    """
    if not seeds:
        raise InvalidInput("No seed was given. Give at least one name or sentence.")
    return _Expansion(
        seeds, settings, provider, similarity or character_similarity(), examples, on_considered
    ).all(cancelled)


class _Expansion:
    """One expansion under way."""

    def __init__(
        self,
        seeds: Sequence[str],
        settings: ExpansionSettings,
        provider: Provider,
        similarity: Similarity,
        examples: Sequence[Candidate],
        on_considered: Callable[[Considered], None] | None,
    ) -> None:
        self._seeds, self._settings, self._provider = list(seeds), settings, provider
        self._similarity, self._examples, self._hear = similarity, tuple(examples), on_considered
        self._accepted: list[Considered] = []
        self._considered: list[Considered] = []
        self._filled: Counter[str] = Counter()
        self._limit, self._cap = settings.limit, float(settings.category_cap)
        self._round = 0

    def all(self, cancelled: Callable[[], bool]) -> Expanded:
        stalled = 0
        while len(self._accepted) < self._settings.count and stalled < self._settings.stalled_rounds:
            if cancelled():
                raise Cancelled(f"Stopped with {len(self._accepted)} of {self._settings.count} scenarios.")
            before = len(self._accepted)
            self._play_round()
            stalled = 0 if len(self._accepted) > before else stalled + 1
            if stalled:
                self._limit = min(self._limit + 0.05, max(self._settings.loosest, self._limit))
                self._cap *= 1.2
        return Expanded(
            accepted=tuple(self._accepted),
            considered=tuple(self._considered),
            stalled=len(self._accepted) < self._settings.count,
            unused=tuple(self._seeds),
        )

    def _play_round(self) -> None:
        self._round += 1
        seeds, self._seeds = self._seeds[: self._settings.per_round], self._seeds[self._settings.per_round :]
        for proposal in self._propose(seeds):
            if len(self._accepted) >= self._settings.count:
                # Proposed and paid for, but not needed: its seed is not used up.
                if proposal.seed in seeds:
                    self._seeds.append(proposal.seed)
                continue
            self._enter(self._consider(proposal))

    def _propose(self, seeds: Sequence[str]) -> list[Proposal]:
        recent = [one.candidate.name for one in self._accepted[-self._settings.avoided :]]
        values = {
            "count": str(len(seeds) or self._settings.per_round),
            "seeds": "\n".join(f"- {seed}" for seed in seeds) or "(none left: propose your own)",
            "examples": self._shown_examples(),
            "avoid": ", ".join(recent) or "(none)",
            "categories": ", ".join(self._under_filled()),
        }
        try:
            return self._ask("expansion", values, ProposalsReply).scenarios
        except ReplyUnreadable as error:
            self._enter(self._unreadable("(a whole round)", str(error)))
            return []

    def _consider(self, proposal: Proposal) -> Considered:
        try:
            candidate = Candidate(
                name=proposal.name.strip(),
                category=" ".join(proposal.category.lower().split()),
                description=proposal.description.strip(),
                seed=proposal.seed,
            )
        except ValueError as error:
            return self._unreadable(proposal.name[:100] or "(no name)", str(error)[:500])
        nearest = self._similarity.nearest(candidate.text)
        known = self._accepted[nearest.place].candidate.name if nearest else ""
        considered = Considered(
            candidate=candidate,
            decision="accepted",
            nearest=known,
            similarity=round(nearest.similarity, 4) if nearest else 0.0,
            round=self._round,
        )
        if nearest and nearest.similarity > self._limit:
            return considered.replace(decision="duplicate", reason=f"It is nearly {known}.")
        full = self._filled[candidate.category] >= self._cap
        if nearest and nearest.similarity > self._settings.warning and full:
            return considered.replace(
                decision="category_full", reason=f"It is like {known}, and {candidate.category} has enough."
            )
        return self._classified(considered)

    def _classified(self, considered: Considered) -> Considered:
        """With its suitability; what cannot be classified is not accepted."""
        try:
            reply = self._ask("suitability", {"scenario": considered.candidate.text}, SuitabilityReply)
            suitability = Suitability.model_validate(reply.model_dump(exclude={"remove"}))
        except (ReplyUnreadable, ValueError) as error:
            return considered.replace(
                decision="unreadable", reason=f"It could not be classified: {error}"[:500]
            )
        if suitability.score >= self._settings.least_score:
            return considered.replace(suitability=suitability)
        why = "; ".join(suitability.cannot) or f"its suitability is {suitability.score} of 10"
        return considered.replace(decision="unsuitable", suitability=suitability, reason=why[:500])

    def _enter(self, considered: Considered) -> None:
        if considered.accepted:
            self._accepted.append(considered)
            self._filled[considered.candidate.category] += 1
            self._similarity.add(considered.candidate.text)
        self._considered.append(considered)
        if self._hear is not None:
            self._hear(considered)

    def _unreadable(self, name: str, reason: str) -> Considered:
        candidate = Candidate(name=name, category="(unknown)", description=reason[:500] or "(nothing)")
        return Considered(candidate=candidate, decision="unreadable", reason=reason[:500], round=self._round)

    def _ask(self, prompt: str, values: dict[str, str], wanted: type[Wanted]) -> Wanted:
        request = CompletionRequest(
            messages=(Message(role="user", text=load_prompt(prompt).filled(values)),),
            reply_format=reply_format(wanted),
            # The same round asked again, after a reply that brought nothing, is another question.
            seed=self._round,
            stage=prompt,
        )
        return read_reply(self._provider.complete(request), wanted)

    def _shown_examples(self) -> str:
        """Scenarios of high suitability, as many categories as possible."""
        high = [
            one.candidate for one in self._accepted if one.suitability and one.suitability.level == "high"
        ]
        by_category: dict[str, Candidate] = {}
        for candidate in reversed([*self._examples, *high]):
            by_category.setdefault(candidate.category, candidate)
        shown = list(by_category.values())[: self._settings.examples]
        return "\n\n".join(f"{one.name} ({one.category})\n{one.description}" for one in shown) or "(none yet)"

    def _under_filled(self) -> list[str]:
        """The categories with the fewest scenarios, emptiest first."""
        known = dict.fromkeys((*self._settings.categories, *self._filled))
        return sorted(known, key=lambda category: self._filled[category])[:12]
