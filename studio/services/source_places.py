"""Places in sources: the line and column of what cannot be read, so that an editor can go there."""

from __future__ import annotations

import ast
import re
import sqlite3
from contextlib import closing

from synthesis.errors import InvalidInput

LONGEST = 200_000
"""Characters of a source that is looked at; longer ones are left to the sandbox."""

_LINE = re.compile(r"\bline (\d+)\b(?!, column)", re.IGNORECASE)
_NEAR = re.compile(r'near "(.+?)": syntax error')


def require_python(source: str) -> None:
    """Pass when a source parses as Python; nothing of it is run.

    Raises:
        InvalidInput: It does not; the text names line and column, both from 1.
    """
    if len(source) > LONGEST:
        return
    try:
        ast.parse(source)
    except SyntaxError as error:
        raise InvalidInput(
            f"This is no Python: {error.msg} at line {error.lineno or 1}, column {error.offset or 1}."
        ) from None
    except (ValueError, RecursionError, MemoryError):
        return  # the sandbox, which stands such sources, says what is wrong with it


def with_column(message: str, source: str) -> str:
    """A message whose "line 3" also says at which column that line begins to hold something."""
    lines = source.splitlines()

    def placed(match: re.Match[str]) -> str:
        number = int(match[1])
        text = lines[number - 1] if 1 <= number <= len(lines) else ""
        return f"{match[0]}, column {len(text) - len(text.lstrip()) + 1}"

    return _LINE.sub(placed, message, count=1)


def ddl_message(message: str, statement: str, sql: str) -> str:
    """A message about a DDL statement with the line and column of the word where SQLite stopped.

    Args:
        message: SQLite's words, for example 'Line 1: near ",": syntax error.'.
        statement: The statement it is about.
        sql: The whole script.
    """
    start, near = sql.find(statement), _NEAR.search(message)
    if start < 0 or near is None or len(sql) > LONGEST:
        return with_column(message, sql)
    at = start + _first_wrong(statement, near[1])
    line, column = sql.count("\n", 0, at) + 1, at - (sql.rfind("\n", 0, at) + 1) + 1
    return f"{near[0]} at line {line}, column {column}."


def _first_wrong(statement: str, word: str) -> int:
    """Offset of the occurrence of a word at which SQLite stops; EXPLAIN reads and carries out nothing."""
    places = [match.start() for match in re.finditer(re.escape(word), statement)]
    with closing(sqlite3.connect(":memory:")) as parser:
        for place in places:
            try:
                parser.execute(f"EXPLAIN {statement[: place + len(word)]}")
            except sqlite3.Error as error:
                if _NEAR.search(str(error)):
                    return place
    return places[0] if places else 0
