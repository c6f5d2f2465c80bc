"""Address x method x role x project: who is outside a project gets nothing of it, by whatever way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import models
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

import studio.models
from studio.api.interface import api as interface
from studio.models import Comment, Flag, Notification, Project, ProjectMember, Role, Run
from studio.models.visibility import InProject
from studio.services.accounts.accounts import issue_token
from tests.studio.views.conftest import Shelf

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
SECRET = "Zanzibar"
"""A word that is in every name and text of what the outsider must not see."""
PERSONAL = frozenset(
    {"token_id", "notification_id", "invitation_id", "user_id", "filter_id", "code", "uidb64", "token"}
)
"""Parts of addresses that name a person's own things, not a project's."""
SHARED = frozenset({"studio_storedpartrecord", "studio_llmrecording"})
"""What workers keep by the digest of its content; no page and no operation reads it."""


@pytest.fixture
def closed(shared_shelf: Shelf) -> Shelf:
    """One of everything, whose project is closed and whose texts hold the secret word."""
    shelf = shared_shelf
    Project.objects.filter(pk=shelf.environment.project_id).update(
        is_open=False, name=f"{SECRET} project", slug="hidden"
    )
    record = shelf.environment
    record.title, record.category, record.name = f"{SECRET} desk", f"{SECRET}", f"{SECRET}_desk".lower()
    record.save()
    Run.objects.update(title=f"{SECRET} run", error=f"{SECRET} failed", stage=f"{SECRET}")
    Comment.objects.update(body=f"{SECRET}?")
    Flag.objects.update(comment=f"{SECRET}!")
    record.elements.update(summary=f"{SECRET} summary")
    record.trajectories.update(agent=f"{SECRET} agent", model=f"{SECRET} model", answer=f"{SECRET} answer")
    record.bundles.update(path=f"{SECRET}.zip")
    type(shelf.collection).objects.update(title=f"{SECRET} collection")
    record.reviews.update(comment=f"{SECRET} review")
    shelf.batch.candidates.update(name=f"{SECRET} candidate")
    return shelf


def outsider(person: Any, role: Role) -> User:
    """Somebody who takes part in another project only, and was told of things of this one before."""
    user: User = person("outsider", role)
    other = Project.objects.create(slug="other", name="Other")
    ProjectMember.objects.create(project=other, user=user, role=Role.LEAD)
    return user


def patterns(
    found: list[URLPattern | URLResolver], outer: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name and parameters of every address of the pages, from the resolver."""
    for pattern in found:
        inner = (*outer, *pattern.pattern.converters)
        if isinstance(pattern, URLResolver):
            if not pattern.namespace:
                yield from patterns(pattern.url_patterns, inner)
        elif pattern.name:
            yield pattern.name, inner


ADDRESSES = dict(patterns(get_resolver().url_patterns))
OF_A_PROJECT = {name: args for name, args in ADDRESSES.items() if args and not set(args) & PERSONAL}
OF_NO_ONE_THING = [name for name, args in ADDRESSES.items() if not args]


def values(shelf: Shelf, name: str) -> dict[str, Any]:
    """What the parameters of addresses are for the things of the closed project."""
    run = shelf.exported if name.startswith("trajectory_export") else shelf.run
    return {
        "name": shelf.environment.name, "table": "loans", "tool": "list_loans", "task": "return_the_drill",
        "claim": "the_schema_builds", "run_id": run.pk, "batch_id": shelf.batch.pk,
        "judging_id": shelf.judging.pk, "attempt_id": shelf.attempt.pk,
        "trajectory_id": shelf.trajectory.pk, "other_id": shelf.trajectory.pk, "index": 1, "number": 1,
        "bundle_id": shelf.bundle.pk, "review_id": shelf.review.pk, "flag_id": shelf.flag.pk,
        "comment_id": shelf.comment.pk, "collection_id": shelf.collection.pk, "slug": "hidden",
    }  # fmt: skip


def content(answer: Any) -> str:
    """The whole answer with its headers."""
    parts = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return parts.decode(errors="replace") + str(dict(answer.headers))


def everything() -> dict[str, int]:
    """How many records there are of each kind; accounts, sessions and the audit trail aside."""
    own = [each for each in InProject.__subclasses__() if not each._meta.abstract]
    return {each.__name__: each.all_projects.count() for each in own}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.LEAD], ids=str)
@pytest.mark.slow
def test_an_address_of_another_project_answers_as_an_unknown_one(role, closed, person, client):
    client.force_login(outsider(person, role))
    before, wrong = everything(), {}
    assert len(OF_A_PROJECT) > 80
    for name, args in OF_A_PROJECT.items():
        known = values(closed, name)
        target = reverse(name, kwargs={each: known[each] for each in args})
        for method in METHODS:
            answer = getattr(client, method)(target)
            told = content(answer).replace(target, "")
            # A role that is too low is told so before anything is looked for, whatever the address names.
            if answer.status_code not in (403, 404, 405) or SECRET in told.replace(target[1:], ""):
                wrong[name, method] = answer.status_code
    assert wrong == {}
    assert everything() == before


