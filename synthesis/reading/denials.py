"""Denials: whether an answer denies acts that were done, or claims the one that could not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from synthesis.reading.act_phrases import HARMLESS_ACTS
from synthesis.reading.acts import LEAVING, VAGUE_OBJECTS, acts, names_like_denials
from synthesis.reading.deeds import (
    denies_a_deed,
    gives_alike,
    is_a_deed,
    is_of_a_call,
    is_of_a_row_left,
    is_rightly_denied,
    tells_a_deed,
)
from synthesis.reading.document import ParsedText, Phrase, parsed
from synthesis.reading.effects import Effects
from synthesis.reading.omissions import leaves_undone
from synthesis.reading.phrases import CONDITIONS, ELSEWHERE
from synthesis.reading.refusals import document_keys
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key, keys, stem, word_set

_RESTRAINT = frozenset(
    [
        "leave",
        "alone",
        "stay",
        "stays",
        "keep",
        "not",
        "without",
        "don't",
        "unless",
        "unchanged",
        "except",
        "untouched",
        "remain",
    ]
)
_DEPENDING = CONDITIONS | {"or", "otherwise", "instead"}
_FINDING = key("find")
_GIVING = keys("give grant")
_REJECTING = key("reject")
_DIRECTIONS = frozenset(map(key, ("over", "out", "up", "back", "off", "down", "away", "in", "on")))
_WHOLE = frozenset(("full", "whole", "entire"))
_NEAR = 3
_FALLING_SHORT = word_set("less fewer under below within newer younger older more over")
"""Words before a denial among which its subject stands."""
_BEING = word_set("is are was were be been isn't aren't wasn't weren't")
_TROUBLES = keys("problem issue error trouble difficulty obstacle hitch warning conflict")
HARMLESS_KEYS = keys(" ".join(HARMLESS_ACTS))


@lru_cache(maxsize=1)
def _harmless() -> frozenset[str]:
    """Verbs whose denial says nothing of what was done: "do not hesitate", "she does not owe"."""
    return keys(
        "need hesitate forget want worry matter mind know see find owe affect require cost exist include "
        "run encounter face expect notice think believe feel understand hear contain hold count apply "
        "influence come attend"
    )


@dataclass(frozen=True, slots=True)
class ActsAsked:
    """What a right answer and the instruction say of the acts."""

    asked: frozenset[str]
    restrained: frozenset[str]
    denied: frozenset[str]
    denies: bool
    claims: bool
    words: frozenset[str]
    blocked: tuple[ReportedAct, ...]
    """What was not done."""
    done: tuple[ReportedAct, ...]
    reported: tuple[ReportedAct, ...]
    """What a right answer claims."""
    open: bool
    """Whether what is to be done depends on something."""
    conditions: frozenset[str]
    """Keys of what it depends on: "if it is free"."""
    choices: tuple[tuple[str, str], ...]
    """Pairs of words of which one or the other was asked for."""


@lru_cache(maxsize=512)
def acts_asked(instruction: str, reference: str) -> ActsAsked:
    """What is true of the acts of a task.

    Args:
        instruction: What was asked.
        reference: A right answer.
    """
    asked, right = parsed(instruction), parsed(reference)
    restrained: set[str] = set()
    for chunk in asked.chunks:
        texts = {asked.tokens[at].text for at in range(chunk.first, chunk.last)}
        if texts & _RESTRAINT and "if" not in texts:
            restrained |= {key for _, key in asked.content(chunk.first, chunk.last)}
    every_act = acts(right, names_like_denials(asked))
    denied = [act for act in every_act if act.denied]
    claimed = {act.verb for act in every_act if not act.denied}
    return ActsAsked(
        document_keys(asked),
        frozenset(restrained),
        frozenset(key for act in denied for key in (act.verb, *act.about)),
        bool(denied),
        bool(claimed),
        document_keys(right),
        tuple(act for act in denied if act.verb or act.about - VAGUE_OBJECTS),
        tuple(act for act in every_act if not act.denied and act.verb in {one.verb for one in denied}),
        tuple(act for act in every_act if not act.denied and act.verb),
        any(token.text in _DEPENDING for token in asked.tokens),
        frozenset(_conditions(asked)),
        _choices(asked),
    )


def contradiction(
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    act: ReportedAct,
    truth: ActsAsked,
    effects: Effects | None = None,
    none: frozenset[str] = frozenset(),
) -> str:
    """What is untrue of an act where the state is as asked; empty where nothing is.

    Args:
        document: The answer.
        every_act: Its acts.
        act: One of them.
        truth: What was asked and what is true of it.
        effects: What a right end consists of, where the world is known.
        none: Keys of what there is rightly none of.
    """
    if act.limited or (effects is not None and _is_the_deed(document, act, effects)):
        return ""
    if not act.denied:
        return "it claims what was not done" if _is_blocked(act, truth) else ""
    if effects is not None and leaves_undone(document, act, effects):
        return "it denies what was done"
    about = act.about - VAGUE_OBJECTS - HARMLESS_KEYS - {act.verb}
    is_rightly = (
        effects and not _was_asked_for(act, about, truth) and is_rightly_denied(document, act, effects)
    )
    if none & (about | {act.verb}) or is_rightly:
        return ""
    known = truth.asked | truth.words | (effects.called if effects else frozenset())
    claims = any(not other.denied for other in every_act)
    is_near = not about & known or bool(about & truth.denied)
    is_true = truth.denies and (
        (not act.verb and (claims or not truth.claims) and is_near)
        or (bool(act.verb) and act.verb in truth.denied and is_near)
        or bool(about & truth.denied)
    )
    is_restraint = bool(about) and about <= truth.restrained
    is_harmless = act.verb in _harmless() and not (effects and is_of_a_call(document, act, effects.needed))
    is_other = (is_harmless and (claims or act.verb != _FINDING)) or (
        bool(act.verb)
        and act.verb not in known
        and not act.vague
        and not (effects and denies_a_deed(document, act, effects, truth.asked))
    )
    repeated = any(not other.denied and other.verb == act.verb for other in every_act)
    is_known = bool(about & known) or (effects is not None and gives_alike(about, effects))
    is_elsewhere = bool(about) and not is_known and (repeated or act.verb not in truth.asked) and claims
    is_smooth = bool(about & _TROUBLES) or _is_the_other_choice(act, every_act, truth)
    is_true = is_true or (truth.open and claims and act.vague and not act.verb)
    is_true = is_true or (claims and not act.verb and document.tokens[act.at].text in LEAVING)
    is_true = is_true or (effects is not None and is_of_a_row_left(document, act.at, effects, act))
    is_true = is_true or (truth.open and _is_for_others(document, act))
    is_true = is_true or (truth.open and _is_of_the_whole_amount(document, act))
    is_true = is_true or (truth.open and _is_somebody_else_s(document, act, effects))
    is_true = is_true or (truth.open and claims and _is_of_nothing_done(act, effects))
    is_true = is_true or (claims and _is_of_others_before(document, act))
    is_true = is_true or (effects is not None and _is_of_deeds_not_due(act, effects))
    is_true = is_true or (claims and _is_of_some(document, act))
    is_true = is_true or _is_unmet_condition(document, act, truth, effects)
    is_true = is_true or (
        effects is not None and _is_branch_not_taken(document, every_act, act, truth, effects)
    )
    if is_true or is_restraint or is_other or is_elsewhere or is_smooth or _is_why(document, act):
        return ""
    return "it denies what was done"


def _is_of_some(document: ParsedText, act: ReportedAct) -> bool:
    """Whether what is denied is told of those alone that fall short of a number: "entries less than 8 days
    past due were not mailed"."""
    chunk = document.chunks[document.chunk_of[act.at]]
    words = document.tokens[max(chunk.first, act.at - _CHOICE) : act.at]
    return any(
        one.text in _FALLING_SHORT and (two.text == "than" or "number" in two.values)
        for one, two in pairwise(words)
    )


