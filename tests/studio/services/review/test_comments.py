"""Comments stay with their place, and say when the place has changed."""

from __future__ import annotations

import pytest
from django.utils import timezone

from studio.models import AuthorKind, Comment, EnvironmentRecord
from studio.services.environments.environments import add_revision
from studio.services.errors import Forbidden
from studio.services.review import comments
from synthesis.errors import InvalidInput
from tests.studio.conftest import TOOLS, small_environment


@pytest.fixture
def comment(stored, reviewer):
    return comments.add_comment(
        record=stored,
        author=reviewer,
        body="Why 50?",
        anchor_kind="tool",
        anchor="list_loans",
        snapshot="LATEST = 50",
        unit="tool:list_loans",
    )


def fresh(record):
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def test_a_reply_joins_the_thread(stored, comment, lead):
    reply = comments.add_comment(record=stored, author=lead, body="It is the bound.", parent=comment)
    deeper = comments.add_comment(record=stored, author=lead, body="See the policy.", parent=reply)
    assert (reply.parent, deeper.parent, reply.anchor) == (comment, comment, "list_loans")


def test_what_is_sent_twice_at_once_is_said_once(stored, comment, reviewer, lead):
    place = {"anchor_kind": "tool", "anchor": "list_loans"}
    assert comments.add_comment(record=stored, author=reviewer, body="Why 50?", **place) == comment
    others = [
        comments.add_comment(record=stored, author=lead, body="Why 50?", **place),
        comments.add_comment(record=stored, author=reviewer, body="Why 51?", **place),
        comments.add_comment(
            record=stored, author=reviewer, body="Why 50?", anchor_kind="tool", anchor="lend"
        ),
    ]
    Comment.objects.update(created_at=timezone.now() - 2 * comments.AT_ONCE)
    others.append(comments.add_comment(record=stored, author=reviewer, body="Why 50?", **place))
    assert Comment.objects.count() == 1 + len({each.pk for each in others}) == 5


def test_a_comment_is_outdated_when_its_unit_changed_and_not_before(stored, comment):
    assert not comments.is_outdated(comment=comment, record=fresh(stored))
    for tools in (TOOLS.replace("returned = 1", "returned = 2"), TOOLS.replace("50", "10")):
        add_revision(
            record=fresh(stored),
            environment=small_environment(tools=tools),
            author_kind=AuthorKind.MODEL,
            reason="Corrected.",
        )
        outdated = comments.is_outdated(comment=comment, record=fresh(stored))
        assert outdated == ("50" not in tools)
    assert comment.snapshot == "LATEST = 50"


def test_a_thread_is_settled_and_opened_again(comment, lead):
    comments.resolve(comment=comment, user=lead)
    assert comment.resolved_by == lead
    comments.resolve(comment=comment, user=lead, resolved=False)
    assert comment.resolved_at is None


@pytest.mark.parametrize("body", ["", "   ", "x" * 10_001])
def test_empty_and_endless_comments_are_refused(stored, reviewer, body):
    with pytest.raises(InvalidInput, match="1 to 10,000"):
        comments.add_comment(record=stored, author=reviewer, body=body)


def test_a_viewer_cannot_comment(stored, viewer):
    with pytest.raises(Forbidden):
        comments.add_comment(record=stored, author=viewer, body="Hello")
