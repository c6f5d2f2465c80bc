"""A grade of the clinic by a judge model, and a conversation, as screens show them."""

from __future__ import annotations

from typing import Any

from synthesis.documents.conversation import Conversation, Message, RequestedCall, Turn
from synthesis.documents.quality import Bug, Grade, QualityGrade


def grade(revision: Any) -> None:
    """Keep a grade with a bug and a blocked task."""
    from studio.services.judging import quality

    names = ("task_feasibility", "data_alignment", "toolset_completeness")
    quality.store_grade(
        revision=revision,
        grade=QualityGrade(
            environment=revision.fingerprint,
            grades={name: Grade(score=4 - place, reason="Nearly.") for place, name in enumerate(names)},
            bugs=(
                Bug(
                    kind="unhandled_edge_input",
                    part="tools",
                    where="find_patients",
                    description="An empty name finds everybody.",
                ),
            ),
            blocked_tasks=("read_total_owed",),
            judge="judge:some-model",
            model="some-model",
            prompt_fingerprint="ab" * 32,
        ),
    )


def converse(trajectory: Any) -> None:
    """Give a trajectory a conversation of two turns."""
    from studio.models import ConversationRecord

    call = RequestedCall(id="c1", name="find_patients", arguments='{"name": "Ilse"}')
    conversation = Conversation(
        messages=(
            Message(role="system", text="You act for a user."),
            Message(role="user", text="How much does she owe?"),
            Message(role="assistant", text="I look.", tool_calls=(call,)),
            Message(role="tool", text='{"total": 1}', tool_call_id="c1"),
            Message(role="assistant", text="170.00."),
        ),
        turns=(
            Turn(reply=2, shown=(0, 1), offered=("find_patients",), step=1),
            Turn(reply=4, shown=(0, 1, 2, 3), offered=("find_patients",), step=2),
        ),
        history="window:3",
        toolbox="whole",
        user="scripted user (young, patient, friendly)",
    )
    ConversationRecord.objects.create(trajectory=trajectory, document=conversation.model_dump_json())
