import pytest

from synthesis.errors import InvalidInput
from synthesis.judging.code_judge import CodeJudge
from synthesis.judging.reliability import (
    PUBLISHED,
    confusion,
    disagreements,
    fleiss_kappa,
    flip_rate,
    judge_repeatedly,
    labels_of,
    pairwise_agreement,
    reliability,
)
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out

# Fleiss (1971) as worked through in textbooks: 10 subjects, 14 raters, 5 categories, kappa 0.210.
TABLE = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip


def ratings(table):
    return [[str(label) for label, count in enumerate(row) for _ in range(count)] for row in table]


def test_fleiss_kappa_is_the_textbooks():
    assert fleiss_kappa(ratings(TABLE)) == pytest.approx(0.2099, abs=1e-4)


def test_agreement_and_flips_are_counted():
    rated = [["a", "a", "a"], ["a", "b", "a"], ["b", "b", "b"], ["a", "b", "c"]]
    assert pairwise_agreement(rated) == pytest.approx((3 + 1 + 3 + 0) / 12)
    assert flip_rate(rated) == 0.5


def test_perfect_agreement_is_one_also_where_there_is_one_label():
    assert fleiss_kappa([["a", "a"], ["b", "b"]]) == 1.0
    assert fleiss_kappa([["a", "a"], ["a", "a"]]) == 1.0


def test_intervals_hold_their_figures_and_are_reproducible():
    result = reliability(ratings(TABLE))
    assert result == reliability(ratings(TABLE))
    for interval in (result.pairwise_agreement, result.flip_rate, result.fleiss_kappa):
        assert interval.low <= interval.value <= interval.high
    assert result.fleiss_kappa.low < result.fleiss_kappa.high
    assert (result.subjects, result.ratings) == (10, 140)


def test_one_rating_is_no_measure_of_agreement():
    with pytest.raises(InvalidInput, match="at least two ratings"):
        reliability([["a"]])
    with pytest.raises(InvalidInput):
        reliability([])


def test_confusion_needs_the_same_subjects():
    assert confusion(["a", "b", "a"], ["a", "a", "a"]) == {("a", "a"): 2, ("b", "a"): 1}
    with pytest.raises(InvalidInput, match="3 labels"):
        confusion(["a", "b", "a"], ["a"])


def test_a_judge_is_asked_again_and_again(clinic_world, clinic):
    trajectories = [
        roll_out(clinic_world, "read_total_owed", make_agent(name)) for name in ("reference", "no-op")
    ]
    judgements = judge_repeatedly(CodeJudge(), clinic, trajectories, times=3)
    assert labels_of(judgements) == [["completed"] * 3, ["agent_error"] * 3]
    result = reliability(labels_of(judgements))
    assert result.fleiss_kappa.value == 1.0
    assert result.flip_rate.value == 0.0 < PUBLISHED["flip_rate"]
    assert disagreements(judgements[0], judgements[1]) == [0, 1, 2]
    with pytest.raises(InvalidInput, match="at least 2"):
        judge_repeatedly(CodeJudge(), clinic, trajectories, times=1)
