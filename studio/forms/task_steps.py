"""A task as people fill it in: its steps by the tools' own fields, its facts and reasons line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from django import forms

from studio.forms.amounts import amount, cents_of
from studio.forms.arguments import with_item, without_item
from studio.forms.cells import number_or_text
from studio.forms.edits import EditForm, SourceText, TaskForm
from studio.forms.scratch import ArgumentWords, CallForm, ObjectForm
from studio.services.environments.dictionaries import choice_words
from synthesis.documents.tasks import BlockingKind, FactType
from synthesis.documents.tools import Toolset

MOST_STEPS = 60
MOST_DIGITS = 18
"""Digits of a number that an answer may have to say."""
STEPS = "steps"
"""The field that counts the steps, and what an act on them names."""
_STEP = re.compile(r"step\.(?P<number>[0-9]{1,3})(?P<rest>(?:[.-].+)?)", re.DOTALL)
"""A step, or a field of one."""
KINDS = {
    "read": "only an answer is asked for",
    "write": "something is to be changed",
    "mixed": "something is to be changed and told",
    "refuse": "the right thing is to decline",
}
_FACT = {
    "name": {"type": "string", "description": "What it is, for example: total owed."},
    "type": {"enum": list(get_args(FactType))},
    "value": {
        "type": "string",
        "description": "As the answer says it; money as 95.00, a date as 2026-09-16.",
    },
    "unit": {"type": "string", "description": "Where an answer could mean another one, for example days."},
    "direction": {"type": "string", "description": "Where it matters, for example: to the guest."},
}
_REASON = {
    "kind": {"enum": list(get_args(BlockingKind))},
    "text": {"type": "string", "description": "The reason in plain words."},
    "value": {"type": "string", "description": "What a right answer may name instead."},
}


def _lines(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    item = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "array", "items": item}


LISTS: dict[str, Any] = {
    "properties": {
        "answer_facts": _lines(_FACT, "name", "type", "value"),
        "blocking": _lines(_REASON, "kind", "text"),
    }
}
_TITLES = {
    "answer_facts": "What the answer must say",
    "blocking": "Why the request is declined",
    "type": "Read as",
    "text": "Reason",
    "direction": "Which way",
}


class _ListWords:
    """Titles of facts and reasons."""

    def argument_title(self, name: str) -> str:
        """What a field is called."""
        return _TITLES.get(name, name.replace("_", " ").capitalize())

    def in_cents(self, _: str) -> bool:
        """No amounts: a fact says of its value what it is."""
        return False

    def without_code(self, text: str) -> str:
        """The text itself."""
        return text

    def rows_named_by(self, _: str) -> list[tuple[Any, str]]:
        """No rows: these are values."""
        return []

    def day_style(self, _: str) -> None:
        """No days: a fact says of its value what it is."""

    def today(self, *, with_time: bool) -> str:  # noqa: ARG002
        """No clock."""
        return ""


@dataclass(frozen=True)
class StepForm:
    """One step: which tool, and its fields."""

    number: int
    tool: str
    form: CallForm | None
    asked: bool = False
    """Whether something in it was just added, removed or chosen."""

    @property
    def name(self) -> str:
        """Of the field that says which tool it is."""
        return f"step.{self.number}.tool"

    @property
    def unfolded(self) -> bool:
        """Whether its fields are shown at once: where something is to be done in it."""
        return self.asked or self.form is None or bool(self.form.is_bound and self.form.errors)


class TaskStepsForm(EditForm):
    """One task, without any JSON.

    Args:
        data: The fields that were sent, or None.
        task: The task as stored.
        tools: The tools that steps may use.
        words: Gives titles to arguments, and the rows that they may name.
    """

    instruction = SourceText(label="What the agent is asked", rows=5, code=False, max_length=4_000)
    kind = forms.ChoiceField(label="Kind", choices=list(KINDS.items()))
    difficulty = forms.ChoiceField(label="Difficulty", choices=TaskForm.base_fields["difficulty"].choices)  # type: ignore[attr-defined]
    reference_answer = SourceText(
        label="What the agent says at the end", rows=3, code=False, max_length=4_000, required=False
    )
    min_calls = forms.IntegerField(label="Steps it takes at least", min_value=0, max_value=200)
    max_steps = forms.IntegerField(
        label="Steps an agent may take",
        required=False,
        min_value=1,
        max_value=1_000,
        help_text="Empty for half as many again as it takes at least and 5, and at least 20.",
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        task: Mapping[str, Any],
        tools: Toolset,
        words: ArgumentWords,
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self.lists = ObjectForm(data, schema=LISTS, values=_shown(task), words=_ListWords(), prefix="list")
        for leaf in (leaf for node in self.lists.nodes for leaf in node.leaves()):
            if isinstance(leaf.control, forms.TypedChoiceField):
                choices: Any = leaf.control.choices
                leaf.control.choices = [(code, _kind_words(text)) for code, text in choices]
        self.reasons = task.get("blocking", ())
        self.stored_calls: list[Mapping[str, Any]] = list(task.get("reference_solution", []))
        self.steps = list(self._steps(self.stored_calls, tools, words))

    def _steps(
        self, calls: list[Mapping[str, Any]], tools: Toolset, words: ArgumentWords
    ) -> Iterator[StepForm]:
        sent: Any = self.data if self.is_bound else None
        count = _number(sent.get(f"{STEPS}.#", "0")) if sent is not None else len(calls)
        for number in range(min(count, MOST_STEPS)):
            stored = calls[number] if number < len(calls) else {"name": "", "arguments": {}}
            name = str(sent.get(f"step.{number}.tool", "") if sent is not None else stored["name"])
            asked = sent is not None and _is_about(sent, number)
            tool = tools.tool(name)
            values = {} if sent is not None else stored["arguments"]
            if tool is None:
                yield StepForm(number, "", None)
                continue
            form = CallForm(sent, tool=tool, values=values, words=words, prefix=f"step.{number}")
            yield StepForm(number, name, form, asked)

    def forget_errors(self) -> None:
        """Show the fields as they are: something was added or removed, nothing was saved."""
        for part in (self, self.lists, *(step.form for step in self.steps if step.form is not None)):
            part.errors.clear()

    def is_valid(self) -> bool:
        """Whether every field of every step can be read."""
        parts = [self.lists, *(step.form for step in self.steps if step.form is not None)]
        return all([super().is_valid(), *(part.is_valid() for part in parts)])

    def clean(self) -> dict[str, Any]:
        """Facts and reasons with their values as they are stored."""
        cleaned = super().clean() or self.cleaned_data
        if missing := [str(step.number + 1) for step in self.steps if step.form is None]:
            self.add_error(None, f"Step {', '.join(missing)}: choose what is done, or remove the step.")
        if self.lists.is_valid():
            given = self.lists.arguments()
            cleaned["answer_facts"] = [self._fact(each) for each in given.get("answer_facts") or ()]  # type: ignore[union-attr]
            cleaned["blocking"] = [self._reason(each) for each in given.get("blocking") or ()]  # type: ignore[union-attr]
        return cleaned

    def _fact(self, fact: Any) -> dict[str, Any]:
        """A fact with its value as it is stored."""
        try:
            return {**fact, "value": _stored(fact["type"], fact["value"].strip())}
        except ValueError:
            kind = _kind_words(fact["type"])
            self.add_error(None, f"{fact['name']}: {fact['value']!r} cannot be read as {kind}.")
            return dict(fact)

    def _reason(self, reason: Any) -> dict[str, Any]:
        """A reason; a value that was not touched stays what it is stored as."""
        text = reason.get("value")
        if text is None:
            return dict(reason)
        known = [each for each in self.reasons if str(each.get("value")) == text]
        if known:
            stored = {name: known[0][name] for name in ("value", "type") if known[0].get(name) is not None}
            return {**reason, **stored}
        return {**reason, "value": number_or_text(text)}

    def _in_stored_order(self, call: dict[str, Any], number: int) -> dict[str, Any]:
        """A call that was not touched as it is stored; of another, the arguments in the order of before."""
        for stored in self.stored_calls:
            filled = {name: value for name, value in stored["arguments"].items() if value is not None}
            if (stored["name"], filled) == (call["name"], call["arguments"]):
                return dict(stored)
        before = self.stored_calls[number : number + 1]
        order = [name for stored in before if stored["name"] == call["name"] for name in stored["arguments"]]
        names = dict.fromkeys((*order, *call["arguments"]))
        arguments = {name: call["arguments"][name] for name in names if name in call["arguments"]}
        return {**call, "arguments": arguments}

    def values(self) -> dict[str, Any]:
        """The task's fields as its document takes them."""
        given = {bound.name: self.cleaned_data[bound.name] for bound in self.content()}
        solution = [
            self._in_stored_order({"name": step.tool, "arguments": step.form.arguments()}, step.number)
            for step in self.steps
            if step.form
        ]
        lists = {name: self.cleaned_data[name] for name in ("answer_facts", "blocking")}
        return {**given, **lists, "reference_solution": solution}


