"""English word forms: loaded without the library's checks of types at run time."""

from __future__ import annotations

import subprocess
import sys

from synthesis.procedural.sentence.inflection import plural

LOADED = """
import sys
from synthesis.procedural.sentence.inflection import plural
assert plural("box") == "boxes"
import inflect, typeguard
print(inflect.engine.plural.__code__.co_names)
print(typeguard.typechecked.__module__)
"""


def test_no_class_is_rewritten_when_the_first_word_is_read() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    names, decorator = done.stdout.splitlines()
    assert "typeguard" not in names
    assert "check_argument_types" not in names
    assert decorator == "typeguard"


def test_plurals() -> None:
    assert [plural(word) for word in ("box", "person", "sheep")] == ["boxes", "people", "sheep"]
