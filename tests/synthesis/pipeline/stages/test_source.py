"""Python text as definitions."""

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
    found = source.definitions(MODULE)
    assert found["NAMES"] == '# why\nNAMES: list = ["a"]'
    assert found["f"].startswith("# about f\ndef f(db):")
    assert next(iter(found)) == source.DOCSTRING
    assert {"MAX", "NAMES", "f", "_g", "import import re"} <= set(found)


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
    assert source.function_at(MODULE, line) == "f"
    assert source.function_at(MODULE, 1) == ""
    assert source.function_at("def (", 1) == ""
