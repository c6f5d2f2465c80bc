"""Claims about reference solutions, on runs that are written down instead of played."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.documents.verdict import CheckOutcome
from synthesis.verification.answers import HONEST
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.solutions import (
    reference_solutions_complete_their_tasks,
    reference_solutions_run,
    tasks_change_what_they_say,
    writes_by_name,
)
from synthesis.verification.measurements import Measured
from synthesis.verification.reference_run import ReferenceRun

DONE = Measured((CheckOutcome(name="done", passed=True),))
OPEN = Measured((CheckOutcome(name="done", passed=False),))
REFUSED = ToolResult(status="refused", message="no")
CRASHED = ToolResult(status="error", message="bug")
READ = ToolResult(status="ok", value=1)


def wrote(table: str = "visits", key: int = 7) -> ToolResult:
    """The result of a call that inserted one row."""
    change = RowChange(table=table, key=key, kind="inserted", after={"visit_id": key})
    return ToolResult(status="ok", changes=StateDiff(changes=(change,)))


def task(task_id: str, *calls: ToolCall, kind: str = "write", **fields: Any) -> Task:
    return Task(
        id=task_id,
        kind=kind,
        difficulty="easy",
        min_calls=1,
        instruction="Do it, please, and say so.",
        reference_solution=calls,
        reference_answer="Done.",
        **fields,
    )


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


class Proof:
    """As much of a `ProofContext` as these claims ask for.

    Args:
        runs: Each task, the results of its calls, and what its verifier says afterwards.
        writers: Names of the tools that say that they write.
        start: What every verifier says of the untouched world.
    """

    def __init__(
        self, *runs: tuple[Task, list[ToolResult], Measured], writers: tuple[str, ...], start: Measured = OPEN
    ) -> None:
        self.tasks = [each for each, _, _ in runs]
        names = {call.name for each in self.tasks for call in each.reference_solution}
        tools = [
            Tool(name=name, description="", input_schema={}, mutates_state=name in writers)
            for name in sorted(names)
        ]
        self.world = SimpleNamespace(tools=tools, base="untouched")
        self.measurements = SimpleNamespace(take=list)
        self._runs = {each.id: (results, measured) for each, results, measured in runs}
        self._start = start
        self.forbidden_to_verifiers: dict[str, str] = {}

    def reference(self, of: Task) -> ReferenceRun:
        results, _ = self._runs[of.id]
        changes = StateDiff(changes=tuple(one for result in results for one in result.changes.changes))
        nothing = cast("Any", None)
        return ReferenceRun(of, tuple(results), nothing, nothing, changes, (), frozenset(), {}, None)

    def measured(self, of: Task, after: object, answer: str) -> Measured:
        assert answer == ("" if after == "untouched" else of.reference_answer)
        return self._start if after == "untouched" else self._runs[of.id][1]


def tried(claim: Any, proof: Proof) -> ClaimOutcome:
    outcome = ClaimOutcome("claim")
    claim(proof, outcome)
    return outcome


def blamed(outcome: ClaimOutcome) -> list[tuple[str, str]]:
    return [(finding.part, finding.where) for finding in outcome.findings]


BOOK, LIST = call("book_visit"), call("list_visits")


@pytest.mark.parametrize(
    ("kind", "results", "expected"),
    [
        ("write", [READ, wrote()], []),
        ("write", [READ, READ], [("tools", "book_visit")]),
        ("write", [READ, REFUSED], []),
        ("read", [READ, READ], []),
        ("read", [READ, wrote()], [("tasks", "one")]),
        ("refuse", [wrote(), READ], [("tools", "list_visits")]),
        ("mixed", [READ, READ], []),
    ],
)
def test_a_task_changes_what_its_kind_says(kind, results, expected):
    proof = Proof((task("one", LIST, BOOK, kind=kind), results, DONE), writers=("book_visit",))
    outcome = tried(tasks_change_what_they_say, proof)
    assert blamed(outcome) == expected
    assert outcome.figures == {"tasks": 1, "changed_rows": sum(len(each.changes) for each in results)}


def test_a_write_task_of_reading_calls_alone_is_the_task_at_fault():
    proof = Proof((task("one", LIST, call("check_if_open")), [READ, READ], DONE), writers=())
    assert blamed(tried(tasks_change_what_they_say, proof)) == [("tasks", "one")]


@pytest.mark.parametrize(
    ("others", "start", "expected"),
    [
        ([(REFUSED, OPEN), (wrote(), DONE)], OPEN, ("tasks", "one")),
        ([(REFUSED, OPEN)], DONE, ("seed_data", "one")),
        (
            [(REFUSED, OPEN)],
            Measured((CheckOutcome(name="kept", passed=True, guard=True),)),
            ("tasks", "one"),
        ),
    ],
)
def test_a_refused_call_is_the_tools_fault_only_where_no_task_with_it_is_completed(others, start, expected):
    runs = [(task(f"other_{at}", BOOK), [result], said) for at, (result, said) in enumerate(others)]
    proof = Proof((task("one", BOOK), [REFUSED], OPEN), *runs, writers=("book_visit",), start=start)
    assert blamed(tried(reference_solutions_run, proof))[0] == expected


def test_a_tool_that_every_task_with_it_fails_with_is_at_fault_where_others_are_completed():
    failing = [(task(name, BOOK), [REFUSED], OPEN) for name in ("one", "two")]
    fine = (task("three", call("add_note")), [wrote()], DONE)
    proof = Proof(*failing, fine, writers=("book_visit", "add_note"))
    outcome = tried(reference_solutions_run, proof)
    assert blamed(outcome) == [("tools", "book_visit")] * 2
    assert outcome.figures == {"tasks": 3, "calls": 3}
    alone = Proof(*failing, writers=("book_visit",))
    assert blamed(tried(reference_solutions_run, alone)) == [("tasks", "one"), ("tasks", "two")]
    single = Proof(failing[0], fine, writers=("book_visit", "add_note"))
    assert blamed(tried(reference_solutions_run, single)) == [("tasks", "one")]


def test_of_several_tools_that_no_task_is_completed_with_the_first_called_is_at_fault():
    failing = [
        (task(name, BOOK, call("move_visit"), call("bill_visit")), [wrote(), wrote(), REFUSED], OPEN)
        for name in ("one", "two")
    ]
    fine = (task("three", call("add_note")), [wrote()], DONE)
    proof = Proof(*failing, fine, writers=("book_visit", "move_visit", "bill_visit", "add_note"))
    assert blamed(tried(reference_solutions_run, proof)) == [("tools", "book_visit")] * 2


def test_the_first_call_that_fails_is_told_with_its_number():
    proof = Proof((task("one", LIST, BOOK, BOOK), [READ, CRASHED, REFUSED], OPEN), writers=("book_visit",))
    (finding,) = tried(reference_solutions_run, proof).findings
    assert (finding.part, finding.where) == ("tools", "book_visit")
    assert "call 2 of the reference solution, book_visit, ended with error: bug" in finding.message
    assert finding.evidence["number"] == 2


@pytest.mark.parametrize(
    ("calls", "results", "measured", "expected"),
    [
        ([BOOK], [wrote()], DONE, []),
        ([BOOK], [REFUSED], OPEN, []),
        ([BOOK], [wrote()], Measured(error="it hangs"), [("verifiers", "one")]),
        ([BOOK], [READ], OPEN, [("tools", "book_visit")]),
        ([BOOK], [wrote()], OPEN, [("verifiers", "one")]),
        ([call("book_visit", visit_id=7)], [wrote()], OPEN, [("verifiers", "one")]),
        ([call("book_visit", visit_id=8)], [wrote()], OPEN, [("tools", "book_visit")]),
        ([call("book_visit", visit_id=True)], [wrote()], OPEN, [("verifiers", "one")]),
        ([call("book_visit", hour=8)], [wrote()], OPEN, [("verifiers", "one")]),
    ],
)
def test_a_clean_run_that_is_not_completed_blames_the_part_at_fault(calls, results, measured, expected):
    proof = Proof((task("one", *calls), results, measured), writers=("book_visit",))
    outcome = tried(reference_solutions_complete_their_tasks, proof)
    assert blamed(outcome) == expected
    assert outcome.figures == {"tasks": 1, "completed": int(measured is DONE)}


def test_an_answer_without_its_facts_is_the_tasks_fault_unless_a_check_fails_too():
    fact = CheckOutcome(name="the answer says: total", passed=False)
    alone = Proof((task("one", BOOK), [wrote()], Measured((fact,))), writers=("book_visit",))
    assert blamed(tried(reference_solutions_complete_their_tasks, alone)) == [("tasks", "one")]
    both = Measured((fact, *OPEN.outcomes))
    more = Proof((task("one", BOOK), [wrote()], both), writers=("book_visit",))
    assert blamed(tried(reference_solutions_complete_their_tasks, more)) == [("verifiers", "one")]


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("cancel_visit", True),
        ("cancel", True),
        ("cancel_all_visits", True),
        ("refund_list", False),
        ("refund_visit_list", False),
        ("list_refunds", False),
        ("book_visit", False),
    ],
)
def test_names_that_promise_to_write(name, writes):
    assert writes_by_name(name) is writes


def test_a_reference_answer_that_is_read_as_untrue_is_named():
    untrue = CheckOutcome(
        name=HONEST, passed=False, guard=True, detail={"problem": "it says that something is open"}
    )
    read = Measured((*DONE.outcomes, untrue))
    proof = Proof((task("one", BOOK), [wrote()], read), writers=("book_visit",))
    outcome = tried(reference_solutions_complete_their_tasks, proof)
    assert blamed(outcome) == [("tasks", "one")]
    assert "the reference answer is not true: it says that something is open." in outcome.findings[0].message
    assert outcome.figures == {"tasks": 1, "completed": 0}
