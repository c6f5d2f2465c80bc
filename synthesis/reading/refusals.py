"""Refusals: whether a text says that what was asked was not done, and names what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from synthesis.reading.act_phrases import APOLOGIES
from synthesis.reading.acts import LEAVING, is_generic
from synthesis.reading.declining import asks_which, is_refused
from synthesis.reading.document import ParsedText, parsed, phrase_index
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import ELSEWHERE, NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.words import atoms, key, keys, word_set

DECLINED = ("declined", "not_possible")
"""Outcomes by which an answer declares that nothing was done."""

_GENERAL = keys("rule rules policy request state status sorry unfortunately decline because done")
_STAND_INS = keys(
    "record item entry thing case object one system data row account file already longer still currently "
    "meanwhile unfortunately be being been simply actually also stand way reason one why"
)
"""Words for whatever was asked about, and words that say nothing of what they stand with."""
_CHANGE = keys("change changes update request order booking entry")
"""What a passive claims to have been made, whatever else is denied: "the change has been made"."""
_LACKING = word_set("off without outside away absent out beyond lacks lacking missing unavailable only")
_UNALTERED = word_set("unchanged untouched unaltered")
_UNTOUCHED = _UNALTERED | {"alone"}
_DENYING_THAT = NEGATIONS | ELSEWHERE
_AS_BEFORE = word_set("it they is was before")
_GIVING, _BACK, _RETURNING = keys("bring give hand take"), key("back"), key("return")
"""What is brought back is returned."""
_BORROWING, _LENDING = key("borrow"), keys("loan lend")
_LONGEST_CLAUSE = 60
_ASKED_FOR = word_set("proposed requested asked wanted required suggested named")
_MOST_WORDS, _NEAR, _PAIR = 12, 4, 2
_BEFORE = word_set("already earlier previously")
_BEFORE_KEYS = keys("already earlier previously")
_UNSAYABLE = frozenset(("",))
"""A key that no text has: a reason in the request's own words alone names nothing."""


