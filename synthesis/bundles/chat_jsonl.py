"""chat_jsonl: one conversation a line, `messages` and `tools` in OpenAI's shape with the reward beside them.

TRL, ms-swift and most fine-tuning tools read these lines as they are. Arguments of calls are objects, as chat
templates expect them, where OpenAI's own API has JSON text. `chat_two_roles` is the same for models whose
chat template has no tool messages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from synthesis.bundles.archive import write_file
from synthesis.bundles.conversation import (
    functions_of,
    identity,
    judged_trajectories,
    messages_of,
    outcome,
)
from synthesis.bundles.two_roles import in_two_roles
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.errors import InvalidInput


class ChatJsonlCodec:
    """Trajectories as chat conversations for supervised and reinforcement fine-tuning.

    Args:
        reasoning: Whether replies hold what the model thought, as `reasoning_content`.
    """

    name = "chat_jsonl"
    title = "Chat conversations with tools and rewards, JSON lines (TRL, ms-swift)"
    loss: tuple[str, ...] = (
        "the environment itself (schema, rows, tool code, verifiers), checks and reviews",
        "the rows each step changed and the state hashes",
        "verdicts after the first that was scored",
    )
    reads = False
    suffix = ".jsonl"

    def __init__(self, *, reasoning: bool = True) -> None:
        self._reasoning = reasoning

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write one file.

        Raises:
            InvalidInput: The bundle holds no trajectories, or the path cannot be written.
        """
        lines = [self.line(bundle, judged) for judged in judged_trajectories(bundle)]
        return write_file(
            b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines), path
        )

    def read(self, path: Path) -> Bundle:
        """Refuses: a conversation does not hold its environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")

    def line(self, bundle: Bundle, judged: JudgedTrajectory) -> dict[str, Any]:
        """One line of the file.

        Raises:
            InvalidInput: The trajectory belongs to another environment.
        """
        return chat_line(bundle, judged, reasoning=self._reasoning)


class ChatTwoRolesCodec(ChatJsonlCodec):
    """The same conversations for models whose chat template knows no tool or system messages."""

    name = "chat_two_roles"
    title = (
        "Chat conversations of user and assistant alone, tools and calls as text (Gemma, Cohere; JSON lines)"
    )

    def line(self, bundle: Bundle, judged: JudgedTrajectory) -> dict[str, Any]:
        """One line of the file."""
        return two_roles_line(bundle, judged)


def chat_line(bundle: Bundle, judged: JudgedTrajectory, *, reasoning: bool = True) -> dict[str, Any]:
    """One conversation with its tools, its reward and where it is from.

    Args:
        bundle: Whose environment it was played in.
        judged: The trajectory.
        reasoning: Whether replies hold what the model thought.

    Raises:
        InvalidInput: The trajectory belongs to another environment.
    """
    return {
        "id": judged.trajectory.fingerprint,
        **identity(bundle, judged),
        **outcome(judged),
        "messages": messages_of(bundle, judged, reasoning=reasoning),
        "tools": functions_of(bundle.environment, judged),
    }


def two_roles_line(bundle: Bundle, judged: JudgedTrajectory) -> dict[str, Any]:
    """The same with the tools in the first message, and none beside the messages.

    Raises:
        InvalidInput: The trajectory belongs to another environment.
    """
    line = chat_line(bundle, judged, reasoning=False)
    return {**line, "messages": in_two_roles(line["messages"], line["tools"]), "tools": []}
