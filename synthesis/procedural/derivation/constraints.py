"""Constraints: what CREATE statements demand of rows, as far as their tokens show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from synthesis.worlds.ddl import Statement, Token, statements

Literal = str | int | float


@dataclass
class Constraints:
    """What one table's statements demand; names in lower case."""

    uniques: list[tuple[str, ...]] = field(default_factory=list)
    """Column sets of which no two rows have the same values; the primary key is not among them."""
    members: dict[str, tuple[Literal, ...]] = field(default_factory=dict)
    """Column to its CHECK (column IN (...))."""
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)
    shortest: dict[str, int] = field(default_factory=dict)
    before: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of columns of which the first is to be less than the second."""
    checked: set[str] = field(default_factory=set)
    """Columns that stand in a CHECK which is not fully understood."""
    literals: dict[str, list[Literal]] = field(default_factory=dict)
    """Literals that stand in such a CHECK with a column: values that may well be allowed."""
    patterns: dict[str, str] = field(default_factory=dict)
    """Column to its CHECK (column LIKE pattern)."""
    json: set[str] = field(default_factory=set)
    """Columns that hold JSON."""
    auto: bool = False
    """Whether SQLite gives the key: one column that is declared INTEGER PRIMARY KEY."""


def read_constraints(sql: str) -> dict[str, Constraints]:
    """The constraints of each table of a schema script, by the table's name in lower case."""
    found: dict[str, Constraints] = {}
    for statement in statements(sql):
        if statement.makes_table:
            found[statement.table_name.lower()] = _of_table(statement)
        elif statement.words[:3] == ("CREATE", "UNIQUE", "INDEX"):
            _add_index(statement, found)
    return found


def _add_index(statement: Statement, found: dict[str, Constraints]) -> None:
    tokens = statement.tokens
    at = next((place for place, token in enumerate(tokens) if token.word == "ON"), None)
    if at is None or len(tokens) <= at + 2:
        return
    made = found.get(tokens[at + 1].name.lower())
    if made is not None:
        columns, _ = _names(tokens, at + 2)
        if columns:  # a partial index demands less than this, which does no harm
            made.uniques.append(columns)


def _of_table(statement: Statement) -> Constraints:
    made = Constraints()
    for definition in definitions(statement):
        if definition:
            _read(definition, made)
    return made


def definitions(statement: Statement) -> Iterator[list[Token]]:
    """The column definitions and table constraints of a CREATE TABLE, one after the other."""
    depth, part = 0, list[Token]()
    for token in statement.tokens:
        sign = token.text if token.kind == "mark" else ""
        if sign == ")":
            depth -= 1
        if depth >= 1 and not (depth == 1 and sign == ","):
            part.append(token)
        elif depth == 1 and sign == ",":
            yield part
            part = []
        if sign == "(":
            depth += 1
        if depth == 0 and part:
            yield part
            part = []


def _read(part: list[Token], made: Constraints) -> None:
    word = part[0].word
    if word in ("CONSTRAINT", "UNIQUE", "CHECK", "PRIMARY", "FOREIGN"):
        start = 2 if word == "CONSTRAINT" and len(part) > 2 else 0
        column = ""
    else:
        start, column = 1, part[0].name.lower()
    words = [token.word for token in part]
    for at in range(start, len(part)):
        following = part[at + 1].text if at + 1 < len(part) else ""
        if words[at] == "UNIQUE":
            if column:
                made.uniques.append((column,))
            elif following == "(":
                made.uniques.append(_names(part, at + 1)[0])
        elif words[at] == "CHECK" and following == "(":
            _check(_inside(part, at + 1), made)
        elif words[at] == "PRIMARY" and column and len(words) > 1:
            made.auto = words[1] == "INTEGER" and "DESC" not in words


def _names(tokens: list[Token] | tuple[Token, ...], at: int) -> tuple[tuple[str, ...], int]:
    """The column names in parentheses that open at a place; none where an expression stands among them."""
    inside = _inside(tokens, at)
    if any(token.kind == "mark" and token.text == "(" for token in inside):
        return (), at
    names, fresh = [], True
    for token in inside:
        if fresh:
            names.append(token.name.lower())
        fresh = token.text == "," and token.kind == "mark"
    return tuple(names), at


