"""Review pages: verdicts per part, stale ones, sending back, what returns, conflicts, the two-person rule."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.jobs import execute_run
from studio.models import EnvironmentRecord, EnvironmentState, FlagState, Review, Role, Run
from studio.services.environments import edits, quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.environments.environments import load_environment
from studio.services.review import flags, queue, reviews
from studio.services.synthesis import authors
from synthesis.documents.policy import Policy
from synthesis.pipeline.author import Written
from tests.studio.conftest import GRADED, GRADES, TOOLS, report_on

AT = "/environments/lending_desk/"
BETTER = "Be kind to every member, but never waive a fee, whatever reason they give."


def fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def edited(record: EnvironmentRecord, editor: User, change, number: int = 1) -> None:
    """A new revision whose checks hold."""
    revision = edits.edit(
        record=record, revision_number=number, editor=editor, change=change, reason="Better."
    )
    store_report(revision=revision, report=report_on(load_environment(revision)))
    quality_gates.settle(fresh(record))


def approve(record: EnvironmentRecord, reviewer: User, **more) -> Review:
    values = {"revision_number": 1, "decision": "approve", "scores": GRADES, "comment": "Seen."} | more
    return reviews.submit(record=fresh(record), reviewer=reviewer, **values)


@pytest.fixture
def rosa(client: Client, reviewer: User) -> Client:
    client.force_login(reviewer)
    return client


def test_a_verdict_on_the_whole_covers_every_part_but_the_refused(stored, rosa, reviewer) -> None:
    page = rosa.get(f"{AT}review/").content.decode()
    for unit in stored.current.units:
        assert f'name="unit.{unit}"' in page
    values = {"revision": 1, "decision": "approve", "unit.tool:list_loans": "reject", **GRADED}
    refused = rosa.post(f"{AT}review/submit/", values)
    assert refused.status_code == 422
    assert "Say what must change" in refused.content.decode()
    rosa.post(f"{AT}review/submit/", {**values, "comment": "It lists too much."})
    review = Review.objects.submitted().get()
    assert review.unit_decisions == {"tool:list_loans": "reject"}
    answers = quality_gates.coverage(fresh(stored))
    assert answers.pop("tool:list_loans") == {reviewer.pk: False}
    assert all(given == {reviewer.pk: True} for given in answers.values())
    shown = rosa.get(f"{AT}review/").content.decode()
    assert "Approval is missing for tool “List loans”." in shown
    assert "It lists too much." in shown


def test_a_draft_keeps_the_verdicts_on_parts(stored, rosa) -> None:
    rosa.post(f"{AT}review/submit/", {"revision": 1, "unit.schema": "request_changes", "draft": "1"})
    page = rosa.get(f"{AT}review/").content.decode()
    assert "1 of 8 decided separately" in page
    assert '<option value="request_changes" selected>' in page


def test_a_verdict_on_an_older_revision_is_refused_with_a_link_and_keeps_every_word(
    stored, rosa, second_reviewer
) -> None:
    edited(stored, second_reviewer, edits.edit_policy("Be fair."))
    values = {"revision": 1, "decision": "reject", "comment": "Too kind.", "score_data_alignment": "2"}
    answer = rosa.post(f"{AT}review/submit/", values)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert f'href="{AT}history/2/?since=1"' in page
    assert "Too kind." in page
    assert 'name="revision" value="2"' in page
    assert not Review.objects.submitted().exists()
    assert "Too kind." in rosa.get(f"{AT}review/").content.decode()


def test_after_a_tool_is_edited_only_its_approval_is_stale_and_the_diff_is_one_click_away(
    stored, rosa, reviewer, second_reviewer
) -> None:
    approve(stored, reviewer)
    change = edits.edit_tools(TOOLS.replace('"""List all loans."""', '"""List every loan."""'))
    edited(stored, second_reviewer, change)
    page = rosa.get(f"{AT}review/").content.decode()
    assert "Stale for 1" in page
    link = f"{AT}history/2/?since=1&amp;unit=tool%3Alist_loans"
    assert f'{link}">List loans</a>' in page
    assert ">tool:list_loans<" not in page
    difference = rosa.get(link.replace("&amp;", "&")).content.decode()
    assert "List every loan." in difference
    assert "List all loans." in difference


def test_the_author_sees_why_the_button_is_disabled_and_a_post_is_denied(stored, rosa, reviewer) -> None:
    edited(stored, reviewer, edits.edit_policy("Be strict."))
    page = rosa.get(f"{AT}review/").content.decode()
    assert 'disabled data-disabled aria-describedby="why-not"' in " ".join(page.split())
    assert "You edited this revision" in page
    answer = rosa.post(f"{AT}review/submit/", {"revision": 2, "decision": "approve"})
    assert answer.status_code == 403
    assert not Review.objects.submitted().exists()


def test_what_changed_since_they_looked_returns_to_the_reviewer_first(
    stored, rosa, reviewer, second_reviewer, lead
) -> None:
    approve(stored, reviewer, decision="request_changes", comment="Kinder.")
    edited(stored, second_reviewer, edits.edit_policy("Be very kind."))
    page = rosa.get("/review/").content.decode()
    assert "Returned to you" in page
    assert f'{AT}history/2/?since=1"' in page
    assert "You last saw revision 1" in rosa.get(f"{AT}review/").content.decode()
    approve(fresh(stored), reviewer, revision_number=2, decision="request_changes", comment="Kinder still.")
    assert "You last saw revision 1" not in rosa.get(f"{AT}review/").content.decode()
    rosa.force_login(lead)
    assert "Returned to you" not in rosa.get("/review/").content.decode()


@pytest.mark.parametrize("state", [EnvironmentState.DRAFT, EnvironmentState.APPROVED])
def test_nothing_returns_that_is_revised_or_decided_meanwhile(
    stored, rosa, reviewer, second_reviewer, state: EnvironmentState
) -> None:
    approve(stored, reviewer, decision="request_changes", comment="Kinder.")
    edited(stored, second_reviewer, edits.edit_policy("Be very kind."))
    EnvironmentRecord.objects.filter(pk=stored.pk).update(state=state)
    assert "Returned to you" not in rosa.get(f"{AT}review/").content.decode()


def test_the_queue_says_why_something_comes_first(stored, rosa, reviewer, trajectory) -> None:
    trajectory.disputed = True
    trajectory.save(update_fields=["disputed"])
    flags.raise_flag(record=stored, user=reviewer, reason="other", severity="minor", comment="Hm.")
    page = rosa.get("/review/").content.decode()
    assert "Why first: 1 result is disputed, 1 open flag." in page


class Mender:
    """Writes another policy."""

    name, corrects = "mender", True

    def writes(self, stage) -> bool:
        return True

    def recipe(self, stage) -> dict:
        return {}

    def write(self, ask) -> Written:
        return Written(part=Policy(text=BETTER), reply="Here it is.")


def test_flags_are_sent_back_and_what_comes_of_it_returns_with_a_diff(
    stored, rosa, reviewer, monkeypatch
) -> None:
    monkeypatch.setitem(authors.AUTHORS, "mender", lambda *_: Mender())
    flag = flags.raise_flag(record=stored, user=reviewer, reason="policy_wrong", comment="Fees are missing.")
    page = rosa.get(f"{AT}review/send-back/").content.decode()
    assert "Policy wrong: Fees are missing." in page
    answer = rosa.post(f"{AT}review/send-back/", {"revision": 1, "author": "mender", "flag": flag.pk})
    run = Run.objects.get(kind="correction")
    assert answer["Location"] == run.get_absolute_url()
    assert execute_run(run.pk).state == "finished"
    flag.refresh_from_db()
    assert (flag.state, flag.resolution) == (FlagState.RESOLVED, "Corrected in revision 2.")
    assert "Returned to you" in rosa.get("/review/").content.decode()
    assert BETTER in rosa.get(f"{AT}history/2/?since=1").content.decode()


def test_an_author_that_cannot_correct_is_not_asked_and_says_why(
    stored, rosa, reviewer, lead, client
) -> None:
    flag = flags.raise_flag(record=stored, user=reviewer, reason="policy_wrong", comment="Fees are missing.")
    page = rosa.get(f"{AT}review/send-back/").content.decode()
    assert "The built-in author composes the same part" in page
    assert "No model is configured. A lead knows who can change that." in page
    assert "OPENAI_API_KEY" not in page
    assert "No author is available now" in page
    for author in ("procedural", "model"):
        sent = {"revision": 1, "author": author, "flag": flag.pk}
        answer = rosa.post(f"{AT}review/send-back/", sent)
        assert answer.status_code == 409
        assert "edit the part yourself" in answer.content.decode()
    flag.refresh_from_db()
    assert flag.state == FlagState.OPEN
    assert not Run.objects.exists()
    client.force_login(lead)
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert "OPENAI_API_KEY" in page
    assert "see “Models” in the guide “Operate a studio”" in page


def test_nothing_to_send_back_says_what_to_do(stored, rosa) -> None:
    assert "Nothing to send back" in rosa.get(f"{AT}review/send-back/").content.decode()
    assert rosa.post(f"{AT}review/send-back/", {"revision": 7, "author": "model"}).status_code == 409


@pytest.fixture
def conflict(stored, reviewer, second_reviewer, settings) -> EnvironmentRecord:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    approve(stored, reviewer, scores=GRADES)
    approve(stored, second_reviewer, decision="reject", comment="No.", scores={"data_alignment": 2})
    return fresh(stored)


def test_conflicts_are_listed_with_the_agreement_and_settled_by_a_lead(conflict, rosa, lead) -> None:
    page = rosa.get("/review/conflicts/").content.decode()
    assert "Lending desk" in page
    assert "Resolve" not in page
    rosa.force_login(lead)
    page = rosa.get("/review/conflicts/").content.decode()
    assert f'{AT}review/#settle"' in page
    assert "0%" in page
    rosa.post(f"{AT}review/settle/", {"revision": 1, "decision": "approve", "comment": "Fine as it is."})
    assert "No conflict" in rosa.get("/review/conflicts/").content.decode()


def test_a_conflict_stays_hidden_from_those_who_have_yet_to_decide(conflict, client, person) -> None:
    client.force_login(person("olga", Role.REVIEWER))
    assert "Lending desk" not in client.get("/review/conflicts/").content.decode()


def test_disagreement_and_distant_grades_raise_the_risk(conflict) -> None:
    assert conflict.risk_reasons == ["reviewers disagree", "grades are far apart"]
    assert conflict.risk == 6


def test_the_review_page_needs_few_queries(shelf, rosa, django_assert_max_num_queries) -> None:
    rosa.get(f"{AT}review/")
    with django_assert_max_num_queries(15):
        rosa.get(f"{AT}review/")


def test_a_leads_words_survive_a_refusal(conflict, client, lead, second_reviewer) -> None:
    client.force_login(lead)
    values = {"revision": 7, "decision": "approve", "comment": "Fine as it is."}
    answer = client.post(f"{AT}review/settle/", values)
    assert answer.status_code == 409
    assert "Fine as it is." in answer.content.decode()
    wordless = client.post(f"{AT}review/settle/", {**values, "revision": 1, "comment": " "})
    assert wordless.status_code == 422
    assert "Give a reason" in wordless.content.decode()


def test_who_is_second_reads_who_holds_it_and_a_sent_verdict_is_only_a_draft(
    stored, rosa, second_reviewer
) -> None:
    queue.claim(record=stored, reviewer=second_reviewer)
    page = rosa.get(f"{AT}review/").content.decode()
    assert "Ravi holds this item until" in page
    assert 'name="submit"' not in page
    answer = rosa.post(f"{AT}review/submit/", {"revision": 1, "decision": "reject", "comment": "Mine."})
    assert answer.status_code == 409
    assert "What you wrote is saved as your draft." in answer.content.decode()
    assert not Review.objects.submitted().exists()
    assert Review.objects.get().comment == "Mine."


def test_an_approval_without_every_grade_comes_back_with_the_missing_ones_marked(stored, rosa) -> None:
    values = {"revision": 1, "decision": "approve", "score_data_alignment": "5", "comment": "Good."}
    answer = rosa.post(f"{AT}review/submit/", values)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.count("an approval needs all three") == 2
    assert "Good.</textarea>" in page
    assert not Review.objects.submitted().exists()
    assert rosa.post(f"{AT}review/submit/", {**values, **GRADED}).status_code == 302


def test_two_keys_approve_nothing(stored, rosa) -> None:
    answer = rosa.post(f"{AT}review/submit/", {"revision": 1, "decision": "approve"})
    assert answer.status_code == 422
    assert not Review.objects.submitted().exists()


@pytest.mark.parametrize(
    "raised",
    [
        {"where": "count_the_loans", "reason": "task_infeasible"},
        {"evidence": {"task": "count_the_loans"}, "reason": "other"},
    ],
    ids=["by its place", "by its evidence"],
)
def test_a_blocking_flag_on_a_task_shows_on_the_task_in_lists_and_in_the_header(
    stored, rosa, reviewer, raised
) -> None:
    flags.raise_flag(record=stored, user=reviewer, comment="There is no such loan.", **raised)
    task = rosa.get(f"{AT}tasks/count_the_loans/").content.decode()
    assert "There is no such loan." in task
    other = rosa.get(f"{AT}tasks/return_the_drill/").content.decode()
    assert "There is no such loan." not in other
    for page in (
        task,
        other,
        *(rosa.get(f"{AT}{tab}").content.decode() for tab in ("", "tasks/", "review/")),
    ):
        assert "1 open flag blocks approval: " in page
    rows = rosa.get(f"{AT}tasks/").content.decode().split("<tr>")
    (marked,) = [row for row in rows if "Blocks approval" in row]
    assert "count_the_loans" in marked
    assert "1 blocks" in " ".join(rosa.get("/environments/").content.decode().split())
    assert "Blocks approval" in rosa.get("/review/").content.decode()
    (line,) = rosa.get("/environments/?format=json").json()
    assert (line["open_flags"], line["blocking_flags"]) == (1, 1)


def test_the_words_of_a_request_for_changes_are_on_the_page_that_sends_back(stored, rosa, reviewer) -> None:
    approve(stored, reviewer, decision="request_changes", comment="Say what a late fee costs.")
    assert f"{AT}review/send-back/" in rosa.get(f"{AT}review/").content.decode()
    page = rosa.get(f"{AT}review/send-back/").content.decode()
    assert "Say what a late fee costs." in page


def test_the_result_of_a_trial_and_the_header_never_disagree(stored, rosa, reviewer) -> None:
    def shown() -> tuple[str, str]:
        return quality_gates.blocker(fresh(stored)), rosa.get(f"{AT}history/1/").content.decode()

    waits, page = shown()
    assert waits == "0 of 1 review submitted."
    assert page.count(waits) == 2
    assert "can be approved now" not in page
    flags.raise_flag(record=stored, user=reviewer, reason="tool_bug", where="return_item", comment="Wrong.")
    _, page = shown()
    blocks = "1 open flag blocks approval: a tool does not work right (Return item)."
    assert f"It cannot be approved yet. {blocks}" in page
    assert "ready for review" not in page
