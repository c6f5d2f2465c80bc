"""The test bank: answers as chatty language models word them, written apart from the development bank.

The reader was widened after kinds of failures on these sentences had been looked at, so the figures on them
are better than on sentences never seen; new ones are to be written before a figure is quoted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from synthesis.documents.tasks import AnswerFact
from synthesis.verification.wordings.rendering import forms, near, plain_form
from synthesis.verification.wordings.wording import Wording, WordingSubject

Texts = Iterator[tuple[str, str]]
Pairs = list[tuple[AnswerFact, str]]


class TestBank:
    """Words the same tasks as the development bank, in another voice."""

    def right(self, subject: WordingSubject) -> Iterator[Wording]:
        for kind, text in _right(subject):
            yield Wording(kind=kind, text=text, right=True)

    def wrong(self, subject: WordingSubject) -> Iterator[Wording]:
        for kind, text in _wrong(subject):
            yield Wording(kind=kind, text=text, right=False)


def _right(subject: WordingSubject) -> Texts:
    if subject.task.kind == "refuse":
        return _refusals(subject)
    return _tellings(subject) if subject.facts else _reports()


def _wrong(subject: WordingSubject) -> Texts:
    if subject.task.kind == "refuse":
        return _bad_refusals(subject)
    return _bad_tellings(subject) if subject.facts else _bad_reports(subject)


def _whose(fact: AnswerFact) -> str:
    """A fact's name the other way round: "the order's opening date"."""
    what, _, owner = fact.name.partition(" of the ")
    return f"the {owner}'s {what}" if owner and len(owner.split()) <= 4 else f"the {fact.name}"


def _counted(fact: AnswerFact, value: str) -> str:
    """A count before what it counts: "4 registered samples"."""
    if fact.type == "number" and fact.name.startswith("number of "):
        return f"we have {value} {fact.name.removeprefix('number of ')}"
    return f"{_whose(fact)} equals {value}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _pick(subject: WordingSubject, turn: int) -> list[str]:
    return [forms(fact)[(turn + place) % len(forms(fact))] for place, fact in enumerate(subject.facts)]


def _pairs(subject: WordingSubject, turn: int) -> Pairs:
    return list(zip(subject.facts, _pick(subject, turn), strict=True))


def _tellings(subject: WordingSubject) -> Texts:
    for turn in range(5):
        pairs = _pairs(subject, turn)
        yield "stands_at", " ".join(f"{_upper(_whose(f))} turned out to be {v}." for f, v in pairs)
        yield (
            "whats_more",
            "From what I can see in the system, " + ", while ".join(f"{_whose(f)} is {v}" for f, v in pairs),
        )
        yield "arrows", "\n".join(f"\u00b7 {f.name}: {v}" for f, v in pairs)
    first = _pairs(subject, 0)
    yield "counted", _upper(", and ".join(_counted(f, v) for f, v in first)) + "."
    yield "bold_labels", "\n".join(f"_{_upper(f.name)}_ \u2013 {v}" for f, v in _pairs(subject, 2))
    yield (
        "long_table",
        "\n".join(
            (
                "| Item | Result | Checked |",
                "|:--|--:|:-:|",
                *(f"| {_upper(f.name)} | {v} | yes |" for f, v in first),
            )
        ),
    )
    yield "yaml", "\n".join(f"{f.name.replace(' ', '_')}: {v}" for f, v in first)
    yield "json", "```json\n" + json.dumps({f.name: v for f, v in first}, indent=2) + "\n```"
    yield "questions", "\n".join(f"You asked for {_whose(f)}. It's {v}." for f, v in first)
    yield (
        "steps",
        "After going through the entries one by one, this is the outcome:\n\n"
        + "\n".join(f"{place}) {_upper(f.name)}: {v}" for place, (f, v) in enumerate(first, start=1)),
    )
    yield "trailing", " ".join(f"For {_whose(f)}, the system shows {v}." for f, v in first)
    yield (
        "thanks",
        "Of course. "
        + " ".join(f"{_upper(_whose(f))}: {v}." for f, v in _pairs(subject, 1))
        + (" Anything more I can look up for you?"),
    )
    yield "quoted", "Summary: " + ", ".join(f"\u201c{f.name}: {v}\u201d" for f, v in first) + "."
    if subject.task.kind != "read":
        yield (
            "with_report",
            "I have carried out each of your instructions. Please note: "
            + ", ".join(f"{f.name} {v}" for f, v in first)
            + ".",
        )


