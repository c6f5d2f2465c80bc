"""The phrasings of tests/data/answers/phrasings.json as a bank.

Their author had seen parts of the reader's code, but not its word lists.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from synthesis.documents.tasks import AnswerFact
from synthesis.verification.wordings.rendering import forms, near, plain_form
from synthesis.verification.wordings.wording import Wording, WordingSubject

FILE = Path(__file__).parent.parent / "tests" / "data" / "answers" / "phrasings.json"
Texts = Iterator[tuple[str, str]]


class PhrasingBank:
    """Words each task with other phrasings, so that all of them are used on some."""

    def right(self, subject: WordingSubject) -> Iterator[Wording]:
        """Answers that are right."""
        for kind, text in _right(subject):
            yield Wording(kind=kind, text=text, right=True)

    def wrong(self, subject: WordingSubject) -> Iterator[Wording]:
        """Answers that are wrong."""
        for kind, text in _wrong(subject):
            yield Wording(kind=kind, text=text, right=False)


@lru_cache(maxsize=1)
def phrasings() -> dict[str, dict[str, dict[str, list[str]]]]:
    """By what is answered, side ("right" or "wrong") and kind: phrases with places for what they say."""
    content: dict[str, dict[str, dict[str, list[str]]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def count() -> int:
    """How many phrasings there are."""
    return sum(
        len(texts) for part in phrasings().values() for kinds in part.values() for texts in kinds.values()
    )


def _of(subject: WordingSubject, part: str, side: str) -> Texts:
    """The phrases of a part, each kind begun at another place for each task."""
    for kind, texts in phrasings()[part].get(side, {}).items():
        first = crc32(subject.task.id.encode()) % len(texts)
        yield from ((kind, text) for text in (*texts[first:], *texts[:first]))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _filled(frame: str, name: str, value: str, other: str = "") -> str:
    return _upper(frame.format(name=name, value=value, other=other))


def _all(subject: WordingSubject, frame: str, turn: int = 0) -> str:
    said = []
    for fact in subject.facts:
        written = forms(fact)
        said.append(_filled(frame, fact.name, written[turn % len(written)]))
    return "".join(said) if frame.endswith("\n") else " ".join(said)


def _right(subject: WordingSubject) -> Texts:
    if subject.task.kind == "refuse":
        yield from _refusals(subject, "right")
    elif subject.facts:
        for turn, (kind, frame) in enumerate(_of(subject, "facts", "right")):
            yield kind, _all(subject, frame, turn)
    else:
        yield from _of(subject, "reports", "right")


def _wrong(subject: WordingSubject) -> Texts:
    if subject.task.kind == "refuse":
        yield from _refusals(subject, "wrong")
    elif subject.facts:
        yield from _wrong_facts(subject)
        for kind, text in _of(subject, "extra_acts", "wrong"):
            yield kind, f"{_all(subject, 'The {name} is {value}.')} {text}"
    elif subject.task.kind != "mixed" or not subject.reasons:
        yield from _of(subject, "reports", "wrong")


def _wrong_facts(subject: WordingSubject) -> Texts:
    facts = subject.facts
    taken = {fact.value for fact in facts}
    for turn, (kind, frame) in enumerate(_of(subject, "facts", "wrong")):
        fact = facts[turn % len(facts)]
        other = near(fact, subject.others.get(fact.name, ()), taken)
        if other is None:
            continue
        text = _filled(frame, fact.name, plain_form(fact), plain_form(other))
        yield kind, " ".join(_told(each) if each is not fact else text for each in facts)


def _told(fact: AnswerFact) -> str:
    return _filled("The {name} is {value}.", fact.name, plain_form(fact))


def _refusals(subject: WordingSubject, side: str) -> Texts:
    texts = [each.text for each in subject.reasons if each.kind != "value"] or [subject.task.reference_answer]
    for turn, (kind, frame) in enumerate(_of(subject, "refusals", side)):
        reason = texts[turn % len(texts)].strip().rstrip(".")
        reason = reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason
        yield kind, frame.format(reason=reason, Reason=_upper(reason))
