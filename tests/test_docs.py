"""What README and the guides claim: settings, commands, targets and files are those that are there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = (README, *sorted((ROOT / "docs").rglob("*.md")))
LONGEST_README = 200


@pytest.fixture(scope="module")
def site_hooks() -> ModuleType:
    """The module that makes pages of the site from the code."""
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs" / "site_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(*paths: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_readme_stays_short() -> None:
    assert len(text_of(README).splitlines()) <= LONGEST_README


def test_every_setting_is_on_the_page_of_settings(site_hooks: ModuleType) -> None:
    from studio.environment_variables import EnvironmentVariables
    from studio.variable import variable_name

    rows = {
        row.split("`")[1]: row for row in site_hooks.settings_page().splitlines() if row.startswith("| `")
    }
    fields = {variable_name(field): field for field in EnvironmentVariables.model_fields.values()}
    assert set(rows) == set(fields)
    assert [
        name for name, field in fields.items() if " ".join(field.description.split()) not in rows[name]
    ] == []
    assert "a whole number of 1 or more | `5` |" in rows["WORLDWRIGHT_ATTEMPTS"]
    assert "one of DEBUG, INFO, WARNING, ERROR | `WARNING` |" in rows["WORLDWRIGHT_LOG_LEVEL"]
    assert "(secret)" in rows["OPENAI_API_KEY"]


def test_every_command_is_on_the_page_of_commands(site_hooks: ModuleType) -> None:
    from django.core.management import get_commands

    from synthesis.cli.command_line import parser

    page = site_hooks.commands_page()
    commands = re.findall(r"^    ([\w-]+) ", parser().format_help(), flags=re.MULTILINE)
    assert commands, "the parser's help lists no commands"
    assert [name for name in commands if f"### worldwright {name}\n" not in page] == []
    studio = [name for name, app in get_commands().items() if app == "studio"]
    assert [name for name in studio if f"### {name}\n" not in page] == []


def test_every_operation_is_on_the_page_of_the_interface(site_hooks: ModuleType) -> None:
    from studio.api.interface import api

    page = site_hooks.http_page()
    operations = [
        f"## {method.upper()} {path}\n"
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method in methods
    ]
    assert operations
    assert [each for each in operations if each not in page] == []


def test_every_command_of_the_command_line_is_in_a_guide() -> None:
    from synthesis.cli.command_line import parser

    text = text_of(*PAGES)
    commands = re.findall(r"^    ([\w-]+) ", parser().format_help(), flags=re.MULTILINE)
    assert [name for name in commands if f"worldwright {name}" not in text] == []


def test_every_make_target_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)\b", text_of(*PAGES, ROOT / "CONTRIBUTING.md")))
    assert {"demo", "test", "check"} <= named
    assert named - targets == set()


def test_every_management_command_named_exists() -> None:
    from django.core.management import get_commands

    named = set(re.findall(r"(?:manage\.py|worldwright studio) (\w+)", text_of(*PAGES)))
    assert named
    assert named - set(get_commands()) - {"in", "where"} == set()


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"], ids=lambda page: page.name
)
def test_files_linked_from_a_page_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text_of(page))
    texts = {"settings.md", "commands.md", "http.md"}
    missing = [link for link in links if not (page.parent / link).exists() and Path(link).name not in texts]
    assert missing == []


@pytest.mark.parametrize(
    "page", [README, ROOT / "docs" / "guides" / "trainer.md"], ids=lambda page: page.name
)
def test_the_trainers_example_runs(
    page: Path, clinic: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from synthesis.bundles.native import NativeCodec
    from synthesis.documents.bundle import Bundle

    NativeCodec().write(Bundle(environment=clinic), tmp_path / "clinic_front_desk.zip")  # type: ignore[arg-type]
    blocks = re.findall(r"```python\n(.*?)```", text_of(page), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    printed: list[object] = []
    exec(blocks[0], {"print": lambda *values: printed.append(values)})
    assert printed == [("completed", 1.0)]
