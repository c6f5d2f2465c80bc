"""Naming: what the tools of a business are called, in the style of one world."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.business.model import Business, BusinessTable, Process
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import gerund, plural
from synthesis.verification.claims.tools import reads_by_name

_ABOUT_SUBJECT = {
    "hold": ("create",),
    "slot": ("create",),
    "seat": ("create",),
    "supply": ("create",),
    "work": (),
}


def name_tools(business: Business, plan: BusinessPlan) -> None:
    """Give every tool of a business its name."""
    names = _Names(business)
    for table in business.tables.values():
        business.tool[f"find {table.name}"] = names.name(business.style.find, plural(table.noun), reads=True)
        if any(column.detail for column in table.columns):
            business.tool[f"get {table.name}"] = names.name(business.style.get, table.noun, reads=True)
    for process in business.processes:
        for meaning, words in process.acts.items():
            process.names[meaning] = names.name(_writing(words), _noun(process, meaning), process.noun)
        if process.shape == "seat" and f"call off {process.subject.name}" not in business.tool:
            verb = next(
                (verb for verb, noun in plan.disrupted if noun in (process.subject.noun, process.noun)),
                "call off",
            )
            tool = names.name(verb, process.subject.noun, verbs=("call off",))
            business.tool[f"call off {process.subject.name}"] = tool
        if process.shape == "supply" and f"restock {process.subject.name}" not in business.tool:
            business.tool[f"restock {process.subject.name}"] = names.name("restock", process.subject.noun)
    charge, payment = business.charge.noun, business.payment.noun
    of_charges = (
        ("raise", "raise", charge),
        ("settle", "settle", charge),
        ("waive", "waive", charge),
        ("void", "void", payment),
    )
    for meaning, verb, noun in (
        *(of_charges if business.has_charges else ()),
        ("notify", "send", business.notice.noun),
        ("hand over", "open", business.handover.noun),
        ("amend", "amend", business.party.noun),
    ):
        business.tool[meaning] = names.name(verb, noun)


def _writing(words: str) -> str:
    """The words of an act that writes: "read" alone would promise a tool that only reads."""
    return f"log {gerund(words)}" if reads_by_name(snake(words)) else words


def _noun(process: Process, meaning: str) -> str:
    if process.item is not None and meaning == "create":
        return process.item.noun
    if meaning in _ABOUT_SUBJECT[process.shape] and not process.staffed:
        return process.subject.noun
    if process.shape == "work" and process.acts[meaning] == process.verb and process.object:
        return process.object
    return process.noun


class _Names:
    """Names that are not taken yet."""

    def __init__(self, business: Business) -> None:
        self.order = business.style.order
        # A tool called like a variable of another tool would be taken for a call of it.
        self.taken = {name for table in business.tables.values() for name in (table.var, table.name)}

    def name(self, verb: str, noun: str, *nouns: str, reads: bool = False, verbs: Sequence[str] = ()) -> str:
        """A free name, with a number only where there is no other way to say it.

        Args:
            verb: What is done.
            noun: To what.
            nouns: What else that can be called.
            reads: Whether it only reads: else a name that begins with the noun "show" would promise that.
            verbs: How else what is done can be called.
        """
        ways = [(verb, noun), *((verb, other) for other in nouns), *((other, noun) for other in verbs)]
        orders = ("verb_noun", "noun_verb") if self.order == "verb_noun" else ("noun_verb", "verb_noun")
        names = [_joined(order, *way) for order in orders for way in ways]
        fitting = [name for name in names if reads or not reads_by_name(name)] or [snake(f"{verb} {noun}")]
        numbered = (f"{fitting[0]}_{i}" for i in range(2, 50))
        result = next(name for name in (*fitting, *numbered) if name not in self.taken)
        self.taken.add(result)
        return result


def _joined(order: str, verb: str, noun: str) -> str:
    return snake(f"{verb} {noun}" if order == "verb_noun" else f"{noun} {verb.removesuffix(' of')}")


def tables_with_details(business: Business) -> list[BusinessTable]:
    """Tables that have a tool for one row."""
    return [table for table in business.tables.values() if f"get {table.name}" in business.tool]
