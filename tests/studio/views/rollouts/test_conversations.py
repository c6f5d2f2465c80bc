"""What a chat agent saw before each step can be read, as text and only as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import ConversationRecord, EnvironmentRecord, Role, TrajectoryRecord
from studio.services.rollouts.trajectories import load_judged, store_trajectory
from synthesis.documents.environment import Environment
from synthesis.llm.provider import Completion, Reasoning, RequestedCall
from synthesis.llm.scripted import Scripted
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.history import SlidingWindow
from synthesis.rollouts.rollout import roll_out
from synthesis.rollouts.toolbox import NamesWithHelp
from synthesis.worlds.world import World

HOSTILE = "<script>alert(1)</script>"


def asked(name: str, /, **arguments: Any) -> Completion:
    return Completion(tool_calls=(RequestedCall(id="c", name=name, arguments=json.dumps(arguments)),))


@pytest.fixture
def played(environment: Environment, stored: EnvironmentRecord) -> TrajectoryRecord:
    replies = [
        asked("tool_help", names=["return_item"]),
        asked("return_item", loan_id=7).replace(reasoning=Reasoning(text=f"Loan 7. {HOSTILE}")),
        asked("return_item", loan_id=HOSTILE),
        asked("return_item", loan_id=999),
        f"Nothing. {HOSTILE}",
    ]
    agent = ChatAgent(Scripted(replies, model="m"), toolbox=NamesWithHelp(), history=SlidingWindow(1))
    with World(environment) as world:
        judged = roll_out(world, "count_the_loans", agent)
    assert stored.current is not None
    return store_trajectory(revision=stored.current, judged=judged)


@pytest.fixture
def reader(client: Client, person: Callable[..., User]) -> Client:
    client.force_login(person("vera", Role.VIEWER))
    return client


def page(reader: Client, record: TrajectoryRecord, query: str = "") -> str:
    answer = reader.get(f"/trajectories/{record.pk}/conversation/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_conversation_is_stored_and_loaded_whole(played: TrajectoryRecord) -> None:
    judged = load_judged(TrajectoryRecord.objects.get(pk=played.pk))
    conversation = judged.trajectory.conversation
    assert conversation is not None
    assert len(conversation.turns) == 5
    assert conversation.messages[-1].text.startswith("Nothing.")


def test_the_whole_conversation_is_shown_and_nothing_in_it_is_run(
    reader: Client, played: TrajectoryRecord
) -> None:
    shown = page(reader, played)
    assert "tool_help" in shown
    assert HOSTILE not in shown
    assert shown.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2
    assert "history window:1" in shown
    assert "tools shown: names" in shown


def test_a_step_shows_what_was_seen_before_it_and_what_was_left_out(
    reader: Client, played: TrajectoryRecord
) -> None:
    fourth = page(reader, played, "?step=4")
    assert "What the agent saw before step 4" in fourth
    assert "There is one" not in fourth
    assert "Loan 999 does not exist" in fourth
    assert "4 earlier messages left out" in fourth
    assert re.findall(r'title="(tool_help|return_item)">', fourth)[:2] == ["tool_help", "return_item"]
    first = page(reader, played, "?step=1")
    assert "999" not in first


def test_the_replay_links_to_it_only_where_there_is_one(reader: Client, played: TrajectoryRecord) -> None:
    link = f"/trajectories/{played.pk}/conversation/?step=1"
    assert link in reader.get(f"/trajectories/{played.pk}/step/1/").content.decode()
    ConversationRecord.objects.all().delete()
    assert link not in reader.get(f"/trajectories/{played.pk}/step/1/").content.decode()
    assert "No conversation was recorded" in page(reader, played)


def test_an_unknown_trajectory_is_named(reader: Client) -> None:
    answer = reader.get("/trajectories/999999/conversation/")
    assert answer.status_code == 404
    assert b"There is no trajectory 999999" in answer.content


def test_what_the_agent_thought_is_folded_beside_its_step_and_its_reply(
    reader: Client, played: TrajectoryRecord
) -> None:
    first = reader.get(f"/trajectories/{played.pk}/step/1/").content.decode()
    assert "<details" in first
    assert "Loan 7. &lt;script&gt;" in first
    assert HOSTILE not in first
    assert "Loan 7. " not in reader.get(f"/trajectories/{played.pk}/step/2/").content.decode()
    assert "Loan 7. &lt;script&gt;" in page(reader, played)
