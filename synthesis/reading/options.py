"""Options: ways of doing an act that were chosen, and answers that tell another one."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Effects
from synthesis.reading.fact_values import phrase_of
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.words import word_set

_BY = word_set("by in with via per as because")
_SHORTEST_PLAIN = 4
_EVERYDAY = word_set("other none general normal standard default active open closed both full late high")
_LIKE = tuple(
    frozenset(line.split())
    for line in (
        "cash card transfer cheque check direct_debit voucher credit",
        "low normal medium high urgent critical top lowest highest",
        "email phone letter sms text_message post fax",
        "morning afternoon evening",
        "daily weekly monthly yearly",
    )
)
"""Options of which one rules out the others."""


def another_option(document: ParsedText, claims: Sequence[ReportedAct], effects: Effects) -> str:
    """An option that a text tells and that was not chosen, where it leaves out the one that was: "in cash";
    "" without.

    Args:
        document: The answer.
        claims: Its acts that are told as done.
        effects: The right end with its options, and what had to be done with what.
    """
    nouns = frozenset[str]().union(*(deed.nouns | deed.with_verb for deed in effects.needed))
    claimed = (_claimed(document, claims, *option, nouns) for option in effects.options)
    return next(filter(None, claimed), "")


def like_options(option: str) -> frozenset[str]:
    """What people would say in place of an option, whether the world has it or not: "cash" of "transfer"."""
    words = {
        option,
        option.rsplit("_", 1)[-1],
    }  # a "bank_transfer" is a transfer, a "full_refund" nothing full
    return frozenset().union(*(group for group in _LIKE if not group.isdisjoint(words))) - words


def _claimed(
    document: ParsedText,
    claims: Sequence[ReportedAct],
    chosen: str,
    others: frozenset[str],
    about: frozenset[str],
    nouns: frozenset[str],
) -> str:
    if not others or any(True for _ in document.phrases(phrase_of(chosen))):
        return ""
    for other in sorted(others | like_options(chosen)):
        for _, first, last in document.phrases(phrase_of(other)):
            before = document.tokens[max(0, first - 4) : first]
            beside = {token.key for token in (*before[-2:], *document.tokens[last : last + 2])}
            by = any(token.text in _BY for token in before[-3:])
            described = document.tokens[last].key if last < len(document.tokens) else ""
            is_described = _is_plain(other) and (
                by or described in nouns or _is_of_a_claim(document, claims, first, described)
            )
            is_denied = any(token.text in NEGATIONS for token in before)
            if not is_denied and (is_described or beside & about):
                return other.replace("_", " ")
    return ""


def _is_plain(option: str) -> bool:
    """Whether an option is a word of its own: "cash", and not "other" or "low"."""
    return len(option) >= _SHORTEST_PLAIN and option not in _EVERYDAY


def _is_of_a_claim(document: ParsedText, claims: Sequence[ReportedAct], first: int, described: str) -> bool:
    """Whether some words describe the object of an act in their clause: "a cash payment"."""
    number = document.chunk_of[first]
    return any(
        document.chunk_of[act.at] == number and {document.tokens[first].key, described} <= act.about
        for act in claims
    )
