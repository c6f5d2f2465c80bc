"""Questions about the policy: rules nothing uses, numbers found nowhere, rows beyond a bound, gaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from synthesis.documents.question import Question, RowInQuestion
from synthesis.documents.schema import Table
from synthesis.matching import terms
from synthesis.verification.questions.questioned import (
    MOST_ROWS,
    PolicyRule,
    QuestionedEnvironment,
    in_words,
    listed,
    question_id,
    row_in_question,
)

_USED = 0.3
"""Share of a rule's words in those of one task, or of one tool's refusals, from which it counts as used."""
_NAMED = 0.6
"""Share of the words of a reason to decline in those of a rule from which it rests on the rule."""
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.(\d{1,2}))?(?![\w]|\.\d)")
_REFERENCE = re.compile(
    r"\b(?:rules?|sections?|steps?|points?)\s+\d+(?:\s*(?:,|and|or|to)\s*\d+)*", re.IGNORECASE
)
_MOST = re.compile(
    r"\b(?:at most|(?:no|not|gets) more than|up to|maximum(?: of)?)\s+(\d{1,15})\b(?!\.\d)", re.IGNORECASE
)
_LEAST = re.compile(
    r"\b(?:at least|no fewer than|no less than|minimum(?: of)?)\s+(\d{1,15})\b(?!\.\d)", re.IGNORECASE
)
_STATE_COLUMNS = re.compile(r"(?:^|_)(?:status|state|stage|phase|standing)$")
_FEWEST_TERMS = 2
_USUAL = 0.5
"""Share of rows above which a state is the usual one, of which rules need not speak."""


def untried_rules(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """Rules whose words no tool uses to refuse and no task uses at all."""
    for rule in questioned.rules:
        if (use := _use(questioned, rule)) is not None:
            yield Question(
                id=question_id("untried_rule", str(rule.number)),
                kind="untried_rule",
                text=f"The rules say: “{rule.quote}” Is that how it is done in practice?",
                because="No tool refuses what goes against this rule and no task comes near it, so nothing "
                "here shows whether it is right.",
                part="policy",
                where=_place(rule),
                doubt=round(0.7 - use / 2, 3),
            )


def numbers_found_nowhere(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """Numbers that occur in no row, no tool and no column's definition, in rules that are used."""
    for rule in questioned.rules:
        lost = [text for text, forms in _numbers(rule.text) if not forms & questioned.numbers][:4]
        if lost and _use(questioned, rule) is None:
            ask = f"Are {listed(lost)} the right numbers?" if lost[1:] else f"Is {lost[0]} the right number?"
            yield Question(
                id=question_id("number", str(rule.number)),
                kind="number",
                text=f"The rules say: “{rule.quote}” {ask}",
                because=f"{listed(lost)} {'occur' if lost[1:] else 'occurs'} in no row and in no tool, so "
                "nothing can contradict a slip.",
                part="policy",
                where=_place(rule),
                doubt=0.5,
            )


