"""Pages of the documentation that are made from the code: settings, commands, the HTTP interface."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

HTTP_INTRODUCTION = """# HTTP interface

The studio answers programs under `/api/`; the same document is browsable at `/api/docs`. A token comes from
`create_token` and goes into `Authorization: Bearer …`.
"""
METHODS = ("get", "post", "put", "patch", "delete")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those in the folder."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    django.setup()
    for path, text in (
        ("reference/settings.md", settings_page()),
        ("reference/commands.md", commands_page()),
        ("reference/http.md", http_page()),
    ):
        files.append(File.generated(config, path, content=text))
    return files


def settings_page() -> str:
    """Every setting with what is allowed and its default."""
    from studio.environment_variables import EnvironmentVariables
    from studio.variable import allowed, is_secret, variable_name

    rows = [
        f"| `{variable_name(field)}` | {allowed(field)}{' (secret)' if is_secret(field) else ''} "
        f"| {_default(field.default)} | {' '.join((field.description or '').split())} |"
        for field in EnvironmentVariables.model_fields.values()
    ]
    return (
        "# Settings\n\nAll from the process environment, all optional. An invalid value stops the "
        "start with a message that names the variable and what is allowed.\n\n"
        + "\n".join(["| variable | allowed | default | meaning |", "|---|---|---|---|", *rows, ""])
    )


def _default(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "`yes`" if value else "`no`"
    return ", ".join(f"`{item}`" for item in (value if isinstance(value, tuple) else [value]) if item != "")


def commands_page() -> str:
    """The help texts of `worldwright` and of the studio's commands."""
    from django.core.management import get_commands, load_command_class

    from synthesis.cli.command_line import parser

    sections = ["# Commands\n\n## worldwright\n", _block(parser().format_help())]
    for action in parser()._actions:  # noqa: SLF001 - argparse offers no other way to its subcommands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, sub in action.choices.items():
                sections += [f"### worldwright {name}\n", _block(sub.format_help())]
    sections.append(
        "## The studio's commands\n\n`manage.py` in a checkout, `worldwright studio` where it is installed.\n"
    )
    for name, app in sorted(get_commands().items()):
        if app == "studio":
            command = load_command_class("studio", name)
            sections += [f"### {name}\n", _block(command.create_parser("manage.py", name).format_help())]
    return "\n".join(sections)


def http_page() -> str:
    """The operations of the studio's interface, by tag."""
    from studio.api.interface import api

    document = api.get_openapi_schema()
    sections = [HTTP_INTRODUCTION]
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                sections += list(_operation(path, method, operations[method]))
    return "\n".join(sections)


def _operation(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"## {method.upper()} {path}\n"
    yield f"{operation.get('description') or operation.get('summary', '')}\n"
    rows = [
        f"| `{each['name']}` | {each['in']} | {'yes' if each.get('required') else 'no'} |"
        for each in operation.get("parameters", ())
    ]
    if rows:
        yield "\n".join(["| parameter | in | required |", "|---|---|---|", *rows, ""])
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" in body:
        yield f"Body: `{body['$ref'].rpartition('/')[2]}`.\n"
    yield f"Answers: {', '.join(str(status) for status in operation.get('responses', {}))}.\n"


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"
