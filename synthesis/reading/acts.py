"""Acts: what a text claims to have been done, and what it denies or declines."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from synthesis.reading.act_phrases import (
    AFTER_ACT,
    AFTER_NEGATION,
    CLAIM_PHRASES,
    DECLINING_PHRASES,
    GENERIC_ACTS,
    HARMLESS_ACTS,
    LEAVING_OUT,
    PERMITTING,
    SKIPPED,
)
from synthesis.reading.declining import declines_nothing, is_addressed, refusing_end, refusing_result
from synthesis.reading.document import ParsedText, PhrasePattern, phrase_pattern
from synthesis.reading.outcome_cells import outcome_cells
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import ASKING, EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.structure import Sentence
from synthesis.reading.words import key, keys, spelled, word_set

_PEOPLE, _NO_SUBJECT = ("i", "we"), frozenset(("no", "none", "nothing", "neither"))
_HELPERS = frozenset(
    ["has", "have", "had", "was", "were", "is", "are", "been", "got", "gets", "being", "be", "'ve", "'s"]
)
_MODALS = word_set("can could will would shall should must may might to cannot can't couldn't wouldn't")
_OBJECTS = frozenset(("this", "that", "it", "them", "any", "of", "all", "everything", "your"))
_FAILING = word_set("failed fail refused refuse declined decline omitted neglected forgot unwilling")
_REQUEST = word_set("this that it request requests change changes any anything so these those them")
_STATUS = frozenset(("status", "state", "stage"))
_FRESH = frozenset(
    ["now", "just", "successfully", "requested", "asked", "wished", "hereby", "instead", "today", "done"]
)
_MOST_ACTS, _MOST_PHRASES, _LONGEST_CLAUSE = 20, 200, 80
"""Acts of one clause, phrases of a text, and words around an act: more is no language."""
_WRITING = word_set("wrote written told informed let")
_PARTICLES = word_set("back out in off up over down away on through him her them")
"""Words between a verb and its object: "took back none of them", "sent them no letter"."""
_PLACING = word_set("on onto in into through back down aside")
_INFORM = key("inform")
_OBJECT_LENGTH = 6
"""Words between a verb and its particle: "let the owner of it know"."""
_ABLE = ("able", "unable")
_COMPARED = word_set("problem problems doubt later earlier more less fewer longer")
LEAVING = word_set("left leave leaving remain remains remained stay stays stayed still kept keep keeps")
"""Words by which something is told to be as it was."""
_MAY_DENY = _FAILING | LEAVING | NEGATIONS | {"instead", "rather"}
"""Words at which something may be denied or left undone."""
_NOT_BEING, _BEING = word_set("isn't aren't wasn't weren't"), word_set("is are was were 's 're")
_PLACES = word_set("on in at off under over within among with for from of between")
_AS_IT_IS = word_set("it they is was are were before")
_OWING = word_set("unpaid unsettled unchanged untouched united")
_GOING_ON = word_set("was were is are stay stays stayed remain remains remained left kept")
_BEGINNING_QUESTIONS = (":", "-", "which", "who")
_JOINING = ("and", ",", "then", "but", "therefore", "thus")
_REASONS = frozenset(("because", "since", "as", "which", "who", "although", "though"))
_CLAIMING = phrase_pattern(CLAIM_PHRASES)
_DECLINING = phrase_pattern(DECLINING_PHRASES)
_PHRASE_KEYS = keys(" ".join((*CLAIM_PHRASES, *DECLINING_PHRASES)))
_GENERIC = frozenset(key(word) for word in GENERIC_ACTS)
VAGUE_OBJECTS = keys(
    "anything request change changes thing task action order everything step operation asked wanted update"
)
"""Keys of what stands for whatever was asked."""
_HARMLESS = frozenset(spelled(word) for word in HARMLESS_ACTS)


def is_generic(verb: str) -> bool:
    """Whether a verb's key stands for whatever was asked."""
    return verb == "" or verb in _GENERIC


def acts(document: ParsedText, names: Collection[str] = ()) -> list[ReportedAct]:
    """The acts of a text in its order; `names` are words of denial by which the task calls something."""
    return sorted(_Acts(document, names).all(), key=lambda act: act.at)


