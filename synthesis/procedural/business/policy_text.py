"""Policy text: who the agent acts for, what is kept, and every rule; no tool enforces them."""

from __future__ import annotations

from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.sentence.inflection import article, plural

_STEM = 5
"""Letters that a verb and a noun made of it have in common."""


def policy_text(business: Business, actor: str) -> str:
    """The policy in Markdown.

    Args:
        business: Whose policy.
        actor: Name of the person the agent acts for.
    """
    b = business
    opening = (
        f"You work for {b.title}, {article(b.noun)}, on behalf of {actor}, {article(b.clerk)}.",
        f"{b.title} is {article(b.noun)}. You act for {actor}, who is {article(b.clerk)} there.",
        f"You assist {actor}, {article(b.clerk)} at {b.title}, {article(b.noun)}.",
        f"This is {b.title}, {article(b.noun)}; {actor}, {article(b.clerk)}, has you do the desk work.",
    )[b.style.mood]
    where = " and ".join(f"{preposition} the {noun}" for preposition, noun in b.sites)
    opening += f" {b.title} is {where}." if where else ""
    lines = [f"# Working at {b.title}", "", opening, "", _contents(b), "", "## Rules", ""]
    lines += ["The tools keep the records consistent. They do not know these rules; you do.", ""]
    lines += [f"- {sentence(rule.text)}" for rule in b.rules.values()]
    lines += [
        "",
        "## Roles",
        "",
        f"- {sentence(plural(b.clerk))} look things up and do whatever these rules leave to them.",
        (
            f"- {sentence(plural(b.supervisor))} decide {_kept_for_supervisors(b)}. You are not one: hand"
            " such matters over and leave them unchanged."
        ),
        (
            "- If a request goes against a rule, decline it, change nothing, and say which rule or fact"
            " stands against it."
        ),
    ]
    if b.reasons and any(p.shape == "seat" for p in b.processes):
        reasons = listing([reason.replace("_", " ") for reason in b.reasons], "or")
        lines.append(f"- Reasons for calling something off are: {reasons}.")
    return "\n".join(lines) + "\n"


def _kept_for_supervisors(b: Business) -> str:
    limited = b.has_charges or any(key.endswith(".limit") for key in b.rules)
    matters = [
        *(["what is above a limit"] if limited else []),
        *(["what only they may close"] if any(key.endswith(".result") for key in b.rules) else []),
    ]
    return listing(matters) if matters else "whatever these rules leave open"


def _contents(b: Business) -> str:
    parts = [f"{p.record.many} of {p.party.many}" for p in b.processes]
    amounts = "Amounts are written with two decimals here, as in 12.50; tools take and give cents. "
    done = dict.fromkeys(
        f"{p.verb} {p.subject.many if p.shape == 'seat' else p.record.many}"
        for p in b.processes
        if not (p.names_its_verb or _says_itself(p))
    )
    doing = f" We {listing(list(done))}." if done else ""
    served = "".join(f" {_services(p)}" for p in b.processes if p.services)
    return f"{amounts if b.has_money else ''}On record are {listing(parts)}.{doing}{served}"


def _services(p: Process) -> str:
    """What people come for."""
    return f"{sentence(p.record.many)} are for {listing([name.lower() for name, *_ in p.services], 'or')}."


def _says_itself(p: Process) -> bool:
    """Whether the noun has the verb in it: nobody says that rehearsals are rehearsed."""
    verb = p.verb.partition(" ")[0]
    return any(word.startswith(verb[:_STEM]) for word in p.subject.noun.split() if len(verb) >= _STEM)
