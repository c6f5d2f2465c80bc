"""`worldwright replay` with files that are no trajectory of this version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synthesis.cli.replay import chosen
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import Trajectory
from synthesis.errors import InvalidInput


@pytest.fixture
def bundle(clinic: Environment) -> Bundle:
    return Bundle(environment=clinic)


def written(folder: Path, **changes: object) -> str:
    """A trajectory's file with some fields changed."""
    trajectory = Trajectory(
        environment="f" * 64, environment_name="clinic", task_id="t", agent="a", stop_reason="answered"
    )
    path = folder / "trajectory.json"
    path.write_text(json.dumps({**trajectory.model_dump(mode="json"), **changes}))
    return str(path)


def test_a_file_of_this_version_is_read(bundle: Bundle, tmp_path: Path) -> None:
    assert chosen(bundle, written(tmp_path)).task_id == "t"


def test_a_file_of_a_newer_version_says_so(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"trajectory\.json: .*dreams.*newer version"):
        chosen(bundle, written(tmp_path, dreams=["of electric sheep"]))


def test_a_file_of_a_newer_format_says_so_even_where_fields_are_missing(
    bundle: Bundle, tmp_path: Path
) -> None:
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps({"format": 99, "task_id": "t"}))
    with pytest.raises(InvalidInput, match=r"trajectory\.json: .*format.*newer version"):
        chosen(bundle, str(path))


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"stop_reason": "bored"}, "stop_reason"), ({"steps": 3}, "steps"), ({"seed": "x"}, "seed")],
)
def test_a_wrong_field_is_named(
    bundle: Bundle, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        chosen(bundle, written(tmp_path, **changes))


def test_a_file_that_is_not_there_or_no_json_is_named(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        chosen(bundle, str(tmp_path / "nowhere.json"))
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InvalidInput, match="is not JSON"):
        chosen(bundle, str(tmp_path / "broken.json"))