def names_like_denials(asked: ParsedText) -> frozenset[str]:
    """Words of denial that an instruction uses as names: "set the none to 50"."""
    named = (token.text for before, token in pairwise(asked.tokens) if before.text == "the")
    return frozenset(text for text in named if text in _NO_SUBJECT)


class _Acts:
    def __init__(self, document: ParsedText, names: Collection[str] = ()) -> None:
        self.document, self.tokens, self.names = document, document.tokens, names

    def all(self) -> Iterator[ReportedAct]:
        for sentence in self.document.sentences:
            if sentence.row:
                yield from outcome_cells(self.document, sentence)
                continue
            asking = self._begin_of_question(sentence)
            conditional = self.tokens[sentence.first].text in (
                "if",
                "unless",
                "should",
                "once",
                "when",
                "to",
                "please",
            )
            mine = False
            for place, number in enumerate(sentence.chunks):
                chunk = self.document.chunks[number]
                if chunk.first >= asking:
                    break
                if self._is_conditional(chunk.first, chunk.last) or (conditional and place == 0):
                    continue
                chunk_acts, mine = self._of_chunk(chunk.first, chunk.last, chunk.begins_with, mine)
                yield from chunk_acts
        yield from self._phrases(_CLAIMING, denied=False)
        yield from self._phrases(_DECLINING, denied=True)

    def _begin_of_question(self, sentence: Sentence) -> int:
        """The first token of what a sentence asks; a dash or a colon ends what it says before."""
        if not sentence.question:
            return sentence.last
        marks = _BEGINNING_QUESTIONS if self.tokens[sentence.first].text not in ASKING else (":", "-")
        begins = [
            chunk.first
            for chunk in (self.document.chunks[number] for number in sentence.chunks)
            if chunk.begins_with in marks
        ]
        return begins[-1] if begins else sentence.first

    def _is_conditional(self, first: int, last: int) -> bool:
        return any(
            self.tokens[at].text in ("if", "unless", "whether", "until")
            for at in range(first, min(first + 3, last))
        )

    def _of_chunk(self, first: int, last: int, before: str, mine: bool) -> tuple[list[ReportedAct], bool]:
        chunk_acts: list[ReportedAct] = []
        reason = before in _REASONS
        negated = self._negative_subject(first, last)
        speaks = False
        at = first
        while at < last and len(chunk_acts) < _MOST_ACTS:
            text = self.tokens[at].text
            if text in _PEOPLE:
                speaks = True
                end = self._verb(at + 1, last)
                if end is not None and self._tells(end, last):
                    denied = negated or self._is_done_to_nothing(end, last)
                    chunk_acts.append(self._act(end, first, last, denied=denied, own=True, reason=reason))
                    at = end
            elif text in _MAY_DENY and (denial := self._denial(at, first, last, reason)) is not None:
                chunk_acts.append(denial)
                at = max(at, denial.at)
            elif text in _HELPERS and (negated or not self._modal_before(at, first)):
                end = self._verb(at + 1, last)
                is_none = end is not None and (
                    self.tokens[end].text in LEAVING or declines_nothing(self.tokens, end)
                )
                if end is not None and not is_none and not any(act.at == end for act in chunk_acts):
                    chunk_acts.append(
                        self._act(
                            end,
                            first,
                            last,
                            denied=negated or self._is_done_to_nothing(end, last),
                            reason=reason,
                            present=text in ("is", "are", "'s"),
                        )
                    )
                    at = end
            at += 1
        if not chunk_acts and not speaks:
            chunk_acts += self._without_subject(first, last, before, mine, reason)
        mine = speaks or (mine and before in _JOINING)
        return chunk_acts, mine

    def _denial(self, at: int, first: int, last: int, reason: bool) -> ReportedAct | None:
        """The act that is denied from a place on; None where none is."""
        if not self._denies(at, last):
            end = self._not_chosen(at, last)
            if end is None and self._leaves_as_is(at, first, last):
                return self._left(at, first, last)
            return None if end is None else self._act(end, first, last, denied=True, reason=reason)
        end = self._denied_verb(at, last)
        if end is not None and self._is_copula(at) and self._is_no_verb(end):
            return None
        if end is not None:
            return self._act(end, first, last, denied=True, reason=reason)
        if self._is_left_out(at, first, last):
            return ReportedAct(True, "", at, frozenset(), own=True, vague=True)
        is_able = any(token.text in _ABLE for token in self.tokens[at : min(at + 3, last)])
        return ReportedAct(True, "", at, frozenset(), vague=True) if is_able else None

    def _is_left_out(self, at: int, first: int, last: int) -> bool:
        """Whether a denial of the speaker's lacks its verb: "so I didn't", "but I could not"."""
        ends = at + 1 >= last or (self.tokens[at + 1].kind == "sign" and at + 2 >= last)
        before = at - 1 if self.tokens[at].text == "not" else at
        is_spoken = first < before and self.tokens[before - 1].text in _PEOPLE
        return ends and is_spoken and self.tokens[before].text.removesuffix("n't") in LEAVING_OUT

    def _leaves_as_is(self, at: int, first: int, last: int) -> bool:
        """Whether the speaker left something as it was: "I have left the order as fulfilled"."""
        before = {token.text for token in self.tokens[max(first, at - 4) : at]}
        as_at = next(
            (place for place in range(at + 1, min(at + 8, last)) if self.tokens[place].text == "as"), last
        )
        follows = self.tokens[as_at + 1].text if as_at + 1 < last else ""
        is_same = follows in _AS_IT_IS or is_past(follows)
        return self.tokens[at].text in LEAVING and not before.isdisjoint(_PEOPLE) and is_same

    def _left(self, at: int, first: int, last: int) -> ReportedAct:
        about = frozenset(key for _, key in self.document.content(at + 1, min(last, at + _LONGEST_CLAUSE)))
        texts = {token.text for token in self.tokens[max(first, at - _LONGEST_CLAUSE) : last]}
        return ReportedAct(True, "", at, about, own=True, limited=bool(texts & ELSEWHERE))

    def _is_copula(self, at: int) -> bool:
        """Whether a negation is of "to be": "isn't", "is not"."""
        return self.tokens[at].text in _NOT_BEING or (
            self.tokens[at].text == "not" and self.tokens[at - 1].text in _BEING and at > 0
        )

    def _is_no_verb(self, at: int) -> bool:
        """Whether a word after a denied "to be" is a number, or begins where or when something is."""
        token = self.tokens[at]
        return bool(token.values.get("number")) or token.text in _PLACES

    def _is_done_to_nothing(self, at: int, last: int) -> bool:
        """Whether the object of a verb denies it: "raised no fee", "picked none of them"."""
        first = next(
            (place for place in range(at + 1, last) if self.tokens[place].text not in _PARTICLES), last
        )
        following = [token.text for token in self.tokens[first : min(first + 2, last)]]
        return bool(following) and following[0] in _NO_SUBJECT and following[-1] not in _COMPARED

    def _not_chosen(self, at: int, last: int) -> int | None:
        """The verb of what was done otherwise or is left undone: "instead of voided", "left unassigned"."""
        text = self.tokens[at].text
        follows = [token.text for token in self.tokens[at + 1 : min(at + 3, last)]]
        if (text, *follows[:1]) in (("instead", "of"), ("rather", "than")):
            return at + 2 if len(follows) == 2 and is_past(follows[1]) else None
        if text in LEAVING:
            return next((place for place in range(at + 1, min(at + 8, last)) if self._is_undone(place)), None)
        return None

    def _is_undone(self, at: int) -> bool:
        text = self.tokens[at].text
        return text.startswith("un") and is_past(text[2:]) and text not in _OWING

    def _denies(self, at: int, last: int) -> bool:
        """Whether a word denies the verb after it: "not", "failed to"."""
        text = self.tokens[at].text
        if text in _FAILING:
            return at + 1 < last and self.tokens[at + 1].text == "to"
        return text in NEGATIONS and text not in ("without", "nobody", "hardly", "neither", "nor")

    def _verb(self, at: int, last: int) -> int | None:
        """The past tense that follows a subject or helper, over adverbs."""
        for place in range(at, min(at + 7, last)):
            token = self.tokens[place]
            if token.kind != "word" or token.text in NEGATIONS:
                return None
            if token.text in SKIPPED or token.text.endswith("ly"):
                continue
            follows = self.tokens[place + 1].text if place + 1 < last else ""
            stops = follows in NEGATIONS - _NO_SUBJECT or (follows == "to" and token.text in _FAILING)
            is_verb = is_past(token.text) or self._lets_know(place, last)
            return place if is_verb and not stops else None
        return None

    def _without_subject(
        self, first: int, last: int, before: str, mine: bool, reason: bool
    ) -> list[ReportedAct]:
        """An act whose subject is left out: "Booked for Friday", "Declined"."""
        if self.tokens[first].text in _NO_SUBJECT and self._negative_subject(first, last):
            return self._of_nothing(first, last)
        alone = before == "" or is_addressed(self.tokens, first)
        begins = refusing_end(self.tokens, first, last) if alone else None
        begins = refusing_result(self.tokens, last) if begins is None else begins
        if begins is not None:
            return [ReportedAct(True, "", begins, frozenset(), own=True)]
        begins = self._verb(first, last)
        if begins is None:
            return []
        opening = before == "" or (mine and before in _JOINING)
        if not opening or not self._tells(begins, last) or not self._is_sentence(begins, last):
            return []
        denied = self._is_done_to_nothing(begins, last)
        return [self._act(begins, first, last, denied=denied, own=True, reason=reason)]

    def _of_nothing(self, first: int, last: int) -> list[ReportedAct]:
        """An act that is denied of a subject without a helper: "Nothing entered", "No loan renewed"."""
        for at in range(first + 1, min(first + 5, last)):
            if is_past(self.tokens[at].text) and self._is_sentence(at, last):
                return [self._act(at, first, last, denied=True, own=True, reason=False)]
        return []

    def _tells(self, at: int, last: int) -> bool:
        """Whether a past tense may tell a change, or that one was not made: "wrote no letter"."""
        text = self.tokens[at].text
        if self._lets_know(at, last):
            return True
        if text == "put":
            return any(
                token.text in _PLACING for token in self.tokens[at + 1 : min(at + _OBJECT_LENGTH, last)]
            )
        return text not in _HARMLESS or (text in _WRITING and self._is_done_to_nothing(at, last))

    def _lets_know(self, at: int, last: int) -> bool:
        """Whether somebody else than the reader was informed: "let her know"."""
        follows = [token.text for token in self.tokens[at + 1 : min(at + 2 + _OBJECT_LENGTH, last)]]
        return self.tokens[at].text == "let" and "know" in follows and follows[0] not in ("you", "me", "us")

    def _is_sentence(self, at: int, last: int) -> bool:
        """Whether a past tense without a subject tells an act ("Booked for Friday"), not a label."""
        if at + 1 >= last or self._is_done_to_nothing(at, last):
            return True
        follows = self.tokens[at + 1].text
        is_of_another = follows == "by" and at + 2 < last and self.tokens[at + 2].capital  # "booked by Ada"
        is_none = is_of_another or (self.tokens[at].text in PERMITTING and follows == ":")
        return not is_none and (follows in AFTER_ACT or self.tokens[at + 1].kind == "value")

    def _denied_verb(self, at: int, last: int) -> int | None:
        """The verb that a negation is about: "could not be cancelled", "unable to book"."""
        if self.tokens[at].text in ("no", "none", "nothing"):
            return None
        for place in range(at + 1, min(at + 7, last)):
            token = self.tokens[place]
            if token.kind != "word":
                return None
            if token.text == "have" and place + 1 < last and self.tokens[place + 1].text == "to":
                return None
            if token.text in AFTER_NEGATION or token.text in _OBJECTS or token.text.endswith("ly"):
                continue
            # "Priya Anand, not Priya Anandan" tells two names apart.
            return None if token.capital and self.tokens[at].text == "not" else place
        return None

    def _negative_subject(self, first: int, last: int) -> bool:
        """Whether the chunk begins with "nothing", "no order", "none of it"."""
        for place in range(first, min(first + 2, last)):
            is_word = self.document.text[self.tokens[place].end : self.tokens[place].end + 1] != "-"
            if self.tokens[place].text in _NO_SUBJECT and is_word and not self._is_name(place):
                return not (
                    place + 1 < last and self.tokens[place + 1].text in ("problem", "worries", "doubt")
                )
        return False

    def _is_name(self, at: int) -> bool:
        """Whether a word of denial is the name of something: "the back and none of the record"."""
        if self.tokens[at].text not in self.names or not at:
            return False
        before, follows = self.tokens[at - 1].text, [token.text for token in self.tokens[at + 1 : at + 3]]
        first = max(0, at - _LONGEST_CLAUSE)
        sentence = self.document.sentences[self.document.chunks[self.document.chunk_of[at]].sentence]
        listed = [token.text for token in self.tokens[max(first, sentence.first) : at]]
        is_listed = before == "and" and not any(
            text in _PEOPLE or text in _HELPERS or is_past(text) for text in listed
        )
        goes_on = bool(set(follows[:1]) & _HELPERS) or follows == ["of", "the"]
        return before == "the" or (is_listed and goes_on)

    def _modal_before(self, at: int, first: int) -> bool:
        return any(self.tokens[place].text in _MODALS for place in range(max(first, at - 3), at))

    def _act(
        self,
        at: int,
        first: int,
        last: int,
        *,
        denied: bool,
        reason: bool,
        own: bool = False,
        present: bool = False,
    ) -> ReportedAct:
        first, last = max(first, at - _LONGEST_CLAUSE), min(last, at + _LONGEST_CLAUSE)
        texts = {self.tokens[place].text for place in range(first, last)}
        dated = any(self.tokens[place].values.get("date") for place in range(at, last))
        fresh = bool(texts & _FRESH)
        state = bool(texts & (EARLIER | _STATUS)) or reason or (not own and not fresh and (present or dated))
        verb = _INFORM if self._lets_know(at, last) else self.tokens[at].key
        begins = self._begin_of_denial(at, first) if denied else at
        about = frozenset(
            key
            for place, key in self.document.content(first, last)
            if not (begins <= place <= at) and self.tokens[place].text not in NEGATIONS
        )
        limited = bool(texts & ELSEWHERE) or self._goes_on_about_others(first)
        return ReportedAct(
            denied,
            "" if verb in _GENERIC else verb,
            at,
            about,
            subject=own and any(self.tokens[place].text in _PEOPLE for place in range(first, at)),
            own=own,
            state=state and not own,
            vague=any(self.tokens[place].text in _REQUEST for place in range(at + 1, min(at + 7, last))),
            limited=limited,
        )

    def _goes_on_about_others(self, first: int) -> bool:
        """Whether a clause without a subject goes on about "the rest": "the rest is old and was left"."""
        number = self.document.chunk_of[first]
        chunk = self.document.chunks[number]
        if chunk.begins_with != "and" or not number or self.tokens[chunk.first].text not in _GOING_ON:
            return False
        before = self.document.chunks[number - 1]
        last = min(before.last, before.first + _LONGEST_CLAUSE)
        is_beside = before.sentence == chunk.sentence
        return is_beside and any(self.tokens[at].text in ELSEWHERE for at in range(before.first, last))

    def _begin_of_denial(self, at: int, first: int) -> int:
        """Where the words begin that link a denial to its verb: "able to" of "not able to complete"."""
        begins = at
        while begins > first and self.tokens[begins - 1].text in AFTER_NEGATION:
            begins -= 1
        return begins

    def _phrases(self, pattern: PhrasePattern, *, denied: bool) -> Iterator[ReportedAct]:
        for at in self.document.places(pattern)[:_MOST_PHRASES]:
            number = self.document.chunk_of[at]
            if number < 0:
                continue
            chunk = self.document.chunks[number]
            sentence = self.document.sentences[chunk.sentence]
            end = min(chunk.last, chunk.first + _LONGEST_CLAUSE)
            texts = {self.tokens[place].text for place in range(chunk.first, end)}
            is_asked = chunk.first >= self._begin_of_question(sentence)
            if is_asked or sentence.row or self._is_conditional(chunk.first, chunk.last):
                continue
            if denied and declines_nothing(self.tokens, at):
                continue
            before = {self.tokens[place].text for place in range(max(chunk.first, at - 4), at + 1)}
            if not denied and (
                texts & _STATUS or before & NEGATIONS or before & _MODALS or texts & {"until"}
            ):
                continue
            about = frozenset(key for _, key in self.document.content(chunk.first, end)) - _PHRASE_KEYS
            limited = bool(texts & ELSEWHERE) or self._goes_on_about_others(chunk.first)
            own = self.tokens[at].text not in _HELPERS or bool(texts & {"now", "just"})
            yield ReportedAct(denied, "", at, about, own=own, limited=limited)
