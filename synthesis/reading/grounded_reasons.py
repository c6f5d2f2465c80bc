"""Grounded reasons: why something was so, held against all that the episode has words for.

A true reason is a rule, or a value of a row. Either was shown or told, so the words of the reason are among
those of the texts and the results, or only order, count and bound them. A reason with a word of its own
("because she had no time") names something that nobody can have seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.lexicon import STOP_WORDS
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.reason_words import GENERAL_REASONS
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key, keys, word_set

_WHY = word_set("because since as due owing")
_SUBJECTS = word_set("the a an i we he she it they there his her its their our this that both all no none")
_THANKS = word_set("to of")
_CONSEQUENCE = word_set("so therefore thus hence")
_SPEAKERS = word_set("i we")
_ASKED = word_set("asked requested")
_EMPTY = STOP_WORDS | NEGATIONS | _WHY
_IS, _ARTICLES, _PERSONS = word_set("is 's was"), word_set("a an our"), word_set("he she who")
_OF_PEOPLE = ("er", "or", "ist", "ian", "ant", "ee", "man", "woman", "expert")
"""What words for people end in."""
_AFTER_NOUN = word_set("for of in on with at to and who that , . ; )")
_BEING = word_set("is are was were")
_MOST_WORDS = 40


class GroundedReasons:
    """Reasons that an answer may give.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        known: Keys of further words that the world has, as those of its tools.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, known: frozenset[str]) -> None:
        self._shown, self._texts, self._known = shown, texts, known

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The reasons of a clause, and what it says that somebody is, with words that nothing has."""
        yield from self._unknown_roles(clause)
        if not (clause.texts & _WHY or clause.chunk.begins_with in _WHY):
            return
        for token in self._reason(clause):
            is_asked = token.text in _ASKED and "you" in clause.sentence_texts
            if token.kind == "word" and not is_asked and self._is_new(token):
                yield f"a reason with {token.text[:40]}"
                return

    def _unknown_roles(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says that somebody is, by a noun of its own: "she is a specialist"."""
        words = clause.words
        for at, token in enumerate(words[:-2]):
            if token.text not in _IS or words[at + 1].text not in _ARTICLES or not at:
                continue
            noun = next((each for each in words[at + 2 : at + 5] if each.text in _AFTER_NOUN), None)
            ahead = words[at + 2 : at + 5] if noun is None else words[at + 2 : words.index(noun)]
            subject = words[at - 1]
            is_person = subject.text in _PERSONS or (subject.kind == "word" and subject.capital)
            is_role = bool(ahead) and ahead[-1].text.endswith(_OF_PEOPLE) and self._is_new(ahead[-1])
            if is_person and is_role:
                yield f"that somebody is a {ahead[-1].text[:40]}"

    def _is_new(self, token: TextToken) -> bool:
        is_content = token.text not in _EMPTY and "'" not in token.text and not token.capital
        return is_content and not self._is_known(token)

    def _is_known(self, token: TextToken) -> bool:
        """Whether a word, or what it is formed of ("unassigned", "illness"), was told or shown or links."""
        forms = {token.key, key(token.text.removeprefix("un")), key(token.text.removesuffix("ness"))}
        known = (GENERAL_REASONS, self._texts.all_keys, self._known)
        return any(not forms.isdisjoint(each) for each in known) or not forms.isdisjoint(self._shown_keys)

    def _reason(self, clause: AnswerClause) -> Iterator[TextToken]:
        """The words of a reason: those behind its "because", to the end of what goes on with it."""
        tokens = clause.document.tokens
        begin = clause.chunk.first if clause.chunk.begins_with in _WHY else self._begin(clause)
        if begin < 0 or "date" in tokens[begin].values or tokens[begin].values:
            return  # "since 2025"
        sentence = clause.document.sentences[clause.chunk.sentence]
        last = min(sentence.last, begin + _MOST_WORDS)
        is_in_front = begin - 1 <= sentence.first
        for at in range(begin, last):
            text = tokens[at].text
            ends = text in _CONSEQUENCE or (is_in_front and text == ",")
            if ends or (text in _SPEAKERS and tokens[at - 1].text in ("and", ",")):
                return
            yield tokens[at]

    @staticmethod
    def _begin(clause: AnswerClause) -> int:
        """Where a reason begins within a clause; -1 where none does."""
        tokens = clause.document.tokens
        for at in clause.places:
            follows = tokens[at + 1] if at + 1 < len(tokens) else None
            if tokens[at].text not in _WHY or follows is None:
                continue
            is_of = follows.text in _THANKS
            if tokens[at].text == "because" or is_of:
                return at + (2 if is_of else 1)
            is_stated = follows.text in _SUBJECTS or (follows.capital and follows.kind == "word")
            if tokens[at].text in ("since", "as") and is_stated and not _is_as_it_is(tokens, at):
                return at + 1
        return -1

    @cached_property
    def _shown_keys(self) -> frozenset[str]:
        """The keys of all words that rows have."""
        values = dict.fromkeys(value for value in self._shown.by_value if isinstance(value, str))
        return frozenset().union(
            *(keys(value.replace("_", " ")) for value in values), *self._shown.column_keys
        )


def _is_as_it_is(tokens: Sequence[TextToken], at: int) -> bool:
    """Whether "as" tells that something is the same: "it stays as it was, unassigned"."""
    verb, follows = tokens[at + 2 : at + 3], tokens[at + 3 : at + 4]
    is_same = bool(verb) and verb[0].text in _BEING
    return is_same and (not follows or follows[0].kind != "word" or follows[0].text in _WHY)
