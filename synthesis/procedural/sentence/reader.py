"""Reader: a sentence becomes its business, its processes with their objects, and the kinds of its nouns."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from synthesis.procedural.sentence.asides import without_asides
from synthesis.procedural.sentence.circumstances import BECOMING, circumstance
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, TELLING, Parse
from synthesis.procedural.sentence.framing import (
    further_owned,
    proper_names,
    sentences_of,
    unwrapped,
    with_light_verbs,
    without_contact,
    without_names,
)
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_business, is_dealing, kinds_of, verbs
from synthesis.procedural.sentence.modifiers import is_passive, negated
from synthesis.procedural.sentence.naming_clauses import without_naming
from synthesis.procedural.sentence.offers import without_offers
from synthesis.procedural.sentence.phrases import NounPhrase, ends_phrase, noun_phrase
from synthesis.procedural.sentence.references import Main, acts
from synthesis.procedural.sentence.statement_reader import StatementReader
from synthesis.procedural.sentence.subclauses import (
    TEMPORAL,
    clause_of_pronoun,
    lacks_object,
    main_auxiliary,
    relative_of_subject,
    subclause_at,
    verb_at,
)
from synthesis.procedural.sentence.tokens import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    STATIVE,
    SUBORDINATORS,
    SentenceToken,
    tokens_of,
)
from synthesis.procedural.sentence.verb_positions import main_verb

_HAVING = frozenset(("has", "have"))
_SINGULAR = frozenset(("has", "is", "does"))
"""Auxiliaries with which further verbs agree in the form "sells"."""
_FOR_THEM = frozenset(("billing", "case"))
"""Patterns of verbs that people are the party of whatever is done: "comics, who are paid a share"."""
_AGAINST = frozenset(["fine", "ban", "exclude", "expel", "penalise", "penalize", "refuse", "reject", "evict"])
"""Verbs of what is done to people for what they do, which is no process."""
_THOSE = frozenset(("those", "anyone", "anybody", "everyone", "everybody"))
_CONTRASTING = frozenset(("while", "whereas"))


def parse(text: str) -> Parse:
    """The parse of one or several sentences about one business."""
    tokens = tokens_of(text)
    result = Parse(names=proper_names(tokens))
    named = {token.place for token in result.names}
    tokens = without_names(tokens, named)
    tokens, result.called = without_naming(tokens)
    tokens = with_light_verbs(unwrapped(without_contact(tokens)))
    result.tokens = tokens
    read, aside = without_asides(tokens)
    read, result.offers, offering = without_offers(read)
    result.silent += [*aside, *offering]
    for sentence in sentences_of(read):
        _SentenceReader(result, sentence).read()
    for place in further_owned(tokens):
        owned = noun_phrase(tokens, place)
        if owned is not None and is_business(owned.head):
            result.others.append(owned)
    for clause, following in reversed(list(pairwise(result.clauses))):
        adjacent = clause.tokens[-1].place + 2 == following.tokens[0].place
        if not clause.roles and adjacent and clause.agent is following.agent and OBJECT in following.roles:
            clause.roles[OBJECT] = following.roles[OBJECT]  # "repairs and resells them"
    return result


class _SentenceReader(StatementReader):
    """One sentence being read, from left to right."""

    def read(self) -> None:
        """Read the whole sentence into the parse."""
        if self._those_who():
            return
        verb = main_verb(self.tokens, 0)
        verb = main_auxiliary(self.tokens, verb) if verb is not None else None
        subject = noun_phrase(self.tokens, 0, stop=verb)
        if verb is not None and subject is not None and subject.many:
            verb = self._behind_who(subject.end) or verb
        subject = self._whole_name(subject, verb) if subject is not None and verb is not None else subject
        if verb is None:
            self._without_verb(subject)
            return
        if is_passive(self.tokens, verb) and subject is not None and self._passive(subject, verb):
            return
        if self._only_states(subject, verb):
            self.main = Main(False, subject if subject is not None and acts(subject) else None)
            self._rest(self._state_clause(0, verb), self.main.agent)
            return
        if subject is None and self._of_earlier(verb):
            self._rest(self._verb_group_of_earlier(verb), None)
            return
        itself = subject if is_passive(self.tokens, verb) and self.result.business is None else None
        agent = self._subject(subject, verb) or self._they_who_were_named(verb)
        self.third = self.tokens[verb].is_third_person or self.tokens[verb].word in _SINGULAR
        self.main = Main(self.third, agent)
        self.embedded = relative_of_subject(self.tokens, verb)
        place = self._verb_group(verb, agent)
        if itself is not None and self.clause is not None and "place" in kinds_of(itself.head):
            self.clause.roles[OBJECT] = [replace(itself, text=itself.head, tokens=itself.tokens[-1:])]
        self._rest(place, agent)

    def _those_who(self) -> bool:
        """Read "those who miss three meetings are dropped"; whether the sentence is such a one."""
        words = [token.word for token in self.tokens[:2]]
        about = self._people() if words[-1:] == ["who"] and words[0] in _THOSE else None
        verb = self._behind_who(1) if about is not None else 0
        if about is None or not verb:
            return False
        self._describing(self.tokens[1:verb])
        self.third, self.main = False, Main(True, None)
        passive = is_passive(self.tokens, verb)
        place = self._done_to(about, verb) if passive else self._verb_group(verb, about)
        self._rest(place, None if passive else about)
        return True

    def _of_earlier(self, verb: int) -> bool:
        """ "It can be borrowed for two days": whether a sentence goes on about a thing of the one before."""
        about = self.tokens[verb - 1].word in ("it", "they", "these", "those")
        return bool(verb) and about and bool(self.result.clauses) and is_passive(self.tokens, verb)

    def _verb_group_of_earlier(self, verb: int) -> int:
        earlier, many = [*self.result.clauses], self.tokens[verb - 1].word != "it"
        behind = self._verb_group(verb, None)
        if self.clause is not None:
            self.clause.roles[OBJECT] = [*self._antecedents(earlier, many=many)]
        self.third, self.main = False, Main(True, None)
        return behind

    def _passive(self, subject: NounPhrase, verb: int) -> bool:
        """ "Yachts are stored by a boatyard": whether it is the boatyard's sentence, and was read."""
        by = next((n for n in range(verb, len(self.tokens)) if self.tokens[n].word == "by"), None)
        agent = noun_phrase(self.tokens, by + 1) if by is not None else None
        own = agent is not None and by is not None and self._is_company(agent, by)
        if self.result.business is None:
            if not own and is_business(subject.head):
                return False
            self.result.business = agent if own else NounPhrase("company", (), verb)
        self._describing(self.tokens[subject.end : verb])
        place = self._verb_group(verb, None)
        if self.clause is None:
            return False
        self.clause.roles[OBJECT] = [subject]
        self.last, self.third = subject, False
        self.main = Main(True, None)
        self._rest(place, None)
        return True

    def _without_verb(self, subject: NounPhrase | None) -> None:
        """ "A salon with six chairs for dyeing hair": the verbs are gerunds or none."""
        if self.result.clauses and subject is not None:
            self._listed(subject)
            return
        self._subject(subject, subject.end if subject else 0)
        self._beside(subject)
        self._rest(subject.end if subject else 0, None)

    def _listed(self, subject: NounPhrase) -> None:
        """ "does alterations: hems and zips": kinds of what the clause before is about."""
        self.clause = self.result.clauses[-1]
        self.clause.roles.setdefault("about", []).append(subject)
        place = subject.end
        while place < len(self.tokens):
            further = noun_phrase(self.tokens, place)
            if further is not None:
                self.clause.roles["about"].append(further)
            place = further.end if further is not None else place + 1

    def _is_temporal(self, place: int) -> bool:
        return self.tokens[place].word in TEMPORAL and subclause_at(self.tokens, place + 1) is not None

    def _further_clause(self, place: int, before: SentenceToken | None) -> int | None:
        """The place behind the verb of a clause with a subject of its own; None where none begins."""
        if self._joins_passive(place, before):
            return self._done_also(place)
        if (done := self._further_passive(place, before)) is not None:
            return self._done_to(done, done.end)
        further = self._speaks(place, before)
        further = further if further is not None else self._stated(place, before)
        return further if further is not None else self._further_subject(place, before)

    def _further_subject(self, place: int, before: SentenceToken | None) -> int | None:
        """The place behind the verb of people who are named, or are a pronoun; None of neither."""
        if (inner := self._own_subject(place, before)) is not None:
            self._describing(self.tokens[inner.subject.end : inner.verb])
            self.third = not inner.subject.many
            return self._verb_group(inner.verb, inner.subject)
        verb = self._verb_of_pronoun(place)
        if verb is not None:
            return self._of_pronoun(verb)
        return self._lets_or_has(place) if self.tokens[place].word in _HAVING else None

    def _done_also(self, place: int) -> int:
        """ "are tested, dried and stored": a further act on the same subject."""
        objects = self.clause.roles[OBJECT] if self.clause is not None else []
        behind = self._begin(place, None)
        if self.clause is not None:
            self.clause.roles[OBJECT] = [*objects]
        return behind

    def _lets_or_has(self, place: int) -> int | None:
        let = self._let(place)
        done = let if let is not None else self._has_done(place)
        return done if done is not None else self._owns(place)

    def _rest(  # noqa: C901, PLR0912 - one branch per kind of token
        self, place: int, agent: NounPhrase | None
    ) -> None:
        role = OBJECT
        while place < len(self.tokens):
            token = self.tokens[place]
            before = self.tokens[place - 1] if place else None
            if not token.is_word or token.word in CONJUNCTIONS or self._is_of_verb(token):
                place += 1
            elif read := self._described_by_others(place):
                place, role = read, OBJECT
            elif (inner := self._object_relative(place)) is not None and self.last is not None:
                place, role = self._done_by(inner, self.last), OBJECT
            elif (act := self._relative_of_pronoun(place)) and self.last is not None:
                place, role = self._done_by_pronoun(act, self.last), OBJECT
            elif token.word in RELATIVE and self.last is not None and self._relative(place):
                place, role = self._relative_clause(place, self.last)
            elif token.word in SUBORDINATORS or self._is_temporal(place):
                place, role = self._subordinate(place)
            elif self._joins(place, before):
                agent = self._agent_of_joined(agent)
                place, role = self._begin(place, agent), OBJECT
            elif self._joins_modal(place, before):
                place, role = self._further_modal(place, agent), OBJECT
            elif self._joins_main(place, before):
                self.third, agent = self.main.third, self.main.agent
                place, role = self._begin(place, agent), OBJECT
            elif (verb := self._other_business(place)) is not None:
                place, role = self._begin(verb, None), OBJECT
            elif (behind := self._further_clause(place, before)) is not None:
                place, role = behind, OBJECT
                agent = self.clause.agent if self.clause is not None else agent
            elif (state := self._state_at(place)) is not None:
                place = self._state(state)
            elif self.embedded and self._main_verb_behind(place) == place:
                self.embedded = False
                place, role = self._begin(place, self.main.agent), OBJECT
            elif token.word in PREPOSITIONS:
                place, role = self._preposition(place)
            else:
                place = self._phrase(place, role)

    def _other_business(self, place: int) -> int | None:
        """The place of the verb of ", and next door a law firm opens cases"; None where no such clause is."""
        joined = any(
            token.text == "," or token.word in CONJUNCTIONS or token.word in _CONTRASTING
            for token in self.tokens[max(place - 3, 0) : place]
        )
        verb = main_verb(self.tokens, place) if joined and self.tokens[place].word in ("a", "an") else None
        subject = noun_phrase(self.tokens, place, stop=verb) if verb is not None else None
        if verb is None or subject is None or subject.end != verb or verb + 1 >= len(self.tokens):
            return None
        mine = self.result.business
        mine_too = mine is not None and subject.head == mine.head
        if not is_business(subject.head) or mine_too or self._works_here(subject.head):
            return None
        if self.tokens[verb + 1].word in PRONOUNS or is_dealing(self.tokens[verb].verb):
            return None  # "and a supplier delivers flour"
        self.result.others.append(subject)
        return verb

    def _is_company(self, agent: NounPhrase, by: int) -> bool:
        people = {"party", "staff"} & set(kinds_of(agent.text)) or agent.head == "person"
        article = self.tokens[by + 1].word
        return is_business(agent.head) or (article in DETERMINERS and not people)

    def _relative_of_pronoun(self, place: int) -> int:
        """ "people whom we visit": the place of such a verb; 0 where none is, or more is said of it."""
        near = self.last is not None and place - self.last.end <= 1
        if (
            not near
            or self.tokens[place].word not in ("that", "which", "whom")
            or place + 1 >= len(self.tokens)
        ):
            return 0
        verb = clause_of_pronoun(self.tokens, place + 1)
        return verb if verb and self.tokens[verb].verb in verbs() and lacks_object(self.tokens, verb) else 0

    def _done_by_pronoun(self, verb: int, about: NounPhrase) -> int:
        objects = self._named_with(about)
        agent = self._they(verb)
        if negated(self.tokens[about.end : verb]):
            return self._state(verb)
        behind = self._begin(verb, agent)
        if self.clause is not None:
            self.clause.roles[OBJECT] = objects
        return behind

    def _relative_clause(self, place: int, about: NounPhrase) -> tuple[int, str]:
        """ "aircraft that failed inspection": of what acts for nobody only the state is read."""
        mine = self.result.business
        verb = self._behind_adverbs(place + 1)
        assert verb is not None
        thing = not acts(about) or (
            is_passive(self.tokens, place + 1) and not {"party", "staff"} & set(kinds_of(about.text)[:1])
        )
        if self.tokens[place].word != "who" and about is not mine and thing:
            return self._state_of_thing(place + 1), OBJECT
        if self.clause is not None and self.clause.verb in _AGAINST and self.tokens[place].word == "who":
            return self._whole_state(place + 1), OBJECT  # "fines those who park on pavements"
        if verb.verb in STATIVE or self._only_describes(place + 1) or self._only_is(place + 1):
            return self._by_others(self._state_of_thing(place + 1)), OBJECT  # "people who need company"
        if verb.verb == "let" and (let := self._letting(place + 1, self.tokens.index(verb))):
            return let, OBJECT
        own = about is mine or (mine is not None and about.text == mine.text)
        self.third = verb.is_third_person
        done = is_passive(self.tokens, place + 1) and verb_at(self.tokens, place + 1)
        if done and not own and verbs().get(done) not in _FOR_THEM:
            return self._done_to(about, place + 1), OBJECT  # "patients who are admitted"
        return self._verb_group(place + 1, None if own else about), OBJECT

    def _subordinate(  # noqa: PLR0911 - one answer per kind of clause
        self, place: int
    ) -> tuple[int, str]:
        """ "when storms close the harbour": a clause of its own, or a role of the one before."""
        word = self.tokens[place].word
        goes_on = place + 1 < len(self.tokens)
        other = self._other_business(place + 1) if goes_on and word in _CONTRASTING else None
        if other is not None:
            return self._begin(other, None), OBJECT
        gerund = self._begin(place + 1, None) if goes_on and self.tokens[place + 1].is_gerund else None
        if (end := gerund or self._there_is(place)) is not None:
            return end, OBJECT
        inner = subclause_at(self.tokens, place + 1) if word in TEMPORAL else None
        verb = inner.verb if inner is not None else main_verb(self.tokens, place + 1, any_verb=True)
        comma = next(
            (p for p in range(place, len(self.tokens)) if self.tokens[p].text == ","), len(self.tokens)
        )
        if verb is None or verb > comma:
            of = place + 1 < len(self.tokens) and self.tokens[place + 1].word == "of"
            return place + 1 + of, word
        subject = noun_phrase(self.tokens, place + 1, stop=verb)
        idle = word == "while" and subject is None and self.tokens[verb].verb in STATIVE
        if idle or (self.clause is None and verbs().get(self.tokens[verb].verb, NEUTRAL) == NEUTRAL):
            self.result.silent.append(self.tokens[verb])
            return verb + 1, OBJECT  # "mends clocks while you wait", which nobody is said to do
        if (
            subject is not None
            and (happening := circumstance(self.tokens, subject, place + 1, verb)) is not None
        ):
            if self.clause is not None:
                self.clause.roles.setdefault(word, []).append(happening)
            self.result.silent += [each for each in (self.tokens[verb],) if each.word in BECOMING]
            return happening.end, OBJECT
        if subject is not None and (end := self._only_is_so(subject, place, verb)):
            return end, OBJECT
        if subject is not None and self.clause is not None:
            self.clause.roles.setdefault(word, []).append(subject)
        third, self.third = self.third, self.tokens[verb].is_third_person
        if subject is None and (self._only_is(verb) or self._is_of_them(place, verb)):
            return self._state(self._content_from(verb)), OBJECT  # "whether they are fit"
        agent = subject if subject is not None and acts(subject) else self._they_or_people(verb)
        behind = self._verb_group(verb, agent)
        self.third = self.third if verb + 1 < len(self.tokens) else third
        return behind, OBJECT

    def _only_is_so(self, subject: NounPhrase, place: int, verb: int) -> int:
        """The place behind a condition in which people are something, "until families are ready for them", or
        something is done to its subject; 0 of others."""
        if self._only_is(verb) and acts(subject) and self.clause is not None:
            return self._state_clause(place, verb, subject)
        return self._done_to(self._of_same(subject), verb) if is_passive(self.tokens, verb) else 0

    def _further_modal(self, place: int, agent: NounPhrase | None) -> int:
        """ "and mustn't be taken away": a further act; a passive one on what the one before was."""
        passive = is_passive(self.tokens, place)
        actor = self.clause.agent if self.clause is not None else None
        objects = self._passive_subject() or ([actor] if actor is not None else [])
        behind = self._verb_group(place, None if passive else agent)
        if passive and objects and self.clause is not None:
            self.clause.roles[OBJECT] = [*objects]
        return behind

    def _further_passive(self, place: int, before: SentenceToken | None) -> NounPhrase | None:
        """What "and fines are charged" is about; None where no such clause begins."""
        if before is None or not (before.text == "," or before.word in CONJUNCTIONS):
            return None
        named = noun_phrase(self.tokens, place)
        if named is None:
            return None
        subject = self._of_same(named)
        if behind := self._behind_who(subject.end):
            self._describing(self.tokens[subject.end : behind]) if is_passive(self.tokens, behind) else None
            subject = replace(subject, end=behind)
        return subject if is_passive(self.tokens, subject.end) else None

    def _done_to(self, subject: NounPhrase, verb: int) -> int:
        """ "while broken ones are repaired": what is done to the subject."""
        third, self.third = self.third, False
        behind = self._verb_group(verb, None)
        if self.clause is not None:
            self.clause.roles.setdefault(OBJECT, []).append(subject)
        self.third = self.third if verb + 1 < len(self.tokens) else third
        return behind

    def _phrase(self, place: int, role: str) -> int:
        if (behind := self._complement(place, role)) != place:
            return behind
        if self.clause is not None and (same := self._those(place)) is not None:
            self.last = same
            self.clause.roles.setdefault(role, []).append(same)
            return same.end
        if self.clause is not None and ends_phrase(self.tokens, place):
            role = OFTEN
        stop = self._main_verb_behind(place) if self.embedded else None
        phrase = noun_phrase(self.tokens, place, stop=stop)
        if phrase is None:
            return self._pronoun(place, role)
        phrase = self._owned_by_people(self._of_same(phrase))
        role = OBJECT if self._distributes(place, phrase.end, role) else role
        self.last = phrase
        if self.clause is None:
            self.result.extras.append(phrase)
        else:
            if role == OBJECT and self._is_given(place, phrase):
                if self.clause.pattern == TELLING:
                    self.clause.roles.setdefault("of", []).append(phrase)  # "tells the caller a price"
                    return phrase.end
                self.clause.roles.setdefault("to", []).append(self.clause.roles[OBJECT].pop())
            self.clause.roles.setdefault(role, []).append(phrase)
        return phrase.end

    def _is_given(self, place: int, phrase: NounPhrase) -> bool:
        """ "charges guests a fee": whether the object right before a thing is who gets it."""
        objects = self.clause.roles.get(OBJECT, []) if self.clause is not None else []
        receiver = objects[-1] if objects else None
        named = acts(phrase) or "time" in kinds_of(phrase.text)[:1]  # "reminds customers a year later"
        return receiver is not None and receiver.end == place and acts(receiver) and not named