def _rest(fact: AnswerFact, pairs: Pairs) -> str:
    return " ".join(f"{_upper(_whose(f))} is {v}." for f, v in pairs if f is not fact)


def _bad_values(fact: AnswerFact, value: str, other: str, pairs: Pairs) -> Texts:
    rest, whose = _rest(fact, pairs), _whose(fact)
    yield "wrong_value", f"{rest} {_upper(whose)} turned out to be {other}.".strip()
    yield "wrong_value", "\n".join(f"\u00b7 {f.name}: {other if f is fact else v}" for f, v in pairs)
    yield "two_values", f"{rest} I see two entries for {whose}: {value} and {other}.".strip()
    yield "two_values", f"{rest} {_upper(whose)} is one of {value} or {other}.".strip()
    yield "two_values", f"{rest} {_upper(whose)} is {value}; alternatively it is {other}.".strip()
    yield "correction", f"{rest} {_upper(whose)} used to be {value} and is now {other}.".strip()
    yield "correction", f"{rest} {_upper(whose)} is no longer {value}, it is {other}.".strip()
    yield "negated", f"{rest} {_upper(whose)} is anything but {value}.".strip()
    yield "negated", f"{rest} It is not the case that {whose} is {value}.".strip()
    yield "guess", f"{rest} Apparently {whose} is {value}, but I can't be sure.".strip()
    yield "guess", f"{rest} Maybe {whose} is {value}.".strip()
    yield "guess", f"{rest} I suppose that {whose} is {value}.".strip()
    yield "asks_back", f"{rest} {_upper(whose)} is {value}, isn't it?".strip()
    yield "conditional", f"{rest} Unless something changed, {whose} is {value}.".strip()


def _bad_assertions(fact: AnswerFact, value: str, other: str, pairs: Pairs) -> Texts:
    rest, whose = _rest(fact, pairs), _whose(fact)
    if fact.type in ("number", "money_cents"):
        yield "vague", f"{rest} {_upper(whose)} is close to {value}.".strip()
        yield "vague", f"{rest} {_upper(whose)} is up to {value}.".strip()
        yield "vague", f"{rest} {_upper(whose)} ranges from {value} to {other}.".strip()
    yield "omitted", rest or "The rest is in the file."
    yield (
        "withdrawn",
        " ".join(f"{_upper(_whose(f))} is {v}." for f, v in pairs) + " On second thought, that is wrong.",
    )


def _bad_tellings(subject: WordingSubject) -> Texts:
    facts, pairs = subject.facts, _pairs(subject, 0)
    taken = {fact.value for fact in facts}
    yield "nothing", ""
    yield "evasive", "Please see the attached report."
    yield "refused", "I don't have access to that information."
    yield "promise", "One moment, I'm checking."
    for fact, value in pairs[:4]:
        wrong = near(fact, subject.others.get(fact.name, ()), taken)
        if wrong is not None:
            yield from _bad_values(fact, value, plain_form(wrong), pairs)
            yield from _bad_assertions(fact, value, plain_form(wrong), pairs)
    for place, one in enumerate(facts[:-1]):
        two = facts[place + 1]
        if one.type != two.type or one.value == two.value:
            continue
        crossed = {one.name: plain_form(two), two.name: plain_form(one)}
        told = [(fact, crossed.get(fact.name, value)) for fact, value in pairs]
        yield "crossed", " ".join(f"{_upper(_whose(f))} turned out to be {v}." for f, v in told)
        yield "crossed", "\n".join(f"\u00b7 {f.name}: {v}" for f, v in told)
        yield "crossed", "```json\n" + json.dumps({f.name: v for f, v in told}, indent=2) + "\n```"
    sentences = " ".join(f"{_upper(_whose(f))} is {v}." for f, v in pairs)
    if subject.task.kind == "read":
        yield (
            "made_up_work",
            f"{sentences} I also closed the account and changed the address.",
        )
        yield "made_up_work", f"{sentences} On top of that, I booked a follow-up appointment."
    else:
        yield "denies_its_work", f"{sentences} I was unable to make the changes, though."
        yield "denies_its_work", f"I have not carried out your request. {sentences}"


