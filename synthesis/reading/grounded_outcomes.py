"""Grounded outcomes: how an answer says that a written row ended, how many messages went out, and to whom.

"Closed as accepted" needs a row with that result, "one notice was sent" one that was written, and "all orders
went to Yarrow Cafe" rows that all refer to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.deeds import TELLING
from synthesis.reading.document import Phrase
from synthesis.reading.grounded_values import is_same_day
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, EARLIER, NEGATIONS
from synthesis.reading.shown_row import Ident, noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import keys, word_set
from synthesis.reading.world_rows import WorldRows
from synthesis.reading.written_rows import WrittenRows

_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might may can will must until instead")
_RESULT, _AS = "result", "as"
_ARTICLES = word_set("a an the")
_ONE = frozenset(("one", "1", "single"))
_OF_EACH = word_set("each per every apiece another second other also")
_ALL, _TO = word_set("all both"), word_set("to for")
_MESSAGES = TELLING | keys("notice note reminder letter message")
_NEW, _PERFECT = word_set("a an another"), word_set("has have")
_EARLIER = EARLIER | word_set("already previously recently")
_GIVEN = word_set("assigned given went handed passed belongs belonged")
_LONGEST_RESULT, _NEAR, _PAIR = 3, 4, 2


def _new_act(clause: AnswerClause) -> str:
    """What a clause says to have been done with something new: "a refund has been arranged"; empty of what
    was so before."""
    texts = [word.text for word in clause.words]
    if not texts or texts[0] not in _NEW or not clause.texts.isdisjoint(_EARLIER):
        return ""
    if any("date" in word.values for word in clause.sentence_words):
        return ""
    return next(
        (
            act
            for helper, being, act in zip(texts, texts[1:], texts[2:], strict=False)
            if helper in _PERFECT and being == "been" and is_past(act)
        ),
        "",
    )


class GroundedOutcomes:
    """How written rows ended, as an answer may tell it.

    Args:
        shown: The rows that results show.
        written: Those of them that calls wrote.
        world: The world's rows, for its states and names.
        known: The words of the instruction and of a right answer.
    """

    def __init__(
        self, shown: ShownRows, written: WrittenRows, world: WorldRows, known: frozenset[str]
    ) -> None:
        self._shown, self._written, self._world, self._known = shown, written, world, known

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says became of rows that they do not show, in words."""
        if not self._written and (act := _new_act(clause)):
            yield f"that something was {act}"
        if clause.texts & _UNREAL:
            return
        if _AS in clause.texts and (words := self._other_result(clause)):
            yield f"that it ended as {words}"
        if clause.texts & _ONE and self._sent_more(clause):
            yield "that one was sent"
        if clause.texts & _ALL and self._went_to_others(clause):
            yield "that all went there"
        if "another" in clause.texts and self._is_about_the_same(clause):
            yield "that it was about another"
        yield from self._strangers(clause)

    def _other_result(self, clause: AnswerClause) -> str:
        """What rows are told to have ended as, where they have another result; empty where they have none."""
        rows = (clause.subject | self._shown.holding(clause.subject)) & self._written.idents
        results = {str(value) for column, value in self._shown.cells(rows) if column == _RESULT}
        if not results or any(clause.texts.issuperset(each.split("_")) for each in results):
            return ""
        for before, token, behind in zip(clause.words, clause.words[1:], range(2, 90), strict=False):
            if token.text == _AS and is_past(before.text):
                words = [word.text for word in clause.words[behind : behind + _LONGEST_RESULT + 1]]
                words = words[words[:1] != [] and words[0] in _ARTICLES :]
                if self._is_result(words):
                    return " ".join(words[:_PAIR])
        return ""

    def _is_result(self, words: Sequence[str]) -> bool:
        """Whether words begin with what a row of the world ended as, or with a participle of their own."""
        phrases = (tuple(words[:size]) for size in range(1, _LONGEST_RESULT + 1))
        return any(phrase in self._results for phrase in phrases) or (
            bool(words) and is_past(words[0]) and words[0] not in self._known
        )

    @cached_property
    def _results(self) -> frozenset[Phrase]:
        return frozenset(
            phrase
            for phrase, columns in self._world.states.items()
            if any(column == _RESULT for _, column in columns)
        )

    def _sent_more(self, clause: AnswerClause) -> bool:
        """Whether one message is told to have been sent where several were: to whom it names, or in all."""
        at = next((place for place, word in enumerate(clause.words) if word.text in _ONE), -1)
        behind = clause.words[at + 1 : at + 1 + _NEAR]
        kinds = [kind for kind, noun in self._kinds.items() if any(word.key == noun for word in behind[:2])]
        is_sent = any(is_past(word.text) or word.text in _TO for word in behind)
        if not kinds or not is_sent or not clause.sentence_texts.isdisjoint(_OF_EACH | EARLIER):
            return False
        people = frozenset().union(*(each.rows for each in clause.named))
        rows = [row for row in self._written.idents if row[0] in kinds]
        to_them = [row for row in rows if not people or self._shown.rows[row].refers & people]
        return len(to_them) > 1

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """The kinds of messages that were written, with the key of what they are called."""
        kinds = {kind: noun_of(kind) for kind in self._written.kinds}
        return {kind: noun for kind, noun in kinds.items() if noun in _MESSAGES}

    def _went_to_others(self, clause: AnswerClause) -> bool:
        """Whether all of some written rows are told to be for one whom not all refer to: "all orders were
        shipped to Yarrow Cafe"."""
        opening = {word.text for word in clause.words[:1]}
        if not opening & _ALL or len(clause.named) != 1:
            return False
        each = clause.named[0]
        before = clause.document.tokens[max(clause.chunk.first, each.first - 1) : each.first]
        if not before or before[0].text not in _TO:
            return False
        words = {word.key for word in clause.words[1:_NEAR]}
        rows = [row for row in self._written.idents if noun_of(row[0]) in words]
        owners = {kind for kind, _ in each.rows}
        known = [row for row in rows if any(kind in owners for kind, _ in self._refers(row))]
        return len(known) > 1 and not all(each.rows & self._refers(row) for row in known)

    def _refers(self, row: Ident) -> set[Ident]:
        return self._shown.rows[row].refers

    def _is_about_the_same(self, clause: AnswerClause) -> bool:
        """Whether what was sent on a day is told to be about another thing than was asked for, where it is
        about just that: "a notice on 25 July for another bill"."""
        days = {str(day) for word in clause.words for day in word.values.get("date", ())}
        dated = [
            ident
            for ident in self._shown.rows
            for column, value in self._shown.cells((ident,))
            if column.endswith("_on") and isinstance(value, str) and any(is_same_day(d, value) for d in days)
        ]
        about = [
            str(value).lower()
            for column, value in self._shown.cells(dated)
            if column == "reference" and value
        ]
        return bool(about) and self._known.issuperset(about)

    def _strangers(self, clause: AnswerClause) -> Iterator[str]:
        """People of the world whom no result shows, to whom something is told to have been given: nothing
        says that they have it."""
        if clause.texts.isdisjoint(_GIVEN):
            return
        for phrase, first, _ in self._named_in(clause):
            before = [word.text for word in clause.document.tokens[max(0, first - _PAIR) : first]]
            is_given = before[1:] == ["to"] and before[0] in _GIVEN
            is_name = not any(sign.isdigit() for word in phrase for sign in word)
            if is_given and is_name and not self._shown.named(phrase) and not self._known.issuperset(phrase):
                yield f"that {' '.join(phrase)} has it"

    def _named_in(self, clause: AnswerClause) -> list[tuple[Phrase, int, int]]:
        return [
            each
            for each in clause.document.phrases(self._world.name_index)
            if clause.chunk.first <= each[1] < clause.chunk.last
        ]
