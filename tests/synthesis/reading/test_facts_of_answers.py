"""What a free text states of facts: right however it is worded, wrong however it is dressed."""

from __future__ import annotations

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.answer import Answer
from synthesis.reading.document import ParsedText
from synthesis.reading.judgement import judge_answer

SPECIMENS = AnswerFact(name="number of specimens in analysis", type="number", value=1)
SCHEDULED = AnswerFact(name="number of scheduled appointments", type="number", value=4)
ENDED = AnswerFact(name="number of ended passes", type="number", value=1)
STATUS = AnswerFact(name="status of the order", type="text", value="in progress")
PLACED = AnswerFact(name="status of the order", type="text", value="placed")
DUE = AnswerFact(name="due date", type="date", value="2026-10-29")
OPENING = AnswerFact(name="opening date", type="date", value="2026-01-03")
TOTAL = AnswerFact(name="total to pay", type="money_cents", value=24_750)
FREE = AnswerFact(name="number of free rooms", type="number", value=0)
FIRST = AnswerFact(name="first patient", type="name", value="Junia Wexcombe")
STATES = {STATUS.name: ("draft", "placed", "in_progress", "fulfilled", "cancelled")}
NAMES = {FIRST.name: ("Junia Wexcombe", "Mara Quillbrook")}


def status_of(text: str, *facts: AnswerFact, **more: object) -> list[str]:
    more = {"commits": True, **more}
    return [fact.status for fact in judge_answer(text, facts=facts, **more).facts]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (SPECIMENS, "**1** specimen in analysis: SP-2471"),
        (SPECIMENS, "1. (SP-2471; SP-2470 was too old.)"),
        (SPECIMENS, "There is only a single specimen in analysis (SP-2471, taken on 3 March 2026)."),
        (STATUS, "in_progress"),
        (STATUS, "The order's status is `in_progress` right now."),
        (STATUS, "It is currently under way."),
        (DUE, "29/10/2026"),
        (DUE, "It is due on Thursday, October 29th, 2026."),
        (DUE, "Due: 29 Oct"),
        (OPENING, "opened 2026-01-03, placed 2026-01-04"),
        (TOTAL, "The total is 247.5"),
        (TOTAL, "She has not yet paid EUR 247,50 in total."),
        (TOTAL, "100.00 + 147.50 = 247.50"),
        (
            TOTAL,
            "| bill | sum |\n|---|---|\n| INV-1 | 100.00 |\n| INV-2 | 147.50 |\n| **Total** | **247.50** |",
        ),
        (FREE, "There are no free rooms."),
        (ENDED, "Only one of the passes has ended."),
        (FREE, "None."),
        (FIRST, "Wexcombe, Junia"),
        (FIRST, "Junia Wexcombe is first; Mara Quillbrook follows at 10:20."),
    ],
)
def test_a_right_answer_is_right_whatever_its_wording(fact: AnswerFact, text: str) -> None:
    assert status_of(text, fact, others={**STATES, **NAMES}) == ["stated"]


WAITING = AnswerFact(name="waiting", type="boolean", value=True)


@pytest.mark.parametrize(
    "text",
    [
        "Priya Nolan is waiting: Saturday's lesson is full, so she was not moved.",
        "She was not moved. Priya Nolan is waiting.",
    ],
)
def test_what_is_said_to_be_so_stays_said_beside_something_else_that_was_not_done(text: str) -> None:
    assert status_of(text, WAITING) == ["stated"]
    assert status_of(text, WAITING.replace(value=False)) == ["contradicted"]


@pytest.mark.parametrize(
    "text",
    [
        "Priya Nolan is not waiting: she was not moved.",
        "The list of those who are waiting is long, so she was not moved.",
        "I could not find the waiting list, so nothing was done.",
        "Is she waiting? She was not moved.",
    ],
)
def test_what_is_not_said_to_be_so_is_denied_by_what_was_not_done(text: str) -> None:
    assert status_of(text, WAITING) != ["stated"]


def test_that_something_was_done_without_something_else_is_no_denial() -> None:
    renewed = AnswerFact(name="membership renewed", type="boolean", value=True)
    assert status_of("The membership was renewed without a fee.", renewed) == ["stated"]
    assert status_of("Not only the trial but also the membership was renewed.", renewed) == ["stated"]
    assert status_of("The trial was renewed, without the membership.", renewed) != ["stated"]


FIRST_ADDED = AnswerFact(name="MB-9020 added", type="boolean", value=True)
SECOND_ADDED = AnswerFact(name="MB-9021 added", type="boolean", value=False)


