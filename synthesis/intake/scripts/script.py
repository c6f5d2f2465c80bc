"""Script: a file of SQL cut into statements, each with its place in the file.

Own code, because dumps hold what SQL splitters do not know: COPY data after a statement, psql's backslash
lines, MySQL's DELIMITER and its comments that are statements, and errors need the file's line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

MOST_COPIED = 1_000
"""Lines of COPY data that are kept of one statement."""

_QUOTED = r"""
    '(?:[^'\\]|''|\\.)*'
  | "(?:[^"\\]|""|\\.)*"
"""
_STANDARD = r"""
    [eE]'(?:[^'\\]|''|\\.)*'
  | '(?:[^']|'')*'
  | "(?:[^"]|"")*"
"""
_PATTERN = r"""
    (?P<space>\s+)
  | (?P<comment>--[^\n]*|/\*(?!!).*?(?:\*/|\Z){hash})
  | (?P<string>{strings}|`(?:[^`]|``)*`|\$(?P<tag>[A-Za-z_]\w*|)\$.*?\$(?P=tag)\$)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<other>\d[\w.]*|.)
"""
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE
_LINE = re.compile(
    r"""
    (?P<copy>COPY\b[^;]*?\bFROM\s+stdin\b[^;\n]*;[^\n]*(?:\n|\Z))
  | (?P<meta>\\[^\n]*(?:\n|\Z))
  | (?P<delimiter>DELIMITER[ \t]+(?P<mark>\S+)[ \t]*(?:\n|\Z))
    """,
    _FLAGS,
)
"""What is on lines of its own between statements."""
_TOKENS = {
    True: re.compile(_PATTERN.format(hash=r"|\#[^\n]*", strings=_QUOTED), _FLAGS),
    False: re.compile(_PATTERN.format(hash="", strings=_STANDARD), _FLAGS),
}
_CONDITIONAL = re.compile(r"/\*!(?:M!)?\d{0,6}(.*?)\*/", re.DOTALL)
_BODIES = frozenset({"TRIGGER", "PROCEDURE", "FUNCTION", "EVENT"})
_OPENING = frozenset({"BEGIN", "CASE"})


@dataclass(slots=True)
class ScriptStatement:
    """One statement without its semicolon."""

    sql: str
    line: int
    column: int
    words: tuple[str, ...]
    """Its first words in upper case, names among them without quotes are words as well."""
    data: list[str] = field(default_factory=list)
    """First lines of the COPY data that follows it."""
    copied: int = 0
    """How many lines of COPY data followed it."""

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Line and column in the file of a place within the statement; all count from 1."""
        return self.line + line - 1, column + (self.column - 1 if line == 1 else 0)

    def place_of(self, sql: str, offset: int) -> tuple[int, int]:
        """Line and column in the file of a character of the statement's text."""
        return self.place(sql.count("\n", 0, offset) + 1, offset - sql.rfind("\n", 0, offset))


def statements(script: str, *, mysql: bool) -> Iterator[ScriptStatement]:
    """The statements of a script in order.

    Args:
        script: The file's text.
        mysql: Whether strings know backslashes, `#` begins a comment and `/*!` comments count as SQL.
    """
    if mysql:
        script = _CONDITIONAL.sub(_uncommented, script)
    return _StatementSplitter(script, mysql=mysql).cut()


class _StatementSplitter:
    def __init__(self, script: str, *, mysql: bool) -> None:
        self._script, self._pattern = script, _TOKENS[mysql]
        self._delimiter = ";"
        self._line, self._counted = 1, 0
        self._start: int | None = None
        self._words: list[str] = []
        self._depth, self._body = 0, False

    def cut(self) -> Iterator[ScriptStatement]:
        at, length = 0, len(self._script)
        while at < length:
            line = self._line_at(at) if self._start is None else None
            if line is not None and line["copy"]:
                statement, at = self._copied(line)
                yield statement
                continue
            if line is not None:
                self._delimiter = line["mark"] or self._delimiter
                at = line.end()
                continue
            match = self._token(at)
            at = match.end()
            if match["space"] is not None or match["comment"] is not None:
                continue
            if (at := self._ends(match, at)) < 0:
                at = -at
                if self._start is not None:
                    yield self._statement(match.start())
                self._reset()
            else:
                self._take(match, match.lastgroup or "other")
        if self._start is not None:
            yield self._statement(length)

    def _token(self, at: int) -> re.Match[str]:
        match = self._pattern.match(self._script, at)
        assert match is not None, "the last alternative takes any character"
        if match["word"] and self._delimiter != ";" and (cut := match[0].find(self._delimiter)) > 0:
            match = self._pattern.match(self._script, at, at + cut)  # "END$$": $ may stand in a word
            assert match is not None, "it begins with the same word"
        return match

    def _line_at(self, at: int) -> re.Match[str] | None:
        """A line of its own that begins here, with nothing but white space before it."""
        if self._script[at] not in "CcDd\\":
            return None
        begins = self._script.rfind("\n", 0, at) + 1
        return _LINE.match(self._script, at) if not self._script[begins:at].strip() else None

    def _ends(self, match: re.Match[str], at: int) -> int:
        """Minus the place after the delimiter where the statement ends here; else the place given."""
        if self._delimiter != ";":
            if self._script.startswith(self._delimiter, match.start()):
                return -(match.start() + len(self._delimiter))
            return at
        return -at if match[0] == ";" and self._depth <= 0 else at

    def _take(self, match: re.Match[str], kind: str) -> None:
        if self._start is None:
            self._start = match.start()
        if kind == "word":
            word = match[0].upper()
            if len(self._words) < 12:
                self._words.append(word)
            self._nest(word)
        elif len(self._words) < 12 and kind in ("string", "tag") and self._words:
            self._words.append(match[0].strip('`"'))

    def _nest(self, word: str) -> None:
        if word in _BODIES and self._words[0] == "CREATE" and "TABLE" not in self._words[:4]:
            self._body = True
        if self._body and word in _OPENING:
            self._depth += 1
        elif self._body and word == "END":
            self._depth -= 1

    def _copied(self, match: re.Match[str]) -> tuple[ScriptStatement, int]:
        line, column = self._place(match.start())
        head = match[0].strip().rstrip(";")
        end = self._script.find("\n\\.", match.end() - 1)
        data = self._script[match.end() : end if end >= 0 else len(self._script)]
        lines = list(islice((text for text in data.split("\n") if text), MOST_COPIED)) if data else []
        words = tuple(word.upper() for word in re.findall(r"\w+", head)[:12])
        after = len(self._script) if end < 0 else self._script.find("\n", end + 1) % (len(self._script) + 1)
        copied = data.count("\n") + bool(data)
        return ScriptStatement(head, line, column, words, lines, copied), max(after, match.end())

    def _statement(self, end: int) -> ScriptStatement:
        assert self._start is not None
        line, column = self._place(self._start)
        sql = self._script[self._start : end].rstrip()
        return ScriptStatement(sql, line, column, tuple(self._words))

    def _place(self, at: int) -> tuple[int, int]:
        self._line += self._script.count("\n", self._counted, at)
        self._counted = at
        return self._line, at - self._script.rfind("\n", 0, at)

    def _reset(self) -> None:
        self._start = None
        self._words = []
        self._depth, self._body = 0, False


def _uncommented(match: re.Match[str]) -> str:
    """The comment's text at its own place; signs of the comment become spaces."""
    start = match.start(1) - match.start()
    return " " * start + match[1] + "  "
