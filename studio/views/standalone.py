"""Files for people without an account: a replay, and the reviews of a revision."""

from __future__ import annotations

from django.http import HttpResponse

from studio.models import Act, TrajectoryRecord
from studio.presentation.standalone_pages import html_attachment, replay_file, reviews_file
from studio.services.environments.revision_differences import revision_of
from studio.services.errors import Missing
from studio.services.review import reviews
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find


@requires(Act.VIEW)
def trajectory_file(_: SignedInRequest, trajectory_id: int) -> HttpResponse:
    """A whole replay as one HTML file."""
    record = (
        TrajectoryRecord.objects.select_related("environment__current", "revision")
        .filter(pk=trajectory_id)
        .first()
    )
    if record is None:
        raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
    return html_attachment(f"replay_{record.pk}", replay_file(record))


@requires(Act.VIEW)
def revision_reviews_file(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """What was decided, flagged and said about a revision, as far as the person may see it."""
    record = find(name)
    revision = revision_of(record, number)
    visible = reviews.visible_reviews(record=record, user=request.user).filter(revision=revision)
    content = reviews_file(
        revision,
        reviews=list(visible.order_by("id")),
        flags=list(record.flags.filter(revision=revision).select_related("raised_by").order_by("id")),
        comments=list(
            record.comments.filter(revision=revision, pending=False).select_related("author").order_by("id")
        ),
    )
    return html_attachment(f"reviews_of_{record.name}_revision_{number}", content)
