"""Plan: which processes, parties, places and things a parsed sentence asks for."""

from __future__ import annotations

from synthesis.documents.reading import ReadProcess, ScenarioReading
from synthesis.procedural.business.bringing import is_bringing
from synthesis.procedural.business.companions import companion_of, shapes
from synthesis.procedural.business.implied import implied_clauses
from synthesis.procedural.business.object_kinds import EXPECTED, kind_of_object
from synthesis.procedural.business.pattern_choice import pattern_of_clause, suited
from synthesis.procedural.business.patterns import Pattern, patterns
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.business.process_planner import ProcessPlanner
from synthesis.procedural.business.role_planner import MEASURES, is_adjective_of_people
from synthesis.procedural.business.telling import (
    addressees,
    is_notice,
    is_period_of_notice,
    keep_telling,
    verb_of_notice,
)
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, TELLING, Clause, Parse
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_business, kinds_of, nouns
from synthesis.procedural.sentence.limits import limits_of

MOST_PROCESSES = 5
_HANDED_OVER = frozenset({"sale", "supply", "dispatch", "loan", "rental", "gift", "award"})
"""Patterns in which an unknown word after "to" is somebody who gets something."""
_PARTY_ROLES = ("to", "for", "from", "with", "of", "between", "on behalf")
_CHARGES = ("fee", "charge", "surcharge")
"""What is charged for days after the end of what is lent or let."""
_TELLING_MORE = frozenset(("match", "repair", "treatment", "editing", "inspection", "recycling"))
"""Patterns of verbs that say what becomes of what is taken in before."""
_SELLERS = ("from", "with")
_BRINGING_BACK = ("return", "bring back", "give back", "hand back")


def plan(parse: Parse) -> BusinessPlan:
    """The plan of a parsed sentence."""
    return _Planner(parse).plan()