@pytest.mark.parametrize(
    "text",
    [
        "Only the van MB-9020 was added; the trailer MB-9021 was not, because a permit carries three.",
        "MB-9020 was added. MB-9021 was not added, because a permit carries at most three vehicles.",
        "MB-9020 was added and MB-9021 was not.",
        "I added the van MB-9020 but could not add MB-9021.",
        "MB-9020 was added, but not MB-9021.",
        "Added: MB-9020. Not added: MB-9021.",
        "MB-9020 was added, unlike MB-9021.",
        "MB-9020 was added without any trouble, MB-9021 was not.",
        "MB-9021 was not added but MB-9020 was.",
        "I added MB-9020 without MB-9021.",
    ],
)
def test_of_two_that_were_asked_for_each_has_its_own_yes_or_no(text: str) -> None:
    assert [status_of(text, fact) for fact in (FIRST_ADDED, SECOND_ADDED)] == [["stated"], ["stated"]]
    other = text.replace("MB-9020", "x").replace("MB-9021", "MB-9020").replace("x", "MB-9021")
    assert not any(status_of(other, fact) == ["stated"] for fact in (FIRST_ADDED, SECOND_ADDED))


@pytest.mark.parametrize("text", ["Both MB-9020 and MB-9021 were added.", "MB-9020 and MB-9021 were added."])
def test_what_is_said_of_two_is_said_of_each(text: str) -> None:
    assert status_of(text, FIRST_ADDED) == ["stated"]
    assert status_of(text, SECOND_ADDED) == ["contradicted"]


MAY_BORROW = AnswerFact(name="may borrow", type="boolean", value=True)


@pytest.mark.parametrize(
    "text",
    [
        "He owes 7.50. Yes, he may borrow with that: it is below 15.00 and his membership is valid.",
        "He owes 7.50, which is below 15.00, so he may borrow.",
        "Marek can borrow; he owes 7.50.",
    ],
)
def test_where_it_is_asked_whether_one_may_the_word_may_is_no_hedge(text: str) -> None:
    assert status_of(text, MAY_BORROW) == ["stated"]
    assert status_of(text, MAY_BORROW.replace(value=False)) != ["stated"]
    assert status_of("He owes 17.50, so he may not borrow.", MAY_BORROW) != ["stated"]


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (SPECIMENS, "Not 1."),
        (SPECIMENS, "At least one, perhaps more."),
        (SPECIMENS, "There may be 1 specimen in analysis, I'm not sure."),
        (SPECIMENS, "There are 1 or 2 specimens in analysis."),
        (SPECIMENS, "Between 1 and 3 specimens are in analysis."),
        (SPECIMENS, "Is it 1?"),
        (SPECIMENS, "1. Scratch that, I made that up."),
        (DUE, "28 or 29 October"),
        (DUE, "around 29 October 2026"),
        (OPENING, "opened 2026-01-04, placed 2026-01-03"),
        (TOTAL, "The total is 247.50. Or else it is 248.50."),
        (TOTAL, "100.00, 120.00, 247.50, 190.00"),
        (TOTAL, "It is not true that she has to pay 247.50."),
        (TOTAL, "247.50 is not the total."),
        (TOTAL, "The total is 257.50 rather than 247.50."),
        (PLACED, "placed, fulfilled, cancelled or draft"),
        (PLACED, "It is no longer placed."),
        (PLACED, "The status of the order isn't placed."),
        (FIRST, "Junia Wexcombe or Mara Quillbrook"),
        (FIRST, "Either Mara Quillbrook or Junia Wexcombe comes first."),
        (FIRST, "Junia Wexcombes"),
    ],
)
def test_a_denied_hedged_or_doubled_value_is_not_stated(fact: AnswerFact, text: str) -> None:
    assert status_of(text, fact, others={**STATES, **NAMES}) != ["stated"]


@pytest.mark.parametrize(
    "text",
    [
        "4 scheduled appointments and 1 ended pass",
        "4 and 1",
        "Scheduled appointments: 4\nEnded passes: 1",
        "- Ended passes: 1\n- Scheduled appointments: 4",
        "| what | count |\n|---|---|\n| scheduled appointments | 4 |\n| ended passes | 1 |",
        "There is one ended pass; of the appointments, four are scheduled.",
    ],
)
def test_values_are_bound_to_their_labels(text: str) -> None:
    assert status_of(text, SCHEDULED, ENDED) == ["stated", "stated"]


@pytest.mark.parametrize(
    "text",
    [
        "1 scheduled appointment and 4 ended passes",
        "1 and 4",
        "scheduled: 1, ended: 4",
        "| what | count |\n|---|---|\n| scheduled appointments | 1 |\n| ended passes | 4 |",
    ],
)
def test_swapped_values_are_wrong(text: str) -> None:
    assert "stated" not in status_of(text, SCHEDULED, ENDED)