def _inside(tokens: list[Token] | tuple[Token, ...], at: int) -> list[Token]:
    depth, found = 0, list[Token]()
    for token in tokens[at:]:
        sign = token.text if token.kind == "mark" else ""
        if sign == ")":
            depth -= 1
            if depth == 0:
                break
        if depth:
            found.append(token)
        if sign == "(":
            depth += 1
    return found


_NAME = r"n\d+"
_LITERAL = r"[sd]\d+"
_MEMBERS = re.compile(rf"^({_NAME}) IN \( ((?:{_LITERAL}|NULL)(?: , (?:{_LITERAL}|NULL))*) \)$")
_RANGE = re.compile(rf"^({_NAME}) BETWEEN (-? ?d\d+) AND (-? ?d\d+)$")
_COMPARED = re.compile(rf"^({_NAME}) (<=|>=|<|>) (-? ?d\d+)$")
_TURNED = re.compile(rf"^(-? ?d\d+) (<=|>=|<|>) ({_NAME})$")
_LENGTH = re.compile(rf"^LENGTH \( ({_NAME}) \) (<=|>=|<|>|=) (d\d+)$")
_LENGTHS = re.compile(rf"^LENGTH \( ({_NAME}) \) BETWEEN (d\d+) AND (d\d+)$")
_ORDER = re.compile(rf"^({_NAME}) (<=|>=|<|>) ({_NAME})$")
_JSON = re.compile(rf"^({_NAME}) \( ({_NAME}) \)$")
_LIKE = re.compile(rf"^({_NAME}) LIKE (s\d+)$")
_NULLABLE = re.compile(rf"^({_NAME}) IS NULL OR (.+)$|^(.+) OR ({_NAME}) IS NULL$")


class _Expression:
    """A CHECK's expression with names and literals as numbered marks, so that patterns can be told."""

    def __init__(self, tokens: list[Token]) -> None:
        self.names: list[str] = []
        self.values: list[Literal] = []
        self.text = " ".join(filter(None, map(self._mark, tokens)))
        self.text = re.sub(r"(<|>|!|=|\|) (?=[=>|])", r"\1", self.text)
        self.text = re.sub(r"(?<=[=<>] )\( (-? ?d\d+) \)", r"\1", self.text)

    def _mark(self, token: Token) -> str:
        word = token.word
        if token.kind == "string":
            self.values.append(token.text[1:-1].replace("''", "'"))
            return f"s{len(self.values) - 1}"
        if token.kind == "number":
            self.values.append(_number(token.text))
            return f"d{len(self.values) - 1}"
        if word in _WORDS:
            return word
        if token.kind in ("word", "quoted"):
            self.names.append(token.name.lower())
            return f"n{len(self.names) - 1}"
        return token.text

    def name(self, mark: str) -> str:
        return self.names[int(mark[1:])]

    def value(self, mark: str) -> Literal:
        plain = mark.replace(" ", "")
        found = self.values[int(plain.lstrip("-")[1:])]
        return -found if plain.startswith("-") and not isinstance(found, str) else found

    def number(self, mark: str) -> float:
        found = self.value(mark)
        return float(found) if not isinstance(found, str) else 0.0


_WORDS = frozenset(
    [
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
        "IS",
        "NULL",
        "LIKE",
        "GLOB",
        "REGEXP",
        "LENGTH",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "UPPER",
        "LOWER",
        "TYPEOF",
        "COALESCE",
        "SUBSTR",
        "ABS",
        "DATE",
        "DATETIME",
        "TRIM",
        "COLLATE",
        "ESCAPE",
        "TRUE",
        "FALSE",
        "CAST",
        "INSTR",
        "STRFTIME",
        "JULIANDAY",
        "ROUND",
    ]
)


def _number(text: str) -> Literal:
    try:
        return int(text, 0) if text.lower().startswith("0x") else int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return 0


