"""Earlier processes: which of those planned before a further clause of a sentence is about."""

from __future__ import annotations

from synthesis.procedural.business.bringing import is_left_there
from synthesis.procedural.business.charging import ChargingPlanner
from synthesis.procedural.business.deposits import LEAVING, is_security, note_deposit
from synthesis.procedural.business.implied import goods_of, work_of_trade
from synthesis.procedural.business.pattern_choice import OF_RECORDS, pattern_of_clause
from synthesis.procedural.business.patterns import Pattern, patterns
from synthesis.procedural.business.planned import PlannedProcess, kind_of
from synthesis.procedural.business.qualification import WORK_NAMES
from synthesis.procedural.business.senses import TAKING, is_means
from synthesis.procedural.sentence.clauses import OBJECT, TELLING, Clause
from synthesis.procedural.sentence.inflection import gerund
from synthesis.procedural.sentence.lexicon import NEUTRAL, kinds_of
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.stated_prices import LATE

_OF_THINGS = frozenset(
    ("inspection", "measurement", "repair", "cleaning", "installation", "incident", "care", "editing")
)
"""Patterns of work that is done to a thing, also where a clause does not name it again."""
_APART = {"treatment", "match"}
"""Patterns of which neither is part of the other: strays are treated, and then rehomed."""
_CHARGES = ("fee", "charge", "surcharge", "fine", "penalty")
"""What is charged for days after the end of what is lent or let."""
_MOVING = ("move", "transfer", "switch", "shift", "put", "group", "promote")
_TURNING_AWAY = ("refuse", "reject", "decline", "turn away", "turn down")
_HANDING_OUT = ("hand out", "hand over", "give out", "give back", "release", "return")
_LIFTING = ("lift", "haul", "hoist", "winch")
"""Verbs of how something comes to where it is stored."""
_BRINGING_BACK = ("put back", "return", "bring back", "give back", "hand back", "take back")


def is_late(noun: str) -> bool:
    """Whether a noun is what comes after its time: "late returns", "overdue books"."""
    return noun.partition(" ")[0] in LATE


