"""Claims about verifiers, on outcomes that are written down instead of measured."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from synthesis.documents.tasks import Task
from synthesis.documents.verdict import CheckOutcome
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.verifiers import verifiers_look_at_the_world
from synthesis.verification.measurements import EndState, Measured

TASK = Task(
    id="one",
    kind="write",
    difficulty="easy",
    min_calls=1,
    instruction="Do it, please, and say so.",
    reference_solution=(),
    reference_answer="Done.",
)
READS_STATE = "def verify(before, after, changes, answer):\n    yield check('a', bool(changes))\n"
READS_ANSWER = "def verify(before, after, changes, answer):\n    yield check('a', bool(answer))\n"
CONSTANT = "def verify(before, after, changes, answer):\n    yield check('a', True)\n"


def outcome(*, passed: bool) -> Measured:
    return Measured((CheckOutcome(name="a", passed=passed),))


def problems(source: str | None, passes: Any, *, changes: bool = True) -> list[str]:
    """What is found about a verifier of which (state, answer) pairs pass as `passes` says."""

    def of(end: EndState) -> Measured:
        return outcome(passed=passes(end.state, end.answer))

    verifier = None if source is None else SimpleNamespace(source=source)
    context: Any = SimpleNamespace(
        tasks=(TASK,),
        environment=SimpleNamespace(
            verifier=lambda _: verifier, verifiers=SimpleNamespace(verifiers=[verifier])
        ),
        reference=lambda _: SimpleNamespace(before="before", after="after", changes=changes),
        measurements=SimpleNamespace(take=list, of=of),
        measured=lambda task, state, answer: of(EndState(task, state, answer)),
    )
    claim = ClaimOutcome("claim")
    verifiers_look_at_the_world(context, claim)
    assert claim.figures == {"verifiers": 1}
    assert {(finding.part, finding.where) for finding in claim.findings} <= {("verifiers", "one")}
    return [finding.message.removeprefix("The verifier of one ") for finding in claim.findings]


@pytest.mark.parametrize(
    ("source", "passes", "found"),
    [
        (READS_STATE, lambda state, _: state == "after", []),
        (READS_STATE, lambda *_: True, ["gives the same result for every state and every answer."]),
        (
            READS_STATE,
            lambda _, answer: answer == "Done.",
            ["gives the same result whether the task was done or not."],
        ),
        (READS_STATE, lambda state, answer: state == "after" and not answer, []),
        (CONSTANT, lambda *_: True, ["never looks at the database."]),
        (READS_ANSWER, lambda *_: True, ["never looks at the database: it only reads the answer."]),
        ("def other():\n    pass\n", lambda *_: True, ["defines no verify."]),
        (None, lambda *_: True, []),
    ],
)
def test_a_verifier_that_does_not_look_at_the_world_is_found(
    source: str | None, passes: Any, found: list[str]
) -> None:
    assert problems(source, passes) == found


def test_a_verifier_that_does_not_compile_is_found() -> None:
    (message,) = problems("def verify(:", lambda *_: True)
    assert message.startswith("does not compile: ")


def test_a_task_that_changes_nothing_may_be_judged_by_its_answer_alone() -> None:
    assert problems(READS_STATE, lambda _, answer: answer == "Done.", changes=False) == []


@pytest.mark.parametrize("name", ["apply", "zebra"])
def test_only_the_function_named_verify_is_looked_at(name: str) -> None:
    reads = f"def {name}(before):\n    return before\n\n\n"
    assert problems(reads + CONSTANT, lambda *_: True) == ["never looks at the database."]
    assert problems(reads.replace("before", "row") + READS_STATE, lambda state, _: state == "after") == []
    assert problems(reads, lambda *_: True) == ["defines no verify."]
