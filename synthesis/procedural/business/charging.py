"""Charging: clauses that only say what people pay for what is done anyway, and bills are a record of."""

from __future__ import annotations

from synthesis.procedural.business.deposits import is_security
from synthesis.procedural.business.pattern_choice import is_charge
from synthesis.procedural.business.planned import PlannedProcess, kind_of
from synthesis.procedural.business.process_planner import ProcessPlanner
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, Clause
from synthesis.procedural.sentence.inflection import gerund, singular
from synthesis.procedural.sentence.phrases import NounPhrase

_ASKING = frozenset(("charge", "bill", "invoice", "levy"))
"""Verbs by which a business asks those it serves for money, and pays none."""
_RECEIVING = frozenset(("charge", "collect", "take", "levy"))
_FEES = frozenset(("fee", "sub", "subs"))
"""What people pay for belonging somewhere or for what they get."""
_SECURING = frozenset(("take", "keep", "hold", "leave", "collect", "track", "pay", "ask", "require", "put"))
"""Verbs that say no more of a deposit than that it is left."""
_MORE = frozenset(("double", "extra", "half", "more", "less", "triple", "surcharge", "premium", "supplement"))
"""What is said of a price and is nothing that is charged for."""
_GOODS = frozenset(("thing", "stock", "place", "money", "party", "staff"))
"""Kinds of nouns that something is charged for by itself; others are cases in which more is charged."""
_UNPAID = frozenset(("purchase", "roster", "billing", "disruption"))
"""Patterns of what nobody who is served pays for."""
_EACH = frozenset(("each", "every", "per"))
_RATES = frozenset(("by", "per", OFTEN))


def is_asking(clause: Clause) -> bool:
    """Whether a clause may say only what people pay: it is read behind those that say what for."""
    objects = clause.roles.get(OBJECT, [])
    people = any(kind_of(phrase.text, "") == "party" for phrase in objects)
    fees = any(phrase.head in _FEES or is_security(phrase.text) for phrase in objects)
    return fees or (clause.verb.partition(" ")[0] in _ASKING and not people)


def _is_case(phrase: NounPhrase, *, held: bool) -> bool:
    """ "double", "no-shows", and of what is lent "fines": whether a noun is no price and nothing bought."""
    charge = is_charge(phrase.text) and not (held and phrase.head == "fine")
    return phrase.head in _MORE or (not charge and kind_of(phrase.text, "record") not in _GOODS)


class ChargingPlanner(ProcessPlanner):
    """A plan in which what people pay is no process beside those that they pay for."""

    def _only_charges(self, clause: Clause) -> bool:
        """ "and is charged per metre", "charges double on Sundays", "collects fees", "leaves a deposit"."""
        paid = [each for each in self.result.processes if each.name not in _UNPAID]
        if not paid:
            return False
        return self._charges_for(clause, paid) or self._collects(clause) or self._secures(clause)

    def _charges_for(self, clause: Clause, paid: list[PlannedProcess]) -> bool:
        """ "storage is charged per metre", "charges for no-shows": what the price of a process goes by, or a
        case in which more is charged, which is reported."""
        verb, _, behind = clause.verb.partition(" ")
        if verb not in _ASKING or clause.agent is not None or not {"", "for"} >= {behind}:
            return False
        objects = clause.roles.get(OBJECT, [])
        about = next((each for each in paid if self._is_what_is_done(each, objects)), None)
        if not objects and not behind:  # "and invoice monthly"
            about = paid[-1]
        if about is not None:
            rates = {role: named for role, named in clause.roles.items() if role in _RATES}
            self._rate(clause, rates, about)
            return True
        held = any(each.pattern.shape == "hold" for each in paid)
        cases = objects and all(_is_case(phrase, held=held) for phrase in objects)
        if not cases or any(clause.roles.get(role) for role in _RATES):
            return False
        self._state_whole(clause)
        return True

    @staticmethod
    def _is_what_is_done(process: PlannedProcess, objects: list[NounPhrase]) -> bool:
        """Whether what is charged is a process that was planned: its records, or its verb as a noun."""
        called = {process.record, process.record.rpartition(" ")[2], process.name, gerund(process.verb)}
        return bool(objects) and all(phrase.text in called for phrase in objects)

    def _collects(self, clause: Clause) -> bool:
        """ "collects membership fees": what the bills of a world are called, and the rows are."""
        objects = clause.roles.get(OBJECT, [])
        let = any(each.monthly for each in self.result.processes)
        fees = [phrase for phrase in objects if phrase.head in _FEES or (let and phrase.text == "rent")]
        times = [phrase for phrase in objects if phrase not in fees]  # "collects fees each term"
        often = all(each.determiner in _EACH or kind_of(each.text, "") == "time" for each in times)
        if clause.verb not in _RECEIVING or not fees or not often:
            return False
        if any(phrase.head in _FEES for phrase in fees):
            self.result.charge = self.result.charge or "fee"
        qualified = [phrase for phrase in fees if len(phrase.text.split()) > 1]
        for phrase in qualified:
            self._report(phrase, "")
        silent = (token for phrase in fees if phrase not in qualified for token in phrase.tokens)
        self.parse.silent.extend(silent)
        self._report_all((each, "") for each in (*times, *clause.roles.get(OFTEN, ())))
        about = self.result.processes[0]
        rates = {role: named for role, named in clause.roles.items() if role in ("by", "per")}
        self._rate(clause, rates, about)
        for role in ("from", "to", "for"):
            for phrase in clause.roles.get(role, ()):
                self._person(phrase.text) if kind_of(phrase.text, "party") == "party" else None
        return True

    def _secures(self, clause: Clause) -> bool:
        """ "and leave a deposit": what is reported where nothing is lent or let that has a security."""
        objects = clause.roles.get(OBJECT, [])
        secured = objects and all(is_security(phrase.text) for phrase in objects)
        held = any(each.pattern.shape == "hold" for each in self.result.processes)
        if clause.verb.partition(" ")[0] not in _SECURING or not secured or held:
            return False
        if clause.agent is not None:
            self._person(self._known_as(clause.agent))
        self._state_whole(clause)
        return True

    def _rate(self, clause: Clause, rates: dict[str, list[NounPhrase]], process: PlannedProcess) -> None:
        """Note by what a process is paid for; what else is said of that is reported."""
        self._roles(Clause(clause.verb, rates), process.party, process)
        self.parse.silent.extend(clause.tokens)
        for state in clause.states:
            self.parse.note_statement(token for token in self.parse.tokens if singular(token.word) == state)
        left = [(each, role) for role, named in clause.roles.items() if role not in rates for each in named]
        self._report_all(
            (each, role) for each, role in left if role not in (OBJECT, OFTEN, "from", "to", "for")
        )
