"""OpenEnv's own clients against `worldwright serve`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client_library import OPENENV, Library
from synthesis.documents.environment import Environment

pytestmark = pytest.mark.at_length


@pytest.mark.parametrize(
    "library", [OPENENV, Library("openenv-core", ("openenv-core==0.3.0",))], ids=lambda library: library.name
)
def test_openenvs_clients_are_rewarded_as_they_should_be(
    client_of: Callable[..., Any], served: Any, tasks_file: Path, environment: Environment, library: Library
) -> None:
    result = client_of(library)("openenv_client.py", served.url, str(tasks_file))
    count = len(environment.tools.tools) + 1
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert result["no_op"] == {task.id: 0.0 for task in environment.tasks.tasks}
    assert result["ended"]
    assert result["in_one_session"] == result["gold"]
    assert result["as_awm"] == ["complete", 1.0, True]
    assert result["counts"] == [[count, 1]]
    default = result["default"]
    assert default["told"]
    assert default["listed"] == count
    assert default["called"] == default["stepped"]
    assert "error" not in default["called"]
    assert "no_such_parameter" in default["refused"]
    assert "drop_tables" in default["unknown"]
