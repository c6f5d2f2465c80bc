"""Unknown names: names and codes of an answer that its task and its world's own rows do not have."""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.reading.document import ParsedText, Phrase
from synthesis.reading.effects import Effects
from synthesis.reading.lexicon import STOP_WORDS
from synthesis.reading.words import atoms

_LEAST_DIGITS = 3
_LONGEST_KIND = 4


def unknown_names(document: ParsedText, effects: Effects) -> Iterator[tuple[tuple[str, ...], int]]:
    """Names and codes that nothing of the task has, with where they stand."""
    words = frozenset(word for phrase in effects.own for word in phrase)
    for phrase, first, _ in document.phrases(effects.names):
        is_code = any(sign.isdigit() for word in phrase for sign in word)
        if phrase in effects.own or phrase[-1] in effects.own_keys or words.issuperset(phrase):
            continue
        if is_code or (document.tokens[first].capital and not _begins(document, first, phrase)):
            yield phrase, first
    yield from _unknown_numbers(document, effects)
    for at, token in enumerate(document.tokens):
        if token.kind == "code":
            code = atoms(token.text)
            if _is_code(code) and code not in effects.own and code[1] not in effects.own_keys:
                yield code, at


def _unknown_numbers(document: ParsedText, effects: Effects) -> Iterator[tuple[Phrase, int]]:
    """Names that begin as those of rows do and end in a number which none of them has."""
    if not effects.numbered:
        return
    words = document.atoms
    for place, (word, begin, _) in enumerate(words):
        if (
            word.isalpha()
            or (place and words[place - 1][0] in STOP_WORDS)
            or not any(sign.isdigit() for sign in word)
        ):
            continue
        for size in (1, 2, 3):
            name = tuple(each for each, _, _ in words[max(0, place - size) : place + 1])
            is_known = name in effects.names.get((name[0], name[1] if len(name) > 1 else ""), ())
            is_written = (
                document.tokens[document.token_at(words[place - size][1])].capital if place >= size else False
            )
            if len(name) == size + 1 and name[:-1] in effects.numbered and is_written and not is_known:
                yield name, document.token_at(begin)


def _is_code(code: tuple[str, ...]) -> bool:
    """Whether a code looks as those of rows do: some letters and a number."""
    return (
        len(code) == 2
        and code[0].isalpha()
        and len(code[0]) <= _LONGEST_KIND
        and code[1].isdigit()
        and len(code[1]) >= _LEAST_DIGITS
    )


def _begins(document: ParsedText, at: int, phrase: tuple[str, ...]) -> bool:
    """Whether a single word has its capital letter from the beginning of its sentence."""
    number = document.chunk_of[at]
    first = document.sentences[document.chunks[number].sentence].first if number >= 0 else at
    is_first = at <= first or document.tokens[at - 1].kind != "word"
    return len(phrase) == 1 and is_first
