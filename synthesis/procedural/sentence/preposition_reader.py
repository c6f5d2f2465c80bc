"""Preposition reader: what prepositions begin in a sentence, "to freight companies", "to close early"."""

from __future__ import annotations

from synthesis.procedural.sentence.clauses import OBJECT
from synthesis.procedural.sentence.inflection import gerund, lemmas, singular
from synthesis.procedural.sentence.lexicon import is_business, kinds_of, nouns, verbs
from synthesis.procedural.sentence.phrases import NounPhrase, noun_phrase
from synthesis.procedural.sentence.references import acts
from synthesis.procedural.sentence.relative_reader import RelativeReader
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    DETERMINERS,
    NUMBERS,
    PRONOUNS,
    SentenceToken,
)
from synthesis.procedural.sentence.word_lists import word_list

_HELP = frozenset(("help", "aid", "support", "assistance"))
"""Nouns behind "with" that only say that somebody does it."""
_OF_PLACES = frozenset({"to", "at", "on", "near", "into"})
"""Prepositions before which a verb in -ing belongs to the noun after it."""
_MEASURES = frozenset(word_list("measures"))

_COMMANDING = frozenset(("order", "ask", "tell", "require", "urge", "instruct", "request", "remind"))
_FREE = (("for", "free"), ("at", "no", "cost"), ("at", "no", "charge"), ("without", "charge"))
_BOUNDS = (("up", "to"), ("at", "most"), ("at", "least"))
_WITHIN = DETERMINERS | ADVERBS | NUMBERS
_GIVING = frozenset(("sale", "supply", "dispatch", "transfer", "loan", "rental", "gift"))