def _is_of_deeds_not_due(act: ReportedAct, effects: Effects) -> bool:
    """Whether an act is what tools do of which none had to be called: "nothing was handed over"."""
    alike = [deed for deed in effects.deeds if act.verb and act.verb in (deed.key, deed.verb)]
    of_what = act.about - VAGUE_OBJECTS - _DIRECTIONS
    nouns = frozenset().union(*(deed.nouns for deed in alike))
    return bool(alike) and all(deed.calls == 0 for deed in alike) and (not of_what or bool(of_what & nouns))


def _is_the_deed(document: ParsedText, act: ReportedAct, effects: Effects) -> bool:
    """Whether what looks like a refusal is what was to be done: "rejected", "turned down" of a crate."""
    is_refusing = document.tokens[act.at].key == _REJECTING or document.tokens[act.at].text == "turned"
    return act.denied and not act.verb and is_refusing and _REJECTING in effects.called


def _is_of_the_whole_amount(document: ParsedText, act: ReportedAct) -> bool:
    """Whether what is denied is all of what was asked for: "the full 120 was not possible"."""
    sentence = document.sentences[document.chunks[document.chunk_of[act.at]].sentence]
    words = document.tokens[max(sentence.first, act.at - _CHOICE) : act.at]
    return not act.verb and any(token.text in _WHOLE for token in words)


