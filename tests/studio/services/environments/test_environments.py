"""Environments are stored as versions of parts and come back whole."""

from __future__ import annotations

import pytest

from studio.models import AuthorKind, EnvironmentRecord, EnvironmentState, PartRecord
from studio.services.environments.environments import (
    add_revision,
    find,
    load_environment,
    load_part,
    store_environment,
)
from studio.services.errors import Missing
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput
from tests.studio.conftest import report_on, small_environment


def test_what_was_stored_comes_back_with_the_same_fingerprint(stored, environment):
    loaded = load_environment(stored.current)
    assert loaded == environment
    assert loaded.fingerprint == stored.current.fingerprint == environment.fingerprint
    assert list(loaded.seed_data.rows) == ["members", "loans"]


def test_loading_takes_one_query(stored, django_assert_num_queries):
    with django_assert_num_queries(1):
        load_environment(stored.current)


def test_the_record_shows_sizes_without_opening_documents(stored):
    revision = stored.current
    assert (revision.tables, revision.rows, revision.tools, revision.tasks) == (2, 3, 2, 2)
    assert (revision.checks_passed, revision.checks_failed) == (3, 0)
    assert stored.state == EnvironmentState.PROVED
    assert [element.name for element in stored.elements.filter(kind="tool")] == ["list_loans", "return_item"]


def test_equal_content_is_not_stored_twice(stored, environment):
    again = store_environment(environment=environment, author_kind=AuthorKind.MODEL, reason="Again.")
    assert again == stored.current
    assert EnvironmentRecord.objects.count() == 1


def test_another_environment_of_that_name_gets_a_free_one(stored):
    other = store_environment(
        environment=small_environment(policy="Be strict."),
        author_kind=AuthorKind.MODEL,
        reason="Synthesised.",
    )
    assert other.environment.name == "lending_desk_2"
    assert load_environment(other).name == "lending_desk"


def test_a_revision_shares_the_parts_that_did_not_change(stored, reviewer):
    changed = small_environment(policy="Be strict.")
    revision = add_revision(
        record=stored,
        environment=changed,
        author_kind=AuthorKind.PERSON,
        author=reviewer,
        reason="Stricter.",
    )
    assert revision.number == 2
    assert PartRecord.objects.filter(environment=stored, part="policy").count() == 2
    assert PartRecord.objects.filter(environment=stored).exclude(part="policy").count() == 6
    policy = revision.parts.get(part="policy")
    assert (policy.version, policy.author, policy.author_kind) == (2, reviewer, AuthorKind.PERSON)
    assert load_environment(revision) == changed
    assert load_environment(stored.revisions.get(number=1)) == small_environment()


def test_a_part_is_found_by_name_and_a_missing_one_is_none(stored, environment):
    assert load_part(stored.current, "policy") == environment.policy
    assert load_part(stored.current, "outlines") is None


def test_a_report_about_something_else_is_refused_and_nothing_is_stored(db):
    with pytest.raises(InvalidInput, match="The report is about"):
        store_environment(
            environment=small_environment(),
            author_kind=AuthorKind.MODEL,
            reason="Synthesised.",
            report=report_on(small_environment(policy="Be strict.")),
        )
    assert not EnvironmentRecord.objects.exists()


def test_an_unknown_name_says_where_to_look(db):
    with pytest.raises(Missing, match="no environment named 'nowhere'") as refusal:
        find("nowhere")
    assert "catalogue" in refusal.value.remedy


def test_the_golden_environment_survives_storage(db, clinic: Environment):
    revision = store_environment(environment=clinic, author_kind=AuthorKind.HAND, reason="Imported.")
    assert load_environment(revision) == clinic
    assert revision.fingerprint == clinic.fingerprint
