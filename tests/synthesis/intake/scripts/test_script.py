from __future__ import annotations

import sys

import pytest

from synthesis.errors import InvalidInput
from synthesis.intake import read
from synthesis.intake.scripts.script import ScriptStatement, statements


def cut(script: str, *, mysql: bool = False) -> list[ScriptStatement]:
    return list(statements(script, mysql=mysql))


def test_semicolons_in_strings_bodies_and_comments_end_no_statement() -> None:
    script_statements = cut(
        "CREATE TABLE a (x text DEFAULT 'a;b', \"c;d\" int); -- x; y\n/* ; */\n"
        "CREATE FUNCTION f() AS $body$ begin; 'it''s'; end; $body$ LANGUAGE x;\n"
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; "
        "SELECT 1; END;\nSELECT E'\\';'"
    )
    assert [one.words[0] for one in script_statements] == ["CREATE", "CREATE", "CREATE", "SELECT"]
    assert script_statements[2].sql.endswith("SELECT 1; END")


def test_a_statement_knows_its_line_and_column() -> None:
    one, two = cut("-- head\n\n  CREATE TABLE a (\n x int);   DROP TABLE a")
    assert (one.line, one.column) == (3, 3)
    assert (two.line, two.column) == (4, 12)
    assert one.place(2, 4) == (4, 4)
    assert two.place(1, 5) == (4, 16)


def test_rows_of_a_copy_belong_to_it_and_backslash_lines_to_nobody() -> None:
    script_statements = cut(
        "\\restrict abc\nCOPY a (x) FROM stdin;\n1;2\n\\N\n\\.\nSELECT 1;\n\\unrestrict abc\n"
    )
    assert [one.words[0] for one in script_statements] == ["COPY", "SELECT"]
    assert script_statements[0].data == ["1;2", "\\N"]
    assert script_statements[1].line == 6


def test_mysql_delimiters_and_conditional_comments_are_understood() -> None:
    script_statements = cut(
        "DELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON a FOR EACH ROW "
        "BEGIN SET x = 1; END */;;\n"
        "DELIMITER ;\n# a; b\nINSERT INTO a VALUES ('it\\'s;');\n",
        mysql=True,
    )
    assert [one.words[:2] for one in script_statements] == [("CREATE", "TRIGGER"), ("INSERT", "INTO")]
    assert script_statements[1].line == 5


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy.engine", None)
    with pytest.raises(InvalidInput, match=r"pip install 'worldwright\[intake\]'"):
        read("postgresql://u:p@127.0.0.1:1/x")
