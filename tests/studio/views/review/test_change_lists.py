"""Change lists: a lead accepts objections, a person edits place after place, one proof covers all of it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pydantic import SecretStr

from studio.models import (
    ChangeList,
    EnvironmentRecord,
    Flag,
    FlagState,
    Notification,
    Project,
    ProjectMember,
    Revision,
    Role,
    Run,
)
from studio.services.environments import change_lists, edits, quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.environments.environments import load_environment
from studio.services.errors import Conflict, Forbidden, NotReady
from studio.services.review import flags, reviews
from studio.services.synthesis import corrections
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.errors import InvalidInput

AT = "/environments/lending_desk/"
SOON = timezone.localdate() + timedelta(days=3)


def flagged(record: EnvironmentRecord, user: User, comment: str = "Fees are missing.", **more) -> Flag:
    return flags.raise_flag(record=record, user=user, reason="policy_wrong", comment=comment, **more)


def fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def test_a_lead_accepts_some_and_a_person_is_told(stored, reviewer, second_reviewer, lead, client) -> None:
    wanted, other = flagged(stored, reviewer), flagged(stored, reviewer, "Too long.")
    client.force_login(lead)
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert "Fees are missing." in page
    assert "Too long." in page
    sent = {"revision": 1, "author": "person", "flag": wanted.pk, "until": SOON, "assignee": ""}
    missing = client.post(f"{AT}review/send-back/", sent)
    assert missing.status_code == 422
    assert "Choose a person." in missing.content.decode()
    assert client.post(f"{AT}review/send-back/", {**sent, "assignee": second_reviewer.pk}).status_code == 302
    wanted.refresh_from_db()
    other.refresh_from_db()
    assert (wanted.state, other.state) == (FlagState.SENT_BACK, FlagState.OPEN)
    told = Notification.objects.get(recipient=second_reviewer)
    assert told.address == f"{AT}review/send-back/"
    client.force_login(second_reviewer)
    page = client.get(told.address).content.decode()
    assert "Fees are missing." in page
    assert f'href="{AT}edit/policy/"' in page
    assert "Too long." not in page


def test_many_edits_become_one_revision_and_one_proof(stored, changes, second_reviewer, client) -> None:
    client.force_login(second_reviewer)
    page = client.get(f"{AT}edit/policy/").content.decode()
    assert "Add to the change list" in page
    first = {"revision": 1, "reason": "Fees.", "text": "Late items cost 2.00 a day.", "gathered": 0}
    assert client.post(f"{AT}edit/policy/", first)["Location"] == f"{AT}review/send-back/"
    sheet = {"revision": 1, "base": 1, "reason": "A name.", "r0.1": "Ida", "gathered": 1}
    assert client.post(f"{AT}edit/sheet/members/", sheet).status_code == 302
    assert 'value="Ida"' in client.get(f"{AT}edit/sheet/members/").content.decode()
    assert Revision.objects.filter(environment=stored).count() == 1
    runs = Run.objects.filter(kind="checks").count()
    assert client.post(f"{AT}review/changes/finish/")["Location"] == f"{AT}history/2/"
    assert Run.objects.filter(kind="checks").count() == runs + 1
    after = load_environment(fresh(stored).current)
    assert after.policy.text == "Late items cost 2.00 a day."
    assert after.seed_data.rows["members"][0]["name"] == "Ida"
    revision = fresh(stored).current
    assert (revision.author, revision.reason) == (second_reviewer, "Fees. A name.")
    changes.refresh_from_db()
    assert (changes.state, changes.outcome) == ("finished", revision)


def test_a_row_of_the_list_is_suggested_and_read_by_its_name(
    stored, changes, second_reviewer, client
) -> None:
    client.force_login(second_reviewer)
    member = {"base": 1, "revision": 1, "reason": "She joined.", "n0.0": "40", "n0.1": "Zoe", "gathered": 0}
    assert client.post(f"{AT}edit/sheet/members/", member).status_code == 302
    assert '<option value="Zoe">' in client.get(f"{AT}edit/sheet/loans/").content.decode()
    loan = {"base": 1, "revision": 1, "reason": "Hers.", "r0.1": "Zoe", "gathered": 1}
    assert client.post(f"{AT}edit/sheet/loans/", loan).status_code == 302
    page = client.get(f"{AT}edit/row/loans/?id=7").content.decode()
    assert 'value="Zoe"' in page
    assert change_lists.gathered(fresh_list(changes)).seed_data.rows["loans"][0]["member_id"] == 40
    nobody = {**loan, "r0.1": "41", "gathered": 2}
    refused = client.post(f"{AT}edit/sheet/loans/", nobody)
    assert refused.status_code == 422
    assert "is one of those that are suggested" in refused.content.decode()


@pytest.mark.parametrize(
    ("passed", "state", "resolution"),
    [(True, FlagState.RESOLVED, "Changed in revision 2."), (False, FlagState.OPEN, "")],
)
def test_the_proof_of_a_finished_list_settles_its_flags_or_opens_them(
    stored, changes, second_reviewer, lead, passed: bool, state: FlagState, resolution: str
) -> None:
    change_lists.gather(
        changes=changes, editor=second_reviewer, change=edits.edit_policy("One."), reason="Fees.", seen=0
    )
    revision = change_lists.finish(changes=changes, editor=second_reviewer)
    flag = changes.flags.get()
    assert flag.state == FlagState.SENT_BACK
    result = CheckResult(claim="every_seed_row_loads", passed=passed)
    store_report(revision=revision, report=CheckReport(environment=revision.fingerprint, results=(result,)))
    quality_gates.answer_flags(fresh(stored))
    flag.refresh_from_db()
    assert (flag.state, flag.resolution) == (state, resolution)
    assert flag.resolved_by == (second_reviewer if passed else None)
    for person in (second_reviewer, lead):
        told = Notification.objects.filter(recipient=person, event__endswith=":unproved")
        assert told.count() == (0 if passed else 1)
        for each in told:
            assert each.text.startswith("Revision 2 of Lending desk, made of a change list, does not pass")
            assert each.address == f"{AT}checks/"


@pytest.mark.parametrize("again", ["correction", "list"])
def test_a_flag_that_somebody_works_at_again_waits_for_that(
    stored, changes, second_reviewer, lead, again: str, settings
) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"model": "m", "openai_api_key": SecretStr("sk")}
    )
    change_lists.gather(
        changes=changes, editor=second_reviewer, change=edits.edit_policy("One."), reason="Fees.", seen=0
    )
    revision = change_lists.finish(changes=changes, editor=second_reviewer)
    result = CheckResult(claim="every_seed_row_loads", passed=False)
    store_report(revision=revision, report=CheckReport(environment=revision.fingerprint, results=(result,)))
    quality_gates.answer_flags(fresh(stored))
    flag = changes.flags.get()
    if again == "correction":
        corrections.send_back(
            record=fresh(stored),
            revision_number=2,
            sender=lead,
            author="model",
            accepted=corrections.Accepted(flags=frozenset({flag.pk}), reviews=frozenset()),
        )
    else:
        change_lists.accept(
            record=fresh(stored),
            revision_number=2,
            lead=lead,
            assignee=second_reviewer,
            until=SOON,
            flags=[flag],
        )
    quality_gates.answer_flags(fresh(stored))
    quality_gates.settle(fresh(stored))
    assert changes.flags.get().state == FlagState.SENT_BACK


def test_the_proof_of_a_later_revision_settles_the_flags_of_a_list(stored, changes, second_reviewer) -> None:
    change_lists.gather(
        changes=changes, editor=second_reviewer, change=edits.edit_policy("One."), reason="Fees.", seen=0
    )
    change_lists.finish(changes=changes, editor=second_reviewer)
    later = edits.edit(
        record=fresh(stored),
        revision_number=2,
        editor=second_reviewer,
        change=edits.edit_policy("Two."),
        reason="More.",
    )
    result = CheckResult(claim="every_seed_row_loads", passed=True)
    store_report(revision=later, report=CheckReport(environment=later.fingerprint, results=(result,)))
    quality_gates.answer_flags(fresh(stored))
    flag = changes.flags.get()
    assert (flag.state, flag.resolution) == (FlagState.RESOLVED, "Changed in revision 2.")


def test_an_older_form_takes_nothing_back(changes, second_reviewer, client: Client) -> None:
    client.force_login(second_reviewer)
    policy = {"revision": 1, "reason": "Fees.", "text": "One.", "gathered": 0}
    client.post(f"{AT}edit/policy/", policy)
    late = client.post(f"{AT}edit/policy/", {**policy, "text": "Two."})
    assert late.status_code == 409
    assert "Something else was changed in this list" in late.content.decode()
    assert "Two." in late.content.decode()
    assert change_lists.gathered(fresh_list(changes)).policy.text == "One."


def fresh_list(changes: ChangeList) -> ChangeList:
    return ChangeList.objects.select_related("revision", "environment").get(pk=changes.pk)


def test_what_is_refused(stored, changes, reviewer, second_reviewer, lead, viewer) -> None:
    more = {"record": stored, "revision_number": 1, "lead": lead, "until": SOON}
    with pytest.raises(Conflict, match="already"):
        change_lists.accept(**more, assignee=reviewer, flags=[flagged(stored, reviewer)])
    with pytest.raises(NotReady, match="No objection"):
        change_lists.accept(**more, assignee=reviewer, flags=[])
    with pytest.raises(Forbidden):
        change_lists.accept(**more, assignee=viewer, flags=[])
    with pytest.raises(InvalidInput, match="Choose a day"):
        change_lists.accept(**{**more, "until": SOON - timedelta(days=9)}, assignee=reviewer, flags=[])
    with pytest.raises(Forbidden, match="role Lead"):
        change_lists.accept(**{**more, "lead": reviewer}, assignee=reviewer, flags=[])
    with pytest.raises(NotReady, match="Nothing is changed"):
        change_lists.finish(changes=changes, editor=second_reviewer)
    with pytest.raises(Forbidden, match="Somebody else"):
        change_lists.finish(changes=changes, editor=lead)
    with pytest.raises(Forbidden):
        change_lists.withdraw(changes=changes, user=reviewer)


def test_a_withdrawn_list_opens_its_flags(stored, changes, lead, client: Client) -> None:
    client.force_login(lead)
    assert client.post(f"{AT}review/changes/withdraw/").status_code == 302
    assert Flag.objects.get().state == FlagState.OPEN
    assert "Fees are missing." in client.get(f"{AT}review/send-back/").content.decode()
    assert change_lists.in_work(stored) is None


def close_to(record: EnvironmentRecord, **roles: Role) -> None:
    """Close the environment's project to all but these people."""
    Project.objects.filter(pk=record.project_id).update(is_open=False)
    for username, role in roles.items():
        person = User.objects.get(username=username)
        ProjectMember.objects.create(project_id=record.project_id, user=person, role=role)


