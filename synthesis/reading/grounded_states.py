"""Grounded states: what an answer says that a thing is ("in repair", "off duty"), held against the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.document import ParsedText, Phrase
from synthesis.reading.effects import Deed
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import Ident, ShownRow
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows
from synthesis.reading.written_rows import WrittenRows

_UNREAL = CONDITIONS | word_set("would could should might will shall can may must cannot be once when 0 zero")
_SPEAKERS = word_set("i we")
_IS = word_set("is are been status now")
_LASTING = word_set("still remains remain remained stays stay stayed")
_SHORTEST_VERB = 4
_IT = word_set("it this that")
_OWNERS = word_set("his her their its 's")
_OBJECTS = word_set("the a an")
_AFTER_NOUNS = word_set("back of for on in to and or is are was were has have by from with at")


class GroundedStates:
    """States that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        world: The world's rows, for its columns of states.
        deeds: What the world's writing tools do, and how often each was called.
        written: Those of the rows that calls wrote.
    """

    def __init__(
        self,
        shown: ShownRows,
        texts: TaskTexts,
        world: WorldRows,
        deeds: Sequence[Deed],
        written: WrittenRows,
    ) -> None:
        self._shown, self._texts, self._world = shown, texts, world
        self._deeds, self._written = deeds, written
        self._by_state: dict[Phrase, frozenset[Ident]] = {}

    def stated(self, phrase: Phrase) -> frozenset[Ident]:
        """The rows that were shown in a state."""
        if phrase not in self._by_state:
            self._by_state[phrase] = frozenset(
                row.ident
                for (table, column), value in self._world.states[phrase].items()
                for row in self._rows_of.get(table, ())
                if value in row.cells.get(column, ())
            )
        return self._by_state[phrase]

    @cached_property
    def _rows_of(self) -> dict[str, list[ShownRow]]:
        """The rows by their tables."""
        rows: dict[str, list[ShownRow]] = {}
        for ident, row in self._shown.rows.items():
            rows.setdefault(self._world.table_of(ident[0]), []).append(row)
        return rows

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """A state that what a clause speaks of never had: "in repair" of what was only reported."""
        unreal = NEGATIONS | (_UNREAL - {"be"} if _had_to_be(clause) else _UNREAL)
        if clause.texts & unreal:
            return
        if any(self._is_claimed_of_another(clause, first, last) for _, first, last in clause.states):
            yield "that it was brought into a state"
        else:
            yield from self._never_had(clause)

    def _never_had(self, clause: AnswerClause) -> Iterator[str]:
        for phrase, first, last in clause.states:
            columns, is_left = self._world.states[phrase], bool(clause.texts & _LASTING)
            if self._texts.has_phrase(phrase) and not is_left and not self._is_left_otherwise(clause, first):
                continue
            if clause.document.tokens[last : last + 1] and clause.document.tokens[last].text in ("to", "'s"):
                continue  # "was given to her", "the clerk's limit"
            if _is_noun(clause.document, first, last) or _has_object(clause.document, first, last):
                continue
            if self._is_of_speaker(clause.document.tokens, first):
                continue
            if self._is_of_a_tool(clause, first, last):
                continue
            rows = clause.nearest(first) or clause.subject
            is_left = is_left or self._is_left_otherwise(clause, first)
            is_brought_about = self._is_brought_about(clause.document.tokens[first:last])
            if rows & self._shown.called and is_brought_about and not is_left:
                continue
            matches = self._having(rows, columns, is_left=is_left)
            matches = matches or self._having(self._of_noun(clause, last, rows), columns, is_left=is_left)
            if not matches or any(matches.values()) or self._is_of_amount(phrase, rows, clause):
                continue
            around = self._having(self._shown.holding(rows), columns, is_left=is_left)
            if clause.nearest(first) or not any(around.values()):
                yield f"something is {' '.join(phrase)}"

    def _is_left_otherwise(self, clause: AnswerClause, first: int) -> bool:
        """Whether a state is plainly told of a written row that was left in another one: "it is paid" of a
        bill that is paid in part, whatever the instruction says of what "remains to be paid"."""
        before = clause.document.tokens[max(clause.chunk.first, first - 1) : first]
        if not before or not (before[0].text in _IS or (before[0].text == "be" and _had_to_be(clause))):
            return False
        meant = clause.nearest(first) or clause.subject
        rows = (meant | self._shown.holding(meant)) & self._written.idents
        if not rows:
            return False
        phrase = next((each[0] for each in clause.states if each[1] == first), ())
        columns = self._world.states.get(phrase, {})
        left = self._having(rows, columns, is_left=True)
        return bool(left) and not any(left.values())

    def _is_claimed_of_another(self, clause: AnswerClause, first: int, last: int) -> bool:
        """Whether the speaker claims an act after which a row would be in a state in which none was left of
        those that are meant: "I closed it" of what was only handed over."""
        tokens, columns = clause.document.tokens, self._world.states[self._phrase_at(clause, first)]
        before, follows = tokens[max(0, first - 1) : first], tokens[last : last + 1]
        is_act = bool(before) and before[0].text in _SPEAKERS and bool(follows) and follows[0].text in _IT
        if not is_act or self._is_brought_about(tokens[first:last]) or not is_past(tokens[first].text):
            return False
        left = self._having(clause.subject, columns, is_left=True)
        return bool(left) and not any(left.values())

    @staticmethod
    def _phrase_at(clause: AnswerClause, first: int) -> Phrase:
        return next(each[0] for each in clause.states if each[1] == first)

    def _is_of_speaker(self, tokens: Sequence[TextToken], first: int) -> bool:
        """ "here is what I found": whether a word is what the speaker did, which no tool does to rows."""
        before = tokens[max(0, first - 1) : first]
        speaks = bool(before) and before[0].text in _SPEAKERS
        return speaks and tokens[first].key not in {deed.key for deed in self._deeds}

    def _is_brought_about(self, words: Sequence[TextToken]) -> bool:
        """Whether a state is called after what a call did, whatever its result showed: "is rented out"."""
        verbs = {deed.key for deed in self._deeds if deed.calls}
        return len(words) == 1 and words[0].key in verbs

    def _is_of_a_tool(self, clause: AnswerClause, first: int, last: int) -> bool:
        """Whether a state is what a called tool did with what stands before it: "referral opened"."""
        before = clause.document.tokens[max(clause.chunk.first, first - 2) : first]
        tokens = clause.document.tokens[first:last]
        return any(
            deed.calls and any(word.text in deed.words for word in before) and tokens[0].text.startswith(verb)
            for deed in self._deeds
            for verb in deed.name.split("_")
            if len(verb) >= _SHORTEST_VERB
        )

    def _is_of_amount(self, phrase: Phrase, rows: frozenset[Ident], clause: AnswerClause) -> bool:
        """Whether a state is told of an amount of a column called after it: "20.00 had been paid"."""
        amounts = {
            cents
            for token in clause.words
            if is_amount(token)
            for cents in token.values.get("money_cents", ())
        }
        column = f"{'_'.join(phrase)}_cents"
        cells = self._shown.cells(self._shown.around(rows)) if amounts else ()
        return any(name == column and value in amounts for name, value in cells)

    def _having(
        self, rows: frozenset[Ident], columns: dict[tuple[str, str], object], *, is_left: bool = False
    ) -> dict[Ident, bool]:
        """The rows that have a column of a state, each with whether it had the state, or was left in it."""
        matches: dict[Ident, bool] = {}
        for ident in rows:
            table = self._world.table_of(ident[0])
            row = self._shown.rows.get(ident)
            for (name, column), value in columns.items():
                if row is not None and name == table and column in row.cells:
                    cells = row.cells[column][-1:] if is_left else row.cells[column]
                    matches[ident] = matches.get(ident, False) or value in cells
        return matches

    def _tables(self, words: Sequence[str], starts: int) -> set[str]:
        """The tables whose rows are called by words that begin at one of the first places."""
        nouns = self._world.nouns
        phrases = (tuple(words[at : at + size]) for at in range(starts) for size in (1, 2, 3))
        return {nouns[phrase] for phrase in phrases if phrase in nouns}

    def _called_last(self, words: set[str]) -> set[str]:
        """The tables whose rows are called by one of some words at the end, "loan" of drill loans, where no
        other table's are."""
        by_last: dict[str, set[str]] = {}
        for noun, table in self._world.nouns.items():
            by_last.setdefault(noun[-1], set()).add(table)
        called = [by_last[word] for word in words if word in by_last]
        return set().union(*(tables for tables in called if len(tables) == 1))

    def _of_noun(self, clause: AnswerClause, last: int, rows: frozenset[Ident]) -> frozenset[Ident]:
        """The rows of the noun after a state that belong to what a clause speaks of: "his open fees"; without
        one, of the nouns before it."""
        tables = self._tables([token.key for token in clause.document.tokens[last : last + 3]][:3], starts=1)
        tables = tables or self._tables([token.key for token in clause.words], starts=len(clause.words))
        if not tables and clause.words[0].text in _IS:  # "her other loan, Drill 5, is returned"
            tables = self._called_last({token.key for token in clause.sentence_words})
        owned = {other for ident in rows for other in self._shown.owned(ident)} - rows
        if tables:
            owned |= self._shown.holding(rows)
        return frozenset(each for each in owned if not tables or self._world.table_of(each[0]) in tables)


def _had_to_be(clause: AnswerClause) -> bool:
    """Whether a clause tells what came to be: "RF-1 had to be cancelled"."""
    texts = [token.text for token in clause.words]
    return any(texts[at : at + 3] == ["had", "to", "be"] for at in range(len(texts)))


def _is_noun(document: ParsedText, first: int, last: int) -> bool:
    """Whether a word that is a state elsewhere is a thing of somebody: "half of his payment back"."""
    before, after = document.tokens[max(0, first - 1) : first], document.tokens[last : last + 1]
    is_end = not after or after[0].kind != "word" or after[0].text in _AFTER_NOUNS
    return bool(before) and before[0].text in _OWNERS and is_end


def _has_object(document: ParsedText, first: int, last: int) -> bool:
    """Whether a word that is a state elsewhere is a verb here: "received the last one"."""
    follows = [token.text for token in document.tokens[last : last + 1]]
    return (
        last - first == 1
        and follows != []
        and follows[0] in _OBJECTS
        and is_past(document.tokens[first].text)
    )
