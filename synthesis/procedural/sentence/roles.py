"""Roles: words that were read in a role that their form rules out, whatever represents them.

A word that occurs in the world may still be misread: of "lets members reserve beds" neither "members" nor
"reserve" describes a bed. The form of words tells such readings without a second parse.
"""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.procedural.sentence.clauses import OBJECT, Parse
from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, kinds_of
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.tokens import NUMBERS, RELATIVE, SentenceToken
from synthesis.procedural.sentence.word_lists import word_list

_PLURAL_MODIFIERS = frozenset(word_list("plural_modifiers"))
_OF_CLAUSES = RELATIVE | {"whose", "whom"}
_INTRANSITIVE = frozenset(("billing", "disruption", "case"))
"""Patterns of which some verbs are done to nothing: "pays", "closes", "appeals"."""


def misplaced(parse: Parse) -> tuple[str, ...]:
    """Words of a sentence whose role in the parse contradicts their form, each once."""
    return tuple(dict.fromkeys(token.word for token in _misplaced(parse)))


def role_share(parse: Parse) -> float:
    """Share of the content words that were read in a role their form allows, from 0 to 1."""
    words = {token.word for token in parse.content}
    return 1 - len(words & set(misplaced(parse))) / len(words) if words else 0.0


def _misplaced(parse: Parse) -> Iterator[SentenceToken]:
    for clause in parse.clauses:
        for role, phrases in clause.roles.items():
            for phrase in phrases:
                yield from _in_phrase(phrase)
                if role in _OF_CLAUSES:  # the subject of a clause that was not read
                    yield from phrase.tokens[-1:]
        is_done = clause.pattern != NEUTRAL and clause.pattern not in _INTRANSITIVE
        if is_done and clause.agent is None and not clause.roles.get(OBJECT) and not clause.states:
            yield from clause.tokens[:1]
    for phrase in [*parse.extras, *(clause.agent for clause in parse.clauses if clause.agent is not None)]:
        yield from _in_phrase(phrase)


def _in_phrase(phrase: NounPhrase) -> Iterator[SentenceToken]:
    """Plurals before another noun, which are subjects, and heads that no dictionary has as nouns."""
    for token in phrase.tokens[:-1]:
        one = singular(token.word)
        of_time = kinds_of(one)[:1] == ("time",)  # "four weeks' notice"
        if one != token.word and not of_time and one not in _PLURAL_MODIFIERS and one not in NUMBERS:
            yield token
    for token in phrase.tokens[-1:]:
        parts = lemmas(token.word)
        if parts and not {"NOUN", "PROPN"} & set(parts) and token.verb:
            yield token
