"""Agreement: how far reviewers agree, as percent and as Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from studio.models import Review, ReviewDecision

Value = float | str


@dataclass(frozen=True)
class Agreement:
    """How far several people agree on the same items.

    Attributes:
        items: Items that at least two people judged.
        percent: Share of pairs of judgements on one item that are equal, 0-100; None without a pair.
        alpha: Krippendorff's alpha; 1 is perfect, 0 is chance; None without a pair or with one value only.
    """

    items: int
    percent: float | None
    alpha: float | None


def nominal(a: Value, b: Value) -> float:
    """Distance of two names: equal or not."""
    return 0.0 if a == b else 1.0


def interval(a: Value, b: Value) -> float:
    """Distance of two numbers: squared difference."""
    return (float(a) - float(b)) ** 2


def agreement(
    items: Iterable[Sequence[Value]], *, distance: Callable[[Value, Value], float] = nominal
) -> Agreement:
    """Agreement over items, each with the judgements it got from different people.

    Args:
        items: Per item the values; items with fewer than two count for nothing.
        distance: How far two values are apart: `nominal` or `interval`.
    """
    judged = [list(values) for values in items if len(values) > 1]
    if not judged:
        return Agreement(0, None, None)
    pairs = [pair for values in judged for pair in combinations(values, 2)]
    equal = sum(a == b for a, b in pairs)
    return Agreement(len(judged), 100 * equal / len(pairs), _alpha(judged, distance))


def _alpha(judged: list[list[Value]], distance: Callable[[Value, Value], float]) -> float | None:
    """1 - observed / expected disagreement (Krippendorff 2011), over the coincidences of values."""
    coincidences: Counter[tuple[Value, Value]] = Counter()
    for values in judged:
        weight = 1 / (len(values) - 1)
        for a, b in combinations(values, 2):
            coincidences[a, b] += weight  # type: ignore[assignment]
            coincidences[b, a] += weight  # type: ignore[assignment]
    totals: dict[Value, float] = defaultdict(float)
    for (a, _), weight in coincidences.items():
        totals[a] += weight
    count = sum(totals.values())
    observed = sum(weight * distance(a, b) for (a, b), weight in coincidences.items()) / count
    expected = sum(totals[a] * totals[b] * distance(a, b) for a in totals for b in totals if a != b) / (
        count * (count - 1)
    )
    return None if expected == 0 else 1 - observed / expected


def of_decisions(reviews: Iterable[Review]) -> Agreement:
    """Agreement of submitted decisions, item by item; adjudications are no judgement of their own."""
    items: dict[int, list[Value]] = defaultdict(list)
    for review in reviews:
        if not review.is_adjudication and review.decision in ReviewDecision.values:
            items[review.revision_id].append(review.decision)
    return agreement(items.values())


def of_scores(reviews: Iterable[Review]) -> Mapping[str, Agreement]:
    """Agreement of the rubric's scores by criterion, with distances between numbers."""
    items: dict[str, dict[int, list[Value]]] = defaultdict(lambda: defaultdict(list))
    for review in reviews:
        for criterion, score in review.scores.items():
            items[criterion][review.revision_id].append(float(score))
    return {name: agreement(by_item.values(), distance=interval) for name, by_item in items.items()}
