"""Variables are read once, refused loudly, and documented in one table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.environment_variables import VARIABLES, BadVariable, read

ROOT = Path(__file__).parents[2]


def start(tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Start Django in a process of its own with these variables."""
    clean = {name: value for name, value in os.environ.items() if name not in {v.name for v in VARIABLES}}
    return subprocess.run(
        [sys.executable, "-c", "from studio import settings; print(settings.ALLOWED_HOSTS)"],
        cwd=ROOT,
        env=clean | {"WORLDWRIGHT_VAR": str(tmp_path)} | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_has_to_be_set():
    values = read({})
    assert set(values) == {variable.name for variable in VARIABLES}
    assert (values["WORLDWRIGHT_ATTEMPTS"], values["WORLDWRIGHT_MAX_STEPS"]) == (5, 20)
    assert values["WORLDWRIGHT_REWARD_FORMAT"] == -1.0


def test_an_empty_value_is_no_value():
    assert read({"WORLDWRIGHT_ATTEMPTS": " "})["WORLDWRIGHT_ATTEMPTS"] == 5


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("WORLDWRIGHT_ATTEMPTS", "many", "a whole number of 1 or more"),
        ("WORLDWRIGHT_ATTEMPTS", "0", "a whole number of 1 or more"),
        ("WORLDWRIGHT_DEBUG", "maybe", "one of 1, true, yes, on, 0, false, no, off"),
        ("WORLDWRIGHT_LOG_LEVEL", "LOUD", "one of DEBUG, INFO, WARNING, ERROR"),
        ("CELERY_BROKER_URL", "carrier://pigeon", "redis:// or rediss:// or amqp:// or amqps://"),
        ("OPENAI_BASE_URL", "localhost:8000", "begins with http:// or https://"),
    ],
)
def test_a_bad_value_is_refused_with_its_name_and_what_is_allowed(name, value, told):
    with pytest.raises(BadVariable) as refusal:
        read({name: value})
    assert name in str(refusal.value)
    assert told in str(refusal.value)


def test_every_bad_value_is_named_at_once():
    with pytest.raises(BadVariable) as refusal:
        read({"WORLDWRIGHT_ATTEMPTS": "x", "WORLDWRIGHT_TASKS": "y"})
    assert len(str(refusal.value).splitlines()) == 2


def test_a_secret_is_never_shown():
    with pytest.raises(BadVariable) as refusal:
        read({"DATABASE_URL": "mysql://user:hunter2@host/db"})
    assert "hunter2" not in str(refusal.value)


def test_every_variable_has_a_meaning_and_stands_once():
    names = [variable.name for variable in VARIABLES]
    assert len(names) == len(set(names))
    assert all(variable.meaning.endswith(".") for variable in VARIABLES)


def test_only_settings_read_the_process_environment():
    readers = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "studio").rglob("*.py")
        if "os.environ" in (text := path.read_text()) and "os.environ.setdefault" not in text
    ]
    assert readers == ["studio/settings.py"]


def test_a_bad_value_stops_the_process(tmp_path):
    ended = start(tmp_path, WORLDWRIGHT_TASKS="none")
    assert ended.returncode == 1
    assert "WORLDWRIGHT_TASKS: 'none' cannot be used" in ended.stderr


def test_a_public_host_needs_a_secret_of_its_own(tmp_path):
    ended = start(tmp_path, WORLDWRIGHT_HOSTS="studio.example.org")
    assert ended.returncode == 1
    assert "WORLDWRIGHT_SECRET_KEY is required" in ended.stderr
    ended = start(tmp_path, WORLDWRIGHT_HOSTS="studio.example.org", WORLDWRIGHT_SECRET_KEY="x" * 50)
    assert ended.stdout.strip() == "['studio.example.org']"


def test_the_local_secret_is_made_once_and_is_private(tmp_path):
    for _ in range(2):
        assert start(tmp_path).returncode == 0
    kept = tmp_path / "secret_key"
    content = kept.read_text()
    assert len(content) >= 50
    assert kept.stat().st_mode & 0o077 == 0
    start(tmp_path)
    assert kept.read_text() == content
