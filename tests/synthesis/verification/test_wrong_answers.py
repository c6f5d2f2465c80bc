import gc
import weakref

import pytest

from synthesis.documents.tasks import AnswerFact, Task
from synthesis.verification.answer_facts import facts_hold
from synthesis.verification.distractors import distractors_of
from synthesis.verification.wrong_answers import in_words, restated, wrong_answers, wrong_fact


def fact(type, value):
    return AnswerFact(name="it", type=type, value=value)


@pytest.mark.parametrize(
    ("one", "answer", "expected"),
    [
        (fact("money_cents", 17000), "She owes 170.00.", "She owes 171.00."),
        (fact("money_cents", 125_000), "It is 1,250.00 now", "It is 1,251.00 now"),
        (fact("date", "2026-01-12"), "on 12 January 2026", "on 13 January 2026"),
        (fact("date", "2026-01-31"), "on 2026-01-31.", "on 2026-02-01."),
        (fact("time", "13:40"), "at 1:40 pm", "at 2:40 pm"),
        (fact("time", "00:05"), "at 12:05am", "at 1:05am"),
        (fact("time", "23:15"), "at 23.15 then", "at 00.15 then"),
        (fact("time", "09:15"), "at 9:15 then", "at 10:15 then"),
        (fact("date", "2026-01-12"), "on January 12", "on January 13"),
        (fact("date", "2026-01-12"), "on January 12, 2026", "on January 13, 2026"),
        (fact("date", "2026-01-12"), "by 12 jan 2026", "by 13 Jan 2026"),
        (fact("date", "2026-01-12"), "by 12.01.2026", "by 13.01.2026"),
        (fact("money_cents", 170_000), "It is 1700 now", "It is 1701 now"),
        (fact("money_cents", 170_000), "It is 1,700, no more", "It is 1,701, no more"),
        (fact("money_cents", 170_000), "It is 1700.00", "It is 1701.00"),
        (fact("number", 2), "two are left", "three are left"),
        (fact("number", 2.0), "two are left", "three are left"),
    ],
)
def test_a_value_is_replaced_in_its_own_spelling(one, answer, expected):
    assert restated(answer, one, wrong_fact(one, ())) == expected


def test_a_value_inside_another_is_left_alone():
    assert restated("invoice 12.2 of room 22", fact("number", 2), fact("number", 3)) is None


def test_names_are_replaced_by_other_names_of_the_world(clinic):
    task = clinic.task("read_first_friday_patient")
    distractors = distractors_of(clinic, task)["first patient"]
    assert "Junia Wexcombe" in distractors
    assert len(distractors) == 15
    assert wrong_fact(task.answer_facts[0], distractors).value in set(distractors) - {"Junia Wexcombe"}


def test_the_rivals_that_are_remembered_keep_no_environment_in_memory(clinic):
    environment = clinic.replace(policy=clinic.policy)
    assert distractors_of(environment, environment.task("read_first_friday_patient"))["first patient"]
    gone = weakref.ref(environment)
    del environment
    gc.collect()
    assert gone() is None


def test_no_wrong_answer_of_the_clinic_holds_its_facts(clinic):
    for task in clinic.tasks.tasks:
        distractors = distractors_of(clinic, task)
        answers = list(wrong_answers(task, distractors))
        assert len(answers) >= 2
        for wrong in answers:
            outcomes = facts_hold(
                task.answer_facts,
                wrong.text,
                commits=task.kind == "read",
                instruction=task.instruction,
                distractors=distractors,
            )
            assert not all(outcome.passed for outcome in outcomes), wrong


def test_facts_can_be_said_one_after_the_other(clinic):
    task = clinic.task("read_total_owed")
    assert in_words(task, {}) == "total to pay: 170.00; oldest open invoice: 2026-01-12."


