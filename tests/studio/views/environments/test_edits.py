"""Editing in the browser: a revision whose claims are tried again, or all words back with the error named."""

from __future__ import annotations

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.jobs import execute_run
from studio.models import EnvironmentRecord, Run
from studio.services.environments import dictionaries, edits
from studio.services.environments.checks import start_checks
from studio.services.environments.claim_dependencies import claims_about
from studio.services.environments.environments import load_environment
from synthesis.documents.dictionary import Dictionary
from synthesis.verification.checks import CHECKS
from tests.studio.conftest import SCHEMA, TOOLS

AT = "/environments/lending_desk/"


def fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def content(record: EnvironmentRecord):
    return load_environment(fresh(record).current)


def send(client: Client, path: str, **values):
    return client.post(f"{AT}edit/{path}", {"revision": 1, "reason": "For a test.", **values})


@pytest.fixture
def rosa(client: Client, reviewer: User) -> Client:
    client.force_login(reviewer)
    return client


def test_a_policy_edit_makes_a_revision_and_queues_its_checks(stored, rosa) -> None:
    assert "Be kind." in rosa.get(f"{AT}edit/policy/").content.decode()
    answer = send(rosa, "policy/", text="Be strict.\r\nAlways.")
    assert answer["Location"] == f"{AT}history/2/"
    assert content(stored).policy.text == "Be strict.\nAlways."
    assert Run.objects.get(kind="checks").request["revision"] == fresh(stored).current.pk


def test_the_result_is_shown_beside_the_difference_before_anybody_can_approve(
    stored, rosa, second_reviewer
) -> None:
    execute_run(start_checks(revision=stored.current).pk)
    send(rosa, "policy/", text="Be strict.")
    waiting = rosa.get(f"{AT}history/2/").content.decode()
    assert "It can be reviewed when these are done." in waiting
    asked = claims_about({"policy"}, CHECKS)
    assert waiting.count("Waiting") == len(asked)
    assert 'hx-trigger="every 2s"' in waiting
    assert "Be strict." in waiting
    assert "Be kind." in waiting
    execute_run(Run.objects.filter(kind="checks").latest("id").pk)
    done = rosa.get(f"{AT}history/2/trial/").content.decode()
    assert "hx-trigger" not in done
    assert (
        f"{len(CHECKS) - len(asked)} kept from the earlier revision: nothing they depend on was edited"
        in done
    )
    assert "You edited this revision" in done


def test_tools_open_at_the_tool_and_keep_every_line(stored, rosa) -> None:
    page = rosa.get(f"{AT}edit/tools/?tool=return_item").content.decode()
    line = TOOLS.splitlines().index("def return_item(db, loan_id: int) -> dict:") + 1
    assert f'data-line="{line}"' in page
    send(rosa, "tools/?tool=return_item", source=TOOLS.replace("LATEST = 50", "LATEST = 40"))
    assert content(stored).tools.source == TOOLS.replace("LATEST = 50", "LATEST = 40")


@pytest.mark.parametrize(
    ("path", "values", "message"),
    [
        ("tools/", {"source": TOOLS + "def broken(:\n"}, "line 23, column 12"),
        ("tools/", {"source": TOOLS + "\n  import os\n"}, "line 24, column 12"),
        ("verifier/return_the_drill/", {"source": "x = (\n"}, "line 1, column 5"),
        ("schema/", {"sql": SCHEMA + "CREATE TABLE x (\n  id INTEGER,,\n  b TEXT);"}, "Line 12, column 14"),
        ("schema/", {"sql": SCHEMA + "DROP TABLE loans;"}, "Line 11, column 1"),
        ("row/loans/?id=7", {"as.0": "value", "value.0": "seven"}, "Id holds numbers: enter one"),
        (
            "scenario/",
            {"title": "T", "category": "c", "description": "d", "licence": "l", "clock": "noon"},
            "noon",
        ),
    ],
)
def test_what_cannot_be_read_names_its_place_and_keeps_the_text(stored, rosa, path, values, message) -> None:
    answer = send(rosa, path, **values)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert re.search(message, page)
    assert "For a test." in page
    typed = next(iter(values.values())).splitlines()[-1]
    assert typed in page
    assert fresh(stored).current.number == 1


def task_fields(**more):
    fields = {
        "instruction": "Take back the drill, please.",
        "kind": "write",
        "difficulty": "hard",
        "min_calls": 1,
        "reference_solution": '[{"name": "return_item", "arguments": {"loan_id": 7}}]',
        "reference_answer": "Done.",
        "answer_facts": "[]",
    }
    return fields | more


