"""Plan: which processes, parties, places and things a parsed sentence asks for."""

from __future__ import annotations

from synthesis.documents.reading import ReadProcess, ScenarioReading
from synthesis.procedural.business.bringing import is_bringing
from synthesis.procedural.business.companions import companions, shapes
from synthesis.procedural.business.implied import implied_clauses
from synthesis.procedural.business.object_kinds import EXPECTED, HOLD_THINGS, WITH_ITEM, kind_of_object
from synthesis.procedural.business.pattern_choice import (
    OF_PASSENGERS,
    occasion_of,
    pattern_of_clause,
    pattern_of_record,
    subject_of_record,
    suited,
)
from synthesis.procedural.business.patterns import Pattern, patterns
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.business.telling import addressees, keep_telling
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, TELLING, Clause, Parse
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_business, kinds_of, nouns
from synthesis.procedural.sentence.phrases import NounPhrase

MOST_PROCESSES = 5
_HANDED_OVER = frozenset({"sale", "supply", "dispatch", "loan", "rental", "gift", "award"})
"""Patterns in which an unknown word after "to" is somebody who gets something."""
_PARTY_ROLES = ("to", "for", "from", "with", "of", "between", "on behalf")
_AT_PLACE = (
    "in",
    "at",
    "from",
    "to",
    "on",
    "across",
    "into",
    "near",
    "along",
    "between",
    "by",
    "over",
    "under",
    "around",
    "through",
)
_MANNER = frozenset(("in", "at", "before", "after", "until", "till", "by", "on", "under"))
_COLUMN_WORDS = frozenset(("result", "status", "name", "number"))
"""What columns of every record are called; a table of that name could not be told from them."""
_OPENING = frozenset(word_list("opening"))


def plan(parse: Parse) -> BusinessPlan:
    """The plan of a parsed sentence."""
    return _Planner(parse).plan()


def _is_manner(phrase: NounPhrase, role: str) -> bool:
    """Whether a noun says when or how, "at dawn", "by post": one thing without an article."""
    bare = bool(phrase.tokens) and not phrase.many and not phrase.determiner and len(phrase.tokens) == 1
    known = set(kinds_of(phrase.text)) - {"abstract"}
    return bare and role in _MANNER and (not known or (role == "by" and "staff" not in known))


