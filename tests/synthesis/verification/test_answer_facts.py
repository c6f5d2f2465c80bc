import time

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.verification.answer_facts import facts_hold, mentions, normalised


def fact(type, value, name="it"):
    return AnswerFact(name=name, type=type, value=value)


def holds(one, text, **more):
    return facts_hold([one], text, **more)[0].passed


@pytest.mark.parametrize(
    "text",
    [
        "She owes 30.00.",
        "EUR 30",
        "$30",
        "30 euro",
        "It is €30.00 in all",
        "30,00 EUR",
        "That is 30.00, still to pay",
    ],
)
def test_money_is_read_in_every_usual_spelling(text):
    assert holds(fact("money_cents", 3000), text)


@pytest.mark.parametrize("text", ["She owes 130.00.", "30", "3.00 EUR", "30.01", "invoice 3000", ""])
def test_other_amounts_are_not_taken_for_it(text):
    assert not holds(fact("money_cents", 3000), text)


def test_money_with_thousands_separators_is_read():
    assert holds(fact("money_cents", 125_050), "The total is 1,250.50.")


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-18",
        "18 March 2026",
        "March 18, 2026",
        "18.03.2026",
        "on March 18th",
        "the 18th of March",
        "18 Mar",
    ],
)
def test_dates_are_read_in_every_usual_spelling(text):
    assert holds(fact("date", "2026-03-18"), f"It is {text} then")


@pytest.mark.parametrize("text", ["19 March 2026", "18 March 2025", "18", "2026-03-08"])
def test_other_dates_are_not_taken_for_it(text):
    assert not holds(fact("date", "2026-03-18"), text)


@pytest.mark.parametrize("text", ["13:40", "at 1:40 pm", "13.40", "1:40pm"])
def test_times_are_read_in_every_usual_spelling(text):
    assert holds(fact("time", "13:40"), f"It begins {text}.")


@pytest.mark.parametrize("text", ["2 visits are left", "two visits", "There are 2."])
def test_numbers_are_read_in_digits_and_words(text):
    assert holds(fact("number", 2), text)


@pytest.mark.parametrize("text", ["12 visits", "on 2 March", "2026-03-02", "02:00"])
def test_parts_of_other_values_are_no_numbers(text):
    assert not holds(fact("number", 2), text)


@pytest.mark.parametrize("text", ["JUNIA  wexcombe comes first", "It's Júnia Wexcombe."])
def test_names_are_compared_without_case_accents_and_spaces(text):
    assert holds(fact("name", "Junia Wexcombe"), text)


@pytest.mark.parametrize("text", ["Junia Wexcombes", "Junia", "helmet"])
def test_names_count_as_whole_words_only(text):
    assert not holds(fact("name", "Junia Wexcombe"), text)
    assert not holds(fact("name", "Elm"), text)


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        (False, "I did not cancel it: he may not manage it.", True),
        (False, "It was cancelled.", False),
        (False, "I cancelled it, no problem.", False),
        (True, "It was cancelled.", True),
        (True, "I could not cancel it.", False),
        (False, "", False),
        (True, "", False),
    ],
)
def test_booleans_are_affirmed_or_denied(value, text, expected):
    assert holds(fact("boolean", value, "cancelled"), text) is expected


def test_an_answer_that_lists_candidates_says_nothing():
    total = fact("money_cents", 17000)
    assert not holds(total, "170.00 or 180.00 or 190.00")
    assert not holds(total, "170.00 or 180.00 or 190.00", commits=True)
    assert not holds(fact("date", "2026-01-12"), "12 January 2026 or 13 January 2026", commits=True)
    assert not holds(fact("number", 2), "2 or 3", commits=True)
    assert not holds(fact("time", "09:40"), "09:40 or 10:40", commits=True)


def test_a_calculation_of_the_right_amount_is_no_contradiction():
    assert holds(fact("money_cents", 17000), "95.00 + 75.00 = 170.00", commits=True)
    assert holds(fact("money_cents", 7000), "90.00 less 20.00 leaves 70.00", commits=True)
    assert not holds(fact("money_cents", 7000), "70.00, or 90.00, or 25.00", commits=True)


def test_values_of_the_instruction_contradict_nothing():
    one = fact("date", "2026-01-12")
    text = "30 July 1972 and 12 January 2026."
    assert not holds(one, text, commits=True)
    assert holds(one, text, commits=True, instruction="Ilse Farrowmere, born 30 July 1972")


def test_a_value_with_a_label_of_its_own_contradicts_nothing():
    one = fact("date", "2026-01-12", "oldest open invoice")
    assert holds(one, "Ilse, born 30 July 1972, has one of 12 January 2026.", commits=True)


def test_a_denied_value_is_no_contradiction():
    assert holds(fact("money_cents", 17000), "It is 170.00, not 180.00.", commits=True)


def test_the_end_of_a_range_is_no_contradiction():
    assert holds(fact("time", "09:40"), "from 09:40 to 10:00", commits=True)
    assert not holds(fact("time", "09:40"), "from 10:00 to 09:40", commits=True)


def test_naming_everybody_is_a_contradiction():
    one = fact("name", "Junia Wexcombe", "first")
    distractors = {"first": ["Junia Wexcombe", "Mara Quillbrook"]}
    assert holds(one, "Junia Wexcombe", commits=True, distractors=distractors)
    assert not holds(one, "Junia Wexcombe or Mara Quillbrook", commits=True, distractors=distractors)
    assert holds(
        one, "Junia Wexcombe", commits=True, distractors=distractors, instruction="after Mara Quillbrook"
    )


def test_outcomes_have_unique_names_and_say_what_was_expected():
    outcomes = facts_hold([fact("name", "Elm", "room"), fact("name", "Oak", "room")], "Elm")
    assert [outcome.name for outcome in outcomes] == ["the answer says: room", "the answer says: room (2)"]
    assert [outcome.passed for outcome in outcomes] == [True, False]
    assert outcomes[1].detail == {"expected": "Oak", "problem": "missing"}


def test_a_phrase_is_found_on_word_boundaries_alone():
    assert mentions(normalised("The Long  Room, please"), "long room")
    assert not mentions(normalised("headlong roomy"), "long room")
    assert not mentions("anything", "")


def test_the_reference_answers_of_the_clinic_hold_their_facts(clinic):
    for task in clinic.tasks.tasks:
        outcomes = facts_hold(
            task.answer_facts,
            task.reference_answer,
            commits=task.kind == "read",
            instruction=task.instruction,
        )
        assert all(outcome.passed for outcome in outcomes), (task.id, outcomes)


def test_a_huge_answer_is_read_in_bounded_time():
    hostile = " ".join(f"{number}.00 or" for number in range(40_000))
    began = time.perf_counter()
    assert not holds(fact("money_cents", 17000), hostile, commits=True)
    assert time.perf_counter() - began < 5
