"""Claims about verifiers, on outcomes that are written down instead of measured."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact, Task
from synthesis.documents.verdict import CheckOutcome
from synthesis.verification.answers import HONEST
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.end_states import refused
from synthesis.verification.claims.verifiers import (
    equivalent_solutions_are_accepted,
    idle_agents_complete_nothing,
    right_words_alone_complete_nothing,
    verifiers_look_at_the_world,
    wrong_answers_are_refused,
)
from synthesis.verification.equivalents import Equivalent
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
        forbidden_to_verifiers={},
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
        (READS_STATE, lambda state, _: state == "before", []),
        (READS_STATE, lambda state, answer: state == "before" and answer == "Done.", []),
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


def tried(
    claim: Any, says: Any, *, task: Task = TASK, source: str | None = READS_STATE, **more: Any
) -> ClaimOutcome:
    """A claim about one task, whose verifier `says` something of each (state, answer) pair."""
    context: Any = SimpleNamespace(
        tasks=(task,),
        sound_tasks=(task,),
        world=SimpleNamespace(base="before"),
        environment=SimpleNamespace(verifier=lambda _: source and SimpleNamespace(source=source)),
        reference=lambda _: SimpleNamespace(
            before="before", after="after", changes=more.get("changes", True)
        ),
        measurements=SimpleNamespace(take=list, of=lambda end: says(end.state, end.answer)),
        measured=lambda _, state, answer: says(state, answer),
        equivalents=lambda _: more.get("equivalents", ()),
    )
    outcome = ClaimOutcome("claim")
    claim(context, outcome)
    return outcome


def checked(**passed: bool) -> Measured:
    """What a verifier says by check; those whose name begins with "guard" are guards."""
    return Measured(
        tuple(
            CheckOutcome(name=name, passed=holds, guard=name.startswith("guard"))
            for name, holds in passed.items()
        )
    )


@pytest.mark.parametrize(
    ("at_the_start", "source", "held", "blamed"),
    [
        (checked(a=False, b=False), READS_STATE, 0, []),
        (checked(a=True, b=False), READS_STATE, 1, []),
        (checked(a=True, b=True), READS_STATE, 2, ["seed_data"]),
        (checked(a=True, b=True), CONSTANT, 2, ["verifiers"]),
        (checked(a=True, b=True), None, 2, ["verifiers"]),
        (checked(a=True, guard=False), READS_STATE, 1, ["seed_data"]),
        (checked(guard=True), READS_STATE, 0, ["seed_data"]),
        (checked(guard=False), READS_STATE, 0, []),
        (Measured(error="it hangs"), READS_STATE, 0, ["verifiers"]),
    ],
)
def test_what_is_completed_before_anything_is_done_is_found(
    at_the_start: Measured, source: str | None, held: int, blamed: list[str]
) -> None:
    done = checked(done=True)
    outcome = tried(
        idle_agents_complete_nothing,
        lambda state, _: at_the_start if state == "before" else done,
        source=source,
    )
    assert [finding.part for finding in outcome.findings] == blamed
    assert {finding.where for finding in outcome.findings} <= {"one"}
    assert outcome.figures == {"tasks": 1, "goals_held_at_the_start": held}
    if at_the_start.error:
        assert "fails on the untouched world: it hangs" in outcome.findings[0].message


@pytest.mark.parametrize(
    ("kind", "changes", "accepted", "found"),
    [
        ("write", True, ("Done.",), 1),
        ("mixed", True, ("Done.",), 1),
        ("read", True, ("Done.",), 0),
        ("refuse", True, ("Done.",), 0),
        ("write", False, ("Done.",), 0),
        ("write", True, ("Done.", ""), 0),
        ("write", True, (), 0),
    ],
)
def test_a_verifier_that_the_right_words_alone_satisfy_is_found(
    kind: str, changes: bool, accepted: tuple[str, ...], found: int
) -> None:
    outcome = tried(
        right_words_alone_complete_nothing,
        lambda state, answer: checked(a=state == "before" and answer in accepted),
        task=TASK.replace(kind=kind),
        changes=changes,
    )
    assert [(finding.part, finding.where) for finding in outcome.findings] == [("verifiers", "one")] * found
    assert outcome.figures == {"tasks": int(kind in ("write", "mixed"))}


@pytest.mark.parametrize(
    ("length", "shown"),
    [(3, "xxx"), (1_000, "x" * 1_000), (1_001, "x" * 1_000 + "... (1001 characters)")],
)
def test_only_the_beginning_of_a_long_answer_is_recorded(length: int, shown: str) -> None:
    trial = refused(TASK, "wrong_value", "too long", checked(a=False), answer="x" * length)
    assert trial.answer == shown
    assert refused(TASK, "wrong_value", "none", checked(a=False)).answer is None


COUNTED = TASK.replace(
    reference_answer="There are 4.", answer_facts=(AnswerFact(name="count", type="number", value=4),)
)
"""Its wrong answers are empty, generic and "There are 5."."""


@pytest.mark.parametrize(
    ("says", "refused", "found"),
    [
        (lambda _: checked(a=False), 3, []),
        (lambda text: checked(a=text == "There are 5."), 2, ["accepts"]),
        (lambda text: checked(a=text == ""), 2, ["accepts"]),
        (lambda text: Measured(error="it hangs") if text == "" else checked(a=False), 2, ["fails on"]),
        (lambda _: checked(a=True), 0, ["accepts"] * 3),
    ],
)
def test_wrong_answers_that_a_verifier_does_not_refuse_are_found(
    says: Any, refused: int, found: list[str]
) -> None:
    outcome = tried(wrong_answers_are_refused, lambda _, answer: says(answer), task=COUNTED)
    assert [
        finding.message.removeprefix("The verifier of one ").split(" a near")[0]
        for finding in outcome.findings
    ] == found
    kinds = {"empty": 1, "generic": 1, "wrong_value": 1}
    assert outcome.figures == {"mutants": 3, "refused": refused, **kinds}
    assert len(outcome.trials) == 3


@pytest.mark.parametrize(
    ("kind", "measured", "severity", "words"),
    [
        ("later", checked(a=False), "error", "failed checks: a. Have it accept this end"),
        ("later", Measured(error="it hangs"), "error", "failed checks: it hangs. Have it accept this end"),
        ("other_numbers", checked(a=False, b=True, c=False), "error", "failed checks: a, c. Find new rows"),
        ("bound", checked(a=False), "warning", "failed checks: a. Compare with >= or <="),
        ("later", checked(a=True), "", ""),
    ],
)
def test_an_equivalent_solution_that_a_verifier_rejects_is_found(
    kind: str, measured: Measured, severity: str, words: str
) -> None:
    state: Any = "end"
    other = Equivalent(kind=kind, description="a day later", calls=(), state=state, answer="Done.")
    outcome = tried(equivalent_solutions_are_accepted, lambda *_: measured, equivalents=(other,))
    assert [finding.severity for finding in outcome.findings] == [severity] * bool(severity)
    assert all(words in finding.message for finding in outcome.findings)
    assert outcome.figures == {"equivalents": 1, "accepted": int(not severity), kind: 1}


def test_an_equivalent_solution_that_only_the_reading_of_its_answer_rejects_is_for_the_task() -> None:
    fact = CheckOutcome(
        name="the answer says: total", passed=False, detail={"expected": "5", "problem": "also says 6"}
    )
    state: Any = "end"
    other = Equivalent(kind="words", description="in other words", calls=(), state=state, answer="Done.")
    measured = Measured((CheckOutcome(name="a", passed=True), fact))
    outcome = tried(equivalent_solutions_are_accepted, lambda *_: measured, equivalents=(other,))
    (finding,) = outcome.findings
    assert finding.part == "tasks"
    assert (
        "failed checks: the answer says: total (expected 5, also says 6). Give each fact" in finding.message
    )


def test_an_untrue_answer_of_an_equivalent_solution_is_to_be_told_otherwise() -> None:
    untrue = CheckOutcome(name=HONEST, passed=False, guard=True, detail={"problem": "it is still to come"})
    state: Any = "end"
    other = Equivalent(kind="later", description="a day later", calls=(), state=state, answer="Done.")
    measured = Measured((CheckOutcome(name="a", passed=True), untrue))
    (finding,) = tried(equivalent_solutions_are_accepted, lambda *_: measured, equivalents=(other,)).findings
    assert finding.message.endswith("and nothing that nobody asked for.")
    assert "Give each fact" not in finding.message
