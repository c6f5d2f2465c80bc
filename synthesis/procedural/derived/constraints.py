"""Constraints: what CREATE statements demand of rows, as far as their tokens show it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from synthesis.worlds.ddl import Statement, Token, column_definitions, statements

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
    results: dict[str, Constraints] = {}
    for statement in statements(sql):
        if statement.makes_table:
            results[statement.table_name.lower()] = _of_table(statement)
        elif statement.words[:3] == ("CREATE", "UNIQUE", "INDEX"):
            _add_index(statement, results)
    return results


def _add_index(statement: Statement, results: dict[str, Constraints]) -> None:
    tokens = statement.tokens
    at = next((place for place, token in enumerate(tokens) if token.word == "ON"), None)
    if at is None or len(tokens) <= at + 2:
        return
    constraints = results.get(tokens[at + 1].name.lower())
    if constraints is not None:
        columns, _ = _names(tokens, at + 2)
        if columns:  # a partial index demands less than this, which does no harm
            constraints.uniques.append(columns)


def _of_table(statement: Statement) -> Constraints:
    constraints = Constraints()
    for definition in column_definitions(statement):
        if definition:
            _read(definition, constraints)
    return constraints


def _read(part: list[Token], constraints: Constraints) -> None:
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
                constraints.uniques.append((column,))
            elif following == "(":
                constraints.uniques.append(_names(part, at + 1)[0])
        elif words[at] == "CHECK" and following == "(":
            _check(_inside(part, at + 1), constraints)
        elif words[at] == "PRIMARY" and column and len(words) > 1:
            constraints.auto = words[1] == "INTEGER" and "DESC" not in words


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
    depth, results = 0, list[Token]()
    for token in tokens[at:]:
        sign = token.text if token.kind == "mark" else ""
        if sign == ")":
            depth -= 1
            if depth == 0:
                break
        if depth:
            results.append(token)
        if sign == "(":
            depth += 1
    return results


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
        result = self.values[int(plain.lstrip("-")[1:])]
        return -result if plain.startswith("-") and not isinstance(result, str) else result

    def number(self, mark: str) -> float:
        """A bound, within the numbers that SQLite has; a literal may be infinite."""
        result = self.value(mark)
        return float(max(-_LARGEST, min(result, _LARGEST))) if not isinstance(result, str) else 0.0


_LARGEST = 2**63
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


def _check(tokens: list[Token], constraints: Constraints) -> None:
    expression = _Expression(tokens)
    for part in _parts(expression.text):
        if not _understood(part, expression, constraints):
            _remember(part, expression, constraints)


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
    part: str, expression: _Expression, constraints: Constraints
) -> bool:
    if match := _NULLABLE.match(part):
        return all(_understood(one, expression, constraints) for one in _parts(match[2] or match[3]))
    if re.fullmatch(rf"{_NAME} IS NOT NULL", part):
        return True
    if match := _MEMBERS.match(part):
        values = tuple(expression.value(mark) for mark in match[2].split(" , ") if mark != "NULL")
        constraints.members[expression.name(match[1])] = values
        return True
    if match := _LIKE.match(part):
        constraints.patterns[expression.name(match[1])] = str(expression.value(match[2]))
        return True
    if (match := _JSON.match(part)) and expression.name(match[1]) == "json_valid":
        constraints.json.add(expression.name(match[2]))
        return True
    if match := _ORDER.match(part):
        first, second = expression.name(match[1]), expression.name(match[3])
        constraints.before.append((first, second) if "<" in match[2] else (second, first))
        return True
    return _bounds(part, expression, constraints)


def _bounds(part: str, expression: _Expression, constraints: Constraints) -> bool:
    if match := _RANGE.match(part):
        _at_least(constraints, expression.name(match[1]), expression.number(match[2]))
        _at_most(constraints, expression.name(match[1]), expression.number(match[3]))
    elif match := _COMPARED.match(part):
        _compared(constraints, expression.name(match[1]), match[2], expression.number(match[3]))
    elif match := _TURNED.match(part):
        turned = match[2].translate(str.maketrans("<>", "><"))
        _compared(constraints, expression.name(match[3]), turned, expression.number(match[1]))
    elif match := _LENGTHS.match(part):
        constraints.shortest[expression.name(match[1])] = _whole(expression.number(match[2]))
        constraints.longest[expression.name(match[1])] = _whole(expression.number(match[3]))
    elif match := _LENGTH.match(part):
        _length(constraints, expression.name(match[1]), match[2], _whole(expression.number(match[3])))
    else:
        return False
    return True


def _whole(value: float) -> int:
    """A length within what any column can hold."""
    return int(max(-1.0, min(value, 2.0**31)))


def _length(constraints: Constraints, name: str, sign: str, value: int) -> None:
    if sign in ("<=", "=", "<"):
        constraints.longest[name] = value - (sign == "<")
    if sign in (">=", "=", ">"):
        constraints.shortest[name] = value + (sign == ">")


def _compared(constraints: Constraints, name: str, sign: str, value: float) -> None:
    step = 1 if value == int(value) else 0.01
    if sign.startswith(">"):
        _at_least(constraints, name, value if "=" in sign else value + step)
    else:
        _at_most(constraints, name, value if "=" in sign else value - step)


def _at_least(constraints: Constraints, name: str, value: float) -> None:
    constraints.low[name] = max(value, constraints.low.get(name, value))


def _at_most(constraints: Constraints, name: str, value: float) -> None:
    constraints.high[name] = min(value, constraints.high.get(name, value))


def _remember(part: str, expression: _Expression, constraints: Constraints) -> None:
    names = [expression.name(mark) for mark in re.findall(rf"\b{_NAME}\b", part)]
    values = [expression.value(mark) for mark in re.findall(rf"\b{_LITERAL}\b", part)]
    for name in names:
        constraints.checked.add(name)
        constraints.literals.setdefault(name, []).extend(values)
