"""Questions: what code can only doubt is asked about this very environment, in few plain sentences."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.planted_faults import in_row, in_schema, in_tools, rebuilt
from synthesis.documents.environment import Environment
from synthesis.documents.policy import Policy
from synthesis.documents.question import Question
from synthesis.documents.tasks import Blocking
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.questions.asking import MOST_OF_A_KIND, MOST_QUESTIONS, questions_of
from synthesis.verification.questions.questioned import QuestionedEnvironment


def with_policy(environment: Environment, *rules: str) -> Environment:
    return rebuilt(environment, policy=Policy(text="# Rules\n\n" + "\n".join(f"- {rule}" for rule in rules)))


def asked(environment: Environment, kind: str, **shown: frozenset[str]) -> list[Question]:
    return [each for each in questions_of(environment, shown) if each.kind == kind]


def test_the_clinic_is_asked_about_itself_in_few_questions(clinic) -> None:
    questions = questions_of(clinic)
    assert 3 <= len(questions) <= MOST_QUESTIONS
    assert len({question.id for question in questions}) == len(questions)
    assert [question.doubt for question in questions] == sorted((q.doubt for q in questions), reverse=True)
    places = {table.name for table in clinic.schema.tables} | {tool.name for tool in clinic.tools.tools}
    assert all(question.where in places or question.where.startswith("rule ") for question in questions)
    assert not any("_" in question.text for question in questions)


def test_the_same_environment_is_asked_the_same(clinic) -> None:
    assert questions_of(clinic) == questions_of(Environment.model_validate(clinic.model_dump()))


def test_a_rule_that_nothing_uses_is_quoted(clinic) -> None:
    rule = "Children under twelve need a guardian in the waiting hall."
    (question,) = asked(with_policy(clinic, rule), "untried_rule")
    assert rule in question.text
    assert question.where == "rule 1"


def test_a_rule_that_a_task_uses_is_not_asked_about(clinic) -> None:
    task = clinic.task("move_cardiology_follow_up")
    assert not asked(with_policy(clinic, task.instruction), "untried_rule")


def test_a_rule_on_which_a_reason_to_decline_rests_is_not_asked_about(clinic) -> None:
    task = next(task for task in clinic.tasks.tasks if task.kind == "refuse")
    reason = Blocking(kind="rule", text="lists of the waiting hall are told to no caller")
    rule = (
        "Lists of the waiting hall are told to no caller, whatever reasons they give, unless somebody of the "
        "management board has written to the front desk beforehand and named both person and purpose."
    )
    bound = clinic.tasks.replace(tasks=(task.replace(blocking=(reason,)),))
    assert not asked(with_policy(rebuilt(clinic, tasks=bound), rule), "untried_rule")
    assert asked(with_policy(clinic, rule), "untried_rule")


def test_a_number_that_occurs_nowhere_is_asked_about_and_one_in_a_tool_is_not(clinic) -> None:
    task = clinic.task("move_cardiology_follow_up").instruction.replace("14 May 1984, ", "")
    assert asked(with_policy(clinic, f"{task} It costs 987.65."), "number")[0].text.endswith(
        "Is 987.65 the right number?"
    )
    assert not asked(with_policy(clinic, f"{task} It costs 40.00, see rule 77."), "number")


def test_a_row_beyond_a_bound_of_the_policy_is_shown(clinic) -> None:
    (question,) = asked(with_policy(clinic, "The minutes of a visit are at most 35."), "rule_and_row")
    assert question.where == "visit_types"
    assert all(row.cells["minutes"] > 35 for row in question.rows)
    assert not asked(with_policy(clinic, "The minutes of a visit are at most 240."), "rule_and_row")


def test_a_state_of_which_no_rule_speaks_is_asked_about_with_its_rows(clinic) -> None:
    spoken = with_policy(clinic, "A blocked slot stays blocked.", "Void bills stay void.")
    tables = {question.where for question in asked(spoken, "states_without_rule")}
    assert "slots" not in tables
    silent = {question.where: question for question in asked(clinic, "states_without_rule")}
    assert [row.cells["status"] for row in silent["slots"].rows] == ["blocked"]


def test_a_column_for_internal_use_is_asked_about_once_tools_show_it(clinic) -> None:
    secret = in_schema("    phone             TEXT NOT NULL,", "    phone TEXT NOT NULL, internal_note TEXT,")
    noted = in_row("patients", 1, internal_note="Pays late")(secret(clinic))
    unseen = {tool.name: frozenset[str]() for tool in noted.tools.tools}
    assert not asked(noted, "internal_column", **unseen)
    unseen["get_patient"] = frozenset({"internal_note", "phone"})
    (question,) = asked(noted, "internal_column", **unseen)
    assert (question.where, question.part) == ("get_patient", "tools")
    assert "internal note of patients" in question.text
    assert question.rows[0].cells == {"internal_note": "Pays late"}


def test_the_proof_knows_from_calls_what_tools_show(clinic) -> None:
    secret = in_schema("    phone             TEXT NOT NULL,", "    phone TEXT NOT NULL, internal_note TEXT,")
    shown = in_tools(
        ("SELECT id AS patient_id, first_name,", "SELECT id AS patient_id, internal_note, first_name,")
    )
    with ProofContext(shown(secret(clinic))) as context:
        result = CHECKS["what_code_cannot_see_is_asked"](context)
    assert result.passed
    assert result.figures["questions"] == len(result.questions) > 0
    assert "internal_column:patients.internal_note" in {question.id for question in result.questions}


def test_a_promise_of_which_the_code_does_not_speak_is_asked_about(clinic) -> None:
    promised = in_tools(
        (
            '    """List the insurers the clinic knows;',
            '    """Immediately notifies the pharmacy overnight. List the insurers;',
        )
    )
    (question,) = asked(promised(clinic), "promise")
    assert question.where == "list_insurers"
    assert "Immediately notifies the pharmacy overnight." in question.text


