"""Seeds: names or sentences from which scenarios are expanded, read from text, JSON lines or CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import InvalidInput

MAX_SEEDS = 100_000
"""Distinct seeds of one file; more is a mistake rather than a wish."""

MOST_REMARKS = 20

COLUMNS = ("sentence", "scenario", "description", "name", "title", "seed")
"""Where a JSON object or a CSV row holds the seed; the first of them that is there."""


@dataclass(frozen=True)
class Seeds:
    """What a file holds.

    Attributes:
        texts: The seeds, each once, in the order of the file.
        duplicates: Lines that said the same as an earlier one.
        blanks: Lines without a seed.
        remarks: What was left out and why, by line, as sentences; at most `MOST_REMARKS`.
    """

    texts: tuple[str, ...]
    duplicates: int = 0
    blanks: int = 0
    remarks: tuple[str, ...] = ()


def read_seeds(path: Path) -> Seeds:
    """The seeds in a file: .jsonl (strings or objects), .csv (with a header), anything else one per line.

    Raises:
        InvalidInput: The file is missing, is not UTF-8, a line cannot be read, a seed is too long, there are
            too many or none; the text names the line.
    """
    try:
        with path.open("rb") as file:
            return parse_seeds(file, path.name)
    except OSError as error:
        raise InvalidInput(f"The seeds file {path.name} cannot be opened: {error.strerror}.") from None


def parse_seeds(file: Iterable[bytes], name: str, *, most: int | None = None) -> Seeds:
    """The seeds in the lines of a file, by the ending of its name.

    Args:
        file: Its lines as bytes.
        name: Its name, for what is said about it.
        most: Distinct seeds that are taken; `MAX_SEEDS` when None.

    Raises:
        InvalidInput: As for `read_seeds`.
    """
    texts = _texts(Path(name).suffix.lower(), _lines(file, name), name)
    return _distinct(texts, name, "line", MAX_SEEDS if most is None else most)


def seeds_in(texts: Iterable[str], name: str = "the list") -> Seeds:
    """The distinct seeds among some texts; case and white space do not tell two apart.

    Raises:
        InvalidInput: A seed is too long, there are too many or none.
    """
    return _distinct(enumerate(texts, start=1), name, "entry", MAX_SEEDS)


def _distinct(texts: Iterable[tuple[int, str]], name: str, word: str, most: int) -> Seeds:
    """Every text once; each comes with the number it is known by."""
    results: dict[str, tuple[int, str]] = {}
    remarks: list[str] = []
    duplicates = blanks = 0
    for number, text in texts:
        plain = " ".join(text.split())
        if not plain:
            blanks += 1
            remarks += [f"{word} {number} is blank"] if len(remarks) < MOST_REMARKS else []
            continue
        if len(plain) > MAX_SENTENCE:
            raise InvalidInput(
                f"{name}, {word} {number}: {len(plain):,} characters; at most {MAX_SENTENCE:,} are allowed."
            )
        if (same := results.get(plain.casefold())) is not None:
            duplicates += 1
            remarks += (
                [f"{word} {number} is the same as {word} {same[0]}"] if len(remarks) < MOST_REMARKS else []
            )
            continue
        if len(results) >= most:
            raise InvalidInput(f"{name}, {word} {number}: more than {most:,} different seeds. Split it.")
        results[plain.casefold()] = (number, plain)
    if not results:
        raise InvalidInput(f"{name} contains no seed. Give one name or sentence per line.")
    return Seeds(tuple(plain for _, plain in results.values()), duplicates, blanks, tuple(remarks))


def _lines(file: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InvalidInput(
                f"{name}, line {number}: byte {error.start + 1} is not UTF-8. Save the file as UTF-8."
            ) from None


def _texts(suffix: str, lines: Iterator[str], name: str) -> Iterator[tuple[int, str]]:
    """Every line's text with the line's number."""
    if suffix in (".jsonl", ".ndjson"):
        return ((number, _from_json(line, number, name)) for number, line in enumerate(lines, start=1))
    if suffix == ".csv":
        return _from_csv(lines, name)
    return enumerate(lines, start=1)


def _from_json(line: str, number: int, name: str) -> str:
    if not line.strip():
        return ""
    try:
        value = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{name}, line {number}: no JSON ({error}).") from None
    if isinstance(value, dict):
        value = next((value[column] for column in COLUMNS if column in value), None)
    if not isinstance(value, str):
        raise InvalidInput(
            f"{name}, line {number}: neither a text nor an object with one of {', '.join(COLUMNS)}."
        )
    return value


def _from_csv(lines: Iterator[str], name: str) -> Iterator[tuple[int, str]]:
    # A quoted field may go over several lines; their ends were cut off.
    rows = csv.DictReader(f"{line}\n" for line in lines)
    columns = {(column or "").strip().lower(): column for column in rows.fieldnames or ()}
    column = next((columns[known] for known in COLUMNS if known in columns), None)
    if column is None:
        raise InvalidInput(f"{name}: the header has none of the columns {', '.join(COLUMNS)}.")
    try:
        for row in rows:
            yield rows.line_num, row.get(column) or ""
    except csv.Error as error:
        raise InvalidInput(f"{name}, line {rows.line_num}: no CSV ({error}).") from None
