"""Grounded owners: how many rows an answer says that somebody has, held against the lists that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.lexicon import COUNTS, NOTHING
from synthesis.reading.owned_counts import OwnedCounts
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import Ident, Named, is_key, noun_of, nouns_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows
from synthesis.reading.written_rows import WrittenRows

_HAVING = word_set("has had have with holds held carries carried have having")
_BETWEEN = word_set(
    "who already also currently still only just then now each all at has had have with holds held was were "
    "would is been next second runner-up runner up , : ( - the most fewest and by that point"
)
_PRONOUNS = word_set("he she who")
_UNREAL = CONDITIONS | word_set(
    "would could should might may can will must limit most allowed least than until"
)
_STATES = word_set("open assigned more other such active pending waiting outstanding")
_ENDS = frozenset(
    (",", ".", ";", ")", "(", ":", "-", "and", "so", "but", "while", "ones", "one", "each", "already")
)
_OTHERS = (
    ("nobody", "else"),
    ("no-one", "else"),
    ("none", "of", "the", "others"),
    ("no", "other"),
    ("one", "else"),
)
_NARROWING = word_set("with that which due overdue from over above below under older before after of")
"""Words by which only some of the rows are counted."""
_THEN = word_set("at by ,")
"""Words before when they were counted: "no copies at that point"."""
_ANY = word_set("any one")
_WITHOUT = word_set("without no none zero 0 nothing")
_FEWER = word_set("fewest fewer least")
"""Words by which somebody is told to have been chosen for how few they had."""
_SINCE = word_set("now then still since after afterwards")
_BEFORE_NOW = word_set("until before had was were from")
_LIMITS, _REACHING = word_set("limit maximum"), word_set("at reached reaches hit reach")
_DEFINITE, _LIMITING = word_set("the their his her its our"), word_set("limit must least than")
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_SEVERAL = 2
_AGAINST = word_set("against versus compared fewest load loads")
_NOW, _WHY = word_set("now left remaining"), word_set("as since because where while")
_BESIDE, _ENDS_OF_A_LIST = frozenset((":", "(", "-", "=")), frozenset((",", ".", ";", ")", "and"))
_EQUALLY = word_set("equally equal tied level")
_MOST_BETWEEN, _AHEAD, _MOST_COUNT = 7, 4, 60


class GroundedOwners:
    """Numbers of what people have that an answer may tell.

    Args:
        shown: The rows that results show.
        written: Those of them that calls wrote.
        world: The world's rows, for what they are called.
        limits: How many rows somebody may have, by the rules.
    """

    def __init__(
        self,
        shown: ShownRows,
        written: WrittenRows,
        world: WorldRows,
        limits: frozenset[int] = frozenset(),
    ) -> None:
        self._shown, self._written, self._world, self._limits = shown, written, world, limits

    @cached_property
    def counts(self) -> OwnedCounts:
        """How many rows each of several owners has."""
        return OwnedCounts(self._shown, self._written)

    @cached_property
    def given(self) -> frozenset[Ident]:
        """What the written rows refer to as calls left them."""
        cells = [cell for row in self._written.idents for cell in self._written.last(row)]
        listed = [*cells, *(each for _, value in cells if isinstance(value, dict) for each in value.items())]
        return frozenset(self._shown.ident_under(name, v) for name, v in listed if is_key(name, v))

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says that somebody has, which they have not, in words."""
        if self._is_below_a_limit(clause):
            yield "that somebody is at a limit"
        if self._is_outnumbered(clause):
            yield "that nobody else has more"
        if self._are_unequal(clause):
            yield "that they have equally many"
        if self._are_more_than_all(clause):
            yield "how many they are of somebody"
        yield from self._shared_otherwise(clause)
        yield from self._too_many(clause)
        unreal = clause.texts & _UNREAL
        if not clause.sentence_texts & _HAVING or (
            unreal and not ("been" in clause.texts and unreal == {"would"})
        ):
            return
        for at in clause.places:
            count = _count_at(clause.document.tokens[at])
            if count is None or not self._is_counted(clause, at):
                continue
            owner, kinds = self._owner_at(clause, at), self._kinds_behind(clause, at)
            is_now = not clause.texts.isdisjoint(_NOW) and clause.texts.isdisjoint(_BEFORE_NOW)
            before = (
                not is_now
                and not clause.sentence_texts.isdisjoint(_FEWER)
                and clause.sentence_texts.isdisjoint(_SINCE)
            )
            known = self.counts.numbers(owner, kinds, before=before, after=is_now) if owner else frozenset()
            known = known or self._unlisted(clause, at, count)
            if known and count not in known and not self._has_cell(owner, count):
                yield f"a count of {count} of somebody"
        if self._denies_others(clause) and self._several_have:
            yield "that nobody else has any"

    def _unlisted(self, clause: AnswerClause, at: int, count: int) -> frozenset[int]:
        """How many rows of the kind that is counted refer to somebody whose list was not shown; empty where
        nobody is named, or no more than one is told."""
        tokens = clause.document.tokens
        before = [each for each in self._shown.names_in(clause.document) if each.last <= at]
        is_pronoun = clause.words[0].text in _PRONOUNS
        first = clause.chunk.first if is_pronoun else before[-1].last if before else at
        if count < _SEVERAL or not before or not self._is_linked(tokens[first:at]):
            return frozenset()
        rows = self._shown.alone(before[-1])
        words = {token.key for token in tokens[at + 1 : at + 1 + _AHEAD]}
        nouns = [noun for noun in self._world.nouns if len(noun) > 1 and words.issuperset(noun)]
        if len(rows) != 1 or not nouns or any(owner in self.counts.counts for owner in rows):
            return frozenset()
        tables = {self._world.nouns[noun] for noun in nouns}
        owner = next(iter(rows))
        referring = [
            ident
            for ident, row in self._shown.rows.items()
            if self._world.table_of(ident[0]) in tables and owner in row.refers
        ]
        return frozenset((len(referring),))

    def is_without(self, clause: AnswerClause) -> bool | None:
        """Whether the one whom a clause names is the only one who has none, "the only one without a case";
        None where it says no such thing or nothing shows it."""
        named = frozenset().union(*(each.rows for each in clause.named))
        owners = [owner for owner in named or clause.sentence_rows if owner in self.counts.counts]
        if len(owners) != 1 or clause.texts.isdisjoint(_WITHOUT):
            return None
        others = [self._before(other) for other in self.counts.peers(owners[0])]
        return 0 in self._before(owners[0]) and all(0 not in numbers for numbers in others)

    def is_at_end(self, clause: AnswerClause, end: int) -> bool | None:
        """Whether the one whom a clause names has most (1) or fewest (-1); None where nothing shows it."""
        owners = [
            owner for owner in clause.subject if self.counts.peers(owner) and owner in self.counts.counts
        ]
        if len(owners) != 1 and clause.words and clause.words[0].text in _PRONOUNS:
            names = self._shown.names_in(clause.document)
            owners = self._owners_before(clause, [each for each in names if each.last <= clause.chunk.first])
        if len(owners) != 1:
            return None
        own = self._before(owners[0])
        others = [n for other in self.counts.peers(owners[0]) for n in self._before(other)]
        if not own or not others:
            return None
        return max(own) >= max(others) if end > 0 else min(own) <= min(others)

    def _before(self, owner: Ident) -> frozenset[int]:
        """The numbers that lists have of somebody, as they were shown."""
        return frozenset().union(*self.counts.counts.get(owner, {}).values())

    def _has_cell(self, owner: Ident | None, count: int) -> bool:
        return owner is not None and any(
            value == count and column not in self._yes_and_no for column, value in self._shown.cells((owner,))
        )

    @cached_property
    def _yes_and_no(self) -> frozenset[str]:
        """The columns of owners that have no other number than 0 and 1, as whether somebody is on duty."""
        numbers: dict[str, set[object]] = {}
        for column, value in self._shown.cells(self.counts.counts):
            numbers.setdefault(column, set()).add(value)
        return frozenset(column for column, values in numbers.items() if values <= {0, 1})

    def _owner_at(self, clause: AnswerClause, at: int) -> Ident | None:
        """Who has what a number at a place counts: the one named before it, with few words between."""
        tokens = clause.document.tokens
        before = [each for each in self._shown.names_in(clause.document) if each.last <= at]
        if before and self._is_linked(tokens[before[-1].last : at], is_listed=_is_listed(clause, at)):
            owners = [ident for ident in before[-1].rows if ident in self.counts.counts]
            return owners[0] if len(owners) == 1 else None
        is_reason = bool(clause.words) and clause.words[0].text in _WHY
        first = [token.text for token in clause.words[is_reason : is_reason + 1]]
        is_pronoun = clause.chunk.begins_with == "who" or (bool(first) and first[0] in _PRONOUNS)
        if clause.named or not is_pronoun:
            return None
        if not self._is_linked(tokens[clause.chunk.first + is_reason : at]):
            return None
        owners = self._owners_before(clause, before) or [
            each for each in clause.subject if each in self.counts.counts
        ]
        return owners[0] if len(owners) == 1 else None

    def _owners_before(self, clause: AnswerClause, before: Sequence[Named]) -> list[Ident]:
        """Those of whom a clause with a pronoun may tell: whom its sentence or the one before it names."""
        for number in (clause.chunk.sentence, max(clause.chunk.sentence - 1, 0)):
            first = clause.document.sentences[number].first
            rows = [ident for each in before if each.first >= first for ident in self._shown.alone(each)]
            owners = [ident for ident in dict.fromkeys(rows) if ident in self.counts.counts]
            if owners:
                return owners
        return []

    def _kinds_behind(self, clause: AnswerClause, at: int) -> frozenset[str]:
        words = {token.key for token in clause.document.tokens[at + 1 : at + 1 + _AHEAD]}
        kinds = frozenset(kind for kind, noun in self._nouns.items() if noun <= words)
        return kinds or frozenset(kind for kind, last in self._last_words.items() if last in words)

    def _is_counted(self, clause: AnswerClause, at: int) -> bool:
        """Whether nothing else than rows is counted: "has five open ones", "with 1", not "had 3 days"."""
        if self._kinds_behind(clause, at):
            ahead = clause.document.tokens[at + 1 : clause.places.stop]
            ahead = list(takewhile(lambda token: token.text not in _THEN and token.kind != "sign", ahead))
            ahead = ahead[:-1] if ahead and ahead[-1].text == "before" else ahead
            return not any(token.text in _NARROWING and token.text not in self._asked for token in ahead)
        follows = clause.document.tokens[at + 1 : at + 1 + _AHEAD]
        if any(at < first <= at + 2 for _, first, _ in clause.states):  # "one in repair"
            return True
        while follows and follows[0].text in _STATES:
            follows = follows[1:]
        return not follows or follows[0].kind == "line" or follows[0].text in _ENDS

    @cached_property
    def _asked(self) -> frozenset[object]:
        """The words that lists were asked by: of overdue letters alone."""
        return frozenset(
            value for listed in self._shown.lists for value in listed.asked.values() if isinstance(value, str)
        )

    @cached_property
    def _nouns(self) -> dict[str, frozenset[str]]:
        """The kinds of rows that somebody has, with the keys of what they are called."""
        kinds = {kind for by_kind in self.counts.counts.values() for kind in by_kind}
        return {kind: nouns_of(kind) for kind in kinds}

    def _is_linked(self, between: Sequence[TextToken], *, is_listed: bool = False) -> bool:
        """Whether words link a name to a number of what it has."""
        texts = [token.text for token in between if token.key not in self._kind_words]
        if is_listed and _BESIDE.issuperset(texts):
            return True
        return (
            len(texts) <= _MOST_BETWEEN
            and not _HAVING.isdisjoint(texts)
            and (_BETWEEN | _PRONOUNS | _STATES).issuperset(texts)
        )

    @cached_property
    def _kind_words(self) -> frozenset[str]:
        return frozenset().union(*self._nouns.values())

    @cached_property
    def _last_words(self) -> dict[str, str]:
        """The same by the last of those words, where no other kind has it."""
        words = {kind: noun_of(kind) for kind in self._nouns}
        listed = list(words.values())
        return {kind: word for kind, word in words.items() if listed.count(word) == 1}

    def _are_unequal(self, clause: AnswerClause) -> bool:
        """Whether two people are told to have equally many of whom no lists show as many."""
        if clause.texts.isdisjoint(_EQUALLY) or clause.sentence_texts.isdisjoint(_HAVING):
            return False
        owners = [owner for owner in clause.sentence_rows if owner in self.counts.counts]
        kinds = {kind for owner in owners for kind in self.counts.counts[owner]}
        if len(owners) != _SEVERAL or len(kinds) != 1 or clause.texts & (_UNREAL | NEGATIONS):
            return False
        is_before = clause.sentence_texts.isdisjoint(_SINCE) and all(
            len(self._written.about((owner,))) <= 1 for owner in owners
        )
        one, other = (self.counts.numbers(owner, kinds, before=is_before) for owner in owners)
        return bool(one) and bool(other) and one.isdisjoint(other)

    def _too_many(self, clause: AnswerClause) -> Iterator[str]:
        """One more of somebody's rows than there are: "Bo Hale has a third refund open"."""
        for at in clause.places:
            number = _ORDINALS.get(clause.document.tokens[at].text, 0)
            named = [each for each in clause.named if each.last <= at]
            if not number or not named or clause.document.tokens[at - 1].text != "a":
                continue
            owners = [row for row in named[-1].rows if row in self.counts.counts]
            kinds = self._kinds_behind(clause, at)
            known = self.counts.numbers(owners[0], kinds) if kinds and len(owners) == 1 else frozenset()
            if known and max(known) < number:
                yield f"that it is number {number} of somebody"

    def _shared_otherwise(self, clause: AnswerClause) -> Iterator[str]:
        """Numbers before those who had as many, in a sentence that holds such against each other: "against 1
        for Bo Hale and 2 for Cleo Marsh"."""
        if clause.sentence_texts.isdisjoint(_AGAINST):
            return
        for each in clause.named:
            words = clause.document.tokens[max(clause.chunk.first, each.first - 2) : each.first]
            owners = [row for row in each.rows if row in self.counts.counts]
            count = _count_at(words[0]) if len(words) > 1 and words[1].text == "for" else None
            if count is not None and len(owners) == 1 and count not in self.counts.numbers(owners[0]):
                yield f"a count of {count} of somebody"

    def _are_more_than_all(self, clause: AnswerClause) -> bool:
        """Whether somebody is told to have had another number in all: "all three of Bo Hale's refunds"."""
        for each in clause.named:
            words = clause.document.tokens[max(clause.chunk.first, each.first - 3) : each.first]
            behind = clause.document.tokens[each.last : each.last + 1]
            if [word.text for word in words[:1] + words[2:]] != ["all", "of"] or not behind:
                continue
            count, owners = _count_at(words[1]), [row for row in each.rows if row in self.counts.counts]
            kinds = self._kinds_behind(clause, each.last) if behind[0].text == "'s" else frozenset()
            known = self.counts.numbers(owners[0], kinds) if kinds and len(owners) == 1 else frozenset()
            if count is not None and known and count not in known:
                return True
        return False

    @staticmethod
    def _denies_others(clause: AnswerClause) -> bool:
        """Whether a clause says that no other has any: "no other agent had any open"."""
        texts = [token.text for token in clause.words]
        return _has_phrase(texts, _OTHERS) and not _ANY.isdisjoint(texts)

    def _is_below_a_limit(self, clause: AnswerClause) -> bool:
        """Whether somebody has not as many rows as any limit of the rules, of whom a clause says that one is
        reached: "the others are at their limit"."""
        texts = [token.text for token in clause.words]
        at = next((place for place, text in enumerate(texts) if text in _LIMITS), 0)
        before = texts[max(0, at - _AHEAD) : at]
        is_reached = not _REACHING.isdisjoint(before) and not _DEFINITE.isdisjoint(before[-1:])
        if (
            not at
            or not is_reached
            or texts[at + 1 : at + 2] == ["of"]
            or clause.texts & (NEGATIONS | _UNREAL - _LIMITING)
        ):
            return False
        owners = [ident for each in clause.named for ident in each.rows if ident in self.counts.counts]
        counts = {n for owner in owners or self.counts.counts for n in self.counts.numbers(owner)}
        return bool(self._limits) and bool(counts) and max(counts) < min(self._limits)

    def _is_outnumbered(self, clause: AnswerClause) -> bool:
        """Whether somebody else has more than a clause says: "nobody else has more than 1"."""
        texts = [token.text for token in clause.words]
        pairs = enumerate(pairwise(texts))
        at = next((place for place, pair in pairs if pair == ("more", "than")), -1)
        count = _count_at(clause.words[at + 2]) if at >= 0 and at + 2 < len(texts) else None
        if count is None or not _has_phrase(texts[:at], _OTHERS):
            return False
        names = self._shown.names_in(clause.document)
        owners = [ident for each in names for ident in each.rows if ident in self.counts.counts]
        peers = self.counts.peers(owners[0]) - frozenset(owners) if owners else ()
        return any(max(self._before(peer), default=0) > count for peer in peers)

    @cached_property
    def _several_have(self) -> bool:
        """Whether more than one of those whose lists were asked for had rows, or one who was given none."""
        given = frozenset(other for ident in self._written.idents for other in self._shown.rows[ident].refers)
        having = [
            owner for owner in self.counts.asked if self._before(owner) and 0 not in self._before(owner)
        ]
        return len(having) > 1 or any(owner not in given for owner in having)


def _has_phrase(texts: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(
        tuple(texts[at : at + len(phrase)]) == phrase for phrase in phrases for at in range(len(texts))
    )


def _is_listed(clause: AnswerClause, at: int) -> bool:
    """Whether a number ends what a list says of somebody: "Bo Hale 1, Cleo Marsh 2"."""
    follows = clause.document.tokens[at + 1 : at + 2]
    return clause.document.tokens[at].text.isdecimal() and (
        not follows or follows[0].kind == "line" or follows[0].text in _ENDS_OF_A_LIST
    )


def _count_at(token: TextToken) -> int | None:
    """The small whole number that a word tells; 0 of "none"; None where it tells none."""
    if token.text in NOTHING:
        return 0
    if token.text in COUNTS and token.text not in ("once", "twice", "single"):
        return COUNTS[token.text]
    if token.unit or set(token.values) & {"date"} or not token.text.isdecimal():
        return None
    numbers = token.values.get("number", ())
    return next((n for n in numbers if isinstance(n, int) and 0 <= n <= _MOST_COUNT), None)
