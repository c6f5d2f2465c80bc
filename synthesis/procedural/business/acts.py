"""Acts: which action of a process each verb of the sentence names, "lends tools and takes them back"."""

from __future__ import annotations

from synthesis.procedural.business.fees import counted_in
from synthesis.procedural.business.pattern_choice import LIGHT
from synthesis.procedural.business.planned import PlannedProcess
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import participle
from synthesis.procedural.sentence.lexicon import NEUTRAL, verbs

_KEEPING_TRACK = ("keep track of", "keep records of")
"""Verbs of registers, which say of an entry nothing that could be done to it."""
_ENTERING_ONE = frozenset(("sell", "resell", "vend"))
"""Verbs of seats by which somebody gets one."""
_FURTHER = {
    "hold": ("create", "start", "finish", "move"),
    "slot": ("create", "start", "finish", "move"),
    "seat": ("create", "admit", "attend"),
    "supply": ("create", "fulfil", "return"),
    "work": ("close", "create"),
}
"""Which actions further verbs of the sentence name, in this order, where they do not tell themselves."""
_CALLING_OFF = dict.fromkeys(("cancel", "call off", "drop", "withdraw"), "cancel")
_PUTTING_OFF = dict.fromkeys(("postpone", "delay", "defer", "reschedule", "put off"), "postpone")
_BACK = ("return", "bring back", "give back", "hand back", "take back", "get back", "send back")
_MOVING = dict.fromkeys(("move", "transfer", "switch", "shift", "swap", "exchange", "relocate"), "move")
_OF_UNITS = {
    **dict.fromkeys((*_BACK, "release", "check out", "discharge"), "finish"),
    **dict.fromkeys(("hand out", "hand over", "give out", "check in"), "start"),
    **dict.fromkeys(("renew", "extend", "prolong"), "extend"),
    **_MOVING,
    **_CALLING_OFF,
}
_TELLING = {
    "hold": _OF_UNITS,
    "slot": {verb: meaning for verb, meaning in _OF_UNITS.items() if meaning != "extend"},
    "seat": {**_MOVING, **dict.fromkeys(_CALLING_OFF, "withdraw"), "check in": "attend", "confirm": "admit"},
    "supply": {**_CALLING_OFF, **dict.fromkeys((*_BACK, "refund"), "return")},
    "work": {**_CALLING_OFF, **_PUTTING_OFF, "assign": "assign", "allocate": "assign"},
}
"""By shape: what verbs that tell it themselves are done to records."""
_OPENS = frozenset((*word_list("opens"), "take in"))


def results_of(planned: PlannedProcess) -> tuple[str, ...]:
    """work: how a record may end, also by what else the sentence says is done: "sorted", "shredded"."""
    acts = acts_of(planned).values()
    further = [snake(participle(verb)) for verb in planned.verbs if verb not in acts]
    ends = planned.pattern.results
    return (*ends, *(each for each in dict.fromkeys(further) if each not in ends)) if ends else ()


def acts_of(planned: PlannedProcess) -> dict[str, str]:
    """By meaning: the words of each action, the sentence's own where it names one."""
    pattern = planned.pattern
    acts = pattern.meanings()
    if counted := counted_in(planned):
        acts["reprice"] = f"revise {counted} of"
    elif planned.own:
        acts["reprice"] = "revise cost of"
    taken = {place_of(planned)} if _names_an_act(planned) else set()
    for meaning in taken - {""}:
        acts[meaning] = planned.verb
    for verb in dict.fromkeys(each for each in planned.verbs if each != planned.verb):
        telling = _TELLING[pattern.shape].get(verb)
        free = [meaning for meaning in _FURTHER[pattern.shape] if meaning not in taken]
        meaning = telling if telling and telling not in taken else free[0] if free else ""
        if meaning:
            acts[meaning] = verb
            taken.add(meaning)
    return acts


def _names_an_act(planned: PlannedProcess) -> bool:
    """Whether the sentence's verb is done to a record: lessons are run, and nobody's registration for one is;
    bookings are taken, which is to say booked."""
    if planned.pattern.shape == "seat":
        return verbs().get(planned.verb) not in ("event", "sale") or planned.verb in _ENTERING_ONE
    light = planned.verb in LIGHT and planned.name not in (NEUTRAL, verbs().get(planned.verb))
    return planned.verb not in _KEEPING_TRACK and not light


def place_of(planned: PlannedProcess) -> str:
    """Which action the sentence's own verb names."""
    if planned.pattern.shape == "work":
        if planned.name == "roster":
            return "assign"
        return "create" if planned.name == "purchase" or planned.verb in _OPENS else "close"
    if planned.name in ("production", "supply"):
        return "fulfil"
    if planned.name == "appointment":
        return "create" if planned.verb in _OPENS else "finish"
    if planned.name == "enrolment" and planned.verb == "check in":
        return "attend"
    return "create"
