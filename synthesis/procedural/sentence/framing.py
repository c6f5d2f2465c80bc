"""Framing: proper names, frames such as "Build a system that ...", and where sentences end."""

from __future__ import annotations

import re
from dataclasses import replace

from synthesis.procedural.sentence.inflection import is_word, singular
from synthesis.procedural.sentence.lexicon import is_business, kinds_of, nouns, verbs
from synthesis.procedural.sentence.phrases import noun_phrase
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CLOSED,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    SentenceToken,
)
from synthesis.procedural.sentence.verb_positions import main_verb, starts_without_subject
from synthesis.procedural.sentence.word_lists import word_list

_WRAPPERS = (
    "simulate",
    "build",
    "create",
    "make",
    "write",
    "generate",
    "model",
    "describe",
    "design",
    "imagine",
    "synthesise",
    "synthesize",
)
_FRAMES = frozenset(
    [
        "world",
        "environment",
        "app",
        "application",
        "system",
        "software",
        "platform",
        "tool",
        "database",
        "simulation",
        "scenario",
    ]
)

_LANGUAGES = frozenset(word_list("languages"))
_US = frozenset(("we", "i"))
_OWNERS = PRONOUNS | NUMBERS | {"my", "our", "his", "her", "their"}
_OWNER_WORDS = 5
"""Words of who runs a business, before it is named."""
ENDING_SIGNS = frozenset(".;:!?,")
_KEEPING = frozenset(("have", "has", "keep", "keeps", "manage", "manages"))
_RUNNING = _KEEPING | {"run", "runs", "own", "owns"}
_ARTICLES = frozenset(("a", "an", "the", "our", "their", "his", "her"))

_WANTING = (["want", "a"], ["want", "an"], ["need", "a"], ["need", "an"])


