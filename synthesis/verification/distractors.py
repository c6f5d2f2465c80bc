"""Distractors: other names a world has for what a fact names, so that an answer cannot list them all."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from functools import lru_cache

from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Task
from synthesis.reading.words import atoms
from synthesis.verification.answer_facts import is_distinguished_by_name, normalised

_MOST = 2_000
_MOST_OPTIONS = 40
"""Different values of a column of states; one with more holds texts of its own."""


def distractors_of(environment: Environment, task: Task) -> dict[str, tuple[str, ...]]:
    """By name of a fact: the values that stand where its value stands in the seed rows, itself among them.

    A value is looked for in the text columns and, since people are often kept as first and last name, in
    pairs
    of text columns of one table. Empty for a value that stands in no row.
    """
    return {
        fact.name: _column_with(environment.fingerprint, SeedRows(environment), str(fact.value))
        for fact in task.answer_facts
        if is_distinguished_by_name(fact)
    }


def options_of(environment: Environment, task: Task) -> dict[str, tuple[str, ...]]:
    """By name of a fact that is a word of the language (a state): the values its column may have instead."""
    return {
        fact.name: _options(environment.fingerprint, SeedRows(environment), str(fact.value))
        for fact in task.answer_facts
        if fact.type == "text" and not is_distinguished_by_name(fact)
    }


class SeedRows:
    """An environment's rows as an argument that does not count for the cache, nor is kept alive by it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = weakref.ref(environment)

    @property
    def environment(self) -> Environment:
        """The environment itself."""
        result = self._environment()
        assert result is not None, "whoever asks for its distractors has the environment"
        return result

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeedRows)


@lru_cache(maxsize=1_024)
def _column_with(_fingerprint: str, rows: SeedRows, value: str) -> tuple[str, ...]:
    wanted = normalised(value)
    for columns in _columns(rows.environment):
        if any(normalised(text) == wanted for text in columns):
            return tuple(dict.fromkeys(columns))[:_MOST]
    return ()


@lru_cache(maxsize=1_024)
def _options(_fingerprint: str, rows: SeedRows, value: str) -> tuple[str, ...]:
    wanted = atoms(value)
    values: dict[str, None] = {}
    for table in rows.environment.seed_data.rows.values():
        for column in _text_columns(table):
            texts = dict.fromkeys(_texts(table, (column,)))
            if len(texts) <= _MOST_OPTIONS and any(atoms(text) == wanted for text in texts):
                values |= texts
    return tuple(values)


def _columns(environment: Environment) -> Iterator[list[str]]:
    """The values of every text column, then of every pair of text columns joined by a space."""
    tables = [rows for rows in environment.seed_data.rows.values() if rows]
    for rows in tables:
        for column in _text_columns(rows):
            yield _texts(rows, (column,))
    for rows in tables:
        columns = _text_columns(rows)
        for one in columns:
            for other in columns:
                if one != other:
                    yield _texts(rows, (one, other))


def _text_columns(rows: Sequence[Row]) -> list[str]:
    named = dict.fromkeys(column for row in rows for column in row)
    return [column for column in named if any(isinstance(row.get(column), str) for row in rows)]


def _texts(rows: Sequence[Row], columns: tuple[str, ...]) -> list[str]:
    texts = []
    for row in rows:
        cells = [row.get(column) for column in columns]
        if all(isinstance(cell, str) and cell for cell in cells):
            texts.append(" ".join(str(cell) for cell in cells))
    return texts
