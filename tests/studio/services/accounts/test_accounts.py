"""People have roles, programs have tokens."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from studio.models import MATRIX, Act, ApiToken, Role
from studio.services.accounts import accounts
from studio.services.errors import Forbidden, Missing
from synthesis.errors import InvalidInput


def test_every_role_may_do_what_the_roles_below_may():
    below: frozenset[Act] = frozenset()
    for role in Role:
        assert below < MATRIX[role]
        below = MATRIX[role]
    assert below == frozenset(Act)


@pytest.mark.parametrize(
    ("fixture", "act", "may"),
    [
        ("viewer", Act.VIEW, True),
        ("viewer", Act.COMMENT, False),
        ("reviewer", Act.REVIEW, True),
        ("reviewer", Act.SYNTHESISE, False),
        ("lead", Act.EXPORT, True),
        ("lead", Act.MANAGE, False),
        ("administrator", Act.MANAGE, True),
    ],
)
def test_the_matrix_holds(request, fixture, act, may):
    assert accounts.allowed(request.getfixturevalue(fixture), act) is may


def test_strangers_and_people_without_a_role_may_nothing(person):
    for user in (AnonymousUser(), person("nobody")):
        assert not any(accounts.allowed(user, act) for act in Act)


def test_a_refusal_names_the_missing_role(viewer):
    with pytest.raises(Forbidden) as refusal:
        accounts.require(viewer, Act.EXPORT)
    assert refusal.value.role is Role.LEAD
    assert "Lead" in refusal.value.message


def test_a_new_role_replaces_the_old_one(lead):
    accounts.set_role(user=lead, role=Role.VIEWER)
    assert accounts.role_of(lead) is Role.VIEWER
    assert list(lead.groups.values_list("name", flat=True)) == ["viewer"]


def test_asking_for_the_role_again_costs_no_query(viewer, django_assert_num_queries):
    with django_assert_num_queries(1):
        accounts.role_of(viewer)
        accounts.role_of(viewer)


def test_demonstration_people_sign_in_with_what_was_printed_last(db):
    first = accounts.create_demo_users()
    second = accounts.create_demo_users()
    assert {sign_in.role for sign_in in second} == set(Role)
    for old, new in zip(first, second, strict=True):
        assert authenticate(username=new.username, password=new.password) is not None
        assert authenticate(username=old.username, password=old.password) is None


def test_a_token_stands_for_its_person_and_is_kept_as_a_digest(lead):
    record, token = accounts.issue_token(user=lead, name="trainer")
    assert accounts.user_of_token(token) == lead
    assert token not in str(ApiToken.objects.values().get(pk=record.pk))
    assert accounts.user_of_token(token + "x") is None


def test_a_token_ends_when_it_expires_is_revoked_or_its_person_leaves(lead):
    _, expired = accounts.issue_token(user=lead, name="old", expires_at=timezone.now() - timedelta(seconds=1))
    record, revoked = accounts.issue_token(user=lead, name="revoked")
    _, token = accounts.issue_token(user=lead, name="good")
    accounts.revoke_token(user=lead, token_id=record.pk)
    assert accounts.user_of_token(expired) is None
    assert accounts.user_of_token(revoked) is None
    lead.is_active = False
    lead.save()
    assert accounts.user_of_token(token) is None


def test_nobody_ends_another_persons_token_but_an_administrator(lead, reviewer, administrator):
    record, _ = accounts.issue_token(user=lead, name="trainer")
    with pytest.raises(Missing):
        accounts.revoke_token(user=reviewer, token_id=record.pk)
    accounts.revoke_token(user=administrator, token_id=record.pk)


def test_a_token_needs_a_name(lead):
    with pytest.raises(InvalidInput, match="Name the token"):
        accounts.issue_token(user=lead, name=" ")
