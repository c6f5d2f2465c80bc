"""The component page: every component the studio is made of, in both themes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.forms.reviews import ReviewForm
from studio.forms.synthesis import SynthesisForm
from studio.models import Act
from studio.presentation.row_changes import shown_changes
from studio.templatetags.icons import STROKES
from studio.templatetags.states import STATE_STYLES
from studio.views.access import requires
from studio.views.runs.runs import difference
from synthesis.documents.state_diff import RowChange, StateDiff

CHANGES = StateDiff(
    changes=(
        RowChange(table="messages", key=11, kind="inserted", after={"id": 11, "subject": "Moved to Tuesday"}),
        RowChange(
            table="appointments",
            key=41,
            kind="updated",
            before={"id": 41, "slot_id": 107, "wishes": '{"chair": {"row": 1}}', "cancel_reason": None},
            after={"id": 41, "slot_id": 112, "wishes": '{"chair": {"row": 2}}', "cancel_reason": None},
            columns=("slot_id", "wishes"),
        ),
        RowChange(
            table="waitlist_entries", key=3, kind="deleted", before={"id": 3, "patient_id": 17, "note": ""}
        ),
    )
)
BEFORE = "def refund(db, order_id: int):\n    order = db.row(order_id)\n    return order\n"
AFTER = """def refund(db, order_id: int) -> dict:
    '''Refund an order.'''
    order = db.row(order_id)
    return order
"""


@requires(Act.VIEW)
def components(request: HttpRequest) -> HttpResponse:
    """Everything pages are made of, light beside dark."""
    context = {
        "section": "components",
        "themes": ("light", "dark"),
        "icons": sorted(STROKES),
        "looks": list(STATE_STYLES),
        "changes": shown_changes(CHANGES),
        "difference": difference(BEFORE, AFTER),
        "code": AFTER,
        "form": SynthesisForm({"sentence": "", "author": "procedural", "seed": "-1"}),
        "review_form": ReviewForm(initial={"revision": 1}),
        "roles": ("accent", "good", "bad", "warn", "info"),
    }
    return render(request, "components.html", context)
