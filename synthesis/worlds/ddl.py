"""DDL: a schema script cut into statements, and what may stand in one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<string>'(?:[^']|'')*')
  | (?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
  | (?P<word>[^\W\d][\w$]*)
  | (?P<number>\d[\w.]*)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOCK_WORDS = frozenset({"CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME"})


@dataclass(frozen=True, slots=True)
class Token:
    """One word, name, literal or sign with its place in the statement's text."""

    kind: str
    text: str
    end: int

    @property
    def word(self) -> str:
        """The text in upper case if it is a bare word, else empty."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The identifier it stands for, without quotes."""
        if self.kind != "quoted":
            return self.text
        quote = self.text[-1]
        return self.text[1:-1] if quote == "]" else self.text[1:-1].replace(quote * 2, quote)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script, without its semicolon."""

    sql: str
    line: int
    tokens: tuple[Token, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """Its first words in upper case, up to the first that is no bare word."""
        texts = []
        for token in self.tokens[:6]:
            if not token.word:
                break
            texts.append(token.word)
        return tuple(texts)

    @property
    def makes_table(self) -> bool:
        """Whether it is a CREATE TABLE."""
        return self.words[:2] == ("CREATE", "TABLE")

    @property
    def table_name(self) -> str:
        """The table that a CREATE TABLE makes; empty for other statements."""
        at = self._name_at
        return self.tokens[at].name if self.makes_table and len(self.tokens) > at else ""

    @property
    def copies_rows(self) -> bool:
        """Whether it is a CREATE TABLE ... AS SELECT."""
        after = self._name_at + 1
        return self.makes_table and len(self.tokens) > after and self.tokens[after].word == "AS"

    @property
    def subject(self) -> str:
        """The table that it makes, or that an index is on; empty where it is neither."""
        if self.makes_table:
            return self.table_name
        at = next((place for place, token in enumerate(self.tokens) if token.word == "ON"), len(self.tokens))
        return self.tokens[at + 1].name if at + 1 < len(self.tokens) else ""

    @property
    def _name_at(self) -> int:
        at = 5 if self.words[2:5] == ("IF", "NOT", "EXISTS") else 2
        qualified = len(self.tokens) > at + 2 and self.tokens[at + 1].text == "."
        return at + 2 if qualified else at


def statements(script: str) -> tuple[Statement, ...]:
    """The statements of a script in order, each with the line on which it begins."""
    return tuple(_cut(script))


def refusal(statement: Statement) -> str | None:
    """Why a statement may not stand in a schema, or None when it may."""
    words = statement.words
    kind = words[1] if words[:1] == ("CREATE",) and len(words) > 1 else ""
    if kind == "UNIQUE":
        kind = words[2] if len(words) > 2 else ""
    if kind not in ("TABLE", "INDEX"):
        shown = " ".join(words[:3]) or statement.sql[:40]
        return f"{shown}: a schema may only contain CREATE TABLE and CREATE INDEX"
    if kind == "TABLE":
        if statement.copies_rows:
            return "CREATE TABLE ... AS SELECT: declare the columns, rows belong to the seed data"
        return None
    if any(token.word in _CLOCK_WORDS or token.text.lower() == "'now'" for token in statement.tokens):
        return "an index must not depend on the clock"
    return None


def with_autoincrement(statement: Statement, key: str) -> str:
    """The CREATE TABLE with AUTOINCREMENT on its INTEGER PRIMARY KEY `key`, so that no id is ever used twice.

    Returns the text unchanged where the key is not written in a form that allows it.
    """
    if any(token.word == "AUTOINCREMENT" for token in statement.tokens):
        return statement.sql
    for definition in column_definitions(statement):
        if (place := _place_for_autoincrement(definition, key)) is not None:
            return f"{statement.sql[:place]} AUTOINCREMENT{statement.sql[place:]}"
    return statement.sql


def _cut(script: str) -> Iterator[Statement]:
    start: int | None = None
    tokens: list[Token] = []
    for match in _TOKEN.finditer(script):
        kind, text = match.lastgroup or "mark", match[0]
        if kind == "space":
            continue
        if text == ";" and not _inside_trigger(tokens):
            if start is not None:
                yield _statement(script, start, match.start(), tokens)
            start, tokens = None, []
            continue
        if start is None:
            start = match.start()
        tokens.append(Token(kind, text, match.end() - start))
    if start is not None:
        yield _statement(script, start, start + tokens[-1].end, tokens)


def _statement(script: str, start: int, end: int, tokens: list[Token]) -> Statement:
    return Statement(script[start:end].rstrip(), script.count("\n", 0, start) + 1, tuple(tokens))


def _inside_trigger(tokens: list[Token]) -> bool:
    """Whether a semicolon here ends a statement inside a trigger's body and not the trigger."""
    head = [token.word for token in tokens[:3]]
    return head[:1] == ["CREATE"] and "TRIGGER" in head and tokens[-1].word != "END"


def column_definitions(statement: Statement) -> Iterator[list[Token]]:
    """The comma-separated column definitions and table constraints of a CREATE TABLE."""
    depth, definition = 0, list[Token]()
    for token in statement.tokens:
        closes = token.text == ")" and token.kind == "mark"
        depth -= closes
        if depth and not (depth == 1 and token.text == "," and token.kind == "mark"):
            definition.append(token)
        elif definition:
            yield definition
            definition = []
        depth += token.text == "(" and token.kind == "mark"


def _place_for_autoincrement(definition: list[Token], key: str) -> int | None:
    words = [token.word for token in definition]
    at = next((i for i in range(len(words) - 1) if words[i : i + 2] == ["PRIMARY", "KEY"]), None)
    if at is None:
        return None
    after = at + 2
    if len(definition) > after and definition[after].text == "(":
        column = definition[after + 1] if len(definition) > after + 1 else None
        if column is None or column.name.lower() != key.lower():
            return None
        end = after + 2 if words[after + 2 : after + 3] == ["ASC"] else after + 1
        return definition[end].end
    if definition[0].name.lower() != key.lower() or words[after : after + 1] == ["DESC"]:
        return None
    end = after if words[after : after + 1] == ["ASC"] else after - 1
    if words[end + 1 : end + 3] == ["ON", "CONFLICT"]:
        end += 3
    return definition[min(end, len(definition) - 1)].end
