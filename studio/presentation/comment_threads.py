"""Threads of comments at one place, as every page that has a place shows them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from studio.models import Comment, EnvironmentRecord
from studio.services.review.comments import is_outdated

LONGEST_SNAPSHOT = 2_000


@dataclass(frozen=True)
class CommentPlace:
    """A place within a page that a comment may be about.

    Attributes:
        kind: One of `AnchorKind`.
        anchor: The place.
        words: What people call it.
        snapshot: Its present content.
    """

    kind: str
    anchor: str
    words: str
    snapshot: str = ""

    @property
    def value(self) -> str:
        """What a form sends of it."""
        return json.dumps(
            {"kind": self.kind, "anchor": self.anchor, "snapshot": self.snapshot[:LONGEST_SNAPSHOT]}
        )


def threads(
    record: EnvironmentRecord,
    *,
    kind: str,
    anchor: str = "",
    words: str,
    unit: str = "",
    snapshot: str = "",
    everywhere: bool = False,
    reader: int | None = None,
    places: Iterable[CommentPlace] = (),
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
        reader: Who reads it, to whom alone what they have not sent yet is shown.
        places: Places within this one that a comment may be about.
    """
    inner = list(places)
    results = record.comments.visible_to(reader).select_related("author", "revision")
    if not everywhere:
        anchors = {(kind, anchor), *((place.kind, place.anchor) for place in inner)}
        results = results.filter(
            anchor_kind__in={kind for kind, _ in anchors}, anchor__in={anchor for _, anchor in anchors}
        )
    called = {(place.kind, place.anchor): place.words for place in inner}
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
        "comment_places": inner,
        "threads": [
            {
                "comment": comment,
                "replies": replies.get(comment.pk, []),
                "place": called.get((comment.anchor_kind, comment.anchor), ""),
                "outdated": is_outdated(comment=comment, record=record),
            }
            for comment in replies.get(None, [])
        ],
    }
