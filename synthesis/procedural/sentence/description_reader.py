"""Description reader: in what state a sentence says that people and things are, "items found on trains"."""

from __future__ import annotations

from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.inflection import lemmas, participle
from synthesis.procedural.sentence.lexicon import NEUTRAL, verbs
from synthesis.procedural.sentence.modifiers import (
    COPULAS,
    NEGATIONS,
    STATE_WORDS,
    does_something,
    ends_with_state,
    is_passive,
    is_state,
    negated,
    state_end,
    state_of_clause,
)
from synthesis.procedural.sentence.particles import particle_of
from synthesis.procedural.sentence.phrases import NounPhrase, noun_phrase
from synthesis.procedural.sentence.references import ReferenceReader, acts
from synthesis.procedural.sentence.subclauses import NOMINATIVE, lacks_object, subclause_at
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    STATIVE,
    SentenceToken,
)

_HOLDING = frozenset(("hold", "holds", "have", "has"))
"""Verbs of what somebody has, of whom no more is said by it: "pilots who hold a licence"."""
_CAUSING = frozenset(("keep", "have", "get"))
"""Verbs before a state that only say that it is brought about."""
POSSESSING = frozenset(("has", "have", "had"))


class DescriptionReader(ReferenceReader):
    """What is so of what one sentence names."""

    def _describing(self, tokens: list[SentenceToken]) -> None:
        if tokens and tokens[0].word == "who" and does_something(tokens[1:]):
            self.states.append(state_of_clause(tokens[1:]))
            return
        place = 0
        while place < len(tokens):
            if is_state(tokens, place):
                end = state_end(tokens, place)
                self.states.append(" ".join(token.word for token in tokens[place:end]))
                place = end
                continue
            phrase = noun_phrase(tokens, place)
            if phrase is None:
                place += 1
                continue
            self.result.extras.append(phrase)
            place = phrase.end

    def _owns(self, place: int) -> int | None:
        """ ", and has two vans and a trailer": what the business has; None where something else is said."""
        before = self.tokens[place - 1] if place else None
        joined = before is not None and (before.text == "," or before.word in CONJUNCTIONS)
        phrase = noun_phrase(self.tokens, place + 1) if joined and place + 1 < len(self.tokens) else None
        if phrase is None or phrase.tokens[0].is_participle:
            return None
        end = phrase.end
        while phrase is not None:
            self.result.extras.append(phrase)
            end = phrase.end
            listed = end + 1 < len(self.tokens) and (
                self.tokens[end].text == "," or self.tokens[end].word in CONJUNCTIONS
            )
            further = noun_phrase(self.tokens, end + 1) if listed else None
            counted = further is not None and (further.determiner or self.tokens[end + 1].is_number)
            phrase = further if counted else None
        return end

    def _only_describes(self, place: int) -> bool:
        """ "who were referred by a doctor", "who have lost keys": what others did, what is over or not so."""
        verb = self._content_from(place)
        group = self.tokens[place:verb]
        if verb == place and verb < len(self.tokens) and self.tokens[verb].word in _HOLDING:
            return True
        if negated(group) and all(each.word in AUXILIARIES | ADVERBS for each in group):
            return verb < len(self.tokens)
        if verb >= len(self.tokens) or not self.tokens[verb].is_participle:
            return False
        by_others = verb + 1 < len(self.tokens) and self.tokens[verb + 1].word == "by"
        return self.tokens[place].word in POSSESSING or (by_others and is_passive(self.tokens, place))

    def _content_from(self, place: int) -> int:
        """The place of the first word from a place on that carries content, else behind the last."""
        while place < len(self.tokens) and not self.tokens[place].is_content:
            place += 1
        return place

    def _only_is(self, place: int) -> bool:
        """ "who are ill": what somebody is, which nobody does."""
        behind = self.tokens[place + 1 : place + 3]
        is_so = bool(behind) and behind[0].is_content and "ADJ" in lemmas(behind[0].word)
        if self.tokens[place].word not in COPULAS or not is_so:
            return False
        return not behind[0].is_participle and (len(behind) < 2 or not behind[1].is_content)

    def _named_with(self, about: NounPhrase) -> list[NounPhrase]:
        """What a relative clause speaks of: "desks and rooms that members reserve"."""
        listed = self.clause.roles.get(OBJECT, []) if self.clause is not None else self.result.extras
        if about not in listed:
            return [about]
        named = [about]
        for before in reversed(listed[: listed.index(about)]):
            between = self.tokens[before.end : self._start(named[0])]
            if not all(token.text == "," or token.word in CONJUNCTIONS | DETERMINERS for token in between):
                break
            named.insert(0, before)
        return named if all(each.many for each in named) else [about]

    def _start(self, phrase: NounPhrase) -> int:
        return next((n for n, token in enumerate(self.tokens) if token is phrase.tokens[0]), phrase.end)

    def _left(self, place: int) -> int:
        """ "auctions off what people leave behind": things in a state; the place behind it, 0 of no such."""
        if self.tokens[place].word not in ("what", "whatever") or self.clause is None:
            return 0
        following = self.tokens[place + 1 : place + 2]
        if OBJECT not in self.clause.roles and (end := self._what_they_can(place)):
            return end
        is_so = bool(following) and (
            following[0].is_third_person or following[0].word in AUXILIARIES - MODALS
        )
        if is_so and OBJECT not in self.clause.roles:
            return self._whatever_is(place + 1, self.clause)
        inner = subclause_at(self.tokens, place + 1, sure=True)
        if inner is None or OBJECT in self.clause.roles or not lacks_object(self.tokens, inner.verb):
            return 0
        end = inner.verb + 1
        while end < len(self.tokens) and self.tokens[end].word in STATE_WORDS:
            end += 1
        particles = " ".join(token.word for token in self.tokens[inner.verb + 1 : end])
        verb = self.tokens[inner.verb].verb
        self.clause.roles[OBJECT] = [NounPhrase("item", (), place + 1, many=True)]
        self.clause.states.append(f"{participle(verb)} {particles}".strip())
        self._known_people(inner.subject)
        return end

    def _what_they_can(self, place: int) -> int:
        """ "fix what they can": what was named last; the place behind it, 0 where more is said of it."""
        words = [token.word for token in self.tokens[place + 1 : place + 4]]
        if len(words) < 2 or words[0] not in NOMINATIVE or words[1] not in MODALS or self.clause is None:
            return 0
        if len(words) == 3 and self.tokens[place + 3].is_content:
            return 0
        earlier = [each.roles[OBJECT] for each in self.result.clauses if each.roles.get(OBJECT)]
        self.clause.roles[OBJECT] = (
            earlier[-1][-1:] if earlier else [NounPhrase("item", (), place, many=True)]
        )
        return place + 3

    def _whatever_is(self, place: int, clause: Clause) -> int:
        """ "repairs what comes back broken": what was spoken of, in a state; the place behind it."""
        end = place + 1
        while (
            end < len(self.tokens) and self.tokens[end].is_word and self.tokens[end].word not in CONJUNCTIONS
        ):
            end += 1
        done = {token.verb for token in self.tokens[place:end] if token.is_content}
        acted = [each for each in self.result.clauses if each.roles.get(OBJECT)]
        acted = [each for each in acted if each.tokens[0].verb in done] or acted
        earlier = [each.roles[OBJECT] for each in acted]  # "sells what has been seized"
        item = NounPhrase("item", (), place, many=True)
        clause.roles[OBJECT] = [earlier[-1][-1] if earlier else item]
        clause.states.append(" ".join(token.word for token in self.tokens[place:end]))
        self.result.silent.extend(self.tokens[place:end])
        return end

    def _known_people(self, subject: NounPhrase) -> None:
        if self.clause is not None and acts(subject):
            self.clause.roles.setdefault("from", []).append(subject)

    def _behind_adverbs(self, place: int) -> SentenceToken | None:
        while place < len(self.tokens) and self.tokens[place].word in ADVERBS:
            place += 1
        return self.tokens[place] if place < len(self.tokens) else None

    def _state_of_thing(self, place: int) -> int:
        verb = self._content_from(place)
        if verb >= len(self.tokens):
            return verb
        before = len(self.clause.states) if self.clause is not None else 0
        end = self._state(verb)
        if self.clause is not None and negated(self.tokens[place:verb]):
            self.clause.states[before:] = [f"not {state}" for state in self.clause.states[before:]]
        return end

    def _lets_in(self, verb: int) -> bool:
        """ "owners who let crews in": whether nothing is rented to anybody."""
        let = noun_phrase(self.tokens, verb + 1)
        return let is not None and let.end < len(self.tokens) and self.tokens[let.end].word in PARTICLES

    def _asked(self, place: int) -> int:
        """ "records who bought them": what is asked of them; the place behind it, 0 of no question."""
        clause = self.clause
        if (
            clause is None
            or self.tokens[place].word != "who"
            or self.tokens[place - 1] is not clause.tokens[-1]
        ):
            return 0
        end = self._whole_state(place + 1)
        earlier = [each.roles[OBJECT] for each in self.result.clauses[:-1] if each.roles.get(OBJECT)]
        if earlier and {"it", "them"} & {token.word for token in self.tokens[place:end]}:
            clause.roles[OBJECT] = [*earlier[-1]]
        return end

    def _whole_state(self, place: int) -> int:
        """Read a relative clause up to its end as a state; the place behind it."""
        end = place
        while (
            end < len(self.tokens) and self.tokens[end].is_word and self.tokens[end].word not in CONJUNCTIONS
        ):
            end += 1
        if self.clause is not None:
            self.clause.states.append(state_of_clause(self.tokens[place:end]))
        return end

    def _by_others(self, place: int) -> int:
        """ "who were referred by their doctor": those who did that do nothing here; the place behind them."""
        behind = self.tokens[place : place + 1]
        other = noun_phrase(self.tokens, place + 1) if behind and behind[0].word == "by" else None
        if other is None or self.clause is None or not self.clause.states or not acts(other):
            return place
        self.clause.states[-1] += f" by {other.text}"
        return other.end

    def _state_at(self, place: int) -> int | None:
        """The place of a state that begins here, adverbs before it left out: "no longer made"."""
        start = place
        if self._names_more(place):
            return None
        while place < len(self.tokens) and self.tokens[place].word in ADVERBS | {"no"}:
            place += 1
        is_one = place < len(self.tokens) and self._is_state(place, direct=place == start)
        return place if is_one else None

    def _is_state(self, place: int, *, direct: bool) -> bool:
        """Whether a word says in what state a noun before it is: "items found on trains"."""
        direct = direct and self.last is not None and self.last.end == place and place > 0
        return (direct and ends_with_state(self.tokens, place)) or is_state(self.tokens, place)

    def _state(self, place: int) -> int:
        """Read a state; "keeps runways cleared" is what the business does to runways."""
        clause, end = self.clause, state_end(self.tokens, place)
        if clause is None:
            return end
        objects = clause.roles.get(OBJECT, [])
        is_caused = clause.verb in _CAUSING and objects and objects[-1] is self.last
        done = verbs().get(self.tokens[place].verb) != NEUTRAL  # "found" is nothing that is done
        if is_caused and done and self.tokens[place].is_participle:
            particle = particle_of(self.tokens, place)
            clause.verb = f"{self.tokens[place].verb} {particle}".strip()
            self.result.silent.append(clause.tokens[0])
            return place + 1 + bool(particle)
        words = [token.word for token in self.tokens[place:end]]
        before = self.tokens[place - 1].word if place else ""
        over = before in POSSESSING | NEGATIONS  # "have lost their keys", "don't accept their mark"
        holds = (
            over
            or self.tokens[place].word in _HOLDING
            or self.tokens[place].is_gerund
            or self.tokens[place].verb in STATIVE
        )
        if holds and (held := noun_phrase(self.tokens, end)) is not None:
            words.extend(token.word for token in held.tokens)
            end = held.end
        elif holds and self.tokens[place].verb in STATIVE:
            wanted = self.tokens[end : end + 2]
            if len(wanted) == 2 and wanted[0].word == "to" and wanted[1].is_base:
                words.extend(token.word for token in wanted)  # "who wants to build"
                end += 2
        if self.tokens[place].is_gerund and end < len(self.tokens) and self.tokens[end].word in PREPOSITIONS:
            of = noun_phrase(self.tokens, end + 1)  # "people coming out of hospital"
            if of is not None and words[-1] != of.tokens[-1].word:
                words.extend(token.word for token in (self.tokens[end], *of.tokens))
                end = of.end
        clause.states.append(" ".join(words))
        return end
