"""Grounding: whether each thing that an answer asserts is borne out by something its episode showed.

An answer may say more than it was asked for, and all of it can be untrue. So nothing is taken on trust: each
clause that tells something checkable (a day, an amount, a number, a state, a rank, that there is none or no
more of something) needs a witness, a row whose values and whose references have all of it, or what follows
from such rows by counting, adding, subtracting or comparing. What has none is not called untrue: it is
ungrounded, and code does not accept the answer by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.clause_parts import (
    goes_on,
    is_idiom,
    is_long,
    named_together,
    names_an_owner,
    parts_of,
    points_back,
)
from synthesis.reading.computed import cached_property
from synthesis.reading.dated_rows import first_by_day
from synthesis.reading.deeds import TELLING, has_contacted, went_to_another
from synthesis.reading.denials import HARMLESS_KEYS
from synthesis.reading.document import ParsedText, Phrase
from synthesis.reading.effects import Deed
from synthesis.reading.grounded_asides import GroundedAsides
from synthesis.reading.grounded_bearers import GroundedBearers
from synthesis.reading.grounded_calendar import GroundedCalendar
from synthesis.reading.grounded_cells import GroundedCells
from synthesis.reading.grounded_columns import GroundedColumns
from synthesis.reading.grounded_contacts import GroundedContacts
from synthesis.reading.grounded_counts import GroundedCounts
from synthesis.reading.grounded_deeds import GroundedDeeds
from synthesis.reading.grounded_denials import GroundedDenials
from synthesis.reading.grounded_groups import GroundedGroups
from synthesis.reading.grounded_holders import GroundedHolders
from synthesis.reading.grounded_limits import GroundedLimits
from synthesis.reading.grounded_numbers import GroundedNumbers
from synthesis.reading.grounded_outcomes import GroundedOutcomes
from synthesis.reading.grounded_owners import GroundedOwners
from synthesis.reading.grounded_possessions import GroundedPossessions
from synthesis.reading.grounded_quantifiers import GroundedQuantifiers
from synthesis.reading.grounded_ranks import RANKS, GroundedRanks
from synthesis.reading.grounded_reasons import GroundedReasons
from synthesis.reading.grounded_remarks import GroundedRemarks
from synthesis.reading.grounded_rules import GroundedRules
from synthesis.reading.grounded_siblings import GroundedSiblings
from synthesis.reading.grounded_states import GroundedStates
from synthesis.reading.grounded_universals import GroundedUniversals
from synthesis.reading.grounded_values import GroundedValues, ends_of
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.row_counts import RowCounts
from synthesis.reading.shown_row import Ident, noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import key, keys, word_set
from synthesis.reading.world_rows import WorldRows
from synthesis.reading.written_rows import WrittenRows

_MOST_CHUNKS = 400
_UNREAL = CONDITIONS | word_set("would could should might will shall can may must cannot be once when 0 zero")
_LISTING = word_set(", and or / & ; | ( )")
_COMPLETING = keys("complete finish")
"""What is said of everything that was asked for, "everything has been completed", is no act of one tool."""
_HELPERS = word_set("is are was were be been has have had i we he she they 've 's")
_NEAR = 3
_SHORTEST_STATE, _LONGEST_STATE = 4, 30
_SPEAKERS = word_set("i we")
_ACCOUNTING = word_set("against to under")
"""Words behind "booked" that tell of an account: "booked against the invoice"."""
_OTHER_PEOPLE = word_set("her him them the")
_AT = word_set("at in")
_HELD, _PRESENT = word_set("held taken booked reserved occupied rented used"), word_set("is are")
_WHY = word_set("because since as although though which who")


class Grounding:
    """What an answer's assertions are held against.

    Args:
        values: Arguments and result of each call, in order.
        texts: What the agent was told.
        world: The world's rows, for its columns of states.
        deeds: What the world's writing tools do, and how often each was called.
        written: Those of the values that are rows which calls wrote.
    """

    def __init__(
        self,
        values: Sequence[Any],
        texts: TaskTexts,
        world: WorldRows,
        deeds: Sequence[Deed] = (),
        written: Sequence[Any] = (),
    ) -> None:
        self._written = written
        self._results, self._texts, self._world, self._deeds = values, texts, world, deeds

    @cached_property
    def _shown(self) -> ShownRows:
        return ShownRows(self._results, self._world)

    @cached_property
    def _states(self) -> GroundedStates:
        return GroundedStates(self._shown, self._texts, self._world, self._deeds, self._written_rows)

    @cached_property
    def _values(self) -> GroundedValues:
        return GroundedValues(self._shown, self._texts, self._written_rows)

    @cached_property
    def _numbers(self) -> GroundedNumbers:
        return GroundedNumbers(self._shown, self._texts, self._written_rows)

    @cached_property
    def _remarks(self) -> GroundedRemarks:
        return GroundedRemarks(self._shown)

    @cached_property
    def _done(self) -> GroundedDeeds:
        return GroundedDeeds(self._shown, self._texts, self._deeds, self._written_rows)

    @cached_property
    def _written_rows(self) -> WrittenRows:
        return WrittenRows(self._shown, self._written)

    @cached_property
    def _counts(self) -> GroundedCounts:
        calls = [(deed.nouns, deed.calls) for deed in self._deeds if deed.calls]
        done = frozenset(deed.key for deed in self._deeds if deed.calls != 0)
        rows = RowCounts(
            self._shown, self._texts, self._world, calls, asked=self._asked, owned=self._owners.counts
        )
        return GroundedCounts(self._shown, self._texts, self._world, rows, done)

    @cached_property
    def _limits(self) -> GroundedLimits:
        return GroundedLimits(self._shown, self._texts)

    @cached_property
    def _contacts(self) -> GroundedContacts:
        return GroundedContacts(self._shown, self._texts, self._deeds, self._written_rows)

    @cached_property
    def _universals(self) -> GroundedUniversals:
        return GroundedUniversals(self._shown, self._texts, self._world)

    @cached_property
    def _columns(self) -> GroundedColumns:
        return GroundedColumns(self._shown, self._written_rows)

    @cached_property
    def _owners(self) -> GroundedOwners:
        return GroundedOwners(self._shown, self._written_rows, self._world, self._texts.most_allowed)

    @cached_property
    def _siblings(self) -> GroundedSiblings:
        return GroundedSiblings(self._shown, self._written_rows, self._world, self._deeds)

    @cached_property
    def _asides(self) -> GroundedAsides:
        return GroundedAsides(self._shown, self._texts, tuple(self._deeds))

    @cached_property
    def _bearers(self) -> GroundedBearers:
        return GroundedBearers(self._shown, self._texts, self._world)

    @cached_property
    def _denials(self) -> GroundedDenials:
        return GroundedDenials(self._shown, self._world)

    @cached_property
    def _groups(self) -> GroundedGroups:
        return GroundedGroups(self._shown, self._world)

    @cached_property
    def _quantifiers(self) -> GroundedQuantifiers:
        return GroundedQuantifiers(self._shown, self._world, self._texts.today)

    @cached_property
    def _outcomes(self) -> GroundedOutcomes:
        return GroundedOutcomes(self._shown, self._written_rows, self._world, self._texts.words)

    @cached_property
    def _possessions(self) -> GroundedPossessions:
        return GroundedPossessions(self._shown, self._world, self._texts)

    @cached_property
    def _calendar(self) -> GroundedCalendar:
        return GroundedCalendar(self._shown, self._texts)

    @cached_property
    def _reasons(self) -> GroundedReasons:
        tools = frozenset(key(word) for deed in self._deeds for word in deed.words)
        return GroundedReasons(self._shown, self._texts, self._world.keys | tools)

    @cached_property
    def _cells(self) -> GroundedCells:
        return GroundedCells(self._shown, self._world)

    @cached_property
    def _holders(self) -> GroundedHolders:
        return GroundedHolders(self._shown, self._written_rows, self._results)

    @cached_property
    def _rules(self) -> GroundedRules:
        return GroundedRules(self._shown, self._texts, self._world, self._limits, self._owners.counts)

    @cached_property
    def _ranks(self) -> GroundedRanks:
        return GroundedRanks(self._shown, self._texts, self._owners)

    @cached_property
    def _default(self) -> frozenset[Ident]:
        """What an answer speaks of where it names nothing: what the instruction names and calls were for."""
        return self._asked | self._shown.called

    @cached_property
    def _asked(self) -> frozenset[Ident]:
        """What the instruction names."""
        named = self._texts.instruction.phrases(self._shown.name_index)
        return frozenset(ident for phrase, _, _ in named for ident in self._shown.named(phrase))

    def ungrounded(self, document: ParsedText) -> Iterator[str]:
        """What of a text nothing bears out, in words."""
        states = [
            each for each in document.phrases(self._world.state_index) if not is_idiom(document, each[2])
        ]
        is_checkable = any(
            token.values or token.kind == "code" or token.text in RANKS or token.key in TELLING
            for token in document.tokens
        )
        is_checkable = is_checkable or bool(states) or bool(self._shown.names_in(document))
        if not is_checkable or not self._shown.complete:
            return
        if len(document.chunks) > _MOST_CHUNKS or any(is_long(chunk) for chunk in document.chunks):
            yield "a text of that length"
            return
        for clause in self._clauses(document, states):
            yield from self._values.ungrounded(clause)
            yield from self._numbers.ungrounded(clause)
            yield from self._unlinked(clause)
            if not clause.is_of_the_whole:
                yield from self._states.ungrounded(clause)
                yield from self._undone(clause)
            yield from self._untold(clause)
            yield from self._counts.ungrounded(clause)
            yield from self._ranks.ungrounded(clause)
            yield from self._owners.ungrounded(clause)
            yield from self._holders.ungrounded(clause)
            yield from self._columns.ungrounded(clause)
            yield from self._contacts.ungrounded(clause)
            yield from self._universals.ungrounded(clause)
            yield from self._limits.ungrounded(clause)
            yield from self._rules.ungrounded(clause)
            yield from self._done.ungrounded(clause)
            yield from self._remarks.ungrounded(clause)
            yield from self._siblings.ungrounded(clause)
            yield from self._cells.ungrounded(clause)
            yield from self._bearers.ungrounded(clause)
            yield from self._denials.ungrounded(clause)
            yield from self._groups.ungrounded(clause)
            yield from self._quantifiers.ungrounded(clause)
            yield from self._outcomes.ungrounded(clause)
            yield from self._possessions.ungrounded(clause)
            yield from self._calendar.ungrounded(clause)
            yield from self._reasons.ungrounded(clause)
            yield from self._asides.ungrounded(clause)

    def _clauses(
        self, document: ParsedText, states: Sequence[tuple[Phrase, int, int]]
    ) -> Iterator[AnswerClause]:
        """The clauses that assert something, each with what it speaks of."""
        named = list(named_together(document, self._shown.names_in(document)))
        topic: frozenset[Ident] = frozenset()
        thing, dated_in = self._written_rows.only, -1
        for chunk in chain.from_iterable(parts_of(document, chunk) for chunk in document.chunks):
            sentence = document.sentences[chunk.sentence]
            if sentence.question:
                continue
            near = [each for each in named if sentence.first <= each.first < sentence.last]
            is_pointing = points_back(document, chunk) or goes_on(document, chunk, dated_in)
            if is_pointing:
                near = [each for each in near if each.first < chunk.last]
            own = [each for each in named if chunk.first <= each.first < chunk.last]
            around = own or near
            if around:
                topic = frozenset().union(*(each.rows for each in around))
            elif is_pointing and thing and not names_an_owner(document, chunk):
                topic = thing
            things = [each for each in own if document.tokens[each.first].kind == "code"]
            things = things or [each for each in own if not self._shown.are_people(each.rows)]
            thing = frozenset().union(*(each.rows for each in things)) or thing
            if not things and (first := first_by_day(self._shown, document, chunk)):
                thing, dated_in = first, chunk.sentence
            is_known = bool(around) or (is_pointing and bool(thing) and topic == thing)
            subject = topic if is_known else topic | self._default
            here = [
                (phrase, first, last)
                for phrase, first, last in states
                if chunk.first <= first < chunk.last
                and len("".join(phrase)) >= _SHORTEST_STATE
                and not any(each.first <= first < each.last for each in named)
            ]
            yield AnswerClause(
                document,
                chunk,
                own,
                subject,
                bool(around),
                here,
                [self._states.stated(each[0]) for each in here],
                frozenset().union(*(each.rows for each in near)),
                self._default,
            )

    def _undone(self, clause: AnswerClause) -> Iterator[str]:
        """An act by a tool that was not called, told of something that no row shows it of: "was settled"."""
        if clause.texts & (NEGATIONS | _UNREAL) or clause.chunk.begins_with in _WHY:
            return
        is_passed_on = went_to_another(clause.sentence_words)
        for at, token in enumerate(clause.words):
            if not is_past(token.text):
                continue
            before = {each.text for each in clause.words[max(0, at - _NEAR) : at]}
            is_own = bool(before & _SPEAKERS) and token.key not in self._right_keys
            is_spoken = token.text in self._texts.words or token.key in self._texts.keys
            if is_spoken and not (is_own and any(each.phrase for each in clause.named)):
                continue
            follows = clause.words[at + 1].text if at + 1 < len(clause.words) else ""
            is_all = "everything" in before and token.key in _COMPLETING
            is_all = is_all or [each.text for each in clause.words[:at]] == ["all", "is"]
            is_entered = token.text == "booked" and (follows in _ACCOUNTING or self._is_written(clause))
            is_entered = is_entered or (
                at > 0 and clause.words[at - 1].text == "are" and token.text in self._ruling_words
            )
            if not before & _HELPERS or is_all or is_entered or follows == "out":
                continue
            alike = [
                deed
                for deed in self._deeds
                if deed.key == token.key
                and not deed.light
                and not (token.text == "moved" and is_passed_on)
                and deed.with_verb <= clause.keys
            ]
            if is_spoken or token.key in HARMLESS_KEYS:  # "I checked it twice", where a tool checks brakes
                alike = [deed for deed in alike if deed.nouns & clause.keys]
            if alike and all(deed.calls == 0 for deed in alike) and token.key not in self._shown_keys:
                yield f"that something was {token.text}"

    def _untold(self, clause: AnswerClause) -> Iterator[str]:
        """That the speaker told somebody else something, where no call did: "I e-mailed her the news"."""
        if (
            self._has_contacted
            or clause.texts & (NEGATIONS | _UNREAL)
            or not clause.sentence_texts & _SPEAKERS
        ):
            return
        for token, follows in pairwise(clause.words):
            is_other = follows.text in _OTHER_PEOPLE or follows.capital
            if is_past(token.text) and token.key in TELLING and is_other:
                yield f"that somebody was {token.text}"

    def _is_written(self, clause: AnswerClause) -> bool:
        """Whether a clause speaks of what calls wrote: "I booked the payment"."""
        return any(noun_of(kind) in clause.keys for kind in self._written_rows.kinds)

    @cached_property
    def _ruling_words(self) -> frozenset[str]:
        """The words of the rules: "they are sold in packs"."""
        return frozenset(token.text for token in self._texts.rules.tokens)

    @cached_property
    def _right_keys(self) -> frozenset[str]:
        """Keys of a right answer."""
        return frozenset(token.key for token in self._texts.right.tokens)

    @cached_property
    def _has_contacted(self) -> bool:
        return has_contacted(self._deeds)

    @cached_property
    def _shown_keys(self) -> frozenset[str]:
        """Keys of the states of rows that were shown, and of what their columns of days are called after."""
        texts = (
            value
            for row in self._shown.rows.values()
            for values in row.cells.values()
            for value in values
            if isinstance(value, str) and len(value) <= _LONGEST_STATE and value.islower()
        )
        columns = (column for row in self._shown.rows.values() for column in row.cells)
        return keys(" ".join(dict.fromkeys((*texts, *columns))).replace("_", " "))

    def _is_over_for(self, rows: frozenset[Ident], clause: AnswerClause) -> bool:
        """Whether something is told to be held by somebody who had it only in rows that have ended."""
        today = self._texts.today
        if today is None or clause.texts.isdisjoint(_HELD) or clause.texts.isdisjoint(_PRESENT):
            return False
        ends = ends_of(self._shown, rows)
        return bool(ends) and all(end < today for end in ends)

    def _unlinked(self, clause: AnswerClause) -> Iterator[str]:
        """Two names side by side that nothing has together: "BR-2705 to Heron Bed"."""
        named = list(clause.named)
        is_beside = named and clause.words[0].text in _AT and named[0].first == clause.chunk.first + 1
        if named and (is_beside or clause.words[0].text in _PRESENT):  # "Berth 5 is taken by Ada Lund"
            names = self._shown.names_in(clause.document)
            named = [*[each for each in names if each.last <= clause.chunk.first][-1:], *named]
        for one, other in pairwise(named):
            between = {token.text for token in clause.document.tokens[one.last : other.first]}
            if is_beside and one is named[0]:
                between -= {","}
            if between & _LISTING or clause.texts & (NEGATIONS | _UNREAL):
                continue
            if {kind for kind, _ in one.rows} & {kind for kind, _ in other.rows}:
                continue
            common = self._shown.holding(one.rows) & self._shown.holding(other.rows)
            if common and self._is_over_for(common, clause):
                yield f"that {' '.join(other.phrase)} has it now"
            if common:
                continue
            if self._texts.has_phrase(one.phrase) and self._texts.has_phrase(other.phrase):
                continue
            yield f"{' '.join(one.phrase)} and {' '.join(other.phrase)} belong together"
