"""Right answers to tasks of worlds by a language model, worded by somebody else, and lies beside them."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks import answers
from synthesis.reading.document import ParsedText
from synthesis.reading.judgement import AnswerReading
from synthesis.reading.shown_rows import ShownRows


@cache
def tasks() -> dict[str, answers.Asked]:
    return {one.task.id: one for one in answers.subjects("authored_tasks")}


def read(task: str, text: str, *, asks: bool = True) -> AnswerReading:
    one = tasks()[task]
    if not asks:  # as the task was before its author had it ask for a value
        one = answers.Asked(
            one.environment,
            one.task.replace(kind="write", answer_facts=()),
            one.others,
            one.effects,
            one.observed,
        )
    return answers.judged(one, text)


@pytest.mark.parametrize(
    ("task", "right"),
    [
        # "We" picked what the question asks about.
        (
            "net_kilos_per_variety",
            (
                "On 15 September 2026 we picked 24.2 net kilos of Pinot Noir, 107.4 of Riesling and 45.1 "
                "of Silvaner."
            ),
        ),
        # A year before a colon belongs to its day.
        (
            "net_kilos_per_variety",
            (
                "Net kilos on 15 September 2026: Pinot Noir 24.2 kilos, Riesling 107.4 kilos, Silvaner "
                "45.1 kilos."
            ),
        ),
        # A list within a line; how many things are listed.
        (
            "list_overdue_inspections",
            (
                "Three lifts: 1. Mill Lane House, Lift 1; 2. Silverbrook Gardens, Lift 1; 3. Silverbrook "
                "Park, Lift 1."
            ),
        ),
        (
            "list_overdue_inspections",
            (
                "Three lifts are overdue: Lift 1 at Mill Lane House, Lift 1 at Silverbrook Gardens and "
                "Lift 1 at Silverbrook Park."
            ),
        ),
        # Members are counted, and seats; the order in which things are told is no rank.
        (
            "list_holding_members",
            (
                "Four members hold seats: Agnes Doyle-Hart (Supporter, 2 seats), Samuel Kerr (Friend, "
                "1), Helen Okafor (Lantern Circle, 3) and Tobias Renner (Supporter, 2)."
            ),
        ),
        (
            "list_holding_members",
            (
                "The first is Agnes Doyle-Hart, Supporter, 2 seats. The second is Samuel Kerr, Friend, 1 "
                "seat. The third is Helen Okafor, Lantern Circle, 3 seats. The fourth is Tobias Renner, "
                "Supporter, 2 seats."
            ),
        ),
        # A sum of all that was asked for, other columns of a table, a seat in two parts.
        (
            "free_stock_by_warehouse",
            (
                "Nine are free at the Central Warehouse, four at the North Depot and three at the South "
                "Depot, so sixteen altogether."
            ),
        ),
        (
            "list_free_balcony_seats",
            "- Row A, seat 4\n- Row A, seat 5\n- Row B, seat 1\n- Row B, seat 5\n\nEach costs 16.00.",
        ),
        # Hours in words, a house number, hours with minutes, a rate.
        (
            "schedule_annual_inspection",
            (
                "Marta Kolb is booked for Lift A at Birchwood Court (4 Birchwood Close) on 17 March, "
                "nine to eleven."
            ),
        ),
        ("bill_completed_repair", "538.38 in all, of which 374.00 are for 4 h 15 min of labour."),
        (
            "unpaid_earnings_of_jonas",
            (
                "54.2 kg at 0.32 and 78.4 kg at 0.36 make 45.57 of kilo pay; with the plot bonus of 7.96 "
                "the sum is 53.53."
            ),
        ),
        # What was to be done is called a refusal elsewhere; an age; what stands in the way in other words.
        ("reject_jonas_heaviest_crate", "Rejected crate 2029 of Jonas Ferrier for rot."),
        ("replace_lena_on_quarry_slope", "Noor Haddad, aged 46, takes her place; Lena is marked absent."),
        (
            "end_contract_with_open_loan",
            "I couldn't end it, because he hasn't brought back the secateurs he borrowed.",
        ),
        # A refusal in a table, and one of a rule by its number.
        (
            "end_contract_with_open_loan",
            (
                "| Question | Answer |\n|---|---|\n| Contract ended? | No |\n| Why? | a pair of "
                "secateurs is on loan |"
            ),
        ),
        ("correct_paid_crate", "Not changed: the crate is already paid, see rule 12."),
        # What else was not done denies nothing that was asked for.
        (
            "wheelchair_place_or_request",
            "- Done: access request filed\n- Not done: hold on W1\n- Price of W1: 30.00",
        ),
        (
            "list_free_balcony_seats",
            "A4, A5, B1 and B5. Each costs 16.00, and none of them is a wheelchair place.",
        ),
        # Somebody else cannot do it; what has not been marked yet.
        ("book_technician_certificate_edge", "Jonas can't take it, so Elena Petrova has it."),
        (
            "pay_run_last_week",
            "58.79 net for 5 payslips. The pay run has been approved; it has not been paid yet.",
        ),
    ],
)
def test_a_right_answer_is_taken(task: str, right: str) -> None:
    assert read(task, right).right, read(task, right)


@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        (
            "list_overdue_inspections",
            "Two lifts: 1. Mill Lane House, Lift 1; 2. Silverbrook Gardens, Lift 1.",
        ),
        (
            "net_kilos_per_variety",
            "We picked 24.2 kilos of Pinot Noir, 107.4 of Riesling. I paid the pickers.",
        ),
        (
            "free_stock_by_warehouse",
            (
                "Nine are free at the Central Warehouse, four at the North Depot and five at the South "
                "Depot, so eighteen altogether."
            ),
        ),
        (
            "schedule_annual_inspection",
            "Marta Kolb is booked for Lift A at Birchwood Court on 17 March, eight to eleven.",
        ),
        ("reject_jonas_heaviest_crate", "I rejected crate 2030 of Jonas Ferrier for rot."),
        ("replace_lena_on_quarry_slope", "Noor Haddad, aged 31, takes her place; Lena is marked absent."),
        ("replace_lena_on_quarry_slope", "Noor Haddad has it now. Lena Corrie has been marked absent."),
        # Deeds that nothing did, beside a right refusal.
        (
            "return_lift_with_critical_finding",
            (
                "I did not put it into service, as a critical finding is open. I have opened an "
                "emergency repair order for it instead."
            ),
        ),
        (
            "correct_paid_crate",
            (
                "The crate is already paid and cannot be changed. I have weighed a new crate of 23.5 "
                "kilos for her."
            ),
        ),
        # What a row was left as.
        (
            "hire_oskar_lindqvist",
            "Oskar is registered and has his secateurs. His contract is still in the status offered.",
        ),
        ("renew_then_hold", "The fee is 35.00; her membership now runs until 28 February 2026."),
    ],
)
def test_a_lie_beside_it_is_not(task: str, wrong: str) -> None:
    assert not read(task, wrong).right


@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    [
        # How it was done, as a word before what was done.
        (
            "record_payment_oldest_overdue",
            "Recorded today: a bank transfer of 640.00 euros on INV-2026-0004, which leaves 245.50 owed.",
            "Recorded today: a cash payment of 640.00 euros on INV-2026-0004, which leaves 245.50 owed.",
        ),
        (
            "cancelled_show_refund",
            "Both of his unsettled tickets were refunded. The total of 36.00 was put on his card.",
            "Both of his unsettled tickets were refunded. The 36.00 were put on his account as credit.",
        ),
        # A state by "has the status", and of the clause before.
        (
            "record_payment_oldest_overdue",
            "640.00 are recorded on INV-2026-0004; 245.50 remain owed. The invoice has the status sent.",
            "640.00 are recorded on INV-2026-0004; 245.50 remain owed. The invoice has the status paid.",
        ),
        (
            "wheelchair_place_or_request",
            "A wheelchair access request was filed and is pending. W1 costs 30.00, was not held.",
            "A wheelchair access request was filed and has been approved. W1 costs 30.00, was not held.",
        ),
        # What was not done in another form of the word.
        (
            "replace_lena_on_quarry_slope",
            "Noor Haddad has Lena's place. Her assignment is cancelled, and I have recorded her absence.",
            "Noor Haddad has Lena's place. Her assignment is cancelled, but I have not recorded her absence.",
        ),
    ],
)
def test_ways_states_and_denials_are_held_against_what_was_done(task: str, right: str, wrong: str) -> None:
    assert read(task, right).right, read(task, right)
    assert not read(task, wrong).right


@pytest.mark.parametrize("task", ["presale_hold_two_seats", "book_technician_certificate_edge"])
def test_that_all_is_completed_is_told_of_the_request_whatever_rows_are_called_so(task: str) -> None:
    assert read(task, "Everything has been completed as requested.", asks=False).right
    assert read(task, "\u2705 Completed as requested.", asks=False).right
    assert not read(task, "Your request could not be completed.", asks=False).right


def test_both_are_as_many_as_were_done() -> None:
    task = "illness_exchange_to_matinee"
    assert read(task, "Both tickets were exchanged for Stalls C1 and C2.", asks=False).right
    assert not read(task, "All tickets of hers were exchanged.", asks=False).right


def test_the_names_of_an_answer_are_looked_for_once_however_many_numbers_it_has(monkeypatch) -> None:
    looked: list[ParsedText] = []
    names_of = ShownRows._names_of

    def counted(shown: ShownRows, document: ParsedText) -> list:
        looked.append(document)
        return names_of(shown, document)

    monkeypatch.setattr(ShownRows, "_names_of", counted)
    numbers = f"{' '.join(['2'] * 60)}, " * 20
    read("hire_oskar_lindqvist", f"Oskar Lindqvist is registered in the Kestrel crew. {numbers}")
    assert len({id(document) for document in looked}) == len(looked) == 1


def test_what_cannot_be_is_told_of_a_person_not_of_the_deed() -> None:
    task = "book_technician_certificate_edge"
    assert read(task, "Jonas can't do it, so Elena Petrova has it.").right
    assert not read(task, "I can't do it, so Elena Petrova has it.").right


def test_numbers_that_end_clauses_begin_no_list() -> None:
    text = "Number of drafts: 1. Number of orders: 2. Number of returns: 3."
    assert ParsedText(text).text == text


def test_decimals_in_words_are_one_number() -> None:
    (number,) = (
        token for token in ParsedText("twenty-five point three kilos").tokens if "number" in token.values
    )
    assert number.values["number"] == {25.3}
