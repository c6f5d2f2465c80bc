"""Python text as definitions."""

import pytest

from synthesis.pipeline.stages import source

MODULE = '''"""What it is."""

import re
from typing import Literal

MAX = 5
# why
NAMES: list = ["a"]


# about f
def f(db):
    return MAX


def _g():
    return re
'''


def test_every_definition_has_its_text_with_its_comments():
    results = source.definitions(MODULE)
    assert results["NAMES"] == '# why\nNAMES: list = ["a"]'
    assert results["f"].startswith("# about f\ndef f(db):")
    assert next(iter(results)) == source.DOCSTRING
    assert {"MAX", "NAMES", "f", "_g", "import import re"} <= set(results)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("it failed (line 13)", "it failed (line 2 of f: return MAX)"),
        ("of f (line 13): mend it (line 99)", "of f (line 2 of f: return MAX): mend it (line 99)"),
        ("it failed (line 6)", "it failed (MAX = 5)"),
        ("it failed (line 99)", "it failed (line 99)"),
        ("it failed", "it failed"),
    ],
)
def test_a_line_of_the_module_is_told_by_function_and_statement(message, words):
    assert source.placed(message, MODULE) == words


def test_merging_a_module_with_itself_changes_nothing_that_matters():
    assert source.definitions(source.merged(MODULE, MODULE)) == source.definitions(MODULE)


def test_the_addition_wins_and_imports_come_first():
    both = source.merged(MODULE, "import math\n\nMAX = 6\n")
    assert both.index("import math") < both.index("MAX = 6") < both.index("def f")
    assert "MAX = 5" not in both


def test_text_that_does_not_parse_is_not_lost():
    assert source.merged("A = 1", "def (:") == "A = 1\n\ndef (:"


def test_a_line_belongs_to_its_function():
    line = MODULE.splitlines().index("    return MAX") + 1
    assert source.place_of(MODULE, line) == ("f", 2)
    assert source.place_of(MODULE, 1) == ("", 1)
    assert source.place_of("def (", 1) == ("", 1)


HEAD = """import os
import re
from datetime import date, timedelta

MAX = 5


def _day(x):
    return date(x)
"""
TOOL = "def f(db):\n    return _day(MAX)"


@pytest.mark.parametrize(
    ("correction", "removed", "remains", "gone"),
    [
        ("", [], ["MAX = 5", "def _day"], []),
        ("", ["os"], ["def _day", "import date, timedelta"], ["import os"]),
        ("", ["import os", "timedelta"], ["import date"], ["import os", "timedelta"]),
        ("", ["_day", "MAX"], [], ["_day", "MAX", "import"]),
        (
            "MAX = 9",
            [],
            ["MAX = 9", "def _day", "import date, timedelta"],
            ["MAX = 5", "import os", "import re"],
        ),
        (
            "import math\n\n\ndef _day(x):\n    return math.ceil(x)",
            [],
            ["MAX = 5", "math"],
            ["import date", "import os"],
        ),
    ],
)
def test_a_correction_replaces_what_is_shared_but_keeps_what_is_used(correction, removed, remains, gone):
    shared = source.corrected(HEAD, correction, users=[TOOL], removed=removed)
    assert [text for text in remains if text not in shared] == []
    assert [text for text in gone if text in shared] == []


def test_a_correction_that_does_not_parse_is_not_lost():
    assert "def (:" in source.corrected(HEAD, "def (:", users=[TOOL], removed=[])


def test_names_that_nothing_defines_are_told_with_their_users():
    module = """
from typing import Literal
_LIMIT = 3

def _helper(x):
    return [re.sub(p, "", y) for y in x for p in _PATTERNS][:_LIMIT]

def find(db, kind: Literal["a"]) -> dict:
    def inner():
        return len(kind), re.escape(kind), ToolError
    return {"inner": inner(), "found": _helper(kind)}
"""
    assert source.undefined(module, {"ToolError"}) == {"_PATTERNS": ("_helper",), "re": ("_helper", "find")}
    assert source.undefined(f"import re\n{module}", {"ToolError"}) == {"_PATTERNS": ("_helper",)}
    assert source.undefined("def broken(:", ()) == {}
