"""Whatever a worker answers is a value of the known form or a protocol error, never another exception."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.documents.tools import ToolResult
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


@pytest.mark.parametrize(("count", "alone"), [(1, False), (200, False), (201, True), (2_000, True)])
def test_many_changes_are_read_one_answer_at_a_time(
    monkeypatch: pytest.MonkeyPatch, count: int, alone: bool
) -> None:
    change = {"table": "t", "kind": "inserted", "key": [1], "before": None, "after": {"id": 1}}
    taken = []

    class Lock:
        def __enter__(self) -> None:
            taken.append(True)

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(answers, "LARGE_ANSWERS", [Lock()])
    answers.read_changes([change] * count)
    assert bool(taken) is alone


@pytest.mark.parametrize("value", ["a" * 63, "a" * 65, "a" * 63 + "/", "", None, ["a"] * 64])
def test_a_hash_has_its_length_and_nothing_but_letters_and_digits(value: object) -> None:
    assert answers.read_hash("0a" * 32) == "0a" * 32
    with pytest.raises(ProtocolViolated, match="a hash"):
        answers.read_hash(value)


@pytest.mark.parametrize("changes", [None, [], ()])
def test_nothing_changed_is_an_empty_difference(changes: Any) -> None:
    assert not answers.read_changes(changes).changes


def test_rows_and_tables_are_read_as_they_are() -> None:
    rows = [{"id": 1}, {"id": 2}]
    assert answers.read_rows(rows) == rows
    assert answers.read_tables({"loans": rows, "items": []}) == {"loans": rows, "items": []}
    for value in (rows[0], [1], [*rows, None], None):
        with pytest.raises(ProtocolViolated, match="rows"):
            answers.read_rows(value)
        with pytest.raises(ProtocolViolated, match="rows"):
            answers.read_tables({"loans": value})
    with pytest.raises(ProtocolViolated, match="rows"):
        answers.read_tables([rows])


@pytest.mark.parametrize("passed", [1, "true", None])
def test_a_check_passed_by_true_and_nothing_else(passed: object) -> None:
    (outcome,) = answers.read_outcomes([{"name": "a", "passed": True}])
    assert outcome.passed is True
    with pytest.raises(ProtocolViolated, match="verifier's process"):
        answers.read_outcomes([{"name": "a", "passed": passed}])


def test_an_answer_lists_two_thousand_things_and_no_more() -> None:
    assert len(answers.read_pairs([["a", "\x1b"]] * 2_000)) == 2_000
    assert answers.read_pairs([["a", "\x1b"]]) == (("a", "\\x1b"),)
    with pytest.raises(ProtocolViolated, match="names"):
        answers.read_pairs([["a", "b"]] * 2_001)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "ok", "value": nested(400)},
        {"status": "ok", "value": {"a": nested(400)}},
        {"status": "fine", "value": 1},
        {"status": ["ok"], "value": 1},
        {"status": "ok", "value": 1, "more": 1},
        {"status": "ok", "value": 1, "seconds": 1},
        {"status": "refused", "message": ["no"]},
        {"status": "error", "broken_invariant": 1},
        {"value": 1},
    ],
)
def test_what_is_no_result_is_none(answer: dict[str, Any]) -> None:
    with pytest.raises(ProtocolViolated):
        answers.read_result(answer, 0.0)


def test_a_result_is_as_if_it_had_been_validated() -> None:
    value = {"rows": [{"a": None, "b": 1.5, "c": [True, "x", 2**60]}], "n": 0}
    result = answers.read_result({"status": "ok", "value": value, "changes": []}, 0.25)
    assert result == ToolResult.model_validate({"status": "ok", "value": value, "seconds": 0.25})
    assert ToolResult.model_validate_json(result.model_dump_json()).value == value
