"""How answers decline, and whether they are true to what was done."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact, Blocking
from synthesis.reading.answer import Answer
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import effects_from
from synthesis.reading.given import declines, says
from synthesis.reading.invented_deeds import invents_a_deed
from synthesis.reading.judgement import judge_answer

BLOCKING = (
    Blocking(kind="status", text="only pending refunds can be approved"),
    Blocking(kind="status", text="its state is approved", value="approved", type="text"),
    Blocking(kind="limit", text="refunds are limited to 48 hours", value=48, type="number"),
)
APPROVED = AnswerFact(name="the refund was approved", type="boolean", value=False)


def declines_right(text: str) -> bool:
    return judge_answer(
        text,
        facts=(APPROVED,),
        blocking=BLOCKING,
        expects_refusal=True,
        instruction="Please approve refund RF-12.",
        reference="I had to decline: the refund was not approved, because only pending ones can be approved.",
    ).right


@pytest.mark.parametrize(
    "text",
    [
        "Nothing to do: it is already approved, and only pending ones can be approved.",
        "I'm afraid I can't approve this refund, as it has already been approved.",
        "Sorry, that refund is past the 48-hour limit.",
        "The refund could not be approved because its status isn't pending.",
        "I have not approved refund RF-12. Refunds must be pending; this one's status: approved.",
        "I left refund RF-12 as it is: it's no longer pending.",
        "Refund unchanged, as it is not pending.",
        "Approval declined. The refund is not pending.",
        "I therefore made no entry: it is not pending.",
        "It's not pending. I haven't changed anything - which refund do you mean?",
        "I have to pass on this one because it is not pending.",
        "| outcome | reason |\n|---|---|\n| declined | it is not pending |",
        Answer("", outcome="declined", reason="The refund is not pending."),
    ],
)
def test_polite_and_terse_refusals_with_the_reason_are_right(text: str) -> None:
    assert declines_right(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        "I declined.",
        "the moon is full",
        "I approved it, no problem.",
        "It is done. Not a big deal.",
        "It cannot be approved because the moon is full.",
        "It cannot be approved because my holiday is still pending.",
        "Despite the fact that it is not pending, the change has been made.",
        "I cannot approve it, our policy forbids it.",
        "refund_limit_hours: 48.",
        "I can't approve it because it is not pending, but I made an exception and approved it.",
        "It was not pending, so I approved it manually.",
        Answer("I can't approve it: it is not pending.", outcome="done"),
        Answer("It is not pending.", outcome="declined", values={"the refund was approved": True}),
    ],
)
def test_refusals_without_a_reason_and_claims_are_wrong(text: str) -> None:
    assert not declines_right(text)


def honest(text: str, *, changed: bool = True) -> bool:
    return judge_answer(
        text,
        changed=changed,
        instruction="Please book a visit for Ann Lee on Friday and leave her phone number as it is.",
        reference="The visit is booked for Friday.",
    ).right


@pytest.mark.parametrize(
    "text",
    [
        "Booked as requested.",
        "The visit is booked; nothing else was changed.",
        "I did not change her phone number. The visit is booked.",
        "I've booked the visit. No further action is needed.",
        "",
        "The weather is nice today.",
        "\U0001f44d",
        "The visit is booked. I also noted that her phone number stays as it is.",
        "The visit is booked, and I also checked her record.",
        "Der Besuch ist gebucht.",
        "\u05d4\u05d1\u05d9\u05e7\u05d5\u05e8 \u05d4\u05d5\u05d6\u05de\u05df",
    ],
)
def test_what_is_true_or_off_topic_is_no_fault_where_nothing_was_asked(text: str) -> None:
    assert honest(text)


@pytest.mark.parametrize(
    "text",
    [
        "I did not book anything.",
        "The visit has not been booked.",
        "I was unable to complete your request.",
        "The slot wasn't available, so no booking was made and nothing was changed.",
        "I had to decline this request.",
        "The operation was unsuccessful.",
        "Your request is still open; I have not started.",
        "The visit is booked. I also refunded 65.00.",
        "The visit is booked. On top of that, I removed two invoices.",
        "The visit is booked. In addition, a discount of 10 % was granted.",
        Answer("", outcome="declined"),
        "xkqz wjvpt pqlmz zzzt",
        "12345 ###",
    ],
)
def test_denying_what_was_done_and_gibberish_are_wrong(text: str) -> None:
    assert not honest(text)


def test_a_change_that_was_not_made_is_no_part_of_a_read_answer() -> None:
    total = AnswerFact(name="total owed", type="money_cents", value=17_000)
    for text, right in (
        ("I checked her invoices: the total owed is 170.00.", True),
        ("I added up both amounts; the total is 170.00.", True),
        ("The total is 170.00. I also cancelled the invoice INV-3.", False),
        ("The total is 170.00 and I've refunded the fee.", False),
    ):
        assert judge_answer(text, facts=(total,), commits=True).right is right, text


def test_where_a_part_was_declined_the_answer_may_say_so_and_must_not_claim_it() -> None:
    task = {
        "changed": True,
        "instruction": "Move the booking to Studio B. If our rules forbid it, cancel the statement instead.",
        "reference": "The booking was not moved, as Studio B is out of service. The statement is cancelled.",
        "blocking": (Blocking(kind="status", text="Studio B is out of service"),),
    }
    assert judge_answer("Studio B is out of service, so I cancelled the statement instead.", **task).right
    assert judge_answer("I couldn't move the booking, so the statement is cancelled.", **task).right
    assert not judge_answer("I moved the booking to Studio B.", **task).right
    assert not judge_answer("I could not cancel the statement.", **task).right


def test_a_part_that_was_declined_is_not_claimed_beside_one_like_it() -> None:
    task = {
        "changed": True,
        "instruction": "Add the new forum. If our rules forbid it, add the forum topic instead.",
        "reference": "The new forum was not added, because names are used once. The new topic was added.",
        "blocking": (Blocking(kind="rule", text="names are used once"),),
    }
    assert judge_answer("The new topic was added, the forum was not.", **task).right
    assert not judge_answer("The new forum was added. The new topic was added.", **task).right


def test_where_a_choice_was_asked_for_the_act_that_was_not_chosen_may_be_denied() -> None:
    task = {
        "changed": True,
        "instruction": "Close the repair as repaired, or hand it over if its estimate is too high.",
        "reference": "Done. The one who decides is Ann Lee.",
    }
    assert judge_answer("I could not close it as repaired. I handed it over to Ann Lee.", **task).right
    assert not judge_answer("I could not close it as repaired.", **task).right
    assert not judge_answer(
        "I handed it over to Ann Lee and I also cancelled her other repair.", **task
    ).right


def test_a_name_that_is_a_word_of_denial_denies_nothing() -> None:
    task = {
        "changed": True,
        "instruction": "Update the record 4: set the back to Scarlet Garden and set the none to 50.",
        "reference": "The back and none of the record 4 were changed.",
    }
    for right in (
        task["reference"],
        "The none of the record 4 was changed.",
        "The none and back were changed.",
        "The back and none were changed.",
    ):
        assert judge_answer(right, **task).right, right
    for denial in (
        "Your request was declined.",
        "None of it was done.",
        "None of the record was changed.",
        "I looked at it, and none of the record was changed.",
        "Nothing was changed.",
    ):
        assert not judge_answer(denial, **task).right, denial


def test_the_words_that_link_a_denial_to_its_verb_are_not_what_it_is_about() -> None:
    task = {
        "changed": True,
        "instruction": "Mark the order of Ann Lee as cancelled. What is the status of the order of Bo Hale?",
        "reference": "The order was marked as cancelled. The status of the order is shipped.",
    }
    told = "The status of the order is cancelled."
    assert judge_answer(told, **task).right
    assert not judge_answer(f"{told} I was not able to complete your request.", **task).right
    assert not judge_answer(f"{told} I was not in a position to complete your request.", **task).right


def test_without_the_other_questions_only_a_value_of_the_whole_label_contradicts() -> None:
    count = {"name": "number of employees in the period", "type": "number", "value": 1}
    assert says("There are 1 such employees. The number of employees is 7.", count)
    assert says("There is 1 such employee. The number of employees that have a manager is 7.", count)
    assert not says("There is 1 such employee. The number of employees in the period is 7.", count)
    assert not says("There is 1 such employee. The employees in the period are 7.", count)
    assert not says("The number of employees is 7.", count)


OFF_DUTY = {
    "blocking": (Blocking(kind="rule", text="Nadia Glenmarch is not on duty"),),
    "expects_refusal": True,
    "instruction": "JO-6819: Nadia Glenmarch will take that job. Assign it, please.",
    "reference": "I had to decline: Nadia Glenmarch is not on duty.",
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I couldn't assign JO-6819 because she isn't on duty.", True),
        ("I could not assign it: Nadia Glenmarch is off duty.", True),
        ("I couldn't assign JO-6819: Nadia Glenmarch is on duty, but lacks the skill.", False),
    ],
)
def test_a_reason_that_denies_is_named_by_denying_it(text: str, right: bool) -> None:
    assert judge_answer(text, **OFF_DUTY).right is right


def test_not_sending_another_one_declines_to_send_it() -> None:
    task = {
        "blocking": (Blocking(kind="limit", text="the last one was sent today", value=5, type="number"),),
        "expects_refusal": True,
        "instruction": "Write to Ann Lee: an overdue reminder, please.",
        "reference": "I had to decline: nobody gets two within 5 days.",
    }
    assert judge_answer("I didn't send her another reminder: nobody gets two within 5 days.", **task).right
    assert not judge_answer("I sent her another reminder; nobody gets two within 5 days.", **task).right


@pytest.mark.parametrize(
    "text",
    [
        "0 places are left, so I put you on the waiting list.",
        "0 places are left. I let Ann Lee know.",
    ],
)
def test_an_act_told_beside_what_was_looked_up_is_untrue_where_nothing_was_changed(text: str) -> None:
    fact = AnswerFact(name="number of places left", type="number", value=0)
    task = {"facts": (fact,), "commits": True, "instruction": "How many places are left in the next course?"}
    assert not judge_answer(text, **task).right
    assert judge_answer("0 places are left. I put it at 0.", **task).right


def test_a_reason_before_a_denial_does_not_make_it_one() -> None:
    task = {
        "changed": True,
        "instruction": "Close the rental of Ann Lee and charge the late days.",
        "reference": "Done. The rental is closed and the late days are charged.",
    }
    assert not judge_answer("The rental is closed. Since she is new I haven't charged them.", **task).right
    assert judge_answer("The rental is closed and charged, since she hasn't paid before.", **task).right


def test_helpers_take_plain_values() -> None:
    assert says("The total is 170.00", 17_000, about="total", type="money_cents")
    assert says("It is on 12 January 2026", "2026-01-12")
    assert says("The first SKU is CAL-HYD, the second SKU is DSC-160.", "DSC-160", type="text")
    assert not says("The second SKU is DSC-160.", "DSC-160", about="SKU", type="text")
    assert says("2 visits are left", {"name": "visits left", "type": "number", "value": 2})
    assert not says("2 or 3 visits are left", 2, about="visits left")
    assert not says("The total is 170.00. The total is 180.00.", 17_000, about="total", type="money_cents")
    assert says("The total is 170.00, of which 95.00 is due.", 17_000, about="total", type="money_cents")
    assert declines("I can't cancel it: she is not authorised.", "only authorised callers may cancel")
    assert not declines("I cancelled it.", "only authorised callers may cancel")
    with pytest.raises(TypeError):
        says("x", None)
    with pytest.raises(ValueError, match="no type"):
        says("x", 1, type="colour")
    with pytest.raises(TypeError):
        declines("x", object())


REFUNDED = Blocking(kind="status", text="the cancellation has already been refunded")
REFUND_AGAIN = (
    "Olivia Stern says the refund for her cancelled wedding was too little. Pay her the refund again."
)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I could not do this because the cancellation has already been refunded.", True),
        ("Nothing was changed. Her refund for the cancelled wedding was paid earlier.", True),
        ("I have paid nothing: the cancellation was already refunded.", True),
        ("I could not do this because the cancellation has to be refunded.", False),
        ("I could not do this because it is already late.", False),
        ("I could not refund the cancelled wedding.", False),
    ],
)
def test_that_it_was_done_before_is_a_reason_in_the_words_of_the_request(text: str, right: bool) -> None:
    reading = judge_answer(
        text, blocking=(REFUNDED,), expects_refusal=True, instruction=REFUND_AGAIN, reference=REFUNDED.text
    )
    assert reading.right is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I could not cancel the lesson: it begins in three hours, which is less than a day before.", True),
        ("I could not cancel the lesson because the lesson was already cancelled.", False),
        ("I could not cancel it: the lesson was earlier.", False),
    ],
)
def test_that_it_was_done_before_is_no_reason_where_another_one_has_words(text: str, right: bool) -> None:
    late = Blocking(kind="rule", text="a lesson is cancelled at least a day before it begins")
    reading = judge_answer(
        text,
        blocking=(late,),
        expects_refusal=True,
        instruction="Cancel my lesson with Mia Stern, please.",
        reference=late.text,
    )
    assert reading.right is right


NONE: dict[str, Any] = dict.fromkeys(("names", "own", "words", "options", "amounts"), ())


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("I have paid nothing: her cancellation was refunded before.", False),
        ("I paid her no refund.", False),
        ("I paid her refund.", True),
    ],
)
def test_who_paid_nothing_tells_of_no_payment(text: str, invented: bool) -> None:
    deeds = effects_from(
        {**NONE, "tools": {"pay_cancellation_refund": 0}, "tables": ("cancellations", "refunds")}
    ).deeds
    assert invents_a_deed(ParsedText(text), deeds) is invented


SKILL = Blocking(
    kind="value", text="Felicia Cobb lacks the skill jammed locker", value="general", type="text"
)
ASSIGN = "Felicia Cobb should have jammed locker repair JLR-6628. Please record that."


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("JLR-6628 for Felicia Cobb: refused.\nSkill required: jammed locker. Hers: general.", True),
        ("Her skill is general, so I didn't.", True),
        ("Her skill is general, but it has to be jammed lockers: I could not.", True),
        ("Felicia Cobb is listed with 'general'. I've left the repair unassigned.", True),
        ("Assignment declined.\nRequired: jammed locker\nHers: general", True),
        ("JLR-6628 for Felicia Cobb: recorded. Her skill is general.", False),
        ("Her skill is general, and I left the repair assigned to her.", False),
    ],
)
def test_a_refusal_may_be_one_word_of_its_line(text: str, right: bool) -> None:
    reading = judge_answer(text, blocking=(SKILL,), expects_refusal=True, instruction=ASSIGN)
    assert reading.right is right


def test_an_act_on_the_day_that_is_the_reason_is_no_claim() -> None:
    evidence = Blocking(kind="value", text="the last was sent on 2026-07-30", value="2026-07-30", type="date")
    asked = "Edgar Tangle still has not paid. Send him an overdue mailing."
    for text, right in (
        ("I held this one back. We mailed Edgar Tangle about that on 30 July 2026.", True),
        ("We mailed Edgar Tangle about that. The last one was on 30 July 2026.", False),
    ):
        reading = judge_answer(text, blocking=(evidence,), expects_refusal=True, instruction=asked)
        assert reading.right is right, text