def test_values_that_are_given_by_name_decide_unless_the_text_contradicts_them() -> None:
    right = {"Total to pay": 247.5}
    assert status_of(Answer("See the values.", values=right), TOTAL) == ["stated"]
    assert status_of(Answer("", values={"total to pay": "247.50"}), TOTAL) == ["stated"]
    assert status_of(Answer("The total is 247.50.", values={"total to pay": 250}), TOTAL) == ["contradicted"]
    assert status_of(Answer("The total to pay is 250.00.", values=right), TOTAL) == ["contradicted"]
    assert status_of(Answer("The total is 247.50.", values={"unknown": 1}), TOTAL) == ["stated"]


@pytest.mark.parametrize("value", [None, [], {}, [24_750], {"value": 247.5}, True, float("nan"), "", 10**400])
def test_values_of_other_types_are_wrong(value: object) -> None:
    assert status_of(Answer("", values={TOTAL.name: value}), TOTAL) == ["contradicted"]


def test_what_cannot_be_decided_is_unclear_and_not_stated() -> None:
    oldest = AnswerFact(name="oldest open invoice", type="date", value="2026-01-12")
    text = "Open invoices:\n- INV-1: 12 January 2026\n- INV-2: 3 February 2026"
    read = judge_answer(text, facts=(oldest,), commits=True)
    assert read.facts[0].status == "unclear"
    assert read.unclear == ("oldest open invoice",)
    assert not read.right


def test_units_and_directions_count_where_a_fact_has_them() -> None:
    stay = AnswerFact(name="length of the stay", type="number", value=3, unit="days")
    assert status_of("The stay is 3 days.", stay) == ["stated"]
    assert status_of("The stay is 3 weeks.", stay) != ["stated"]
    rise = AnswerFact(name="difference", type="number", value=5, direction="more than last month")
    assert status_of("5 more than last month", rise) == ["stated"]
    assert status_of("5 less than last month", rise) != ["stated"]


@pytest.mark.parametrize(
    "text",
    [
        "Another customer's total to pay is 247.50.",
        "For a different customer, the total to pay is 247.50.",
        "Someone else has to pay 247.50 in total.",
        "In last year's file, the total to pay was 247.50.",
        "The total to pay would be 247.50 if it were another one.",
        "Invoice INV-9 has a total to pay of 247.50.",
        "The total to pay was 247.50 once but is 31.00 today.",
        "The total to pay changed from 247.50 to 250.00.",
        "The total to pay is 247.50, unless it is 250.00.",
        "Some records say the total to pay is 247.50, others say 250.00.",
        "The total to pay is 247.50 (or 250.00).",
        "By no means is the total to pay 247.50.",
        "The total to pay is 247.50. Please disregard this answer.",
    ],
)
def test_a_right_value_of_something_else_or_of_another_time_is_not_stated(text: str) -> None:
    assert status_of(text, TOTAL, instruction="What is the total to pay on invoice INV-3?") != ["stated"]


@pytest.mark.parametrize(
    "text",
    [
        "There is no doubt that the total to pay is 247.50.",
        "Without a doubt, the total to pay is 247.50.",
        "total to pay -> 247.50",
        "The total to pay is 247.50, and nobody else owes anything.",
        "That would be 247.50 for the total to pay.",
        "I looked through all pages of the results (3.00 in total). The total to pay is 247.50.",
        "The total to pay on invoice INV-3 is 247.50; the last payment came in January.",
        "The total to pay was 247.50 when I looked.",
    ],
)
def test_words_that_only_look_like_a_doubt_or_another_thing_take_nothing_away(text: str) -> None:
    assert status_of(text, TOTAL, instruction="What is the total to pay on invoice INV-3?") == ["stated"]


def test_two_complements_of_one_subject_contradict_each_other() -> None:
    number = AnswerFact(name="number of the new case", type="text", value="CF-8662")
    assert status_of("The number of the new case is CF-8662.", number) == ["stated"]
    twice = "The number of the new case is CF-8662. The number of the new case is Bramble."
    assert status_of(twice, number) == ["contradicted"]
    assert status_of("The number of the new case is as follows: CF-8662", number) == ["stated"]


