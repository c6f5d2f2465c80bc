"""Whatever a worker answers is a value of the known form or a protocol error, never another exception."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.errors import ProtocolViolated
from synthesis.worlds import answers
from synthesis.worlds.answer_limits import LONGEST_DESCRIPTION, answer_limit
from synthesis.worlds.job import JobFailed, failure
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.printable import printable

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["status", "value", "message", "changes", "key", "table", "name", "kind", "part"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
READERS: list[Callable[[Any], object]] = [
    lambda value: answers.read_result(value, 0.0),
    lambda value: answers.read_results(value, 3),
    answers.read_changes,
    answers.read_outcomes,
    answers.read_rows,
    answers.read_tables,
    answers.read_hash,
    answers.read_findings,
    answers.read_tools,
    answers.read_pairs,
    lambda value: answers.read_number(value, 10),
]


@pytest.mark.parametrize("read", READERS)
@given(value=ANYTHING)
def test_every_reader_takes_anything(read: Callable[[Any], object], value: Any) -> None:
    try:
        read(value)
    except ProtocolViolated as error:
        assert "in an unknown form" in str(error)  # noqa: PT017 - most values are none


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = printable(text)
    assert not any((ord(c) < 0x20 and c not in "\t\n") or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert printable(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text


def test_a_message_is_escaped_and_cut() -> None:
    message = "\x1b]0;owned\x07" + "x" * 100_000
    result = answers.read_result({"status": "refused", "message": message}, 0.0)
    assert result.message.startswith("\\x1b]0;owned\\x07xxx")
    assert len(result.message) < 5_000
    failed = failure({"ok": False, "kind": "other", "message": message})
    assert isinstance(failed, JobFailed)
    assert "\x1b" not in str(failed)
    assert len(str(failed)) < 5_000


def test_findings_and_tools_are_escaped_and_bounded() -> None:
    problem = {"part": "tools", "check": "c", "message": "\x1b[2J", "where": "\x9b31m"}
    (finding,) = answers.read_findings([problem])
    assert (finding.message, finding.where) == ("\\x1b[2J", "\\x9b31m")
    tool = {
        "name": "act",
        "description": "\x1b[2J",
        "inputSchema": {},
        "outputSchema": {},
        "mutates_state": False,
    }
    (read,) = answers.read_tools([tool])
    assert read.description == "\\x1b[2J"
    for changed in (
        {"description": "x" * (LONGEST_DESCRIPTION + 1)},
        {"description": 7},
        {"name": "\x1b"},
        {"name": None},
    ):
        with pytest.raises(ProtocolViolated):
            answers.read_tools([{**tool, **changed}])
    with pytest.raises(ProtocolViolated):
        answers.read_tools([tool] * 3_000)


def test_a_call_may_answer_what_the_limits_say_and_no_more() -> None:
    limits = Limits()
    most = answer_limit("call", limits)
    largest = limits.max_output_bytes + limits.max_change_bytes
    assert largest < most.body < largest + 100_000
    assert most.blob == 0
    nothing = answer_limit("no such operation", limits)
    assert len(json.dumps({"message": "\x00" * 4_000})) < nothing.body < 100_000
    assert answer_limit("snapshot", limits).blob > limits.max_database_mib * 2**20


@pytest.mark.parametrize("value", [0, 1, 10])
def test_a_number_within_its_bounds_is_read(value: int) -> None:
    assert answers.read_number(value, 10) == value


@pytest.mark.parametrize("value", [-1, 11, True, 1.0, "1", None])
def test_a_number_out_of_its_bounds_or_none_is_refused(value: object) -> None:
    with pytest.raises(ProtocolViolated):
        answers.read_number(value, 10)


def test_a_batch_has_no_more_results_than_calls() -> None:
    assert answers.read_results([1, 2, 3], 3) == [1, 2, 3]
    assert answers.read_results([], 3) == []
    with pytest.raises(ProtocolViolated):
        answers.read_results([1, 2, 3, 4], 3)