def rearranged(data: Mapping[str, str]) -> dict[str, str] | None:
    """The fields after a step or a line was added or removed, or None where that is not asked for."""
    given = {name: str(text) for name, text in data.items()}
    if "show" in given:
        return given
    if place := given.get("add"):
        return with_item(given, place)
    if place := given.get("remove"):
        if (step := _STEP.fullmatch(place)) and not step["rest"]:
            return _without_step(given, _number(step["number"]))
        return without_item(given, place)
    return None


def _is_about(sent: Mapping[str, str], number: int) -> bool:
    """Whether the button that was pressed belongs to a step."""
    place = sent.get("add", "") or sent.get("remove", "")
    return sent.get("show") == str(number) or place.startswith(f"step.{number}-")


def _without_step(given: Mapping[str, str], gone: int) -> dict[str, str]:
    left: dict[str, str] = {}
    for name, text in given.items():
        field = _STEP.fullmatch(name)
        if field is None:
            left[name] = text
        elif (number := int(field["number"])) != gone:
            left[f"step.{number - (number > gone)}{field['rest']}"] = text
    left[f"{STEPS}.#"] = str(max(0, _number(given.get(f"{STEPS}.#", "0")) - 1))
    return left


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0


def _kind_words(kind: str) -> str:
    return choice_words(kind).replace("boolean", "yes or no")


def _shown(task: Mapping[str, Any]) -> dict[str, Any]:
    """Facts and reasons with values as people write them."""
    facts = [
        {**fact, "value": _written(fact["type"], fact["value"])} for fact in task.get("answer_facts", ())
    ]
    reasons = [{name: each.get(name) for name in _REASON} for each in task.get("blocking", ())]
    return {"answer_facts": facts, "blocking": reasons}


def _written(kind: str, value: Any) -> str:
    if kind == "money_cents":
        return amount(value)
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _stored(kind: str, text: str) -> Any:
    if kind == "money_cents":
        return cents_of(text)
    if kind == "boolean":
        return {"yes": True, "no": False}[text.lower()] if text.lower() in ("yes", "no") else _refused(text)
    if kind == "number":
        number = int(text) if text.lstrip("-").isdecimal() else float(text)
        if not abs(number) < 10**MOST_DIGITS:  # which is also true of what is no number
            raise ValueError(text)
        return number
    return text


def _refused(text: str) -> Any:
    raise ValueError(text)
