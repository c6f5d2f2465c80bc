"""Grammar: mistakes in a declaration that the parser reads over, told with their place."""

from __future__ import annotations

import itertools

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from synthesis.intake.foreign import Expression

Mistake = tuple[int, str]
"""Where in the text it is, in characters from 0, and what is wrong."""

_OPENS_LIST = (TokenType.L_PAREN, TokenType.COMMA)


def stray_comma(sql: str, dialect: str) -> Mistake | None:
    """The first comma between brackets with nothing before or behind it.

    Args:
        sql: One statement.
        dialect: The dialect it is read as.
    """
    try:
        tokens = sqlglot.tokenize(sql, dialect=dialect)
    except SqlglotError:
        return None  # the parser tells of it
    for before, token in itertools.pairwise(tokens):
        if token.token_type is TokenType.COMMA and before.token_type in _OPENS_LIST:
            return token.start, "a comma with nothing before it"
        if before.token_type is TokenType.COMMA and token.token_type is TokenType.R_PAREN:
            return before.start, "a comma with nothing behind it"
    return None


def unfit_column(item: Expression, dialect: str) -> Mistake | None:
    """What is wrong with a column of a CREATE TABLE whose name or type cannot be meant.

    Args:
        item: One item between the brackets.
        dialect: The dialect it is read as; SQLite allows columns without a type.
    """
    named = item.this if isinstance(item, exp.ColumnDef) else item
    start = int(named.meta.get("start", 0)) if isinstance(named, exp.Expr) else 0
    if isinstance(named, exp.Literal):
        return start, f"{named.name!r} is not a column name"
    if isinstance(item, exp.ColumnDef):
        # A column that is computed may go without a type in some dialects.
        typeless = item.args.get("kind") is None and not item.find(exp.ComputedColumnConstraint)
    else:
        typeless = isinstance(item, exp.Identifier)
    if typeless and dialect != "sqlite":
        return start, f"column {named.name!r} has no type, which SQLite alone allows"
    return None
