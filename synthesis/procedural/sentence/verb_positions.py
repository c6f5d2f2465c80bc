"""Verb positions: where a clause has its verb, and whether a token acts as a verb where it stands."""

from __future__ import annotations

from synthesis.procedural.sentence.inflection import is_mass, lemmas, singular
from synthesis.procedural.sentence.lexicon import is_business, is_writing, kinds_of, nouns, verbs
from synthesis.procedural.sentence.modifiers import NOT_BEING, is_passive
from synthesis.procedural.sentence.particles import ADVERBIAL, new_particle_of, particle_of
from synthesis.procedural.sentence.phrases import noun_phrase
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    SentenceToken,
)
from synthesis.procedural.sentence.word_lists import word_list


def main_verb(tokens: list[SentenceToken], start: int, *, any_verb: bool = False) -> int | None:
    """The place of a clause's first verb, its subject before it; None where there is none.

    A word of a name may look like a verb ("a city parks department books pavilions"): of several candidates
    the one right after a word that businesses are called by is preferred. Verbs outside the lexicon that are
    nouns as well count where nothing else is there, or with `any_verb`.
    """
    places = _candidates(tokens, start, any_verb) or _candidates(tokens, start, True)
    if tokens[start : start + 1] and tokens[start].word in ("a", "an"):
        # of "a meals on wheels service delivers" it is one service that does
        places = [p for p in places if _is_of_one(tokens, p)] or places
    if not places:
        return None
    first = _of_business(tokens, start, places[0])
    if first is not None:
        return first
    for number, place in enumerate(places):
        following = places[number + 1] if number + 1 < len(places) else None
        named = following is not None and is_business(tokens[following - 1].word)
        if named and following is not None and following - place > 1 and not is_object(tokens[place + 1]):
            continue
        if following == place + 1 and _are_subject(tokens, place):
            continue
        return place
    return places[0]


