"""What is under deploy/ parses, and the commands, options, settings and files that it names exist."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from studio.environment_variables import EnvironmentVariables
from studio.variable import variable_name
from synthesis.cli.command_line import parser

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
SETTINGS = {variable_name(field) for field in EnvironmentVariables.model_fields.values()}
OWN_COMMANDS = {name for name, app in get_commands().items() if app in ("studio", "django.core")} | {
    "collectstatic"
}
ENGINE_COMMANDS = set(re.findall(r"^    ([\w-]+) ", parser().format_help(), flags=re.MULTILINE))


def texts() -> dict[str, str]:
    """Every file, by name."""
    files = [*DEPLOY.iterdir(), ROOT / "docs" / "operations.md"]
    return {path.name: path.read_text(encoding="utf-8") for path in files}


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(texts()))
def test_every_setting_that_is_named_exists(name: str) -> None:
    named = set(re.findall(r"\b(?:WORLDWRIGHT_[A-Z_]+|CELERY_BROKER_URL|DATABASE_URL)\b", texts()[name]))
    assert named <= SETTINGS


@pytest.mark.parametrize("name", sorted(texts()))
def test_every_command_that_is_named_exists(name: str) -> None:
    text = texts()[name]
    studio = set(re.findall(r"\bworldwright studio ([a-z_]+)", text))
    assert studio <= OWN_COMMANDS
    engine = set(re.findall(r"(?:bin/|exec )worldwright ([a-z]+)", text))
    assert engine <= ENGINE_COMMANDS | {"studio"}


def test_every_option_of_the_servers_is_known() -> None:
    from uvicorn.main import main as uvicorn

    known = {option for each in uvicorn.params for option in (*each.opts, *each.secondary_opts)}
    lines = [line for text in texts().values() for line in text.replace("\\\n", " ").splitlines()]
    application = "studio.asgi:application"
    asked = [line.partition(application)[2] for line in lines if application in line]
    assert len(asked) == 2
    for rest in asked:
        assert set(re.findall(r"(--[a-z-]+)", rest)) <= known
    serve = parser()._subparsers._group_actions[0].choices["serve"]
    served = [line for line in lines if "worldwright serve --" in line]
    assert len(served) == 2
    for line in served:
        assert set(re.findall(r"(--[a-z-]+)", line)) <= set(serve._option_string_actions)


def test_parts_of_compose_are_parts_of_the_image(compose) -> None:
    entry = (DEPLOY / "entrypoint.sh").read_text(encoding="utf-8")
    parts = set(re.findall(r"^  (\w+)\)", entry, flags=re.MULTILINE))
    assert parts == {"web", "worker", "worlds"}
    own = {name: service for name, service in compose["services"].items() if "build" in service}
    assert {service["command"][0] for service in own.values()} - parts <= OWN_COMMANDS
    assert {"web", "worker", "migrate", "worlds"} == set(own)
    for service in compose["services"].values():
        assert set(service.get("depends_on", {})) <= set(compose["services"])
        for volume in service.get("volumes", ()):
            assert volume.split(":")[0] in compose["volumes"]
    example = dict(line.split("=", 1) for line in texts()["studio.env.example"].splitlines() if "=" in line)
    hosts = [re.search(r"[@/](\w+):\d", example[name])[1] for name in ("DATABASE_URL", "CELERY_BROKER_URL")]
    assert set(hosts) <= set(compose["services"])


def test_the_server_of_worlds_has_no_secret_and_changes_nothing(compose) -> None:
    worlds = compose["services"]["worlds"]
    assert worlds["env_file"] == []
    assert not worlds.get("environment")
    assert all(volume.endswith(":ro") for volume in worlds["volumes"])


def test_no_port_is_open_to_the_network_without_a_proxy(compose) -> None:
    for service in compose["services"].values():
        assert [port for port in service.get("ports", ()) if not port.startswith("127.0.0.1:")] == []


def test_the_image_runs_without_root_from_locked_packages_and_existing_files() -> None:
    text = texts()["Dockerfile"].replace("\\\n", " ")
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    assert {name for name, _ in steps} <= {
        "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD",
    }  # fmt: skip
    users = [rest for name, rest in steps if name == "USER"]
    assert users == ["worldwright"]
    assert "--require-hashes" in text
    assert all(":" in rest.split()[0] for name, rest in steps if name == "FROM")
    for name, rest in steps:
        if name == "COPY" and not rest.startswith("--from"):
            assert (ROOT / rest.split()[0]).exists()


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_has_its_sections_and_restarts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^\[(\w+)\]$", text, flags=re.MULTILINE) == ["Unit", "Service", "Install"]
    entries = [line.split("=", 1) for line in text.splitlines() if line and not line.startswith("[")]
    keys = {key for key, _ in entries}
    assert {"Description", "ExecStart", "User", "Restart", "WantedBy", "ProtectSystem"} <= keys
    for key, value in entries:
        if key.startswith("Exec"):
            assert shlex.split(value)[0].startswith("/")


def test_the_entry_point_is_a_valid_shell_script() -> None:
    done = subprocess.run(["sh", "-n", DEPLOY / "entrypoint.sh"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (DEPLOY / "entrypoint.sh").stat().st_mode & 0o111


def test_the_proxy_passes_what_the_studio_reads() -> None:
    text = texts()["nginx.conf"]
    assert text.count("{") == text.count("}")
    for header in ("Host $host", "X-Forwarded-For $proxy_add_x_forwarded_for", "X-Request-ID $request_id"):
        assert f"proxy_set_header {header};" in text


@pytest.mark.slow
def test_collected_files_are_hashed_and_compressed(settings, tmp_path) -> None:
    from django.contrib.staticfiles.storage import staticfiles_storage
    from django.core.management import call_command
    from django.test import override_settings

    from studio.static_files import storages

    with override_settings(STATIC_ROOT=tmp_path, STORAGES=storages(tmp_path)):
        call_command("collectstatic", interactive=False, verbosity=0)
        address = staticfiles_storage.url("css/shell.css")
        pages = (ROOT / "templates").rglob("*.html")
        named = {
            name for page in pages for name in re.findall(r"""{% static ['"]([^'"]+)""", page.read_text())
        }
        assert len(named) > 8
        assert all(staticfiles_storage.exists(staticfiles_storage.stored_name(name)) for name in named)
    assert re.fullmatch(r"/static/css/shell\.[0-9a-f]{12}\.css", address)
    stored = tmp_path / address.removeprefix("/static/")
    assert stored.is_file()
    assert stored.with_name(f"{stored.name}.gz").is_file()