def test_a_task_is_edited_with_its_calls_and_facts(stored, rosa) -> None:
    rosa.cookies["view"] = "expert"
    page = rosa.get(f"{AT}edit/task/return_the_drill/").content.decode()
    assert "loan_id" in page
    facts = '[{"name": "loan", "type": "number", "value": 7}]'
    assert send(rosa, "task/return_the_drill/", **task_fields(answer_facts=facts)).status_code == 302
    task = content(stored).task("return_the_drill")
    assert (task.difficulty, task.reference_answer, task.answer_facts[0].value) == ("hard", "Done.", 7)


def test_a_task_is_edited_with_what_blocks_it_and_its_limit(stored, rosa) -> None:
    rosa.cookies["view"] = "expert"
    blocking = '[{"kind": "status", "text": "the drill is broken", "value": "broken"}]'
    facts = '[{"name": "late by", "type": "number", "value": 3, "unit": "days", "direction": "later"}]'
    tight = send(rosa, "task/return_the_drill/", **task_fields(max_steps=2))
    assert tight.status_code == 422
    assert "at least 7" in tight.content.decode()
    fields = task_fields(blocking=blocking, answer_facts=facts, max_steps=33)
    assert send(rosa, "task/return_the_drill/", **fields).status_code == 302
    task = content(stored).task("return_the_drill")
    assert (task.blocking[0].text, task.blocking[0].value) == ("the drill is broken", "broken")
    assert (task.answer_facts[0].unit, task.max_steps) == ("days", 33)
    page = rosa.get(f"{AT}tasks/return_the_drill/").content.decode()
    for words in ("What blocks the request", "the drill is broken", "3 days, later", "an agent may make 33"):
        assert words in page
    assert "the drill is broken" in rosa.get(f"{AT}edit/task/return_the_drill/").content.decode()


def test_json_of_a_task_that_cannot_be_read_says_where(stored, rosa) -> None:
    rosa.cookies["view"] = "expert"
    answer = send(rosa, "task/return_the_drill/", **task_fields(reference_solution='[\n {"name": oops}]'))
    assert answer.status_code == 422
    assert "line 2, column 11" in answer.content.decode()
    assert "oops" in answer.content.decode()


def test_a_row_is_changed_added_and_taken_away(stored, rosa) -> None:
    page = rosa.get(f"{AT}edit/row/members/?id=1").content.decode()
    assert "Ada" in page
    send(rosa, "row/members/?id=1", **{"as.0": "value", "value.0": "1", "as.1": "value", "value.1": "Ida"})
    assert content(stored).seed_data.rows["members"][0] == {"id": 1, "name": "Ida"}
    added = {"as.0": "value", "value.0": "3", "as.1": "value", "value.1": "Bo"}
    rosa.post(f"{AT}edit/new-row/members/", {"revision": 2, "reason": "One more.", **added})
    assert [row["id"] for row in content(stored).seed_data.rows["members"]] == [1, 2, 3]
    rosa.post(f"{AT}edit/row/members/?id=2", {"revision": 3, "reason": "Not real.", "delete": "1"})
    assert [row["id"] for row in content(stored).seed_data.rows["members"]] == [1, 3]
    changes = rosa.get(f"{AT}history/4/?since=1").content.decode()
    assert all(word in changes for word in ("added", "changed", "removed", "Ida", "Bo"))


def test_null_left_out_and_empty_are_three_things(stored, rosa) -> None:
    fields = {f"as.{n}": "value" for n in range(4)} | {"value.0": "8", "value.1": "1", "value.2": ""}
    rosa.post(f"{AT}edit/new-row/loans/", {"revision": 1, "reason": "Odd.", **fields, "as.3": "default"})
    assert content(stored).seed_data.rows["loans"][1] == {"id": 8, "member_id": 1, "item": ""}
    rosa.post(
        f"{AT}edit/row/loans/?id=8",
        {"revision": 2, "reason": "Odder.", **fields, "as.2": "null", "as.3": "default"},
    )
    assert content(stored).seed_data.rows["loans"][1] == {"id": 8, "member_id": 1, "item": None}


