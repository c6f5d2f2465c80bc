# ruff: noqa: E501 - tables of cases read better in one line
"""Results are JSON, and a complaint says where they are not."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, namedtuple
from datetime import date
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.worlds.worker.results import Unfit, _as_list, _is_plain, _unfit_reason, encode

Point = namedtuple("Point", "x y")  # noqa: PYI024 - what generated code may well use
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_json_comes_through_unchanged(value: Any) -> None:
    assert json.loads(encode(value, max_bytes=10**6, max_depth=64, max_brackets=1_000)) == value


@pytest.mark.parametrize("value", [Counter("aab"), OrderedDict(a=1), (1, 2), Point(1, 2)], ids=repr)
def test_common_containers_are_json_too(value: Any) -> None:
    assert encode(value, max_bytes=1_000, max_depth=8, max_brackets=1_000)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": [{"b": float("nan")}]}, "it contains nan, which is not a number in JSON at .a[0].b"),
        ([None, float("-inf")], "it contains -inf, which is not a number in JSON at [1]"),
        ({"a": {1}}, "it contains a set, which is not JSON at .a"),
        ({"a": date(2026, 3, 11)}, "it contains a date, which is not JSON at .a"),
        ({(1, 2): 1}, "it has a key that is not text: (1, 2)"),
        ({"a": 2**64}, "it contains an integer beyond 64 bits at .a"),
        (["\udc00"], "it contains a lone surrogate, which is not text at [0]"),
        (object(), "it contains a object, which is not JSON"),
        ("x" * 2_000, "it takes 2,002 bytes as JSON; at most 1,000 are allowed"),
    ],
)
def test_what_json_cannot_say_is_named_with_its_place(value: Any, says: str) -> None:
    with pytest.raises(Unfit) as raised:
        encode(value, max_bytes=1_000, max_depth=8, max_brackets=1_000)
    assert str(raised.value) == says


def test_depth_is_counted_exactly() -> None:
    def nested(depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = [value]
        return value

    assert encode(nested(8), max_bytes=1_000, max_depth=8, max_brackets=1_000)
    with pytest.raises(Unfit, match="deeper than 8 levels"):
        encode(nested(9), max_bytes=1_000, max_depth=8, max_brackets=1_000)
    with pytest.raises(Unfit, match="deeper"):
        encode(nested(100_000), max_bytes=1_000, max_depth=8, max_brackets=1_000)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64) | st.floats() | st.text(max_size=3) | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner) | st.builds(Point, inner, inner)
    | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(ANYTHING, st.integers(0, 4))
def test_the_quick_look_finds_nothing_plain_that_the_long_one_complains_of(value: Any, depth: int) -> None:
    try:
        orjson.dumps(value, _as_list)
    except (TypeError, RecursionError):
        return
    assert not (_is_plain(value, depth) and _unfit_reason(value, depth))
