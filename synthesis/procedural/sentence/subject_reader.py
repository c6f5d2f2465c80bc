"""Subject reader: who acts in a sentence, and which business that tells of."""

from __future__ import annotations

from dataclasses import replace

from synthesis.procedural.sentence.lexicon import is_business, kinds_of, verbs
from synthesis.procedural.sentence.phrases import NounPhrase, is_of_things, noun_phrase
from synthesis.procedural.sentence.preposition_reader import PrepositionReader
from synthesis.procedural.sentence.references import acts
from synthesis.procedural.sentence.subclauses import predicate_behind
from synthesis.procedural.sentence.tokens import CONJUNCTIONS, DETERMINERS, RELATIVE

_SPEAKERS = frozenset(("we", "i"))
_FIRST_PERSON = _SPEAKERS | frozenset(("our", "my", "us", "me"))
_NEAR = 3
"""Words between a pronoun and its verb."""


class SubjectReader(PrepositionReader):
    """The subject of one sentence and the business behind it."""

    def _behind_who(self, place: int) -> int:
        """ "Boaters who haven't paid are given a week": where the verb of the subject before "who" is."""
        who = place < len(self.tokens) and self.tokens[place].word == "who"
        return predicate_behind(self.tokens, place) if who else 0

    def _whole_name(self, subject: NounPhrase, verb: int) -> NounPhrase:
        """ "A meals on wheels service": a name with a preposition in it, whose last word tells what it is."""
        words = [token.word for token in self.tokens[int(self.tokens[0].word in DETERMINERS) : verb]]
        between = self.tokens[subject.end : verb]
        plain = between and not any(
            not t.is_word or t.is_participle or t.word in DETERMINERS | RELATIVE | {"and", "or"}
            for t in between
        )
        plain = plain and self.tokens[0].word in DETERMINERS and not between[0].is_gerund
        if not plain or is_business(subject.head) or not is_business(words[-1]) or self.result.business:
            return subject
        return replace(subject, text=" ".join(words), tokens=tuple(self.tokens[:verb]), end=verb)

    def _beside(self, subject: NounPhrase | None) -> None:
        """ "A bakery and a law firm": businesses that are named beside the first."""
        while subject is not None and subject.end + 1 < len(self.tokens):
            behind = self.tokens[subject.end]
            joined = behind.text == "," or behind.word in CONJUNCTIONS
            further = noun_phrase(self.tokens, subject.end + 1) if joined else None
            if further is None or further.determiner not in ("a", "an") or not is_business(further.head):
                return
            self.result.others.append(further)
            subject = further

    def _subject(self, subject: NounPhrase | None, verb: int) -> NounPhrase | None:
        """Who acts in the sentence: None for the business itself."""
        if subject is None:
            if self.result.business is None and self.tokens[0].word in _SPEAKERS:
                self.result.business = NounPhrase("company", (), verb)  # "We grind knives"
            return None
        mine = self.result.business
        if mine is None and (whose := self._whose_people(subject, verb)) is not None:
            self.result.business = whose
            return subject
        self._describing(self.tokens[subject.end : verb])
        if mine is None:
            things = is_of_things(subject) and self._goes_out(verb)
            joint = things or (self._is_joint(subject) and verb < len(self.tokens))  # not "Window cleaners."
            name = "company" if things or "staff" in kinds_of(subject.text) else "association"
            of_many = self._ours(verb) or NounPhrase(name, (), verb)
            self.result.business = of_many if joint else subject
            return subject if joint else self._who_acts_there(subject, verb)
        if subject.text == mine.text or subject.head == mine.head:
            return None
        named = is_business(subject.head) and not self._works_here(subject.head)
        if named and len(subject.tokens) > 0 and self.tokens[0].word in ("a", "an"):
            self.result.others.append(subject)
            return None
        return subject

    def _works_here(self, noun: str) -> bool:
        """ "Translators' cooperative: a translator translates": whether a noun is who the business is of."""
        mine = self.result.business
        return mine is not None and "staff" in kinds_of(noun) and noun in mine.text.split()

    def _of_one_more(self, place: int) -> int:
        """The place of the verb of "a second one proofreads", one of those who work there; 0 of others."""
        words = [token.word for token in self.tokens[place : place + 3]]
        at = place + (words.index("one") if words[:1] == ["a"] and "one" in words else -1) + 1
        verb = self.tokens[at] if place < at < len(self.tokens) else None
        return at if verb is not None and verb.is_third_person and verb.verb in verbs() else 0

    def _they_who_were_named(self, verb: int) -> NounPhrase | None:
        """ "They bring the fruit": those who were named last, where the business is "we"; None of others."""
        mine, speaks = self.result.business, any(t.word in _FIRST_PERSON for t in self.result.tokens)
        they = self.tokens[0].word == "they" and verb <= _NEAR
        return self._people() if they and speaks and mine is not None else None

    def _who_acts_there(self, subject: NounPhrase, verb: int) -> NounPhrase | None:
        """ "A food bank where families collect parcels": who acts at the business; None for itself."""
        where = self.tokens[subject.end : subject.end + 1]
        if not where or where[0].word != "where":
            return None
        people = noun_phrase(self.tokens, subject.end + 1, stop=verb)
        return people if people is not None and acts(people) else None

    def _ours(self, verb: int) -> NounPhrase | None:
        """ "Students rent rooms in our dormitory": whose rooms they are."""
        for place in range(verb + 1, len(self.tokens)):
            word, before = self.tokens[place].word, self.tokens[place - 1].word
            owned = noun_phrase(self.tokens, place)
            if owned is None:
                continue
            named = is_business(owned.head)
            described = self.tokens[owned.end + 1 : owned.end + 2] if owned.end < len(self.tokens) else []
            if word == "our" and described and described[0].word in ("who", "which"):
                return owned  # "Farmers call our hoof trimmer, who visits them"
            if word in ("our", "my") and before in ("in", "at", "from", "for"):
                return owned if named or "party" not in kinds_of(owned.text) else None
            if named and word in ("a", "an", "the") and before in ("at", "to", "with"):
                return owned  # "Customers drop off shoes at a cobbler"
        return None

    def _whose_people(self, subject: NounPhrase, verb: int) -> NounPhrase | None:
        """The business that those who act belong to, call on or are served by; None where none is said."""
        if (whose := self._people_of_ours(subject, verb)) is not None:
            return whose
        ours = self._ours(verb) if subject.many and not subject.determiner else None
        if ours is not None and self.tokens[ours.end - len(ours.tokens) - 1].word == "our":
            return ours
        return NounPhrase("company", (), verb) if self._is_served(subject) else None

    def _people_of_ours(self, subject: NounPhrase, verb: int) -> NounPhrase | None:
        """ "Volunteers of our hospital treat ...": of which business those are who act; None of others."""
        behind = [token.word for token in self.tokens[subject.end : subject.end + 2]]
        if not subject.many or behind not in (["of", "our"], ["at", "our"], ["in", "our"]):
            return None
        ours = noun_phrase(self.tokens, subject.end + 1, stop=verb)
        named = ours is not None and is_business(ours.head)
        return None if is_business(subject.head) and not named else ours

    def _goes_out(self, verb: int) -> bool:
        return [token.word for token in self.tokens[verb : verb + 2]] == ["go", "out"]

    def _is_joint(self, subject: NounPhrase) -> bool:
        """ "Villagers share a tractor": whether several people without an article act for themselves."""
        kinds = kinds_of(subject.text)
        people = kinds[:1] in (("party",), ("staff",)) and not is_business(subject.head)
        return subject.many and not subject.determiner and people

    def _is_served(self, subject: NounPhrase) -> bool:
        """ "People leave bags, and we wash them": whether those who act are served by who speaks."""
        speaks = any(token.word in _SPEAKERS for token in self.tokens[subject.end :])
        return speaks and subject.many and "party" in kinds_of(subject.text) and not is_business(subject.head)
