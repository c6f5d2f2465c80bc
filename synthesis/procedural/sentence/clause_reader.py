"""Clause reader: what a reader of a sentence knows of its clauses, and how phrases and states join them."""

from __future__ import annotations

from dataclasses import replace

from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.description_reader import POSSESSING, DescriptionReader
from synthesis.procedural.sentence.inflection import gerund, lemmas, singular
from synthesis.procedural.sentence.lexicon import kinds_of, verbs
from synthesis.procedural.sentence.modifiers import (
    NEGATIONS,
    NOT_BEING,
    is_passive,
    is_past,
    is_state,
)
from synthesis.procedural.sentence.particles import (
    new_particle_of,
    particle_behind_object,
    particle_behind_pronoun,
    particle_of,
)
from synthesis.procedural.sentence.phrases import NounPhrase, is_of_things
from synthesis.procedural.sentence.references import acts
from synthesis.procedural.sentence.subclauses import (
    Subclause,
    clause_of_pronoun,
    lacks_object,
    object_relative,
    subclause_at,
)
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    SentenceToken,
)
from synthesis.procedural.sentence.verb_positions import starts_verb, takes_object

SPEAKING = frozenset(("we", "i"))
_GOING_ON = frozenset(("keep", "start", "begin", "stop"))
"""Verbs before another one in -ing, which say only that this is done."""
_GOING_OUT = "go out"
_LETTING = frozenset(("let", "have", "make", "help"))
"""Verbs before somebody and a further verb: what is done is done by those."""
_IS = frozenset(("is", "are"))
_AFTER_ACT = ADVERBS | CONJUNCTIONS | SUBORDINATORS | PREPOSITIONS
_BEING = frozenset(("is", "are", "be", "was", "were", "been")) | NOT_BEING
_DENYING = NEGATIONS & AUXILIARIES - {"not"} | {"do", "does"}
_SUBJECT_WORDS = 3
"""Words of a subject that a further clause may have."""


