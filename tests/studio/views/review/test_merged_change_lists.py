"""Merged change lists: what others changed while one was worked off is put together with it, or named."""

from __future__ import annotations

import pytest

from studio.models import EnvironmentRecord, Notification, Revision
from studio.services.environments import change_lists, edits
from studio.services.environments.environments import load_environment
from studio.services.errors import Stale
from synthesis.documents.tools import ToolCall

AT = "/environments/lending_desk/"


def fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def gather(changes, editor, change, seen=0):
    change_lists.gather(changes=changes, editor=editor, change=change, reason="Mine.", seen=seen)


def edit(record, editor, change):
    number = fresh(record).current.number
    return edits.edit(record=record, revision_number=number, editor=editor, change=change, reason="Theirs.")


def test_others_edit_as_ever_and_the_same_part_is_refused(stored, changes, second_reviewer, reviewer) -> None:
    change_lists.gather(
        changes=changes, editor=second_reviewer, change=edits.edit_policy("One."), reason="Fees.", seen=0
    )
    rows = [{"id": 1, "name": "Zoe"}, {"id": 2, "name": "Ben"}]
    edits.edit(
        record=stored,
        revision_number=1,
        editor=reviewer,
        change=edits.edit_rows("members", rows),
        reason="Names.",
    )
    edits.edit(
        record=stored,
        revision_number=2,
        editor=reviewer,
        change=edits.edit_policy("Another."),
        reason="Mine.",
    )
    with pytest.raises(Stale, match="policy"):
        change_lists.finish(changes=changes, editor=second_reviewer)
    edits.edit(
        record=stored,
        revision_number=3,
        editor=reviewer,
        change=lambda _: load_environment(Revision.objects.get(environment=stored, number=2)),
        reason="Back.",
    )
    revision = change_lists.finish(changes=changes, editor=second_reviewer)
    after = load_environment(revision)
    assert (revision.number, after.policy.text) == (5, "One.")
    assert after.seed_data.rows["members"][0]["name"] == "Zoe"


def test_what_others_changed_beside_it_is_put_together_and_the_lead_is_told(
    stored, changes, second_reviewer, reviewer, lead, client
) -> None:
    start = load_environment(stored.current).seed_data.rows["members"]
    mine = [{**start[0], "name": "Zoe"}, start[1]]
    change_lists.gather(
        changes=changes,
        editor=second_reviewer,
        change=edits.edit_rows("members", mine),
        reason="Her name.",
        seen=0,
    )
    other = [start[0], {**start[1], "name": "Bo"}]
    edits.edit(
        record=stored,
        revision_number=1,
        editor=reviewer,
        change=edits.edit_rows("members", other),
        reason="His name.",
    )
    client.force_login(second_reviewer)
    refused = client.get(f"{AT}review/send-back/").content.decode()
    assert "What was changed in it (1 edit) is dropped" in refused
    assert ">Withdraw it</button>" in refused
    assert client.post(f"{AT}review/changes/finish/")["Location"] == f"{AT}history/3/"
    members = load_environment(fresh(stored).current).seed_data.rows["members"]
    assert [row["name"] for row in members[:2]] == ["Zoe", "Bo"]
    told = Notification.objects.get(recipient=lead, event__endswith=":finished")
    assert told.text.endswith("finished the change list of Lending desk: revision 3 is being proved")
    assert told.address == f"{AT}history/3/"


def test_what_both_changed_is_named_and_the_list_stays(stored, changes, second_reviewer, reviewer) -> None:
    mine, theirs = ([{"id": 1, "name": name}, {"id": 2, "name": "Ben"}] for name in ("Zoe", "Zora"))
    change_lists.gather(
        changes=changes, editor=second_reviewer, change=edits.edit_rows("members", mine), reason="A.", seen=0
    )
    edits.edit(
        record=stored,
        revision_number=1,
        editor=reviewer,
        change=edits.edit_rows("members", theirs),
        reason="B.",
    )
    with pytest.raises(Stale, match="Revision 2 changed seed data rows members 1 name as well"):
        change_lists.finish(changes=changes, editor=second_reviewer)
    assert change_lists.in_work(stored).edits == ["A."]


