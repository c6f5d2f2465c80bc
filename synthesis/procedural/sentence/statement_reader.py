"""Statement reader: clauses that only say how something is, "lessons cost £32", "a few clients are diabetic".

Nothing is done by them that records could keep, so they are reported, and the people in them are known.
"""

from __future__ import annotations

from synthesis.procedural.sentence.clause_reader import SPEAKING
from synthesis.procedural.sentence.clauses import OBJECT
from synthesis.procedural.sentence.lexicon import NEUTRAL, verbs
from synthesis.procedural.sentence.modifiers import COPULAS, NOT_BEING, is_passive
from synthesis.procedural.sentence.phrases import NounPhrase, noun_phrase
from synthesis.procedural.sentence.references import acts
from synthesis.procedural.sentence.subclauses import lacks_object, subclause_at
from synthesis.procedural.sentence.subject_reader import SubjectReader
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    STATIVE,
    SentenceToken,
)


class StatementReader(SubjectReader):
    """One sentence being read, some of whose clauses say only how things are."""

    def _stated(self, place: int, before: SentenceToken | None) -> int | None:
        """The place behind a further clause that states something; None where none begins at a place."""
        joined = before is not None and (before.text == "," or before.word in CONJUNCTIONS)
        if not joined or self.clause is None:
            return None
        verb = place if self._gets(place) else self._verb_of_statement(place)
        return self._state_clause(place, verb) if verb else None

    def _gets(self, place: int) -> bool:
        """ "and get every tenth manicure free": whether somebody is only said to have something."""
        behind = self.tokens[place + 1 : place + 2]
        begins = bool(behind) and (behind[0].word in DETERMINERS or behind[0].is_number)
        return begins and self.tokens[place].word in ("get", "gets")

    def _there_is(self, place: int) -> int | None:
        """The place behind "when there is a risk of fire", which is reported; None of other conditions."""
        words = [token.word for token in self.tokens[place + 1 : place + 3]]
        if words[:1] != ["there"] or words[1:] == [] or words[1] not in COPULAS:
            return None
        end = self._end_of_clause(place + 2)
        self.result.note_statement(self.tokens[place:end])
        return end

    def _verb_of_statement(self, place: int) -> int:
        """The place of the verb of a clause that begins at a place and states something; 0 of others."""
        inner = subclause_at(self.tokens, place)
        if inner is None:
            return self._verb_of_several(place)
        if inner.subject.end > inner.verb:
            return 0
        verb = self.tokens[inner.verb]
        if verb.word in COPULAS | NOT_BEING:
            return 0 if is_passive(self.tokens, inner.verb) else inner.verb
        if verb.word in AUXILIARIES:
            return 0
        if not lacks_object(self.tokens, inner.verb) and (acts(inner.subject) or self._is_known(verb)):
            return 0
        return 0 if self._is_known(verb) else inner.verb

    def _verb_of_several(self, place: int) -> int:
        """The place of the verb of "two men and a van turn up"; 0 where no such subject begins at a place."""
        first = noun_phrase(self.tokens, place)
        behind = self.tokens[first.end : first.end + 2] if first is not None else []
        if first is None or len(behind) < 2 or behind[0].word != "and" or behind[1].word not in ("a", "an"):
            return 0
        for verb in range(first.end + 3, min(first.end + 6, len(self.tokens) - 1)):
            token = self.tokens[verb]
            alone = self.tokens[verb + 1].word in PREPOSITIONS and not self._is_known(token)
            if token.is_base and alone and self.tokens[verb - 1].is_content:
                return verb
        return 0

    @staticmethod
    def _is_known(verb: SentenceToken) -> bool:
        return verbs().get(verb.verb, NEUTRAL) != NEUTRAL

    def _state_clause(self, place: int, verb: int, subject: NounPhrase | None = None) -> int:
        """Report a clause, and know the people it is about; the place behind it."""
        end = self._end_of_clause(verb)
        subject = subject or noun_phrase(self.tokens, place, stop=verb)
        if subject is not None and acts(subject):
            self.result.extras.append(subject)
        self.result.note_statement(self.tokens[place:end])
        return end

    def _speaks(self, place: int, before: SentenceToken | None) -> int | None:
        """ ", and we text them": the place behind the verb of those who speak; None where they do nothing."""
        joined = before is not None and (before.text == "," or before.word in CONJUNCTIONS)
        if joined and (verb := self._of_one_more(place)):
            self.third = True
            return self._begin(verb, None)
        if not joined or self.tokens[place].word not in SPEAKING:
            return None
        if self._gets(place + 1):
            return self._state_clause(place, place + 1)  # "and I get a plumber in"
        verb = place + 1
        while verb < len(self.tokens) and self.tokens[verb].word in ADVERBS | AUXILIARIES:
            verb += 1
        token = self.tokens[verb] if verb < len(self.tokens) else None
        if token is None or token.verb not in verbs() or not (token.is_base or token.is_participle):
            return None
        self.third = False
        return self._begin(verb, None)

    def _only_states(self, subject: NounPhrase | None, verb: int) -> bool:
        """Whether a whole sentence states something: its subject does nothing, or only is something."""
        if subject is None or self.result.business is None:
            return False
        token, mine = self.tokens[verb], self.result.business
        if subject.head == mine.head or is_passive(self.tokens, verb):
            return False
        if token.word in COPULAS | NOT_BEING:
            return True
        if token.word in AUXILIARIES:
            return False
        if acts(subject):
            return token.verb in STATIVE and token.is_base
        behind = self.tokens[verb + 1 : verb + 2]
        alone = not behind or behind[0].word in PREPOSITIONS | PRONOUNS or not behind[0].is_content
        return not self._is_known(token) and alone

    def _has_done(self, place: int) -> int | None:
        """ "and has them cleaned": what the business lets others do; None where nothing is done."""
        if place + 2 >= len(self.tokens) or self.tokens[place + 1].word not in ("it", "them"):
            return None
        done = self.tokens[place + 2]
        if not done.is_participle or done.verb not in verbs():
            return None
        behind, earlier = self._begin(place + 2, None), self.result.clauses[:-1]
        objects = self._antecedents(earlier, many=self.tokens[place + 1].word == "them")
        if self.clause is not None:
            self.clause.roles[OBJECT] = [*objects]
        return behind

    def _is_of_verb(self, token: SentenceToken) -> bool:
        """Whether a word is the particle of the verb of its clause, "up" of "sign their children up"."""
        return self.clause is not None and token in self.clause.tokens[1:]
