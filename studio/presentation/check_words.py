"""What must be true afterwards, in the words of the trade: rows by their names, and nothing said twice."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from studio.presentation.plain_language import PlainLanguage
from synthesis.documents.verdict import Scored, Unscored

ANSWER = "the answer says"
UNTRUE = "nothing untrue of what was done"


def check_words(plain: PlainLanguage, names: Iterable[str], *, denied: Collection[str] = ()) -> Iterator[str]:
    """Each check as a sentence, in order; "" for one that says what an earlier one did.

    Args:
        plain: The environment's words.
        names: The checks' own names.
        denied: Facts of which a right answer says that they are not so.
    """
    earlier: set[str] = set()
    for name in names:
        words = plain.without_code(_rows_named(plain, _sentence(name, denied)))
        same = re.sub(r"[^a-z0-9]+", " ", words.lower().replace(": the ", ": "))
        yield "" if same in earlier else words[:1].upper() + words[1:]
        earlier.add(same)


def outcome_words(
    plain: PlainLanguage, verdicts: Iterable[Scored | Unscored], *, denied: Collection[str] = ()
) -> dict[str, str]:
    """The names of all checks that verdicts rest on, as sentences."""
    checked = {
        outcome.name for verdict in verdicts if isinstance(verdict, Scored) for outcome in verdict.outcomes
    }
    return {name: next(check_words(plain, [name], denied=denied)) for name in checked}


def _sentence(name: str, denied: Collection[str]) -> str:
    if not name.lower().startswith(ANSWER):
        return re.sub(r"(?<=\w) cents\b", "", name) if name.endswith(" as asked") else name
    fact = name[len(ANSWER) :]
    if fact.lstrip(": ") == UNTRUE:
        return f"{ANSWER} nothing untrue about what was done"
    fact = fact.lstrip(": ") if fact.startswith(":") else fact.strip().removeprefix("the ")
    return f"{ANSWER} that this is not so: {fact}" if fact in denied else f"{ANSWER}: {fact}"


def _rows_named(plain: PlainLanguage, text: str) -> str:
    """The text with rows by their names: "visit 17" reads "visit V-17, Clara Ash"."""
    kinds = {plain.one_of(table).lower(): table for table in plain.dictionary.tables}
    if not kinds:
        return text
    row = re.compile(
        rf"\b({'|'.join(sorted(map(re.escape, kinds), key=len, reverse=True))}) (\d+)\b", re.IGNORECASE
    )

    def named(match: re.Match[str]) -> str:
        table = kinds[match[1].lower()]
        key = plain.primary_key(table)
        name = plain.name_of(table, key[0], int(match[2])) if len(key) == 1 else ""
        return f"{match[1]} {name}" if name else match[0]

    return row.sub(named, text)