def test_what_is_right_elsewhere_or_was_asked_is_no_second_answer():
    facts = (
        AnswerFact(name="first", type="name", value="Ann Lee"),
        AnswerFact(name="second", type="name", value="Bea Moor"),
        AnswerFact(name="day", type="date", value="2026-01-12"),
        AnswerFact(name="next day", type="date", value="2026-01-13"),
        AnswerFact(name="count", type="number", value=4),
    )
    task = Task(
        id="who",
        kind="read",
        difficulty="easy",
        min_calls=1,
        instruction="Cleo Noon asks who came 5 times until 14 January 2026.",
        reference_solution=(),
        reference_answer="Ann Lee, then Bea Moor; 12 January 2026, 13 January 2026; 4.",
        answer_facts=facts,
    )
    people = ("Ann Lee", "Bea Moor", "Cleo Noon", "Dora Pike")
    hedged = [
        wrong.text.removeprefix(task.reference_answer)
        for wrong in wrong_answers(task, {"first": people, "second": people})
        if wrong.kind == "hedged"
    ]
    assert hedged == [
        " Or else it is Dora Pike.",
        " Or else it is Dora Pike.",
        " Or else it is 2026-01-15.",
        " Or else it is 2026-01-15.",
        " Or else it is 6.",
    ]
    names = {"first": people[:3], "second": people[:3]}
    kinds = [wrong.kind for wrong in wrong_answers(task, names)]
    assert kinds.count("hedged") == 3, "nobody is left to be named beside the right ones"


@pytest.mark.parametrize(("asked", "second"), [(range(6, 14), ["14"]), (range(6, 15), [])])
def test_the_nine_next_values_are_tried_as_second_answers(asked, second):
    task = Task(
        id="ask",
        kind="read",
        difficulty="easy",
        min_calls=1,
        instruction=f"Is it one of {', '.join(map(str, asked))}?",
        reference_solution=(),
        reference_answer="5.",
        answer_facts=(fact("number", 5),),
    )
    hedged = [wrong.text for wrong in wrong_answers(task, {}) if wrong.kind == "hedged"]
    assert hedged == [f"5. Or else it is {each}." for each in second]


def test_a_value_that_two_facts_share_is_not_made_wrong_in_one_of_them():
    facts = (
        AnswerFact(name="seats", type="number", value=4),
        AnswerFact(name="tables", type="number", value=4),
        AnswerFact(name="chairs", type="number", value=5),
        AnswerFact(name="open", type="boolean", value=True),
    )
    task = Task(
        id="count",
        kind="write",
        difficulty="easy",
        min_calls=1,
        instruction="How many are there?",
        reference_solution=(),
        reference_answer="4 seats, 4 tables, 5 chairs; yes.",
        answer_facts=facts,
    )
    wrong = [each for each in wrong_answers(task, {}) if each.kind == "wrong_value"]
    assert [each.text for each in wrong] == ["4 seats, 4 tables, 6 chairs; yes."]
    assert not list(wrong_answers(task.replace(answer_facts=()), {}))


@pytest.mark.parametrize(
    ("kind", "value", "answer", "second"),
    [
        ("money_cents", 17_000, "170.00; not 171.00", "172.00"),
        ("number", 4, "4; not 5", "6"),
        ("time", "22:15", "22:15; not 23:15", "00:15"),
        ("date", "2026-01-30", "2026-01-30; not 2026-01-31", "2026-02-01"),
    ],
)
def test_a_second_answer_is_the_nearest_value_that_was_not_asked_about(kind, value, answer, second):
    right, known = answer.split("; not ")
    task = Task(
        id="ask",
        kind="read",
        difficulty="easy",
        min_calls=1,
        instruction=f"Is it {known}, or what is it?",
        reference_solution=(),
        reference_answer=f"{right}.",
        answer_facts=(fact(kind, value),),
    )
    (hedged,) = [wrong.text for wrong in wrong_answers(task, {}) if wrong.kind == "hedged"]
    assert hedged == f"{right}. Or else it is {second}."