def test_a_list_goes_to_nobody_outside_the_project(stored, reviewer, second_reviewer, lead, client) -> None:
    flag = flagged(stored, reviewer)
    close_to(stored, lena=Role.LEAD, rosa=Role.REVIEWER)
    more = {"record": stored, "revision_number": 1, "lead": lead, "until": SOON, "flags": [flag]}
    with pytest.raises(Forbidden, match="in this project"):
        change_lists.accept(**more, assignee=second_reviewer)
    client.force_login(lead)
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert f'<option value="{reviewer.pk}"' in page
    assert f'<option value="{second_reviewer.pk}"' not in page
    change_lists.accept(**more, assignee=reviewer)


def test_a_lead_who_is_a_reviewer_in_the_project_accepts_and_withdraws_nothing(
    stored, changes, lead, client
) -> None:
    close_to(stored, lena=Role.REVIEWER, ravi=Role.REVIEWER)
    client.force_login(lead)
    assert "changes/withdraw/" not in client.get(f"{AT}review/send-back/").content.decode()
    assert client.post(f"{AT}review/changes/withdraw/").status_code == 403
    changes.refresh_from_db()
    assert changes.state == "open"
    more = {"record": stored, "revision_number": 1, "lead": lead, "until": SOON}
    with pytest.raises(Forbidden, match="role Lead"):
        change_lists.accept(**more, assignee=changes.assignee, flags=[flagged(stored, changes.assignee)])