class ClauseReader(DescriptionReader):
    """The clauses of one sentence while they are read."""

    def _verb_group(self, place: int, agent: NounPhrase | None) -> int:
        """Begin a clause at a verb or auxiliary; the place behind the verb."""
        token = self.tokens[place]
        passive = False
        while place < len(self.tokens) and (
            self.tokens[place].word in AUXILIARIES or self.tokens[place].word in ADVERBS
        ):
            passive = passive or self.tokens[place].word in _BEING
            place += 1
        behind = self.tokens[place + 1 : place + 2]
        if self.tokens[place - 1].word in POSSESSING and behind and behind[0].is_base:
            place += self.tokens[place].word == "to"  # "have to pick them up"
        if place >= len(self.tokens):
            return place
        token = self.tokens[place]
        if self.tokens[place - 1].word in POSSESSING and not token.is_participle:
            return place  # "has berths"
        if not token.verb or (passive and not (is_past(token) or token.is_gerund)):
            return place  # "is a bakery that ..."
        return self._begin(place, agent)

    def _begin(self, place: int, agent: NounPhrase | None) -> int:
        token = self.tokens[place]
        if token.verb == "help" and (helped := self._help(place)) is not None:
            return helped
        if token.verb in _LETTING and (done := self._let(place)) is not None:
            return done
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else token
        if token.verb in _GOING_ON and following.is_gerund and following.verb in verbs():
            self.result.silent.append(token)  # "tenants keep reporting leaks"
            return self._begin(place + 1, agent)
        particle = particle_of(self.tokens, place) or new_particle_of(self.tokens, place)
        taken = [token] + ([self.tokens[place + 1]] if particle else [])
        behind = place + len(taken)
        if not particle and (particle := particle_behind_pronoun(self.tokens, place)):
            taken.append(self.tokens[place + 2])  # "drop them off"
        if not particle and (apart := particle_behind_object(self.tokens, place)) is not None:
            particle = apart.word
            taken.append(apart)
        verb = f"{token.verb} {particle}".strip()
        self.clause = Clause(verb, agent=agent, tokens=taken, states=self.states)
        if verb == _GOING_OUT and agent is not None and is_of_things(agent):
            self.clause.agent, self.clause.roles = None, {OBJECT: [agent]}  # "props go out by the week"
        self.states = []
        self.result.clauses.append(self.clause)
        self.last = None
        return behind

    def _end_of_clause(self, verb: int) -> int:
        """Where the clause of a verb ends: before a sign or conjunction behind which another one begins."""
        for place in range(verb + 1, len(self.tokens) - 1):
            token = self.tokens[place]
            joins = token.text == "," or token.word in CONJUNCTIONS
            if joins and self._begins_clause(place + 1):
                return place
        return len(self.tokens)

    def _begins_clause(self, place: int) -> bool:
        if self.tokens[place].word in CONJUNCTIONS and place + 1 < len(self.tokens):
            place += 1
        token = self.tokens[place]
        if token.word in SPEAKING | MODALS or starts_verb(self.tokens, place, third=self.main.third):
            return True
        return subclause_at(self.tokens, place) is not None

    def _help(self, place: int) -> int | None:
        """ "helps people fill in forms": who is helped, and with what, which is reported; None of others."""
        inner = subclause_at(self.tokens, place + 1, bare=True)
        if inner is None or not acts(inner.subject) or not inner.subject.many:
            return None
        self.clause = Clause("help", {OBJECT: [inner.subject]}, tokens=[self.tokens[place]])
        self.result.clauses.append(self.clause)
        self.last = inner.subject
        end = self._end_of_clause(inner.verb)
        self.result.note_statement(self.tokens[inner.verb : end])
        return end

    def _let(self, place: int) -> int | None:
        """ "lets members reserve beds": what others do; None where the verb is only done to something."""
        inner = self._those_let(place) or subclause_at(self.tokens, place + 1, bare=True)
        if inner is None:
            return None
        last = self._last_joined(inner.verb)
        named = last + 1 < len(self.tokens) and self.tokens[last + 1].is_content  # no verb stands there
        only_verb = "NOUN" not in lemmas(self.tokens[last].word) or self.tokens[last].verb in verbs()
        alone = acts(inner.subject) and inner.subject.many and only_verb
        if lacks_object(self.tokens, last) and not named and not alone:
            return None  # but "lets relatives visit"
        if kinds_of(inner.subject.text) and not acts(inner.subject):
            return None
        self.result.silent.append(self.tokens[place])
        self._describing(self.tokens[inner.subject.end : inner.verb])
        self.third = False
        denied = self.tokens[place - 1].word in NEGATIONS if place else False
        behind = self._begin(inner.verb, inner.subject)
        if self.clause is not None:
            self.clause.denied = denied
        return behind

    def _those_let(self, place: int) -> Subclause | None:
        """ "lets them pause deliveries": those who were named last and what they do."""
        behind = self.tokens[place + 1 : place + 3]
        if len(behind) < 2 or behind[0].word not in ("them", "us") or not behind[1].is_base:
            return None
        people = self._people()
        return Subclause(replace(people, end=place + 2), place + 2) if people is not None else None

    def _last_joined(self, verb: int) -> int:
        """The place of the last of several verbs: of "choose and cut their trees" the last."""
        while (
            verb + 2 < len(self.tokens)
            and self.tokens[verb + 1].word in CONJUNCTIONS
            and self.tokens[verb + 2].is_base
        ):
            verb += 2
        return verb

    def _letting(self, place: int, verb: int) -> int:
        """The place behind what people of a relative clause let happen; 0 where they let something out."""
        return self._whole_state(place) if self._lets_in(verb) else self._allowed(verb)

    def _allowed(self, place: int) -> int:
        """ "those who let weeds grow": what they let happen is a state of theirs; 0 where it is an act."""
        inner = subclause_at(self.tokens, place + 1, bare=True)
        if inner is None or self.clause is None or not lacks_object(self.tokens, inner.verb):
            return 0
        words = [gerund(self.tokens[place].verb), *(t.word for t in self.tokens[place + 1 : inner.verb + 1])]
        self.clause.states.append(" ".join(words))
        return inner.verb + 1

    def _own_subject(self, place: int, before: SentenceToken | None) -> Subclause | None:
        """A further clause with a subject of its own: ", and researchers may request samples"."""
        if before is None or not (before.text == "," or before.word in CONJUNCTIONS):
            return None
        inner = subclause_at(self.tokens, place)
        if inner is None or not acts(inner.subject) or len(inner.subject.tokens) > _SUBJECT_WORDS:
            return None
        certain = self.tokens[inner.verb].word in AUXILIARIES or not lacks_object(self.tokens, inner.verb)
        return inner if certain or self._acts_alone(inner) else None

    def _acts_alone(self, inner: Subclause) -> bool:
        """ "guests book online", "a translator translates": people and a known verb of theirs, with only how
        behind it."""
        following = self.tokens[inner.verb + 1 : inner.verb + 2]
        how = not following or not following[0].is_word or following[0].word in _AFTER_ACT
        how = how or ("ADV" in lemmas(following[0].word) and "NOUN" not in lemmas(following[0].word))
        worker = "staff" in kinds_of(inner.subject.text) and self.tokens[inner.verb].is_third_person
        return how and (inner.subject.many or worker) and self.tokens[inner.verb].verb in verbs()

    def _object_relative(self, place: int) -> Subclause | None:
        near = self.last is not None and place - self.last.end <= 1
        if self.last is None or not near or self.tokens[place].word not in ("that", "which", "whom"):
            return None
        return object_relative(self.tokens, place + 1, self.last)

    def _relative(self, place: int) -> bool:
        following = self._behind_adverbs(place + 1)
        return following is not None and bool(following.verb or following.word in AUXILIARIES)

    def _verb_of_pronoun(self, place: int) -> int | None:
        if self.clause is None or self.tokens[place - 1] is self.clause.tokens[-1]:
            return None
        return clause_of_pronoun(self.tokens, place) or None

    def _of_pronoun(self, verb: int) -> int:
        """ "to whom it pays commission": an act of the business; "what they use": a state."""
        if lacks_object(self.tokens, verb) or self.clause is None:
            return self._state(verb)
        return self._begin(verb, self._they(verb))

    def _main_verb_behind(self, place: int) -> int | None:
        """Where the main clause goes on: "A sweep that cleans flues issues certificates"."""
        for number in range(place, len(self.tokens) - 1):
            token, following = self.tokens[number], self.tokens[number + 1]
            if not token.is_content and (number > place or token.word not in DETERMINERS):
                return None
            known = number > 0 and self._goes_on(number)
            has_object = following.is_content or following.word in DETERMINERS | PRONOUNS
            if known and self.tokens[number - 1].is_content and has_object:
                return number
        return None

    def _goes_on(self, place: int) -> bool:
        """Whether a word in the form "hands" is a verb: a known one, or one between two plurals."""
        token, before = self.tokens[place], self.tokens[place - 1]
        between = singular(before.word) != before.word and takes_object(token, self.tokens[place + 1])
        return token.is_third_person and (token.verb in verbs() or between)

    def _joins(self, place: int, before: SentenceToken | None) -> bool:
        """Whether a further verb of the same subject begins here."""
        if self._lists_verbs(place):
            return True
        if before is not None and (
            before.text == "," or before.word in CONJUNCTIONS or before.word in ADVERBS
        ):
            if self.clause is not None and self.clause.tokens[0].is_gerund and self.tokens[place].is_gerund:
                return self.tokens[place].verb in verbs()
            return starts_verb(self.tokens, place, third=self.third)
        return False

    def _lists_verbs(self, place: int) -> bool:
        """ "dries, stores and sells wheat": whether a known verb stands between two others with a comma."""
        behind = self.tokens[place + 1 : place + 3]
        if self.clause is None or place < 2 or len(behind) < 2 or self.tokens[place - 1].text != ",":
            return False
        formed = (
            each.is_third_person if self.third else each.is_base for each in (self.tokens[place], behind[1])
        )
        joined = self.tokens[place - 2] is self.clause.tokens[-1] and behind[0].word in CONJUNCTIONS
        known = self.tokens[place].verb in verbs() and behind[1].verb in verbs()
        return joined and known and all(formed)

    def _agent_of_joined(self, agent: NounPhrase | None) -> NounPhrase | None:
        """Who does what a further verb says: in "lets families choose and cut trees" the families."""
        if self.clause is None or self.third == self.main.third:
            return agent
        return self.clause.agent if self.third else self.clause.agent or agent

    def _joins_modal(self, place: int, before: SentenceToken | None) -> bool:
        """Whether a further verb of the same subject begins with an auxiliary: "and may give blood"."""
        joined = before is not None and (before.text == "," or before.word in CONJUNCTIONS)
        verb = self._behind_adverbs(place + 1)
        apart = self.tokens[place].word == "not" and before is not None and before.word in CONJUNCTIONS
        modal = apart or self.tokens[place].word in MODALS | _DENYING
        if joined and self.tokens[place].word in NOT_BEING | _IS and self.clause is not None:
            people = self.clause.agent is not None and is_passive(self.tokens, place)
            return people or bool(self._passive_subject() and is_passive(self.tokens, place))
        return joined and modal and verb is not None and (verb.is_base or verb.word in ("not", "be"))

    def _passive_subject(self) -> list[NounPhrase]:
        """What the clause before is done to, if it is passive: what a further "and is sold" speaks of."""
        passive = self.clause is not None and self.clause.tokens[0].is_participle
        return self.clause.roles.get(OBJECT, []) if self.clause is not None and passive else []

    def _joins_passive(self, place: int, before: SentenceToken | None) -> bool:
        """Whether a further act on the same subject begins here: "are tested, dried and stored"."""
        if self.clause is None or before is None or not (before.text == "," or before.word in CONJUNCTIONS):
            return False
        token = self.tokens[place]
        passive = self.clause.tokens[0].is_participle and bool(self.clause.roles.get(OBJECT))
        end = self.clause.tokens[-1].place
        between = [each for each in self.tokens if end < each.place < token.place and each.is_word]
        by_one = (
            bool(between)
            and between[0].word == "by"
            and not any(each.word in PREPOSITIONS for each in between[1:])
        )
        near = end >= before.place - 1 or by_one or self._goes_on_passive(between[:-1], before, place)
        return passive and near and token.is_participle and is_state(self.tokens, place)

    def _goes_on_passive(self, between: list[SentenceToken], before: SentenceToken, place: int) -> bool:
        """ "are grown on our beds in the estuary and sold to shops": whether only where stands between."""
        where = bool(between) and between[0].word in PREPOSITIONS and before.word in CONJUNCTIONS
        plain = not any(each.word in CONJUNCTIONS | AUXILIARIES or each.is_participle for each in between)
        behind = self.tokens[place + 1 : place + 2]
        known = self.tokens[place].verb in verbs() and bool(behind) and behind[0].word in ("to", "by")
        return where and plain and known

    def _joins_main(self, place: int, before: SentenceToken | None) -> bool:
        """Whether a verb goes on with the main clause: "hires guides who lead tours and sells maps"."""
        joined = before is not None and (before.text == "," or before.word in CONJUNCTIONS)
        return (
            joined
            and self.main.third != self.third
            and starts_verb(self.tokens, place, third=self.main.third)
        )

    def _distributes(self, place: int, end: int, role: str) -> bool:
        """ "sells wool to spinners and lambs to butchers": whether one more object begins."""
        joined = role in PREPOSITIONS and self.tokens[place - 1].word in CONJUNCTIONS
        return joined and end < len(self.tokens) and self.tokens[end].word == role
