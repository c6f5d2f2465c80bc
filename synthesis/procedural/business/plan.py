"""Plan: which processes, parties, places and things a parsed sentence asks for."""

from __future__ import annotations

from itertools import zip_longest

from synthesis.documents.reading import ReadProcess, ScenarioReading
from synthesis.procedural.business.appointments import set_diaries
from synthesis.procedural.business.bringing import is_bringing
from synthesis.procedural.business.charging import is_asking
from synthesis.procedural.business.companions import shapes
from synthesis.procedural.business.deposits import LEAVING, is_security, note_deposit
from synthesis.procedural.business.earlier import is_late
from synthesis.procedural.business.implied import trade_verb_for
from synthesis.procedural.business.missed import note_missed
from synthesis.procedural.business.object_kinds import kind_of_object
from synthesis.procedural.business.pattern_choice import OF_PASSENGERS, pattern_of_clause, suited
from synthesis.procedural.business.patterns import patterns
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.business.pricing import note_prices
from synthesis.procedural.business.role_planner import COLLECTIVES, MEASURES, is_adjective_of_people
from synthesis.procedural.business.rule_planner import CARRYING, RulePlanner
from synthesis.procedural.business.senses import is_done_for, is_rest, is_working, sense_of
from synthesis.procedural.business.stated_limits import says_something
from synthesis.procedural.business.telling import (
    addressees,
    is_notice,
    is_period_of_notice,
    is_somebody,
    keep_telling,
    verb_of_notice,
)
from synthesis.procedural.sentence.clauses import OBJECT, OFFERED, OFTEN, TELLING, Clause, Parse
from synthesis.procedural.sentence.exemptions import exemptions_of
from synthesis.procedural.sentence.head_counts import head_counts
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_business, kinds_of, nouns
from synthesis.procedural.sentence.limits import DAYS_OF, limits_of
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.recurrences import recurrences_of
from synthesis.procedural.sentence.requirements import requirements_of

MOST_PROCESSES = 5
_HANDED_OVER = frozenset({"sale", "supply", "dispatch", "loan", "rental", "gift", "award"})
"""Patterns in which an unknown word after "to" is somebody who gets something."""
_HAPPENING = frozenset(("when", "if", "after", "during", "because", "whenever", "once"))
_PARTY_ROLES = ("to", "for", "from", "with", "of", "between", "on behalf")
_TELLING_MORE = frozenset(
    ("match", "repair", "treatment", "editing", "inspection", "recycling", "storage", "cleaning")
)
"""Patterns of verbs that say what becomes of what is taken in before."""
_SERVING = frozenset(("case", "treatment", "claim"))
"""Patterns of what is done for people, also where they work somewhere else: "advises workers"."""
_SELLERS = ("from", "with")


def plan(parse: Parse) -> BusinessPlan:
    """The plan of a parsed sentence."""
    return _Planner(parse).plan()