class PrepositionReader(RelativeReader):
    """What follows the prepositions of one sentence."""

    def _preposition(self, place: int) -> tuple[int, str]:
        word = self.tokens[place].word
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if (fixed := self._for_free(place) or self._up_to(place)) or self._is_quantity(place):
            return fixed or place + 1, OBJECT
        if word == "with" and (helped := self._with_help(place)):
            return helped, "by"
        if following is not None and word == "to" and (act := self._infinitive_at(place, following)):
            return act, OBJECT
        return self._gerund_behind(place, word) if following is not None else (place + 1, word)

    def _gerund_behind(self, place: int, word: str) -> tuple[int, str]:
        """What a preposition with a word in -ing behind it begins; a role where that is nothing done."""
        following = self.tokens[place + 1]
        if following.is_gerund and self._only_does(place + 1):
            end = self._end_of_clause(place + 1)
            self.result.note_statement(self.tokens[place:end])  # "before doing anything over $80"
            return end, OBJECT
        if following.is_gerund and following.verb in verbs():
            behind = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
            named = behind is not None and singular(f"{following.word} {behind.word}") in nouns()
            named = named or (word == "for" and behind is not None and self._names_those_who(behind))
            if named or (word in _OF_PLACES and behind is not None and behind.is_content):
                return place + 1, word  # "for nursing homes", "to building sites"
            if behind is not None and (behind.word in DETERMINERS | PRONOUNS or behind.is_content):
                return self._begin(place + 1, None), OBJECT
        return place + 1, word

    def _only_does(self, place: int) -> bool:
        """Whether a word in -ing that no record keeps has an object of its own: "doing anything"."""
        token, behind = self.tokens[place], self.tokens[place + 1 : place + 2]
        has_object = bool(behind) and behind[0].word in DETERMINERS | PRONOUNS
        return has_object and token.verb not in verbs() and singular(token.word) not in nouns()

    @staticmethod
    def _names_those_who(token: SentenceToken) -> bool:
        """ "for letting agents": whether a word behind one in -ing is a plural of people of a trade."""
        one = singular(token.word)
        return one != token.word and "staff" in kinds_of(one)[:1] and one != "staff"

    def _infinitive_at(self, place: int, following: SentenceToken) -> int:
        """The place behind "to" and a verb, read as what is done or learned; 0 where a noun follows."""
        if (purpose := self._purpose(place)) or self._names_companies(place + 1):
            return purpose
        if following.is_base and following.verb in verbs():
            behind = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
            is_noun = "NOUN" in lemmas(following.word)
            if not is_noun or (behind is not None and (behind.word in DETERMINERS or behind.is_content)):
                return self._begin(place + 1, None)
        if not self._is_topic(place + 1):
            return 0
        topic = NounPhrase(gerund(following.verb), (following,), place + 2)
        if self.clause is not None:
            self.clause.roles.setdefault("about", []).append(topic)
        return place + 2

    def _for_free(self, place: int) -> int:
        """ "sharpens for free what it has made": the place behind that; 0 of others."""
        words = [token.word for token in self.tokens[place : place + 3]]
        length = next((len(each) for each in _FREE if words[: len(each)] == list(each)), 0)
        behind = self.tokens[place + length : place + length + 1]
        if not length or (behind and behind[0].is_content):
            return 0
        self.result.silent.extend(self.tokens[place + 1 : place + length])
        return place + length

    def _up_to(self, place: int) -> int:
        """ "order up to six documents", "at most six": the place of the number of what a verb is done to; 0
        of a time."""
        words = tuple(token.word for token in self.tokens[place : place + 2])
        if words not in _BOUNDS or self.clause is None or OBJECT in self.clause.roles:
            return 0
        return place + 2 if self._is_of_things(place + 2) else 0

    def _is_of_things(self, place: int) -> bool:
        phrase = noun_phrase(self.tokens, place)
        if phrase is None or acts(phrase):
            return False
        return phrase.head not in _MEASURES and kinds_of(phrase.text)[:1] not in (("time",), ("money",))

    def _is_quantity(self, place: int) -> bool:
        """ "reserve more than two boards", "feeds about thirty pupils": whether a preposition only bounds how
        many things are meant."""
        about = self.tokens[place].word in ("about", "around") and self.tokens[place + 1 : place + 2]
        if about and about[0].is_number and self.clause is not None and OBJECT not in self.clause.roles:
            return self.tokens[place - 1] in self.clause.tokens
        words = [token.word for token in self.tokens[max(place - 1, 0) : place + 2]]
        bounded = len(words) == 3 and (words[0] in ("more", "less", "fewer") and words[1] == "than")
        if not bounded or self.clause is None or OBJECT in self.clause.roles:
            return False
        return self.tokens[place - 2] in self.clause.tokens and self._is_of_things(place + 1)

    def _with_help(self, place: int) -> int:
        """ "with the help of volunteers": the place of those who do it; 0 where that is not said so."""
        words = [token.word for token in self.tokens[place + 1 : place + 4]]
        helping = [word for word in words if word != "the"][:2]
        if len(helping) < 2 or helping[0] not in _HELP or helping[1] != "of":
            return 0
        self.result.silent += self.tokens[place + 1 : place + 4]
        return place + 1 + words.index("of") + 1

    def _is_topic(self, place: int) -> bool:
        """ "teaches children to sing": whether an infinitive says what is learned, offered or wanted."""
        token, before = self.tokens[place], self.tokens[place - 2]
        only_verb = token.is_base and not token.is_third_person and "NOUN" not in lemmas(token.word)
        return only_verb and before.is_content and not kinds_of(token.word)

    def _purpose(self, place: int) -> int:
        """ "orders bars to close early", "given a week to leave": the place behind what others are to do."""
        behind, clause = self.tokens[place + 1 : place + 2], self.clause
        if (
            clause is None
            or not behind
            or not behind[0].is_base
            or self.last is None
            or self.last.end != place
        ):
            return 0
        commands = (
            clause.verb in _COMMANDING and acts(self.last) and self.last in clause.roles.get(OBJECT, ())
        )
        if not commands and not (clause.verb == "give" and "time" in kinds_of(self.last.text)[:1]):
            return 0
        clause.commands, end = commands, place + 2
        while end < len(self.tokens) and (self.tokens[end].is_content or self.tokens[end].word in _WITHIN):
            end += 1
        self.result.silent.extend([] if commands else self.tokens[place + 1 : end])
        if commands:
            clause.states.append(" ".join(token.word for token in self.tokens[place + 1 : end]))
        return end

    def _names_companies(self, place: int) -> bool:
        """ "sells them to freight companies": whether a word like a verb only describes a business."""
        phrase = noun_phrase(self.tokens, place)
        given = self.clause is not None and self.clause.pattern in _GIVING
        return (
            given
            and phrase is not None
            and phrase.many
            and len(phrase.tokens) > 1
            and is_business(phrase.head)
        )