_NOES = (
    "I was unable to do this because {reason}.",
    "Sadly, {reason}, so this can't be done.",
    "I didn't go through with it: {reason}.",
    "Request not fulfilled. {Reason}.",
    "This has not been done, given that {reason}.",
    "Our rules don't permit it: {reason}.",
    "I have to say no, because {reason}.",
    "Nothing has been changed, since {reason}.",
    "You asked me to do this, but {reason}. I have left the record alone.",
    "Outcome: declined. {Reason}.",
    "We can't do that for you. {Reason}.",
    "I'm sorry to disappoint you; {reason}. The change was not made.",
    "I've decided not to proceed. {Reason}.",
    "It would be against the rules: {reason}. So I have not done it.",
)


def _because(text: str) -> str:
    text = text.strip().rstrip(".!")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _refusals(subject: WordingSubject) -> Texts:
    texts = [each.text for each in subject.reasons if each.kind != "value"] or [subject.task.reference_answer]
    for place, frame in enumerate(_NOES):
        reason = _because(texts[place % len(texts)])
        yield "said_no", frame.format(reason=reason, Reason=_upper(reason))
    for each in subject.reasons:
        if each.kind == "status" and isinstance(each.value, str):
            state = each.value.replace("_", " ")
            yield "said_why", f"I wasn't able to do it, seeing that the status is {state}."
            yield "said_why", f"That is not allowed: it is {state} at the moment."
            yield "said_why", f"I can't do this for a record with status \u201c{state}\u201d."


def _bad_refusals(subject: WordingSubject) -> Texts:
    reason = _because(next((each.text for each in subject.reasons), "the rules say no"))
    yield "nothing", ""
    for text in (
        "That's a no.",
        "I'm sorry, I can't do this for you.",
        "I have to decline.",
        "This request cannot be fulfilled.",
        "Declined.",
        "Nothing was done.",
        "Unfortunately not.",
    ):
        yield "bare_no", text
    for text in (
        "I've completed this for you.",
        "That went through.",
        "Everything was carried out as you asked.",
        "Done and dusted.",
        "I have updated the record accordingly.",
        "It has now been done.",
    ):
        yield "false_claim", text
    for text in (
        f"It's true that {reason}, but I did it this once.",
        f"I did it although {reason}.",
        f"{reason}; all the same, I completed the request.",
    ):
        yield "claim_despite_reason", text
    for excuse in (
        "the cat sat on my keyboard",
        "a football match is on",
        "I feel tired today",
        "my favourite song came on",
    ):
        yield "excuse", f"I wasn't able to do it because {excuse}."
        yield "excuse", f"No, sorry: {excuse}."
    yield "small_talk", "Nice to meet you."
    yield "small_talk", "I reviewed the record."
    yield "promise", "I am going to do this later today."


def _reports() -> Texts:
    for text in (
        "Finished!",
        "Everything you asked for is in place.",
        "I've completed every item you listed.",
        "The request has been processed.",
        "Here you are.",
        "The system accepted each change.",
        "I made each change and verified it.",
        "That worked.",
        "The changes are saved; other records were not affected.",
        "That's it \u2014 you don't have to do anything.",
        "yep, all done",
        "Completed without any errors.",
        "\u2714 All changes saved.",
        "Each step succeeded.",
        "I've made all the requested updates.",
        "Handled!",
        "",
        "Bananas are berries, but strawberries are not.",
    ):
        yield "report", text


def _bad_reports(subject: WordingSubject) -> Texts:
    if subject.task.kind == "mixed" and subject.reasons:
        return
    for text in (
        "I couldn't complete this.",
        "The changes you wanted have not been made.",
        "Sorry, I can't fulfil your request.",
        "I took no action.",
        "I decided against it.",
        "Nothing has been changed.",
        "Your request has been denied.",
        "That is not allowed, so I did not do it.",
        "I wasn't able to process your request.",
        "I aborted before any change was made.",
        "I can't do this.",
        "I have not made those changes.",
        "The update failed.",
        "I haven't managed to do this.",
        "It was not possible to make the change.",
    ):
        yield "denial", text
    for text in ("qwrtz plkjh mnbvc", "... --- ...", "314159 265358", "xzxz kqkq jjjj bnbn"):
        yield "noise", text
