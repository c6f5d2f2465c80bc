"""Deeds: which of the world's tools an act of a text is of, and whether it is one that had to be done."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.reading.acts import VAGUE_OBJECTS
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import BACK, RETURN, Deed, Effects
from synthesis.reading.past_tense import is_past
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, key, keys, stem, word_set

TELLING = keys("notify inform tell write send message contact email mail letter")
_DOING = keys(
    "add enter record create insert register place set put issue complete process save submit book apply "
    "charge raise pay change update move rename assign give grant"
)
_PARTICLES = keys("out through on")
_AGAIN = "re"
_WHEN = word_set("within before after ago")
_WHOM = word_set("him her them")
_ONE = keys("one those these")
_NEAR, _ALIKE = 60, 5
"""Words beside an act; letters that "absent" and "absence" have in common."""


def has_contacted(deeds: Sequence[Deed]) -> bool:
    """Whether a call was made by which somebody was told something."""
    called = (deed for deed in deeds if deed.calls != 0)
    return any(not TELLING.isdisjoint(map(key, deed.words)) for deed in called)


def words_of_messages(deeds: Sequence[Deed]) -> frozenset[str]:
    """Keys of what messages are called: letters, and what the called tools that tell something are about."""
    telling = (deed.nouns for deed in deeds if deed.calls and deed.key in TELLING)
    return TELLING.union(*telling)


def is_rightly_denied(document: ParsedText, act: ReportedAct, effects: Effects) -> bool:
    """Whether an act that a text denies is one for which a tool did not have to be called."""
    following = [token.text for token in document.tokens[act.at + 1 : act.at + 4]]
    if "request" in following and ("your" in following or "this" in following):
        return False
    if not act.verb and act.about and act.about <= VAGUE_OBJECTS | _PARTICLES:
        return False  # the request is the user's, whatever else the world calls a request
    if not act.verb and act.about and not act.about & effects.objects:
        return any(deed.nouns & act.about for deed in effects.deeds)
    alike = alike_deeds(document, act, effects.deeds)
    if not alike and "yet" in [*following, document.tokens[act.at - 1].text]:
        # "It has not been paid yet", where a tool marks such as paid.
        marking = (deed for deed in effects.deeds if is_past(deed.name.rpartition("_")[2]))
        alike = [deed for deed in marking if act.verb and key(deed.name.rpartition("_")[2]) == act.verb]
        return bool(alike) and all(deed.calls == 0 for deed in alike)
    return bool(alike) and all(deed.calls == 0 for deed in alike) and not alike[0].broad


def is_of_a_row_left(document: ParsedText, at: int, effects: Effects, act: ReportedAct | None = None) -> bool:
    """Whether the code or the name that stands last before a place is of a row to which nothing had to be
    done, or not what an act is.

    Args:
        document: The answer.
        at: The place.
        effects: What the right end consists of.
        act: The act of the place, where it is one.
    """
    if effects.pairings is None:
        return False
    sentence = document.sentences[document.chunks[document.chunk_of[at]].sentence]
    first = sentence.first
    if act and act.about <= _ONE and _points_back(document, at) and first:
        number = document.chunks[document.chunk_of[at]].sentence
        first = document.sentences[number - 1].first  # "I did not touch that one"
    places = range(max(first, at - _NEAR), min(sentence.last, at + 1))
    marks = {mark.at: mark for mark in effects.pairings.marks(document)}
    is_named = (
        place for place in reversed(places) if document.tokens[place].kind == "code" or place in marks
    )
    after = range(at + 1, min(sentence.last, at + _NEAR))
    follows = (place for place in after if document.tokens[place].kind == "code" or place in marks)
    last = next(is_named, next(follows, None))
    if last is None:
        return False
    mark = marks.get(last) or marks.get(last - 1)
    if mark is None:
        return effects.is_others(atoms(document.tokens[last].text))
    alike = {deed.name for deed in alike_deeds(document, act, effects.needed)} if act else set()
    called = effects.pairings.tools_of(mark)
    return not called & alike if alike else not called


def _points_back(document: ParsedText, at: int) -> bool:
    """Whether a verb's object is "that one" or "those", which a sentence before names."""
    texts = [token.text for token in document.tokens[at + 1 : at + 3]]
    return texts[:1] in (["those"], ["these"]) or texts in (["that", "one"], ["this", "one"])


