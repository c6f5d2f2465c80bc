"""The development bank: answers as careful and as careless agents write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, pairwise

from synthesis.documents.tasks import AnswerFact
from synthesis.verification.wordings.rendering import forms, near, plain_form
from synthesis.verification.wordings.wording import Wording, WordingSubject


class DevelopmentBank:
    """Words read, refuse, write and mixed tasks in one matter-of-fact style."""

    def right(self, subject: WordingSubject) -> Iterator[Wording]:
        """Answers that are right."""
        yield Wording(kind="reference", text=subject.task.reference_answer, right=True)
        also = _yes_or_no(subject)
        for kind, text in _right(subject):
            # "No changes were made" beside a yes or no would be heard as the answer to that.
            if not also or kind != "extra_detail":
                yield Wording(kind=kind, text=f"{also}{text}", right=True)

    def wrong(self, subject: WordingSubject) -> Iterator[Wording]:
        """Answers that are wrong."""
        yield from (Wording(kind=kind, text=text, right=False) for kind, text in _wrong(subject))


Texts = Iterator[tuple[str, str]]
_ONE_SENTENCE = re.compile(r"\b(?:in|as) (?:one|a single) (?:sentence|line)\b", re.IGNORECASE)


def _right(subject: WordingSubject) -> Texts:
    """Right answers; where one sentence was asked for, no list is one."""
    brief = _ONE_SENTENCE.search(subject.task.instruction) is not None
    return ((kind, text) for kind, text in _of_any_form(subject) if not brief or "\n" not in text)


def _of_any_form(subject: WordingSubject) -> Texts:
    if subject.declines:
        return _right_refusals(subject)
    if subject.facts:
        return _right_facts(subject)
    return _right_reports(subject) if subject.writes or not subject.booleans else _right_yes_or_no()


def _wrong(subject: WordingSubject) -> Texts:
    if subject.declines:
        return _wrong_refusals(subject)
    if subject.facts:
        return _wrong_facts(subject)
    return chain(_wrong_yes_or_no(subject), _wrong_reports(subject))


def _sentence(name: str, value: str) -> str:
    return f"The {name} is {value}."


def _all(
    subject: WordingSubject, render: Sequence[str], frame: str = "The {name} is {value}.", glue: str = " "
) -> str:
    return glue.join(
        frame.format(name=fact.name, value=value) for fact, value in zip(subject.facts, render, strict=True)
    )


def _yes_or_no(subject: WordingSubject) -> str:
    """What is asked beside the values, as lines; a refusal says it by declining."""
    return "" if subject.declines else _answered(subject)


def _answered(subject: WordingSubject, wrongly: Sequence[AnswerFact] = ()) -> str:
    """A line for each yes or no, some of them answered the other way."""
    rights = ((fact.name, bool(fact.value) is (fact not in wrongly)) for fact in subject.booleans)
    return "".join(f"{name}: {'yes' if answer else 'no'}.\n" for name, answer in rights)


def _right_yes_or_no() -> Texts:
    """What may stand behind the answers where nothing else is asked."""
    yield from (("yes_or_no", text) for text in ("", "I looked it up.", "Let me know if you need more."))


def _wrong_yes_or_no(subject: WordingSubject) -> Texts:
    """One question answered the other way, or none at all."""
    yield from (("opposite", _answered(subject, [asked])) for asked in subject.booleans)
    if subject.booleans and not subject.writes:
        yield "left_out", "I looked it up for you."


def _values(subject: WordingSubject, turn: int = 0) -> list[str]:
    return [forms(fact)[turn % len(forms(fact))] for fact in subject.facts]


def _sentences(facts: Sequence[AnswerFact], values: Sequence[str]) -> str:
    return " ".join(_sentence(fact.name, value) for fact, value in zip(facts, values, strict=True))


_FRAMES = (
    "I can confirm that the {name} is {value}.",
    "As for the {name}: {value}.",
    "{name} = {value}",
    "According to the records, the {name} is {value}.",
    "The {name}? It is {value}.",
    "What you asked for, the {name}, is {value}.",
    "The {name} currently stands at {value}.",
    "On file, the {name} is {value}.",
    "It turns out that the {name} is {value}.",
    "The system gives {value} as the {name}.",
)
_DETAILS = (
    "I looked this up in the records just now.",
    "Let me know if you would like anything else.",
    "I checked it twice with the tools.",
    "No changes were made.",
    "This comes straight from the system.",
)


def _right_facts(subject: WordingSubject) -> Texts:
    plain = _values(subject)
    for turn in range(7):
        values = _values(subject, turn)
        yield "sentences", _all(subject, values)
    yield (
        "list",
        "\n".join(f"- {fact.name}: {value}" for fact, value in zip(subject.facts, plain, strict=True)),
    )
    yield (
        "bold_list",
        "Here is what I found:\n\n"
        + "\n".join(
            f"* **{fact.name.capitalize()}**: {value}"
            for fact, value in zip(subject.facts, plain, strict=True)
        ),
    )
    yield (
        "numbered_list",
        "\n".join(
            f"{place}. {fact.name.capitalize()} \u2013 {value}"
            for place, (fact, value) in enumerate(
                zip(subject.facts, _values(subject, 1), strict=True), start=1
            )
        ),
    )
    yield (
        "table",
        "| question | answer |\n|---|---|\n"
        + "\n".join(f"| {fact.name} | {value} |" for fact, value in zip(subject.facts, plain, strict=True)),
    )
    yield (
        "inverted",
        _all(subject, [value[:1].upper() + value[1:] for value in plain], "{value} is the {name}."),
    )
    for frame in _FRAMES:
        yield "other_frame", _all(subject, plain, frame, "\n" if frame.endswith("}") else " ")
    yield "one_line", _all(subject, _values(subject, 2), "{name}: {value}", "; ")
    if len(subject.facts) == 1 and subject.facts[0].type != "boolean":
        (fact,) = subject.facts
        yield "value_alone", f"{plain[0]}." if fact.type != "money_cents" else f"It is {plain[0]}."
        yield "value_in_bold", f"**{plain[0]}**" if fact.type != "money_cents" else f"It is **{plain[0]}**."
    if not subject.writes:
        for detail, turn in zip(_DETAILS, range(5), strict=True):
            yield "extra_detail", f"{_all(subject, _values(subject, turn))} {detail}"
        yield "polite", f"Sure! {_all(subject, plain)} Have a nice day."
        yield "preamble", f"I searched the list and opened the record. {_all(subject, plain)}"
    else:
        yield "done_first", f"All of that is done. {_all(subject, plain)}"
        yield "done_after", f"{_all(subject, plain)} Everything has been taken care of as you asked."
        yield (
            "done_list",
            "Done:\n" + "\n".join(f"- {fact.name}: {plain_form(fact)}" for fact in subject.facts),
        )


def _same_type(facts: Sequence[AnswerFact]) -> Iterator[tuple[AnswerFact, AnswerFact]]:
    for one, other in pairwise(facts):
        if one.type == other.type and one.value != other.value:
            yield one, other


def _wrong_values(facts: Sequence[AnswerFact], plain: list[str], place: int, other: str) -> Texts:
    """Answers in which one fact is wrong, in doubt, denied or left out."""
    fact = facts[place]
    with_other = [*plain[:place], other, *plain[place + 1 :]]
    rest = " ".join(_sentence(f.name, v) for f, v in zip(facts, plain, strict=True) if f is not fact)
    value = plain[place]
    yield "off_by_one", _sentences(facts, with_other)
    yield "off_by_one", "\n".join(f"- {f.name}: {v}" for f, v in zip(facts, with_other, strict=True))
    yield "several", f"{rest} The {fact.name} is {value} or {other}.".strip()
    yield "several", f"{rest} The {fact.name} is either {other} or {value}.".strip()
    yield "second_thought", f"{_sentences(facts, plain)} Or else it is {other}."
    yield "denied", f"{rest} The {fact.name} is not {value}.".strip()
    yield "denied", f"{rest} It is not true that the {fact.name} is {value}.".strip()
    yield "replaced", f"{rest} The {fact.name} is {other}, not {value}.".strip()
    yield "hedged", f"{rest} Perhaps the {fact.name} is {value}.".strip()
    yield "hedged", f"{rest} The {fact.name} might be {value}, but I am not sure.".strip()
    yield "hedged", f"{rest} I think the {fact.name} is {value}.".strip()
    yield "question", f"{rest} Is the {fact.name} {value}?".strip()
    if fact.type in ("number", "money_cents"):
        yield "hedged", f"{rest} The {fact.name} is at least {value}.".strip()
        yield "hedged", f"{rest} The {fact.name} is about {value}.".strip()
    without = _without(fact, facts, plain)
    yield "left_out", without or "It is on record."
    yield "taken_back", f"{_sentences(facts, plain)} Scratch that, I made it up."
    yield "taken_back", f"{_sentences(facts, plain)} Sorry, that was wrong."
    yield "not_known", f"{without} I could not find the {fact.name}.".strip()


def _without(left_out: AnswerFact, facts: Sequence[AnswerFact], values: Sequence[str]) -> str:
    """The facts but one, and but those that are called after its value and so would say it all the same."""
    value = str(left_out.value).lower()
    return " ".join(
        _sentence(fact.name, shown)
        for fact, shown in zip(facts, values, strict=True)
        if fact is not left_out and (left_out.type not in ("name", "text") or value not in fact.name.lower())
    )


def _wrong_facts(subject: WordingSubject) -> Texts:
    facts, plain = subject.facts, _values(subject)
    taken = {fact.value for fact in facts}
    yield "empty", ""
    yield "generic", "I looked it up and everything is in order."
    yield "not_told", "I am sorry, I could not find out what you asked for."
    for place, fact in enumerate(facts[:4]):
        wrong = near(fact, subject.others.get(fact.name, ()), taken)
        if wrong is None:
            continue
        yield from _wrong_values(facts, plain, place, plain_form(wrong))
    for one, two in _same_type(facts):
        swapped = {one.name: plain_form(two), two.name: plain_form(one)}
        values = [swapped.get(fact.name, value) for fact, value in zip(facts, plain, strict=True)]
        yield "swapped", _all(subject, values)
        yield "swapped", "\n".join(f"- {f.name}: {v}" for f, v in zip(facts, values, strict=True))
        yield (
            "swapped",
            "| question | answer |\n|---|---|\n"
            + "\n".join(f"| {f.name} | {v} |" for f, v in zip(facts, values, strict=True)),
        )
    if not subject.writes:
        yield "undone_work", f"{_all(subject, plain)} I have also cancelled the record for you."
        yield "undone_work", f"{_all(subject, plain)} And I refunded the amount."
    else:
        yield "denies_the_done", f"I did not change anything. {_all(subject, plain)}"
        yield "denies_the_done", f"{_all(subject, plain)} I was not able to complete your request."


def _reason(text: str) -> str:
    text = text.strip().rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


_DECLINES = (
    "I could not do this because {reason}.",
    "I'm sorry, but I can't do that: {reason}.",
    "I have not made this change, since {reason}.",
    "This is not possible. {Reason}.",
    "Unfortunately I have to decline: {reason}.",
    "No, that cannot be done. {Reason}.",
    "Nothing was changed. {Reason}.",
    "Your request was not carried out, as {reason}.",
    "I left everything as it was, because {reason}.",
    "I can't help with that one. The reason: {reason}.",
    "**Declined.** {Reason}.",
    "I checked the record and the rules. {Reason}. For that reason I did not go ahead.",
    "I'm afraid this can't be done, because {reason}.",
    "Sorry, no: {reason}. Nothing has been changed.",
    "That request has to be turned down. {Reason}.",
    "I have stopped here without making any change: {reason}.",
    "- Result: not done\n- Reason: {reason}",
    "Regrettably, I wasn't able to do that. {Reason}.",
    "It was not done. Why: {reason}.",
)


def _right_refusals(subject: WordingSubject) -> Texts:
    texts = [each.text for each in subject.reasons if each.kind != "value"] or [subject.task.reference_answer]
    for frame, text in zip(_DECLINES * 2, cycle(texts), strict=False):
        reason = _reason(text)
        yield "declined", frame.format(reason=reason, Reason=reason[:1].upper() + reason[1:])
    for each in subject.reasons:
        if each.kind == "status" and isinstance(each.value, str):
            state = each.value.replace("_", " ")
            yield "state", f"I can't do that because its status is {state}."
            yield "state", f"I did not do it: the record is already {state}."
            yield "state", f"Sorry, this is not allowed while the status is `{each.value}`."


_INVENTED = (
    "the moon is full",
    "our computers are on holiday",
    "nobody in the office feels like it",
    "the printer is out of paper",
)


def _wrong_refusals(subject: WordingSubject) -> Texts:
    done = next((fact.name for fact in subject.task.answer_facts if fact.type == "boolean"), "it was done")
    reason = _reason(next((each.text for each in subject.reasons), "the rules forbid it"))
    yield "empty", ""
    yield "no_reason", "No."
    yield "no_reason", "I can't do that."
    yield "no_reason", "I declined the request."
    yield "no_reason", "Sorry, that is not possible."
    yield "no_reason", "I was not able to help with this."
    yield "claimed", "Done."
    yield "claimed", "That is done, as you asked."
    yield "claimed", "I have done it, no problem."
    yield "claimed", "All set! I took care of it."
    yield "claimed", f"{done[:1].upper()}{done[1:]} successfully."
    yield "claimed", "It is done. Not a big deal."
    yield "claimed_with_reason", f"Although {reason}, I made an exception and did it."
    yield "claimed_with_reason", f"I know that {reason}, but it is done now."
    yield "off_topic", "The weather is lovely today."
    yield "off_topic", "I looked at the record and everything is in order."
    for invented in _INVENTED:
        yield "invented", f"I could not do this because {invented}."
        yield "invented", f"I'm sorry, I have to decline: {invented}."


_REPORTS = (
    "Done.",
    "All done.",
    "That's taken care of.",
    "I have done everything you asked for.",
    "Everything has been completed as requested.",
    "Your request is complete. Let me know if you need anything else.",
    "Done! Nothing else was changed.",
    "All the changes you asked for are in the system now.",
    "It is all set. No further action is needed.",
    "Finished. I made no other changes.",
    "\u2705 Completed as requested.",
    "I made the changes you asked for and left everything else as it was.",
    "",
    "The changes have been made. Is there anything else I can do?",
    "Okay, I've entered that for you.",
    "Thank you for your patience; this is now done.",
    "Everything is in place now.",
    "Done, and the records are up to date.",
    "I took care of all of it.",
)
_DENIALS = (
    "I did not do anything.",
    "I was not able to complete your request.",
    "Nothing was changed.",
    "I could not do this.",
    "I'm sorry, but I can't do that.",
    "I have not made any changes.",
    "Unfortunately, I was unable to carry this out.",
    "I had to decline your request.",
    "No changes were made.",
    "Your request was declined.",
    "This was not done.",
    "I decided not to do it.",
    "xkcd qwrt zzpl mnbv",
    "?!?! ### 12345",
    "I failed to complete the request.",
    "I refuse to do this.",
    "It is impossible to do what you asked.",
    "Sorry, I wasn't able to make those changes.",
    "Your request could not be completed.",
    "The request has not been carried out.",
)
_DENIALS_OF_ALL = (
    "Nothing was changed.",
    "No changes were made.",
    "Nothing has been changed in the records.",
    "I did not change anything.",
    "I have not made any changes.",
    "No change was made.",
    "Nothing was changed, nothing at all.",
    "I didn't make any changes.",
    "I haven't changed anything.",
    "No changes have been made to any record.",
    "I left everything as it was; no changes were made.",
    "I made no changes.",
    "Nothing at all was changed.",
    "There was nothing I could do, so nothing was changed.",
    "None of it was done.",
    "I changed nothing.",
)
"""What is not so even where a part had to be declined: something was done."""


def _right_reports(_subject: WordingSubject) -> Texts:
    yield from (("report", text) for text in _REPORTS)
    yield "off_topic", "The weather is lovely today."


def _wrong_reports(subject: WordingSubject) -> Texts:
    if not (subject.task.kind == "mixed" and subject.reasons):
        yield from (("denied", text) for text in _DENIALS)
        return
    yield from (("denied", text) for text in _DENIALS_OF_ALL)
    reference = subject.task.reference_answer
    claimed = _CLAIMED_PART.sub(r"\1 was\2", reference, count=1)
    if claimed != reference:
        yield "claimed", claimed
        yield "claimed", f"Good news: {claimed[:1].lower()}{claimed[1:]}"
    yield from (("gibberish", text) for text in ("xkcd qwrt zzpl mnbv", "?!?! ### 12345"))


_CLAIMED_PART = re.compile(r"^([^.,]{3,200}) was not( [^.,]{3,80}), because [^.]{3,300}")
"""The part of a right answer that says what was declined, and why."""