def proper_names(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """Capitalised words inside a sentence, and at its start where no dictionary has them."""
    matches = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        starts = before is None or before.text in ".!?:"
        capital = token.text[0].isupper() and token.is_word
        letters = re.fullmatch(r"[A-Z]{1,3}s?", token.text) is not None  # "CD", "DVDs"
        if capital and any("time" in nouns().get(word, ()) for word in (token.word, singular(token.word))):
            continue  # "in December"
        if token.word in _LANGUAGES:
            continue  # "teaches Spanish", "English lessons"
        if capital and "-" in token.text and _is_compound(token.word):
            continue  # "Blood-bike riders", "X-rays"
        if capital and not letters and (not starts or not is_word(token.word)) and token.word not in CLOSED:
            if starts and _is_name_of_trade(token):
                continue
            if token.word not in verbs() or starts:
                matches.append(token)
    # A sentence typed in capitals throughout, or a title, holds no names.
    words = [token for token in tokens if token.is_word]
    return matches if len(matches) * 2 < len(words) else []


def _is_compound(word: str) -> bool:
    """Whether the parts of a word with hyphens are words, or letters before one: "x-rays"."""
    first, *rest = word.split("-")
    return (len(first) == 1 or is_word(first)) and all(
        is_word(part) or singular(part) in CLOSED for part in rest
    )


def without_names(tokens: list[SentenceToken], named: set[int]) -> list[SentenceToken]:
    """The tokens without proper names; a company where one stands alone before a verb."""
    result = []
    for number, token in enumerate(tokens):
        if token.place not in named:
            result.append(token)
            continue
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        if following is not None and following.is_third_person and _ends_with_place(result):
            result.pop()
            continue
        alone = not result or not result[-1].is_word
        if alone and following is not None and following.is_third_person:
            result.append(SentenceToken("company", token.place))
    return result


def _ends_with_place(tokens: list[SentenceToken]) -> bool:
    """Whether tokens are a subject and a preposition, behind which a name stood: "A shop in Leeds lends"."""
    if len(tokens) < 2 or tokens[-1].word not in PREPOSITIONS or tokens[0].word in PRONOUNS:
        return False
    return not any(token.is_third_person and token.verb in verbs() for token in tokens)


def _is_name_of_trade(token: SentenceToken) -> bool:
    return is_business(token.word) or token.word in verbs() or singular(token.word) in nouns()


def without_contact(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """ "The choir I sing in has sixty members": the tokens without what the speaker does at the business."""
    business = noun_phrase(tokens, 0) if tokens and tokens[0].word in DETERMINERS else None
    place = business.end if business is not None and is_business(business.head) else len(tokens)
    if place + 2 >= len(tokens) or tokens[place].word not in _US or not tokens[place + 1].is_base:
        return tokens
    end = place + 2 + (tokens[place + 2].word in PREPOSITIONS)
    goes_on = tokens[end : end + 1]
    if not goes_on or not (goes_on[0].word in AUXILIARIES or goes_on[0].is_third_person):
        return tokens
    return [*tokens[:place], *tokens[end:]]


def unwrapped(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """The tokens without a frame such as "Build a world in which ..." or "We are a bakery that ..."."""
    tokens = tokens[1:] if tokens and tokens[0].word == "please" else tokens
    tokens = tokens[_beside_speaker(tokens) :]
    words = [token.word for token in tokens]
    if words and words[0] in _WRAPPERS:
        for place, word in enumerate(words[:12]):
            if word in ("for", "about", "of", "where", "which", "that") and set(words[:place]) & _FRAMES:
                return tokens[place + 1 :]
        return tokens[1:] if words[1:2] and words[1] in DETERMINERS else tokens
    if words[:2] in (["we", "are"], ["i", "am"], ["this", "is"], ["it", "is"]) or (
        words[:1] in (["we"], ["i"]) and words[1:3] in _WANTING
    ):
        return tokens[2 + _behind_office(tokens[2:]) :]
    if owned := _behind_owner(words) or _fragment(tokens):
        return _with_further_act(tokens[owned:])
    relative = _relative_of_owner(tokens)
    if tokens and (relative or starts_without_subject(tokens)):
        return [SentenceToken("company", -1), *tokens[relative:]]
    return tokens


def _with_further_act(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """ "[I run] a launderette and offer service washes": the business, and what "we" do as a sentence."""
    named = noun_phrase(tokens, 0)
    at = named.end if named is not None and is_business(named.head) else len(tokens)
    if at + 2 >= len(tokens) or tokens[at].word != "and":
        return tokens
    verb, behind = tokens[at + 1], tokens[at + 2]
    known = verb.is_base and verb.verb in verbs() and singular(verb.word) not in nouns()
    if not known or not (behind.is_content or behind.word in DETERMINERS):
        return tokens
    place = tokens[at].place
    return [*tokens[:at], SentenceToken(".", place), SentenceToken("we", place), *tokens[at + 1 :]]


def _behind_office(tokens: list[SentenceToken]) -> int:
    """The place of the club in "the secretary of a chess club", for which somebody speaks; 0 of others."""
    office = noun_phrase(tokens, 0) if tokens else None
    if office is None or office.many or office.end + 1 >= len(tokens) or is_business(office.head):
        return 0
    of = tokens[office.end].word in ("of", "at", "for")
    whole = noun_phrase(tokens, office.end + 1) if of else None
    return office.end + 1 if whole is not None and is_business(whole.head) else 0


def _behind_owner(words: list[str]) -> int:
    """The place behind "my aunt runs" or "two of us own", where the business is named; 0 where none is."""
    if not words or words[0] not in _OWNERS:
        return 0
    for place, word in enumerate(words[1 : _OWNER_WORDS + 1], start=1):
        if word in _KEEPING and is_business(words[place - 1]):
            return 0  # "our parish keeps the registers"
        if word in _RUNNING and words[place + 1 : place + 2] and words[place + 1] in _ARTICLES:
            return 0 if word in _KEEPING and _does_more(words[place + 2 :]) else place + 1
    return 0


def _does_more(words: list[str]) -> bool:
    """ "a flock of sheep and sell lambs": whether those who keep what is named, which is no business, do
    something with it that a further verb says."""
    ends = next((at for at, word in enumerate(words) if word in ENDING_SIGNS), len(words))
    named = words[:ends]
    joined = next((at for at, word in enumerate(named) if word == "and"), 0)
    behind = SentenceToken(named[joined + 1], 0) if joined and joined + 1 < len(named) else None
    if behind is None or not behind.is_base or behind.verb not in verbs():
        return False
    return not any(is_business(word) for word in named[:joined])


def _beside_speaker(tokens: list[SentenceToken]) -> int:
    """The place of "I" in "my sister and I make cakes"; 0 where nobody else speaks, too."""
    words = [token.word for token in tokens[:_OWNER_WORDS]]
    if words[:1] != ["my"] or "i" not in words:
        return 0
    place = words.index("i")
    return place if words[place - 1] == "and" else 0


def _fragment(tokens: list[SentenceToken]) -> int:
    """The place of "we" in "Small place, we repair bicycles", no business named before; 0 where none is."""
    comma = next((place for place, token in enumerate(tokens) if not token.is_word), 0)
    behind = tokens[comma + 1 : comma + 2]
    if not comma or not behind or behind[0].word not in ("we", "i"):
        return 0
    named = any(is_business(token.word) for token in tokens[:comma]) or _is_trade(tokens[comma - 1])
    return 0 if named or main_verb(tokens[:comma], 0) is not None else comma + 1


def _is_trade(token: SentenceToken) -> bool:
    """ "Upholsterer, I re-cover sofas": whether a word is what somebody is who works."""
    worker = singular(token.word)
    return worker.endswith(("er", "or", "ist")) and bool({"party", "staff"} & set(kinds_of(worker)[:1]))


def _relative_of_owner(tokens: list[SentenceToken]) -> int:
    """The place behind "my wife", who is one person and no business; 0 where none is."""
    subject = noun_phrase(tokens, 0, stop=2) if tokens and tokens[0].word == "my" else None
    if subject is None or subject.many or is_business(subject.head) or len(tokens) < 3:
        return 0
    return 2 if tokens[2].is_third_person or tokens[2].word in AUXILIARIES else 0


_DONE = {"do": "handle", "does": "handles"}
_HAD = {"have": "take", "has": "takes"}
_OF_TRADES = frozenset(("cleaning", "repair", "treatment", "installation", "editing"))
"""Patterns of what tradespeople do to things: "we do houses"."""
_OWNING = {"own": "have", "owns": "has"}


def with_light_verbs(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """The tokens with a light verb for "does rounds" and "has appointments", where no other verb follows, and
    without "home" behind those who are taken there."""
    stay = [token for place, token in enumerate(tokens) if not _goes_home(tokens, place)]
    return [replace(token, text=_light(stay, place)) for place, token in enumerate(stay)]


def _goes_home(tokens: list[SentenceToken], place: int) -> bool:
    """ "drive people home": whether a word behind people says only where to."""
    before, behind = tokens[place - 1], tokens[place + 1 : place + 2]
    several = singular(before.word) != before.word or before.word == "people"
    people = bool({"party", "staff"} & set(kinds_of(before.word)))
    alone = not (behind and behind[0].is_content)
    return place > 0 and tokens[place].word == "home" and several and people and alone


def _verb_of_trade(tokens: list[SentenceToken]) -> str:
    """What those do who a text begins with, "clean" of "window cleaners"; "" where no name says it."""
    for token in tokens[:_OWNER_WORDS]:
        worker = singular(token.word)
        stems = (worker.removesuffix("er"), worker.removesuffix("r")) if worker.endswith("er") else ()
        if verb := next((stem for stem in stems if verbs().get(stem) in _OF_TRADES), ""):
            return verb
    return ""


def _light(tokens: list[SentenceToken], place: int) -> str:
    token = tokens[place]
    if token.word in _OWNING and place and _owns(tokens, place):
        return _OWNING[token.word]
    meant = _DONE.get(token.word) or _HAD.get(token.word, "")
    behind = tokens[place + 1 : place + 3]
    if not meant or not place or not behind or tokens[place - 1].word in AUXILIARIES:
        return token.text
    if token.word in _DONE and behind[0].word in ("it", "them"):
        return meant  # "a translator does them"
    phrase = noun_phrase(tokens, place + 1)
    if phrase is None or (phrase.end < len(tokens) and _goes_on(tokens[phrase.end])):
        return token.text
    kinds = kinds_of(phrase.text)[:1]
    is_noun = singular(behind[0].word) != behind[0].word or behind[0].word in DETERMINERS
    wanted = kinds == ("record",) if token.word in _HAD else bool(kinds)
    trade = _verb_of_trade(tokens) if token.word == "do" and kinds in (("thing",), ("place",)) else ""
    return (trade or meant) if is_noun and wanted else token.text


def _owns(tokens: list[SentenceToken], place: int) -> bool:
    """Whether "own" is the verb of what somebody has: "a club owns three boats", not "their own boats"."""
    before, behind = tokens[place - 1], tokens[place + 1 : place + 2]
    subject = before.word in ("we", "i", "who") or (
        before.is_content and (tokens[place].word == "owns" or singular(before.word) != before.word)
    )
    return subject and bool(behind) and (behind[0].is_content or behind[0].word in DETERMINERS | NUMBERS)


def _goes_on(token: SentenceToken) -> bool:
    """Whether a word behind a noun may be the verb that an auxiliary belongs to."""
    return token.is_base or token.is_participle


def further_owned(tokens: list[SentenceToken]) -> list[int]:
    """Places of further businesses that others own: "and my sister owns a law firm"."""
    words = [token.word for token in tokens]
    places = []
    for place, word in enumerate(words[1:], start=1):
        if words[place - 1] in (",", ".", "and", "while", "but") and word in _OWNERS:
            owned = _behind_owner(words[place:])
            places += [place + owned] if owned else []
    return places


def _goes_on_about_us(tokens: list[SentenceToken], place: int, before: list[SentenceToken]) -> bool:
    """Whether ", we rehearse" begins a sentence: behind one that only says who "we" are."""
    us = tokens[place + 1 : place + 2]
    if tokens[place].text != "," or not us or us[0].word not in _US or not before:
        return False
    behind = next((token for token in tokens[place + 2 :] if token.word not in ADVERBS), None)
    acts = behind is not None and (behind.is_base or behind.word in AUXILIARIES)
    named = before[0].word not in SUBORDINATORS | PREPOSITIONS and main_verb(before, 0) is None
    return acts and named


def sentences_of(tokens: list[SentenceToken]) -> list[list[SentenceToken]]:
    """The tokens of each sentence, without the signs that end it; "A choir of sixty, we rehearse" are two."""
    sentences: list[list[SentenceToken]] = [[]]
    for place, token in enumerate(tokens):
        if token.text in ".;!?:" or _goes_on_about_us(tokens, place, sentences[-1]):
            sentences.append([])
        else:
            sentences[-1].append(token)
    return [sentence for sentence in sentences if any(token.is_word for token in sentence)]