class _Planner(RulePlanner):
    def plan(self) -> BusinessPlan:
        clauses = [each for each in self._priced(self.parse.clauses) if not self._is_left_undone(each)]
        clauses = self._with_implied(clauses)
        clauses = [*self._work_of_trade(clauses), *clauses]
        tokens = self.parse.tokens
        stated = (*limits_of(tokens), *requirements_of(tokens), *exemptions_of(tokens))
        self.result.limits = tuple(filter(says_something, stated))
        clauses = [each for at, each in enumerate(clauses) if not self._only_rules(each, clauses[:at])]
        people = [each for each in self.parse.extras if "staff" in kinds_of(each.text)]
        counted = [each for each in people if self._is_counted(each)]
        ordered = sorted(clauses, key=lambda each: (is_bringing(each, self.parse), is_asking(each)))
        for clause, following in zip_longest(ordered, ordered[1:]):
            if not (self._only_packs(clause, following) or self._only_visits(clause, following)):
                self._clause(clause)
        for phrase in self.parse.extras:
            if phrase in counted or self._is_counted(phrase):
                continue
            if self._is_used(phrase.text) or self._is_site(phrase):
                continue
            if is_business(phrase.text) and not phrase.many and not self.result.places:
                self.result.kinds[phrase.text] = "place"  # "a bakery with a shop"
                self.result.places.append(phrase.text)
            else:
                self._loose(phrase, self._preposition_before(phrase))
        self._companion()
        set_diaries(self.result)
        self._name_required()
        self._call_otherwise()
        note_prices(self.result, tokens)
        note_missed(self.result, tokens)
        self.result.limits += tuple(recurrences_of(tokens))
        self.result.counts = tuple(head_counts(self.parse.tokens))
        if self.result.processes and "seat" not in shapes(self.result):
            # nothing is called off here, so what would be a reason is a kind of the work
            for reason in self.result.reasons:
                self.reason_of.get(reason, self.result.processes[0]).kinds.append(reason)
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
        agent = self._known_as(clause.agent) if clause.agent else ""
        if objects and (meant := trade_verb_for(self.result.business, agent, clause.verb)):
            clause.verb = meant
        if self._is_aside(clause) or self._is_no_process(clause, objects, agent):
            return
        if self._only_charges(clause) or self._only_handles(clause, objects, agent):
            return
        if self._is_of_earlier(clause, objects, agent):
            return
        if agent and clause.pattern == "purchase":
            self._add_party(agent)
        elif agent:
            works = self._works_there(clause, agent) or is_working(clause)
            self._role(agent) if works else self._person(agent)
        acts = not objects and agent and "staff" not in kinds_of(agent)
        if acts and self._gives_nothing(clause, agent):
            return
        objects = self._without_deposits(clause, objects)
        self._done_to(clause, [agent] if acts else objects or self._sold_before(clause, agent), agent)
        self._note_deposits(clause)

    def _done_to(self, clause: Clause, objects: list[str], agent: str) -> None:
        """Plan what a clause does to its objects."""
        party = self._party(clause, agent)
        objects = objects or self._worked_on_before(clause, agent)
        if is_bringing(clause, self.parse):
            self._brought(clause, party)
            self._roles(clause, party, self._last())
            return
        if clause.pattern == "disruption" and not objects and not agent:  # "and cancels in storms"
            seated = (each for each in self.result.processes if each.pattern.shape == "seat")
            objects = [each.subject for each in seated][-1:]
        if clause.pattern == "disruption" and objects and self._is_event(objects[0]):
            self.result.disrupted.append((clause.verb, objects[0]))
            self._seat_for(clause, objects[0], party)
            objects = []
            process = self._last()
        elif clause.pattern in CARRYING and len(objects) > 2:  # "carries blood, milk and samples"
            name = clause.pattern
            process = self._add(clause, patterns()[name], name, "", party, "", "consignment")
            for each in objects:
                self._further(each, process)
        else:
            process = None
            for number, each in enumerate(objects or [""]):
                if number >= 3 or len(self.result.processes) >= MOST_PROCESSES:
                    self._further(each, process)
                    continue
                process = self._process(clause, each, party) or process
        described = process or self._last()
        for phrase in clause.roles.pop(OFFERED, ()):
            self._further(phrase.text, described)
        self._roles(clause, party, described)
        if described is not None:
            described.states += self._states(clause)

    def _is_no_process(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """Whether a clause only tells people something, or goes somewhere; what it says of that is kept."""
        people = [noun for noun in addressees(objects) if noun != self.result.business]
        if clause.pattern == TELLING and (people or objects == ["home"]):
            for noun in people:
                self._person(noun)
            named = clause.roles.get(OBJECT, ()) if not people else ()
            self.parse.silent.extend(token for phrase in named for token in phrase.tokens)  # "calls home"
            self._report_all(keep_telling(clause, people, self.result))
            return True
        if objects and self._is_done_by_others(clause, objects, agent):
            for noun in (agent, *filter(is_somebody, objects)):
                self._person(noun) if noun not in ("", self.result.business) else None
            self._roles(clause, "", self._last())
            self.parse.silent.extend(clause.tokens)
            return True
        if (held := self._held_too_long(clause, objects)) is not None:
            *kind, self.result.charge = next(n for n in objects if "party" not in kinds_of(n)).split()
            for noun in (agent, *objects):
                self._add_party(noun) if "party" in kinds_of(noun) else None
            held.late = " ".join(kind) or "late return"
            clause.roles["for"] = [each for each in clause.roles.get("for", []) if not is_late(each.text)]
            held.states += [each for each in self._states(clause) if each not in ("late", "overdue")]
            self._roles(clause, "", held)
            self.parse.silent.extend(clause.tokens)
            return True
        held = next((each for each in self.result.processes[::-1] if each.pattern.shape == "hold"), None)
        left = clause.verb in LEAVING and bool(objects) and all(map(is_security, objects))
        if held is not None and left:  # "and keeps the deposit"
            note_deposit(held, self.parse.tokens)
            self._person(agent) if agent else None
            self._roles(clause, "", held)
            held.states += self._states(clause)
            self.parse.silent.extend(clause.tokens)
            return True
        if clause.pattern == "dispatch" and objects and all(map(is_notice, objects)):
            people = [phrase.text for phrase in clause.roles.get("to", ())]
            for noun in people:
                self._person(noun)
            verb = verb_of_notice(objects[0])
            self._report_all(keep_telling(clause, people, self.result, verb=verb))
            return True
        others = (self._only_tells_us, self._is_turned_away, self._only_moves)
        return any(noted(clause, objects, agent) for noted in others)

    def _is_done_by_others(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """Whether a clause says only what people have or do in their time, of which nothing is recorded."""
        calls = bool(agent) and all(noun == self.result.business for noun in objects)  # "farmers call us"
        given = clause.verb == "give" and OFTEN in clause.roles and all(map(is_somebody, objects))
        people = [each for each in clause.roles.get("to", ()) if is_somebody(each.text)]
        given = given or (
            clause.verb == "give" and bool(agent and people)
        )  # "agencies give families a voucher"
        notice = all(map(is_period_of_notice, objects))  # "tenants give two months' notice"
        cancels = clause.pattern == "disruption" and all(map(_is_time, objects))  # "cancel two days ahead"
        return calls or given or notice or cancels

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
        times = [phrase for phrase in phrases if _is_time(phrase.text) or _is_ahead(phrase)]
        times += [p for p in phrases[1:] if p not in times and (p.determiner == "every" or self._is_rate(p))]
        repeated = all(
            phrase.determiner in ("every", "each") or phrase.text in DAYS_OF or _is_ahead(phrase)
            for phrase in times
        )  # "each day", "ships twice a year"
        if times and (repeated or len(times) < len(phrases)):
            clause.roles.setdefault(OFTEN, []).extend(times)
            phrases = [phrase for phrase in phrases if phrase not in times]
        if clause.pattern in ("billing", NEUTRAL):  # "bills members for kilometres", "takes 8 percent"
            measured = [phrase for phrase in phrases if phrase.head in MEASURES]
            clause.roles.setdefault("per", []).extend(measured)
            phrases = [phrase for phrase in phrases if phrase not in measured]
        if clause.pattern != "registration" and pattern_of_clause(clause) == "registration":
            if "of" in clause.roles:
                self.parse.silent.extend(token for each in phrases for token in each.tokens)
            phrases = clause.roles.pop("of", []) or phrases
            clause.verb = "keep track of"  # a list of them, a record, a book
            self.parse.silent.extend(clause.tokens)  # whose entries are what is kept
        held = clause.pattern in patterns() and patterns()[clause.pattern].shape == "hold"
        if not phrases and clause.agent is not None and held:
            offered = [each for each in self.parse.extras if each.many]  # "with cabins, guests book online"
            phrases = [each for each in offered if kind_of(each.text, "place") in ("place", "thing")]
        if clause.pattern == TELLING and clause.agent is not None and clause.roles.get("for") and not phrases:
            phrases, clause.verb = clause.roles.pop("for"), "book"  # "people ring up for a ride"
            self.parse.silent.extend(clause.tokens)
        phrases = phrases or self._called_after(clause)
        last = self.result.processes[-1].object if self.result.processes else ""
        if last and all(is_rest(phrase.text) for phrase in phrases) and phrases:
            self.parse.silent.extend(token for phrase in phrases for token in phrase.tokens)
            return [last]
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

    def _party(self, clause: Clause, agent: str) -> str:
        """Who the process is for."""
        works = "staff" in kinds_of(agent)[:1] or self._works_there(clause, agent)
        works = works or agent in self.result.roles or is_working(clause)
        buys = "purchase" in (clause.pattern, pattern_of_clause(clause))
        if agent and (clause.pattern == "purchase" or not works):
            return agent
        for role in _SELLERS if buys else _PARTY_ROLES:
            for phrase in clause.roles.get(role, ()):
                if role == "between" and phrase.text in COLLECTIVES:
                    continue  # "moves students between groups"
                if (
                    role == "from"
                    and clause.pattern in _HANDED_OVER
                    and is_business(phrase.head)
                    and not buys
                ):
                    continue  # "charters boats from two marinas"
                kind = kind_of(phrase.text, "thing")
                is_place = phrase.determiner == "the" and not phrase.many
                handed = clause.pattern in _HANDED_OVER or (clause.pattern == "transfer" and phrase.many)
                open_role = role == "to" and handed and not is_place
                several = open_role and phrase.many and phrase.head not in MEASURES
                kind = "party" if several and self._is_hirer(clause, kind) else kind
                unknown = open_role and not kinds_of(phrase.text) and phrase.head not in MEASURES
                firm = open_role and clause.pattern != "dispatch" and is_business(phrase.head)
                firm = firm or is_done_for(clause, phrase, role)
                things = all(kinds_of(each.text)[:1] == ("thing",) for each in clause.roles.get(OBJECT, ()))
                to_staff = role == "to" and kind == "staff" and (things or clause.pattern != "roster")
                if firm or kind == "party" or to_staff or unknown or is_adjective_of_people(phrase, role):
                    self._add_party(phrase.text)
                    return phrase.text
        return ""

    @staticmethod
    def _is_hirer(clause: Clause, kind: str) -> bool:
        """ "rents lights to festivals", "hires props to productions": those to whom several go hold them."""
        return kind in ("event", "record") and clause.pattern in ("loan", "rental")

    def _process(self, clause: Clause, noun: str, party: str) -> PlannedProcess | None:
        """The process of a verb with one object, or the known one that it belongs to."""
        noun = self._plain(clause, noun)
        name = self._pattern(clause)
        pattern = patterns()[name]
        kind = kind_of_object(noun, name, clause.verb) if noun else ""
        booked = name == "booking" and ((kind == "party" and party not in ("", noun)) or kind == "staff")
        kind = "thing" if booked else kind  # "books bands for couples", "books instructors"
        if clause.verb == "put up" and kind in ("thing", "place", "stock"):  # so are guests, who stay
            name, pattern = "installation", patterns()["installation"]
            party = party or next((p.party for p in self.result.processes if p.object == noun), "")
        known = self._known(name, pattern, noun, clause.verb)
        known = known or self._moved(clause.verb, noun, kind) or self._of_shape(clause, noun)
        known = known or self._taken_in(name, noun)
        if known is not None:
            return self._with_known(clause, known, name, noun, party)
        if kind:
            self.result.kinds.setdefault(noun, kind)
        if (named := self._by_noun(clause, noun, kind, party)) is not None:
            return named
        name = sense_of(clause, name, kind)
        pattern = patterns()[name]
        name, pattern = suited(
            name, pattern, kind, noun, verb=clause.verb, given=bool(clause.roles.get("to"))
        )
        name = self._timed(clause, name, noun, kind)
        pattern = patterns()[name]
        worker = "staff" in kinds_of(noun) and not booked
        duty = self._duty(clause) if name == "roster" or (name == "incident" and worker) else ""
        sent = name == "incident" and party and party != noun and worker
        if name == "incident" and (duty or (sent and self._is_planned(clause))):
            name, pattern = "roster", patterns()["roster"]
        kind = "staff" if kind == "party" and (name == "roster" or sent) else kind
        if name == "roster":
            return self._rostered(clause, noun, kind, party, duty)
        served = name in _SERVING or clause.verb in OF_PASSENGERS
        kind = "party" if kind == "staff" and served and not party else kind
        if kind == "staff":
            self._role(noun)
            noun, kind = "", ""
        if kind == "party" and name != "match":
            return self._with_people(clause, pattern, name, noun)
        return self._with_object(clause, pattern, name, noun, kind, party)

    def _with_known(
        self, clause: Clause, known: PlannedProcess, name: str, noun: str, party: str
    ) -> PlannedProcess | None:
        """The process that takes the place of a known one, "takes in strays and rehomes them"; None where the
        verb only belongs to it."""
        more = known.name == NEUTRAL or (known.name, name) == ("collection", "cleaning")
        if not (more and name in _TELLING_MORE and known.object == noun):
            known.verbs.append(clause.verb)
            known.party = known.party or self._counterpart(clause, party)
            return None
        self.result.processes.remove(known)
        process = self._process(clause, noun, party or known.party)
        if process is not None:
            process.verbs.extend(known.verbs)
            process.terms.extend(known.terms)
        return process

    @staticmethod
    def _is_planned(clause: Clause) -> bool:
        """ "sends interpreters to schools": whether several are sent whatever happens there."""
        many = any(phrase.many for phrase in clause.roles.get(OBJECT, ()))
        return many and clause.verb == "send" and _HAPPENING.isdisjoint(clause.roles)

    def _rostered(self, clause: Clause, noun: str, kind: str, party: str, duty: str) -> PlannedProcess | None:
        """Who is assigned to what, or what to whom."""
        if kind == "staff" and party in self.result.parties and not kinds_of(noun):
            kind = "thing"  # "assigns stories to reporters", who work there
            self.result.parties.remove(party)
            self._role(party)
            party = ""
        self._role(noun) if kind == "staff" else None
        subject = duty or (noun if kind != "staff" else "")
        pattern = patterns()["roster"]
        return self._add(clause, pattern, "roster", noun, party, f"{noun} assignment".strip(), subject)


def _is_time(noun: str) -> bool:
    return "time" in kinds_of(noun)[:1]


def _is_ahead(phrase: NounPhrase) -> bool:
    """ "a week ahead": how long before."""
    first, _, last = phrase.text.partition(" ")
    return first in DAYS_OF and last in ("ahead", "before", "beforehand", "earlier", "later")


def is_abstract(noun: str) -> bool:
    """Whether a noun means nothing that records can keep."""
    return "abstract" in kinds_of(noun)[:1] and singular(noun).rpartition(" ")[2] in nouns()


def empty_reading(business: str) -> ScenarioReading:
    """A reading of which nothing is represented yet."""
    return ScenarioReading(business=business, processes=(), nouns={}, homes={})
