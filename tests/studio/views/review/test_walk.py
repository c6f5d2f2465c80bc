"""The guided review: a card in plain language, answers that become flags at their place, what was seen."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import Comment, EnvironmentRecord, Flag, FlagState, UnitAnswer
from studio.services.accounts import people
from studio.services.environments import edits, quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.review import answers, queue
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding
from tests.studio.conftest import GRADED

AT = "/environments/lending_desk/review/"
DRILL = f"{AT}walk/return_the_drill/"


@pytest.fixture
def rosa(client: Client, reviewer: User) -> Client:
    client.force_login(reviewer)
    return client


def words(page: str) -> str:
    """The page as it is read, in one line."""
    text = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(text.replace("&#x27;", "'").split())


def card(page: str) -> str:
    """What the card of the task says."""
    return words(page[page.index("task-card") : page.index('aria-label="Your answer"')])


def test_a_task_is_told_without_code_ids_or_json(trajectory, rosa) -> None:
    text = card(rosa.get(DRILL).content.decode())
    assert "Take back the drill that Ada borrowed with loan 7." in text
    assert "Return item : Ada, drill changes 1 row" in text
    assert "Loan changed: Ada, drill" in text
    assert "Returned 0 → becomes 1" in text
    assert "The drill is back" in text
    assert not re.search(r"return_item|loan_id|member_id|[{}]", text)


def test_what_the_agent_saw_and_the_rules_are_beside_the_task(stored, rosa, lead) -> None:
    page = rosa.get(f"{AT}walk/count_the_loans/").content.decode()
    assert "What it saw at step 1" in card(page)
    assert "drill" in card(page)
    assert "Nobody borrows two drills." not in words(page)
    rules = edits.edit_policy("Nobody borrows **two** drills.")
    edits.edit(record=stored, revision_number=1, editor=lead, change=rules, reason="House rule.")
    text = words(rosa.get(f"{AT}walk/count_the_loans/").content.decode())
    assert "The rules Nobody borrows two drills." in text


def test_expert_view_shows_the_code(trajectory, rosa) -> None:
    rosa.post("/expert-view/", {"view": "expert", "next": DRILL})
    text = card(rosa.get(DRILL).content.decode())
    assert "return_item(loan_id=7)" in text or "return_item({&quot;loan_id&quot;: 7})" in text
    rosa.post("/expert-view/", {"view": "plain", "next": DRILL})
    assert "return_item" not in card(rosa.get(DRILL).content.decode())


def test_a_task_without_a_stored_replay_is_played_now(stored, rosa) -> None:
    text = card(rosa.get(f"{AT}walk/count_the_loans/").content.decode())
    assert "List loans" in text
    assert "Nothing changes." in text
    assert "One is named" in text
    assert "The answer says: Loans 1" in text


@pytest.mark.parametrize(
    ("place", "reason", "part", "where"),
    [
        ("step-1", "tool_bug", "tools", "return_item"),
        ("row-1", "data_wrong", "seed_data", "return_the_drill"),
        ("check-1", "verifier_wrong", "verifiers", "return_the_drill"),
        ("request", "task_unclear", "tasks", "return_the_drill"),
        ("", "other", "tasks", "return_the_drill"),
    ],
)
def test_a_wrong_answer_is_a_flag_at_its_place_and_leads_to_the_next_task(
    place: str, reason: str, part: str, where: str, trajectory, rosa
) -> None:
    answer = rosa.post(DRILL, {"answer": "wrong", "place": place, "note": "It is late."})
    assert answer.headers["Location"] == f"{AT}walk/count_the_loans/"
    flag = Flag.objects.get()
    assert (flag.reason, flag.part, flag.where, flag.severity) == (reason, part, where, "blocking")
    assert flag.comment.endswith("It is late.")
    assert flag.evidence["task"] == "return_the_drill"
    page = rosa.get("/environments/lending_desk/tasks/return_the_drill/").content.decode()
    assert "It is late." in page


def test_another_answer_takes_its_flag_back_and_the_same_twice_is_one(trajectory, rosa) -> None:
    wrong = {"answer": "wrong", "place": "request", "note": "Which drill?"}
    rosa.post(DRILL, wrong)
    rosa.post(DRILL, wrong)
    assert Flag.objects.count() == 1
    rosa.post(DRILL, {"answer": "right", "note": "There is only one."})
    assert Flag.objects.get().state == FlagState.WITHDRAWN
    assert Comment.objects.get().body == "There is only one."
    assert UnitAnswer.objects.get(unit="task:return_the_drill").answer == "right"


def test_wrong_without_a_word_is_refused_and_keeps_the_choice(trajectory, rosa) -> None:
    answer = rosa.post(DRILL, {"answer": "wrong", "place": "step-1", "note": " "})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Say what is wrong" in page
    assert re.search(r'value="wrong"\s+id="answer-wrong"\s+checked', page)
    assert not Flag.objects.exists()


def test_what_was_seen_is_counted_and_ends_when_it_changes(
    trajectory, rosa, reviewer: User, second_reviewer: User
) -> None:
    record = trajectory.environment
    rosa.get(f"{DRILL}?table=loans")
    seen = answers.progress(record=EnvironmentRecord.objects.get(pk=record.pk), reviewer=reviewer)
    assert seen.words == "1 of 2 tasks, 1 of 2 tables, 1 of 2 tools"
    edits.edit(
        record=record,
        revision_number=1,
        editor=second_reviewer,
        change=edits.edit_tools(
            record.current.parts.get(part="tools").load().source.replace("Take back a", "Take in a")
        ),
        reason="Better words.",
    )
    later = answers.progress(record=EnvironmentRecord.objects.get(pk=record.pk), reviewer=reviewer)
    assert later.words == "1 of 2 tasks, 1 of 2 tables, 0 of 2 tools"


def test_approving_after_too_little_says_so_and_needs_a_reason(stored, rosa) -> None:
    values = {"revision": 1, "decision": "approve", **GRADED}
    refused = rosa.post(f"{AT}submit/", values)
    assert refused.status_code == 422
    assert "You have seen 0 of 2 tasks, 0 of 2 tables, 0 of 2 tools" in refused.content.decode()
    assert rosa.post(f"{AT}submit/", {**values, "comment": "I made desks like it."}).status_code == 302


def test_who_has_seen_enough_approves_without_a_word(trajectory, rosa) -> None:
    for task in ("return_the_drill", "count_the_loans"):
        rosa.post(f"{AT}walk/{task}/", {"answer": "right"})
        rosa.get(f"{AT}walk/{task}/?table=loans")
    assert rosa.post(f"{AT}submit/", {"revision": 1, "decision": "approve", **GRADED}).status_code == 302


def test_grades_and_words_follow_from_the_answers(trajectory, rosa) -> None:
    rosa.post(DRILL, {"answer": "wrong", "place": "step-1", "note": "It takes back the wrong one."})
    answer = rosa.post(f"{AT}walk/count_the_loans/", {"answer": "right"})
    assert answer.headers["Location"] == AT
    page = rosa.get(AT)
    form = page.context["form"]
    grades = {name: form[f"score_{name}"].value() for name in ("task_feasibility", "toolset_completeness")}
    assert grades == {"task_feasibility": "3", "toolset_completeness": "4"}
    assert form["unit.task:return_the_drill"].value() == "request_changes"
    assert form["comment"].value() == "Return the drill: It takes back the wrong one."
    assert "1 right, 1 wrong, 0 not sure." in words(page.content.decode())


def test_the_walk_begins_where_the_person_left_off(trajectory, rosa) -> None:
    assert rosa.get(f"{AT}walk/").headers["Location"] == DRILL
    rosa.post(DRILL, {"answer": "unsure"})
    assert rosa.get(f"{AT}walk/").headers["Location"] == f"{AT}walk/count_the_loans/"


def test_who_only_reads_sees_the_card_and_no_form(trajectory, client: Client, viewer: User) -> None:
    client.force_login(viewer)
    page = client.get(DRILL).content.decode()
    assert "Take back the drill" in page
    assert 'name="answer"' not in page
    assert not UnitAnswer.objects.exists()
    assert client.post(DRILL, {"answer": "right"}).status_code == 403


def test_who_else_holds_it_is_told(trajectory, rosa, second_reviewer: User) -> None:
    queue.claim(record=trajectory.environment, reviewer=second_reviewer)
    assert "Ravi holds this environment until" in words(rosa.get(DRILL).content.decode())


def test_a_submitted_review_leads_to_the_next_world_of_the_same_field(stored, rosa, reviewer: User) -> None:
    from studio.models import AuthorKind
    from studio.services.environments.environments import store_environment
    from tests.studio.conftest import report_on, small_environment

    for number, category in enumerate(("catering", "lending")):
        one = small_environment(name=f"desk_{number}", title=f"Desk {number}")
        one = one.replace(scenario=one.scenario.replace(category=category))
        store_environment(
            environment=one, author_kind=AuthorKind.PROCEDURAL, reason="Made.", report=report_on(one)
        )
    rosa.post(f"{AT}submit/", {"revision": 1, "decision": "reject", "comment": "No."})
    page = rosa.get(AT)
    assert page.context["next_item"].name == "desk_1"
    people.set_expertise(user=reviewer, fields=["Catering"])
    assert rosa.get(AT).context["next_item"].name == "desk_0"
    taken = rosa.post("/review/next/")
    assert taken.headers["Location"] == "/environments/desk_0/review/walk/"
    taken = rosa.post("/environments/desk_1/review/claim/", {"walk": "1"})
    assert taken.headers["Location"] == "/environments/desk_1/review/walk/"


def test_a_card_asks_the_database_little(trajectory, rosa, django_assert_max_num_queries) -> None:
    rosa.get(DRILL)
    with django_assert_max_num_queries(15):
        rosa.get(DRILL)


def test_the_check_that_warns_is_named_in_the_queue_and_beside_every_task(stored, rosa) -> None:
    warning = Finding(part="tasks", check="a", message="It could be clearer.", severity="warning")
    results = tuple(
        CheckResult(claim=claim, passed=True, findings=findings)
        for claim, findings in (("moments_are_in_order", (warning,)), ("amounts_add_up", ()))
    )
    report = CheckReport(environment=stored.current.fingerprint, results=results)
    store_report(revision=stored.current, report=report)
    quality_gates.settle(stored)
    words = "Dates are in order: nothing ends before it begins"
    queue = rosa.get("/review/").content.decode()
    assert f"Why first: 1 check passes with warnings: “{words}”" in queue
    page = rosa.get(DRILL).content.decode()
    assert f'href="/environments/lending_desk/checks/moments_are_in_order/">{words}.</a>' in page
    assert "1 check passes with warnings" not in page
    assert "Quantity times price" not in page
