"""What the source of tools and verifiers is refused for, word by word."""

from __future__ import annotations

import ast

import pytest

from synthesis.worlds.worker.tool_source import (
    committing_functions,
    parse,
    source_problems,
    verifier_problems,
)

VERIFY = "def verify(before, after, changes, answer):\n    yield check('a', True)\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = (", "line 1: '(' was never closed: x = ("),
        ("a = 1\nb = = 2\n", "line 2: invalid syntax: b = = 2"),
        ("x = 1\x00", "The source: source code string cannot contain null bytes"),
    ],
)
def test_what_is_not_python_is_named_with_its_line_and_its_text(source: str, message: str) -> None:
    tree, (problem,) = parse(source, part="tools")
    assert tree is None
    assert problem["message"] == message


def test_python_has_a_tree_and_no_problem() -> None:
    tree, problems = parse("x = 1\n", part="tools")
    assert (isinstance(tree, ast.Module), problems) == (True, [])


@pytest.mark.parametrize("other", ["apply", "zebra", "verify_"])
def test_only_a_function_named_verify_is_the_verifier(other: str) -> None:
    helper = f"def {other}(row):\n    return row\n"
    assert verifier_problems(ast.parse(helper + VERIFY)) == []
    (problem,) = verifier_problems(ast.parse(VERIFY.replace("verify", other)))
    assert problem["message"] == (
        "The verifier must define verify(before, after, changes, answer), and may add calls and conversation "
        "by name."
    )


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("LIMIT = 3", False),
        ("NAMES = ('a', 'b')", False),
        ("LIMIT: int", False),
        ("LIMIT = _three()", True),
        ("LIMIT = [1]", False),
        ("SEEN = []\n\n\ndef _add():\n    SEEN.append(1)", True),
        ("print(1)", True),
        ("if True:\n    LIMIT = 1", True),
    ],
)
def test_the_module_level_is_for_imports_definitions_and_constants(line: str, refused: bool) -> None:
    source = f"import math\n\n\ndef _three():\n    return 3\n\n\n{line}\n"
    assert bool(source_problems(ast.parse(source), part="tools")) is refused


def test_functions_that_commit_do_so_by_themselves_or_by_another() -> None:
    source = "def a(s):\n    s.commit()\n\n\ndef b(s):\n    a(s)\n\n\ndef c(s):\n    return s.read()\n"
    assert committing_functions(ast.parse(source)) == {"a", "b"}


@pytest.mark.parametrize(
    ("line", "is_clock"), [("import datetime as d", True), ("import math as d", False), ("d = 1", False)]
)
def test_only_names_of_datetime_are_clocks(line: str, is_clock: bool) -> None:
    problems = source_problems(ast.parse(f"{line}\n\n\ndef _a():\n    return d.now()\n"), part="tools")
    assert any("db.now()" in problem["message"] for problem in problems) is is_clock


@pytest.mark.parametrize(
    ("default", "is_mutable"),
    [
        ("[]", True),
        ("{}", True),
        ("{1}", True),
        ("[n for n in (1,)]", True),
        ("list()", True),
        ("()", False),
        ("None", False),
        ("'a'", False),
        ("-1", False),
    ],
)
@pytest.mark.parametrize("form", ["def _a(x={}):\n    return x\n", "def _a(*, x={}):\n    return x\n"])
def test_a_default_that_a_call_could_change_is_refused(form: str, default: str, is_mutable: bool) -> None:
    problems = source_problems(ast.parse(form.replace("{}", default)), part="tools")
    assert any("mutable default" in problem["message"] for problem in problems) is is_mutable
