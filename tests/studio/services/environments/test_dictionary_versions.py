"""Dictionaries are versions: each edit is one, and nobody overwrites what they did not see."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import EnvironmentRecord
from studio.services.environments import dictionaries
from studio.services.errors import Conflict, Forbidden
from synthesis.documents.dictionary import Dictionary

AT = "/environments/lending_desk/dictionary/"


def test_each_edit_is_a_version_by_somebody(stored: EnvironmentRecord, reviewer: User) -> None:
    words = Dictionary(tools={"return_item": "Take back"})
    assert dictionaries.save(record=stored, editor=reviewer, dictionary=words, seen=0) == 1
    assert dictionaries.save(record=stored, editor=reviewer, dictionary=words, seen=1) == 1
    assert dictionaries.edited(EnvironmentRecord.objects.get(pk=stored.pk)) == words
    version = stored.dictionary_versions.get()
    assert (version.number, version.editor, version.document) == (1, reviewer, {"tools": words.tools})


def test_an_edit_of_an_older_version_is_refused(
    stored: EnvironmentRecord, reviewer: User, lead: User
) -> None:
    dictionaries.save(record=stored, editor=lead, dictionary=Dictionary(tools={"return_item": "A"}), seen=0)
    with pytest.raises(Conflict, match="changed the dictionary"):
        dictionaries.save(
            record=stored, editor=reviewer, dictionary=Dictionary(tools={"return_item": "B"}), seen=0
        )
    assert dictionaries.edited(EnvironmentRecord.objects.get(pk=stored.pk)).tools == {"return_item": "A"}


def test_a_viewer_edits_no_words(stored: EnvironmentRecord, viewer: User) -> None:
    with pytest.raises(Forbidden):
        dictionaries.save(record=stored, editor=viewer, dictionary=Dictionary(), seen=0)


def test_a_section_sent_by_form_keeps_only_what_differs(
    stored: EnvironmentRecord, reviewer: User, client: Client
) -> None:
    client.force_login(reviewer)
    form = client.get(f"{AT}?section=tools").context["form"]
    fields = {each.html_name: each.value() for each in form}
    answer = client.post(f"{AT}?section=tools", {**fields, "title.return_item": "Take back"})
    assert answer.status_code == 302
    words = dictionaries.edited(EnvironmentRecord.objects.get(pk=stored.pk))
    assert words == Dictionary(tools={"return_item": "Take back"})
    again = client.post(f"{AT}?section=tools", {**fields, "title.return_item": "Late"})
    assert again.status_code == 409
    assert "Somebody changed the dictionary" in again.content.decode()


def test_words_of_a_table_sent_as_they_are_change_nothing(
    stored: EnvironmentRecord, reviewer: User, client: Client
) -> None:
    client.force_login(reviewer)
    form = client.get(f"{AT}?section=table.loans").context["form"]
    fields = {each.html_name: each.value() for each in form}
    assert client.post(f"{AT}?section=table.loans", fields).status_code == 302
    assert dictionaries.edited(EnvironmentRecord.objects.get(pk=stored.pk)).empty
    assert client.post(f"{AT}?section=table.loans", {**fields, "title": "Lent"}).status_code == 302
    words = dictionaries.edited(EnvironmentRecord.objects.get(pk=stored.pk))
    assert words.model_dump(exclude_defaults=True) == {"tables": {"loans": {"title": "Lent"}}}


def test_a_tool_is_called_by_what_it_does() -> None:
    names = ("bike_rentals_find", "bikes_list", "bikes", "pay")
    titles = [dictionaries.tool_title(name, ["bikes", "bike_rentals"]) for name in names]
    assert titles == ["Find bike rentals", "List bikes", "Bikes", "Pay"]
