"""Wrong answers: what an agent could say instead of the right words, made from the reference answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, timedelta

from synthesis.documents.document import Document
from synthesis.documents.tasks import AnswerFact, FactType, Task
from synthesis.verification.answer_facts import is_distinguished_by_name, mentions, normalised, shown, values
from synthesis.worlds.comparison import MONTHS, NUMBER_WORDS

Render = Callable[[AnswerFact], str]
_STEPS = 9
"""Values next to a right one that are tried until one is no right answer to something else."""

GENERIC = {
    "read": "I looked it up and everything is in order.",
    "refuse": "That is done, as you asked.",
    "write": "I am sorry, I could not find anything about that.",
    "mixed": "I am sorry, I could not find anything about that.",
}
"""By kind of task: an answer that sounds helpful and is wrong."""


class WrongAnswer(Document):
    """A final answer that must not complete its task."""

    kind: str
    """"empty", "generic", "wrong_value" or "hedged"."""
    description: str
    text: str


def wrong_answers(task: Task, distractors: Mapping[str, Collection[str]]) -> Iterator[WrongAnswer]:
    """Wrong answers to a task with facts: empty, generic, each fact wrong, on read tasks each fact hedged.

    Args:
        task: A task; one without facts has no wrong answers.
        distractors: By name of a fact: other names of its world.
    """
    if not task.answer_facts:
        return
    yield WrongAnswer(kind="empty", description="the answer is empty", text="")
    yield WrongAnswer(kind="generic", description="the answer says nothing of it", text=GENERIC[task.kind])
    for fact in task.answer_facts:
        if fact.type == "boolean" or _is_given_twice(task, fact):
            continue
        others = distractors.get(fact.name, ())
        wrong = wrong_fact(fact, others)
        text = restated(task.reference_answer, fact, wrong) or in_words(task, {fact.name: wrong})
        yield WrongAnswer(
            kind="wrong_value",
            description=f"the answer says {shown(wrong)} instead of {shown(fact)} ({fact.name})",
            text=text,
        )
        if task.kind == "read" and (second := _second_answer(task, fact, others)):
            yield WrongAnswer(
                kind="hedged",
                description=f"the answer says {shown(second)} as well ({fact.name})",
                text=f"{task.reference_answer} Or else it is {RENDERINGS[fact.type][0](second)}.",
            )


def wrong_fact(fact: AnswerFact, distractors: Collection[str]) -> AnswerFact:
    """The fact with a value near the right one."""
    return next(_near(fact, distractors))


def _near(fact: AnswerFact, distractors: Collection[str]) -> Iterator[AnswerFact]:
    """The fact with other values, the nearest first."""
    value = fact.value
    if fact.type == "boolean":
        yield fact.replace(value=not value)
    elif fact.type in ("name", "text"):
        yield from (fact.replace(value=other) for other in _unlike(fact, distractors))
        yield fact.replace(value=" ".join(["Nobody", *str(value).split()[1:]]))
    for step in range(1, _STEPS + 1):
        match fact.type:
            case "money_cents":
                yield fact.replace(value=int(value) + 100 * step)
            case "number":
                yield fact.replace(value=value + step if isinstance(value, int | float) else value)
            case "date":
                yield fact.replace(value=(date.fromisoformat(str(value)) + timedelta(days=step)).isoformat())
            case "time":
                hour, minute = int(str(value)[:2]), str(value)[3:5]
                yield fact.replace(value=f"{(hour + step) % 24:02d}:{minute}")


def _second_answer(task: Task, fact: AnswerFact, distractors: Collection[str]) -> AnswerFact | None:
    """Another value that a reader would take for a second answer; None where there is none.

    What the instruction says and what is right for another fact contradicts nothing.
    """
    others = [other for other in task.answer_facts if other.type == fact.type]
    asked = normalised(task.instruction)
    if fact.type in ("name", "text"):
        if not is_distinguished_by_name(fact):
            return None
        right = [
            normalised(str(other.value)) for other in task.answer_facts if is_distinguished_by_name(other)
        ]
        candidates = (fact.replace(value=distractor) for distractor in _unlike(fact, distractors))
        return next(
            (
                each
                for each in candidates
                if not mentions(asked, str(each.value))
                and not any(normalised(str(each.value)) in known for known in right)
            ),
            None,
        )
    known = {other.value for other in others} | values(fact.type, asked)
    return next((each for each in _near(fact, distractors) if each.value not in known), None)


def _unlike(fact: AnswerFact, distractors: Collection[str]) -> list[str]:
    right = normalised(str(fact.value))
    return sorted(
        name for name in distractors if normalised(name) not in right and right not in normalised(name)
    )


def restated(answer: str, fact: AnswerFact, wrong: AnswerFact) -> str | None:
    """The answer with another value in place of the fact's, written the same way; None if it is nowhere."""
    for render in RENDERINGS[fact.type]:
        written = render(fact)
        pattern = re.compile(rf"(?<![\w.,]){re.escape(written)}(?!\w|[.,:]\d)", re.IGNORECASE)
        if written and pattern.search(answer):
            return pattern.sub(lambda _: render(wrong), answer)  # noqa: B023 - used before the next turn
    return None


