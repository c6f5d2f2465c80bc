"""Resources: what a sentence says the business has and where it works, which is no process of its own."""

from __future__ import annotations

from dataclasses import replace

from synthesis.procedural.business.bringing import is_left_there
from synthesis.procedural.business.deposits import is_security
from synthesis.procedural.business.pattern_choice import LIGHT, is_charge, pattern_of_clause
from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.business.role_planner import RolePlanner
from synthesis.procedural.business.senses import (
    count_of,
    is_getting_paid,
    is_herd,
    is_means,
    owned,
    visited_for,
)
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, TELLING, Clause
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_listed, kinds_of, verbs
from synthesis.procedural.sentence.modifiers import condition_of, words_behind
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.stated_prices import prices_of
from synthesis.procedural.sentence.tokens import STATIVE

_BILLING = {"bill": "bill", "invoice": "invoice"}
"""Verb to what those are sent of whom a clause says only that they are billed."""
_OWN = frozenset(("its", "our"))
_OFFERING = frozenset(("run", "offer", "operate", "provide"))
_SERVICES = frozenset(("service", "scheme", "project", "operation"))
_MOST_STAFF = 30


class ResourcePlanner(RolePlanner):
    """A plan of a business that has things and people, and comes to those whom it serves."""

    def _is_aside(self, clause: Clause) -> bool:
        """Whether a clause is no process of its own, and what it says of the others is noted."""
        of_money = (self._only_pays, self._is_paid_by, self._only_bills, self._only_prices)
        of_people = (
            self._only_sends,
            self._is_their_own,
            self._only_needs,
            self._only_runs,
            self._only_queues,
        )
        return any(noted(clause) for noted in (self._only_has, *of_money, *of_people))

    def _only_has(self, clause: Clause) -> bool:
        """Whether a clause only says what the business has, "keeps twelve ponies", which is noted."""
        if is_herd(clause) and self._elsewhere(clause):
            named = [token for phrases in clause.roles.values() for each in phrases for token in each.tokens]
            self.parse.note_statement((*clause.tokens, *named))
            return True
        units = owned(clause, self.parse.tokens)
        kinds = [kind_of(phrase.text, "thing") for phrase, _ in units]
        if not units or not self._elsewhere(clause) or not all(kind == "thing" for kind in kinds):
            return False
        for phrase, count in units:
            self._resource(phrase.text, count)
        self.parse.silent.extend(clause.tokens)
        return True

    def _is_counted(self, phrase: NounPhrase) -> bool:
        """ "has five instructors and eight cars": whether a phrase says how many there are, and is noted."""
        count = count_of(phrase, self.parse.tokens)
        if not count or self._is_used(phrase.text) or phrase.text in self.result.parties:
            return False
        kind = kind_of(phrase.text, "thing")
        kind = "thing" if kind == "stock" else kind
        works = "staff" in kinds_of(phrase.text) or (kind == "party" and not is_listed(phrase.text))
        if works and count <= _MOST_STAFF:
            self._role(phrase.text)
            return True
        if kind != "thing":
            return False
        self._resource(phrase.text, count)
        return True

    def _only_visits(self, clause: Clause, following: Clause | None) -> bool:
        """ "visits schools and tunes pianos": whether a clause says for whom the next one is done."""
        visited = visited_for(clause, following)
        served = all({"party", "business"} & {*kinds_of(noun)} for noun in visited)
        if not visited or not served or following is None:
            return False
        for noun in visited:
            self._add_party(noun)
        following.roles.setdefault("for", []).extend(NounPhrase(noun, (), 0, many=True) for noun in visited)
        called = {phrase.text for phrase in clause.roles[OBJECT]} - {*visited}
        otherwise = [p for p in clause.roles[OBJECT] if p.text in called]
        self.parse.silent.extend((*clause.tokens, *(token for p in otherwise for token in p.tokens)))
        return True

    def _states(self, clause: Clause) -> list[str]:
        """In what state its things are; "and is paid in cash" says that of nothing, and what people do,
        "come back", is only reported."""
        means = any(is_means(phrase.text) for phrases in clause.roles.values() for phrase in phrases)
        states = [state for state in clause.states if not (means and state == "paid")]
        for state in states:
            if not condition_of(state):
                self.parse.note_statement(words_behind(self.parse.tokens, clause.tokens[:1], state))
        return [condition for state in states if (condition := condition_of(state))]

    def _only_pays(self, clause: Clause) -> bool:
        """ "collects the money at the door": whether a clause says no more than that people pay."""
        if not is_getting_paid(clause) or not self.result.processes:
            return False
        named = [token for phrases in clause.roles.values() for phrase in phrases for token in phrase.tokens]
        self.parse.silent.extend((*clause.tokens, *named))
        return True

    def _is_paid_by(self, clause: Clause) -> bool:
        """ "parents pay at the start of the term": whether those who are served pay for what is done anyway,
        of which the charges are a record."""
        agent = clause.agent
        kinds = ("money", "time")  # "pay 25 a day"
        money = all(is_charge(p.text) or kind_of(p.text, "") in kinds for p in clause.roles.get(OBJECT, ()))
        if clause.verb != "pay" or agent is None or not money or not self.result.processes:
            return False
        if "party" not in kinds_of(agent.text) and agent.text not in self.result.parties:
            return False
        self._person(agent.text)
        held = next((each for each in self.result.processes[::-1] if each.pattern.shape == "hold"), None)
        rates = {role: clause.roles.pop(role) for role in ("by", "per") if clause.roles.get(role)}
        self._roles(replace(clause, roles=rates), agent.text, self._last())
        for state in clause.states:
            self.parse.note_statement(words_behind(self.parse.tokens, clause.tokens[:1], state))
        phrases = [(each, role) for role, named in clause.roles.items() for each in named]
        secured = [each for each, _ in phrases if self._is_deposit(each, held)]
        self.parse.silent.extend((*clause.tokens, *(token for each in secured for token in each.tokens)))
        left = ((each, role) for each, role in phrases if each not in secured)
        self._report_all((each, role) for each, role in left if not self._is_used(each.text))
        return True

    def _is_their_own(self, clause: Clause) -> bool:
        """ "regulars get every tenth manicure free": whether those who are served do what no record keeps, of
        nothing that the business does something to; they and their words are noted."""
        agent, objects = clause.agent, clause.roles.get(OBJECT, [])
        served = agent is not None and kinds_of(agent.text)[:1] == ("party",)
        if agent is None or not served or pattern_of_clause(clause) != NEUTRAL:
            return False
        passes = clause.verb == "pass"  # "pupils who pass"
        listed = verbs().get(clause.verb) == NEUTRAL or clause.verb in STATIVE or passes
        listed = listed and (bool(objects) or passes)
        if clause.verb in LIGHT - {"get"} or not listed or not self._says_more(clause):
            return False
        if is_left_there(clause) or any(is_security(each.text) for each in objects):
            return False
        if any(self._is_used(each.text) or each.text in self._of_business() for each in objects):
            return False
        self._person(agent.text)
        self.parse.silent.extend(clause.tokens)
        self._report_all((each, role) for role, named in clause.roles.items() for each in named)
        return True

    def _only_tells_us(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """ "customers tell us about stairs": people who are known, and what they say is reported."""
        if clause.pattern != TELLING or not agent or objects or "for" in clause.roles:
            return False
        self._person(agent)
        self.parse.silent.extend(clause.tokens)
        for state in clause.states:
            self.parse.note_statement(words_behind(self.parse.tokens, clause.tokens[:1], state))
        self._report_all((each, role) for role, named in clause.roles.items() for each in named)
        return True

    def _only_runs(self, clause: Clause) -> bool:
        """ "runs a delivery service: drivers take books to people": whether a clause only names what the
        others tell of, which is in no table of its own."""
        objects = clause.roles.get(OBJECT, [])
        named = len(objects) == 1 and objects[0].head in _SERVICES and not objects[0].many
        offers = clause.agent is None and clause.verb in _OFFERING
        if not (offers and named and self._elsewhere(clause)):
            return False
        self.parse.note_statement((*clause.tokens, *objects[0].tokens))
        return True

    def _only_needs(self, clause: Clause) -> bool:
        """ "we need one adult for every six kids", "and locks its doors at eleven": what the business only
        wants, or does to what is its own, which is reported."""
        objects = clause.roles.get(OBJECT, [])
        own = bool(objects) and all(each.determiner in _OWN for each in objects)
        unknown = own and clause.pattern == NEUTRAL and clause.verb not in verbs()  # "locks its doors"
        stands = clause.pattern in ("storage", "stay") and not objects  # "parks at offices"
        wants = clause.verb in STATIVE or unknown or stands
        if not wants or clause.agent is not None or not self._says_more(clause):
            return False
        self.parse.silent.extend(clause.tokens)
        self._report_all((each, role) for role, named in clause.roles.items() for each in named)
        return True

    def _says_more(self, clause: Clause) -> bool:
        """Whether another clause says what the business does, by a verb that is known."""
        return any(
            each is not clause and each.pattern not in (NEUTRAL, TELLING) for each in self.parse.clauses
        )

    def _of_business(self) -> set[str]:
        """What the business does something to."""
        own = (each for each in self.parse.clauses if each.agent is None)
        return {phrase.text for each in own for phrase in each.roles.get(OBJECT, ())}

    def _only_bills(self, clause: Clause) -> bool:
        """ "the dealers get billed monthly": whether a clause says only who is sent bills for what is done
        anyway, of which the charges are a record."""
        objects = clause.roles.get(OBJECT, [])
        people = bool(objects) and all(kind_of(each.text, "party") == "party" for each in objects)
        more = clause.states or "for" in clause.roles or clause.agent is not None
        served = {each.party for each in self.result.processes if each.party}
        others = served - {each.text for each in objects}  # children are taught, and parents are billed
        if clause.verb not in _BILLING or more or not people or others or not self.result.processes:
            return False
        for each in objects:
            self._add_party(each.text)
        self.result.charge = self.result.charge or _BILLING[clause.verb]
        rates = {role: named for role, named in clause.roles.items() if role in ("by", "per", OFTEN)}
        self._roles(replace(clause, roles=rates), objects[0].text, self.result.processes[0])
        self.parse.silent.extend(clause.tokens)
        left = [(each, role) for role, named in clause.roles.items() if role not in rates for each in named]
        self._report_all((each, role) for each, role in left if role != OBJECT)
        return True

    def _only_sends(self, clause: Clause) -> bool:
        """ "takes bookings and sends a driver": whether a clause says only who does what is booked."""
        objects = clause.roles.get(OBJECT, [])
        somebody = bool(objects) and all(not p.many and "staff" in kinds_of(p.text) for p in objects)
        if clause.verb != "send" or not somebody or len(clause.roles) > 1 or not self.result.processes:
            return False
        for phrase in objects:
            self._role(phrase.text)
        self.parse.silent.extend(clause.tokens)
        return True

    def _only_prices(self, clause: Clause) -> bool:
        """ "charges £40 an hour": whether a clause says only what an hour costs, which is a rule."""
        named = [phrase for phrases in clause.roles.values() for phrase in phrases]
        stated = {token for price in prices_of(self.parse.tokens) for token in price.tokens}
        times = bool(named) and all("time" in kinds_of(phrase.text)[:1] for phrase in named)
        only = times and all(stated.issuperset(phrase.tokens) for phrase in named)
        if clause.pattern != "billing" or not only or not self.result.processes:
            return False
        self.parse.silent.extend((*clause.tokens, *(token for phrase in named for token in phrase.tokens)))
        return True

    def _only_queues(self, clause: Clause) -> bool:
        """ "keeps a waiting list": whether a clause says only that people wait for places, as they do."""
        objects = [phrase.text for phrase in clause.roles.get(OBJECT, ())]
        places = any(process.pattern.shape == "seat" for process in self.result.processes)
        if not places or objects != ["waiting list"] or not {*clause.roles} <= {OBJECT, "for", "of"}:
            return False
        named = [token for phrases in clause.roles.values() for phrase in phrases for token in phrase.tokens]
        self.parse.silent.extend((*clause.tokens, *named))
        return True

    def _elsewhere(self, clause: Clause) -> bool:
        """Whether the sentence says something else, too, that the business does."""
        return any(each is not clause for each in self.parse.clauses)

    def _resource(self, noun: str, count: int) -> None:
        self.result.resources.setdefault(noun, count)
        self.result.kinds.setdefault(noun, "thing")
