"""Rule planner: clauses that state rules, or what people are called, and plan nothing that is done."""

from __future__ import annotations

from synthesis.procedural.business.companions import companion_of
from synthesis.procedural.business.earlier import EarlierPlanner
from synthesis.procedural.business.implied import implied_clauses, is_school, offered_clauses
from synthesis.procedural.business.object_kinds import EXPECTED
from synthesis.procedural.business.pattern_choice import OF_PEOPLE, pattern_of_clause
from synthesis.procedural.business.patterns import patterns
from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.business.role_planner import MEASURES
from synthesis.procedural.business.senses import TAKING
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.lexicon import NEUTRAL, kinds_of, verbs
from synthesis.procedural.sentence.limits import RULING
from synthesis.procedural.sentence.worded_rules import is_denied, is_of_nobody

_BOUNDING = frozenset(
    [
        *("than", "over", "under", "above", "below", "after", "before", "within", "beyond", "until"),
        *("unless", "if", "when", "while", "except", "only", "without", "on"),
    ]
)
"""Words by which a denial holds only beyond something."""
_VALUING = frozenset(("value", "appraise"))
CARRYING = frozenset(("dispatch", "collection"))
_SERVICES = CARRYING | {"care", "repair", "cleaning", "treatment", "inspection", "incident", "installation"}
"""Patterns of what people do for others, and not for themselves."""


