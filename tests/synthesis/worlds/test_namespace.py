"""Generated code runs in a namespace of its own."""

from __future__ import annotations

from synthesis.worlds.namespace import given_to_tools, lay_in_spare, run_module


def test_a_namespace_that_changes_its_builtins_changes_no_other() -> None:
    spoil = compile("__builtins__['len'] = None\n__builtins__['mine'] = 1\nToolError = None", "tools", "exec")
    spoilt = run_module(spoil, "tools", given_to_tools())
    assert spoilt["__builtins__"]["len"] is None
    other = run_module(compile("n = len('ab')\nkept = ToolError", "tools", "exec"), "tools", given_to_tools())
    assert other["n"] == 2
    assert issubclass(other["kept"], Exception)
    assert "mine" not in other["__builtins__"]


def test_a_spare_made_ahead_goes_to_one_namespace_alone() -> None:
    lay_in_spare()
    spoil = compile("__builtins__['len'] = None", "tools", "exec")
    assert run_module(spoil, "tools", {})["__builtins__"]["len"] is None
    for _ in range(2):
        assert run_module(compile("n = len('ab')", "tools", "exec"), "tools", {})["n"] == 2