def test_an_older_revision_is_refused_with_a_link_and_the_text_is_kept(stored, rosa, second_reviewer) -> None:
    edits.edit(
        record=stored,
        revision_number=1,
        editor=second_reviewer,
        change=edits.edit_policy("Be fair."),
        reason="Fairness.",
    )
    answer = send(rosa, "policy/", text="Be strict.")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert f'href="{AT}history/2/?since=1"' in page
    assert "Be strict." in page
    assert content(stored).policy.text == "Be fair."
    again = rosa.post(f"{AT}edit/policy/", {"revision": 2, "reason": "Still.", "text": "Be strict."})
    assert again.status_code == 302


def test_an_edit_needs_a_reason_and_a_change(stored, rosa) -> None:
    assert send(rosa, "policy/", text="Be strict.", reason="").status_code == 422
    answer = send(rosa, "policy/", text="Be kind.")
    assert answer.status_code == 409
    assert "This edit changes nothing." in answer.content.decode()


@pytest.mark.parametrize("path", ["row/carpets/?id=1", "row/loans/?id=99", "task/fly/", "verifier/fly/"])
def test_what_is_not_there_is_told(stored, rosa, path) -> None:
    assert rosa.get(f"{AT}edit/{path}").status_code == 404


@pytest.mark.parametrize("place", ["", "schema/", "tools/list_loans/", "tasks/return_the_drill/"])
def test_edit_links_show_to_those_who_may(stored, rosa, viewer, place) -> None:
    assert f"{AT}edit/" in rosa.get(AT + place).content.decode()
    rosa.force_login(viewer)
    assert f"{AT}edit/" not in rosa.get(AT + place).content.decode()


def test_a_comparison_can_be_narrowed_to_one_tool(stored, rosa) -> None:
    source = TOOLS.replace('"""List all loans."""', '"""List all."""').replace(
        "Take back a lent", "Take back a"
    )
    send(rosa, "tools/", source=source)
    page = rosa.get(f"{AT}history/2/?since=1&unit=tool:list_loans").content.decode()
    assert "List all loans." in page
    assert "Take back a lent" not in page
    nothing = rosa.get(f"{AT}history/2/?since=1&unit=schema").content.decode()
    assert "Tables: the same in both." in nothing


def test_hostile_text_in_a_difference_stays_text(stored, rosa) -> None:
    send(rosa, "policy/", text="<script>alert(2)</script>")
    page = rosa.get(f"{AT}history/2/").content.decode()
    assert "<script>alert(2)" not in page
    assert "&lt;script&gt;alert(2)" in page


def test_scenario_schema_and_verifier_are_edited_too(stored, rosa) -> None:
    fields = {"title": "Desk", "category": "lending", "description": "It lends.", "licence": "CC0-1.0"}
    send(rosa, "scenario/", **fields, clock="2026-04-01T09:00:00")
    scenario = content(stored).scenario
    assert (scenario.title, scenario.clock.isoformat()) == ("Desk", "2026-04-01T09:00:00")
    more = SCHEMA + "CREATE INDEX by_member ON loans (member_id);\n"
    rosa.post(f"{AT}edit/schema/", {"revision": 2, "reason": "Faster.", "sql": more})
    assert content(stored).schema.sql == more
    source = content(stored).verifier("count_the_loans").source + "\n"
    rosa.post(f"{AT}edit/verifier/count_the_loans/", {"revision": 3, "reason": "Air.", "source": source})
    assert content(stored).verifier("count_the_loans").source == source
    changes = rosa.get(f"{AT}history/4/?since=1").content.decode()
    assert "Name: Desk" in changes
    assert "How it is stored differs" in changes
    assert "How success is judged inside differs" in changes
    assert not any(code in changes for code in ("by_member", "title: Desk", "def verify", ">Verifier"))
    rosa.cookies["view"] = "expert"
    changes = rosa.get(f"{AT}history/4/?since=1").content.decode()
    assert all(words in changes for words in ("title: Desk", "by_member", "Verifier of count_the_loans"))


