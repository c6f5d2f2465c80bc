"""The questions of the proof on their page: answered, seen by the lead, shipped with the review."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import EnvironmentRecord, Flag, FlagState, UnitAnswer
from studio.services.review import answers, questions, reviews
from tests.studio.questions_scene import QUESTIONS, ask

AT = "/environments/lending_desk/review/"
ITEM, KIND = (question.id for question in QUESTIONS)


@pytest.fixture
def record(stored: EnvironmentRecord) -> EnvironmentRecord:
    return ask(stored)


def enter(client: Client, user: User) -> Client:
    client.force_login(user)
    return client


def send(client: Client, question: str, answer: str, note: str = "") -> object:
    return client.post(f"{AT}questions/", {f"{question}-answer": answer, f"{question}-note": note})


def test_questions_are_shown_in_plain_words_with_their_rows_and_escaped(record, client, reviewer) -> None:
    page = enter(client, reviewer).get(f"{AT}questions/").content.decode()
    assert "0 of 2 answered" in page
    assert "“list loans” shows the item of loans." in page
    assert "suggests that it is for internal use" in page
    assert re.search(r"drill", page)
    assert "<b>Is that" not in page


def test_no_is_a_flag_at_its_place_and_leads_to_the_next_question(record, client, reviewer) -> None:
    answer = send(enter(client, reviewer), ITEM, "no", "Members must not see it.")
    assert answer.headers["Location"] == f"{AT}questions/#question-2"
    flag = Flag.objects.get()
    assert (flag.reason, flag.part, flag.where, flag.severity) == (
        "tool_bug",
        "tools",
        "list_loans",
        "blocking",
    )
    assert flag.comment.endswith("Members must not see it.")
    assert QUESTIONS[0].text in flag.comment
    assert flag.evidence["question"] == ITEM
    assert "Members must not see it." in client.get(f"{AT}questions/").content.decode()


def test_yes_takes_the_flag_back_and_the_last_answer_leads_to_the_decision(record, client, reviewer) -> None:
    enter(client, reviewer)
    send(client, ITEM, "no", "Members must not see it.")
    send(client, ITEM, "yes")
    assert Flag.objects.get().state == FlagState.WITHDRAWN
    assert send(client, KIND, "unsure").headers["Location"] == AT
    assert UnitAnswer.objects.exclude(answer="").count() == 2


@pytest.mark.parametrize(
    ("answer", "note", "text"),
    [
        ("no", " ", "Say what is wrong"),
        ("", "Hm.", "Choose yes, no or not sure."),
        ("", "", "Nothing was answered"),
        ("x", "", "x is not one of the available choices"),
    ],
)
def test_an_answer_that_says_nothing_is_refused_and_kept_in_the_form(
    record, client, reviewer, answer: str, note: str, text: str
) -> None:
    refused = send(enter(client, reviewer), ITEM, answer, note)
    assert refused.status_code == 422
    assert text in refused.content.decode()
    assert note in refused.content.decode()
    assert not UnitAnswer.objects.exists()


def test_all_answers_are_sent_together_or_none_is_taken(record, client, reviewer) -> None:
    sent = {f"{ITEM}-answer": "no", f"{ITEM}-note": "", f"{KIND}-answer": "unsure"}
    refused = enter(client, reviewer).post(f"{AT}questions/", sent)
    assert refused.status_code == 422
    assert not UnitAnswer.objects.exists()
    assert re.search(r'value="unsure"[^>]*checked', refused.content.decode())  # what was right is not lost
    sent[f"{ITEM}-note"] = "Members must not see it."
    taken = client.post(f"{AT}questions/", sent, follow=True)
    assert taken.redirect_chain[-1][0] == AT
    assert "Your 2 answers are saved; 1 of them is a flag now." in taken.content.decode()
    assert {each.answer for each in questions.asked(record=record, user=reviewer)} == {"no", "unsure"}


def test_what_was_answered_before_and_is_sent_again_stays_as_it_is(record, client, reviewer) -> None:
    send(enter(client, reviewer), ITEM, "no", "Members must not see it.")
    at = UnitAnswer.objects.get().answered_at
    sent = {f"{ITEM}-answer": "no", f"{ITEM}-note": "Members must not see it.", f"{KIND}-answer": "yes"}
    client.post(f"{AT}questions/", sent)
    assert UnitAnswer.objects.get(unit__endswith=ITEM).answered_at == at
    assert [flag.state for flag in Flag.objects.all()] == [FlagState.OPEN]
    assert client.post(f"{AT}questions/", sent).headers["Location"] == AT


def test_a_question_that_is_not_asked_is_not_found(record, client, reviewer) -> None:
    assert send(enter(client, reviewer), "untried_rule:99", "yes").status_code == 404
    assert send(client, "x" * 200, "yes").status_code == 404
    assert not UnitAnswer.objects.exists()


def test_a_viewer_reads_and_does_not_answer(record, client, viewer) -> None:
    page = enter(client, viewer).get(f"{AT}questions/").content.decode()
    assert "Save answers" not in page
    assert send(client, ITEM, "yes").status_code == 403


def test_an_answer_ends_when_what_it_rests_on_changes(record, client, reviewer) -> None:
    send(enter(client, reviewer), ITEM, "yes")
    ask(record, QUESTIONS[0].replace(because="Another row shows it, too."), QUESTIONS[1])
    assert [each.answer for each in questions.asked(record=record, user=reviewer)] == ["", ""]


def test_answers_to_questions_change_no_count_of_tasks(record, client, reviewer) -> None:
    before = answers.progress(record=record, reviewer=reviewer)
    send(enter(client, reviewer), KIND, "unsure")
    assert answers.progress(record=record, reviewer=reviewer) == before


def test_the_last_task_leads_to_the_questions(record, client, reviewer) -> None:
    enter(client, reviewer)
    client.post(f"{AT}walk/return_the_drill/", {"answer": "right"})
    last = client.post(f"{AT}walk/count_the_loans/", {"answer": "right"})
    assert last.headers["Location"] == f"{AT}questions/"


def test_a_lead_sees_the_answers_of_submitted_reviews_and_the_bundle_carries_them(
    record, client, reviewer, lead
) -> None:
    send(enter(client, reviewer), KIND, "unsure", "Ask the desk.")
    client.force_login(lead)
    assert "Ask the desk." not in client.get(f"{AT}questions/").content.decode()
    reviews.submit(record=record, revision_number=1, reviewer=reviewer, decision="reject", comment="No.")
    assert "Ask the desk." in client.get(f"{AT}questions/").content.decode()
    assert QUESTIONS[0].text in client.get(AT).content.decode()
    (document,) = reviews.documents(record.current)
    assert [(each.question, each.answer, each.note, each.by) for each in document.answers] == [
        (KIND, "unsure", "Ask the desk.", "person")
    ]


def test_an_environment_without_questions_says_so(stored, client, reviewer) -> None:
    assert "Code found nothing to doubt" in enter(client, reviewer).get(f"{AT}questions/").content.decode()