def _is_of_one(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the verb at a place may be one thing's, or belongs to "two who install pumps"."""
    token = tokens[place]
    whose = any(each.word == "whose" for each in tokens[:place])  # "a library whose members borrow drills"
    return not token.is_base or token.word in AUXILIARIES or tokens[place - 1].word == "who" or whose


def _are_subject(tokens: list[SentenceToken], place: int) -> bool:
    """Whether further verbs tell that a word is a plural subject: "sweeps visit homes, clean flues"."""
    token, behind = tokens[place], tokens[place + 1]
    if tokens[0].word in ("a", "an") or "NOUN" not in lemmas(token.word):
        return False
    if not (token.is_third_person and behind.is_base):
        return False
    joined = [
        number
        for number in range(place + 2, len(tokens))
        if tokens[number - 1].text == "," or tokens[number - 1].word in CONJUNCTIONS
    ]
    agree = any(starts_verb(tokens, number, third=False) for number in joined)
    return agree and not any(starts_verb(tokens, number, third=True) for number in joined)


def _of_business(tokens: list[SentenceToken], start: int, known: int) -> int | None:
    """The place of an unknown verb right behind the business: "a space agency launches satellites"."""
    for place in range(start + 1, known):
        token, following = tokens[place], tokens[place + 1]
        if not token.is_word or token.word in CONJUNCTIONS | PREPOSITIONS | SUBORDINATORS:
            return None
        acted = is_object(following) or _is_verb_by_what_follows(tokens, place)
        if _names_agent(tokens[place - 1].word) and token.is_third_person and acted:
            return place
        if token.is_third_person and _moves(tokens, place, known):
            return place
    return None


def _moves(tokens: list[SentenceToken], place: int, known: int) -> bool:
    """ "A tuner travels to homes and tunes pianos": a verb and where to, which a known verb goes on with."""
    one = singular(tokens[place - 1].word) == tokens[place - 1].word and tokens[0].word in _ONE
    where = tokens[place + 1].word in PREPOSITIONS and "VERB" in lemmas(tokens[place].word)
    agrees = tokens[known].is_third_person and tokens[known - 1].word in CONJUNCTIONS | {","}
    return one and where and agrees and _names_agent(tokens[place - 1].word)


def starts_without_subject(tokens: list[SentenceToken]) -> bool:
    """Whether a text begins with its verb: "Bakes bread and sells cakes"."""
    token = tokens[0]
    known = token.is_third_person and token.verb in verbs() and singular(token.word) not in _PLURAL_MODIFIERS
    return known and len(tokens) > 1 and is_object(tokens[1])


def _names_agent(word: str) -> bool:
    kinds = kinds_of(word)
    return not kinds or is_business(word) or "party" in kinds or "staff" in kinds


def _candidates(  # noqa: C901 - one branch per kind of token
    tokens: list[SentenceToken], start: int, any_verb: bool
) -> list[int]:
    places = list[int]()
    subject = list[SentenceToken]()
    for place in range(start, len(tokens)):
        token = tokens[place]
        if subject and token.word in _CONDITIONS:
            break
        if not token.is_word or token.word in SUBORDINATORS:
            if subject and (places or not token.is_word):
                break
            continue
        if token.word in AUXILIARIES and subject:
            return places or [place]
        # "a museum of clocks restores ...": it is the museum that does
        of_subject = bool(subject) and tokens[place - 1].word in _BEFORE_NOUNS
        if of_subject or (not subject and token.word not in CONJUNCTIONS):
            if not subject and (token.is_content or token.word in PRONOUNS):
                subject.append(token)
            continue
        known = _is_known_verb(tokens, place) or (any_verb and not _is_only_noun(tokens, place))
        known = known and not _is_business_beside(tokens, place)
        described = token.is_base and tokens[place - 1].word == "who"  # "a team of two who install pumps"
        agrees = described or _agrees(token, subject) or _agrees_with_head(tokens, start, place)
        if known and agrees and not (_is_subject(tokens, place) or _is_of_compound(tokens, start, place)):
            places.append(place)
        if token.is_content:
            subject.append(token)
        elif places:
            break
    return places


def _is_of_compound(tokens: list[SentenceToken], start: int, place: int) -> bool:
    """ "Blood samples from racehorses are ...": whether a text begins with things called by two words, since
    one thing alone has an article."""
    first, token = tokens[start], tokens[place]
    alone = place == start + 1 and first.is_content and singular(first.word) == first.word
    people = {"party", "staff"} & set(kinds_of(first.word))
    if not alone or people or is_business(first.word) or not is_noun(first):
        return False
    behind = tokens[place + 1 : place + 2]
    ends = not behind or not behind[0].is_word or behind[0].word in _APART | AUXILIARIES or behind[0].is_base
    return token.is_third_person and is_noun(token) and ends


_ALONE = frozenset(["all", "any", "both", "each", "most", "others", "some", "that", "these", "this", "those"])
"""Determiners that may also stand for what they speak of, as in "we all clean"."""
_BEFORE_NOUNS = (PREPOSITIONS | DETERMINERS | NUMBERS) - _ALONE
"""Words right behind which no verb stands."""


def _is_subject(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the verb comes right behind: "airport lounges are run by ..."."""
    return place + 1 < len(tokens) and (tokens[place + 1].word in _FINITE or is_passive(tokens, place + 1))


_ONE = frozenset(("a", "an", "the", "our", "my"))
_FINITE = frozenset(("is", "are", "was", "were", "has", "have", "can", "may", "must", "will")) | NOT_BEING


def _is_known_verb(tokens: list[SentenceToken], place: int) -> bool:
    token = tokens[place]
    if _is_business_beside(tokens, place):
        return False
    known = token.verb in verbs() or bool(particle_of(tokens, place)) or "NOUN" not in lemmas(token.word)
    return known or _is_act_of_people(tokens, place) or is_act_of_several(tokens, place)


def _is_business_beside(tokens: list[SentenceToken], place: int) -> bool:
    """ "a boarding kennels outside the town": whether a word that names a business has nothing behind it that
    it could be done to, and something before it that describes it."""
    behind = tokens[place + 1 : place + 2]
    apart = not behind or not behind[0].is_word or behind[0].word in PREPOSITIONS - ADVERBIAL
    described = place > 0 and (tokens[place - 1].is_gerund or tokens[place - 1].word in DETERMINERS)
    return apart and described and is_business(tokens[place].word)


def word_before(tokens: list[SentenceToken], place: int) -> SentenceToken:
    """The word in front of a place, adverbs left out: "people often wait"."""
    before = place - 1
    while before > 0 and tokens[before].word in ADVERBS:
        before -= 1
    return tokens[before]


def is_act_of_several(tokens: list[SentenceToken], place: int) -> bool:
    """ "People ring up", "volunteers usher at shows": whether a word in the form of a verb stands behind a
    plural of people, who describe no noun."""
    if not place or not tokens[place].is_base or is_business(tokens[place].word):
        return False
    before = word_before(tokens, place)
    people = singular(before.word)
    many = people != before.word and before.is_content
    behind = tokens[place + 1 : place + 2]
    ends = bool(behind) and (behind[0].is_third_person or behind[0].word in AUXILIARIES)
    named = {"party", "staff"} & set(kinds_of(people)) and not is_business(people)
    return many and bool(named) and not ends and people not in _PLURAL_MODIFIERS


def _is_act_of_people(tokens: list[SentenceToken], place: int) -> bool:
    """ "Couples taste samples": whether people begin the sentence, and two nouns would follow them."""
    if place != 1 or place + 1 >= len(tokens) or is_business(tokens[1].word):
        return False
    people, behind = tokens[0].word, tokens[2]
    many = singular(people) != people and {"party", "staff"} & set(kinds_of(people))
    thing = behind.is_content and singular(behind.word) != behind.word
    return bool(many) and tokens[1].is_base and thing


_CONDITIONS = frozenset(("when", "while", "if", "because", "unless", "whenever"))
"""Words behind which another clause begins, whose verb is not the sentence's."""
_APART = PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS


def _is_only_noun(tokens: list[SentenceToken], place: int) -> bool:
    """Whether a word that may be a verb outside the lexicon has nothing to be done to: "instruments with"."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if place and tokens[place - 1].word in PRONOUNS:
        return False  # "while they wait"
    if is_act_of_several(tokens, place):
        return False
    apart = following is None or not following.is_word or following.word in _APART
    apart = apart and not (following is not None and following.is_price)  # "lessons cost £32"
    before = place - 1
    while before >= 0 and tokens[before].is_content:
        before -= 1
    within = before >= 0 and tokens[before].word in PREPOSITIONS
    return apart and (within or tokens[place].is_base) and "NOUN" in lemmas(tokens[place].word)


def _agrees(token: SentenceToken, subject: list[SentenceToken]) -> bool:
    if not subject:
        return False
    last = subject[-1].word
    many = (
        last in ("they", "we", "i", "you", "who")
        or singular(last) != last
        or last in ("people", "staff", "crew", "police")
    )
    if token.is_third_person:
        return not many or is_business(last)
    return token.is_base and many


def _agrees_with_head(tokens: list[SentenceToken], start: int, place: int) -> bool:
    """ "a farm with 9000 hens grades eggs", "volunteers of our hospital treat hedgehogs": whether a verb
    with an object agrees with the noun in front of a preposition rather than with the one right before."""
    of = next((at for at in range(start, place) if tokens[at].word in _OF_HEAD), place)
    going = of > start + 1 and tokens[of - 1].is_gerund  # "people going on holiday leave their cats"
    of_subject = tokens[start : of - going]
    head = [token for token in of_subject if token.is_content][-1:]
    behind = tokens[place + 1 : place + 2]
    if of == place or not head or not behind or not tokens[place - 1].is_content:
        return False
    one = tokens[start].word in ("a", "an") and tokens[place].is_third_person
    many = tokens[place].is_base and singular(head[0].word) != head[0].word and of == start + 1 + going
    return (
        (one or many)
        and tokens[place].verb in verbs()
        and is_object(behind[0])
        and _agrees(tokens[place], head)
    )


_OF_HEAD = frozenset(("of", "with", "in", "at", "for", "from", "on"))


def is_object(token: SentenceToken) -> bool:
    """Whether a word begins what a verb is done to: a determiner, a number, a plural or a mass noun."""
    return token.word in DETERMINERS | NUMBERS or singular(token.word) != token.word or is_mass(token.word)


def starts_verb(  # noqa: PLR0911 - one answer per kind of word that follows
    tokens: list[SentenceToken], place: int, *, third: bool
) -> bool:
    """Whether the token after a comma or conjunction begins a further verb phrase of a clause.

    Args:
        tokens: The sentence.
        place: Where.
        third: Whether the clause's verbs have the form "stores".
    """
    token = tokens[place]
    formed = token.is_third_person if third else token.is_base
    named = _is_within_subject(tokens, place) or _is_in_list_of_nouns(tokens, place)
    named = named or _is_listed_noun(tokens, place)
    if not formed or (third and _acts_itself(tokens, place)) or named:
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is not None and _shows_verb(tokens, place, third=third):
        return True
    if third and following is not None and following.word in _QUESTIONS and is_writing(token.verb):
        return True
    if third and _is_verb_by_what_follows(tokens, place):
        return True
    known = token.verb in verbs() or bool(particle_of(tokens, place))
    if not known and "NOUN" in lemmas(token.word):
        return False
    if third and _closes_nouns(tokens, place):
        return False
    if following is None or not following.is_word or following.word in CONJUNCTIONS | SUBORDINATORS:
        return "NOUN" not in lemmas(token.word) or (
            singular(token.word) not in nouns() and token.verb in verbs()
        )
    if following.word in PREPOSITIONS and not particle_of(tokens, place):
        shows = third and verbs().get(token.verb) == "event" and following.word in ("at", "in", "on")
        by_measure = shows or (
            verbs().get(token.verb) == "billing" and following.word in ("by", "per", "for")
        )
        only_verb = token.verb in verbs() or "NOUN" not in lemmas(token.word)
        return by_measure or (singular(token.word) not in nouns() and only_verb)
    if following.word in DETERMINERS | PRONOUNS | ADVERBS or following.is_number or following.is_price:
        return True
    return following.is_content or bool(particle_of(tokens, place))


def _is_on_days(tokens: list[SentenceToken], place: int) -> bool:
    """ "trains on Mondays": whether a word is followed by when something is done."""
    behind = tokens[place + 1 : place + 2]
    return tokens[place].word == "on" and bool(behind) and kinds_of(behind[0].word)[:1] == ("time",)


def _shows_verb(tokens: list[SentenceToken], place: int, *, third: bool) -> bool:
    """Whether what follows a word tells that it is a verb: an object, a price, a particle, further verbs."""
    token, following = tokens[place], tokens[place + 1]
    priced = following.is_price and token.verb in verbs()
    listed = third and _is_listed_verb(tokens, place)
    timed = third and token.verb in verbs() and _is_on_days(tokens, place + 1)
    return listed or priced or timed or takes_object(token, following) or bool(new_particle_of(tokens, place))


def _is_within_subject(tokens: list[SentenceToken], place: int) -> bool:
    """ "tow floats are compulsory": whether what a word seems to be done to has a verb of its own."""
    following = tokens[place + 1 : place + 2]
    if not following or not following[0].is_content or not is_noun(tokens[place]):
        return False
    phrase = noun_phrase(tokens, place + 1)
    return phrase is not None and phrase.end < len(tokens) and tokens[phrase.end].word in _FINITE


def _is_listed_verb(tokens: list[SentenceToken], place: int) -> bool:
    """ "dries, stores and sells wheat": whether verbs stand side by side, with one object."""
    before, behind = tokens[max(0, place - 2) : place], tokens[place + 1 : place + 3]
    if len(before) < 2 or len(behind) < 2 or before[1].text != ",":
        return False
    joined = behind[0].word in CONJUNCTIONS or behind[0].text == ","
    sides = (before[0], tokens[place], behind[1])
    return joined and all(each.is_third_person for each in sides) and behind[1].verb in verbs()


def _is_in_list_of_nouns(tokens: list[SentenceToken], place: int) -> bool:
    """ "lends drills, ladders and pumps": whether plurals stand side by side, with no object behind them."""
    if place < 3 or place + 2 >= len(tokens) or tokens[place - 1].text != ",":
        return False
    sides = (tokens[place - 2], tokens[place], tokens[place + 2])
    plural = all(is_noun(each) and singular(each.word) != each.word for each in sides)
    behind = tokens[place + 3 : place + 4]
    has_object = bool(behind) and (
        behind[0].is_content or behind[0].is_number or behind[0].word in DETERMINERS | PRONOUNS
    )
    return plural and tokens[place + 1].word in CONJUNCTIONS and not has_object


def _is_listed_noun(tokens: list[SentenceToken], place: int) -> bool:
    """ "glasses and contact lenses": whether a list of nouns has two words as one."""
    words = [token.word for token in tokens[place : place + 2]]
    return len(words) == 2 and singular(" ".join(words)) in nouns()


def is_noun(token: SentenceToken) -> bool:
    """Whether a word can be a noun."""
    return "NOUN" in lemmas(token.word) or singular(token.word) in nouns()


def _acts_itself(tokens: list[SentenceToken], place: int) -> bool:
    """ "judges score each round": whether people are named, behind whom a verb of theirs has an object."""
    behind = tokens[place + 1 : place + 3]
    people = {"party", "staff"} & set(kinds_of(tokens[place].word))
    done = len(behind) == 2 and behind[0].is_base and behind[0].verb in verbs()
    return bool(people) and done and (behind[1].word in DETERMINERS | PRONOUNS)


def _closes_nouns(tokens: list[SentenceToken], place: int) -> bool:
    """ "books baths and trims, reminds owners": behind the "and" of a list of nouns, with a verb to come."""
    if (
        place + 2 >= len(tokens)
        or tokens[place - 1].word not in CONJUNCTIONS
        or tokens[place + 1].text != ","
    ):
        return False
    return "NOUN" in lemmas(tokens[place].word) and starts_verb(tokens, place + 2, third=True)


def _is_verb_by_what_follows(tokens: list[SentenceToken], place: int) -> bool:
    """ "chases unpaid invoices", "comes back": no noun of the lexicon, and what only a verb has behind it."""
    if singular(tokens[place].word) in nouns() or place + 1 >= len(tokens):
        return False
    following = tokens[place + 1]
    if following.word in ADVERBIAL and "VERB" in lemmas(tokens[place].word):
        return True
    parts = lemmas(following.word)
    describes = following.is_participle or ("ADJ" in parts and "NOUN" not in parts)
    behind = tokens[place + 2] if place + 2 < len(tokens) else None
    return describes and behind is not None and behind.is_content and singular(behind.word) != behind.word


def takes_object(token: SentenceToken, following: SentenceToken) -> bool:
    """Whether no noun can be here: before "them" or "the", and in the plural before another plural."""
    if following.word in _OBJECTS or following.word in _ARTICLES:
        return True
    plural_behind = following.is_content and singular(following.word) != following.word
    unlisted = singular(token.word) not in nouns()  # "extracts honey"
    thing = plural_behind or (following.is_content and is_mass(following.word) and unlisted)
    return token.is_third_person and thing and singular(token.word) not in _PLURAL_MODIFIERS


_QUESTIONS = frozenset(("who", "whether", "what"))
_OBJECTS = frozenset(("it", "them", "us", "him", "me", "those", "these"))
_ARTICLES = frozenset(("a", "an", "the", "their", "its", "our"))
_PLURAL_MODIFIERS = frozenset(word_list("plural_modifiers"))
