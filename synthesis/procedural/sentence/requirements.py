"""Requirements: what somebody must have or be before something is done for them, "who have been referred"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from synthesis.procedural.sentence.inflection import participle, singular
from synthesis.procedural.sentence.lexicon import kinds_of, verbs
from synthesis.procedural.sentence.limits import Proof, StatedLimit, number_of
from synthesis.procedural.sentence.modifiers import is_past
from synthesis.procedural.sentence.rule_clauses import rule_clauses
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    SUBORDINATORS,
    SentenceToken,
)

_HAVING = frozenset(("have", "has", "had"))
_BEING = frozenset(("is", "are", "was", "were"))
_WERE = frozenset(("was", "were"))
_HOLDING = frozenset(("have", "hold", "own", "possess"))
_PROVING = frozenset(
    (
        *("show", "sign", "pass", "complete", "provide", "register", "attend", "take", "undergo", "join"),
        *("enrol", "apply", "submit", "present", "do", "produce", "finish"),
    )
)
"""Verbs of what people do once, and from then on have done: "must sign an agreement"."""
_NEEDING = frozenset(("need", "needs", "require", "requires"))
_BY_DUTY = (("must",), ("have", "to"), ("has", "to"), ("need", "to"), ("needs", "to"))
_GIVING = frozenset(
    (
        "loan",
        "rental",
        "hire",
        "supply",
        "sale",
        "letting",
        "stay",
        "booking",
        "hours",
        "storage",
        "enrolment",
    )
)
"""Patterns of what is done for those who are named behind "to" or "for"."""
_RECIPIENT = frozenset(("to", "for"))
_PROVIDED = (("provided", "that"), ("provided",), ("providing",), ("only", "if"), ("only", "when"))
_AFTER = (("only", "after"), ("only", "with"))
_THEY = frozenset(("they", "he", "she", "it"))
_GOING_ON = frozenset(("of", "by"))
"""Prepositions that go on with what is required: "proof of address", "referred by a doctor"."""
_OFTEN = frozenset(("once", "twice", "every", "each", "again"))
_COUNTING = _OFTEN | frozenset(("no", "not", "never", "any"))
_CLOSING = CONJUNCTIONS | MODALS | RELATIVE | SUBORDINATORS | frozenset(("first", "beforehand", "before"))
_MOST_WORDS, _MOST_OF_NOUN, _FAR = 6, 3, 14
_MOST_OF_COLUMN = 3


def requirements_of(tokens: Sequence[SentenceToken]) -> Iterator[StatedLimit]:
    """The requirements that a text states, in order, as limits of the kind `proof`.

    Args:
        tokens: The text. What describes people for whom nothing is given is none: "treats people who have
            broken bones".
    """
    ruled = {at for clause in rule_clauses(tokens) for at in clause}
    covered = -1
    for place in range(1, len(tokens)):
        if place <= covered:
            continue
        proof = (
            _relative(tokens, place)
            or _having(tokens, place)
            or _demanded(tokens, place, ruled)
            or _provided(tokens, place)
        )
        if proof is None:
            continue
        covered = tokens.index(proof.tokens[-1])
        if not (covered + 1 < len(tokens) and tokens[covered + 1].word in _OFTEN):  # "certified once a year"
            yield proof


def relative_requirements(tokens: Sequence[SentenceToken]) -> list[SentenceToken]:
    """The words that only say of people when they may have something: "who hold a licence"."""
    proofs = (_relative(tokens, place) or _having(tokens, place) for place in range(1, len(tokens)))
    return [token for proof in proofs if proof is not None for token in proof.tokens]


def _relative(tokens: Sequence[SentenceToken], place: int) -> StatedLimit | None:
    """ "to families who have been referred": None where nothing is given to those, or who may is not said."""
    if tokens[place].word not in RELATIVE or place + 2 >= len(tokens):
        return None
    first = _start_of_noun(tokens, place)
    noun = _noun(tokens[first:place])
    people = tokens[place].word == "who" or kinds_of(noun)[:1] == ("party",)
    if not noun or not people:
        return None
    predicate = _predicate(tokens, place + 1)
    if predicate is None:
        return None
    proof, end = predicate
    if not (_is_given(tokens, first) or (end < len(tokens) and tokens[end].word in MODALS)):
        return None
    return _limit(tokens, first, place, end, noun, proof)


def _having(tokens: Sequence[SentenceToken], place: int) -> StatedLimit | None:
    """ "only to members with a certificate", "nobody without a licence": None of anything else."""
    if tokens[place].word not in ("with", "without"):
        return None
    first = _start_of_noun(tokens, place)
    noun = _noun(tokens[first:place])
    before = [token.word for token in tokens[max(0, first - 2) : first]]
    nobody = tokens[place - 1].word in ("nobody", "no-one")
    denied = nobody or before[-1:] == ["no"] or any(word.endswith(("n't", "not")) for word in before)
    asked = denied if tokens[place].word == "without" else "only" in before
    if not asked or not (noun or nobody):
        return None
    end = _end(tokens, place + 1)
    proof = _had(tokens[place + 1 : end])
    if proof is None:
        return None
    return _limit(tokens, place if nobody else first, place, end, "" if nobody else noun, proof)


def _demanded(tokens: Sequence[SentenceToken], place: int, ruled: set[int]) -> StatedLimit | None:
    """ "dogs must be vaccinated", "hirers need a licence": None outside of clauses that only state rules."""
    if place not in ruled:
        return None
    words = tuple(token.word for token in tokens[place : place + 2])
    duty = next((each for each in _BY_DUTY if words[: len(each)] == each), ())
    first = _start_of_noun(tokens, place)
    noun = _noun(tokens[first:place])
    if not noun or not (duty or words[0] in _NEEDING):
        return None
    if not duty:
        end = _end(tokens, place + 1)
        proof = _had(tokens[place + 1 : end])
        return _limit(tokens, first, first, end, noun, proof) if proof is not None else None
    predicate = _duty(tokens, place + len(duty))
    return _limit(tokens, first, first, predicate[1], noun, predicate[0]) if predicate is not None else None


def _provided(tokens: Sequence[SentenceToken], place: int) -> StatedLimit | None:
    """ "provided they have passed a course", "only after an induction": None where no such words begin."""
    words = tuple(token.word for token in tokens[place : place + 2])
    after = next((each for each in _AFTER if words[: len(each)] == each), ())
    if after:
        end = _end(tokens, place + len(after))
        proof = _had(tokens[place + len(after) : end], perfect=after[1] == "after")
        return _limit(tokens, place, place, end, "", proof) if proof is not None else None
    begins = next((each for each in _PROVIDED if words[: len(each)] == each), ())
    subject = place + len(begins)
    if not begins or subject >= len(tokens):
        return None
    verb = subject
    while (
        verb < len(tokens) and verb - subject <= _MOST_OF_NOUN and tokens[verb].word not in _HAVING | _BEING
    ):
        verb += 1
    noun = "" if tokens[subject].word in _THEY else _noun(tokens[subject:verb])
    predicate = _predicate(tokens, verb) if verb < len(tokens) else None
    if predicate is None or (not noun and tokens[subject].word not in _THEY):
        return None
    return _limit(tokens, place, place, predicate[1], noun, predicate[0])


def _predicate(tokens: Sequence[SentenceToken], place: int) -> tuple[Proof, int] | None:
    """What is required by a verb group at a place, and where its words end; None where nothing is."""
    word = tokens[place].word
    if word in _HAVING or tokens[place].verb in _HOLDING:
        end = _end(tokens, place + 1)
        behind = tokens[place + 1 : end]
        perfect = word in _HAVING and bool(behind) and _is_done(behind)
        proof = _done(behind) if perfect else _had(behind)
        return (proof, end) if proof is not None else None
    if word in _BEING:
        end = _end(tokens, place + 1)
        behind = tokens[place + 1 : end]
        proof = _been(behind)
        if proof is not None and word in _WERE:  # "who were referred" have been
            proof = _proof("has", ["been", *(token.word for token in behind)], behind)
        return (proof, end) if proof is not None else None
    return None


def _duty(tokens: Sequence[SentenceToken], place: int) -> tuple[Proof, int] | None:
    """What is required by what must be so, "be vaccinated", "have passed a test", "sign an agreement"."""
    if place >= len(tokens):
        return None
    end = _end(tokens, place + 1)
    behind = tokens[place + 1 : end]
    if tokens[place].word == "be":
        proof = _been(behind)
    elif tokens[place].word == "have":
        proof = _done(behind) if behind and _is_done(behind) else _had(behind)
    elif tokens[place].verb in _PROVING and behind:
        proof = _proof("has", [participle(tokens[place].verb), *(token.word for token in behind)], behind)
    else:
        proof = None
    return (proof, end) if proof is not None else None


def _is_done(words: Sequence[SentenceToken]) -> bool:
    return words[0].word in ("been", "had") or (is_past(words[0]) and words[0].word not in DETERMINERS)


def _done(words: Sequence[SentenceToken]) -> Proof | None:
    """ "been referred", "passed a test"."""
    rest = words[1:]
    if not rest and (words[0].word in ("been", "had") or not words[0].is_participle):
        return None
    if words[0].word == "been" and not (rest and is_past(rest[0])):
        return None
    return _proof("has", [token.word for token in words], words)


def _been(words: Sequence[SentenceToken]) -> Proof | None:
    """ "vaccinated", "registered with a doctor"."""
    past = list(takewhile(lambda token: token.word in ADVERBS, words))
    behind = words[len(past) :]
    if not behind or not behind[0].is_participle or behind[0].word == "been":
        return None
    return _proof("is", [token.word for token in words], words)


def _had(words: Sequence[SentenceToken], *, perfect: bool = False) -> Proof | None:
    """ "a licence": something that one has; a plural is none, nor is what is only described."""
    named = [token for token in words if token.is_content]
    single = bool(words) and words[0].word in ("a", "an", "their", "his", "her", "its") and bool(named)
    mass = bool(words) and words[0] is named[0] if named else False
    if not named or not (single or mass) or named[-1].is_gerund:
        return None
    texts = [token.word for token in words]
    return _proof("has", ["had", *texts], words) if perfect else _proof("having", texts, words)


def _proof(kind: str, texts: list[str], words: Sequence[SentenceToken]) -> Proof | None:
    """A requirement in words; None where it counts something, or denies."""
    counted = any(number_of(token) or token.is_number or token.is_price for token in words)
    if counted or not _COUNTING.isdisjoint(texts):
        return None
    phrase = " ".join(texts)
    if kind == "having":
        bare = " ".join(texts[1:] if texts[0] in DETERMINERS else texts)
        return Proof(f"has {phrase}", f"has no {bare}", f"have {phrase}", _column(["has", *texts]))
    if kind == "is":
        return Proof(f"is {phrase}", f"is not {phrase}", f"are {phrase}", _column(texts))
    return Proof(f"has {phrase}", f"has not {phrase}", f"have {phrase}", _column(texts))


def _column(texts: Sequence[str]) -> str:
    """The name of the column that keeps it: "passed_capsize_test"."""
    words: list[str] = []
    for text in texts:
        if text in PREPOSITIONS - {"of"} and words:
            break
        if text not in DETERMINERS | PRONOUNS | ADVERBS | {"been", "their"}:
            words.append(text.replace("-", "_").replace("'", ""))
    shown = words[: _MOST_OF_COLUMN + words.count("of")]
    return "_".join(shown if shown[-1:] != ["of"] else shown[:-1])


def _end(tokens: Sequence[SentenceToken], place: int) -> int:
    """Where the words of a requirement end that begin at a place."""
    end = place
    while end < len(tokens) and end - place < _MOST_WORDS:
        word = tokens[end].word
        further = word in PREPOSITIONS and word not in _GOING_ON and end > place
        if (
            not tokens[end].is_word
            or word in _CLOSING
            or word in PRONOUNS - {"their", "his", "her"}
            or further
        ):
            break
        end += 1
    return end


def _start_of_noun(tokens: Sequence[SentenceToken], end: int) -> int:
    """Where the noun begins that ends before a place."""
    first = end
    while first > 0 and end - first < _MOST_OF_NOUN and tokens[first - 1].is_content:
        if first < end and tokens[first - 1].verb and tokens[first - 1].is_third_person:
            break
        first -= 1
    return first


def _noun(words: Sequence[SentenceToken]) -> str:
    return singular(" ".join(token.word for token in words if token.is_content))


def _is_given(tokens: Sequence[SentenceToken], first: int) -> bool:
    """Whether something is given to those whose noun begins at a place, or only they may have it."""
    at = first - 1
    while at >= 0 and tokens[at].word in DETERMINERS:
        at -= 1
    if at < 0:
        return False
    if tokens[at].word == "only":
        return True
    if tokens[at].word not in _RECIPIENT:
        return False
    before = [token.word for token in tokens[max(0, at - _FAR) : at]]
    if before[-1:] == ["only"]:
        return True
    known = verbs()
    groups = (
        known.get(token.verb if size == 1 else f"{token.verb} {tokens[n + 1].word}")
        for n, token in enumerate(tokens[:at])
        if n >= at - _FAR and token.verb
        for size in (1, 2)
    )
    return any(group in _GIVING for group in groups)


def _limit(
    tokens: Sequence[SentenceToken], first: int, place: int, end: int, noun: str, proof: Proof
) -> StatedLimit:
    before = tuple(token.word for token in reversed(tokens[max(0, first - _FAR) : first]))
    words = tuple(tokens[place:end])
    return StatedLimit("proof", 1, "", words, noun, before, proof)