def rows_beyond_bounds(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """Rows with a value beyond a bound that a rule gives for the column."""
    for rule in questioned.rules:
        words = set(terms(rule.text))
        for pattern, most in ((_MOST, True), (_LEAST, False)):
            for bound in map(int, pattern.findall(rule.text)):
                for table in questioned.environment.schema.tables:
                    yield from _beyond(questioned, rule, words, table, bound, most=most)


def _beyond(
    questioned: QuestionedEnvironment,
    rule: PolicyRule,
    words: set[str],
    table: Table,
    bound: int,
    *,
    most: bool,
) -> Iterator[Question]:
    """A column that the rule names, or that its table's name and its own together are in the rule."""
    for column in table.columns:
        named = set(terms(in_words(column.name)))
        if column.primary_key or column.name.endswith("_id") or not named or not named <= words:
            continue
        rows = [
            row
            for row in questioned.rows(table.name)
            if type(row.get(column.name)) is int
            and (row[column.name] > bound if most else row[column.name] < bound)
        ]
        if rows:
            yield Question(
                id=question_id("rule_and_row", f"{rule.number}:{table.name}.{column.name}"),
                kind="rule_and_row",
                text=f"The rules say: “{rule.quote}” In {in_words(table.name)}, "
                f"{in_words(column.name)} is {rows[0][column.name]} in "
                f"{_count(len(rows), 'row')}. Does that agree?",
                because=f"The rule bounds it by {bound}; code cannot tell whether it means this column.",
                part="seed_data",
                where=table.name,
                rows=_shown(table, rows, column.name),
                doubt=0.9,
            )


def states_without_rule(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """States that rows are in and of which neither a rule nor a tool's refusal speaks."""
    if not questioned.rules:
        return
    refused = frozenset().union(*questioned.refusal_terms.values())
    for table in questioned.environment.schema.tables:
        for column, states in questioned.states(table):
            if not _STATE_COLUMNS.search(column):
                continue
            counted = Counter(str(row.get(column)) for row in questioned.rows(table.name))
            silent = [
                state
                for state in states
                if 0 < counted[state] <= _USUAL * counted.total()
                and not _spoken(state, questioned.policy_terms | refused)
            ]
            rows = [row for row in questioned.rows(table.name) if row.get(column) in silent]
            if not rows:
                continue
            names = listed([f"“{in_words(state)}”" for state in silent[:4]])
            yield Question(
                id=question_id("states_without_rule", f"{table.name}.{column}"),
                kind="states_without_rule",
                text=f"There are {in_words(table.name)} whose {in_words(column)} is {names}. Is it right "
                "that no rule says what may be done with them?",
                because=f"Neither the rules nor any tool's refusal speak of {names}; "
                f"{_count(len(rows), 'row')} of {in_words(table.name)} {'is' if len(rows) == 1 else 'are'} "
                "in such a state.",
                part="policy",
                where=table.name,
                rows=_shown(table, rows, column),
                doubt=round(0.65 - 0.3 * len(rows) / counted.total(), 3),
            )


def changes_without_rule(questioned: QuestionedEnvironment) -> Iterator[Question]:
    """Tables that tools change and that no rule names."""
    for table in questioned.environment.schema.tables:
        if set(terms(in_words(table.name))) & questioned.policy_terms:
            continue
        tools = [
            tool.name
            for tool in questioned.environment.tools.tools
            if tool.mutates_state and _writes(questioned.code[tool.name], table.name)
        ]
        if not tools:
            continue
        names = listed([f"“{in_words(name)}”" for name in tools[:3]])
        yield Question(
            id=question_id("missing_rule", table.name),
            kind="missing_rule",
            text=f"{names} {'changes' if len(tools) == 1 else 'change'} {in_words(table.name)}. "
            "Is it right that no rule limits who may have this done, and when?",
            because=f"No rule names {in_words(table.name)}."
            if questioned.rules
            else "The environment has no policy.",
            part="policy",
            where=table.name,
            rows=_shown(table, list(questioned.rows(table.name)), *_telling(table)),
            doubt=0.45,
        )


def _use(questioned: QuestionedEnvironment, rule: PolicyRule) -> float | None:
    """How near tools' refusals and tasks come to a rule, in [0, 1]; None for one that they use."""
    words = set(terms(rule.text))
    if len(words) < _FEWEST_TERMS:
        return None
    if any(len(reason & words) >= _NAMED * len(reason) for reason in questioned.reason_terms):
        return None
    enforced = _best_share(words, questioned.refusal_terms.values())
    used = _best_share(words, questioned.task_terms.values())
    return enforced + used if max(enforced, used) < _USED else None


def _numbers(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Numbers of a rule with the ways in which rows and code may write them; small ones say nothing."""
    for match in _NUMBER.finditer(_REFERENCE.sub(" ", text)):
        whole, part = match[1].replace(",", ""), match[2]
        if part is not None:
            cents = int(whole) * 100 + int(part.ljust(2, "0"))
            forms = {match[0], f"{whole}.{part}", str(cents), *([whole] if not int(part) else [])}
            yield match[0], frozenset(forms)
        elif int(whole) > 1:
            yield match[0], frozenset({whole, str(int(whole) * 100)})


def _best_share(words: set[str], others: Collection[frozenset[str]]) -> float:
    return max((len(words & other) / len(words) for other in others), default=0.0)


def _spoken(state: str, known: frozenset[str]) -> bool:
    return set(terms(in_words(state))) <= known


def _writes(code: str, table: str) -> bool:
    name = re.escape(table)
    return bool(
        re.search(
            rf"\b(?:insert\s+(?:or\s+\w+\s+)?into|update|delete\s+from)\s+[\"`]?{name}\b"
            rf"|\.insert\(\s*['\"]{name}['\"]",
            code,
            re.IGNORECASE,
        )
    )


def _telling(table: Table) -> list[str]:
    """The first columns that are neither keys nor references."""
    keys = {name for key in table.foreign_keys for name in key.columns}
    return [c.name for c in table.columns if not c.primary_key and c.name not in keys][:3]


def _shown(table: Table, rows: list[dict[str, object]], *columns: str) -> tuple[RowInQuestion, ...]:
    return tuple(row_in_question(table, row, *columns) for row in rows[:MOST_ROWS])


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _place(rule: PolicyRule) -> str:
    return f"rule {rule.number}"