class DecliningReason(Protocol):
    """What is read of a reason why a request is declined."""

    @property
    def text(self) -> str:
        """The reason in plain words."""
        ...

    @property
    def value(self) -> bool | int | float | str | None:
        """What a right answer may name instead."""
        ...

    @property
    def type(self) -> str | None:
        """How the value is written."""
        ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a text says about declining."""

    declines: bool
    """Whether it says that it was not done."""
    claims: bool
    """Whether something in it says that it was."""
    names_reason: bool
    """Whether it names what stands in the way."""

    @property
    def right(self) -> bool:
        """Whether it is a right refusal."""
        return self.declines and not self.claims and self.names_reason

    @property
    def problem(self) -> str:
        """What is missing, in words; empty where nothing is."""
        if self.claims:
            return "it claims that something was done"
        if not self.declines:
            return "it does not say that it was not done"
        return "" if self.names_reason else "it does not name what prevents it"


def read_refusal(
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    evidence: Sequence[DecliningReason],
    instruction: str,
    *,
    declared: bool = False,
) -> Refusal:
    """How a text declines.

    Args:
        document: The text.
        every_act: Its acts.
        evidence: What stands in the way; any of it suffices. Without any, a reason in words of its own.
        instruction: What was asked; its own words are no reason.
        declared: Whether the answer's outcome says that it was declined.
    """
    named = (
        names_evidence(document, evidence, instruction)
        if evidence
        else _gives_some_reason(document, instruction)
    )
    asked = keys(instruction)
    denied = any(
        act.denied and (not act.limited or act.verb in asked or _is_once_more(document, act))
        for act in every_act
    )
    regrets = named and bool(evidence) and any(token.text in APOLOGIES for token in document.tokens[:12])
    names = {each.value for each in evidence if each.type == "name" and isinstance(each.value, str)}
    asks = asks_which(document, names)
    leaves = _leaves_as_is(document) or _is_untouched(document)
    declines = declared or denied or regrets or leaves or asks or is_refused(document, asked)
    others = [
        act
        for act in every_act
        if not _is_of_the_reason(document, act, evidence) and not _is_label_of_the_request(document, act)
    ]
    claims = claims_an_act(others, instruction, denied) or _is_reached(document, every_act, asked)
    return Refusal(declines, claims, named or asks)


def _is_of_the_reason(document: ParsedText, act: ReportedAct, evidence: Sequence[DecliningReason]) -> bool:
    """Whether an act is told with the day that is the reason: "we wrote to her on 8 May, a week ago"."""
    number = document.chunk_of[act.at]
    if number < 0 or act.denied:
        return False
    chunk = document.chunks[number]
    days = {str(each.value) for each in evidence if each.type == "date"}
    tokens = document.tokens[act.at : min(chunk.last, act.at + _LONGEST_CLAUSE)]
    return any(str(day) in days for token in tokens for day in token.values.get("date", ()))


def _is_label_of_the_request(document: ParsedText, act: ReportedAct) -> bool:
    """Whether a word is the label of what was asked for: "Proposed: Ada Lund"."""
    follows = document.tokens[act.at + 1 : act.at + 2]
    return bool(follows) and follows[0].text == ":" and document.tokens[act.at].text in _ASKED_FOR


def _leaves_as_is(document: ParsedText) -> bool:
    """Whether something is told to stay what it was: "I left both as they are", "it stays as it is"."""
    for at, token in enumerate(document.tokens):
        number = document.chunk_of[at]
        if token.text not in LEAVING or number < 0:
            continue
        chunk = document.chunks[number]
        after = [each.text for each in document.tokens[at + 1 : min(at + _MOST_WORDS, chunk.last)]]
        if any(each.text in NEGATIONS for each in document.tokens[max(chunk.first, at - _PAIR) : at]):
            after = []  # "was not left without"
        is_same = (
            (after[:1] == ["without"])
            or not _UNTOUCHED.isdisjoint(after)
            or any(one == "as" and (other in _AS_BEFORE or is_past(other)) for one, other in pairwise(after))
        )
        asks = document.sentences[chunk.sentence].question or at in document.conditions
        if is_same and not asks and NEGATIONS.isdisjoint(after[1:] if after[:1] == ["without"] else after):
            return True
    return False


def _is_untouched(document: ParsedText) -> bool:
    """Whether a clause without a verb says that something is as it was: "number unchanged"."""
    return any(
        token.text in _UNALTERED
        and document.chunk_of[at] >= 0
        and not any(one.text in _DENYING_THAT for one in document.tokens[max(0, at - _NEAR) : at])
        for at, token in enumerate(document.tokens)
    )


def _is_once_more(document: ParsedText, act: ReportedAct) -> bool:
    """Whether what the speaker did not do is one more of the same: "I did not send her another one"."""
    chunk = document.chunks[document.chunk_of[act.at]]
    after = [token.text for token in document.tokens[act.at : min(act.at + _MOST_WORDS, chunk.last)]]
    before = [token.text for token in document.tokens[max(chunk.first, act.at - _MOST_WORDS) : act.at]]
    return "another" in after and ("i" in before or "we" in before)


def _is_reached(document: ParsedText, every_act: Iterable[ReportedAct], asked: frozenset[str]) -> bool:
    """Whether what was asked is told as how things are now: "it is now assigned to her"."""
    return any(
        not act.denied
        and act.verb in asked
        and any(token.text == "now" for token in document.tokens[max(0, act.at - 2) : act.at])
        for act in every_act
    )


def claims_an_act(every_act: Iterable[ReportedAct], instruction: str, denied: bool) -> bool:
    """Whether something is claimed to have been done where nothing was.

    Args:
        every_act: The acts of the text.
        instruction: What was asked.
        denied: Whether the text also says that it was not done; then a passive may tell how things stood.
    """
    asked = keys(instruction)
    for act in every_act:
        if act.denied or act.state:
            continue
        if act.own:
            return True
        if act.limited or (denied and not (is_generic(act.verb) and act.about & _CHANGE)):
            continue
        if is_generic(act.verb) or act.verb in asked:
            return True
    return False


def names_evidence(document: ParsedText, evidence: Sequence[DecliningReason], instruction: str) -> bool:
    """Whether a text names any of the evidence, by its value or by the words of its text."""
    present = document_keys(document)
    if _GIVING & present and _BACK in present:
        present |= {_RETURNING}
    if _BORROWING in present:
        present |= _LENDING
    asked = keys(instruction)
    about = asked.union(_GENERAL, *(document_keys(parsed(each.text)) for each in evidence))
    for each in evidence:
        known = asked | keys(each.value) if isinstance(each.value, str) else asked
        if _value_is_named(document, each, about):
            return True
        if _text_is_named(document, present, each.text, known, about):
            return True
        if _needed(each.text, known)[0] >= _UNSAYABLE and _is_already_so(document, each.text):
            return True
    return False


def _is_already_so(document: ParsedText, text: str) -> bool:
    """Whether a text says that it was done before, where that is the reason and all its words are asked."""
    if not any(token.text in _BEFORE for token in parsed(text).tokens):
        return False
    wanted = document_keys(parsed(text)) - _GENERAL - _BEFORE_KEYS
    return any(
        token.text in _BEFORE
        and document.chunk_of[at] >= 0
        and not wanted.isdisjoint(_clause_keys(document, at))
        for at, token in enumerate(document.tokens)
    )


def _clause_keys(document: ParsedText, at: int) -> frozenset[str]:
    chunk = document.chunks[document.chunk_of[at]]
    return frozenset(key for _, key in document.content(chunk.first, chunk.last)) | chunk.given


def _is_about_it(document: ParsedText, at: int, about: frozenset[str]) -> bool:
    """Whether what a word is said of has to do with the request: "it is full", not "the moon is full"."""
    chunk = document.chunks[document.chunk_of[at]] if document.chunk_of[at] >= 0 else None
    if chunk is None:
        return True
    content = document.content(chunk.first, at)
    denying = NEGATIONS | _LACKING
    before = {key for place, key in content if document.tokens[place].text not in denying} | chunk.given
    return before <= _STAND_INS or bool(before & about)


def document_keys(document: ParsedText) -> frozenset[str]:
    """The keys of all words of a text that carry a meaning."""
    words = {key for _, key in document.content(0, len(document.tokens))}
    for token in document.tokens:
        for type, values in token.values.items():
            if type != "whole":
                words.update(f"{type}:{value}" for value in values)
    return frozenset(words)


@lru_cache(maxsize=512)
def keys_of_texts(*texts: str) -> frozenset[str]:
    """The keys of all words of some texts that carry a meaning."""
    return frozenset().union(*(document_keys(parsed(text)) for text in texts))


@lru_cache(maxsize=2_048)
def _needed(text: str, asked: frozenset[str]) -> tuple[frozenset[str], float]:
    """The words of a reason that the request does not say, and the share of them that names it."""
    content = document_keys(parsed(text)) - _GENERAL
    new = content - asked
    if new <= _BEFORE_KEYS:  # "already" alone names nothing: see `_is_already_so`
        new = frozenset()
    if len(new) >= 2:
        return new, 0.34 if len(new) > 4 else 0.5
    return (new, 1.0) if new else (content | _UNSAYABLE, 1.0)


def _text_is_named(
    document: ParsedText, present: frozenset[str], text: str, asked: frozenset[str], about: frozenset[str]
) -> bool:
    wanted, share = _needed(text, asked)
    named = wanted & present
    if not wanted or len(named) < max(1, share * len(wanted)):
        return False
    if len(named) > 1:
        return True
    places = [at for at, key in document.content(0, len(document.tokens)) if key in named]
    if _is_negative(parsed(text), 0):
        places = [at for at in places if _is_negative(document, at)]
        return any(_is_about_it(document, at, about - named) for at in places)
    return not places or any(_is_about_it(document, at, about - named) for at in places)


def _is_negative(document: ParsedText, at: int) -> bool:
    """Whether a clause says that something is not so: "she is off duty"."""
    if document.chunk_of[at] < 0:
        return True
    chunk = document.chunks[document.chunk_of[at]]
    words = document.tokens[chunk.first : min(chunk.last, chunk.first + _LONGEST_CLAUSE)]
    return any(token.text in NEGATIONS or token.text in _LACKING for token in words)


def _value_is_named(document: ParsedText, evidence: DecliningReason, about: frozenset[str]) -> bool:
    value, type = evidence.value, evidence.type
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, str) and type not in ("date", "time"):
        return any(
            not _is_refused_form(document, first) and _is_about_it(document, first, about)
            for _, first, _ in document.phrases(phrase_index((value,)))
        )
    wanted = str(value)[:5] if type == "time" else value
    kinds = (type,) if type else ("number", "money_cents", "date", "time")
    for token in document.tokens:
        values = set().union(*(token.values.get(kind, frozenset()) for kind in kinds))
        if type == "money_cents":
            values |= token.values.get("whole", frozenset())
        if wanted in values or (
            type == "date" and any(f"{str(wanted)[:4]}{str(v)[4:]}" == wanted for v in values)
        ):
            return True
    return False


def _is_refused_form(document: ParsedText, at: int) -> bool:
    """Whether a state is only the verb of the refusal: "cannot be approved"."""
    before = [token.text for token in document.tokens[max(0, at - 3) : at]]
    return "be" in before or any(text in NEGATIONS for text in before) or before[-1:] == ["i"]


def _gives_some_reason(document: ParsedText, instruction: str) -> bool:
    """Whether a text has at least a few words of its own beside declining."""
    return (
        len(document_keys(document) - keys(instruction) - _GENERAL) >= 3
        and len(atoms(document.text[:2_000])) >= 6
    )
