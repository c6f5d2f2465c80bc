"""Conversations: what a chat agent, its tools and its user said, and what it saw before a step."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.models import Act, TrajectoryRecord
from studio.services.errors import Missing
from studio.views.access import requires
from synthesis.documents.conversation import Conversation, Message

LARGE = 20_000
"""Characters of one message shown at once; the whole is one click away."""

SPEAKERS = {"system": "Instructions", "user": "User", "assistant": "Agent", "tool": "Result"}


@requires(Act.VIEW)
def trajectory_conversation(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """The whole conversation, or with `?step=N` what the agent saw before that step and what it replied."""
    trajectory = (
        TrajectoryRecord.objects.filter(pk=trajectory_id)
        .select_related("environment", "revision", "conversation")
        .first()
    )
    if trajectory is None:
        raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
    record = getattr(trajectory, "conversation", None)
    conversation = record.load() if record else None
    step = _number(request.GET.get("step"))
    context = {
        "section": "trajectories",
        "trajectory": trajectory,
        "environment": trajectory.environment,
        "conversation": conversation,
        "step": step,
        "large": None if request.GET.get("whole") == "1" else LARGE,
        **(_seen(conversation, step) if conversation else {}),
    }
    return render(request, "trajectories/conversation.html", context)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 9 else None


def _seen(conversation: Conversation, step: int | None) -> dict[str, Any]:
    """The messages to show, the reply among them, and how many were left out."""
    turn = conversation.turn_of(step) if step is not None else None
    if turn is None:
        return {
            "entries": [_row(message) for message in conversation.messages],
            "offered": (),
            "left_out": 0,
        }
    shown = conversation.shown(turn)
    return {
        "entries": [*map(_row, shown), {**_row(conversation.messages[turn.reply]), "reply": True}],
        "offered": turn.offered,
        "left_out": turn.reply - sum(isinstance(place, int) for place in turn.shown),
    }


def _row(message: Message) -> dict[str, Any]:
    return {"speaker": SPEAKERS[message.role], "role": message.role, "message": message, "reply": False}