class RulePlanner(EarlierPlanner):
    """A plan whose sentence may state rules."""

    def _only_rules(self, clause: Clause, before: list[Clause]) -> bool:
        """Whether a clause only states a rule of what is done anyway: "allows loans of up to 21 days"."""
        limited = {token for limit in self.result.limits for token in limit.times}
        named = [phrase for phrases in clause.roles.values() for phrase in phrases]
        if clause.verb in RULING and any(limited & set(phrase.tokens) for phrase in named):
            return bool(before)
        if before and clause.tokens and OBJECT not in clause.roles:
            verb = self.parse.tokens.index(clause.tokens[0])
            if is_of_nobody(self.parse.tokens, verb):  # "nobody may keep one longer than five days"
                self.parse.silent.extend(clause.tokens)
                return True
        ages = any(
            limit.kind in ("age", "only") for limit in self.result.limits
        )  # "nobody under 16 may rent"
        return ages and not named and any(each.verb == clause.verb for each in before)

    def _only_handles(self, clause: Clause, objects: list[str], agent: str) -> bool:
        """ "groups beginners by age", "bans troublemakers": what is done to people by a verb of which nothing
        is recorded, where the sentence says what else is done."""
        phrases = clause.roles.get(OBJECT, [])
        measured = bool(phrases) and all(each.head in MEASURES for each in phrases)  # "attended 80%"
        passes = clause.verb == "pass" and "to" not in clause.roles  # "passes a test", "a year has passed"
        passes = passes and (not objects or kind_of(objects[0], "") == "record")
        if self.result.processes and (measured or passes):
            self._state_whole(clause)
            return True
        if self.result.processes and (clause.verb, objects) == ("give", ["notice"]):
            self._state_whole(clause)  # "gives notice to anyone who leaves theirs overgrown"
            return True
        people = bool(objects) and all(kind_of(noun, "") == "party" for noun in objects)
        people = people and clause.verb not in OF_PEOPLE
        listed = clause.verb in verbs() and verbs()[clause.verb] != NEUTRAL
        if agent or not people or listed or self._pattern(clause) != NEUTRAL or not self._says_more(clause):
            return False
        if clause.verb in TAKING or any(self._moved(clause.verb, noun, "party") for noun in objects):
            return False
        for noun in objects:
            self._person(noun)
        self._state_whole(clause)
        return True

    def _with_implied(self, clauses: list[Clause]) -> list[Clause]:
        """The clauses with what a business does that only lists its services, or says only what it is."""
        if offered := offered_clauses(self.parse.offers):
            self.parse.clauses[:0] = offered
            return [*offered, *clauses]
        if any(map(self._says_what_is_done, clauses)) and not self._only_sorts(clauses):
            return clauses
        implied = implied_clauses(self.result.business, self.parse.extras)
        self.parse.clauses[:0] = implied if clauses else ()
        return [*implied, *clauses]

    def _only_sorts(self, clauses: list[Clause]) -> bool:
        """Whether the sentence of a school says only what it does with those who learn there: "groups
        children by level", "tests newcomers"."""
        if not is_school(self.result.business):
            return False
        own = [each for each in clauses if each.agent is None and each.roles.get(OBJECT)]
        about = [{kind_of(phrase.text, "thing") for phrase in each.roles[OBJECT]} for each in own]
        seated = any(
            (known := patterns().get(pattern_of_clause(each))) is not None and known.shape == "seat"
            for each in clauses
        )
        people = any("party" in kinds for kinds in about)
        return people and all(kinds <= {"party", "record"} for kinds in about) and not seated

    def _name_required(self) -> None:
        """Call those who are served as a requirement calls them: "readers must be registered"."""
        for limit in self.result.limits:
            head = limit.noun.rpartition(" ")[2]
            nameless = [process for process in self.result.processes if not process.party]
            known = [process for process in self.result.processes if head in (process.party, process.item)]
            if limit.proof is None or known or not nameless or kinds_of(head)[:1] != ("party",):
                continue
            nameless[0].party = head
            self._add_party(head)

    def _silence(self, clause: Clause) -> None:
        """Leave out the words of a clause that only the rule it is in reports."""
        named = [token for phrases in clause.roles.values() for phrase in phrases for token in phrase.tokens]
        agent = clause.agent.tokens if clause.agent else ()
        described = {word for state in clause.states for word in state.split()}
        apart = (token for token in self.parse.tokens if token.word in described)
        self.parse.silent.extend((*clause.tokens, *named, *agent, *apart))

    def _call_otherwise(self) -> None:
        """Call people as the business does: customers who are agents to it."""
        called, result = self.parse.called, self.result
        for process in result.processes:
            process.party = called.get(process.party, process.party)
        result.parties = list(dict.fromkeys(called.get(noun, noun) for noun in result.parties))
        result.parties += [noun for noun in called.values() if noun not in result.parties]
        result.kinds |= dict.fromkeys(called.values(), "party")

    def _works_there(self, clause: Clause, agent: str) -> bool:
        """ "riders carry blood": whether those who a sentence without a business is about do its work."""
        business, first = self.parse.business, self.parse.clauses[0].agent if self.parse.clauses else None
        joint = business is not None and not business.tokens and first is not None and first.text == agent
        return joint and "staff" in kinds_of(agent) and clause.pattern in _SERVICES

    def _is_left_undone(self, clause: Clause) -> bool:
        """Whether a clause says what is not done, "never bills anyone", which the world has no process for;
        with a bound it says what is done within that: "lends no book for more than three weeks"."""
        tokens = self.parse.tokens
        first = clause.tokens[0] if clause.tokens else None
        verb = next((at for at, token in enumerate(tokens) if token is first), -1)
        objects = clause.roles.get(OBJECT, ())
        none = bool(objects) and all(phrase.determiner == "no" for phrase in objects)  # "refunds no tickets"
        if verb < 0 or not (clause.denied or none or is_denied(tokens, verb)):
            return False
        named = [token for phrases in clause.roles.values() for phrase in phrases for token in phrase.tokens]
        ends = max((token.place for token in named), default=tokens[verb].place)
        behind = [token.word for token in tokens if tokens[verb].place < token.place <= ends + 2]
        if clause.pattern != NEUTRAL and not _BOUNDING.isdisjoint(behind):
            return False
        self._silence(clause)
        return True

    def _pattern(self, clause: Clause) -> str:
        """The pattern of a clause; what is valued where nothing is auctioned is only valued."""
        auctions = any(token.word.startswith(("auction", "bid")) for token in self.parse.tokens)
        return NEUTRAL if clause.verb in _VALUING and not auctions else pattern_of_clause(clause)

    def _companion(self) -> None:
        each = companion_of(self.result)
        if each is None:
            return
        pattern = patterns()[each.pattern]
        kind = kind_of(each.noun, EXPECTED[pattern.shape])
        self.result.kinds.setdefault(each.noun, kind)
        self._with_object(Clause(each.verb), pattern, each.pattern, each.noun, kind, each.party)