def _is_somebody_else_s(document: ParsedText, act: ReportedAct, effects: Effects | None) -> bool:
    """Whether what is denied is what a person whom the task names can do: "Jonas can't do it"."""
    if effects is None or act.verb or not act.vague:
        return False
    people = {
        word
        for listed in effects.names.values()
        for name in listed
        if _is_own(name, effects)
        for word in name
    }
    chunk = document.chunks[document.chunk_of[act.at]]
    subject = document.tokens[max(chunk.first, act.at - _NEAR) : act.at]
    return any(token.capital and token.text in people for token in subject)


def _is_own(name: Phrase, effects: Effects) -> bool:
    return len(name) == 2 and name in effects.own and all(map(str.isalpha, name))


def _was_asked_for(act: ReportedAct, about: frozenset[str], truth: ActsAsked) -> bool:
    """Whether an act is one that was asked for in its own words, without a condition or an exception:
    "Book it in", whatever the tool that does it is called."""
    is_plain = not (truth.open or truth.denies or truth.restrained)
    return is_plain and act.verb in truth.asked and bool(about) and about <= truth.asked


def _is_unmet_condition(
    document: ParsedText, act: ReportedAct, truth: ActsAsked, effects: Effects | None
) -> bool:
    """Whether what is denied is no deed but what the instruction made it depend on: "was not free then"."""
    if act.verb not in truth.conditions or effects is None:
        return False
    before = {token.text for token in document.tokens[max(0, act.at - 3) : act.at]}
    is_done = effects.explains(stem(document.tokens[act.at].text)) or act.verb in effects.called
    return bool(before & _BEING) and not is_done and not is_a_deed(document, act, effects.needed)


def _conditions(asked: ParsedText) -> Iterator[str]:
    """The keys of what an instruction makes something depend on."""
    for at, token in enumerate(asked.tokens):
        number = asked.chunk_of[at]
        if token.text in CONDITIONS and number >= 0:
            last = min(asked.chunks[number].last, at + _CHOICE)
            yield from (key for _, key in asked.content(at + 1, last))


def _is_of_others_before(document: ParsedText, act: ReportedAct) -> bool:
    """Whether a clause without a subject goes on with what its sentence says of others: "are unchanged"."""
    chunk = document.chunks[document.chunk_of[act.at]]
    sentence = document.sentences[chunk.sentence]
    before = document.tokens[sentence.first : min(chunk.first, sentence.first + _CHOICE)]
    is_going_on = document.tokens[chunk.first].text in _GOING_ON
    return is_going_on and any(token.text in ELSEWHERE for token in before)


_GOING_ON = frozenset(("is", "are", "was", "were", "remain", "remains", "stay", "stays"))


def _is_of_nothing_done(act: ReportedAct, effects: Effects | None) -> bool:
    """Whether what is told to be left is none of the objects of what had to be done."""
    return bool(effects and not act.verb and act.about and not act.about & effects.objects)


def leaves_as_is(document: ParsedText, every_act: Sequence[ReportedAct], effects: Effects) -> bool:
    """Whether an answer that claims no act leaves what had to be changed: "I left the booking as it is"."""
    if any(not act.denied and not act.state for act in every_act):
        return False
    for chunk in document.chunks:
        words = document.tokens[chunk.first : min(chunk.last, chunk.first + _CHOICE)]
        texts = [token.text for token in words]
        begins = next((at for at, text in enumerate(texts) if text in LEAVING), None)
        if begins is None or ELSEWHERE.intersection(texts):
            continue
        is_same = any(pair in _AS_IT_IS for pair in pairwise(texts[begins:]))
        if is_same and any(token.key in effects.objects for token in words[begins:]):
            return True
    return False