class _Planner:
    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.result = BusinessPlan(business=parse.business.text if parse.business else "company")
        self.seen: dict[str, PlannedProcess] = {}

    def plan(self) -> BusinessPlan:
        clauses = self.parse.clauses or implied_clauses(self.result.business, self.parse.extras)
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
        self._companions()
        if self.result.processes and "seat" not in shapes(self.result):
            # nothing is called off here, so what would be a reason is a kind of the work
            self.result.processes[0].kinds.extend(self.result.reasons)
        return self.result

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
        if self._is_no_process(clause, objects, agent):
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
        self._roles(clause, party, process)
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
        moving = clause.pattern == NEUTRAL and not objects and not agent
        if moving and clause.roles and len(self.parse.clauses) > 1:
            self._roles(clause, "", self._last())  # "travels to homes"
            return True
        return False

    def _brought(self, clause: Clause, party: str) -> None:
        """Keep who brings something, and how, with the process that deals with it."""
        brought = {phrase.text for phrase in clause.roles.get(OBJECT, ())}
        for process in self.result.processes:
            if process.object in brought and process.name != "purchase":
                process.verbs.append(clause.verb)
                process.party = process.party or party

    def _objects(self, clause: Clause) -> list[str]:
        """What a verb is done to; "the next day" only says when."""
        phrases = clause.roles.get(OBJECT, [])
        times = [phrase for phrase in phrases if "time" in kinds_of(phrase.text)[:1]]
        repeated = all(phrase.determiner in ("every", "each") for phrase in times)
        if times and (repeated or len(times) < len(phrases)):
            clause.roles.setdefault(OFTEN, []).extend(times)
            phrases = [phrase for phrase in phrases if phrase not in times]
        if clause.pattern != "registration" and pattern_of_clause(clause) == "registration":
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

    def _last(self) -> PlannedProcess | None:
        return self.result.processes[-1] if self.result.processes else None

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
        for role in _PARTY_ROLES:
            for phrase in clause.roles.get(role, ()):
                kind = kind_of(phrase.text, "thing")
                is_place = phrase.determiner == "the" and not phrase.many
                open_role = role == "to" and clause.pattern in _HANDED_OVER and not is_place
                unknown = open_role and not kinds_of(phrase.text)
                firm = open_role and clause.pattern != "dispatch" and is_business(phrase.head)
                if firm or kind == "party" or (role == "to" and kind == "staff") or unknown:
                    self._add_party(phrase.text)
                    return phrase.text
        return ""

    def _add_party(self, noun: str) -> None:
        if noun not in self.result.parties:
            self.result.parties.append(noun)
        self.result.kinds[noun] = "party"

    def _person(self, noun: str) -> None:
        kinds = kinds_of(noun)
        if "staff" in kinds and "party" not in kinds[:1]:
            self._role(noun)
        else:
            self._add_party(noun)

    def _role(self, noun: str) -> None:
        if noun not in self.result.roles and noun not in ("staff", "worker", "team"):
            self.result.roles.append(noun)
        self.result.kinds[noun] = "staff"

    def _process(self, clause: Clause, noun: str, party: str) -> PlannedProcess | None:
        """The process of a verb with one object, or the known one that it belongs to."""
        name = pattern_of_clause(clause)
        pattern = patterns()[name]
        kind = kind_of_object(noun, name, clause.verb) if noun else ""
        if clause.verb == "put up" and kind in ("thing", "place", "stock"):  # so are guests, who stay
            name, pattern = "installation", patterns()["installation"]
            party = party or next((p.party for p in self.result.processes if p.object == noun), "")
        known = self._known(name, pattern, noun)
        if known is not None:
            known.verbs.append(clause.verb)
            known.party = known.party or self._counterpart(clause, party)
            return None
        if kind:
            self.result.kinds.setdefault(noun, kind)
        if named := pattern_of_record(clause.verb, noun):
            return self._add(clause, patterns()[named], named, noun, party, noun, "")
        if kind == "thing" and (occasion := occasion_of(clause.verb, noun)):
            return self._add(clause, patterns()["event"], "event", occasion, party, "", occasion)
        name, pattern = suited(name, pattern, kind, verb=clause.verb, given=bool(clause.roles.get("to")))
        sent = name == "incident" and party and party != noun and "staff" in kinds_of(noun)
        kind = "staff" if kind == "party" and (name == "roster" or sent) else kind
        if kind == "staff" and name != "roster":
            self._role(noun)
            noun, kind = "", ""
        if kind == "party" and name != "match":
            self._add_party(noun)
            return self._add(clause, pattern, name, noun, noun, "", "")
        if name == "roster":
            self._role(noun) if kind == "staff" else None
            return self._add(clause, pattern, name, noun, party, f"{noun} assignment".strip(), "")
        return self._with_object(clause, pattern, name, noun, kind, party)

    def _known(self, name: str, pattern: Pattern, noun: str) -> PlannedProcess | None:
        """The process that a noun is a record of, or in which something of that shape is done to it."""
        if not noun:
            return None
        of_record = next((p for p in self.result.processes if noun == p.record), None)
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

    def _with_object(
        self, clause: Clause, pattern: Pattern, name: str, noun: str, kind: str, party: str
    ) -> PlannedProcess | None:
        if pattern.shape == "hold":
            if kind == "record" and name not in HOLD_THINGS:
                unit = self._unit(clause) or pattern.subject
                return self._add(clause, pattern, name, noun, party, noun, unit)
            if name in WITH_ITEM and kind != "place":
                unit = self._unit(clause) or pattern.subject
                return self._add(clause, pattern, name, noun, party, "", unit, item=noun)
            return self._add(clause, pattern, name, noun, party, "", noun or pattern.subject)
        own = kind == "record" or (kind == "money" and name not in ("award", "purchase"))
        if pattern.shape == "work" and own:
            return self._add(clause, pattern, name, noun, party, noun, subject_of_record(name, noun))
        return self._add(clause, pattern, name, noun, party, "", noun or pattern.subject)

    def _unit(self, clause: Clause) -> str:
        """The place in which something is kept, or the resource it is booked with."""
        for role in ("in", "on", "at", "with"):
            for phrase in clause.roles.get(role, ()):
                kind = kind_of(phrase.text, "")
                if kind == "place" or (role == "with" and kind in ("staff", "thing")):
                    return phrase.text
        return ""

    def _add(
        self,
        clause: Clause,
        pattern: Pattern,
        name: str,
        noun: str,
        party: str,
        record: str,
        subject: str,
        item: str = "",
    ) -> PlannedProcess | None:
        if name == "purchase" and not party:
            self._add_party(party := pattern.party)
        about = "" if noun == party else noun
        label = record or " ".join(pattern.record.replace("{object}", about).split())
        if label in ("", "type", party, *_COLUMN_WORDS):
            label = f"{noun or clause.verb} request".strip()
        words = label.split()
        label = " ".join(w for n, w in enumerate(words) if n == 0 or w != words[n - 1])
        chosen = (
            subject
            or (noun if about and not record and kind_of(noun, "thing") == "thing" else "")
            or pattern.subject
        )
        if not subject and pattern.shape == "seat":
            chosen = self._event(clause) or ("trip" if clause.verb in OF_PASSENGERS else chosen)
        if chosen == label or singular(chosen) == label:
            chosen = f"{label} type"
        if chosen == party:
            chosen = pattern.subject
        same = next((p for p in self.result.processes if p.record == label), None)
        if same is not None:
            same.verbs.append(clause.verb)
            return same
        process = PlannedProcess(
            clause.verb, pattern, name, noun, party, label, chosen, item=item, verbs=[clause.verb]
        )
        self.result.processes.append(process)
        return process

    def _event(self, clause: Clause) -> str:
        for role in ("in", "for", "to", "on", "with", "into", "at"):
            for phrase in clause.roles.get(role, ()):
                if kind_of(phrase.text, "") == "event":
                    return phrase.text
        for other in self.parse.clauses:
            for phrases in other.roles.values():
                for phrase in phrases:
                    if "event" in kinds_of(phrase.text)[:1] and phrase.text not in ("storm", "fire", "flood"):
                        return phrase.text
        return ""

    def _further(self, noun: str, process: PlannedProcess | None) -> None:
        if not noun:
            return
        self.result.kinds.setdefault(noun, kind_of(noun, "thing"))
        (process.kinds if process is not None else self.result.values).append(noun)

    def _roles(self, clause: Clause, party: str, process: PlannedProcess | None) -> None:
        for role, phrases in clause.roles.items():
            if role == OBJECT:
                continue
            for phrase in phrases:
                if phrase.text in (party, self.result.business) or self._is_used(phrase.text):
                    continue
                if _is_manner(phrase, role) and process is not None:
                    process.terms.append(phrase.text)
                    continue
                self._role_of(phrase.text, role, process)

    def _is_used(self, noun: str) -> bool:
        return any(noun in (p.subject, p.record, p.item, p.party, p.object) for p in self.result.processes)

    def _role_of(self, noun: str, role: str, process: PlannedProcess | None) -> None:
        kind = kind_of(noun, "place" if role in ("in", "at") else "thing")
        self.result.kinds.setdefault(noun, kind)
        if kinds_of(noun.partition(" ")[0])[:1] == ("time",) and noun.endswith(" notice"):
            kind = "time"  # "on four weeks' notice"
        if kind == "event" and process is not None and role in ("before", "after", "until", "between"):
            kind = "time"  # "tunes pianos before concerts"
        clausal = role in ("when", "if", "after", "before", "while", "because", "once", "whenever", "during")
        if (kind == "time" or role == OFTEN) and process is not None:
            process.terms.append(noun)
        elif kind == "staff" and (role in ("by", "with", "to") or clausal):
            self._role(noun)
        elif kind == "party":
            self._add_party(noun)
        elif role == "about":
            self._further(noun, process)
        elif (kind == "event" and (clausal or role in ("in", "by", "of"))) or (
            clausal and kind in ("thing", "record")
        ):
            self.result.reasons.append(noun)
        elif role == "by" and process is not None:
            (self.result.skills if process.name in ("roster", "editing") else process.terms).append(noun)
        else:
            self._loose(noun, role, process)

    def _loose(self, noun: str, role: str, process: PlannedProcess | None = None) -> None:
        """A noun that describes: a place, a person, a value."""
        kind = kind_of(noun, "place" if role in ("in", "at") else "thing")
        self.result.kinds.setdefault(noun, kind)
        process = process or self._last()
        if kind == "party":
            self._add_party(noun)
        elif kind == "staff":
            self._role(noun)
        elif kind == "place" and role in _AT_PLACE and len(self.result.places) < 1:
            self.result.places.append(noun)
        elif kind == "event" and role != "on":
            self.result.reasons.append(noun)
        elif kind == "time" and process is not None:
            process.terms.append(noun)
        else:
            self._further(noun, process)

    def _companions(self) -> None:
        for each in companions(self.result):
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
