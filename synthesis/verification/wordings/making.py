"""Making wordings: the answers of a bank to a task, right and wrong in equal parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from synthesis.documents.tasks import Task
from synthesis.verification.wordings.development import DevelopmentBank
from synthesis.verification.wordings.rendering import in_currency
from synthesis.verification.wordings.wording import PhraseBank, Wording, WordingSubject

FEWEST = 40
"""Wordings per task, where its kind has so many."""


def wordings(
    task: Task,
    *,
    others: Mapping[str, Collection[str]],
    changes: bool = True,
    bank: PhraseBank | None = None,
    count: int = FEWEST,
    currency: str = "",
) -> tuple[Wording, ...]:
    """Answers to a task in its right end state, at most half of `count` right and as many wrong.

    Args:
        task: The task; where it changes something, the changes are taken as made.
        others: By name of a fact: other values of its column.
        changes: Whether its reference solution changes anything.
        bank: Whose words; the development bank's by default.
        count: How many at most.
        currency: In which amounts are told, by its code, where the task's texts have one.
    """
    subject = WordingSubject(task, others, changes)
    words = bank or DevelopmentBank()
    half = count // 2
    right, wrong = _different(words.right(subject)), _different(words.wrong(subject))
    chosen = (*_spread(right, half), *_spread(wrong, half))
    return tuple(each.replace(text=in_currency(each.text, currency)) for each in chosen)


def _different(wordings: Iterable[Wording]) -> list[Wording]:
    """Wordings with each text once."""
    return list({wording.text: wording for wording in wordings}.values())


def _spread(wordings: list[Wording], count: int) -> Iterable[Wording]:
    """Some of the wordings, from each kind in turn."""
    by_kind: dict[str, list[Wording]] = {}
    for wording in wordings:
        by_kind.setdefault(wording.kind, []).append(wording)
    longest = max((len(each) for each in by_kind.values()), default=0)
    in_turn = (each[turn] for turn in range(longest) for each in by_kind.values() if turn < len(each))
    return islice(in_turn, count)
