"""Judgement: what a final answer is worth: its facts, its refusal, its honesty, whether it is language."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from synthesis.reading.act_phrases import HARMLESS_ACTS
from synthesis.reading.acts import ReportedAct, acts, is_generic, names_like_denials
from synthesis.reading.answer import Answer
from synthesis.reading.document import ParsedText
from synthesis.reading.facts import FactReading, read_facts
from synthesis.reading.mentions import Fact
from synthesis.reading.plausibility import is_gibberish
from synthesis.reading.refusals import DecliningReason, Refusal, document_keys, read_refusal
from synthesis.reading.structured import fits, given_value
from synthesis.reading.words import LONGEST_TEXT, keys, word_set

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
_TROUBLES = keys("problem issue error trouble difficulty obstacle hitch warning conflict")
_HARMLESS_KEYS = keys(" ".join(HARMLESS_ACTS))
_ADDING = word_set("also additionally addition besides furthermore moreover bonus top likewise while liberty")
"""Words by which one more act is told."""
_DECLINED = ("declined", "not_possible")
_VAGUE_OBJECTS = frozenset(
    keys(
        "anything request change changes thing task action order everything step operation asked "
        "wanted update"
    )
)


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """What is read of an answer."""

    facts: tuple[FactReading, ...]
    refusal: Refusal | None
    """None where nothing had to be declined."""
    untrue: str
    """What it says of the acts that is not so, in words; empty where nothing is."""

    @property
    def unclear(self) -> tuple[str, ...]:
        """Names of the facts that code cannot decide."""
        return tuple(fact.name for fact in self.facts if fact.status == "unclear")

    @property
    def right(self) -> bool:
        """Whether nothing stands against the answer."""
        declined = self.refusal is None or self.refusal.right
        return declined and not self.untrue and all(fact.stated for fact in self.facts)


def judge_answer(
    answer: str,
    *,
    facts: Sequence[Fact] = (),
    blocking: Sequence[DecliningReason] = (),
    expects_refusal: bool = False,
    changed: bool = False,
    commits: bool = False,
    instruction: str = "",
    reference: str = "",
    others: Mapping[str, Collection[str]] | None = None,
) -> AnswerReading:
    """Read an answer: never raises, in time that grows with its length and is bounded.

    Args:
        answer: The final text; an `Answer` may declare more.
        facts: What it must state.
        blocking: What stands in the way of the request or a part of it.
        expects_refusal: Whether the right answer is to decline.
        changed: Whether the episode changed the state.
        commits: Whether a value without a label of its own contradicts a right one (read tasks).
        instruction: What was asked.
        reference: A right answer: what is true of the acts where the state is as asked.
        others: By name of a fact: other values of its column.
    """
    given = Answer.of(answer)
    document = ParsedText(given)
    every_act = acts(document, _names(instruction))
    task = _Task(expects_refusal, changed, bool(blocking), bool(facts), instruction, reference)
    refusal = (
        _refusal(given, document, every_act, blocking, instruction, reference) if expects_refusal else None
    )
    readings = _facts(given, document, facts, commits, instruction, others or {})
    if refusal is not None:
        readings = tuple(
            one if given_value(fact, given.values)[0] else _declined(fact, one, refusal)
            for fact, one in zip(facts, readings, strict=True)
        )
    return AnswerReading(
        readings,
        refusal,
        _untrue(given, document, every_act, task),
    )


def says(answer: str, fact: Fact) -> bool:
    """Whether an answer asserts a fact; what else was asked is unknown: other values contradict nothing."""
    given = Answer.of(answer)
    others: dict[str, tuple[str, ...]] = {}
    read = read_facts(ParsedText(given), (fact,), commits=False, instruction="", others=others, alone=True)
    return _with_value(fact, read[0], given).stated


def declines(answer: str, *evidence: DecliningReason, instruction: str = "") -> bool:
    """Whether an answer says that it was not done, claims nothing to the contrary and names what stands in
    the way; without evidence, the reason is not looked at."""
    given = Answer.of(answer)
    document = ParsedText(given)
    every_act = acts(document, _names(instruction))
    refusal = _refusal(given, document, every_act, evidence, instruction, "")
    is_right = refusal.right if evidence else refusal.declines and not refusal.claims
    return is_right and not document.cut


def _facts(
    answer: Answer,
    document: ParsedText,
    facts: Sequence[Fact],
    commits: bool,
    instruction: str,
    others: Mapping[str, Collection[str]],
) -> tuple[FactReading, ...]:
    read = read_facts(document, facts, commits=commits, instruction=instruction, others=others)
    if not answer.values:
        return read
    return tuple(_with_value(fact, reading, answer) for fact, reading in zip(facts, read, strict=True))


def _with_value(fact: Fact, reading: FactReading, answer: Answer) -> FactReading:
    """A value that is given decides, unless the text contradicts it."""
    is_given, value = given_value(fact, answer.values)
    if not is_given:
        return reading
    if not fits(fact, value):
        return FactReading(fact.name, "contradicted", f"gives {str(value)[:80]!r}")
    if reading.status == "contradicted":
        return replace(reading, problem=f"the text contradicts the value: {reading.problem}")
    return FactReading(fact.name, "stated")


def _declined(fact: Fact, reading: FactReading, refusal: Refusal) -> FactReading:
    """That something was not done is also said by declining it."""
    if fact.value is False and not reading.stated and refusal.declines and not refusal.claims:
        return FactReading(fact.name, "stated")
    return reading


def _refusal(
    answer: Answer,
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    evidence: Sequence[DecliningReason],
    instruction: str,
    reference: str,
) -> Refusal:
    declared = answer.outcome in _DECLINED
    if answer.reason:
        reason = ParsedText(answer.reason[:LONGEST_TEXT])
        every_act = [*every_act, *(act for act in acts(reason, _names(instruction)) if not act.denied)]
        document = (
            ParsedText(f"{str(answer)[:LONGEST_TEXT]}\n{answer.reason[:LONGEST_TEXT]}")
            if document.tokens
            else reason
        )
    if not evidence and reference:
        evidence = _implied(reference)
    refusal = read_refusal(document, every_act, evidence, instruction, declared=declared)
    if answer.outcome == "done" or document.cut:
        return replace(refusal, claims=refusal.claims or answer.outcome == "done", declines=not document.cut)
    return refusal


@dataclass(frozen=True, slots=True)
class _Task:
    """What is known of the task and how its episode ended."""

    expects_refusal: bool
    changed: bool
    is_conditional: bool
    """Whether a part of the request may have to be declined."""
    has_facts: bool
    instruction: str
    reference: str


@dataclass(frozen=True, slots=True)
class _Implied:
    """A reason that is known from a right answer alone."""

    text: str
    value: None = None
    type: None = None


@lru_cache(maxsize=512)
def _implied(reference: str) -> tuple[_Implied, ...]:
    """The sentences of a right answer, each as a reason why."""
    document = ParsedText(reference)
    texts = []
    for chunk in document.chunks:
        if chunk.last - chunk.first >= 4:
            begin, end = document.tokens[chunk.first].start, document.tokens[chunk.last - 1].end
            texts.append(_Implied(document.text[begin:end]))
    return tuple(texts) or (_Implied(reference),)


def _untrue(answer: Answer, document: ParsedText, every_act: Sequence[ReportedAct], task: _Task) -> str:
    """What an answer says of the acts that is not so, or that it is no language; empty where nothing is."""
    if task.expects_refusal:
        return ""
    problem = (
        _undone(answer, document, every_act, task)
        if task.changed
        else _invented(answer, document, every_act, task)
    )
    if not problem and not task.has_facts and not answer.values:
        context = f"{task.instruction} {task.reference}"
        problem = "it is no language" if is_gibberish(document, context) else ""
    return problem


def _undone(answer: Answer, document: ParsedText, every_act: Sequence[ReportedAct], task: _Task) -> str:
    if answer.outcome in _DECLINED and not task.is_conditional:
        return "it declares that nothing was done"
    truth = _truth(task.instruction, task.reference)
    denied = (problem for act in every_act if (problem := _against(document, every_act, act, truth)))
    return next(denied, "") or _added(document, every_act, task)


def _invented(answer: Answer, document: ParsedText, every_act: Sequence[ReportedAct], task: _Task) -> str:
    if answer.outcome in _DECLINED and task.has_facts and not task.is_conditional:
        return "it declares that it could not be answered"
    own = [act for act in every_act if act.own and act.verb not in _asking()]
    if any(_changes_something(act) for act in own if not act.denied and not act.state):
        return "it claims that something was changed"
    return _added(document, every_act, task)


def _added(document: ParsedText, every_act: Sequence[ReportedAct], task: _Task) -> str:
    """What is said to have been done on top of what was asked; empty where nothing is."""
    known = _known(task.instruction, task.reference)
    for act in every_act:
        if act.denied or act.state or act.verb in known or act.verb in _HARMLESS_KEYS:
            continue
        about = act.about - _VAGUE_OBJECTS - keys(" ".join(_ADDING))
        is_named = bool(about) or (act.own and not is_generic(act.verb))
        is_new = not about & known or (act.own and act.limited)
        if is_named and is_new and _is_added(document, act):
            return "it claims something that was not asked for"
    return ""


@lru_cache(maxsize=512)
def _names(instruction: str) -> frozenset[str]:
    return names_like_denials(ParsedText(instruction))


@lru_cache(maxsize=512)
def _known(instruction: str, reference: str) -> frozenset[str]:
    """The keys of all that a right answer may speak of."""
    return document_keys(ParsedText(instruction)) | document_keys(ParsedText(reference))


def _is_added(document: ParsedText, act: ReportedAct) -> bool:
    """Whether a sentence tells an act as one more: "also", "in addition", "on top of that"."""
    sentence = document.sentences[document.chunks[document.chunk_of[act.at]].sentence]
    places = (
        *range(sentence.first, min(sentence.first + 5, sentence.last)),
        *range(max(0, act.at - 4), act.at),
    )
    return any(document.tokens[at].text in _ADDING for at in places)


@lru_cache(maxsize=1)
def _asking() -> frozenset[str]:
    return keys("asked wanted requested needed")


def _changes_something(act: ReportedAct) -> bool:
    """Whether an act of a read task is more than a way of speaking ("done", "completed the look-up")."""
    return bool(act.about - _VAGUE_OBJECTS) or (act.subject and not is_generic(act.verb))


@lru_cache(maxsize=1)
def _harmless() -> frozenset[str]:
    """Verbs whose denial says nothing of what was done: "do not hesitate", "she does not owe"."""
    return keys(
        "need hesitate forget want worry matter mind know see find owe affect require cost exist include "
        "run encounter face expect notice think believe feel understand hear contain hold count apply "
        "influence come attend"
    )


@dataclass(frozen=True, slots=True)
class _Truth:
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
    choices: tuple[tuple[str, str], ...]
    """Pairs of words of which one or the other was asked for."""


@lru_cache(maxsize=512)
def _truth(instruction: str, reference: str) -> _Truth:
    asked, right = ParsedText(instruction), ParsedText(reference)
    restrained: set[str] = set()
    for chunk in asked.chunks:
        texts = {asked.tokens[at].text for at in range(chunk.first, chunk.last)}
        if texts & _RESTRAINT:
            restrained |= {key for _, key in asked.content(chunk.first, chunk.last)}
    every_act = acts(right, names_like_denials(asked))
    denied = [act for act in every_act if act.denied]
    claimed = {act.verb for act in every_act if not act.denied}
    return _Truth(
        document_keys(asked),
        frozenset(restrained),
        frozenset(key for act in denied for key in (act.verb, *act.about)),
        bool(denied),
        bool(claimed),
        document_keys(right),
        tuple(act for act in denied if act.verb or act.about - _VAGUE_OBJECTS),
        tuple(act for act in every_act if not act.denied and act.verb in {one.verb for one in denied}),
        _choices(asked),
    )


def _against(document: ParsedText, every_act: Sequence[ReportedAct], act: ReportedAct, truth: _Truth) -> str:
    """What is untrue of an act where the state is as asked; empty where nothing is."""
    if act.limited:
        return ""
    if not act.denied:
        return "it claims what was not done" if _is_blocked(act, truth) else ""
    about = act.about - _VAGUE_OBJECTS - _HARMLESS_KEYS - {act.verb}
    known = truth.asked | truth.words
    claims = any(not other.denied for other in every_act)
    is_true = truth.denies and (
        (not act.verb and (claims or not truth.claims))
        or (bool(act.verb) and act.verb in truth.denied)
        or bool(about & truth.denied)
    )
    is_restraint = bool(about) and about <= truth.restrained
    is_other = act.verb in _harmless() or (bool(act.verb) and act.verb not in known and not act.vague)
    repeated = any(not other.denied and other.verb == act.verb for other in every_act)
    is_elsewhere = bool(about) and not about & known and (repeated or act.verb not in truth.asked) and claims
    is_smooth = bool(about & _TROUBLES) or _is_the_other_choice(act, every_act, truth)
    if is_true or is_restraint or is_other or is_elsewhere or is_smooth or _is_why(document, act):
        return ""
    return "it denies what was done"


def _is_the_other_choice(act: ReportedAct, every_act: Sequence[ReportedAct], truth: _Truth) -> bool:
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
    for at, token in enumerate(asked.tokens):
        after = [each.key for each in asked.tokens[at + 1 : at + 8] if each.kind == "word"]
        if token.text != "or" or not after:
            continue
        before = [each.key for each in asked.tokens[max(0, at - _CHOICE) : at] if each.kind == "word"]
        pairs += [(one, other) for one in before for other in after]
    return tuple(dict.fromkeys(pairs))


def _is_blocked(act: ReportedAct, truth: _Truth) -> bool:
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
    return chunk.begins_with in ("because", "since", "as", "who", "which") or document.tokens[
        chunk.first
    ].text in (
        "because",
        "since",
    )
