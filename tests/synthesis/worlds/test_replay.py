"""A replay makes the same calls, and a difference says which call went another way."""

from __future__ import annotations

from synthesis.documents.tools import ToolCall
from synthesis.worlds.replay import differences, replay
from synthesis.worlds.world import World

CALLS = [
    ToolCall(name="add_note", arguments={"folder_id": 1, "text": "a"}),
    ToolCall(name="add_note", arguments={"folder_id": 7, "text": "a"}),
    ToolCall(name="list_notes"),
]


def test_a_replay_has_no_differences(notes: World) -> None:
    with notes.instance() as one, notes.instance() as other:
        recorded = [result.observation() for result in replay(one, CALLS)]
        assert recorded[1] == {"error": "Folder 7 does not exist."}
        assert differences(replay(other, CALLS), recorded) == []


def test_a_difference_names_the_call(notes: World) -> None:
    with notes.instance() as instance:
        results = replay(instance, CALLS)
        recorded = [result.observation() for result in results]
        assert differences(results, [{"note_id": 4}, *recorded[1:]]) == [
            "Call 1 answered {'note_id': 3}, recorded is {'note_id': 4}."
        ]
        assert differences(results, recorded[:2]) == ["3 calls were made, but 2 observations are recorded."]
