"""Resources: what a sentence says the business has and where it works, which is no process of its own."""

from __future__ import annotations

from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.business.role_planner import RolePlanner
from synthesis.procedural.business.senses import (
    count_of,
    is_getting_paid,
    is_means,
    owned,
    visited_for,
)
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.lexicon import is_listed, kinds_of
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.stated_prices import prices_of

_MOST_STAFF = 30


class ResourcePlanner(RolePlanner):
    """A plan of a business that has things and people, and comes to those whom it serves."""

    def _is_aside(self, clause: Clause) -> bool:
        """Whether a clause is no process of its own, and what it says of the others is noted."""
        return any(
            noted(clause) for noted in (self._only_has, self._only_pays, self._only_sends, self._only_prices)
        )

    def _only_has(self, clause: Clause) -> bool:
        """Whether a clause only says what the business has, "keeps twelve ponies", which is noted."""
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
        works = kind == "staff" or (kind == "party" and not is_listed(phrase.text))
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

    @staticmethod
    def _states(clause: Clause) -> list[str]:
        """In what state its things are; "and is paid in cash" says that of nothing."""
        means = any(is_means(phrase.text) for phrases in clause.roles.values() for phrase in phrases)
        return [state for state in clause.states if not (means and state == "paid")]

    def _only_pays(self, clause: Clause) -> bool:
        """ "collects the money at the door": whether a clause says no more than that people pay."""
        if not is_getting_paid(clause) or not self.result.processes:
            return False
        named = [token for phrases in clause.roles.values() for phrase in phrases for token in phrase.tokens]
        self.parse.silent.extend((*clause.tokens, *named))
        return True

    def _only_sends(self, clause: Clause) -> bool:
        """ "takes bookings and sends a driver": whether a clause says only who does what is booked."""
        objects = clause.roles.get(OBJECT, [])
        somebody = len(objects) == 1 and not objects[0].many and "staff" in kinds_of(objects[0].text)
        if clause.verb != "send" or not somebody or len(clause.roles) > 1 or not self.result.processes:
            return False
        self._role(objects[0].text)
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

    def _elsewhere(self, clause: Clause) -> bool:
        """Whether the sentence says something else, too, that the business does."""
        return any(each is not clause for each in self.parse.clauses)

    def _resource(self, noun: str, count: int) -> None:
        self.result.resources.setdefault(noun, count)
        self.result.kinds.setdefault(noun, "thing")