def went_to_another(words: Sequence[TextToken]) -> bool:
    """Whether a sentence tells without a day that something was moved to somebody: "moved it to Ada Lund"."""
    at = next((place for place, token in enumerate(words) if token.text == "moved"), len(words))
    return not any("date" in token.values for token in words) and any(
        token.text == "to"
        and any(each.capital or each.text in _WHOM for each in words[place + 1 : place + 3])
        for place, token in enumerate(words)
        if place > at
    )


def is_a_deed(document: ParsedText, act: ReportedAct, deeds: Sequence[Deed]) -> bool:
    """Whether an act is what one of the world's writing tools does, by a verb that says it alone."""
    alike = [deed for deed in alike_deeds(document, act, deeds) if not deed.broad]
    return bool(alike) and (bool(act.verb) or act.subject)


def is_of_a_call(document: ParsedText, act: ReportedAct, deeds: Sequence[Deed]) -> bool:
    """Whether an act is what tools do, told with what they do it to: "opened a handover"."""
    verb = stem(document.tokens[act.at].text)
    return any(deed.verb == verb and deed.nouns & act.about for deed in deeds)


def is_of_a_day(document: ParsedText, act: ReportedAct, effects: Effects) -> bool:
    """Whether an act is what rows have the day of, told with when it was: "closed in the last 14 days"."""
    if act.own or effects.rows is None or act.verb not in effects.rows.dated_verbs:
        return False
    chunk = document.chunks[document.chunk_of[act.at]]
    words = document.tokens[chunk.first : min(chunk.last, chunk.first + _NEAR)]
    return any(token.text in _WHEN or "date" in token.values for token in words)


def tells_a_deed(token: TextToken, effects: Effects) -> bool:
    """Whether a word tells an act that had to be done."""
    return is_past(token.text) and (token.key in effects.called or stem(token.text) in effects.words)


def denies_a_deed(document: ParsedText, act: ReportedAct, effects: Effects, asked: frozenset[str]) -> bool:
    """Whether a denial in other words is of what had to be done: "no letter was written"."""
    if alike_deeds(document, act, effects.needed):
        return True
    if act.verb in TELLING:
        return bool(effects.called & TELLING)
    known = {each[:_ALIKE] for each in effects.objects | asked if len(each) >= _ALIKE}
    is_known = bool(act.about & (effects.objects | asked)) or any(
        each[:_ALIKE] in known for each in act.about
    )
    return act.verb in _DOING and (is_known or gives_alike(act.about, effects))


def gives_alike(about: frozenset[str], effects: Effects) -> bool:
    """Whether a call was given what words are about, in another form: "her absence" of "absent"."""
    given = {each[:_ALIKE] for each in effects.words if len(each) >= _ALIKE}
    return any(len(each) >= _ALIKE and each[:_ALIKE] in given for each in about)


def alike_deeds(document: ParsedText, act: ReportedAct, deeds: Sequence[Deed]) -> list[Deed]:
    """The tools whose verb an act has; of those with more words, the act must have them too.

    Args:
        document: The answer.
        act: The act.
        deeds: What the tools do.
    """
    verb = stem(document.tokens[act.at].text)
    alike = [deed for deed in deeds if deed.verb == verb]
    if not alike:
        alike = [deed for deed in deeds if deed.key == act.verb and not deed.broad and act.verb]
    if not alike and act.verb == RETURN:
        return [deed for deed in deeds if deed.returns and deed.with_verb == BACK]
    if not alike and verb.startswith(_AGAIN):
        verb = stem(document.tokens[act.at].text.removeprefix(_AGAIN))
        alike = [deed for deed in deeds if deed.verb == verb]
    if any(deed.with_verb for deed in alike):
        chunk = document.chunks[document.chunk_of[act.at]]
        last = min(chunk.last, act.at + _NEAR)
        near = {document.tokens[at].key for at in range(max(chunk.first, act.at - _NEAR), last)}
        alike = [deed for deed in alike if deed.with_verb <= near]
        longest = max((len(deed.with_verb) for deed in alike), default=0)
        alike = [deed for deed in alike if len(deed.with_verb) == longest]
    return alike
