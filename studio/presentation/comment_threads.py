"""Threads of comments at one place, as every page that has a place shows them."""

from __future__ import annotations

from typing import Any

from studio.models import Comment, EnvironmentRecord
from studio.services.review.comments import is_outdated


def threads(
    record: EnvironmentRecord,
    *,
    kind: str,
    anchor: str = "",
    words: str,
    unit: str = "",
    snapshot: str = "",
    everywhere: bool = False,
) -> dict[str, Any]:
    """The context of `reviews/_threads.html`.

    Args:
        record: The environment.
        kind: One of `AnchorKind`.
        anchor: The place.
        words: What the place is called in the form's label.
        unit: The unit the place belongs to; when it changes, threads are outdated.
        snapshot: The present content; stored with a new thread.
        everywhere: Whether threads of all places are shown, each with its place.
    """
    results = record.comments.select_related("author", "revision")
    if not everywhere:
        results = results.filter(anchor_kind=kind, anchor=anchor)
    # A reply has the place of its thread, so that one query reads both.
    replies: dict[int | None, list[Comment]] = {}
    for comment in results:
        replies.setdefault(comment.parent_id, []).append(comment)
    return {
        "comment_record": record,
        "anchor_kind": kind,
        "anchor": anchor,
        "anchor_words": words,
        "unit": unit,
        "snapshot": snapshot,
        "show_place": everywhere,
        "threads": [
            {
                "comment": comment,
                "replies": replies.get(comment.pk, []),
                "outdated": is_outdated(comment=comment, record=record),
            }
            for comment in replies.get(None, [])
        ],
    }