def test_a_comparison_speaks_of_tables_tools_tasks_and_rows_as_people_do(stored, rosa) -> None:
    dictionaries.keep(stored, Dictionary(tasks={"return_the_drill": "Bring it back"}))
    fields = {f"as.{n}": "value" for n in range(3)} | {"value.0": "7", "value.1": "1", "value.2": "saw"}
    send(rosa, "row/loans/?id=7", **fields, **{"as.3": "default"})
    source = TOOLS.replace("Loan to end.", "Which loan_id to end.").replace("Take back a lent", "Take back a")
    rosa.post(f"{AT}edit/tools/", {"revision": 2, "reason": "Words.", "source": source})
    verifier = content(stored).verifier("return_the_drill").source.replace("nothing else", "nothing more")
    rosa.post(f"{AT}edit/verifier/return_the_drill/", {"revision": 3, "reason": "Words.", "source": verifier})
    page = html.unescape(rosa.get(f"{AT}history/4/?since=1").content.decode())
    text = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert "Success check of: Bring it back" in text
    assert "Nothing more changed" in text
    assert "Tool: Return item" in text
    assert "Loan changed" in text
    assert not re.search(r"\b(?:loan_id|return_item|member_id|return_the_drill|def |Verifier|tool:)", text)


def test_invariants_are_declared_shown_edited_and_taken_away(stored, rosa) -> None:
    page = rosa.get(AT).content.decode()
    assert f"{AT}edit/invariants/" in page
    assert "What holds before and after every call" not in page
    source = 'def lent(db) -> bool:\n    """A <b>loan</b> has a member."""\n    return True\n'
    send(rosa, "invariants/", source=source)
    assert content(stored).invariants.source == source
    assert fresh(stored).current.units["invariants"]
    page = rosa.get(AT).content.decode()
    assert "What holds before and after every call" in page
    assert "A &lt;b&gt;loan&lt;/b&gt; has a member." in page
    assert "A &lt;b&gt;loan&lt;/b&gt; has a member." in rosa.get(f"{AT}history/2/").content.decode()
    wrong = {"revision": 2, "reason": "For a test.", "source": "def lent(db, limit):\n    return 1\n"}
    refused = rosa.post(f"{AT}edit/invariants/", wrong).content.decode()
    assert "must take db as its only parameter" in refused
    rosa.post(f"{AT}edit/invariants/", {**wrong, "source": ""})
    assert content(stored).invariants is None


def test_many_cells_of_a_sheet_make_one_revision_and_one_proof(stored, rosa, reviewer) -> None:
    edits.edit(
        record=stored,
        revision_number=1,
        editor=reviewer,
        change=edits.edit_rows("members", [{"id": n, "name": f"Member {n}"} for n in range(1, 16)]),
        reason="More of them.",
    )
    runs = Run.objects.filter(kind="checks").count()
    assert 'value="Member 15"' in rosa.get(f"{AT}edit/sheet/members/").content.decode()
    cells = {f"r{at}.1": f"Ms {at + 1}" for at in range(12)}
    sheet = {**cells, "x.r13": "1", "n0.0": "40", "n0.1": "Zoe", "base": 2, "revision": 2}
    wrong = send(rosa, "sheet/members/", **{**sheet, "n1.0": "forty", "n1.1": "Yan"})
    page = wrong.content.decode()
    assert wrong.status_code == 422
    assert "New member 2: Id holds numbers: enter one" in html.unescape(page)
    assert all(f'value="{text}"' in page for text in (*cells.values(), "Zoe", "forty"))
    assert "checked" in page
    answer = send(rosa, "sheet/members/", **sheet)
    assert answer["Location"] == f"{AT}history/3/"
    names = {row["id"]: row["name"] for row in content(stored).seed_data.rows["members"]}
    assert [names[n] for n in (1, 12, 13, 15, 40)] == ["Ms 1", "Ms 12", "Member 13", "Member 15", "Zoe"]
    assert 14 not in names
    assert Run.objects.filter(kind="checks").count() == runs + 1


def test_a_cell_too_long_for_a_sheet_is_begun_there_and_stays_as_it_is(stored, rosa, reviewer) -> None:
    long = "x" * 1_000_000
    members = [{"id": 1, "name": long}, {"id": 2, "name": "Member 2"}]
    edits.edit(
        record=stored,
        revision_number=1,
        editor=reviewer,
        change=edits.edit_rows("members", members),
        reason="A long one.",
    )
    page = rosa.get(f"{AT}edit/sheet/members/").content.decode()
    assert len(page) < 100_000
    assert "1,000,000 characters: too long for a sheet, edit its row" in page
    send(rosa, "sheet/members/", **{"r1.1": "Ms 2", "base": 2, "revision": 2})
    names = [row["name"] for row in content(stored).seed_data.rows["members"]]
    assert names == [long, "Ms 2"]


