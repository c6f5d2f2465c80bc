"""A tool that takes the first of several rows says which is the first."""

import pytest

from synthesis.verification.checks import CHECKS
from synthesis.verification.first_rows import first_rows
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.database import read_schema
from tests.synthesis.worlds.conftest import SCHEMA, TOOLS, make_environment

_SCHEMA = f"""{SCHEMA}
CREATE TABLE tags (note_id INTEGER, word TEXT, colour TEXT NOT NULL, PRIMARY KEY (note_id, word));
CREATE UNIQUE INDEX one_colour ON tags (colour);
"""
_SIZES = {"folders": 5, "notes": 5, "tags": 5}
_SOURCE = """
VIEW = "SELECT n.id, n.text FROM notes n JOIN folders f ON f.id = n.folder_id"

def tool(db, word: str) -> dict:
    {}
"""


def places(*lines, sizes=_SIZES):
    source = _SOURCE.format("\n    ".join(lines))
    return [place.table for place in first_rows(source, read_schema(_SCHEMA), sizes)]


@pytest.mark.parametrize(
    "lines",
    [
        ["return db.one('SELECT * FROM notes WHERE text = ?', word)"],
        ["return db.one(VIEW + ' WHERE n.text = ?', word)"],
        ["note = db.one('SELECT id FROM notes WHERE folder_id = ?', 1)", "return {'id': note['id']}"],
        [
            "note = db.one('SELECT id FROM notes')",
            "if note is None:",
            "    raise ToolError(word)",
            "return note",
        ],
        ["return db.query('SELECT * FROM notes WHERE stars > 2')[0]"],
        ["rows = db.query('SELECT * FROM notes')", "return rows[0] if rows else {}"],
        ["return next(iter(db.query('SELECT * FROM notes')), None)"],
        ["return db.execute('SELECT * FROM notes').fetchone()"],
        ["return {'items': db.query('SELECT * FROM notes WHERE text = ? LIMIT 1', word)}"],
        [
            "sql = 'UPDATE folders SET name = ? WHERE id = (SELECT folder_id FROM notes LIMIT 1)'",
            "return {'n': db.execute(sql, word)}",
        ],
    ],
)
def test_the_first_of_several_rows_is_named(lines):
    assert places(*lines) == ["notes"]


@pytest.mark.parametrize(
    "lines",
    [
        ["return db.one('SELECT * FROM notes WHERE id = ?', 1)"],
        ["return db.one(VIEW + ' WHERE n.id = ?', 1)"],
        ["return db.one('SELECT * FROM folders WHERE name = ?', word)"],
        ["return db.one('SELECT * FROM tags WHERE word = ? AND note_id = ?', word, 1)"],
        ["return db.one('SELECT * FROM tags WHERE colour = ?', word)"],
        ["return db.one('SELECT * FROM notes WHERE text = ? ORDER BY id', word)"],
        ["return db.one('SELECT count(*) AS n, max(stars) AS m FROM notes')"],
        ["return db.one('SELECT coalesce(sum(stars), 0) AS n FROM notes')"],
        ["return {'any': db.one('SELECT id FROM notes WHERE text = ?', word) is not None}"],
        [
            "other = db.one('SELECT id FROM notes WHERE text = ?', word)",
            "if other is not None:",
            "    raise ToolError(f\"It is note {other['id']}.\")",
            "return {}",
        ],
        [
            "rows = db.query('SELECT * FROM notes')",
            "if len(rows) != 1:",
            "    raise ToolError(word)",
            "return rows[0]",
        ],
        ["rows = db.query('SELECT * FROM notes')", "rows.sort(key=str)", "return rows[0]"],
        ["return db.one(f'SELECT * FROM {word} WHERE text = ?', word)"],
        ["sql = 'SELECT * FROM notes'", "sql += ' ORDER BY id'", "return db.one(sql)"],
        ["return db.one('SELECT EXISTS (SELECT 1 FROM notes LIMIT 1) AS there FROM notes WHERE id = 1')"],
        ["return {'items': db.query('SELECT * FROM notes WHERE text = ? ORDER BY id LIMIT 1', word)}"],
        ["return {'items': db.query('SELECT * FROM notes LIMIT 10')}"],
    ],
)
def test_one_row_a_sorted_one_or_a_mere_question_is_not_named(lines):
    assert places(*lines) == []


def test_the_first_row_of_a_table_with_one_row_is_no_choice():
    assert places("return db.one('SELECT * FROM notes')", sizes={"notes": 1}) == []


def test_a_helper_is_named_under_the_tool_that_uses_it_as_a_warning():
    helper = """

def _some(db, text: str) -> dict:
    return db.one("SELECT * FROM notes WHERE text = ?", text)


def show_note(db, text: str) -> dict:
    \"\"\"Show a note.

    Args:
        text: What it says.
    \"\"\"
    return _some(db, text) or {}
"""
    with ProofContext(make_environment(TOOLS + helper)) as context:
        result = CHECKS["first_rows_are_sorted"](context)
    (finding,) = result.findings
    assert result.passed
    assert (finding.severity, finding.where) == ("warning", "show_note")
    assert finding.message.startswith("_some takes the first of several rows of notes")


def test_a_sound_environment_has_no_such_place(clinic):
    with ProofContext(clinic) as context:
        assert not CHECKS["first_rows_are_sorted"](context).findings


def test_a_row_that_is_passed_on_is_followed_however_far():
    chain = [f"row{number} = row{number - 1}" for number in range(1, 1_500)]
    assert places("row0 = db.one('SELECT id FROM notes')", *chain, "return row1499") == ["notes"]
    itself = ["row = db.one('SELECT id FROM notes')", "row = row"]
    assert places(*itself, "return row") == ["notes"]
    assert places(*itself, "return {'any': row is not None}") == []


def test_a_statement_of_great_length_is_not_read():
    limits = "LIMIT 1 " * 6_000
    assert places(f"return db.query('SELECT id FROM notes WHERE (SELECT 1 {limits})')") == []