def test_pages_count_what_is_to_be_changed(stored, reviewer, lead, client) -> None:
    raised = [flagged(stored, reviewer), flagged(stored, reviewer, "Too long.")]
    client.force_login(lead)
    count = re.compile(r'What is to be changed</h2>\s*<span class="count">2</span>')
    assert count.search(client.get(f"{AT}review/send-back/").content.decode())
    change_lists.accept(
        record=stored, revision_number=1, lead=lead, assignee=reviewer, until=SOON, flags=raised
    )
    assert count.search(client.get(f"{AT}review/send-back/").content.decode())


def test_more_objections_cost_no_more_queries(
    stored, changes, reviewer, lead, client, django_assert_max_num_queries
) -> None:
    changes.flags.add(*[flagged(stored, reviewer, f"Wrong {number}.") for number in range(9)])
    client.force_login(lead)
    client.get(f"{AT}review/send-back/")
    with django_assert_max_num_queries(20):
        client.get(f"{AT}review/send-back/")


def test_words_about_the_whole_world_have_a_place_of_their_own(
    stored, reviewer, second_reviewer, lead, client
) -> None:
    review = reviews.submit(
        record=stored,
        revision_number=1,
        reviewer=reviewer,
        decision="request_changes",
        comment="No desk lends drills alone.",
    )
    client.force_login(lead)
    offered = client.get(f"{AT}review/send-back/").content.decode()
    assert "The whole world" in offered
    assert "<strong>Tools" not in offered
    change_lists.accept(
        record=fresh(stored),
        revision_number=1,
        lead=lead,
        assignee=second_reviewer,
        until=SOON,
        flags=[],
        reviews=[review],
    )
    client.force_login(second_reviewer)
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert "The whole world" in page
    for place in ("edit/scenario/", "edit/policy/", "data/", "tasks/"):
        assert f'class="btn btn-sm" href="{AT}{place}"' in " ".join(page.split())
        assert "data-language" not in client.get(f"{AT}{place}").content.decode()
    assert f"{AT}edit/tools/" not in page
    (finding,) = corrections.as_findings(review)
    assert finding.part == "tools"


