"""Administrators manage people and tokens under /admin/; everybody else is sent away."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.core.management import call_command

from studio.models import ApiToken, Role
from studio.services.accounts import accounts

PASSWORD = "a-long-and-odd-phrase-7"


def test_an_administrator_sees_every_list_and_every_record(as_, administrator, stored, trajectory):
    accounts.issue_token(user=administrator, name="trainer")
    client = as_(administrator)
    assert client.get("/admin/").status_code == 200
    for model in admin.site._registry:
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(address).status_code == 200, address
        if (record := model._default_manager.first()) is not None:
            assert client.get(f"{address}{record.pk}/change/").status_code == 200, address


def test_nobody_else_sees_any(client, viewer, lead, person):
    for user in (viewer, lead, person("nobody")):
        client.force_login(user)
        assert client.get("/admin/auth/user/").status_code == 302


def test_an_administrator_makes_a_person_and_gives_and_takes_roles(as_, administrator):
    client = as_(administrator)
    new = {"username": "nora", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/admin/auth/user/add/", {**new, "role": "lead"}).status_code == 302
    nora = User.objects.get(username="nora")
    assert (accounts.role_of(nora), nora.is_staff) == (Role.LEAD, False)
    address = f"/admin/auth/user/{nora.pk}/change/"
    assert 'value="lead" selected' in client.get(address).content.decode()
    for role, staff in (("admin", True), ("viewer", False), ("", False)):
        form = {"username": "nora", "is_active": "on", "role": role}
        assert client.post(address, form).status_code == 302
        nora = User.objects.get(username="nora")
        assert (accounts.role_of(nora), nora.is_staff) == (Role(role) if role else None, staff)


def test_an_administrator_gains_no_superuser(as_, administrator):
    root = User.objects.create_superuser("root", password=PASSWORD)
    client = as_(administrator)
    own = f"/admin/auth/user/{administrator.pk}/change/"
    form = {"username": "ada", "is_active": "on", "role": "admin", "is_superuser": "on"}
    assert client.post(own, form).status_code == 302
    assert not User.objects.get(pk=administrator.pk).is_superuser
    assert client.post(f"/admin/auth/user/{root.pk}/change/", form).status_code == 403
    assert client.get(f"/admin/auth/user/{root.pk}/password/").status_code == 403
    assert client.post(f"/admin/auth/user/{root.pk}/delete/", {"post": "yes"}).status_code == 403


def test_an_administrator_revokes_tokens(as_, administrator, lead):
    record, token = accounts.issue_token(user=lead, name="trainer")
    form = {"action": "revoke", "_selected_action": [record.pk]}
    assert as_(administrator).post("/admin/studio/apitoken/", form).status_code == 302
    assert accounts.user_of_token(token) is None
    assert ApiToken.objects.get().state == "revoked"


@pytest.mark.django_db
def test_every_role_is_there_after_migrations():
    Group.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert set(Group.objects.values_list("name", flat=True)) == set(Role.values)
