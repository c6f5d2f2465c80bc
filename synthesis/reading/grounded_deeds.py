"""Grounded deeds: what an answer tells of what was done (to what, for whom, how much), against the rows that
calls wrote.

What an episode wrote is all that its agent did. So an amount that a clause gives for an act is one of a row
that was written, a number beside a name is of a row that was written for it, and what an act is told of was
written or is what a written row refers to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.reading.acts import LEAVING
from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.deeds import words_of_messages
from synthesis.reading.effects import Deed
from synthesis.reading.lexicon import COUNTS
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.rule_numbers import day_of
from synthesis.reading.shown_row import Ident, Named, noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import keys, word_set
from synthesis.reading.written_rows import WrittenRows

_MODAL = word_set("would could should might can will must be")
_UNREAL = NEGATIONS | CONDITIONS | EARLIER | _MODAL - {"be"} | word_set("instead rather than")
_NOT_SO = NEGATIONS | _MODAL
_SPEAKERS = word_set("i we")
_GIVING = word_set("for of")
_MOST_COUNT = 50
_SUMMING = word_set("total sum altogether both together each per day respectively")
_OF_SEVERAL = _SUMMING | word_set("all a")
"""Words by which a number is of several things, or of a time."""
_BEING = word_set("was were been got")
_RECEIVED, _HAVE = word_set("was were been got received"), word_set("has have")
_LOOKING = keys("find see check look review count compare consider need require list have")
_PARTS = word_set("of out from more left")
_UNDONE = word_set("alone open untouched unchanged at as unassigned undecided unpaid")
_BEFORE_RECIPIENT = word_set("to told informed notified both")
_JOINING = word_set("and ,")
_NOT_ITS_OBJECT = word_set("from than before after by about for")
_NOT_ITS_CLAUSE = ELSEWHERE | LEAVING | word_set("instead because since as until than rather")
_PAYING = keys("pay payment receipt settle settlement")
_PAID = frozenset(("paid", "settled"))
_WITH_THEM = word_set("with them and , then")
_HAVING = word_set("has have was were had been i we he she they")
_WHO = frozenset(("which", "who"))
_GOING_ON = frozenset((",", "and", ":", "("))
_NEAR, _FAR = 4, 30


class GroundedDeeds:
    """What an answer may tell of what was done.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        deeds: What the world's writing tools do, and how often each was called.
        written: The rows that calls wrote.
    """

    def __init__(
        self,
        shown: ShownRows,
        texts: TaskTexts,
        deeds: Sequence[Deed],
        written: WrittenRows,
    ) -> None:
        self._shown, self._texts, self._deeds, self._written = shown, texts, deeds, written

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause tells of acts that nothing which was written bears out, in words."""
        if not self._written or clause.texts & CONDITIONS:
            return
        yield from self._left_alone(clause)
        yield from self._unpaid(clause)
        if clause.texts & _UNREAL:
            return
        yield from self._outdated(clause)
        yield from self._crossed(clause)
        yield from self._miscounted_name(clause)
        yield from self._strange_amount(clause)
        yield from self._of_another(clause)
        yield from self._not_reached(clause)
        yield from self._miscounted(clause)

    def _left_alone(self, clause: AnswerClause) -> Iterator[str]:
        """That the speaker left something which was written: "I left MTM-1801 at 4"."""
        for each in clause.named:
            before = clause.document.tokens[max(clause.chunk.first, each.first - _NEAR) : each.first]
            words = [token.text for token in before]
            at = next((place for place, text in enumerate(words) if text in LEAVING), 0)
            follows = clause.document.tokens[each.last : each.last + 1]
            is_as_it_was = bool(follows) and (follows[0].text in _UNDONE or follows[0].text.startswith("un"))
            if at and words[at - 1] in _SPEAKERS and is_as_it_was and each.rows & self._written.idents:
                yield f"that {' '.join(each.phrase)} was left"

    def _outdated(self, clause: AnswerClause) -> Iterator[str]:
        """A day that is told as of now and that a written row had before: "it now runs until 28 February"."""
        if "now" not in clause.texts:
            return
        for at in clause.places:
            days = clause.document.tokens[at].values.get("date")
            if days and any(map(days.__contains__, self._days_before)):
                yield f"the day {clause.document.tokens[at].text}"

    @cached_property
    def _days_before(self) -> frozenset[str]:
        """The days that written rows had before and that nothing else has."""
        before, left = set(), set()
        for ident, row in self._shown.rows.items():
            for values in row.cells.values():
                days = [value[:10] for value in values if isinstance(value, str) and day_of(value)]
                before |= set(days[:-1]) if ident in self._written.idents else set()
                left |= set(days[-1:])
        return frozenset(before - left - {str(day) for day in self._texts.values("date", rules=True)})

    def _crossed(self, clause: AnswerClause) -> Iterator[str]:
        """A number beside a name that was written for another thing of its kind."""
        if clause.texts & _OF_SEVERAL:
            return
        for at in clause.valued:
            token = clause.document.tokens[at]
            values = self._numbers_of(token)
            named = self._only_name(clause) if values and token.kind != "code" else None
            if named is None or named.first <= at < named.last:
                continue
            own = self._written.about(named.rows)
            others = (
                frozenset(ident for mine in own - named.rows for ident in self._written.of_kind(mine[0]))
                - own
            )
            if not own or values.isdisjoint(self._written.numbers(others)):
                continue
            around = self._shown.cells(self._shown.around(named.rows))
            if values.isdisjoint(self._written.numbers(own)) and values.isdisjoint(v for _, v in around):
                yield f"{token.text} of {' '.join(named.phrase)}"

    @staticmethod
    def _only_name(clause: AnswerClause) -> Named | None:
        """The one name of a clause; None where it has more."""
        return clause.named[0] if len({each.phrase for each in clause.named}) == 1 else None

    @staticmethod
    def _numbers_of(token: TextToken) -> frozenset[object]:
        """What a token may mean as a number of a row."""
        if "date" in token.values or ":" in token.text:
            return frozenset()
        return frozenset(token.values.get("money_cents" if is_amount(token) else "number", ()))

    def _miscounted_name(self, clause: AnswerClause) -> Iterator[str]:
        """Another number right before a name than was written for it: "two Gear Adjustments"."""
        for each in clause.named:
            count = self._count_at(clause, each.first - 1)
            own = self._written.about(each.rows) - each.rows
            if count is None or not own or count in self._texts.values("number", rules=False):
                continue
            known = {len([ident for ident in own if ident[0] == kind]) for kind, _ in own}
            cells = {value for _, value in self._shown.cells(self._shown.around(each.rows))}
            if count not in known | cells | self._written.numbers(own):
                yield f"a count of {count} of {' '.join(each.phrase)}"

    @staticmethod
    def _count_at(clause: AnswerClause, at: int) -> int | None:
        """The plain number at a place of a clause; None where there is none."""
        if at not in clause.places:
            return None
        token = clause.document.tokens[at]
        if not token.values and token.text not in COUNTS:
            return None  # nearly always
        if token.text in COUNTS and token.text not in ("once", "twice", "single"):
            return COUNTS[token.text]
        if is_amount(token) or token.unit or set(token.values) & {"date"} or ":" in token.text:
            return None
        numbers = token.values.get("number", ())
        return next((n for n in numbers if isinstance(n, int) and 0 < n <= _MOST_COUNT), None)

    def _strange_amount(self, clause: AnswerClause) -> Iterator[str]:
        """An amount given for what was done that no written row has: "recorded a payment of 53.10"."""
        if not clause.valued or clause.texts & _SUMMING or not (every := self._amounts):
            return
        texts = {int(n) for n in self._texts.values("money_cents", rules=False) if isinstance(n, int)}
        for at in clause.valued:
            token = clause.document.tokens[at]
            cents = token.values.get("money_cents") if is_amount(token) else None
            before = clause.document.tokens[max(clause.chunk.first, at - 2) : at]
            if not cents or not cents.isdisjoint(texts) or not before or before[-1].text not in _GIVING:
                continue
            is_of_deed = before[-1].text == "for" and any(map(self._tells_a_deed, clause.words))
            own = self._amounts_by_noun.get(before[0].key) or (every if is_of_deed else frozenset())
            if own and own.isdisjoint(cents):
                yield f"the amount {token.text}"

    @cached_property
    def _amounts(self) -> frozenset[int]:
        """The amounts of all rows that were written."""
        return self._written.amounts(self._written.idents)

    @cached_property
    def _amounts_by_noun(self) -> dict[str, frozenset[int]]:
        """The amounts of the rows that were written, by the last word of what they are called."""
        nouns = {kind: noun_of(kind) for kind in self._written.kinds}
        return {noun: self._written.amounts(self._written.of_kind(kind)) for kind, noun in nouns.items()}

    def _of_another(self, clause: AnswerClause) -> Iterator[str]:
        """An act that is told of what no written row is or refers to: "reserved the Teal"."""
        if clause.texts & _NOT_ITS_CLAUSE or not self._is_of_deed(clause):
            return
        for each in clause.named:
            rows = self._shown.alone(each)
            kinds = {kind for kind, _ in rows}
            is_of_kind = bool(kinds) and kinds <= self._kinds_reached
            before = clause.document.tokens[max(clause.chunk.first, each.first - _NEAR) : each.first]
            if not is_of_kind or any(token.text in _NOT_ITS_OBJECT for token in before):
                continue
            if not rows & self._reached and not self._texts.has_phrase(each.phrase):
                yield f"that it was done to {' '.join(each.phrase)}"

    def _is_of_deed(self, clause: AnswerClause) -> bool:
        """Whether a clause tells a deed, or goes on with one of its sentence: ", LO-7311 and LO-7301"."""
        if any(map(self._tells_a_deed, clause.words)):
            return True
        is_on = clause.chunk.begins_with in _GOING_ON and not any(
            is_past(token.text) or token.text in _BEING for token in clause.words
        )
        sentence = clause.document.sentences[clause.chunk.sentence]
        before = clause.document.tokens[max(sentence.first, clause.chunk.first - _FAR) : clause.chunk.first]
        return (
            is_on
            and any(map(self._tells_a_deed, before))
            and not {token.text for token in before} & (_UNREAL | _NOT_ITS_CLAUSE)
        )

    @cached_property
    def _reached(self) -> frozenset[Ident]:
        """The rows that were written, and those that they refer to, or these."""
        return frozenset(other for ident in self._written.idents for other in self._shown.owned(ident))

    @cached_property
    def _kinds_reached(self) -> frozenset[str]:
        """The kinds of those that were written or that written rows refer to themselves."""
        refers = (self._shown.rows[ident].refers for ident in self._written.idents)
        return self._written.kinds | {kind for others in refers for kind, _ in others}

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(deed.key for deed in self._deeds if deed.calls != 0 and deed.key)

    def _tells_a_deed(self, token: TextToken) -> bool:
        return is_past(token.text) and token.key in self._called

    def _unpaid(self, clause: AnswerClause) -> Iterator[str]:
        """That something was paid, where no call entered a payment and no row that was shown of it is so."""
        if not clause.texts & _PAID or clause.texts & _NOT_SO or not self._enters_no_payment:
            return
        for at, token in enumerate(clause.words):
            before = {each.text for each in clause.words[max(0, at - _NEAR) : at]}
            is_reported = bool(before & _HAVING) or clause.chunk.begins_with in _WHO
            if token.text not in _PAID or not is_reported or token.key in self._right_keys:
                continue
            around = self._shown.cells(self._shown.around(clause.subject | clause.default))
            if not any(value in _PAID or (column.startswith("paid") and value) for column, value in around):
                yield f"that something was {token.text}"

    @cached_property
    def _enters_no_payment(self) -> bool:
        """Whether the world has tools that enter payments, none of which was called."""
        tools = [deed for deed in self._deeds if not keys(" ".join(deed.words)).isdisjoint(_PAYING)]
        return bool(tools) and all(deed.calls == 0 for deed in tools)

    @cached_property
    def _messages(self) -> frozenset[Ident]:
        """The written rows that tell somebody something."""
        return self._written.called(self._telling)

    @cached_property
    def _telling(self) -> frozenset[str]:
        return words_of_messages(self._deeds)

    def _not_reached(self, clause: AnswerClause) -> Iterator[str]:
        """That somebody was told something to whom nothing was sent, or only one of several."""
        if not self._messages or self._telling.isdisjoint(token.key for token in clause.sentence_words):
            return
        reached = frozenset(other for ident in self._messages for other in self._shown.owned(ident))
        kinds = {kind for kind, _ in reached - self._messages}
        for each in clause.named:
            rows = self._shown.alone(each)
            own = {kind for kind, _ in rows}
            if not own or not own <= kinds or not self._is_recipient(clause, each):
                continue
            if not rows & reached:
                yield f"that {' '.join(each.phrase)} was told"
            elif "only" in clause.texts and len({ident for ident in reached if ident[0] in own}) > 1:
                yield f"that only {' '.join(each.phrase)} was told"

    @staticmethod
    def _is_recipient(clause: AnswerClause, each: Named) -> bool:
        """Whether a name stands where the recipient of a message does."""
        tokens, sentence = clause.document.tokens, clause.document.sentences[clause.chunk.sentence]
        before = [token.text for token in tokens[max(sentence.first, each.first - _NEAR) : each.first]]
        follows = [token.text for token in tokens[each.last : each.last + 2]]
        if follows and (follows[0] in _RECEIVED or (follows[0] in _HAVE and follows[-1] in _RECEIVED)):
            return True
        if before[-1:] and before[-1] in _JOINING:  # "to Clara Wexcombe and Alma Northgate"
            return not _BEFORE_RECIPIENT.isdisjoint(before)
        return bool(before) and before[-1] in _BEFORE_RECIPIENT

    def _miscounted(self, clause: AnswerClause) -> Iterator[str]:
        """Another number of things than were written: "I reassigned three", "one had to be cancelled"."""
        if clause.texts & ELSEWHERE:
            return
        for at in clause.places:
            token = clause.document.tokens[at]
            if not token.values and token.text not in COUNTS:
                continue  # nearly always
            count = self._count_at(clause, at)
            if count is None:
                continue
            follows = clause.document.tokens[at + 1 : min(at + 1 + 2 * _NEAR, clause.places.stop)]
            if not follows or follows[0].text in _PARTS:
                continue
            verb = self._verb_of(clause, at, follows)
            if verb is None or verb.key in _LOOKING:
                continue
            nouns = {token.key for token in follows}
            is_bare = (count > 1 and follows[0].text in _BEING) or follows[0] is verb
            counts = {deed.calls for deed in self._counted(verb, nouns, is_bare=is_bare)}
            if verb.key not in self._right_keys and self._is_idle(verb) and count > 0:
                yield f"that {count} were {verb.text}"
            elif len(counts) == 1 and not counts & {None, count}:
                is_plain = follows[0] is verb and any(deed.key == verb.key for deed in self._deeds)
                if is_plain or not self._is_known(count):
                    yield f"a count of {count}"

    def _counted(self, verb: TextToken, nouns: set[str], *, is_bare: bool) -> list[Deed]:
        """The tools that were called for what a number counts: of its noun, and by its verb where one is."""
        called = [deed for deed in self._deeds if deed.calls != 0]
        alike = [deed for deed in called if deed.key == verb.key and (is_bare or deed.nouns & nouns)]
        return alike or [deed for deed in called if deed.nouns & nouns]

    def _is_idle(self, verb: TextToken) -> bool:
        """Whether a verb is of tools none of which was called."""
        alike = [deed for deed in self._deeds if deed.key == verb.key and not deed.light]
        return bool(alike) and all(deed.calls == 0 for deed in alike)

    @cached_property
    def _right_keys(self) -> frozenset[str]:
        """Keys of a right answer."""
        return frozenset(token.key for token in self._texts.right.tokens)

    def _is_known(self, count: int) -> bool:
        return count in self._texts.values("number", rules=False)

    @staticmethod
    def _verb_of(clause: AnswerClause, at: int, follows: Sequence[TextToken]) -> TextToken | None:
        """The past verb that a number is the object or the subject of; None where it has none."""
        before = clause.document.tokens[max(clause.chunk.first, at - _NEAR) : at]
        spoken = next((place for place, token in enumerate(before) if token.text in _SPEAKERS), None)
        if spoken is not None:
            return next((token for token in before[spoken + 1 :] if is_past(token.text)), None)
        being = next((place for place, token in enumerate(follows) if token.text in _BEING), None)
        texts = [token.text for token in follows]
        if being is None and "had to be" in " ".join(texts):
            being = texts.index("be")
        is_bare = len(follows) == 1 or follows[1].kind == "sign"
        if is_bare and is_past(follows[0].text) and _WITH_THEM.issuperset(token.text for token in before):
            return follows[0]  # "1 moved, 2 cancelled"
        is_several = clause.document.tokens[at].text not in ("one", "1")
        if being is None and is_several and _WITH_THEM.issuperset(token.text for token in before):
            verb = next((place for place, token in enumerate(follows) if is_past(token.text)), 0)
            ends = verb == len(follows) - 1 or follows[verb + 1].kind == "sign"
            return follows[verb] if verb and ends else None  # "four orders fulfilled"
        if before or being is None or being + 1 >= len(follows):
            return None
        return follows[being + 1] if is_past(follows[being + 1].text) else None
