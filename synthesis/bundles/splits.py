"""Splits: which environments are trained on and which are held out; an environment is wholly in one split.

A score on tasks of an environment whose other tasks were trained on measures memory. What decides is the
environment's fingerprint and a seed alone, so an environment stays where it is while others come and go.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Literal, get_args

from synthesis.documents.document import Document
from synthesis.errors import InvalidInput

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
"""From trained on to held out."""


class SplitSettings(Document):
    """How environments are dealt out."""

    train: float = 90.0
    """Share in percent; the three make 100."""
    validation: float = 5.0
    test: float = 5.0
    seed: int = 0
    own: bool = True
    """Whether the split that tasks name themselves goes before the shares."""

    def shares(self) -> dict[Split, float]:
        """The shares in percent.

        Raises:
            InvalidInput: One is negative, or they do not make 100.
        """
        shares: dict[Split, float] = {"train": self.train, "validation": self.validation, "test": self.test}
        total = sum(shares.values())
        if not all(0 <= share <= 100 for share in shares.values()) or abs(total - 100) > 1e-6:
            message = " + ".join(f"{share:g}" for share in shares.values())
            raise InvalidInput(f"The shares of the splits must add up to 100 percent, not {message}.")
        return shares


class Assignment(Document):
    """Where one environment went."""

    split: Split
    by: Literal["tasks", "share"]
    """Whether its tasks said so or the shares did."""
    moved: dict[Split, int]
    """Tasks that name another split, counted by the one they name."""


def assign(
    fingerprint: str, own: Mapping[str, Split | None], settings: SplitSettings | None = None
) -> Assignment:
    """The split of one environment.

    Where its tasks name different splits, the most held out of them takes the whole environment: what was
    meant to be measured is never trained on.

    Args:
        fingerprint: Of the environment, the same for all its revisions.
        own: Task id to the split that the task names.
        settings: Shares and seed.

    Raises:
        InvalidInput: The shares do not make 100 percent.
    """
    settings = settings or SplitSettings()
    shares = settings.shares()
    named = Counter(split for split in own.values() if split is not None)
    split = max(named, key=SPLITS.index) if named and settings.own else _drawn(fingerprint, shares, settings)
    return Assignment(
        split=split,
        by="tasks" if named and settings.own else "share",
        moved={other: named[other] for other in SPLITS if named[other] and other != split},
    )


def _drawn(fingerprint: str, shares: Mapping[Split, float], settings: SplitSettings) -> Split:
    drawn = int(hashlib.sha256(f"{settings.seed}:{fingerprint}".encode()).hexdigest()[:13], 16) / 16**13
    bound = 0.0
    for split, share in shares.items():
        bound += share / 100
        if drawn < bound and share:
            return split
    return next(split for split in reversed(SPLITS) if shares[split])
