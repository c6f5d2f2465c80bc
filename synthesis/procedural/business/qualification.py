"""Qualification: who may be given the work of a process, by role, or by skill where crafts differ."""

from __future__ import annotations

import random
from collections.abc import Sequence

from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import article, gerund, lemmas
from synthesis.procedural.sentence.lexicon import NEUTRAL, PARTY, kinds_of, nouns

_AT_THE_DESK = frozenset(("post", "mail", "send", "forward", "show", "visit"))
"""Verbs of what goes by post, so that nobody drives, and of visits, which no specialist has to make."""
_GROUPS = frozenset(("team", "crew", "staff", "host", "operator", "agent"))
"""Words for staff that say nothing of what they can do, or that are whole businesses."""
_COMPANIES = frozenset(word_list("personal"))
_BY_APPOINTMENT = frozenset(word_list("by_appointment"))
_TRADESPEOPLE = tuple(word_list("tradespeople"))
WORK_NAMES = dict(pair.split("=") for pair in word_list("work_names"))
"""Verb to what people of the trade call that work: a boiler has a repair, but a piano a tuning."""


_RESERVED = 0.4
"""How often a supervisor closes what came out badly, where something else is for supervisors already."""


def workers_of(plan: BusinessPlan, clerk: str) -> dict[str, str]:
    """By record of a process that staff deal with: the role of those who do."""
    rostered = {each.object for each in plan.processes if each.name == "roster"}
    practical = [role for role in plan.roles if role not in rostered]
    trade = trade_of(plan.business)
    workers = {}
    for each in plan.processes:
        if each.pattern.shape != "work":
            continue
        own = each.object if each.name == "roster" and each.object in plan.roles else ""
        usual = each.pattern.worker
        craft = bool(usual) or each.name == NEUTRAL  # "strings rackets"
        if each.name in ("dispatch", "appointment") and each.verb.partition(" ")[0] in _AT_THE_DESK:
            usual = ""
        workers[each.record] = own or (craft and (next(iter(practical), "") or trade or usual)) or clerk
    return workers


def skills_of(plan: BusinessPlan) -> dict[str, str]:
    """By record of a process: the skill its work takes; empty unless the business has several crafts."""
    if trade_of(plan.business):
        return {}  # every plumber fixes leaks and installs boilers
    crafts = {
        each.record: craft for each in plan.processes if each.pattern.skilled and (craft := _craft(each))
    }
    return crafts if len(set(crafts.values())) > 1 else {}


def reserve_results(processes: Sequence[Process], rng: random.Random) -> None:
    """Keep results for supervisors: something in every business, but not of all that one does.

    Args:
        processes: Those of a business, which are changed.
        rng: Where choices come from.
    """
    decided = any(each.limited for each in processes)
    for process in processes:
        if process.shape == "work" and not process.limited and (not decided or rng.random() < _RESERVED):
            process.reserved, decided = process.results[1], True


def trade_of(business: str) -> str:
    """What somebody is whose trade is the whole business, "piano tuner"; "" of shops and companies."""
    last = business.rpartition(" ")[2]
    if last in _GROUPS or last in _COMPANIES:
        return ""
    known = nouns().get(last, ())
    if "staff" in known or last.endswith(_TRADESPEOPLE) or (last in _BY_APPOINTMENT and not known):
        return business
    if last.endswith("ier") and not known:
        return business  # "glazier", "furrier"
    person = (PARTY in kinds_of(last)[:1] or _is_compound(last)) and last.endswith(
        ("er", "or", "ist", "ian", "smith")
    )
    return business if person else ""


def _is_compound(word: str) -> bool:
    """ "bookbinder": a noun and who does something to it; many such words that are no business are tools."""
    stem = word.removesuffix("er")
    parts = ((stem[:n], stem[n:]) for n in range(3, len(stem) - 2)) if stem != word else ()
    return any("NOUN" in lemmas(noun) and "VERB" in lemmas(verb) for noun, verb in parts)


def _craft(planned: PlannedProcess) -> str:
    """What the work of a process is called, "boiler repair"; "" where it is none that people train for."""
    verb, _, particle = planned.verb.partition(" ")
    done_to = planned.item or planned.object
    if particle or verb in ("visit", "take") or set(kinds_of(done_to)[:1]) & {PARTY, "record", "money"}:
        return ""
    return f"{done_to} {WORK_NAMES.get(verb, gerund(verb))}".strip() if done_to else ""


def needed(process: Process) -> dict[str, str]:
    """The column of the staff that counts for the records of a process, and the value it must have."""
    return {"skill": snake(process.skill)} if process.skill else {"role": snake(process.worker)}


def is_qualified(process: Process, worker: dict[str, object]) -> bool:
    """Whether somebody may be given the records of a process, on duty or not."""
    return all(worker[column] == value for column, value in needed(process).items())


def description(b: Business, process: Process) -> str:
    """Who deals with the records of a process, before "on duty": "a mechanic", "a colleague"."""
    return article(b.staff.noun if process.skill else process.worker)


def posts_of(processes: list[Process], roles: tuple[str, ...], clerk: str) -> tuple[tuple[str, str], ...]:
    """Role and skill ("" for none) of everybody beside the first clerk and the supervisors.

    Each role or skill that work needs has five people, of whom one is away, so that there is a choice.
    """
    working = [each for each in processes if each.shape == "work"]
    groups = dict.fromkeys((snake(each.worker), snake(each.skill)) for each in working) or {
        (snake(clerk), ""): None
    }
    filled = {role for role, _ in groups}
    others = [(snake(role), "") for role in roles if snake(role) not in filled]
    return (*(group for group in groups for _ in range(5)), *others)