class EarlierPlanner(ChargingPlanner):
    """A plan in which further clauses may speak of the processes before."""

    def _main_party(self, pattern: Pattern) -> str:
        return next(
            (noun for noun in self.result.parties if noun not in self.result.suppliers), pattern.party
        )

    def _without_deposits(self, clause: Clause, objects: list[str]) -> list[str]:
        """ "takes bookings and a deposit": what else is taken, where it is for that and can be noted."""
        others = [noun for noun in objects if not is_security(noun)]
        return others if others and clause.verb in LEAVING else objects

    def _note_deposits(self, clause: Clause) -> None:
        """Note the deposit of a clause that names one beside something else."""
        taken = [phrase for phrase in clause.roles.get(OBJECT, ()) if is_security(phrase.text)]
        held = next((each for each in self.result.processes[::-1] if each.pattern.shape == "hold"), None)
        if taken and held is not None and clause.verb in LEAVING:
            note_deposit(held, self.parse.tokens)

    def _is_of_earlier(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """Whether a clause says only who does what a process before is about: "members may borrow three"."""
        if not agent:
            return False
        known = set(kinds_of(agent))
        last = self._last()
        things = known and not known & {"party", "staff", "business"}
        if things and last is not None and clause.verb == "pay":  # "big dogs pay extra"
            self._state_whole(clause)
            return True
        if things and last is not None:
            for noun in (agent, *objects):  # "each prescription covers six sessions"
                self._further(noun, last)
            self._roles(clause, "", last)
            last.terms.append(clause.verb)
            return True
        works = "staff" in known and agent not in {each.party for each in self.result.processes}
        if objects or works:  # who drives may be who is served: "drivers must book ahead"
            return False
        name = pattern_of_clause(clause)
        same = next((p for p in self.result.processes if p.name == name), None)
        if same is None and name == "booking":  # "groups must book a week ahead"
            shapes = ("hold", "slot", "seat")
            same = next((p for p in self.result.processes if p.pattern.shape in shapes), None)
        process = last if name == "disruption" else same
        if process is None:
            return False
        self._add_party(agent)
        process.party = process.party or agent
        process.verbs.append(clause.verb)
        self._roles(clause, agent, process)
        return True

    def _is_turned_away(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """ "refuses hazardous waste": what nothing is done with, but rows and rules may speak of."""
        last = self._last()
        if clause.verb not in _TURNING_AWAY or agent or not objects or last is None:
            return False
        for noun in objects:
            self._person(noun) if "party" in kinds_of(noun)[:1] else self._further(noun, last)
        self._roles(clause, "", last)
        last.states += self._states(clause)
        self.parse.silent.extend(clause.tokens)
        return True

    def _only_moves(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """ "travels to homes", "clients who show up", "a pass expires": a verb that is done to nothing."""
        if clause.pattern != NEUTRAL or objects or len(self.parse.clauses) < 2:
            return False
        if not (clause.roles or agent or clause.states):
            return bool(self.result.processes)  # "if it rains", of which nothing is represented
        known = set(kinds_of(agent))
        if agent and (not known or known & {"party", "staff", "business"}):
            self._person(agent)
        self._roles(clause, agent, self._of_agent(agent))
        if self.result.processes:
            self.result.processes[-1].states += self._states(clause)
        self.parse.silent.extend(clause.tokens)
        return True

    def _gives_nothing(self, clause: Clause, agent: str) -> bool:
        """ "a donor may give again after 56 days": nothing is handed out to who gives."""
        if patterns()[pattern_of_clause(clause)].shape != "supply":
            return False
        self._roles(clause, agent, self._of_agent(agent))
        return True

    def _of_agent(self, agent: str) -> PlannedProcess | None:
        """The last process of the people or things that act: a pass of the ten-visit passes."""
        for process in reversed(self.result.processes if agent else []):
            if agent in (process.party, process.object, process.object.rpartition(" ")[2]):
                return process
        return self._last()

    def _only_packs(self, clause: Clause, following: Clause | None) -> bool:
        """ "packs and moves households": what is made ready for those to whom the next clause does more."""
        objects = [each.text for each in clause.roles.get(OBJECT, ())]
        people = bool(objects) and all(kind_of(noun, "") == "party" for noun in objects)
        rest = {each.text for each in following.roles.get(OBJECT, ())} if following is not None else set()
        if clause.pattern != "production" or not people or not rest.issuperset(objects):
            return False
        self.parse.note_statement(clause.tokens)
        return True

    def _called_after(self, clause: Clause) -> list[NounPhrase]:
        """ "A wine merchant sells by the case", "a credit union lends to members": what the business is
        called after."""
        goods = goods_of(self.result.business) if clause.agent is None else None
        if goods is None or clause.pattern != ("loan" if is_means(goods.text) else "sale"):
            return []
        return [goods]

    def _sold_before(self, clause: Clause, agent: str) -> list[str]:
        """ "sells wine and ships twice a year": what is sent, where only the clause before says it."""
        worked_on = {p.object for p in self.result.processes if p.pattern.shape == "work"}
        goods = [p.object for p in self.result.processes if p.pattern.shape == "supply"][-1:]
        if clause.pattern != "dispatch" or agent:
            return []
        return [noun for noun in goods if noun not in worked_on and kind_of(noun, "thing") != "record"]

    def _work_of_trade(self, clauses: list[Clause]) -> list[Clause]:
        """What a kennel or workshop does with what people bring it, where no clause says it."""
        brought = [p for each in clauses if is_left_there(each) for p in each.roles.get(OBJECT, ()) if p.many]
        named = {p.text for each in clauses if each.agent is None for p in each.roles.get(OBJECT, ())}
        things = [
            each for each in brought if each.text not in named or not self._is_dealt_with(each, clauses)
        ]
        work = work_of_trade(self.result.business, things) if things else []
        self.parse.clauses[:0] = work
        return work

    @staticmethod
    def _says_what_is_done(clause: Clause) -> bool:
        """Whether a clause tells more of a business than what it is and that people pay."""
        idle = clause.pattern == NEUTRAL and not clause.roles.get(OBJECT)  # "drivers come in and wait"
        if clause.agent is not None and (clause.verb == "pay" or idle):
            return False
        if clause.agent is None and clause.verb == "charge":
            return False  # "or the lesson is charged"
        return clause.pattern != NEUTRAL or bool(clause.roles) or clause.agent is not None

    @staticmethod
    def _is_dealt_with(phrase: NounPhrase, clauses: list[Clause]) -> bool:
        """Whether the business does something to what is brought, besides telling people of it."""
        own = (each for each in clauses if each.agent is None and each.pattern not in (NEUTRAL, TELLING))
        return any(phrase.text == each.text for clause in own for each in clause.roles.get(OBJECT, ()))

    def _worked_on_before(self, clause: Clause, agent: str) -> list[str]:
        """ "looks after cottages and cleans between guests": what work without an object is done to, where
        the clauses before say it."""
        last = self._last()
        others = agent and agent not in self.result.roles
        if others or clause.pattern not in _OF_THINGS or last is None or last.pattern.shape != "work":
            return []
        kind = self.result.kinds.get(last.object, "")
        papers = kind == "record" and clause.pattern == "editing" and last.name in (NEUTRAL, "editing")
        return [last.object] if papers or kind in ("thing", "place", "stock") else []

    def _held_too_long(self, clause: Clause, objects: list[str]) -> PlannedProcess | None:
        """ "charges a late fee", "a fine for late returns": what is held for days before, whose days after
        the end cost that."""
        charged = [noun for noun in objects if "party" not in kinds_of(noun)]
        first, _, last = charged[0].rpartition(" ") if len(charged) == 1 else ("", "", "")
        named = first in LATE or any(is_late(phrase.text) for phrase in clause.roles.get("for", ()))
        named = named or not LATE.isdisjoint(clause.states)
        if clause.pattern != "billing" or not named or last not in _CHARGES:
            return None
        return next((each for each in reversed(self.result.processes) if each.pattern.shape == "hold"), None)

    def _known(self, name: str, pattern: Pattern, noun: str, verb: str) -> PlannedProcess | None:
        """The process that a noun is a record of, or in which something of that shape is done to it."""
        if not noun:
            return None
        of_record = next((p for p in self.result.processes if noun == p.record), None)
        of_record = of_record or next((p for p in self.result.processes if self._names(p, noun)), None)
        held = (p for p in self.result.processes if p.pattern.shape == "hold" and noun == p.object)
        if of_record is None and name in ("transfer", NEUTRAL) and verb.startswith(_BRINGING_BACK):
            given_out = (p for p in self.result.processes if p.name == "supply" and noun == p.object)
            of_record = next(held, None) or next(given_out, None)
        if of_record is None and verb in _HANDING_OUT:  # "keeps parcels and hands them out"
            about = (p for p in self.result.processes if noun in (p.item, p.object))
            of_record = next((p for p in about if p.item or p.name == "registration"), None)
        return of_record or next(
            (
                p
                for p in self.result.processes
                if noun == p.object
                and p.pattern.shape == pattern.shape
                and (p.name != "registration" or name == p.name)
                and (name == "purchase") == (p.name == "purchase")
                and {name, p.name} != _APART
            ),
            None,
        )

    def _taken_in(self, name: str, noun: str) -> PlannedProcess | None:
        """ "receives parcels, keeps them": what is taken in before it is stored."""
        verbs_of = {*TAKING, *_LIFTING}
        taken = (p for p in self.result.processes if p.object == noun and p.verb in verbs_of)
        return next(taken, None) if name == "storage" and noun else None

    @staticmethod
    def _names(process: PlannedProcess, noun: str) -> bool:
        """ "each repair": whether a noun is the last word of records, or what is paid for."""
        paid = process.name == "billing" and noun == process.object
        work = WORK_NAMES.get(process.verb, gerund(process.verb))
        return paid or (
            process.pattern.shape == "work" and process.record == f"{process.object} {noun}" and noun == work
        )

    def _moved(self, verb: str, noun: str, kind: str) -> PlannedProcess | None:
        """ "enrols students and moves them", "lets stalls and moves them": where somebody or something is."""
        if verb not in _MOVING:
            return None
        for process in self.result.processes:
            known = noun == process.party or noun in self.result.parties
            seated = process.pattern.shape == "seat" and kind == "party" and known
            if seated or (process.pattern.shape in ("hold", "slot") and process.object == noun):
                return process
        return None

    def _of_shape(self, clause: Clause, noun: str) -> PlannedProcess | None:
        """ "lets beds and cancels bookings": the process of whose records a word like this speaks."""
        named = OF_RECORDS.get(noun, "")
        if clause.pattern not in ("disruption", "transfer") or not named:
            return None
        shapes_of = ("hold", "slot") if named == "booking" else (patterns()[named].shape,)
        return next((p for p in reversed(self.result.processes) if p.pattern.shape in shapes_of), None)

    def _counterpart(self, clause: Clause, party: str) -> str:
        """Who does something to what the business handles: customers order what it makes."""
        return party if clause.agent is not None and party in self.result.parties else ""
