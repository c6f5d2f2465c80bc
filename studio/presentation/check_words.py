"""What must be true afterwards, in the words of the trade: rows by their names, and nothing said twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from studio.presentation.plain_language import PlainLanguage

ANSWER = "the answer says"
UNTRUE = "nothing untrue of what was done"


def check_words(plain: PlainLanguage, names: Iterable[str]) -> Iterator[str]:
    """Each check as a sentence, in order; "" for one that says what an earlier one did."""
    earlier: set[str] = set()
    for name in names:
        words = _rows_named(plain, _sentence(name))
        same = re.sub(r"[^a-z0-9]+", " ", words.lower().replace(": the ", ": "))
        yield "" if same in earlier else words[:1].upper() + words[1:]
        earlier.add(same)


def _sentence(name: str) -> str:
    if not name.lower().startswith(ANSWER):
        return name
    fact = name[len(ANSWER) :]
    if fact.lstrip(": ") == UNTRUE:
        return f"{ANSWER} nothing untrue about what was done"
    return f"{ANSWER}: {fact.lstrip(': ') if fact.startswith(':') else fact.strip().removeprefix('the ')}"


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
