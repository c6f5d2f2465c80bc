"""Persona: who a simulated user is; a population is a seeded mixture of them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Literal, Self, TypeVar

from pydantic import Field, model_validator

from synthesis.documents.document import Document

AgeGroup = Literal["young", "middle-aged", "elderly"]
Patience = Literal["patient", "ordinary", "impatient"]
Mood = Literal["friendly", "neutral", "annoyed"]
Trait = TypeVar("Trait", bound=str)


class Persona(Document):
    """One simulated user."""

    age: AgeGroup = "middle-aged"
    patience: Patience = "ordinary"
    mood: Mood = "neutral"

    @property
    def name(self) -> str:
        """For records: "elderly, impatient, annoyed"."""
        return f"{self.age}, {self.patience}, {self.mood}"


class Population(Document):
    """Shares of the traits; every trait is drawn by itself. Shares are weights and need not add up to 1.

    Seeded populations are AgentScope's idea (arXiv 2407.17789), personas in a user simulator VitaBench's
    (arXiv 2509.26490).
    """

    age: Mapping[AgeGroup, float] = Field(default={"young": 0.3, "middle-aged": 0.5, "elderly": 0.2})
    patience: Mapping[Patience, float] = Field(default={"patient": 0.3, "ordinary": 0.5, "impatient": 0.2})
    mood: Mapping[Mood, float] = Field(default={"friendly": 0.4, "neutral": 0.4, "annoyed": 0.2})

    @model_validator(mode="after")
    def _shares_are_weights(self) -> Self:
        for trait in ("age", "patience", "mood"):
            shares = getattr(self, trait)
            if any(not 0 <= share < float("inf") for share in shares.values()) or not sum(shares.values()):
                raise ValueError(f"shares of {trait} must be 0 or more, and one of them above 0")
        return self

    def persona(self, seed: int) -> Persona:
        """The member of that seed; the same seed, the same person."""
        drawn = random.Random(f"persona {seed}")  # noqa: S311 - a reproducible choice
        return Persona(
            age=_drawn(drawn, self.age),
            patience=_drawn(drawn, self.patience),
            mood=_drawn(drawn, self.mood),
        )


def _drawn(generator: random.Random, shares: Mapping[Trait, float]) -> Trait:
    names = sorted(shares)
    return generator.choices(names, [shares[name] for name in names])[0]