def test_people_are_called_by_name_and_a_lead_sees_that_they_have_the_list(
    stored, reviewer, lead, client
) -> None:
    User.objects.filter(pk=reviewer.pk).update(last_name="Reed")
    flagged(stored, reviewer)
    client.force_login(lead)
    page = client.get(f"{AT}review/send-back/").content.decode()
    assert f'<option value="{lead.pk}" selected>Lena (yourself)</option>' in page
    assert f'<option value="{reviewer.pk}">Rosa Reed</option>' in page
    assert "You have the list yourself unless you choose somebody else." in page


def test_a_list_in_work_is_on_the_pages_of_those_whom_it_concerns(
    stored, changes, reviewer, second_reviewer, lead, viewer, client
) -> None:
    day = f"{SOON.day} {SOON:%B %Y}"
    link = f'<a href="{AT}review/send-back/">change list</a>'

    def shown(user, path: str) -> str:
        client.force_login(user)
        return " ".join(client.get(path).content.decode().split())

    assert f"You work off a {link} until {day}, given by Lena: nothing is changed yet." in shown(
        second_reviewer, "/"
    )
    change = edits.edit_policy("One.")
    change_lists.gather(changes=changes, editor=second_reviewer, change=change, reason="Mine.", seen=0)
    theirs = f"Ravi works off a {link} until {day}, given by you: 1 change so far."
    assert theirs in shown(lead, "/")
    assert theirs in shown(lead, AT)
    others = f"Ravi works off a {link} until {day}, given by Lena: 1 change so far."
    assert others in shown(reviewer, AT)
    assert others in shown(reviewer, "/review/")
    assert "Change lists in work" not in shown(reviewer, "/")
    ChangeList.objects.update(until=timezone.localdate() - timedelta(days=1))
    assert "Late" in shown(lead, "/")
    change_lists.withdraw(changes=changes, user=lead)
    assert "Change lists in work" not in shown(lead, "/")
    assert "change list" not in shown(lead, AT)