def test_a_sheet_changes_what_was_meant_although_rows_moved_meanwhile(stored, rosa, second_reviewer) -> None:
    rosa.get(f"{AT}edit/sheet/members/")
    rows = [{"id": 9, "name": "First"}, {"id": 2, "name": "Ben"}]
    edits.edit(
        record=stored,
        revision_number=1,
        editor=second_reviewer,
        change=edits.edit_rows("members", rows),
        reason="Others.",
    )
    sheet = {"base": 1, "revision": 1, "r1.1": "Benedikt"}
    assert send(rosa, "sheet/members/", **sheet).status_code == 409
    assert send(rosa, "sheet/members/", **{**sheet, "revision": 2}).status_code == 302
    assert content(stored).seed_data.rows["members"] == (rows[0], {"id": 2, "name": "Benedikt"})
    gone = send(rosa, "sheet/members/", **{"base": 1, "revision": 3, "r0.1": "Adele"})
    assert gone.status_code == 422
    assert "removed or replaced row 1 meanwhile" in gone.content.decode()
    nothing = send(rosa, "sheet/members/", base=3, revision=3)
    assert "No cell was changed." in nothing.content.decode()


def test_a_sheet_adds_a_row_and_what_that_row_refers_to(stored, rosa) -> None:
    page = html.unescape(rosa.get(f"{AT}edit/sheet/loans/").content.decode())
    assert "Add what these rows refer to" in page
    assert '<option value="New member 1"></option>' in page
    runs = Run.objects.filter(kind="checks").count()
    sheet = {"base": 1, "o0n0.1": "Zoe", "o0n1.1": "Yan", "n0.1": "zoe", "n0.2": "Saw"}
    answer = send(rosa, "sheet/loans/", **sheet, **{"n1.1": "New member 2", "n1.2": "Rake", "n1.3": "0"})
    assert answer["Location"] == f"{AT}history/2/"
    rows = content(stored).seed_data.rows
    names = {row["name"]: row["id"] for row in rows["members"]}
    assert {row["item"]: row["member_id"] for row in rows["loans"][-2:]} == {
        "Saw": names["Zoe"],
        "Rake": names["Yan"],
    }
    assert len({row["id"] for row in rows["loans"]}) == len(rows["loans"])
    assert Run.objects.filter(kind="checks").count() == runs + 1


def test_a_row_that_refers_to_an_empty_line_or_to_several_says_so_and_keeps_what_was_typed(
    stored, rosa
) -> None:
    known = content(stored).seed_data.rows["members"][0]["name"]
    sheet = {"base": 1, "o0n0.1": known, "n0.1": known, "n0.2": "Saw", "n1.1": "New member 2", "n1.2": "Rake"}
    answer = send(rosa, "sheet/loans/", **sheet)
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert f"several are called {known!r}. Write “New member 1” for the new one." in page
    assert "New loan 2: Member: New member 2 is empty. Fill it in, too." in page
    assert re.search(r"<details[^>]*fold[^>]* open>", page)
    assert all(f'value="{text}"' in page for text in ("Saw", "Rake", "New member 2"))


def test_in_the_expert_view_a_row_that_is_added_is_referred_to_as_well(stored, rosa) -> None:
    sheet = {"base": 1, "written": "expert", "o0n0.1": "Zoe", "n0.1": "New member 1", "n0.2": "Saw"}
    assert send(rosa, "sheet/loans/", **sheet).status_code == 302
    rows = content(stored).seed_data.rows
    assert rows["loans"][-1]["member_id"] == rows["members"][-1]["id"]


def test_a_text_that_is_too_long_is_refused_with_the_limit_and_comes_back_whole(
    stored, reviewer, client
) -> None:
    client.force_login(reviewer)
    form = client.get(f"{AT}edit/scenario/").content.decode()
    (area,) = re.findall(r"<textarea[^>]*name=\"description\"[^>]*>", form)
    assert 'data-most="8000"' in area
    assert "maxlength" not in area
    lines = "\r\n".join(["A clinic. " * 8] * 100)
    fields = {
        "revision": 1,
        "title": "Desk",
        "category": "lending",
        "licence": "MIT",
        "clock": "2026-03-11T08:30:00",
    }
    answer = client.post(f"{AT}edit/scenario/", {**fields, "reason": "Longer.", "description": lines})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "at most 8000 characters (it has 8099)" in page
    assert page.count("A clinic. ") == 800
    fitting = client.post(
        f"{AT}edit/scenario/", {**fields, "reason": "Longer.", "description": lines[:8_080]}
    )
    assert fitting.status_code == 302
