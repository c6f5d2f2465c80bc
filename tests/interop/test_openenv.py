"""OpenEnv's own clients against `worldwright serve`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synthesis.documents.environment import Environment

pytestmark = pytest.mark.at_length


@pytest.mark.parametrize("package", ["openenv==0.10.0", "openenv-core==0.3.0"])
def test_openenvs_clients_are_rewarded_as_they_should_be(
    client_of: Callable[..., Any], served: Any, tasks_file: Path, environment: Environment, package: str
) -> None:
    result = client_of(package.partition("==")[0], package)("openenv_client.py", served.url, str(tasks_file))
    assert len(result["played"]) == len(environment.tasks.tasks)
    count = len(environment.tools.tools) + 1
    for played in result["played"]:
        assert played["gold"] == [1.0, True]
        assert played["no_op"][1] is True
        assert played["no_op"][0] <= 0
        assert (played["tools"], played["steps"]) == (count, 1)
    default = result["default"]
    assert default["instruction"] == environment.tasks.tasks[0].instruction
    assert default["listed"] == count
    assert default["called"] == default["stepped"]
    assert "error" not in default["called"]
    assert "no_such_parameter" in default["refused"]["error"]
    assert "drop_tables" in default["unknown"]
