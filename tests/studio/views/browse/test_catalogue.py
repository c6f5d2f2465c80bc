"""The catalogue: columns in the address, files of exactly what is shown, saved views, acts on exactly N."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import (
    AuthorKind,
    EnvironmentRecord,
    EnvironmentState,
    Role,
    Run,
    RunKind,
    SavedFilter,
)
from studio.services.environments.environments import store_environment
from synthesis.documents.environment import Environment

BULK = "/catalogue/act/"


@pytest.fixture
def desks(db: None, environment: Environment) -> Callable[..., list[EnvironmentRecord]]:
    """Makes environments of the category lending, proved and waiting for review."""

    def make(*numbers: int) -> list[EnvironmentRecord]:
        environments = []
        for number in numbers:
            scenario = environment.scenario.replace(name=f"desk_{number:02}", title=f"Desk {number:02}")
            revision = store_environment(
                environment=environment.replace(scenario=scenario),
                author_kind=AuthorKind.PROCEDURAL,
                reason="Made.",
            )
            environments.append(revision.environment)
        EnvironmentRecord.objects.update(state=EnvironmentState.PROVED)
        return environments

    return make


def agreed(client: Client, address: str) -> dict[str, object]:
    """The hidden fields of a bulk page, as its form would send them."""
    context = client.get(address).context
    fields = {
        "action": context["action"].name,
        "seen": context["plan"].seen,
        "shown": context["plan"].matching,
    }
    return fields | dict(context["other_parameters"])


def test_columns_are_chosen_in_the_address(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = client.get("/environments/?columns=rows_&columns=lines&sort=title").content.decode()
    assert 'data-label="Rows"' in page
    assert 'data-label="Lines of code"' in page
    assert 'data-label="Checks"' not in page
    assert "columns=rows_&amp;columns=lines" in page  # a sorted or filtered list keeps them
    assert 'data-label="Checks"' in client.get("/environments/?columns=nonsense").content.decode()


def test_a_file_has_the_columns_filters_and_order_that_are_shown(desks, viewer: User, client: Client) -> None:
    desks(*range(30))
    client.force_login(viewer)
    address = "/environments/?columns=tools&q=desk_2&sort=-title&page=1&format="
    rows = client.get(address + "json").json()
    assert [row["title"] for row in rows] == [f"Desk {n}" for n in range(29, 19, -1)]
    assert set(rows[0]) == {"name", "title", "category", "tools"}
    lines = client.get(address + "csv").content.decode().splitlines()
    assert lines[:2] == ["name,title,category,tools", "desk_29,Desk 29,lending,2"]
    assert len(lines) == 11
    assert len(client.get("/environments/?format=json").json()) == 30


def test_a_view_is_kept_under_a_name_for_its_owner_only(
    shelf, viewer: User, lead: User, client: Client
) -> None:
    client.force_login(viewer)
    query = "category=lending&columns=tools&sort=title&page=3"
    answer = client.post("/catalogue/views/", {"name": "  My   desks ", "query": query})
    assert answer["Location"] == "/environments/?category=lending&columns=tools&sort=title"
    assert "My desks" in client.get("/environments/").content.decode()
    client.post("/catalogue/views/", {"name": "My desks", "query": "state=proved"}, follow=True)
    (saved_filter,) = SavedFilter.objects.filter(user=viewer)
    assert saved_filter.query == "state=proved"
    client.force_login(lead)
    assert "My desks" not in client.get("/environments/").content.decode()
    assert client.post(f"/catalogue/views/{saved_filter.pk}/forget/").status_code == 404
    client.force_login(viewer)
    client.post(f"/catalogue/views/{saved_filter.pk}/forget/")
    assert not SavedFilter.objects.filter(user=viewer).exists()


def test_a_view_without_a_name_is_refused_in_words(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.post("/catalogue/views/", {"name": " ", "query": "q=x"}, follow=True)
    assert "Name the view with 1 to 60 characters." in answer.content.decode()
    assert answer.request["QUERY_STRING"] == "q=x"


def test_an_act_on_all_that_match_reaches_exactly_those(desks, lead: User, client: Client) -> None:
    desks(1, 2, 3)
    EnvironmentRecord.objects.filter(name="desk_03").update(category="other")
    client.force_login(lead)
    address = f"{BULK}?action=checks&category=lending&shown=2"
    assert "2 environments" in client.get(address).content.decode()
    answer = client.post(BULK, agreed(client, address), follow=True)
    assert "done for 2 environments" in answer.content.decode()
    queued = Run.objects.filter(kind=RunKind.CHECKS)
    assert {run.environment.name for run in queued} == {"desk_01", "desk_02"}  # type: ignore[union-attr]


def test_an_act_is_refused_with_the_new_number_when_another_matches_meanwhile(
    desks, lead: User, client: Client
) -> None:
    desks(1, 2)
    client.force_login(lead)
    fields = agreed(client, f"{BULK}?action=checks&category=lending")
    desks(3)
    answer = client.post(BULK, fields)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "2 matched when you looked, 3 match now. Nothing was done." in page
    assert '<a href="/environments/?category=lending">Back to the list</a>' in page
    assert "Prove again: 3 environments" in page
    assert not Run.objects.exists()
    assert (
        "2 matched when you chose this; 3 match now"
        in client.get(f"{BULK}?action=checks&shown=2").content.decode()
    )


def test_an_act_is_refused_when_as_many_but_others_match(desks, lead: User, client: Client) -> None:
    desks(1, 2)
    client.force_login(lead)
    fields = agreed(client, f"{BULK}?action=checks&category=lending")
    EnvironmentRecord.objects.filter(name="desk_01").update(category="other")
    desks(3)
    answer = client.post(BULK, fields)
    assert answer.status_code == 409
    assert "not the same ones" in answer.content.decode()
    assert not Run.objects.exists()


CHOSEN = "category=lending&of=chosen&chosen=desk_01&chosen=desk_03"


def chosen(client: Client, action: str) -> dict[str, object]:
    """What the page of an act on two ticked rows would send."""
    sent = agreed(client, f"{BULK}?action={action}&{CHOSEN}&sort=title&page=1")
    return {**sent, "chosen": ["desk_01", "desk_03"]}


def test_an_act_on_ticked_rows_reaches_exactly_those(desks, lead: User, client: Client) -> None:
    desks(1, 2, 3)
    client.force_login(lead)
    shown = client.get(f"{BULK}?action=checks&{CHOSEN}").content.decode()
    assert "You chose 2 environments. 2 will have all their claims checked again" in shown
    client.post(BULK, chosen(client, "checks"))
    queued = Run.objects.filter(kind=RunKind.CHECKS)
    assert {run.environment.name for run in queued} == {"desk_01", "desk_03"}  # type: ignore[union-attr]


def test_a_refused_act_leads_back_to_the_list_with_its_filters_and_ticks(
    desks, lead: User, client: Client
) -> None:
    desks(1, 2, 3)
    client.force_login(lead)
    sent = chosen(client, "archive")
    EnvironmentRecord.objects.filter(name="desk_03").update(category="other")
    answer = client.post(BULK, {**sent, "reason": "Old."})
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "2 matched when you looked, 1 match now. Nothing was done." in page
    back = "/environments/?category=lending&sort=title&page=1&chosen=desk_01&chosen=desk_03"
    assert f'<a href="{back.replace("&", "&amp;")}">Back to the list</a>' in page
    assert 'value="Old."' in page
    boxes = client.get(back).content.decode()
    assert 'value="desk_01" checked>' in boxes
    assert 'value="desk_02">' in boxes


def test_an_act_without_words_or_with_a_day_that_is_over_keeps_the_page(
    desks, person, lead: User, client: Client
) -> None:
    desks(1)
    rosa = person("rosa", Role.REVIEWER)
    client.force_login(lead)
    answer = client.post(BULK, agreed(client, f"{BULK}?action=archive") | {"reason": " "})
    assert answer.status_code == 422
    assert "Say in 1 to 300 characters why it is archived." in answer.content.decode()
    assert "Back to the list" in answer.content.decode()
    assert not EnvironmentRecord.objects.filter(archived_at__isnull=False).exists()
    for day, words in (("2020-01-01", "not 1 January 2020"), ("soon", "&#x27;soon&#x27; is not a day")):
        shown = client.get(f"{BULK}?action=assign&assignee={rosa.pk}&until={day}")
        assert shown.status_code == 422
        assert words in shown.content.decode()
        assert "Back to the list" in shown.content.decode()


def test_an_act_on_no_ticked_row_does_nothing(desks, lead: User, client: Client) -> None:
    desks(1, 2)
    client.force_login(lead)
    answer = client.get(f"{BULK}?action=archive&category=lending&of=chosen", follow=True)
    assert answer.redirect_chain[-1][0] == "/environments/?category=lending"
    assert "Nothing was chosen." in answer.content.decode()


def test_what_cannot_take_an_act_is_left_out_with_the_reason(
    desks, person, lead: User, client: Client
) -> None:
    desks(1, 2)
    rosa = person("rosa", Role.REVIEWER)
    EnvironmentRecord.objects.filter(name="desk_02").update(state=EnvironmentState.DRAFT)
    client.force_login(lead)
    address = f"{BULK}?action=assign&assignee={rosa.pk}"
    page = client.get(address).content.decode()
    assert "It is draft, so there is nothing to review." in page
    client.post(BULK, {**agreed(client, address), "assignee": rosa.pk})
    (held,) = rosa.claims.all()
    assert held.environment.name == "desk_01"
    assert "Another reviewer holds it." in client.get(address).content.decode()


def test_acts_on_many_are_offered_only_to_whom_they_are_allowed(
    desks, viewer: User, lead: User, client: Client
) -> None:
    desks(1)
    client.force_login(viewer)
    page = client.get("/environments/").content.decode()
    assert "Act on" not in page
    assert 'name="chosen"' not in page
    client.force_login(lead)
    page = client.get("/environments/").content.decode()
    assert "Act on the one matching" in page
    assert 'name="chosen" value="desk_01"' in page
    assert client.get(f"{BULK}?action=burn").status_code == 404


def test_the_list_says_how_many_reviewed_the_current_revision(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert "1 of 1" in client.get("/environments/?columns=reviewed").content.decode()


def test_the_dashboard_leads_to_what_is_flagged_and_held(shelf, lead: User, client: Client) -> None:
    client.force_login(lead)
    page = client.get("/dashboard/").content.decode()
    assert 'href="/environments/?flagged=true"' in page
    assert 'href="/environments/?held=true"' in page
    flagged = client.get("/environments/?flagged=true")
    assert flagged.context["count"] == 1
    assert "Open flags: <strong>yes</strong>" in flagged.content.decode()
    assert client.get("/environments/?flagged=false").context["count"] == 0
    assert client.get("/environments/?held=true").context["count"] == 0


@pytest.mark.parametrize(
    "asked", ["state=zzz", "author_kind=zzz", "category=gone", "flagged=zzz", "held=2", "archived=x"]
)
def test_a_value_that_nothing_has_leaves_nothing_in_lists_files_and_acts(
    asked: str, desks, lead: User, client: Client
) -> None:
    desks(1, 2)
    client.force_login(lead)
    page = client.get(f"/environments/?{asked}")
    assert (page.context["count"], len(page.context["chips"])) == (0, 1)
    assert client.get(f"/environments/?{asked}&format=json").json() == []
    assert client.get(f"{BULK}?action=archive&{asked}").context["plan"].matching == 0


@pytest.mark.parametrize(
    "address",
    [
        "/runs/?state=zzz",
        "/runs/?kind=zzz",
        "/trajectories/?label=zzz",
        "/trajectories/?run=first",
        "/trajectories/?disputed=zzz",
    ],
)
def test_other_lists_hold_to_the_chip_above_them_too(
    address: str, shelf, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    page = client.get(address)
    assert (page.context["count"], len(page.context["chips"])) == (0, 1)