class _Planner(ProcessPlanner):
    def plan(self) -> BusinessPlan:
        clauses = self._priced(self.parse.clauses)
        if all(clause.pattern == NEUTRAL and not clause.roles and clause.agent is None for clause in clauses):
            clauses = [*implied_clauses(self.result.business, self.parse.extras), *clauses]
        for clause in sorted(clauses, key=lambda each: is_bringing(each, self.parse)):
            self._clause(clause)
        for phrase in self.parse.extras:
            if self._is_used(phrase.text):
                continue
            if is_business(phrase.text) and not phrase.many and not self.result.places:
                self.result.kinds[phrase.text] = "place"  # "a bakery with a shop"
                self.result.places.append(phrase.text)
            else:
                self._loose(phrase.text, "in")
        self.result.limits = tuple(limits_of(self.parse.tokens))
        self._companion()
        if self.result.processes and "seat" not in shapes(self.result):
            # nothing is called off here, so what would be a reason is a kind of the work
            self.result.processes[0].kinds.extend(self.result.reasons)
        return self.result

    def _priced(self, clauses: list[Clause]) -> list[Clause]:
        """The clauses without those that only say how the one before is priced: "and charges by the hour"."""
        priced: list[Clause] = []
        for clause in clauses:
            alone = (
                clause.pattern == "billing" and clause.agent is None and clause.roles.keys() <= {"by", "per"}
            )
            if not (alone and clause.roles and priced):
                priced.append(clause)
                continue
            for phrases in clause.roles.values():
                priced[-1].roles.setdefault("per", []).extend(phrases)
            self.parse.silent.extend(clause.tokens)
        return priced

    def _clause(self, clause: Clause) -> None:
        self.result.read.append(
            ReadProcess(
                verb=clause.verb,
                pattern=clause.pattern,
                objects=tuple(phrase.text for phrase in clause.roles.get(OBJECT, ())),
                others={
                    role: tuple(phrase.text for phrase in phrases)
                    for role, phrases in clause.roles.items()
                    if role != OBJECT
                },
                agent=clause.agent.text if clause.agent else "",
            )
        )
        objects = self._objects(clause)
        agent = clause.agent.text if clause.agent else ""
        if self._is_no_process(clause, objects, agent) or self._is_of_earlier(clause, objects, agent):
            return
        if agent and clause.pattern == "purchase":
            self._add_party(agent)
        elif agent:
            self._person(agent)
        if not objects and agent and "staff" not in kinds_of(agent):
            objects = [agent]
        party = self._party(clause, agent)
        if is_bringing(clause, self.parse):
            self._brought(clause, party)
            self._roles(clause, party, self._last())
            return
        if clause.pattern == "disruption" and objects and self._is_event(objects[0]):
            self.result.disrupted.append((clause.verb, objects[0]))
            self._seat_for(clause, objects[0], party)
            objects = []
            process = self._last()
        else:
            process = None
            for number, each in enumerate(objects or [""]):
                if number >= 3 or len(self.result.processes) >= MOST_PROCESSES:
                    self._further(each, process)
                    continue
                process = self._process(clause, each, party) or process
        self._roles(clause, party, process or self._last())
        described = process or self._last()
        if described is not None:
            described.states += clause.states

    def _is_no_process(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """Whether a clause only tells people something, or goes somewhere; what it says of that is kept."""
        if clause.pattern == TELLING and (people := addressees(objects)):
            for noun in people:
                self._person(noun)
            keep_telling(clause, people, self.result)
            return True
        if objects and all(map(is_period_of_notice, objects)):  # "tenants give two months' notice"
            self._person(agent) if agent else None
            self.parse.silent.extend(clause.tokens)
            return True
        if (held := self._held_too_long(clause, objects)) is not None:
            *kind, self.result.charge = objects[0].split()
            held.late = " ".join(kind)
            self._roles(clause, "", held)
            self.parse.silent.extend(clause.tokens)
            return True
        if clause.pattern == "dispatch" and objects and all(map(is_notice, objects)):
            people = [phrase.text for phrase in clause.roles.get("to", ())]
            for noun in people:
                self._person(noun)
            keep_telling(clause, people, self.result, verb=verb_of_notice(objects[0]))
            return True
        moving = clause.pattern == NEUTRAL and not objects and len(self.parse.clauses) > 1
        if moving and (clause.roles or agent):
            self._person(agent) if agent else None
            self._roles(clause, agent, self._last())  # "travels to homes", "clients who show up"
            if self.result.processes:
                self.result.processes[-1].states += clause.states
            self.parse.silent.extend(clause.tokens)
            return True
        return False

    def _held_too_long(self, clause: Clause, objects: list[str]) -> PlannedProcess | None:
        """ "charges a late fee": what is held for days before, whose days after the end cost that."""
        first, _, last = objects[0].rpartition(" ") if len(objects) == 1 else ("", "", "")
        if clause.pattern != "billing" or first not in ("late", "overdue") or last not in _CHARGES:
            return None
        return next((each for each in reversed(self.result.processes) if each.pattern.shape == "hold"), None)

    def _is_of_earlier(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """Whether a clause says only who does what a process before is about: "members may borrow three"."""
        if not agent:
            return False
        known = set(kinds_of(agent))
        last = self._last()
        if known and not known & {"party", "staff", "business"} and last is not None:
            for noun in (agent, *objects):  # "each prescription covers six sessions"
                self._further(noun, last)
            self._roles(clause, "", last)
            last.terms.append(clause.verb)
            return True
        if objects or "staff" in known:
            return False
        name = pattern_of_clause(clause)
        same = next((p for p in self.result.processes if p.name == name), None)
        process = last if name == "disruption" else same
        if process is None:
            return False
        self._add_party(agent)
        process.party = process.party or agent
        process.verbs.append(clause.verb)
        self._roles(clause, agent, process)
        return True

    def _brought(self, clause: Clause, party: str) -> None:
        """Keep who brings something, and how, with the process that deals with it."""
        brought = {phrase.text for phrase in clause.roles.get(OBJECT, ())}
        dealing = [p for p in self.result.processes if p.object in brought and p.name != "purchase"]
        for process in dealing:
            process.verbs.append(clause.verb)
            process.party = process.party or party
        if not dealing:
            self.parse.silent.extend(clause.tokens)  # "spins yarn from fleeces that farmers bring"

    def _objects(self, clause: Clause) -> list[str]:
        """What a verb is done to; "the next day" only says when."""
        phrases = clause.roles.get(OBJECT, [])
        times = [phrase for phrase in phrases if "time" in kinds_of(phrase.text)[:1]]
        repeated = all(phrase.determiner in ("every", "each") for phrase in times)
        if times and (repeated or len(times) < len(phrases)):
            clause.roles.setdefault(OFTEN, []).extend(times)
            phrases = [phrase for phrase in phrases if phrase not in times]
        if clause.pattern != "registration" and pattern_of_clause(clause) == "registration":
            if "of" in clause.roles:
                self.parse.silent.extend(token for each in phrases for token in each.tokens)
            phrases = clause.roles.pop("of", []) or phrases
            clause.verb = "keep track of"  # a list of them, a record, a book
        held = clause.pattern in patterns() and patterns()[clause.pattern].shape == "hold"
        if not phrases and clause.agent is not None and held:
            offered = [each for each in self.parse.extras if each.many]  # "with cabins, guests book online"
            phrases = [each for each in offered if kind_of(each.text, "place") in ("place", "thing")]
        return [phrase.text for phrase in phrases]

    def _is_event(self, noun: str) -> bool:
        seated = {
            n for p in self.result.processes if p.pattern.shape == "seat" for n in (p.subject, p.record)
        }
        return noun in seated or kind_of(noun, "thing") == "event"

    def _seat_for(self, clause: Clause, event: str, party: str) -> None:
        if any(event in (process.subject, process.record) for process in self.result.processes):
            return
        if kind_of(event, "event") == "event" and len(self.result.processes) < MOST_PROCESSES:
            pattern = patterns()["enrolment"]
            self._add(
                clause,
                pattern,
                "enrolment",
                event,
                party or self._main_party(pattern),
                f"{event} booking",
                event,
            )
        else:
            self._further(event, self._last())

    def _main_party(self, pattern: Pattern) -> str:
        return next(
            (noun for noun in self.result.parties if noun not in self.result.suppliers), pattern.party
        )

    def _party(self, clause: Clause, agent: str) -> str:
        """Who the process is for."""
        if agent and (clause.pattern == "purchase" or "staff" not in kinds_of(agent)[:1]):
            return agent
        for role in _SELLERS if clause.pattern == "purchase" else _PARTY_ROLES:
            for phrase in clause.roles.get(role, ()):
                kind = kind_of(phrase.text, "thing")
                is_place = phrase.determiner == "the" and not phrase.many
                handed = clause.pattern in _HANDED_OVER or (clause.pattern == "transfer" and phrase.many)
                open_role = role == "to" and handed and not is_place
                kind = (
                    "party" if open_role and phrase.many and self._is_event_of_hirer(clause, kind) else kind
                )
                unknown = open_role and not kinds_of(phrase.text) and phrase.head not in MEASURES
                firm = open_role and clause.pattern != "dispatch" and is_business(phrase.head)
                to_staff = role == "to" and kind == "staff" and clause.pattern != "roster"
                if firm or kind == "party" or to_staff or unknown or is_adjective_of_people(phrase, role):
                    self._add_party(phrase.text)
                    return phrase.text
        return ""

    @staticmethod
    def _is_event_of_hirer(clause: Clause, kind: str) -> bool:
        """ "rents lights to festivals": what hires something is whoever holds it."""
        return kind == "event" and clause.pattern in ("loan", "rental")

    def _process(  # noqa: C901 - one step after another
        self, clause: Clause, noun: str, party: str
    ) -> PlannedProcess | None:
        """The process of a verb with one object, or the known one that it belongs to."""
        name = pattern_of_clause(clause)
        pattern = patterns()[name]
        kind = kind_of_object(noun, name, clause.verb) if noun else ""
        if clause.verb == "put up" and kind in ("thing", "place", "stock"):  # so are guests, who stay
            name, pattern = "installation", patterns()["installation"]
            party = party or next((p.party for p in self.result.processes if p.object == noun), "")
        known = self._known(name, pattern, noun, clause.verb)
        if known is not None and known.name == NEUTRAL and name in _TELLING_MORE and known.object == noun:
            self.result.processes.remove(known)  # "takes in strays and rehomes them"
            process = self._process(clause, noun, party or known.party)
            if process is not None:
                process.verbs.extend(known.verbs)
            return process
        if known is not None:
            known.verbs.append(clause.verb)
            known.party = known.party or self._counterpart(clause, party)
            return None
        if kind:
            self.result.kinds.setdefault(noun, kind)
        if (named := self._by_noun(clause, noun, kind, party)) is not None:
            return named
        name, pattern = suited(
            name, pattern, kind, noun, verb=clause.verb, given=bool(clause.roles.get("to"))
        )
        name = self._timed(clause, name, noun, kind)
        pattern = patterns()[name]
        worker = "staff" in kinds_of(noun)
        duty = self._duty(clause) if name == "roster" or (name == "incident" and worker) else ""
        sent = name == "incident" and party and party != noun and worker
        if name == "incident" and duty:
            name, pattern = "roster", patterns()["roster"]
        kind = "staff" if kind == "party" and (name == "roster" or sent) else kind
        if name == "roster":
            self._role(noun) if kind == "staff" else None
            subject = duty or (noun if kind != "staff" else "")
            return self._add(clause, pattern, name, noun, party, f"{noun} assignment".strip(), subject)
        if kind == "staff":
            self._role(noun)
            noun, kind = "", ""
        if kind == "party" and name != "match":
            return self._with_people(clause, pattern, name, noun)
        return self._with_object(clause, pattern, name, noun, kind, party)

    def _known(self, name: str, pattern: Pattern, noun: str, verb: str) -> PlannedProcess | None:
        """The process that a noun is a record of, or in which something of that shape is done to it."""
        if not noun:
            return None
        of_record = next((p for p in self.result.processes if noun == p.record), None)
        held = (p for p in self.result.processes if p.pattern.shape == "hold" and noun == p.object)
        if of_record is None and name == "transfer" and verb.startswith(_BRINGING_BACK):
            of_record = next(held, None)
        return of_record or next(
            (
                p
                for p in self.result.processes
                if noun == p.object
                and p.pattern.shape == pattern.shape
                and (name == "purchase") == (p.name == "purchase")
            ),
            None,
        )

    def _counterpart(self, clause: Clause, party: str) -> str:
        """Who does something to what the business handles: customers order what it makes."""
        return party if clause.agent is not None and party in self.result.parties else ""

    def _companion(self) -> None:
        each = companion_of(self.result)
        if each is None:
            return
        pattern = patterns()[each.pattern]
        kind = kind_of(each.noun, EXPECTED[pattern.shape])
        self.result.kinds.setdefault(each.noun, kind)
        self._with_object(Clause(each.verb), pattern, each.pattern, each.noun, kind, each.party)


def is_abstract(noun: str) -> bool:
    """Whether a noun means nothing that records can keep."""
    return "abstract" in kinds_of(noun)[:1] and singular(noun).rpartition(" ")[2] in nouns()


def empty_reading(business: str) -> ScenarioReading:
    """A reading of which nothing is represented yet."""
    return ScenarioReading(business=business, processes=(), nouns={}, homes={})
