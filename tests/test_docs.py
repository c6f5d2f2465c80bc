"""What README claims: settings, commands and targets are those that are there.

`python tests/test_docs.py` writes the settings table anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BEGIN = "<!-- settings: made by `python tests/test_docs.py`, checked by the test -->\n"
END = "<!-- /settings -->"


def settings_table() -> str:
    """Every variable with its default and meaning, as a Markdown table."""
    from studio.environment_variables import VARIABLES

    rows = [
        f"| `{v.name}` | {_shown(v.default)} | {' '.join(v.meaning.split())} |"
        for v in VARIABLES
        if not v.name.startswith("_")
    ]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows]) + "\n"


def _shown(default: object) -> str:
    if default is None:
        return ""
    if isinstance(default, bool):
        return "`yes`" if default else "`no`"
    return ", ".join(f"`{item}`" for item in (default if isinstance(default, list) else [default]))


def _with_table(text: str) -> str:
    before, rest = text.split(BEGIN)
    return before + BEGIN + settings_table() + END + rest.split(END, 1)[1]


def test_every_setting_stands_in_readme_as_it_is() -> None:
    text = README.read_text(encoding="utf-8")
    assert _with_table(text) == text, "run: python tests/test_docs.py"


def test_every_command_of_the_command_line_stands_in_readme() -> None:
    from synthesis.cli.command_line import parser

    text = README.read_text(encoding="utf-8")
    commands = re.findall(r"^    (\w+) ", parser().format_help(), flags=re.MULTILINE)
    assert commands, "the parser's help lists no commands"
    assert [name for name in commands if f"worldwright {name}" not in text] == []


def test_every_make_target_in_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b", README.read_text(encoding="utf-8")))
    named -= {"and", "it", "them"}
    assert {"demo", "test", "check"} <= named
    assert named - targets == set()


def test_every_management_command_in_readme_exists() -> None:
    from django.core.management import get_commands

    prose = README.read_text(encoding="utf-8").split(BEGIN)[0]
    named = set(re.findall(r"manage\.py (\w+)", prose))
    assert named
    assert named - set(get_commands()) == set()


def test_files_named_in_readme_exist() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_trainers_example_runs(clinic: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from synthesis.bundles.native import NativeCodec
    from synthesis.documents.bundle import Bundle

    NativeCodec().write(Bundle(environment=clinic), tmp_path / "clinic_front_desk.zip")  # type: ignore[arg-type]
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    printed: list[object] = []
    exec(blocks[0], {"print": lambda *values: printed.append(values)})
    assert printed == [("completed", 1.0)]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    README.write_text(_with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