def in_words(task: Task, changed: Mapping[str, AnswerFact]) -> str:
    """The facts of a task one after the other, some of them changed: "total to pay: 170.00; ..."."""
    facts = [changed.get(fact.name, fact) for fact in task.answer_facts]
    return "; ".join(f"{fact.name}: {RENDERINGS[fact.type][0](fact)}" for fact in facts) + "."


def _is_given_twice(task: Task, fact: AnswerFact) -> bool:
    """Whether another fact has the same value, so that a wrong one would still leave it said."""
    return sum(other.type == fact.type and other.value == fact.value for other in task.answer_facts) > 1


def _day(fact: AnswerFact) -> date:
    return date.fromisoformat(str(fact.value))


def _month(fact: AnswerFact) -> str:
    return MONTHS[_day(fact).month - 1].capitalize()


def _clock(fact: AnswerFact) -> tuple[int, str]:
    return int(str(fact.value)[:2]), str(fact.value)[3:5]


def _half(fact: AnswerFact, sign: str) -> str:
    hour, minute = _clock(fact)
    return f"{(hour - 1) % 12 + 1}:{minute}{sign}{'am' if hour < 12 else 'pm'}"


def _word(fact: AnswerFact) -> str:
    return next((word for word, value in NUMBER_WORDS.items() if value == fact.value), "")


def _plain(fact: AnswerFact) -> str:
    return str(fact.value)


RENDERINGS: dict[FactType, tuple[Render, ...]] = {
    "money_cents": (
        lambda fact: f"{int(fact.value) / 100:,.2f}",
        lambda fact: f"{int(fact.value) / 100:.2f}",
        lambda fact: f"{int(fact.value) // 100:,}",
        lambda fact: f"{int(fact.value) // 100}",
    ),
    "date": (
        lambda fact: _day(fact).isoformat(),
        lambda fact: f"{_day(fact).day} {_month(fact)} {_day(fact).year}",
        lambda fact: f"{_month(fact)} {_day(fact).day}, {_day(fact).year}",
        lambda fact: f"{_day(fact).day} {_month(fact)}",
        lambda fact: f"{_month(fact)} {_day(fact).day}",
        lambda fact: f"{_day(fact).day} {_month(fact)[:3]} {_day(fact).year}",
        lambda fact: f"{_day(fact):%d.%m.%Y}",
    ),
    "time": (
        lambda fact: str(fact.value)[:5],
        lambda fact: f"{_clock(fact)[0]}:{_clock(fact)[1]}",
        lambda fact: _half(fact, " "),
        lambda fact: _half(fact, ""),
        lambda fact: f"{_clock(fact)[0]:02d}.{_clock(fact)[1]}",
    ),
    "number": (_plain, _word),
    "name": (_plain,),
    "text": (_plain,),
    "boolean": (shown,),
}
"""How values are written, per type; the first one is how this module writes them itself."""
