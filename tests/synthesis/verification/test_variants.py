"""Variants of a near-miss are worked out only as far as they are asked for."""

from itertools import islice

from synthesis.verification.near_misses import Variants


def counted(count):
    made = []

    def each():
        for number in range(count):
            made.append(number)
            yield (number,)

    return Variants(each()), made


def test_no_more_is_worked_out_than_is_asked_for():
    variants, made = counted(5)
    assert variants[0] == (0,)
    assert list(islice(variants, 2)) == [(0,), (1,)]
    assert bool(variants)
    assert made == [0, 1]


def test_all_of_them_are_there_as_often_as_they_are_asked_for():
    variants, made = counted(3)
    assert list(variants) == list(variants) == [(0,), (1,), (2,)]
    assert len(variants) == 3
    assert variants[-1] == (2,)
    assert variants[1:] == [(1,), (2,)]
    assert made == [0, 1, 2]
    assert not Variants(iter(()))