def test_a_policy_that_both_changed_is_put_together_by_line(
    stored, reviewer, second_reviewer, given_list
) -> None:
    edit(stored, reviewer, edits.edit_policy("One.\nTwo.\nThree."))
    changes = given_list(fresh(stored))
    gather(changes, second_reviewer, edits.edit_policy("One.\nTwo.\nThree, mine."))
    edit(stored, reviewer, edits.edit_policy("One, theirs.\nTwo.\nThree."))
    revision = change_lists.finish(changes=changes, editor=second_reviewer)
    assert load_environment(revision).policy.text == "One, theirs.\nTwo.\nThree, mine."


def test_sources_that_both_changed_are_read_again(stored, changes, second_reviewer, reviewer) -> None:
    sql = load_environment(stored.current).schema.sql
    mine = sql.replace("name TEXT NOT NULL", "name TEXT NOT NULL,\n  phone TEXT")
    theirs = sql.replace("item TEXT NOT NULL", "item TEXT NOT NULL CHECK (item <> '')")
    gather(changes, second_reviewer, edits.edit_schema(mine))
    edit(stored, reviewer, edits.edit_schema(theirs))
    schema = load_environment(change_lists.finish(changes=changes, editor=second_reviewer)).schema
    assert "CHECK (item <> '')" in schema.sql
    assert [column.name for column in schema.table("members").columns] == ["id", "name", "phone"]


def test_what_makes_no_part_together_is_named_and_refused(
    stored, changes, second_reviewer, reviewer, client
) -> None:
    gather(changes, second_reviewer, edits.edit_task("return_the_drill", {"min_calls": 9}))
    edit(stored, reviewer, edits.edit_task("return_the_drill", {"max_steps": 7}))
    client.force_login(second_reviewer)
    assert client.post(f"{AT}review/changes/finish/")["Location"] == f"{AT}review/send-back/"
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert "Put together with revision 2, the tasks cannot be used: tasks 0: " in page
    assert "max_steps of return_the_drill is 7" in page
    assert change_lists.in_work(stored).edits == ["Mine."]


def test_parts_that_do_not_fit_each_other_are_refused_with_a_sentence(
    stored, changes, second_reviewer, reviewer, client
) -> None:
    def renamed(environment):
        toolset, tasks = environment.tools, environment.tasks.tasks
        tools = tuple(tool.replace(name=tool.name.replace("list_", "show_")) for tool in toolset.tools)
        count = tasks[1].replace(reference_solution=(ToolCall(name="show_loans"),))
        return environment.replace(
            tools=toolset.replace(source=toolset.source.replace("list_", "show_"), tools=tools),
            tasks=environment.tasks.replace(tasks=(tasks[0], count)),
        )

    calls = [{"name": "list_loans"}, {"name": "return_item", "arguments": {"loan_id": 7}}]
    gather(changes, second_reviewer, edits.edit_task("return_the_drill", {"reference_solution": calls}))
    edit(stored, reviewer, renamed)
    client.force_login(second_reviewer)
    client.post(f"{AT}review/changes/finish/")
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert "It is not saved: " in page
    assert "return_the_drill calls &#x27;list_loans&#x27;, which is not a tool" in page
    assert change_lists.in_work(stored).edits == ["Mine."]


def test_the_policy_that_somebody_took_away_is_no_error(stored, changes, second_reviewer, reviewer) -> None:
    gather(changes, second_reviewer, edits.edit_policy("Mine."))
    edit(stored, reviewer, edits.edit_policy(""))
    with pytest.raises(Stale, match="Revision 2 changed policy as well"):
        change_lists.finish(changes=changes, editor=second_reviewer)
