"""QuestionedEnvironment: an environment as questions are derived from it, its rules, words and rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import JsonValue

from synthesis.documents.document import digest
from synthesis.documents.environment import Environment
from synthesis.documents.question import QuestionKind, RowInQuestion
from synthesis.documents.schema import Table
from synthesis.matching import terms
from synthesis.worlds.definitions import reached_texts

MOST_ROWS = 3
"""Rows shown with one question."""
LONGEST_QUOTE = 280
_LONGEST_WORDS = 80
_LONGEST_CELL = 200
_LONGEST_PLACE = 140
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+", re.MULTILINE)
_HEADING = re.compile(r"^\s*#.*$", re.MULTILINE)
_MARKUP = re.compile(r"[*`]{1,3}|\b_{1,2}|_{1,2}\b(?=\W|$)")
_STATES = re.compile(r"CHECK\s*\(\s*[\"`]?(\w+)[\"`]?\s+IN\s*\(([^()]*)\)", re.IGNORECASE)
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_SHORT = 2
"""Words of a reason that many rules have."""
_REFUSAL = re.compile(r"ToolError\((?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One rule of the policy.

    Attributes:
        text: Without markup, in one line.
        number: Which of the policy's rules it is, from 1.
    """

    text: str
    number: int

    @property
    def quote(self) -> str:
        """The rule, shortened at a word where it is long."""
        if len(self.text) <= LONGEST_QUOTE:
            return self.text
        return self.text[:LONGEST_QUOTE].rsplit(" ", 1)[0] + " ..."


class QuestionedEnvironment:
    """What questions are derived from.

    Args:
        environment: The design.
        shown: Tool to the names of values in the answers it gave, as far as it was called.
    """

    def __init__(self, environment: Environment, shown: Mapping[str, frozenset[str]]) -> None:
        self.environment, self.shown = environment, shown

    @cached_property
    def rules(self) -> tuple[PolicyRule, ...]:
        """The items of the policy's lists; without any list, its paragraphs."""
        policy = self.environment.policy
        text = _HEADING.sub("\n", policy.text) if policy else ""
        pieces = _ITEM.split(text)[1:] or text.split("\n\n")
        lines = [" ".join(_MARKUP.sub("", piece.split("\n\n")[0]).split()) for piece in pieces]
        return tuple(PolicyRule(line, number) for number, line in enumerate(filter(None, lines), start=1))

    @cached_property
    def policy_terms(self) -> frozenset[str]:
        """Stems of everything that the policy says."""
        policy = self.environment.policy
        return frozenset(terms(policy.text.replace("_", " "))) if policy else frozenset()

    @cached_property
    def code(self) -> dict[str, str]:
        """Tool to its code with all that it reaches, without docstrings."""
        texts = reached_texts(self.environment.tools.source)
        return {tool.name: texts.get(tool.name, "") for tool in self.environment.tools.tools}

    @cached_property
    def code_terms(self) -> dict[str, frozenset[str]]:
        """Tool to the stems of all words in its code."""
        return {name: frozenset(terms(text.replace("_", " "))) for name, text in self.code.items()}

    @cached_property
    def refusal_terms(self) -> dict[str, frozenset[str]]:
        """Tool to the stems of the words with which it refuses."""
        return {
            name: frozenset(terms(" ".join(line.replace("_", " ") for line in _refusals(text))))
            for name, text in self.code.items()
        }

    @cached_property
    def task_terms(self) -> dict[str, frozenset[str]]:
        """Task to the stems of its request, its answer and the reasons it may be declined for."""
        return {
            task.id: frozenset(
                terms(
                    " ".join(
                        [task.instruction, task.reference_answer, *(each.text for each in task.blocking)]
                    )
                )
            )
            for task in self.environment.tasks.tasks
        }

    @cached_property
    def reason_terms(self) -> list[frozenset[str]]:
        """The stems of each reason to decline a task, where it says more than a word or two."""
        texts = [each.text for task in self.environment.tasks.tasks for each in task.blocking]
        return [words for words in map(frozenset, map(terms, texts)) if len(words) > _SHORT]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number in rows, tools and the schema, as written."""
        environment = self.environment
        numbers = set(re.findall(r"\d+", f"{environment.tools.source} {environment.schema.sql}"))
        for rows in environment.seed_data.rows.values():
            for row in rows:
                numbers.update(str(value) for value in row.values() if isinstance(value, int | float))
        return frozenset(numbers)

    def states(self, table: Table) -> Iterator[tuple[str, list[str]]]:
        """Columns of a table that allow a few texts only, each with these texts."""
        for column, members in _STATES.findall(table.sql):
            texts = [text.replace("''", "'") for text in _QUOTED.findall(members)]
            if texts:
                yield column, texts

    def rows(self, table: str) -> tuple[dict[str, Any], ...]:
        """Seed rows of a table."""
        return tuple(self.environment.seed_data.rows.get(table, ()))


def row_in_question(table: Table, row: Mapping[str, Any], *columns: str) -> RowInQuestion:
    """A row with the columns that matter, after those by which a person knows it."""
    named = [column.name for column in table.columns if column.name in ("number", "name", "title", "code")]
    keys: list[JsonValue] = [row.get(name) for name in table.primary_key]
    return RowInQuestion(
        table=table.name,
        key=keys[0] if len(keys) == 1 else keys,
        cells={
            name: _cut(row[name]) for name in dict.fromkeys([*named, *columns]) if row.get(name) is not None
        },
    )


def in_words(name: str) -> str:
    """A table, column, state or tool as people read it."""
    return name.replace("_", " ")[:_LONGEST_WORDS]


def question_id(kind: QuestionKind, place: str) -> str:
    """The id of a question about a place; a long place is named by its digest."""
    return f"{kind}:{place if len(place) <= _LONGEST_PLACE else digest(place.encode())[:16]}"


def listed(words: list[str]) -> str:
    """A few things in one phrase: "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _refusals(code: str) -> Iterator[str]:
    for line in code.splitlines():
        if match := _REFUSAL.search(line):
            yield match["text"]


def _cut(value: JsonValue) -> JsonValue:
    return value[:_LONGEST_CELL] if isinstance(value, str) else value
