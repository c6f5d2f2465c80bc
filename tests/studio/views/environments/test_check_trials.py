"""One claim: every end a verifier was shown and every call a tool was given, with its difference."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from studio.models import EnvironmentRecord
from studio.services.environments.check_reports import store_report
from synthesis.documents.check_report import (
    CallCount,
    CheckReport,
    CheckResult,
    RowDifference,
    Score,
    Trial,
)
from synthesis.documents.finding import Finding

HOSTILE = "<script>alert('x')</script>\"]/\u202etfel"
NEAR = "/environments/lending_desk/checks/near_misses_are_refused/"
TOOLS = "/environments/lending_desk/checks/no_tool_fails/"
RETURN, COUNT = "return_the_drill", "count_the_loans"


def end(number: int = 0, *, task: str = RETURN, kind: str = "wrong_value", outcome: str = "refused") -> Trial:
    """A wrong end: a loan has another value than in the right one."""
    row = RowDifference(table="loans", key=7, kind="updated", cells={"returned": (1, f"value {number}")})
    return Trial(
        subject=task,
        kind=kind,
        description=f"end number {number:03d}",
        expected="refused",
        outcome=outcome,  # type: ignore[arg-type]
        open=("the drill is back",) if outcome == "refused" else (),
        rows=(row,),
    )


def call(kind: str, outcome: str, expected: str = "either") -> Trial:
    """A call of the tool that returns items."""
    return Trial(
        about="tool",
        subject="return_item",
        kind=kind,
        description=f'return_item(loan_id="{kind}")',
        expected=expected,  # type: ignore[arg-type]
        outcome=outcome,  # type: ignore[arg-type]
        open=("It said no.",),
    )


def proved(stored: EnvironmentRecord, *trials: Trial, passed: bool = True) -> None:
    """Store a report in which these ends were tried, other right ways, and calls of a tool."""
    of_tasks = [trial.subject for trial in trials]
    near = CheckResult(
        claim="near_misses_are_refused",
        description="End states that look right and are not are refused.",
        passed=passed,
        figures={"mutants": len(trials), "refused": sum(trial.right for trial in trials)},
        scores=tuple(
            Score(
                subject=task,
                tried=of_tasks.count(task),
                right=sum(trial.right for trial in trials if trial.subject == task),
            )
            for task in dict.fromkeys(of_tasks)
        ),
        trials=trials,
    )
    way = Trial(
        subject=RETURN, kind="other_order", description="list_loans before return_item", expected="accepted",
        outcome="accepted", calls=("list_loans", "return_item"), answer="It is back again.",
    )  # fmt: skip
    others = CheckResult(
        claim="equivalent_solutions_are_accepted",
        passed=True,
        figures={"equivalents": 1, "accepted": 1},
        scores=(Score(subject=RETURN, tried=1, right=1),),
        trials=(way,),
    )
    tools = CheckResult(
        claim="no_tool_fails",
        passed=True,
        figures={"tools": 2, "calls": 40, "score": 0.95, "gate": 0.85},
        scores=(
            Score(
                subject="return_item",
                tried=40,
                right=38,
                calls=(
                    CallCount(kind="valid", success=11, refusal=13),
                    CallCount(kind="unknown_id", refusal=12, failure=1),
                    CallCount(kind="missing", refusal=2, let_through=1),
                ),
            ),
        ),
        trials=(
            call("valid", "accepted"),
            call("missing", "accepted", "refused"),
            call("unknown_id", "failed"),
        ),
    )
    shorter = CheckResult(
        claim="no_shortcut_is_found",
        passed=True,
        findings=(
            Finding(
                part="tasks",
                check="no_shortcut_is_found",
                message="It needs fewer calls than declared.",
                where=RETURN,
                severity="warning",
            ),
        ),
    )
    assert stored.current is not None
    report = CheckReport(environment=stored.current.fingerprint, results=(tools, near, others, shorter))
    store_report(revision=stored.current, report=report)


def text(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return answer.content.decode()


def words(page: str) -> str:
    """What a person reads, in one line."""
    named = re.sub(r'<svg[^>]*aria-label="([^"]*)"[^>]*>', r" \1 ", page)
    return " ".join(re.sub(r"<[^>]+>", " ", named).split())


def described(page: str) -> list[str]:
    return re.findall(r"End number \d+", page)


@pytest.fixture(autouse=True)
def signed_in(viewer: User, client: Client) -> None:
    client.force_login(viewer)


def test_a_near_miss_opens_to_the_cells_that_differ_and_the_checks_left_open(stored, client: Client) -> None:
    proved(stored, end(3))
    page = text(client, NEAR)
    assert "what is right, then what it came to" in page
    client.cookies["view"] = "expert"
    page = text(client, NEAR)
    for message in ("Right end", "This end", "value 3", "the drill is back", "must be rejected; refused"):
        assert message in page
    assert f'href="/environments/lending_desk/tasks/{RETURN}/"' in page
    assert 'class="change change-updated"' in page
    assert "1 near-miss, 1 rejected" in page


def test_an_end_that_was_wrongly_accepted_comes_first_and_stands_open(stored, client: Client) -> None:
    proved(stored, *(end(number) for number in range(60)), end(99, outcome="accepted"), passed=False)
    page = text(client, NEAR)
    assert described(page)[0] == "End number 099"
    assert page.count('<details class="trial" open>') == 1
    assert "Failed" in page


def test_the_only_trial_left_by_the_filters_stands_open(stored, client: Client) -> None:
    proved(stored, end(1), end(2, kind="twice"))
    assert text(client, f"{NEAR}?kind=twice").count('<details class="trial" open>') == 1
    assert text(client, NEAR).count('<details class="trial" open>') == 0


def test_trials_are_narrowed_by_task_kind_and_outcome_in_the_address(stored, client: Client) -> None:
    proved(stored, end(1), end(2, task=COUNT), end(3, kind="twice"), end(4, task=COUNT, outcome="accepted"))
    assert described(text(client, f"{NEAR}?subject={COUNT}")) == ["End number 004", "End number 002"]
    assert described(text(client, f"{NEAR}?kind=twice")) == ["End number 003"]
    assert described(text(client, f"{NEAR}?outcome=accepted")) == ["End number 004"]
    assert described(text(client, f"{NEAR}?right=no&kind=wrong_value")) == ["End number 004"]
    nothing = text(client, f"{NEAR}?subject={COUNT}&kind=twice")
    assert described(nothing) == []
    assert "Nothing matches" in nothing


def test_a_facet_counts_what_each_choice_would_leave(stored, client: Client) -> None:
    proved(stored, end(1), end(2, task=COUNT), end(3, task=COUNT, kind="twice"))
    page = words(text(client, f"{NEAR}?subject={COUNT}"))
    assert "Kind Wrong value 1 Done twice 1" in page
    assert "Task or tool Count the loans 2 Return the drill 1" in page


def test_trials_come_fifty_to_a_page(stored, client: Client) -> None:
    proved(stored, *(end(number) for number in range(120)))
    first, last = text(client, NEAR), text(client, f"{NEAR}?page=3")
    assert len(described(first)) == 50
    assert described(last) == [f"End number {number:03d}" for number in range(100, 120)]
    assert "101–120 of 120" in last
    assert described(text(client, f"{NEAR}?page=zeppelin")) == described(first)


def test_another_right_way_shows_its_calls_and_its_answer(stored, client: Client) -> None:
    proved(stored, end())
    page = words(text(client, "/environments/lending_desk/checks/equivalent_solutions_are_accepted/"))
    assert "List loans → , then Return item" in page
    assert "It is back again." in page
    assert "must be accepted; accepted" in page


def test_generated_text_in_a_trial_stays_text(stored, client: Client) -> None:
    row = RowDifference(table="loans", key=HOSTILE, kind="updated", cells={HOSTILE: (HOSTILE, [HOSTILE])})
    hostile = Trial(
        subject=HOSTILE, kind=HOSTILE, description=HOSTILE, expected="refused", outcome="failed",
        open=(HOSTILE,), rows=(row,), calls=(HOSTILE,), answer=HOSTILE,
    )  # fmt: skip
    proved(stored, hostile, hostile.replace(about="tool"))
    for address in (NEAR, "/environments/lending_desk/checks/"):
        assert "<script>alert" not in text(client, address)
    assert text(client, NEAR).count("&lt;script&gt;alert") > 10


def test_a_claim_that_was_not_tried_is_told_with_the_way_back(stored, client: Client) -> None:
    page = text(client, "/environments/lending_desk/checks/all_is_well/", 404)
    assert "all_is_well" in page
    assert "Choose one from the list of checks." in page


def test_the_list_of_checks_counts_what_was_tried_and_leads_to_each(stored, client: Client) -> None:
    proved(stored, end(1), end(2, outcome="accepted"))
    page = text(client, "/environments/lending_desk/checks/")
    assert f'href="{NEAR}"' in page
    assert "2 near-misses, 1 rejected: details" in words(page)
    assert "40 calls, 38 as expected" in page


@pytest.mark.parametrize("tab", ["", "checks/"])
def test_scores_stand_beside_the_gates_of_the_settings(tab: str, stored, client: Client, settings) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"gate_tool_score": 0.97, "gate_soundness": 0.5}
    )
    proved(stored, end(1), end(2, outcome="accepted"))
    page = words(text(client, f"/environments/lending_desk/{tab}"))
    assert "Tools answer or refuse Too little 95.0 % 40 calls of 2 tools; at least 97.0 % are needed" in page
    assert "Wrong work is rejected Enough 50.0 % 1 of 2 rejected; at least 50.0 % are needed" in page
    assert "Right work is accepted Enough 100.0 % 1 of 1 accepted; at least 100.0 % are needed" in page


def test_a_task_shows_its_proof_and_what_was_found_about_it(stored, client: Client) -> None:
    proved(stored, end(1), end(2, outcome="accepted"), end(3, task=COUNT))
    page = text(client, f"/environments/lending_desk/tasks/{RETURN}/")
    assert f'href="{NEAR}?subject={RETURN}"' in page
    message = words(page)
    assert "Almost right work 1 of 2 rejected" in message
    assert "Different solutions 1 of 1 accepted" in message
    assert "It needs fewer calls than declared." in message
    assert "fewer calls" not in text(client, f"/environments/lending_desk/tasks/{COUNT}/")


def test_a_tool_shows_its_calls_by_kind_and_outcome(stored, client: Client) -> None:
    proved(stored, end())
    page = text(client, "/environments/lending_desk/tools/return_item/")
    assert "40 times, 38 times with the result that was expected" in words(page)
    assert "unknown_id" not in page
    client.cookies["view"] = "expert"
    page = text(client, "/environments/lending_desk/tools/return_item/")
    assert f'href="{TOOLS}?subject=return_item&amp;kind=unknown_id"' in page
    message = words(page)
    assert "38 of 40 calls as expected" in message
    assert "Valid 11 13 0 0" in message
    assert "Unknown id 0 12 Wrong 1 0" in message
    assert "Missing parameter 0 2 0 Wrong 1" in message
    assert "Contract test" not in text(client, "/environments/lending_desk/tools/list_loans/")


def test_a_call_says_what_it_was_and_what_the_tool_said(stored, client: Client) -> None:
    proved(stored, end())
    page = words(text(client, f"{TOOLS}?kind=missing"))
    assert "Return item: loan id &quot;missing&quot; must be rejected; answered" in page
    assert "Message It said no." in page
    assert page.count("loan id") == 1


@pytest.mark.parametrize(
    "address",
    ["/environments/lending_desk/", "/environments/lending_desk/checks/",
     "/environments/lending_desk/review/", "/environments/", "/review/",
     f"/environments/lending_desk/tasks/{RETURN}/",
     "/environments/lending_desk/tools/return_item/"],
)  # fmt: skip
def test_a_page_that_shows_no_trials_reads_none(address: str, stored, client: Client) -> None:
    proved(stored, *(end(number) for number in range(10)))
    text(client, address)  # the first visit of a while is noted
    with CaptureQueriesContext(connection) as queries:
        text(client, address)
    assert [query["sql"] for query in queries if re.search(r"\btrials\b", query["sql"])] == []
    assert len(queries) <= 15
