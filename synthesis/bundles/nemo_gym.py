"""nemo_gym: the tasks of an environment as dataset rows for NVIDIA NeMo Gym, one a line.

The environment stays behind `worldwright serve --nemo-gym BUNDLE`, which answers as a resources server.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from synthesis.bundles.archive import write_file
from synthesis.documents.answer_form import DESCRIPTION, PARAMETERS, tool_name
from synthesis.documents.briefing import briefing_of
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool
from synthesis.errors import InvalidInput


class NemoGymCodec:
    """Dataset rows with the prompt, the tools and the task's id."""

    name = "nemo_gym"
    title = "NeMo Gym dataset rows; serve the bundle with --nemo-gym beside them"
    loss: tuple[str, ...] = (
        "everything but prompts, tools and task ids: the environment is served, not written",
        "checks, reviews and trajectories",
    )
    reads = False
    suffix = ".jsonl"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write one file.

        Raises:
            InvalidInput: The path cannot be written.
        """
        environment = bundle.environment
        rows = (_row(environment, task) for task in environment.tasks.tasks)
        return write_file(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows), path)

    def read(self, path: Path) -> Bundle:
        """Refuses: rows do not hold their environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")


def _row(environment: Environment, task: Task) -> dict[str, Any]:
    return {
        "responses_create_params": {
            "input": [
                {"role": "system", "content": briefing_of(environment, task).text()},
                {"role": "user", "content": task.instruction},
            ],
            "tools": [*(_function(tool) for tool in environment.tools.tools), _submit(environment)],
            # Calls of one turn would race for the state; the world takes them one by one.
            "parallel_tool_calls": False,
        },
        "verifier_metadata": {
            "environment": environment.name,
            "environment_fingerprint": environment.fingerprint,
            "task_id": task.id,
            "kind": task.kind,
            "difficulty": task.difficulty,
            "split": task.split,
            "max_steps": task.step_limit,
            "seed": 0,
        },
    }


def _submit(environment: Environment) -> dict[str, Any]:
    """The tool that takes the answer in fields; the same for every task."""
    name = tool_name({tool.name for tool in environment.tools.tools})
    return {
        "type": "function",
        "name": name,
        "description": DESCRIPTION,
        "parameters": PARAMETERS,
        "strict": False,
    }


def _function(tool: Tool) -> dict[str, Any]:
    """A function in the Responses API's flat shape; strict ones could have no optional fields."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": plain_schema(tool.input_schema),
        "strict": False,
    }