@pytest.mark.parametrize("role", [Role.VIEWER, Role.LEAD], ids=str)
@pytest.mark.slow
def test_no_page_about_many_things_names_those_of_another_project(role, closed, person, client):
    user = outsider(person, role)
    Notification.objects.create(
        recipient=user, environment=closed.environment, kind="mention", event="mention:1",
        text=f"{SECRET} mentioned you", address=f"/environments/{closed.environment.name}/",
    )  # fmt: skip
    client.force_login(user)
    wrong = []
    for name in OF_NO_ONE_THING:
        if name in ("logout", "login"):
            continue
        for query in queries(closed):
            for headers in ({}, {"hx-request": "true"}) if not query else ({},):
                answer = client.get(reverse(name), query, headers=headers)
                told = re.sub(re.escape(closed.environment.name), "", content(answer), flags=re.IGNORECASE)
                if answer.status_code >= 500 or SECRET in told:
                    wrong.append((name, query, answer.status_code))
    assert wrong == []


def queries(shelf: Shelf) -> list[dict[str, Any]]:
    """Query strings that name things of the closed project under the names that pages know."""
    trajectory, run = shelf.trajectory.pk, shelf.judging.pk
    return [
        {},
        {"q": "e", "search": "e"},
        {"environment": shelf.environment.name},
        {"environment": shelf.environment.pk, "revision": shelf.environment.current_id},
        {"run": run, "trajectory": trajectory, "batch": shelf.batch.pk, "first": trajectory, "other": run},
        {"project": "hidden"},
        {"action": "checks"},
        {"action": "assign"},
        {"a": shelf.environment.name, "b": shelf.environment.name, "category": "lending"},
        {"format": "csv"},
        {"export": "csv", "_export": "csv"},
    ]


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.LEAD], ids=str)
@pytest.mark.slow
def test_no_form_takes_a_number_of_another_project(role, closed, person, client):
    client.force_login(outsider(person, role))
    before = everything()
    own_runs = Run.objects.values_list("pk", flat=True)
    known = set(own_runs)
    wrong = []
    for name in OF_NO_ONE_THING:
        if name in ("logout", "login", "account_token_new", "project_new", "saved_filter_new"):
            continue
        for query in queries(closed):
            form = {**query, "environments": [closed.environment.name], "agents": ["reference"],
                    "trajectories": [closed.trajectory.pk], "seen": "x", "shown": 1}  # fmt: skip
            answer = client.post(reverse(name), form)
            told = re.sub(re.escape(closed.environment.name), "", content(answer), flags=re.IGNORECASE)
            if answer.status_code >= 500 or SECRET in told:
                wrong.append((name, query, answer.status_code))
    assert wrong == []
    made = Run.all_projects.exclude(pk__in=known)
    assert {run.project.slug for run in made} <= {"other"}
    assert not made.filter(environment=closed.environment).exists()
    after = everything()
    assert {name: after[name] for name in after if name not in ("Run", "RunEvent", "ScenarioCandidate")} == {
        name: before[name] for name in before if name not in ("Run", "RunEvent", "ScenarioCandidate")
    }


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and document of every operation of the programs' interface."""
    paths = interface.get_openapi_schema()["paths"]
    return [(method, path, each) for path, methods in paths.items() for method, each in methods.items()]


def filled(path: str, shelf: Shelf) -> str:
    """An operation's path with the things of the closed project."""
    known = {**values(shelf, ""), "environment": shelf.environment.name, "export_id": shelf.exported.pk}
    if "exports/{run_id}" in path:
        known["run_id"] = shelf.exported.pk
    return re.sub(r"\{(\w+)\}", lambda each: str(known.get(each[1], 1)), path)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.LEAD, Role.ADMIN], ids=str)
def test_no_operation_tells_or_takes_anything_of_another_project(role, closed, person):
    user = outsider(person, role)
    # An administrator reads every project, except with a token that opens one.
    only = Project.objects.get(slug="other") if role is Role.ADMIN else None
    _, token = issue_token(user=user, name="test", project=only)
    client = Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)
    document = json.loads(json.dumps(interface.get_openapi_schema()))
    before, wrong = everything(), []
    for method, path, each in operations():
        target = filled(path, closed)
        for body in bodies(document, each, closed):
            send = getattr(client, method)
            answer = send(target, body, content_type="application/json") if body else send(target)
            told = re.sub(re.escape(closed.environment.name), "", content(answer), flags=re.IGNORECASE)
            names_it = "{" in path and "token" not in path
            denied = (400, 403, 404, 405, 422)
            expected = answer.status_code in denied if names_it else answer.status_code < 500
            if SECRET in told or not expected:
                wrong.append((method, path, answer.status_code))
    assert wrong == []
    after = everything()
    mine = {"Run", "RunEvent", "ScenarioCandidate", "EnvironmentRecord"}
    assert {name: after[name] for name in after if name not in mine} == {
        name: before[name] for name in before if name not in mine
    }