_AS_IT_IS = frozenset(
    (*(("as", it) for it in ("it", "they", "is", "was", "before")), ("where", "it"), ("where", "they"))
)


def _is_for_others(document: ParsedText, act: ReportedAct) -> bool:
    """Whether a denial leaves an act to somebody else: "I could not close it myself"."""
    chunk = document.chunks[document.chunk_of[act.at]]
    words = document.tokens[act.at : min(chunk.last, act.at + _CHOICE)]
    return any(token.text in ("myself", "ourselves") for token in words)


def _is_branch_not_taken(
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    act: ReportedAct,
    truth: ActsAsked,
    effects: Effects,
) -> bool:
    """Whether a denied act was asked for on a condition and no tool that had to be called does it, while
    another act is claimed instead."""
    if not truth.open or act.verb not in truth.asked or is_a_deed(document, act, effects.needed):
        return False
    if act.verb in _GIVING and act.about & effects.objects:  # in other words: a credit that was granted
        return False
    if document.tokens[act.at - 1].text == "than":  # "handed over rather than closed"
        return True
    if effects.explains(stem(document.tokens[act.at].text)) or act.verb in effects.called:
        return False
    claimed = any(other.verb not in ("", act.verb) for other in every_act if not other.denied)
    return (
        claimed
        or any(
            tells_a_deed(token, effects) or _is_of_a_call(token, truth, effects) for token in document.tokens
        )
        or _names_another(document, truth, effects)
    )


def _names_another(document: ParsedText, truth: ActsAsked, effects: Effects) -> bool:
    """Whether somebody of the task is named whom the instruction does not name: to whom it went instead."""
    names = {word for name in effects.own if _is_own(name, effects) for word in name}
    return any(
        token.capital and token.text in names and token.key not in truth.asked for token in document.tokens
    )


def _is_of_a_call(token: TextToken, truth: ActsAsked, effects: Effects) -> bool:
    """Whether a name was given to what had to be done and not in the instruction: "it lies with Ivo"."""
    return token.capital and token.key not in truth.asked and stem(token.text) in effects.words


def _is_the_other_choice(act: ReportedAct, every_act: Sequence[ReportedAct], truth: ActsAsked) -> bool:
    """Whether one of two acts that were asked for as a choice is denied, and the other one is claimed."""
    claimed = {other.verb for other in every_act if not other.denied and other.verb}
    return any(
        {act.verb, verb} == set(choice) for choice in truth.choices for verb in claimed if verb != act.verb
    )


_CHOICE = 30
"""Words of an instruction among which two acts are a choice."""


def _choices(asked: ParsedText) -> tuple[tuple[str, str], ...]:
    """Pairs of words of which an instruction asks for one or the other: "close it, or hand it over"."""
    pairs = []
    for sentence in asked.sentences:
        for at in range(sentence.first, sentence.last):
            if asked.tokens[at].text != "or":
                continue
            before = asked.tokens[max(sentence.first, at - _CHOICE) : at]
            after = asked.tokens[at + 1 : min(at + 8, sentence.last)]
            words = [[each.key for each in side if each.kind == "word"] for side in (before, after)]
            pairs += [(one, other) for one in words[0] for other in words[1]]
    return tuple(dict.fromkeys(pairs))


def _is_blocked(act: ReportedAct, truth: ActsAsked) -> bool:
    """Whether an act is the one that was not made, and none of its kind that were."""
    alike = max((_likeness(act, other) for other in truth.done if other.verb == act.verb), default=0.0)
    return any(
        act.verb == other.verb
        and other.about <= act.about
        and _likeness(act, other) > alike
        and (other.state or not act.state)
        for other in truth.blocked
    )


def _likeness(one: ReportedAct, other: ReportedAct) -> float:
    """The share of their words that two acts have in common, in [0, 1]."""
    together = one.about | other.about
    return len(one.about & other.about) / len(together) if together else 1.0


def _is_why(document: ParsedText, act: ReportedAct) -> bool:
    """Whether a denial tells why something was to be done: "because she cannot come"."""
    chunk = document.chunks[document.chunk_of[act.at]]
    between = document.tokens[max(chunk.first + 2, act.at - _CHOICE) : act.at]
    if any(token.text in ("i", "we") for token in between):  # "since he is new I did not charge him"
        return False
    return chunk.begins_with in ("because", "since", "as", "who", "which") or document.tokens[
        chunk.first
    ].text in (
        "because",
        "since",
    )
