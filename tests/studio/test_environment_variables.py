"""Variables are read once, refused loudly, and documented in one table."""

from __future__ import annotations

import os
import socket
import string
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError, ProgrammingError
from psycopg.errors import SyntaxErrorOrAccessRuleViolation, UndefinedTable
from pydantic import ValidationError

from studio.environment_variables import EnvironmentVariables
from studio.management.command_line import lacks_tables, patience
from studio.variable import BadVariable, variable_name
from studio.work_queue import WorkQueue
from synthesis.worlds.sandbox.mode import SandboxMode

SECRET = string.ascii_letters
ROOT = Path(__file__).parents[2]
FIELDS = EnvironmentVariables.model_fields
NAMES = {variable_name(field) for field in FIELDS.values()}


@pytest.fixture
def read(monkeypatch):
    """Reads an environment in which nothing else is set."""

    def read_only(environ):
        for name in NAMES:
            monkeypatch.delenv(name, raising=False)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        return EnvironmentVariables.read()

    return read_only


def start(tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Start Django in a process of its own with these variables."""
    clean = {name: value for name, value in os.environ.items() if name not in NAMES}
    return subprocess.run(
        [sys.executable, "-c", "from studio import settings; print(settings.ALLOWED_HOSTS)"],
        cwd=ROOT,
        env=clean | {"WORLDWRIGHT_VAR": str(tmp_path)} | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_has_to_be_set(read):
    variables = read({})
    assert (variables.attempts, variables.max_steps, variables.reward_format) == (5, None, -1.0)
    assert (variables.database_url, variables.var_folder, variables.embedding_model) == (None, None, "")


def test_values_have_the_type_of_their_field(read):
    variables = read(
        {
            "WORLDWRIGHT_VAR": "~/studio",
            "WORLDWRIGHT_HOSTS": "a.example, b.example,",
            "WORLDWRIGHT_STAGE_LIMITS": "checks=2,tools=8",
            "WORLDWRIGHT_QUEUES": "rollouts, judging",
            "WORLDWRIGHT_HTTPS": "on",
            "WORLDWRIGHT_RUN_BUDGET": " 2.5 ",
            "WORLDWRIGHT_SANDBOX": "trusted-code-only",
            "OPENAI_API_KEY": "hunter2",
        }
    )
    assert variables.var_folder == Path.home() / "studio"
    assert variables.hosts == ("a.example", "b.example")
    assert variables.stage_limits == ("checks=2", "tools=8")
    assert variables.queues == (WorkQueue.ROLLOUTS, WorkQueue.JUDGING)
    assert (variables.https, variables.run_budget) == (True, 2.5)
    assert variables.sandbox is SandboxMode.TRUSTED_CODE_ONLY
    assert variables.openai_api_key.get_secret_value() == "hunter2"
    assert "hunter2" not in repr(variables)


@pytest.mark.parametrize("blank", ["", " "])
def test_an_empty_value_is_no_value(blank, read):
    assert read({"WORLDWRIGHT_ATTEMPTS": blank, "WORLDWRIGHT_MODEL": blank}) == read({})


def test_settings_cannot_be_changed_after_they_are_read(read):
    with pytest.raises(ValidationError, match="frozen"):
        read({}).attempts = 6


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("WORLDWRIGHT_ATTEMPTS", "many", "a whole number of 1 or more"),
        ("WORLDWRIGHT_ATTEMPTS", "0", "a whole number of 1 or more"),
        ("WORLDWRIGHT_DEBUG", "maybe", "one of 1, true, yes, on, 0, false, no, off"),
        ("WORLDWRIGHT_LOG_LEVEL", "LOUD", "one of DEBUG, INFO, WARNING, ERROR"),
        ("CELERY_BROKER_URL", "carrier://pigeon", "redis:// or rediss:// or amqp:// or amqps://"),
        ("OPENAI_BASE_URL", "localhost:8000", "begins with http:// or https://"),
        ("WORLDWRIGHT_REPLAY_SHARE", "1.5", "a number from 0 to 1"),
        ("WORLDWRIGHT_STOP_SECONDS", "nan", "a number of 0 or more"),
        ("WORLDWRIGHT_REWARD_FORMAT", "inf", "a number,"),
        ("WORLDWRIGHT_QUEUES", "rollouts,none", "separated by commas, of synthesis, rollouts"),
        ("WORLDWRIGHT_SANDBOX", "none", "one of sealed, trusted-code-only"),
    ],
)
def test_a_bad_value_is_refused_with_its_name_and_what_is_allowed(name, value, message, read):
    with pytest.raises(BadVariable) as refusal:
        read({name: value})
    assert name in str(refusal.value)
    assert message in str(refusal.value)


def test_every_bad_value_is_named_at_once(read):
    with pytest.raises(BadVariable) as refusal:
        read({"WORLDWRIGHT_ATTEMPTS": "x", "WORLDWRIGHT_TASKS": "y"})
    assert len(str(refusal.value).splitlines()) == 2


def test_a_secret_is_never_shown(read):
    with pytest.raises(BadVariable) as refusal:
        read({"DATABASE_URL": "mysql://user:hunter2@host/db"})
    assert "hunter2" not in str(refusal.value)


def test_every_variable_has_a_meaning():
    assert len(NAMES) == len(FIELDS)
    assert [name for name, field in FIELDS.items() if not (field.description or "").endswith(".")] == []
    assert [name for name in NAMES if name != name.upper()] == []


def test_a_bad_value_stops_the_process(tmp_path):
    ended = start(tmp_path, WORLDWRIGHT_TASKS="none")
    assert ended.returncode == 1
    assert "WORLDWRIGHT_TASKS: 'none' cannot be used" in ended.stderr


def test_a_public_host_needs_a_secret_of_its_own(tmp_path):
    ended = start(tmp_path, WORLDWRIGHT_HOSTS="studio.example.org")
    assert ended.returncode == 1
    assert "WORLDWRIGHT_SECRET_KEY is required" in ended.stderr
    ended = start(tmp_path, WORLDWRIGHT_HOSTS="studio.example.org", WORLDWRIGHT_SECRET_KEY=SECRET)
    assert ended.stdout.strip() == "['studio.example.org']"


def test_the_local_secret_is_made_once_and_is_private(tmp_path):
    for _ in range(2):
        assert start(tmp_path).returncode == 0
    remaining = tmp_path / "secret_key"
    content = remaining.read_text()
    assert len(content) >= 50
    assert remaining.stat().st_mode & 0o077 == 0
    start(tmp_path)
    assert remaining.read_text() == content


@pytest.mark.parametrize(
    "secret", ["changeme", "x" * 50, "change-me-" * 6 + "change", "django-insecure-" + SECRET]
)
def test_a_weak_secret_is_refused_on_a_public_host_only(tmp_path, secret):
    ended = start(tmp_path, WORLDWRIGHT_HOSTS="studio.example.org", WORLDWRIGHT_SECRET_KEY=secret)
    assert ended.returncode == 1
    assert "WORLDWRIGHT_SECRET_KEY is too weak" in ended.stderr
    assert secret not in ended.stderr
    assert start(tmp_path, WORLDWRIGHT_SECRET_KEY=secret).returncode == 0


def test_an_earlier_secret_that_is_weak_is_refused_on_a_public_host(tmp_path):
    public = {"WORLDWRIGHT_HOSTS": "studio.example.org", "WORLDWRIGHT_SECRET_KEY": SECRET}
    good = SECRET[::-1]
    assert start(tmp_path, WORLDWRIGHT_SECRET_KEY_FALLBACKS=good, **public).returncode == 0
    ended = start(tmp_path, WORLDWRIGHT_SECRET_KEY_FALLBACKS=f"{good}, changeme", **public)
    assert ended.returncode == 1
    assert "WORLDWRIGHT_SECRET_KEY_FALLBACKS has a secret that is too weak" in ended.stderr
    assert "changeme" not in ended.stderr


def test_a_public_host_shows_no_stack_traces(tmp_path):
    public = {"WORLDWRIGHT_HOSTS": "studio.example.org", "WORLDWRIGHT_SECRET_KEY": SECRET}
    ended = start(tmp_path, WORLDWRIGHT_DEBUG="yes", **public)
    assert ended.returncode == 1
    assert "WORLDWRIGHT_DEBUG must be off" in ended.stderr
    assert start(tmp_path, WORLDWRIGHT_DEBUG="yes").returncode == 0


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"OIDC_CLIENT_ID": ""}, "WORLDWRIGHT_OIDC_CLIENT_ID is required"),
        ({"OIDC_CLIENT_SECRET": ""}, "WORLDWRIGHT_OIDC_CLIENT_SECRET is required"),
        ({"OIDC_ISSUER": "http://login.example"}, "WORLDWRIGHT_OIDC_ISSUER must begin with https://"),
        ({"OIDC_SCOPES": "email"}, "WORLDWRIGHT_OIDC_SCOPES must contain openid"),
        ({"OIDC_ROLE_CLAIM": "groups"}, "WORLDWRIGHT_OIDC_ROLE_CLAIM and the values"),
        ({"OIDC_ADMINS": "ops"}, "WORLDWRIGHT_OIDC_ROLE_CLAIM and the values"),
    ],
)
def test_a_provider_that_nobody_could_sign_in_with_stops_the_start(tmp_path, environ, named):
    usable = {
        "OIDC_ISSUER": "https://login.example", "OIDC_CLIENT_ID": "studio", "OIDC_CLIENT_SECRET": "hush-hush"
    }  # fmt: skip
    fitting, other = ({f"WORLDWRIGHT_{n}": v for n, v in each.items()} for each in (usable, usable | environ))
    assert start(tmp_path, **fitting).returncode == 0
    completed = start(tmp_path, **other)
    assert completed.returncode != 0
    assert named in completed.stderr
    assert "hush-hush" not in completed.stderr


def test_a_name_that_means_nothing_is_refused_with_the_nearest(read):
    with pytest.raises(BadVariable) as refusal:
        read({"WORLDWRIGHT_TASK": "4", "WORLDWRIGHT_JJJJJJJJ": "1", "PATH": "/bin"})
    lines = str(refusal.value).splitlines()
    assert len(lines) == 2
    assert "page Settings lists all names" in lines[0]
    assert "WORLDWRIGHT_TASK: there is no setting of this name; did you mean WORLDWRIGHT_TASKS?" in lines[1]


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"WORLDWRIGHT_TASKS": "none"}, "WORLDWRIGHT_TASKS: 'none' cannot be used"),
        ({"DATABASE_URL": "postgresql://u:hunter2@127.0.0.1:9/gone"}, "The database gone at 127.0.0.1:9"),
    ],
)
@pytest.mark.parametrize(
    "program",
    [
        ["manage.py", "serve"],
        ["manage.py", "worker"],
        ["manage.py", "migrate"],
        ["manage.py", "tokens", "--json"],
        ["-c", "from studio.command import main; main([])"],
    ],
    ids=" ".join,
)
def test_what_an_operator_has_to_mend_is_one_line(tmp_path, environ, message, program):
    ended = subprocess.run(
        [sys.executable, *program],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "WORLDWRIGHT_VAR": str(tmp_path)} | environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith(message)
    assert len(ended.stderr.splitlines()) == 1
    assert "hunter2" not in ended.stderr


GONE = "postgresql://u:p@127.0.0.1:9/gone"
"""Nothing listens on this port."""


def test_a_database_that_never_answers_is_told_in_time_with_its_setting(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u:hunter2@127.0.0.1:{silent.getsockname()[1]}/gone"
        ended = run(tmp_path, "manage.py", "tokens", DATABASE_URL=url)
    assert ended.returncode == 1
    assert ended.stderr.endswith("correct DATABASE_URL.\n")
    # Which of the two limits of equal length ends first is the scheduler's choice.
    assert "timeout" in ended.stderr or "did not answer within" in ended.stderr
    assert "hunter2" not in ended.stderr


SILENT_NAMES = """
import os, socket, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
from django.db.backends.base.base import BaseDatabaseWrapper
BaseDatabaseWrapper.ensure_connection = lambda self: time.sleep(60)
from studio.management.command_line import main
main(["manage.py", "tokens"])
"""


@pytest.mark.slow
def test_a_name_server_that_never_answers_keeps_nobody_waiting(tmp_path):
    ended = run(tmp_path, "-c", SILENT_NAMES)
    assert (ended.returncode, "did not answer within" in ended.stderr) == (1, True)


SLOW_ANSWER = """
import os, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
load, seconds = map(float, sys.argv[1:])
os.getloadavg, os.cpu_count = lambda: (load, 0, 0), lambda: 2
from django.db.backends.base.base import BaseDatabaseWrapper
BaseDatabaseWrapper.ensure_connection = lambda self: time.sleep(seconds)
BaseDatabaseWrapper.close = lambda self: None
from studio.management import command_line
command_line._ANSWER_SECONDS = 0.3
command_line._require_database()
"""


def test_a_busy_machine_may_take_longer_for_the_first_answer_and_says_so(tmp_path):
    busy = run(tmp_path, "-c", SLOW_ANSWER, "60", "0.5")
    assert (busy.returncode, len(busy.stderr.splitlines())) == (0, 1)
    assert "This machine is busy; waiting up to 3 seconds." in busy.stderr
    idle = run(tmp_path, "-c", SLOW_ANSWER, "1", "60")
    assert idle.returncode == 1
    assert "busy" not in idle.stderr
    assert "did not answer within 0.3 seconds" in idle.stderr


def test_patience_grows_with_the_load_and_has_an_end():
    assert [patience(load, 2) for load in (0, 2, 8, 900)] == [1, 1, 4, 10]


def test_of_a_databases_words_those_that_say_what_happened_are_told(tmp_path):
    """The client adds a question on a line of its own, which made "connections?. Start it"."""
    ended = run(tmp_path, "manage.py", "tokens")
    assert "Connection refused. Start it, or correct DATABASE_URL.\n" in ended.stderr


def test_a_file_that_is_no_database_is_told_with_its_setting(tmp_path):
    ended = run(tmp_path, "manage.py", "tokens", DATABASE_URL="sqlite:////proc/none.sqlite3")
    assert ended.returncode == 1
    assert "/proc/none.sqlite3 cannot be used" in ended.stderr
    assert "Correct DATABASE_URL" in ended.stderr


ASKS_FIRST = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
from studio.management.command_line import main
try:
    main(["manage.py", sys.argv[1]])
finally:
    print("studio.models" in sys.modules)
"""


@pytest.mark.parametrize("command", ["migrate", "dumpdata", "reap_runs", "serve"])
def test_the_database_is_asked_before_the_applications_load(tmp_path, command):
    ended = run(tmp_path, "-c", ASKS_FIRST, command)
    assert (ended.returncode, ended.stdout.strip()) == (1, "False")


@pytest.mark.parametrize("arguments", [["diffsettings"], ["tokens", "--help"], ["--version"]], ids=" ".join)
def test_commands_that_need_no_database_run_without_one(tmp_path, arguments):
    ended = run(tmp_path, "manage.py", *arguments)
    assert (ended.returncode, ended.stderr) == (0, "")


def run(tmp_path: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments and a database that is not there."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "WORLDWRIGHT_VAR": str(tmp_path), "DATABASE_URL": GONE} | environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("error", "cause", "lacking"),
    [
        (OperationalError("no such table: studio_apitoken"), None, True),
        (ProgrammingError('relation "studio_apitoken" does not exist'), UndefinedTable(), True),
        (ProgrammingError("syntax error"), SyntaxErrorOrAccessRuleViolation(), False),
        (OperationalError("database is locked"), None, False),
    ],
)
def test_tables_that_are_not_there_are_told_from_other_errors(error, cause, lacking):
    error.__cause__ = cause
    assert lacks_tables(error) is lacking


@pytest.mark.slow
def test_a_database_without_tables_is_told_in_one_line(tmp_path):
    ended = run(tmp_path, "manage.py", "tokens", DATABASE_URL=f"sqlite:///{tmp_path / 'empty.sqlite3'}")
    message = "The database has no tables of this studio yet. Create them with: migrate\n"
    assert (ended.returncode, ended.stderr) == (1, message)