def bodies(document: Any, operation: dict[str, Any], shelf: Shelf) -> list[dict[str, Any] | None]:
    """None for reading; for changing, a body that fits the schema and names things of the closed project."""
    sent = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if sent is None:
        return [None]
    return [body_of(document, sent["schema"], shelf, ""), {}]


def body_of(document: Any, schema: Any, shelf: Shelf, name: str) -> Any:
    """A value of a schema in which everything that names something names a thing of the closed project."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    for alternatives in ("anyOf", "allOf", "oneOf"):
        if alternatives in schema:
            return body_of(document, schema[alternatives][0], shelf, name)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {each: body_of(document, value, shelf, each) for each, value in fields.items()}
    if kind == "array":
        return [body_of(document, schema.get("items", {}), shelf, name)]
    numbers = {"trajectory": shelf.trajectory.pk, "run": shelf.run.pk, "revision": 1, "parent": 1}
    if kind == "integer":
        return next((number for word, number in numbers.items() if word in name), 1)
    texts = {"environment": shelf.environment.name, "agent": "reference", "day": timezone.localdate()}
    return {"number": 1.0, "boolean": True}.get(
        str(kind), next((text for word, text in texts.items() if word in name), "list_loans")
    )


@pytest.mark.slow
def test_members_and_administrators_see_it_all(closed, person, client):
    member = person("member", Role.LEAD)
    ProjectMember.objects.create(project=closed.environment.project, user=member, role=Role.LEAD)
    for user in (member, person("ada", Role.ADMIN)):
        client.force_login(user)
        for name, args in OF_A_PROJECT.items():
            known = values(closed, name)
            answer = client.get(reverse(name, kwargs={each: known[each] for each in args}), {"id": 7})
            answer.close()
            # Files were not renamed with the records; of a run without episodes there is no conversation.
            assert answer.status_code != 404 or "download" in name or "conversation" in name, name
        assert SECRET in client.get("/environments/").content.decode()


def test_what_a_membership_does_not_allow_is_refused_though_the_account_would(closed, person, client):
    user = person("member", Role.LEAD)
    ProjectMember.objects.create(project=closed.environment.project, user=user, role=Role.VIEWER)
    client.force_login(user)
    desk = reverse("environment", args=[closed.environment.name])
    assert client.get(desk).status_code == 200  # a first look is noted
    before, wrong = everything(), {}
    from tests.studio.views.test_access import SHELVED

    for name, args in OF_A_PROJECT.items():
        method, least = SHELVED[name]
        if least is Role.VIEWER:
            continue
        known = values(closed, name)
        target = reverse(name, kwargs={each: known[each] for each in args})
        for each in {method, "post"}:
            answer = getattr(client, each)(target)
            if answer.status_code not in (403, 404):
                wrong[name, each] = answer.status_code
    bulk = {"action": "archive", "reason": "No.", "seen": "", "shown": 1}
    client.post(reverse("environments_bulk"), bulk)
    assert wrong == {}
    assert everything() == before
    closed.environment.refresh_from_db()
    assert closed.environment.archived_at is None


def test_every_kind_of_record_that_leads_to_a_project_is_limited_to_visible_ones():
    """A new model without a rule fails here."""
    unlimited = set()
    for name in studio.models.__all__:
        model = getattr(studio.models, name)
        if not (isinstance(model, type) and issubclass(model, models.Model)):
            continue
        targets = {field.related_model for field in model._meta.get_fields() if field.many_to_one}
        leads = any(isinstance(each, type) and issubclass(each, InProject) for each in targets)
        if leads and not issubclass(model, InProject):
            unlimited.add(model._meta.db_table)
    assert unlimited == SHARED


def test_managers_of_such_records_limit_what_is_read():
    for model in InProject.__subclasses__():
        from studio.models.visibility import ProjectManager

        assert isinstance(model._default_manager, ProjectManager), model


def test_every_page_opens_for_somebody_without_a_project(closed, person, client) -> None:
    client.force_login(person("newcomer", Role.LEAD))
    client.raise_request_exception = False
    found = {name: client.get(reverse(name)).status_code for name in OF_NO_ONE_THING if name != "logout"}
    assert {name: status for name, status in found.items() if status >= 500} == {}