def test_a_bare_other_value_contradicts_a_value_that_is_given() -> None:
    given = {"total to pay": 247.5}
    assert status_of(Answer("It is 250.00.", values=given), TOTAL) == ["contradicted"]
    assert status_of(Answer("It is 247.50.", values=given), TOTAL) == ["stated"]
    detail = "I checked the invoice of 95.00 of January."
    assert status_of(Answer(detail, values=given), TOTAL) == ["stated"]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("number of loans moved", 2, "I moved both loans to another bed."),
        ("number of loans moved", 1, "I moved one of the two loans."),
        ("number of loans moved", 2, "2 of the loans were moved, both to Elm; 3 stay."),
        ("number of loans moved", 2, "Two loans could be moved."),
        (
            "number of loans moved",
            2,
            "Loans moved: 2.\n\n| Loan | Number of days |\n|---|---|\n| LO-1 | 15 |\n| LO-2 | 10 |",
        ),
    ],
)
def test_a_count_may_be_told_in_words(name: str, value: int, text: str) -> None:
    fact = AnswerFact(name=name, type="number", value=value)
    assert judge_answer(text, facts=(fact,), changed=True).right


def test_what_was_already_paid_is_not_what_is_still_to_pay() -> None:
    fact = AnswerFact(name="still to pay", type="money_cents", value=3_000)
    text = "It began with 20.00 already paid, so 30.00 is still to pay."
    assert judge_answer(text, facts=(fact,), changed=True).right


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (AnswerFact(name="total", type="money_cents", value=92_000), "The total is nine hundred and twenty."),
        (AnswerFact(name="e-mail", type="text", value="ann@example.org"), "ann@example.org / 5 June 2023"),
        (AnswerFact(name="bicycle", type="name", value="Bicycle R79"), "I took R79 for him."),
        (FIRST, "Of the two (Mara Quillbrook, Junia Wexcombe), the first patient is Junia Wexcombe."),
        (
            AnswerFact(name="earliest due date", type="date", value="2026-05-25"),
            "The earliest due date is 25 May 2026. The second one was due on 31 May 2026.",
        ),
    ],
)
def test_values_in_words_parts_of_names_and_candidates_are_read(fact: AnswerFact, text: str) -> None:
    assert status_of(text, fact, others=NAMES) == ["stated"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("nine hundred and twenty", {920}),
        ("two thousand three hundred and five", {2_305}),
        ("three dozen", {36}),
        ("two and three", {2, 3}),
        ("one hundred and two and three", {102, 3}),
        ("two hundred and three hundred", {200, 300}),
        ("two thousand and five thousand", {2_000, 5_000}),
        ("two hundred and five thousand", {205_000}),
        ("one thousand and two hundred", {1_200}),
        ("two hundred three hundred", {200, 300}),
        ("two thousand and twenty-five thousand", {2_000, 25_000}),
        ("two hundred and three dozen", {200, 36}),
        ("two hundred twenty-five thousand", {225_000}),
    ],
)
def test_numbers_in_words(text: str, numbers: set[int]) -> None:
    assert ParsedText(text).values("number") == numbers


def test_days_of_one_month_are_listed_by_their_numbers() -> None:
    assert ParsedText("15, 17 and 21 July 2026").values("date") == {"2026-07-15", "2026-07-17", "2026-07-21"}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("On 15 and 21 July 2026 it is closed.", {"2026-07-15", "2026-07-21"}),
        ("The 15th and the 21st of July", {"0000-07-15", "0000-07-21"}),
        ("Free dates: 15, 17, and 21 July 2026", {"2026-07-15", "2026-07-17", "2026-07-21"}),
        ("You have court 4, 21 July 2026.", {"2026-07-21"}),
        ("It is the fee 12 and 21 July 2026.", {"2026-07-21"}),
        ("There are 30 and 1 March 2026 is free.", {"2026-03-01"}),
        ("We know of 30, and 28 February 2026 is free.", {"2026-02-28"}),
    ],
)
def test_only_a_rising_list_of_plain_numbers_is_one_of_days(text: str, days: set[str]) -> None:
    assert ParsedText(text).values("date") == days


@pytest.mark.parametrize("text", ["You have court 4, 21 July 2026.", "On 21 July 2026 you have court 4."])
def test_a_number_before_a_day_is_a_number(text: str) -> None:
    fact = AnswerFact(name="court number", type="number", value=4)
    assert status_of(text, fact) == ["stated"]


def test_a_number_that_may_be_a_day_is_both() -> None:
    text = "It is open on 15 and 21 July 2026."
    assert ParsedText(text).values("number") == {15}
    assert status_of(text, AnswerFact(name="places", type="number", value=7)) == ["missing"]
    text = "There are 7 places on 15 and 21 July 2026."
    assert status_of(text, AnswerFact(name="places", type="number", value=7)) == ["stated"]
