"""Every address: open to the least role that may, closed to the one below, a sign-in page for strangers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse

from studio import urls
from studio.models import Role

READ = ("get", Role.VIEWER)
SHELVED: dict[str, tuple[str, Role]] = {
    "account": READ, "account_password": READ, "account_expertise": ("post", Role.VIEWER),
    "account_mails": ("post", Role.VIEWER), "notifications": READ, "notification": ("get", Role.VIEWER),
    "notifications_read": ("post", Role.VIEWER), "account_token_new": ("post", Role.VIEWER),
    "account_token_revoke": ("post", Role.VIEWER),
    "audit": ("get", Role.ADMIN), "people": ("get", Role.ADMIN), "invitation_new": ("post", Role.ADMIN),
    "invitation_revoke": ("post", Role.ADMIN), "person_role": ("post", Role.ADMIN),
    "person_active": ("post", Role.ADMIN), "person_reset": ("post", Role.ADMIN),
    "projects": READ, "project": READ, "project_new": ("post", Role.ADMIN),
    "project_endpoint_key": ("post", Role.ADMIN),
    "project_choose": ("post", Role.VIEWER), "project_change": ("post", Role.ADMIN),
    "project_member": ("post", Role.LEAD), "project_archive": ("post", Role.ADMIN),
    "project_delete": ("get", Role.ADMIN), "environment_move": ("post", Role.LEAD),
    "keys": READ, "glossary": READ, "jump": READ, "components": READ, "dashboard": READ, "operations": READ,
    "environments": READ,
    "environment_new": ("get", Role.LEAD), "environment_from_schema": ("get", Role.LEAD),
    "environments_bulk": ("get", Role.LEAD), "saved_filter_new": ("post", Role.VIEWER),
    "saved_filter_forget": ("post", Role.VIEWER),
    "collections": READ, "collection_new": ("get", Role.LEAD), "collection": READ,
    "collection_download": READ,
    "environment": READ, "environment_schema": READ, "environment_data": READ, "environment_row": READ,
    "environment_table": READ, "environment_sql": READ, "environment_tools": READ,
    "environment_dictionary": ("get", Role.REVIEWER),
    "environment_tool": READ, "environment_tasks": READ,
    "environment_task": READ, "environment_checks": READ, "environment_check": READ,
    "environment_trajectories": READ,
    "environment_review": READ, "environment_history": READ, "environment_export": READ,
    "environment_archive": ("get", Role.LEAD), "environment_restore": ("post", Role.LEAD),
    "review_submit": ("post", Role.REVIEWER), "review_adjudicate": ("post", Role.LEAD),
    "review_withdraw": ("post", Role.REVIEWER), "claim": ("post", Role.REVIEWER),
    "walk": READ, "walk_begin": READ, "questions": READ,
    "release": ("post", Role.REVIEWER), "flag_new": ("get", Role.REVIEWER),
    "flag_settle": ("post", Role.REVIEWER),
    "comment_new": ("post", Role.REVIEWER), "comment_resolve": ("post", Role.REVIEWER),
    "environment_scratch": READ, "scratch_call": ("post", Role.VIEWER), "scratch_undo": ("post", Role.VIEWER),
    "scratch_sync": ("post", Role.VIEWER),
    "scratch_verify": ("post", Role.VIEWER),
    "send_back": ("get", Role.REVIEWER), "conflicts": READ,
    "changes_finish": ("post", Role.REVIEWER), "changes_withdraw": ("post", Role.REVIEWER),
    "environment_revision": READ, "revision_trial": READ,
    "edit_scenario": ("get", Role.REVIEWER), "edit_policy": ("get", Role.REVIEWER),
    "edit_invariants": ("get", Role.REVIEWER),
    "edit_schema": ("get", Role.REVIEWER), "edit_tools": ("get", Role.REVIEWER),
    "edit_task": ("get", Role.REVIEWER), "edit_verifier": ("get", Role.REVIEWER),
    "edit_row": ("get", Role.REVIEWER), "edit_row_new": ("get", Role.REVIEWER),
    "edit_sheet": ("get", Role.REVIEWER),
    "queue": READ, "claim_next": ("post", Role.REVIEWER),
    "runs": READ, "run": READ, "run_progress": READ, "run_attempt": READ,
    "run_cancel": ("post", Role.LEAD), "run_retry": ("post", Role.LEAD), "run_pause": ("post", Role.LEAD),
    "run_resume": ("post", Role.LEAD),
    "run_priority": ("post", Role.LEAD), "run_retry_failed": ("post", Role.LEAD),
    "batch_new": ("get", Role.LEAD), "batch": READ, "batch_progress": READ, "batch_candidates": READ,
    "batch_budget": ("post", Role.LEAD), "spend": READ,
    "trajectories": READ, "trajectory": READ, "trajectory_step": READ, "trajectory_step_whole": READ,
    "trajectory_compare": READ,
    "trajectory_conversation": READ, "trajectory_file": READ, "revision_reviews_file": READ,
    "trajectory_export_new": ("get", Role.LEAD), "trajectory_export": READ,
    "trajectory_export_download": READ,
    "trajectory_drift": READ, "trajectory_scratch": ("post", Role.VIEWER),
    "rollouts_new": ("get", Role.LEAD), "rollouts": READ, "rollouts_progress": READ,
    "rollouts_go_on": ("post", Role.LEAD), "statistics": READ, "statistics_compare": READ,
    "quality": READ, "quality_new": ("get", Role.LEAD), "environment_quality": READ, "diversity": READ,
    "environment_tool_graph": READ,
    "judging": READ, "judging_new": ("get", Role.LEAD), "judging_run": READ,
    "judging_label": ("post", Role.REVIEWER),
    "bundles": READ, "bundle": READ, "bundle_download": READ, "bundle_import": ("get", Role.LEAD),
}  # fmt: skip
"""Name of an address to the method and the least role; the ones in OPEN need nobody."""

OPEN = {"expert_view", "home", "login", "logout", "session", "theme", "join", "password_reset"}
ACTS_BY_ROLE = list(Role)
OPEN |= {"health", "ready", "single_sign_on", "single_sign_on_callback"}


@pytest.fixture
def shelf(shared_shelf):
    return shared_shelf


def named(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace:  # the programs' interface and Django's admin have doors of their own
                continue
            yield from named(pattern.url_patterns)
        elif pattern.name:
            yield pattern.name


def address(name: str, shelf) -> str:
    environment = {"name": shelf.environment.name}
    run = shelf.exported if name.startswith("trajectory_export") else shelf.run
    known = {
        **environment, "table": "loans", "tool": "list_loans", "task": "return_the_drill",
        "claim": "the_schema_builds",
        "run_id": run.pk, "batch_id": shelf.batch.pk, "judging_id": shelf.judging.pk,
        "attempt_id": shelf.attempt.pk, "trajectory_id": shelf.trajectory.pk, "other_id": shelf.trajectory.pk,
        "index": 1, "number": 1, "bundle_id": shelf.bundle.pk,
        "review_id": shelf.review.pk, "flag_id": shelf.flag.pk,
        "comment_id": shelf.comment.pk, "collection_id": shelf.collection.pk, "filter_id": shelf.saved.pk,
        "slug": shelf.environment.project.slug,
        "token_id": 1, "notification_id": 1, "invitation_id": 1, "user_id": shelf.review.reviewer_id,
    }  # fmt: skip
    wanted = next(iter(_arguments(urls.urlpatterns, name)))
    text = reverse(name, kwargs={key: known[key] for key in wanted})
    asked = {"environment_row": "?id=7", "edit_row": "?id=7", "environments_bulk": "?action=checks"}
    return text + asked.get(name, "")


def _arguments(patterns, name: str, outer: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for pattern in patterns:
        inner = (*outer, *pattern.pattern.converters)
        if isinstance(pattern, URLResolver):
            yield from _arguments(pattern.url_patterns, name, inner)
        elif pattern.name == name:
            yield inner


def test_every_address_of_the_pages_is_in_the_table_above() -> None:
    assert set(named(urls.urlpatterns)) == set(SHELVED) | OPEN


@pytest.mark.parametrize("name", sorted(SHELVED))
def test_it_sends_strangers_to_the_sign_in_page(name: str, shelf, client: Client) -> None:
    method, _ = SHELVED[name]
    target = address(name, shelf)
    answer = getattr(client, method)(target)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/?next=")


@pytest.mark.parametrize("name", sorted(SHELVED))
def test_it_offers_sign_in_beside_a_fragment(name: str, shelf, client: Client) -> None:
    method, _ = SHELVED[name]
    answer = getattr(client, method)(address(name, shelf), headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert b'data-status="401"' in answer.content
    assert b"session has ended" in answer.content
    assert b"<html" not in answer.content


@pytest.mark.parametrize("name", sorted(SHELVED))
def test_it_names_the_missing_role(name: str, shelf, person: Callable[..., User], client: Client) -> None:
    method, least = SHELVED[name]
    below = ACTS_BY_ROLE[ACTS_BY_ROLE.index(least) - 1] if least != Role.VIEWER else None
    client.force_login(person("stranger", below))
    answer = getattr(client, method)(address(name, shelf))
    assert answer.status_code == 403
    assert f"This needs the role {least.label}" in answer.content.decode()
    assert b"<html" in answer.content


@pytest.mark.parametrize("name", sorted(SHELVED))
def test_it_opens_to_the_least_role(name: str, shelf, person: Callable[..., User], client: Client) -> None:
    method, least = SHELVED[name]
    client.force_login(person("somebody", least))
    answer = getattr(client, method)(address(name, shelf))
    answer.close()
    assert answer.status_code not in (401, 403, 404, 405, 500) or _refused_for_another_reason(name, answer)


def _refused_for_another_reason(name: str, answer) -> bool:
    """Whose review or flag it is matters, too; that is the service's word, not the door's."""
    text = answer.content.decode()
    reasons = {
        "review_withdraw": "Only the reviewer can withdraw a review",
        "flag_settle": "This needs the role Lead",
        "notification": "You have no such notification",
        "project_member": "There is no active account",
        "environment_move": "You have no project",
        "account_token_revoke": "There is no such token",
        "invitation_revoke": "There is no open invitation",
        "saved_filter_forget": "You have no such saved view",
    }
    return name in reasons and reasons[name] in text


@pytest.mark.parametrize("name", [name for name, (method, _) in SHELVED.items() if method == "post"])
def test_it_changes_nothing_on_get(name: str, shelf, administrator: User, client: Client) -> None:
    client.force_login(administrator)
    assert client.get(address(name, shelf)).status_code == 405


def test_a_page_that_differs_for_htmx_says_so(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert "HX-Request" in client.get("/jump/")["Vary"]


def test_the_login_redirect_keeps_the_step(shelf, viewer: User, client: Client) -> None:
    target = f"/trajectories/{shelf.trajectory.pk}/step/2/?since=0"
    sign_in = client.get(target)["Location"]
    answer = client.post(sign_in, {"username": "vera", "password": "vera-secret", "next": target})
    assert answer["Location"] == target
