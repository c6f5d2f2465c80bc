"""Role planner: where a plan keeps what a clause says beside its verb: people, places, times, manners."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from synthesis.procedural.business.deposits import CURRENCIES, is_security, note_deposit
from synthesis.procedural.business.pattern_choice import is_to_measure
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.business.senses import is_at_payment, is_container
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, Clause, Parse
from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import is_business, is_listed, kinds_of
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.stated_prices import prices_of
from synthesis.procedural.sentence.tokens import CONJUNCTIONS, DETERMINERS, PREPOSITIONS, SentenceToken
from synthesis.procedural.sentence.word_lists import word_list

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
    "down",
)
_WHERE = frozenset(("in", "at", "above", "below", "behind", "beside", "inside", "outside", "near", "under"))
_SITED = frozenset(("in", "at", "on", "near", "by", "beside", "along"))
_AREAS = frozenset(word_list("areas"))
MEASURES = frozenset(word_list("measures"))
"""Units in which things are measured: "boats of up to 40 feet" are for nobody called foot."""
COLLECTIVES = frozenset(("group", "pair", "team", "shift", "batch", "turn", "stage"))
"""What people are, or work is, divided into."""
_WHEN = frozenset(("before", "after", "until", "till"))
"""Prepositions before which one thing without an article says when: "after school"."""
_MANNER = frozenset(("in", "at", "before", "after", "until", "till", "by", "on", "under"))


_NOWHERE = frozenset(("place", "home", "house", "street", "way"))
"""Nouns of places that say nothing of where a business is."""
_OF_KINDS = frozenset(("of", "with"))
"""Prepositions behind which it stands what kind something before them is of."""
_MOST_LEADING = 3
"""Words before a noun that are reported with it."""
_NEAR = 4
"""Words behind a noun among which what else a phrase says of it stands."""


def _is_somewhere(noun: str, role: str) -> bool:
    """Whether a noun says where a business is or goes: "delivers to homes", not "visits families at home"."""
    return role == "to" or noun not in _NOWHERE


def _may_be_place(phrase: NounPhrase) -> bool:
    """Whether an unknown noun behind "in" or "at" can be a place: "in barns", not "in a padded box"."""
    last = phrase.tokens[-1] if phrase.tokens else None
    parts = lemmas(last.word) if last is not None else {}
    is_noun = not parts or ("NOUN" in parts and "ADJ" not in parts)
    plain = all(singular(token.word) == token.word for token in phrase.tokens[:-1])
    return is_noun and plain and not is_container(phrase.head)


def _is_manner(phrase: NounPhrase, role: str) -> bool:
    """Whether a noun says when or how, "at dawn", "by post": one thing without an article."""
    bare = bool(phrase.tokens) and not phrase.many and not phrase.determiner and len(phrase.tokens) == 1
    known = set(kinds_of(phrase.text)) - {"abstract"} if is_listed(phrase.text) else set()
    when = role in _WHEN or (role == "in" and kinds_of(phrase.text)[:1] == ("party",))
    if role == "in" and phrase.many and not phrase.determiner and phrase.head in COLLECTIVES:
        return True  # "in small groups"
    away = role == "on" and known in ({"event"}, {"record"})  # "while owners are on holiday", "on return"
    return bare and role in _MANNER and (not known or when or away or (role == "by" and "staff" not in known))


def is_adjective_of_people(phrase: NounPhrase, role: str) -> bool:
    """ "for regulars", "to the housebound": whether an adjective alone is people."""
    alone = len(phrase.tokens) == 1 and not kinds_of(phrase.text) and role in ("for", "to")
    parts = lemmas(phrase.head)
    all_of_them = phrase.determiner == "the" and "NOUN" not in parts
    return alone and "ADJ" in parts and (phrase.many or all_of_them)


def _kind_in_role(noun: str, role: str) -> str:
    """The kind of a noun behind a preposition: villages in which something is done are places."""
    if role == "in" and {"party", "business"} <= set(kinds_of(noun)):
        return "place"
    return kind_of(noun, "place" if role in _WHERE else "thing")


class RolePlanner:
    """A plan while it is made, with what has no table of its own.

    Args:
        parse: The parsed sentence.
    """

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.result = BusinessPlan(business=parse.business.text if parse.business else "company")
        self.given: dict[str, str] = {}
        """By a noun of the sentence, "donated furniture": what it is called without that it is given."""
        self.reason_of: dict[str, PlannedProcess] = {}
        """By what something is called off or done for: the process of its clause."""

    def _last(self) -> PlannedProcess | None:
        return self.result.processes[-1] if self.result.processes else None

    def _add_party(self, noun: str) -> None:
        if noun not in self.result.parties:
            self.result.parties.append(noun)
        self.result.kinds[noun] = "party"

    def _person(self, noun: str) -> None:
        if noun in self.result.parties or noun in self.result.roles:
            return
        kinds = kinds_of(noun)
        if "staff" in kinds and "party" not in kinds[:1]:
            self._role(noun)
        else:
            self._add_party(noun)

    def _known_as(self, phrase: NounPhrase) -> str:
        """ "the nearest free driver": what those are called who were named before, by the last word alone."""
        named = [*self.result.parties, *self.result.roles, *(each.text for each in self.parse.extras)]
        again = phrase.determiner == "the" and phrase.text not in named and phrase.head in named
        self.parse.silent.extend(phrase.tokens[:-1] if again else ())
        return phrase.head if again else phrase.text

    def _role(self, noun: str) -> None:
        if noun not in self.result.roles and noun not in ("staff", "worker", "team"):
            self.result.roles.append(noun)
        self.result.kinds[noun] = "staff"

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
                if phrase.text in (party, self.result.business) or self._is_noted(phrase, process, role):
                    continue
                if process is not None and role in ("by", "per"):
                    process.rated.append(phrase.text)
                measured = phrase.head in MEASURES or is_to_measure(role, phrase.text)
                if is_adjective_of_people(phrase, role):
                    self._add_party(phrase.text)
                # "moves them between groups", "up a group"
                apart = role in ("between", "up", "down") and phrase.head in COLLECTIVES
                timed = role == "during" or _is_manner(phrase, role)
                if process is not None and (measured or apart or timed):
                    process.terms.append(phrase.text)
                    continue
                if role in ("to", "for") and self._is_among_parties(phrases, phrase, party):
                    self._add_party(phrase.text)  # "issues extracts to owners, banks and lawyers"
                    continue
                if self._is_site(phrase, role) or self._is_base(phrase, role, process):
                    continue
                self._role_of(phrase, role, process)

    def _is_noted(self, phrase: NounPhrase, process: PlannedProcess | None, role: str) -> bool:
        """Whether a phrase is kept elsewhere: in a table, a limit ("two a week"), a deposit, a price, or how
        people pay."""
        limited = {token for limit in self.result.limits for token in limit.times}
        if self._is_used(phrase.text) or not limited.isdisjoint(phrase.tokens):
            return True
        sold = process is not None and process.pattern.shape == "supply" and self._is_sold_by(phrase)
        if sold or is_at_payment(role, phrase.text):
            self.parse.silent.extend(phrase.tokens)
            return True
        if process is not None and self._is_come_for(phrase, role, process):
            self._further(phrase.text, process)
            return True
        return singular(phrase.head) in CURRENCIES or self._is_deposit(phrase, process)

    def _is_come_for(self, phrase: NounPhrase, role: str, process: PlannedProcess) -> bool:
        """ "takes appointments for haircuts": whether a phrase says what people come for."""
        kinds = set(kinds_of(phrase.text)[:1])
        somebody = kinds & {"party", "staff", "business", "time"} or phrase.text in self.result.parties
        timed = phrase.head in MEASURES or phrase.determiner == "the"
        return process.name == "appointment" and role == "for" and not somebody and not timed

    def _is_sold_by(self, phrase: NounPhrase) -> bool:
        """ "honey at £6 a jar": whether a phrase is only in what something is sold at a price."""
        stated = {token for price in prices_of(self.parse.tokens) for token in price.tokens}
        times = kinds_of(phrase.text)[:1] == ("time",) or phrase.head in MEASURES
        return bool(phrase.tokens) and stated.issuperset(phrase.tokens) and not times

    def _is_deposit(self, phrase: NounPhrase, process: PlannedProcess | None) -> bool:
        """ "against a deposit": whether a phrase is a security for what is lent, and is noted as one."""
        held = process is not None and process.pattern.shape == "hold"
        if process is None or not held or not is_security(phrase.text):
            return False
        note_deposit(process, self.parse.tokens)
        return True

    def _is_site(self, phrase: NounPhrase, role: str = "") -> bool:
        """Whether a phrase says where the business is as a whole, "in the old town", and is noted as that.

        Args:
            phrase: What may be such a place.
            role: The preposition before it; that in the text where none is given.
        """
        if phrase.determiner != "the" or phrase.many or phrase.head not in _AREAS:
            return False
        before = self.parse.tokens.index(phrase.tokens[0]) - 2
        role = role or (self.parse.tokens[before].word if before >= 0 else "")
        if role not in _SITED:
            return False
        self.result.kinds.setdefault(phrase.text, "place")
        self.result.sites.append((role, phrase.text))
        return True

    def _is_base(self, phrase: NounPhrase, role: str, process: PlannedProcess | None) -> bool:
        """ "charters boats from two marinas": whether a business is where something is lent or let, and is
        noted as that."""
        held = process is not None and process.pattern.shape in ("hold", "slot")
        if role != "from" or not held or not is_business(phrase.head) or self.result.places:
            return False
        self.result.places.append(phrase.text)
        self.result.kinds[phrase.text] = "place"
        return True

    @staticmethod
    def _is_among_parties(phrases: list[NounPhrase], phrase: NounPhrase, party: str) -> bool:
        """Whether several are named in one list behind those who are served, "festivals and building sites";
        those who work somewhere, too."""
        first, known = kinds_of(phrases[0].text)[:1], kinds_of(phrase.text)
        if len(phrases) < 2 or not phrase.many or not phrases[0].many:
            return False
        served = phrases[0].text == party and bool({"staff", "place", "business", "event"} & set(known))
        return served or (first == ("party",) and "staff" in known)

    def _is_used(self, noun: str) -> bool:
        return any(noun in (p.subject, p.record, p.item, p.party, p.object) for p in self.result.processes)

    def _role_of(self, phrase: NounPhrase, role: str, process: PlannedProcess | None) -> None:
        noun = phrase.text
        kind = _kind_in_role(noun, role) if noun not in self.result.parties else "party"
        self.result.kinds.setdefault(noun, kind)
        if kinds_of(noun.partition(" ")[0])[:1] == ("time",) and noun.endswith(" notice"):
            kind = "time"  # "on four weeks' notice"
        if kind == "event" and process is not None and role in ("before", "after", "until", "between"):
            kind = "time"  # "tunes pianos before concerts"
        clausal = role in ("when", "if", "after", "before", "while", "because", "once", "whenever", "during")
        if role in ("by", "per") and "time" in kinds_of(noun):
            kind = "time"
        if (kind == "time" or role in (OFTEN, "per")) and process is not None:
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
            self._reason(noun, process)
        elif role == "by" and process is not None:
            process.terms.append(noun)
        else:
            self._loose(phrase, role, process)

    def _reason(self, noun: str, process: PlannedProcess | None) -> None:
        """Note for what something is called off, or for what it is done where nothing is."""
        self.result.reasons.append(noun)
        if process is not None:
            self.reason_of.setdefault(noun, process)

    def _loose(self, phrase: NounPhrase, role: str, process: PlannedProcess | None = None) -> None:
        """Keep a noun that describes as a place, a person, a reason or a kind; what is none is reported."""
        noun = phrase.text
        kind = kind_of(noun, "place" if role in ("in", "at") and _may_be_place(phrase) else "thing")
        process = process or self._last()
        if kind == "party":
            self._add_party(noun)
        elif kind == "staff":
            self._role(noun)
        elif kind == "place" and self._is_where(phrase, role):
            self.result.places.append(noun)
        elif kind == "event" and role != "on":
            self._reason(noun, process)
        elif kind == "time" and process is not None:
            process.terms.append(noun)
        elif process is not None and (self._is_priced(phrase) or self._describes_object(phrase, role)):
            self._further(noun, process)
        else:
            self._report(phrase, role)
            return
        self.result.kinds.setdefault(noun, kind)

    def _is_where(self, phrase: NounPhrase, role: str) -> bool:
        """ "in a village", "a block of 60 flats": whether a phrase says where something is done."""
        consists = role == "of" and phrase.many and phrase in self.parse.extras
        at = (role in _AT_PLACE or consists) and _is_somewhere(phrase.text, role)
        return at and not self.result.places

    def _is_rate(self, phrase: NounPhrase) -> bool:
        """ "twice a season": whether a phrase only says in what time something is done so often."""
        first = self.parse.tokens.index(phrase.tokens[0]) if phrase.tokens else 0
        before = [token.word for token in self.parse.tokens[max(first - 2, 0) : first]]
        return before in (["once", "a"], ["twice", "a"], ["times", "a"])

    def _preposition_before(self, phrase: NounPhrase) -> str:
        """The preposition in front of a phrase, its determiners left out; "" where none is."""
        before = [each for each in self.parse.tokens if phrase.tokens and each.place < phrase.tokens[0].place]
        while before and (before[-1].word in DETERMINERS or before[-1].is_number):
            before.pop()
        return before[-1].word if before and before[-1].word in PREPOSITIONS else ""

    def _is_priced(self, phrase: NounPhrase) -> bool:
        """ "£85 for a double": whether a phrase tells for which of several a price is."""
        begin = phrase.tokens[0].place if phrase.tokens else 0
        ends = {price.tokens[-1].place for price in prices_of(self.parse.tokens)}
        return any(begin - _MOST_LEADING <= end < begin for end in ends)

    def _describes_object(self, phrase: NounPhrase, role: str) -> bool:
        """ "boxes of vegetables": whether a phrase tells which of the things before it are meant, and is
        nothing particular: "a share of the door"."""
        if role not in _OF_KINDS or (phrase.determiner and phrase.determiner not in ("a", "an")):
            return False
        named = (
            each
            for clause in self.parse.clauses
            for each in clause.roles.get(OBJECT, ())
            if each.tokens and phrase.tokens
        )
        begin = phrase.tokens[0].place - bool(phrase.determiner) - 1 if phrase.tokens else 0
        return any(each.tokens[-1].place == begin - 1 for each in named)

    def _state_whole(self, clause: Clause) -> None:
        """Report a whole clause, which no record keeps, to the sign or conjunction that ends it."""
        named = [token for phrases in clause.roles.values() for each in phrases for token in each.tokens]
        agent = clause.agent.tokens if clause.agent is not None else ()
        places = [token.place for token in (*clause.tokens, *named, *agent)]
        first, last = min(places), max(places)
        whole = [token for token in self.parse.tokens if first <= token.place <= last]
        behind = (token for token in self.parse.tokens if token.place > last)
        whole += takewhile(lambda token: token.is_word and token.word not in CONJUNCTIONS, behind)
        self.parse.note_statement(whole)

    def _report_all(self, phrases: Iterable[tuple[NounPhrase, str]]) -> None:
        """Report phrases, each with its preposition."""
        for phrase, role in phrases:
            self._report(phrase, role)

    def _report(self, phrase: NounPhrase, role: str) -> None:
        """Report a phrase with its preposition as what nothing represents."""
        before = [each for each in self.parse.tokens if phrase.tokens and each.place < phrase.tokens[0].place]
        lead: list[SentenceToken] = []
        while before and before[-1].word in DETERMINERS | {role} - {""} and len(lead) < _MOST_LEADING:
            lead.insert(0, before.pop())
        near = {token.place + step for token in phrase.tokens for step in range(-_MOST_LEADING, _NEAR + 1)}
        named = set(phrase.text.split())  # of "closed pass" both words of "when the pass is closed"
        apart = [each for each in self.parse.tokens if each.word in named and each.place in near]
        self.parse.note_statement(dict.fromkeys([*lead, *phrase.tokens, *apart]))