def _check(tokens: list[Token], made: Constraints) -> None:
    expression = _Expression(tokens)
    for part in _parts(expression.text):
        if not _understood(part, expression, made):
            _remember(part, expression, made)


def _parts(text: str) -> list[str]:
    """The conditions that a text joins by AND at its top level, without parentheses around the whole."""
    text = _bare(text)
    parts, depth, words, between = [], 0, list[str](), False
    for word in text.split(" "):
        depth += (word == "(") - (word == ")")
        between = between or word == "BETWEEN"
        if word == "AND" and depth == 0 and not between:
            parts.append(" ".join(words))
            words = []
            continue
        between = between and word != "AND"
        words.append(word)
    joined = [*parts, " ".join(words)]
    return [inner for part in joined for inner in _parts(part)] if len(joined) > 1 else [_bare(joined[0])]


def _bare(text: str) -> str:
    while text.startswith("( ") and text.endswith(" )"):
        depth = 0
        for place, word in enumerate(words := text.split(" ")):
            depth += (word == "(") - (word == ")")
            if depth == 0 and place < len(words) - 1:
                return text
        text = text[2:-2]
    return text


def _understood(  # noqa: PLR0911 - one paragraph per form
    part: str, told: _Expression, made: Constraints
) -> bool:
    if found := _NULLABLE.match(part):
        return all(_understood(one, told, made) for one in _parts(found[2] or found[3]))
    if re.fullmatch(rf"{_NAME} IS NOT NULL", part):
        return True
    if found := _MEMBERS.match(part):
        values = tuple(told.value(mark) for mark in found[2].split(" , ") if mark != "NULL")
        made.members[told.name(found[1])] = values
        return True
    if found := _LIKE.match(part):
        made.patterns[told.name(found[1])] = str(told.value(found[2]))
        return True
    if (found := _JSON.match(part)) and told.name(found[1]) == "json_valid":
        made.json.add(told.name(found[2]))
        return True
    if found := _ORDER.match(part):
        first, second = told.name(found[1]), told.name(found[3])
        made.before.append((first, second) if "<" in found[2] else (second, first))
        return True
    return _bounds(part, told, made)


def _bounds(part: str, told: _Expression, made: Constraints) -> bool:
    if found := _RANGE.match(part):
        _at_least(made, told.name(found[1]), told.number(found[2]))
        _at_most(made, told.name(found[1]), told.number(found[3]))
    elif found := _COMPARED.match(part):
        _compared(made, told.name(found[1]), found[2], told.number(found[3]))
    elif found := _TURNED.match(part):
        turned = found[2].translate(str.maketrans("<>", "><"))
        _compared(made, told.name(found[3]), turned, told.number(found[1]))
    elif found := _LENGTHS.match(part):
        made.shortest[told.name(found[1])] = int(told.number(found[2]))
        made.longest[told.name(found[1])] = int(told.number(found[3]))
    elif found := _LENGTH.match(part):
        _length(made, told.name(found[1]), found[2], int(told.number(found[3])))
    else:
        return False
    return True


def _length(made: Constraints, name: str, sign: str, value: int) -> None:
    if sign in ("<=", "=", "<"):
        made.longest[name] = value - (sign == "<")
    if sign in (">=", "=", ">"):
        made.shortest[name] = value + (sign == ">")


def _compared(made: Constraints, name: str, sign: str, value: float) -> None:
    step = 1 if value == int(value) else 0.01
    if sign.startswith(">"):
        _at_least(made, name, value if "=" in sign else value + step)
    else:
        _at_most(made, name, value if "=" in sign else value - step)


def _at_least(made: Constraints, name: str, value: float) -> None:
    made.low[name] = max(value, made.low.get(name, value))


def _at_most(made: Constraints, name: str, value: float) -> None:
    made.high[name] = min(value, made.high.get(name, value))


def _remember(part: str, told: _Expression, made: Constraints) -> None:
    names = [told.name(mark) for mark in re.findall(rf"\b{_NAME}\b", part)]
    values = [told.value(mark) for mark in re.findall(rf"\b{_LITERAL}\b", part)]
    for name in names:
        made.checked.add(name)
        made.literals.setdefault(name, []).extend(values)
