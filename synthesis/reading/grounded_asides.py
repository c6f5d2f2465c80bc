"""Grounded asides: acts that an answer mentions beside its own ("and refunded", "has agreed"), of which no
call is and nothing that was told or shown.

They are told by a bare participle or of somebody else, so that no clause of them has "I" or "we". Whether
they happened no result can show: what an episode did is all in its calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.deeds import has_contacted
from synthesis.reading.effects import Deed
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, EARLIER, NEGATIONS
from synthesis.reading.shown_row import noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key, keys, word_set

_EVENTS = keys(
    "refund reimburse repay credit approve agree consent accept authorise confirm sign apply order buy "
    "purchase deliver ship collect repair fix clean inspect test replace remove delete erase "
    "correct amend lower reduce increase cancel void waive release block suspend reactivate promote "
    "demote hire dismiss report print archive defer extend renew return withdraw pay settle deduct send "
    "issue"
)
_CONTACTS = keys("call phone telephone ring mail email text write notify inform alert remind tell")
"""Acts that change something or reach somebody."""
_UNREAL = (
    NEGATIONS
    | CONDITIONS
    | EARLIER
    | word_set(
        "would could should might will shall can may must be when had instead rather than until after before"
    )
)
_SENT, _MESSAGES = word_set("sent mailed posted issued"), keys("letter notice mailing message reminder")
_MOST_BEFORE = 6
_JOINING = word_set("and , : then plus &")
_BEING = word_set("is are was were be been being get gets got")
_HAVE = word_set("has have 's 've")
_ADVERBS = word_set("also then already since duly immediately now just kindly meanwhile")


class GroundedAsides:
    """Acts beside those of an answer's speaker.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        deeds: What the world's writing tools do, and how often each was called.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, deeds: tuple[Deed, ...]) -> None:
        self._shown, self._texts, self._deeds = shown, texts, deeds

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The acts of a clause that nothing bears out, in words."""
        if clause.texts & _UNREAL or clause.sentence_texts & CONDITIONS:
            return
        for at in clause.places:
            token = clause.document.tokens[at]
            if not is_past(token.text):
                continue  # nearly always
            again = key(token.text.removeprefix("re"))
            is_event = not _EVENTS.isdisjoint((token.key, again)) or (
                token.key in _CONTACTS and not self._has_contacted
            )
            is_stated = is_event and self._is_stated(clause, at)
            if (is_stated and self._known.isdisjoint((token.key, again))) or self._is_unsent(clause, at):
                yield f"that something was {token.text}"

    @staticmethod
    def _is_stated(clause: AnswerClause, at: int) -> bool:
        """Whether a participle is what was done: joined to an act before, told of another, or at an end."""
        tokens = clause.document.tokens
        before = at - 1
        while before >= clause.chunk.first and tokens[before].text in _ADVERBS:
            before -= 1
        if before < clause.chunk.first:
            return clause.chunk.begins_with in _JOINING
        is_been = tokens[before].text == "been" and before > clause.chunk.first
        if tokens[before - is_been].text in _HAVE:
            return True
        follows = tokens[at + 1 : min(at + 2, clause.chunk.last)]
        is_end = not follows or follows[0].kind == "sign" or follows[0].text in ("to", "back", "in", "by")
        return clause.chunk.begins_with in _JOINING and is_end and _is_thing(tokens[before])

    def _is_unsent(self, clause: AnswerClause, at: int) -> bool:
        """Whether a message is told to have gone out of which no call is and no row was shown."""
        tokens = clause.document.tokens
        before = tokens[max(clause.chunk.first, at - _MOST_BEFORE) : at]
        is_passive = tokens[at].text in _SENT and any(token.text in _BEING for token in before[-2:])
        nouns = {token.key for token in before} & _MESSAGES
        kinds = {noun_of(kind) for kind, _ in self._shown.rows}
        return is_passive and bool(nouns) and not self._has_contacted and kinds.isdisjoint(_MESSAGES)

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(key(word) for deed in self._deeds if deed.calls != 0 for word in deed.words)

    @cached_property
    def _has_contacted(self) -> bool:
        return has_contacted(self._deeds)

    @cached_property
    def _known(self) -> frozenset[str]:
        """The keys of what calls did, of what was asked, and of the states and days of rows."""
        values = (value for value in self._shown.by_value if isinstance(value, str) and len(value) <= 40)
        shown = frozenset().union(*(keys(value.replace("_", " ")) for value in values))
        columns = frozenset().union(*self._shown.column_keys) if self._shown.column_keys else frozenset()
        return self._called | self._texts.keys | shown | columns


def _is_thing(token: TextToken) -> bool:
    """Whether a word may be what something was done to: a noun, a name or an amount."""
    if 0 in token.values.get("number", ()):
        return False  # "1 assigned, 0 waived"
    if token.text in _BEING or token.text == "all":
        return False  # "2351 pounds all told"
    return token.kind in ("value", "code") or (token.kind == "word" and not is_past(token.text))
