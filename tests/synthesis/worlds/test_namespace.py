"""Generated code runs in a namespace of its own."""

from __future__ import annotations

import pytest

from synthesis.worlds.worker.forbidden import OF_THE_DATABASE
from synthesis.worlds.worker.namespace import given_to_tools, prepare_spare, run_module
from synthesis.worlds.worker.tool_database import ReadOnlyDatabase, ToolDatabase


def test_a_namespace_that_changes_its_builtins_changes_no_other() -> None:
    spoil = compile("__builtins__['len'] = None\n__builtins__['mine'] = 1\nToolError = None", "tools", "exec")
    spoilt = run_module(spoil, "tools", given_to_tools())
    assert spoilt["__builtins__"]["len"] is None
    other = run_module(compile("n = len('ab')\nkept = ToolError", "tools", "exec"), "tools", given_to_tools())
    assert other["n"] == 2
    assert issubclass(other["kept"], Exception)
    assert "mine" not in other["__builtins__"]


def test_a_spare_made_ahead_goes_to_one_namespace_alone() -> None:
    prepare_spare()
    spoil = compile("__builtins__['len'] = None", "tools", "exec")
    assert run_module(spoil, "tools", {})["__builtins__"]["len"] is None
    for _ in range(2):
        assert run_module(compile("n = len('ab')", "tools", "exec"), "tools", {})["n"] == 2


def run(source: str) -> dict[str, object]:
    """A module past the rules that read its source."""
    return run_module(compile(source, "tools", "exec"), "tools", given_to_tools())


@pytest.mark.parametrize(
    "reach",
    [
        "json.codecs",
        "typing.sys",
        "typing.get_type_hints",
        "string.Formatter",
        "datetime.sys",
        "json.decoder",
    ],
)
def test_no_module_leads_to_another_even_where_nobody_read_the_source(reach: str) -> None:
    name = reach.partition(".")[0]
    with pytest.raises(AttributeError):
        run(f"import {name}\nalias = {name}\nfound = alias.{reach.partition('.')[2]}")


@pytest.mark.parametrize("name", ["time", "random", "_strptime", "locale"])
def test_modules_that_only_c_code_asks_for_have_no_names(name: str) -> None:
    assert [key for key in vars(run(f"import {name} as found")["found"]) if not key.startswith("__")] == []


def test_what_is_open_is_the_real_thing() -> None:
    space = run(
        "import collections.abc, datetime, json\nfrom typing import *\nfrom collections import abc\n"
        "day = datetime.datetime.strptime('2026-01-02', '%Y-%m-%d')\n"
        "rows = isinstance([], collections.abc.Sequence) and abc is collections.abc\ntext = json.dumps([1])"
    )
    assert (space["rows"], space["text"], str(space["day"])) == (True, "[1]", "2026-01-02 00:00:00")
    assert "Annotated" in space


def test_a_module_stays_as_it_is() -> None:
    with pytest.raises(AttributeError, match=r"json\.dumps: a module stays as it is"):
        run("import json\njson.dumps = None")
    with pytest.raises(AttributeError, match="a module stays as it is"):
        run("import json\ndel json.dumps")


@pytest.mark.parametrize(
    "code",
    [
        "getattr(ToolError, '__sub' + 'classes__')",
        "getattr((n for n in ()), 'gi_' + 'frame')",
        "getattr(__import__('datetime').datetime, 'now')",
        "getattr(ToolError, type('S', (str,), {'startswith': lambda *a: False})('__mro__'))",
        "vars(ToolError)",
        "globals()",
        "setattr(ToolError, 'a', 1)",
    ],
)
def test_names_that_are_put_together_reach_no_further(code: str) -> None:
    with pytest.raises((AttributeError, NameError, TypeError)):
        run(f"found = {code}")


def test_what_the_database_is_made_of_is_nobodys_own() -> None:
    database = ToolDatabase(None, (), None)  # type: ignore[arg-type]
    names = {*vars(database), *vars(ToolDatabase), *vars(ReadOnlyDatabase)}
    assert {name for name in names if name.startswith("_") and not name.startswith("__")} == OF_THE_DATABASE
