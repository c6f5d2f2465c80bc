"""Two tools that do the same are found whatever they, their parameters and their variables are called."""

from __future__ import annotations

from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext
from tests.synthesis.worlds.conftest import TOOLS, make_environment

FIRST = '''
from typing import Annotated
from pydantic import Field


def notes_of_stars(db, stars: int) -> dict:
    """List the notes with so many stars.

    Args:
        stars: How many.
    """
    rows = db.query("SELECT id, text FROM notes WHERE stars = ? ORDER BY id LIMIT 50", stars)
    return {"items": [dict(row) for row in rows]}
'''
TWIN = '''

def starred_notes(db, number: Annotated[int, Field(description="The number wanted.")]) -> dict:
    """Notes by their number of stars."""
    found = db.query(
        """SELECT id, text
             FROM notes WHERE stars = ? ORDER BY id LIMIT 50""", number
    )
    return {"items": [dict(each) for each in found]}
'''


def twins(*added: str) -> list[str]:
    with ProofContext(make_environment(TOOLS + "".join(added))) as context:
        return [each.message for each in CHECKS["nothing_is_there_twice"](context).findings]


def test_a_twin_under_other_names_is_found():
    assert twins(FIRST, TWIN) == ["starred_notes does exactly what notes_of_stars does: keep one of them."]


def test_tools_that_differ_in_what_they_do_are_no_twins():
    assert twins(FIRST, TWIN.replace("LIMIT 50", "LIMIT 20")) == []
    assert twins(FIRST, TWIN.replace("stars = ?", "stars >= ?")) == []
    swapped = '''

def gap(db, first: int, second: int) -> dict:
    """The first without the second.

    Args:
        first: A number.
        second: Another.
    """
    return {"gap": first - second}


def gap_back(db, first: int, second: int) -> dict:
    """The second without the first.

    Args:
        first: A number.
        second: Another.
    """
    return {"gap": second - first}
'''
    assert twins(swapped) == []
