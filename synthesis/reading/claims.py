"""Claims: acts, names, counts and options of an answer, held against what the right end consists of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from synthesis.reading.acts import LEAVING
from synthesis.reading.claimed_counts import SOME, WHY, ClaimedCounts
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.deeds import TELLING, alike_deeds, is_of_a_day, tells_a_deed, went_to_another
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Deed, Effects, spoken_operations
from synthesis.reading.held_things import held_before
from synthesis.reading.json_values import JsonValues
from synthesis.reading.options import another_option
from synthesis.reading.pairings import is_crossed
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.row_states import RowStates
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, key, stem, word_set

_SUBJECT_FIRST = 3
_HAND, _PASSING = key("hand"), word_set("escalation referral handover")
_WHY_WITHIN = word_set("because since although though whereas")
_BEING = word_set("is are 's was were has have gets got")
_HAVING = word_set("has have")
_HERE = word_set("now back in on with done")
_GOING = word_set("goes moves gets now owes pays")
_LASTING = word_set("stay stays stayed remain remains remained still keep keeps kept be being to")
"""Words after which a participle tells how things are, or are to be, and no act."""
_UNALTERED = _LASTING - word_set("be being to")
_PASSIVE = word_set("was were been is are")
_COMPARING = word_set(
    "more fewer less busier cheaper than already taken occupied unavailable available free away absent off "
    "full next closest another instead would could"
)
_GOING_ON = frozenset((",", "", "and", "(", ":"))
_LEFT_OUT = word_set("skipped omitted excluded left declined refused rejected untouched unchanged")
_OTHERWISE = NEGATIONS | ELSEWHERE | EARLIER | WHY
_LOOKING = word_set("found checked reviewed compared considered saw noticed")
_OTHERS = NEGATIONS | ELSEWHERE | _LEFT_OUT
_SIGNS = frozenset(("x", "X", "×", "*", "=", "/"))
_SUMMING = word_set("in at after")
_ALL = word_set("all every each everything both")
_HISTORY = word_set("had joined waited arrived earlier previously")
"""Words by which it is told how things came to be as they were."""
_FURTHER = word_set("also too additionally likewise")
_MANNER = word_set("in by via with at from")
_MOST = 60


def false_claim(
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    effects: Effects,
    asked: frozenset[str],
    *,
    reported: Sequence[ReportedAct],
    right_words: frozenset[str],
    is_open: bool,
    choices: Sequence[tuple[str, str]] = (),
    is_grounded: bool = False,
) -> str:
    """What a text claims that the right end does not have, in words; empty where nothing is.

    Args:
        document: The answer.
        every_act: Its acts.
        effects: What the right end consists of.
        asked: Keys of the instruction.
        reported: What a right answer claims.
        right_words: Keys of a right answer, without what it denies.
        is_open: Whether the instruction leaves open which act is to be done.
        choices: Pairs of words of which it asks for one or the other.
        is_grounded: Whether its values are held against what calls showed, too.
    """
    claims = _Claims(document, every_act, effects, asked, reported, right_words, is_open, choices)
    return next(claims.false(), "") or ("" if is_grounded else claims.with_another_value())


class _Claims:
    """The claims of one text."""

    def __init__(
        self,
        document: ParsedText,
        every_act: Sequence[ReportedAct],
        effects: Effects,
        asked: frozenset[str],
        reported: Sequence[ReportedAct],
        right_words: frozenset[str],
        is_open: bool,
        choices: Sequence[tuple[str, str]],
    ) -> None:
        self.document, self.tokens, self.effects = document, document.tokens, effects
        self.asked, self.reported, self.is_open = asked, reported, is_open
        self.right_words, self.choices = right_words, choices
        self.acts = [act for act in every_act if not act.denied and act.verb and not self._is_none(act.at)]
        self.done = [
            act for act in every_act if not act.denied and alike_deeds(document, act, effects.needed)
        ]
        self.claims = [act for act in self.acts if self._is_claim(act)]
        self.marks = effects.pairings.marks(document) if effects.pairings else ()

    def false(self) -> Iterator[str]:
        """What is false of them, in words."""
        for act in self.acts:
            if self._is_undone(act):
                yield "it claims what was not done"
        if self._has_another_number() or any(map(self._is_one_more, self.done)):
            yield "it tells another number of acts"
        if any(self._is_of_another(act) for act in self.acts):
            yield "it tells it of something else"
        claimed = [first for first in self._others() if self._is_claimed_of(first)]
        if claimed and not self._remarks().issuperset(claimed):
            yield "it tells it of something else"
        done = [act for act in self.done if self._is_claim(act)]
        if any(map(self._is_of_other_calls, done)) or is_crossed(self.document, self.marks, self._tells):
            yield "it tells together what was not done together"
        if option := another_option(self.document, self.claims, self.effects):
            yield f"it tells another way of doing it: {option}"

    def with_another_value(self) -> str:
        """What is told of an act with a value that nothing of the task has, in words."""
        others = any(self._has_another_value(act) for act in self.acts if not act.limited)
        return "it tells it with another value" if others else ""

    def _has_another_number(self) -> bool:
        done = [act for act in self.done if self._is_claim(act)]
        counts = ClaimedCounts(self.document, self.effects, self.asked)
        miscounted = any(counts.is_miscounted(act) or self._claims_all(act) for act in done)
        return miscounted or counts.miscounts_passively()

    def _is_one_more(self, act: ReportedAct) -> bool:
        """Whether an act that was done once is told once more: "I also rejected the other crate"."""
        alike = alike_deeds(self.document, act, self.effects.needed)
        texts = {token.text for token in self._clause(act.at)}
        is_further = act.own and not texts.isdisjoint(_FURTHER) and bool(act.about)
        before = [other for other in self.done if other.verb == act.verb and other.at < act.at]
        return is_further and bool(before) and {deed.calls for deed in alike} == {1}

    def _is_claim(self, act: ReportedAct) -> bool:
        """Whether an act is told as done now: not of something else, no state that remains."""
        before = [token.text for token in self.tokens[max(0, act.at - 2) : act.at]]
        is_necessity = before == ["to", "be"] and self.tokens[act.at - 3].text in ("had", "needed")
        is_lasting = bool(_LASTING.intersection(before)) and not is_necessity
        return not act.limited and not act.state and not is_lasting

    def _is_none(self, at: int) -> bool:
        """Whether an act is the label of a nought: "Cancelled: 0"."""
        after = [token.text for token in self.tokens[at + 1 : at + 5]]
        after = after[2:] if after[:2] in (["so", "far"], ["until", "now"]) else after[:2]
        return len(after) == 2 and after[0] in (":", "-") and after[1] in ("0", "none", "nothing", "no")

    def _went_to_another(self, act: ReportedAct) -> bool:
        """Whether something was not put off but went to somebody else: "moved it to Ada Lund"."""
        sentence = self.document.sentences[self.document.chunks[self.document.chunk_of[act.at]].sentence]
        words = self.tokens[sentence.first : min(sentence.last, sentence.first + 4 * _MOST)]
        return act.verb == key("move") and bool(self.effects.needed) and went_to_another(words)

    def _is_label(self, at: int) -> bool:
        """Whether a word is the label of a value in a list: "- Weighed: 15 September"."""
        after = self.tokens[at + 1 : at + 3]
        return len(after) == 2 and after[0].text == ":" and after[1].kind in ("value", "code")

    def _clause(self, at: int) -> list[TextToken]:
        """The tokens of the clause of a place."""
        chunk = self.document.chunks[self.document.chunk_of[at]]
        return self.tokens[max(chunk.first, at - _MOST) : min(chunk.last, at + _MOST)]

    def _is_why(self, at: int) -> bool:
        chunk = self.document.chunks[self.document.chunk_of[at]]
        return chunk.begins_with in WHY or any(token.text in _WHY_WITHIN for token in self._clause(at))

    def _is_undone(self, act: ReportedAct) -> bool:
        """Whether an act is one for which the world has a tool that did not have to be called."""
        if any(one.verb == act.verb and (one.about & act.about or not act.about) for one in self.reported):
            return False
        is_elsewhere = self._tells_before(act) or self._is_label(act.at) or self._went_to_another(act)
        is_elsewhere = is_elsewhere or self._is_passed_up(act)
        if act.verb in self.right_words or is_elsewhere:
            return False
        alike = alike_deeds(self.document, act, self.effects.deeds)
        done = [deed for deed in alike if deed.calls != 0]
        undone = [deed for deed in alike if deed.calls == 0]
        undone = [deed for deed in undone if not self._is_of_another_noun(act, deed)]
        named = [deed for deed in undone if deed.nouns and deed.nouns <= act.about]
        if act not in self.claims:
            return bool(undone) and not done and self._is_asserted(act, named)
        if done:
            return bool(named) and not any(deed.nouns & act.about for deed in done)
        if any(deed.broad for deed in undone):
            return bool(named) and not self.effects.objects & act.about
        return self._is_named_undone(act, undone, named)

    def _is_passed_up(self, act: ReportedAct) -> bool:
        """Whether "handed over" tells that a matter went to somebody else, where a call did just that."""
        is_over = any(token.text == "over" for token in self.tokens[act.at + 1 : act.at + 4])
        return is_over and act.verb == _HAND and any(deed.words & _PASSING for deed in self.effects.needed)

    def _is_of_another_noun(self, act: ReportedAct, deed: Deed) -> bool:
        """Whether the sentence of an act tells of other rows than a tool with its verb is about."""
        rows = self.effects.rows
        sentence = self.document.sentences[self.document.chunks[self.document.chunk_of[act.at]].sentence]
        words = {
            token.key for token in self.tokens[sentence.first : min(sentence.last, sentence.first + _MOST)]
        }
        if rows is None or deed.nouns <= words:
            return False
        return any(noun[-1] in words and noun[-1] not in deed.nouns for noun in rows.nouns)

    def _tells_before(self, act: ReportedAct) -> bool:
        """Whether an act is told of how it was before or will be: "had been paid", "until it is decided", or
        in a word beside a noun: ", paid in cash"."""
        chunk = self.document.chunks[self.document.chunk_of[act.at]]
        before = [token.text for token in self.tokens[max(chunk.first, act.at - 3) : act.at]]
        after = [token.text for token in self.tokens[act.at + 1 : min(act.at + 2, chunk.last)]]
        is_beside = act.at == chunk.first and chunk.begins_with == "," and bool(_MANNER.intersection(after))
        return "had" in before or is_beside or any(token.text == "until" for token in self._clause(act.at))

    def _is_named_undone(self, act: ReportedAct, undone: Sequence[Deed], named: Sequence[Deed]) -> bool:
        """Whether an act whose verb no called tool has is one of those that were not, or none at all."""
        verb = stem(self.tokens[act.at].text)
        if not undone:
            unsent = self._is_unsent(act) or self._is_other_choice(act, verb)
            return unsent or self._is_another_operation(act, verb)
        if self.effects.explains(verb) or (act.verb in self.asked and undone[0].verb != verb):
            return False
        if named or act.verb not in self.asked:
            return True
        return any(
            deed.nouns and (deed.nouns <= self.asked or (self.is_open and deed.nouns & self.asked))
            for deed in undone
        )

    def _is_unsent(self, act: ReportedAct) -> bool:
        """Whether somebody was told something by no call, where the world has a tool for that."""
        tools = [deed for deed in self.effects.deeds if deed.key in TELLING]
        after = [token.text for token in self.tokens[act.at + 1 : act.at + 2]]
        called = bool(self.effects.called & TELLING)
        return act.own and act.verb in TELLING and bool(tools) and not called and after != ["you"]

    def _is_other_choice(self, act: ReportedAct, verb: str) -> bool:
        """Whether one of two acts that were asked for as a choice is claimed, and the other one was done."""
        if not act.own or act.verb not in self.asked or self.effects.explains(verb):
            return False
        others = {other for one, other in self.choices if one == act.verb}
        others |= {one for one, other in self.choices if other == act.verb}
        return any(self.effects.explains(other) for other in others)

    def _is_another_operation(self, act: ReportedAct, verb: str) -> bool:
        """Whether an act is of a kind that nothing that was asked or done is of: "restored"."""
        before = {token.text for token in self.tokens[max(0, act.at - 3) : act.at]}
        kinds = spoken_operations(act.verb) if act.own or before & _PASSIVE else frozenset()
        known = self.asked | self.effects.called | {one.verb for one in self.reported}
        if not kinds or self.effects.explains(verb) or act.verb in self.effects.objects:
            return False
        known_kinds = frozenset().union(*map(spoken_operations, known))
        return not known_kinds & kinds and not is_of_a_day(self.document, act, self.effects)

    def _is_asserted(self, act: ReportedAct, named: Sequence[Deed]) -> bool:
        """Whether a state is told that was asked for as one of two and not reached: "it is closed"."""
        texts = {token.text for token in self._clause(act.at)}
        if act.limited or texts & (EARLIER | ELSEWHERE | _LASTING) or self._is_why(act.at):
            return False
        asked = [deed for deed in named if deed.nouns <= self.asked]
        return self.is_open and act.verb in self.asked and bool(asked)

    def _is_of_another(self, act: ReportedAct) -> bool:
        """Whether the one thing that was done is told of "the other one"."""
        alike = alike_deeds(self.document, act, self.effects.deeds)
        if not act.limited or [deed.calls for deed in alike] != [1]:
            return False
        texts = [token.text for token in self._clause(act.at)]
        others = any(pair == ("the", "other") for pair in pairwise(texts))
        return others and not any(other.verb == act.verb for other in self.claims)

    def _is_of_other_calls(self, act: ReportedAct) -> bool:
        """Whether what an act is told of is only what other tools were called for."""
        pairings, number = self.effects.pairings, self.document.chunk_of[act.at]
        chunks = {number, *self._elliptic(number)}
        marks = [mark for mark in self.marks if self.document.chunk_of[mark.at] in chunks]
        if not marks or pairings is None or self._is_why(act.at):
            return False
        names = {deed.name for deed in alike_deeds(self.document, act, self.effects.needed)}
        return bool(names) and not any(names & pairings.tools_of(mark) for mark in marks)

    def _elliptic(self, number: int) -> Iterator[int]:
        """The clauses after one that go on with its verb: ", 11 August to 16 August"."""
        chunks = self.document.chunks
        for after in range(number + 1, len(chunks)):
            chunk = chunks[after]
            words = self.tokens[chunk.first : min(chunk.last, chunk.first + _MOST)]
            if chunk.sentence != chunks[number].sentence or chunk.begins_with not in _GOING_ON:
                return
            if any(w.text in _BEING or is_past(w.text) or w.text in _OTHERWISE for w in words):
                return
            yield after

    def _claims_all(self, act: ReportedAct) -> bool:
        """Whether an act that was done for some things is told of all of them."""
        deeds = alike_deeds(self.document, act, self.effects.needed)
        names = {deed.name for deed in deeds}
        if not names or not names <= self.effects.left or self._is_why(act.at):
            return False
        chunk = self.document.chunks[self.document.chunk_of[act.at]]
        texts = [token.text for token in self._clause(act.at)]
        if any(
            is_past(token.text) and token.key != act.verb for token in self.tokens[act.at + 1 : act.at + 6]
        ):
            return False  # "every order closed within 14 days" are some
        first = self.tokens[chunk.first].text
        after = [token.text for token in self.tokens[act.at : min(act.at + 4, chunk.last)]]
        # "Paid in all" tells a sum; "everything is done" is everything that was asked; "both" are all where
        # there are two, not where two were done.
        every = _ALL - {"both"} if any(deed.calls == 2 for deed in deeds) else _ALL
        is_all = first in every - {"everything"} or any(
            word in every and before not in _SUMMING for before, word in pairwise(after)
        )
        return (
            is_all and not SOME.intersection(texts) and not self.document.sentences[chunk.sentence].question
        )

    def _others(self) -> Iterator[int]:
        """Where names and codes stand that are of rows which the task is not about."""
        own, own_keys = self.effects.own, self.effects.own_keys
        for phrase, first, _ in self.document.phrases(self.effects.names):
            is_code = any(sign.isdigit() for word in phrase for sign in word)
            if phrase not in own and phrase[-1] not in own_keys and (self.tokens[first].capital or is_code):
                yield first
        for at, token in enumerate(self.tokens):
            is_code = token.kind == "code" and self.document.chunk_of[at] >= 0
            if is_code and self.effects.is_others(atoms(token.text)):
                yield at

    def _remarks(self) -> set[int]:
        """Where a row is named of which only what it is gets told, truly: "Dan Orr is on duty"."""
        if self.effects.rows is None:
            return set()
        states = RowStates(self.effects.rows, JsonValues(()), touched=(), tables=(), own=self.effects.own)
        return held_before(self.document, self.effects.rows, self._given) | {
            at
            for at, first, last in states.holding(self.document)
            if not any(map(self._tells, self.tokens[first:last]))
        }

    @property
    def _given(self) -> set[str]:
        """The participles of acts that called tools did."""
        called = {deed.key for deed in self.effects.needed}
        return {token.text for token in self.tokens if token.key in called}

    def _is_left_with(self, at: int) -> bool:
        """Whether something is told to be with somebody as before: "it remains with Ada Lund until then"."""
        before = [token.text for token in self.tokens[max(0, at - 2) : at]]
        return before[1:] == ["with"] and before[0] in LEAVING

    def _is_claimed_of(self, at: int) -> bool:
        """Whether what is done is told of a name: in the clause of an act, or as who has something now."""
        number = self.document.chunk_of[at]
        if number < 0 or self._is_why(at) or self._is_left_with(at):
            return False
        chunk = self.document.chunks[number]
        texts = {token.text for token in (*self._clause(at), *self._with_partner(number))}
        is_looked_up = (
            {"passed", "over"} <= texts
            or self.tokens[chunk.first].text in _LOOKING
            or not texts.isdisjoint(_HISTORY)
        )
        if is_looked_up or self.document.sentences[chunk.sentence].question or texts & _OTHERS:
            return False
        clause = self._with_partner(number)
        clause = [
            token
            for before, token in pairwise((clause[0], *clause))
            if before.text not in _UNALTERED and not self._is_had(before, token, texts)
        ]
        if any(self._tells(token) for token in clause):
            return True
        if texts & _COMPARING and "been" not in texts:
            return False
        if any(self._is_verb(token) or token.text in _GOING for token in clause):
            return True
        after = {token.text for token in self.tokens[at : min(at + 6, chunk.last)]} - {
            "on" * ("due" in texts)
        }
        is_first = at < chunk.first + _SUBJECT_FIRST and not after & _UNALTERED
        return is_first and bool(after & _BEING) and bool(after & _HERE)

    def _is_had(self, before: TextToken, token: TextToken, texts: Collection[str]) -> bool:
        """Whether a participle tells how somebody has something: "Ada Lund has Drill 67 reserved"."""
        has = not _HAVING.isdisjoint(texts) and "been" not in texts
        return has and is_past(token.text) and before.start in self._within_names

    def _is_verb(self, token: TextToken) -> bool:
        """Whether a word may be a past tense, and is no part of a name: "Door roller set"."""
        return is_past(token.text) and token.start not in self._within_names

    @cached_property
    def _within_names(self) -> frozenset[int]:
        """Where the words of names begin in the text."""
        return frozenset(
            self.tokens[at].start
            for _, first, last in self.document.phrases(self.effects.names)
            for at in range(first, last)
        )

    def _with_partner(self, number: int) -> list[TextToken]:
        """The tokens of a clause, and of the one it shares a verb with: "BK-1 and BK-2 were moved"."""
        chunks = self.document.chunks
        chunk, beside = chunks[number], chunks[min(number + 1, len(chunks) - 1)]
        clause = self.tokens[chunk.first : min(chunk.last, chunk.first + _MOST)]
        if (
            chunk.last - chunk.first <= 4
            and beside.sentence == chunk.sentence
            and beside.begins_with == "and"
        ):
            clause = clause + self.tokens[beside.first : min(beside.last, beside.first + _MOST)]
        return clause

    def _tells(self, token: TextToken) -> bool:
        return tells_a_deed(token, self.effects)

    def _has_another_value(self, act: ReportedAct) -> bool:
        """Whether a day or an amount of an act is none that anything of the task has."""
        if self._is_why(act.at) or any(token.text in ELSEWHERE for token in self._clause(act.at)):
            return False
        return any(
            values and not self.effects.has(type, values)
            for token in (*self._clause(act.at), *self._elliptic_tokens(act.at))
            for type in ("date", "money_cents")
            if (values := token.values.get(type)) and (type == "date" or is_amount(token))
            if not self._is_factor(token)
        )

    def _is_factor(self, token: TextToken) -> bool:
        """Whether a value stands in a calculation that is shown: "7 x 99.00 = 693.00"."""
        text = self.document.text
        before, after = text[: token.start].rstrip("$€£ ")[-1:], text[token.end : token.end + 2].strip()[:1]
        return before in _SIGNS or after in _SIGNS

    def _elliptic_tokens(self, at: int) -> Iterator[TextToken]:
        for number in self._elliptic(self.document.chunk_of[at]):
            chunk = self.document.chunks[number]
            yield from self.tokens[chunk.first : min(chunk.last, chunk.first + _MOST)]
