"""Questions about tools: columns for internal use that they show, and promises that no code speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from synthesis.documents.question import Question
from synthesis.documents.schema import Table
from synthesis.documents.tools import Tool
from synthesis.matching import terms
from synthesis.verification.questions.questioned import (
    MOST_ROWS,
    QuestionedEnvironment,
    in_words,
    listed,
    question_id,
    row_in_question,
)

_SECRET = re.compile(
    r"(?:^|_)(?:internal|private|secret|confidential|password|passcode|pin|token|ssn|iban)(?:_|$)"
)
_GUARDED = re.compile(
    r"(?:^|_)(?:notes?|remarks?|memo|comments?|margin|markup|salary|wage|risk|rating|diagnosis|"
    r"blacklist(?:ed)?|suspicion|assessment|purchase_price|cost_price)(?:_|$)"
)
_PROMISE = re.compile(
    r"\b(?:always|never|must|cannot|can't|automatically|by itself|at once|immediately|guarantee[sd]?|"
    r"ensures?|notif(?:y|ies)|sends?|informs?|tells?|warns?)\b"
    r"|\band (?:e-?mails?|refunds?|charges?|logs?|frees?|releases?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n{2,}")
_KEPT = 0.5
"""Share of a promise's words that the tool's code must speak of."""


def internal_columns_shown(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """Columns that look meant for internal use and are in the answers of tools."""
    for table in questioned.environment.schema.tables:
        for column in table.columns:
            secret = bool(_SECRET.search(column.name.lower()))
            if not secret and not _GUARDED.search(column.name.lower()):
                continue
            tools = [
                tool.name
                for tool in questioned.environment.tools.tools
                if _shows(questioned, tool, table, column.name)
            ]
            if tools:
                yield _about_column(questioned, table, column.name, tools, 0.95 if secret else 0.65)


def _about_column(
    questioned: QuestionedEnvironment, table: Table, column: str, tools: list[str], doubt: float
) -> Question:
    rows = [row for row in questioned.rows(table.name) if row.get(column) not in (None, "")]
    names = listed([f"“{in_words(name)}”" for name in tools[:3]])
    return Question(
        id=question_id("internal_column", f"{table.name}.{column}"),
        kind="internal_column",
        text=f"{names} {'shows' if len(tools) == 1 else 'show'} the {in_words(column)} of "
        f"{in_words(table.name)}. May everybody for whom the agent works see that?",
        because=f"The name {in_words(column)} suggests that it is for internal use.",
        part="tools",
        where=tools[0],
        rows=tuple(row_in_question(table, row, column) for row in rows[:MOST_ROWS]),
        doubt=doubt,
    )


def unseen_promises(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """Sentences of a description that promise something of which the tool's code does not speak."""
    for tool in questioned.environment.tools.tools:
        known = questioned.code_terms[tool.name]
        doubtful = [
            (1 - _share(sentence, known), sentence)
            for sentence in _SENTENCE.split(tool.description.strip())
            if _PROMISE.search(sentence) and _share(sentence, known) < _KEPT
        ]
        if doubtful:
            missing, sentence = max(doubtful)
            words = " ".join(sentence.split())[:300].rstrip(".")
            yield Question(
                id=question_id("promise", tool.name),
                kind="promise",
                text=f"The description of “{in_words(tool.name)}” says: “{words}.” Is that what it does?",
                because="The code of the tool speaks of few of these words; try a call of it.",
                part="tools",
                where=tool.name,
                doubt=round(0.4 + 0.5 * missing, 3),
            )


def _shows(questioned: QuestionedEnvironment, tool: Tool, table: Table, column: str) -> bool:
    """Whether an answer of the tool held the column; where none was seen, whether its code reads it."""
    code = questioned.code[tool.name]
    reads = re.search(rf"\b(?:from|join)\s+[\"`]?{re.escape(table.name)}\b", code, re.IGNORECASE) is not None
    if tool.name in questioned.shown:
        # One name may be a column of several tables.
        return column in questioned.shown[tool.name] and (reads or table.name in code)
    return reads and (
        column in code or re.search(r"\bselect\s+(?:\w+\.)?\*", code, re.IGNORECASE) is not None
    )


def _share(sentence: str, known: frozenset[str]) -> float:
    words = set(terms(sentence))
    return len(words & known) / len(words) if words else 1.0
