"""The proof's wordings: forty answers to each task, and whom it blames where one is misjudged."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from synthesis.documents.check_report import CheckResult
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import AnswerFact, Task
from synthesis.documents.verdict import CheckOutcome
from synthesis.documents.verifiers import Verifier
from synthesis.procedural.business.author import compose
from synthesis.reading.document import parsed
from synthesis.reading.mismatched_forms import currency_of
from synthesis.verification.answers import GROUNDED, HONEST
from synthesis.verification.checks import CHECKS
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.wordings import _blame, _problem
from synthesis.verification.measurements import Measured
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.wordings.making import wordings
from synthesis.worlds.world import World

RIGHT, WRONG = "right_wordings_are_accepted", "wrong_wordings_are_refused"
OWED, REFUSED = "read_total_owed", "refuse_unlisted_caller"


def tried(environment: Environment, claim: str, *, world: World | None = None) -> CheckResult:
    with ProofContext(environment, world=world) as context:
        return CHECKS[claim](context)


def with_verifier(environment: Environment, task: str, source: str) -> Environment:
    """The environment with one task alone, and that task with another verifier."""
    return environment.replace(
        tasks=environment.tasks.replace(tasks=(environment.task(task),)),
        verifiers=environment.verifiers.replace(verifiers=(Verifier(task_id=task, source=source),)),
    )


def with_task(environment: Environment, task: Task) -> Environment:
    return environment.replace(tasks=environment.tasks.replace(tasks=(task,)))


@pytest.mark.parametrize(("claim", "expected"), [(RIGHT, "accepted"), (WRONG, "refused")])
def test_every_task_of_the_clinic_is_answered_in_forty_ways(clinic, clinic_world, claim, expected):
    result = tried(clinic, claim, world=clinic_world)
    assert result.passed, [finding.message for finding in result.findings]
    assert Counter(trial.subject for trial in result.trials) == {task.id: 20 for task in clinic.tasks.tasks}
    assert all(trial.expected == trial.outcome == expected for trial in result.trials)
    assert result.figures["wordings"] == result.figures[expected] == 20 * len(clinic.tasks.tasks)
    shown = [trial for trial in result.trials if trial.subject == OWED]
    assert len({trial.answer for trial in shown}) == 20
    assert all(" " in trial.description for trial in shown)


def test_a_yes_or_no_that_is_asked_beside_a_value_is_in_every_right_wording(clinic):
    task = clinic.task(OWED)
    may = AnswerFact(name="may book", type="boolean", value=True)
    asked = task.replace(
        answer_facts=(*task.answer_facts, may),
        reference_answer=f"Yes, she may book with that. {task.reference_answer}",
    )
    source = (
        "def verify(before, after, changes, answer):\n"
        "    yield check('she may book', says(answer, True, about='may book', type='boolean'))\n"
        "    yield check('no row changed', changes.only(), guard=True)\n"
    )
    environment = with_task(with_verifier(clinic, OWED, source), asked)
    result = tried(environment, RIGHT)
    assert result.passed, [finding.message for finding in result.findings]
    assert sum("may book: yes" in str(trial.answer) for trial in result.trials) > 10


def test_a_verifier_that_wants_one_wording_is_blamed_with_the_wording_it_rejects(clinic):
    source = (
        "def verify(before, after, changes, answer):\n"
        "    yield check('the amount is 170.00', 'pay 170.00' in answer or 'pay is 170.00' in answer)\n"
        "    yield check('no row changed', changes.only(), guard=True)\n"
    )
    result = tried(with_verifier(clinic, OWED, source), RIGHT)
    assert not result.passed
    finding = result.findings[0]
    assert (finding.part, finding.where) == ("verifiers", OWED)
    assert finding.evidence["expected"] == "accepted"
    assert finding.evidence["actual"] == "refused"
    assert finding.evidence["failed_checks"] == ["the amount is 170.00"]
    assert "pay is 170.00" not in finding.evidence["answer"]


def test_a_verifier_that_fails_on_an_answer_is_blamed(clinic):
    source = (
        "def verify(before, after, changes, answer):\n"
        "    yield check('the amount stands first', answer.index('170') < 200)\n"
        "    yield check('no row changed', changes.only(), guard=True)\n"
    )
    result = tried(with_verifier(clinic, OWED, source), WRONG)
    assert not result.passed
    assert {finding.part for finding in result.findings} == {"verifiers"}
    assert any("ValueError" in finding.evidence["error"] for finding in result.findings)


def test_a_task_whose_fact_cannot_be_told_from_a_doubt_is_blamed(clinic):
    vague = clinic.task(OWED).replace(
        answer_facts=(AnswerFact(name="answer", type="text", value="perhaps"),),
        reference_answer="The answer is perhaps.",
    )
    source = (
        "def verify(before, after, changes, answer):\n"
        "    yield check('no row changed', changes.only(), guard=True)\n"
    )
    result = tried(with_task(with_verifier(clinic, OWED, source), vague), WRONG)
    assert not result.passed
    (finding,) = result.findings
    assert (finding.part, finding.where) == ("tasks", OWED)
    assert finding.evidence["answer"] == "Perhaps the answer is perhaps."
    assert finding.evidence["actual"] == "accepted"


def test_a_refusal_needs_its_reason_whatever_the_verifier_says(clinic):
    source = (
        "def verify(before, after, changes, answer):\n"
        "    yield check('no row changed', changes.only(), guard=True)\n"
        "    yield check('something is said', bool(answer))\n"
    )
    assert tried(with_verifier(clinic, REFUSED, source), WRONG).passed


def test_where_one_sentence_is_asked_for_no_list_is_a_right_answer(clinic):
    task = clinic.task(OWED)
    assert "in one sentence" in task.instruction
    right = [each.text for each in wordings(task, others={}) if each.right]
    assert len(right) == 20
    assert not [text for text in right if "\n" in text]
    free = task.replace(instruction="How much does she owe, and of which day is the oldest invoice?")
    assert any("\n" in each.text for each in wordings(free, others={}) if each.right)


def test_a_right_answer_that_is_read_as_untrue_is_told_with_what_is_read():
    untrue = Measured(
        (
            CheckOutcome(name="done", passed=True),
            CheckOutcome(
                name=HONEST, passed=False, guard=True, detail={"problem": "it tells another number"}
            ),
        )
    )
    task: Any = SimpleNamespace(id="close_order")
    wording: Any = SimpleNamespace(kind="report", right=True, text="All is closed.")
    message = _problem(task, wording, untrue)
    assert 'a right answer (report): "All is closed." is read as untrue: it tells another number.' in message
    assert "add no fact that nobody asked for" in message


def test_a_wording_is_read_beside_the_calls_of_the_reference_solution(clinic, clinic_world):
    task = clinic.task(OWED)
    with ProofContext(clinic, world=clinic_world) as context:
        after = context.reference(task).after
        assert context.measured(task, after, task.reference_answer).completed
        remarked = context.measured(task, after, f"{task.reference_answer} He has nine open invoices.")
    assert remarked.open == [GROUNDED]


def test_where_a_condition_is_not_met_an_answer_that_nothing_was_done_is_right(clinic):
    task = clinic.task(OWED).replace(kind="mixed")
    done, undone = (wordings(task, others={}, changes=changes) for changes in (True, False))
    kinds = [{each.kind: each.right for each in answers} for answers in (done, undone)]
    assert "denies_the_done" in kinds[0]
    assert "done_first" in kinds[0]
    assert not {"denies_the_done", "done_first", "done_list"} & set(kinds[1])
    assert kinds[1]["undone_work"] is False
    unmet = task.replace(answer_facts=(), blocking=clinic.task(REFUSED).blocking)
    assert {each.kind for each in wordings(unmet, others={}, changes=False) if each.right} == {
        "reference",
        "declined",
    }


@pytest.mark.parametrize("unclear", [True, False])
def test_a_right_answer_that_is_not_accepted_is_an_error_also_where_code_cannot_decide(unclear):
    task: Any = SimpleNamespace(id="close_order")
    wording: Any = SimpleNamespace(kind="report", right=True, text="All is closed.")
    answer = ClaimOutcome(RIGHT)
    outcomes = (
        CheckOutcome(name="done", passed=True),
        CheckOutcome(
            name=GROUNDED, passed=False, unclear=unclear, detail={"problem": "nothing bears it out"}
        ),
    )
    _blame(answer, task, [(wording, Measured(outcomes))])
    (finding,) = answer.findings
    assert (finding.part, finding.severity) == ("tasks", "error")
    assert 'refused (report): "All is closed."; failed checks: ' in finding.message


def test_what_is_left_out_is_not_said_in_the_name_of_another_fact(clinic):
    facts = (
        AnswerFact(name="first tenant", type="name", value="Clive Marsh"),
        AnswerFact(name="overdue rent of Clive Marsh", type="money_cents", value=2500),
        AnswerFact(name="overdue rent of Peter Nash", type="money_cents", value=2250),
    )
    task = clinic.task(OWED).replace(answer_facts=facts)
    others = {"first tenant": ("Rex Ogden",)}
    silent = [
        each.text
        for each in wordings(task, others=others, count=200)
        if each.kind in ("left_out", "not_known") and "first tenant is" not in each.text
    ]
    assert silent == [
        "The overdue rent of Peter Nash is 22.50.",
        "The overdue rent of Peter Nash is 22.50. I could not find the first tenant.",
    ]


def test_amounts_are_worded_in_the_currency_of_the_world(clinic: Environment) -> None:
    task = next(
        each for each in clinic.tasks.tasks if any(f.type == "money_cents" for f in each.answer_facts)
    )
    plain = wordings(task, others={})
    francs = wordings(task, others={}, currency="CHF")
    assert len(plain) == len(francs)
    assert any("EUR" in each.text or "\u20ac" in each.text for each in plain)
    assert not any(sign in each.text for each in francs for sign in ("EUR", "\u20ac", "euro", "$"))
    assert any("CHF" in each.text for each in francs)
    assert wordings(task, others={}, currency="unknown") == plain


def test_right_wordings_are_accepted_in_a_world_with_another_currency() -> None:
    environment = compose("A visa office handles applications and issues visas", seed=4)
    assert environment.policy is not None
    assert currency_of(parsed(environment.policy.text)) not in ("", "EUR")
    with ProofContext(environment) as context:
        assert not CHECKS["right_wordings_are_accepted"](context).findings
        assert not CHECKS["wrong_wordings_are_refused"](context).findings