def test_a_world_that_does_not_build_is_asked_about_all_the_same(clinic) -> None:
    broken = in_row("patients", 1, first_name=None)(clinic)
    with ProofContext(broken) as context:
        assert CHECKS["what_code_cannot_see_is_asked"](context).questions


def test_an_answer_rests_on_the_rows_that_were_shown(clinic) -> None:
    def fingerprint(environment: Environment) -> str:
        return next(q.fingerprint for q in questions_of(environment) if q.where == "slots")

    blocked = next(row for row in clinic.seed_data.rows["slots"] if row["status"] == "blocked")
    number = clinic.seed_data.rows["slots"].index(blocked)
    other = rebuilt(clinic, seed_data=_with(clinic, "slots", number, status="open"))
    assert all(question.where != "slots" for question in questions_of(other))
    assert fingerprint(clinic) == fingerprint(Environment.model_validate(clinic.model_dump()))


def _with(environment: Environment, table: str, number: int, **values: Any) -> Any:
    rows = [dict(row) for row in environment.seed_data.rows[table]]
    rows[number] |= values
    return environment.seed_data.replace(rows={**environment.seed_data.rows, table: tuple(rows)})


@pytest.mark.parametrize(
    "text",
    [
        "1" * 5_000,
        "at most " + "9" * 5_000 + " minutes",
        "- " * 10_000,
        "\n\n".join(["x " * 400] * 40),
        "rule " + "1, 2 and " * 1_000,
        "“”…\u202e" * 2_000,
    ],
    ids=["digits", "bound", "empty_items", "paragraphs", "references", "signs"],
)
def test_any_policy_is_read(clinic, text: str) -> None:
    questions = questions_of(rebuilt(clinic, policy=Policy(text=text[:40_000])))
    assert len(questions) <= MOST_QUESTIONS
    kinds = [question.kind for question in questions]
    assert all(kinds.count(kind) <= MOST_OF_A_KIND for kind in kinds)


def test_without_a_policy_changes_are_asked_about(clinic) -> None:
    questions = asked(rebuilt(clinic, policy=None), "missing_rule")
    assert len(questions) == MOST_OF_A_KIND
    assert all(question.because == "The environment has no policy." for question in questions)


def test_rules_are_the_items_of_lists_without_markup(clinic) -> None:
    policy = Policy(
        text="Intro.\n\n1. **Late.** Charge `late_fee` of 5.\n   Always.\n2. _Never_ twice.\n\nEnd."
    )
    rules = QuestionedEnvironment(rebuilt(clinic, policy=policy), {}).rules
    assert [rule.text for rule in rules] == ["Late. Charge late_fee of 5. Always.", "Never twice."]
