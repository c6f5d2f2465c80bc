"""chat_jsonl: one conversation a line, `messages` and `tools` in OpenAI's shape with the reward beside them.

TRL, ms-swift and most fine-tuning tools read these lines as they are. Arguments are JSON text, as OpenAI has
them, because columns of free objects break readers that infer one schema for all rows.
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
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.errors import InvalidInput


class ChatJsonlCodec:
    """Trajectories as chat conversations for supervised and reinforcement fine-tuning."""

    name = "chat_jsonl"
    title = "Chat conversations with tools and rewards, JSON lines (TRL, ms-swift)"
    loss: tuple[str, ...] = (
        "the environment itself (schema, rows, tool code, verifiers), checks and reviews",
        "the rows each step changed and the state hashes",
        "verdicts after the first that was scored",
    )
    reads = False
    suffix = ".jsonl"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write one file.

        Raises:
            InvalidInput: The bundle holds no trajectories, or the path cannot be written.
        """
        lines = [chat_line(bundle, judged) for judged in judged_trajectories(bundle)]
        return write_file(
            b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines), path
        )

    def read(self, path: Path) -> Bundle:
        """Refuses: a conversation does not hold its environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")


def chat_line(bundle: Bundle, judged: JudgedTrajectory) -> dict[str, Any]:
    """One conversation with its tools, its reward and where it is from.

    Raises:
        InvalidInput: The trajectory belongs to another environment.
    """
    return {
        "id": judged.trajectory.fingerprint,
        **identity(bundle, judged),
        **outcome(judged),
        "messages": messages_of(bundle, judged),
        "tools": functions_of(bundle.environment, judged),
    }
