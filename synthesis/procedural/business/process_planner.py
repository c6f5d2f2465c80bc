"""Process planner: which process a verb and its object become, what its records are called and for whom."""

from __future__ import annotations

from synthesis.procedural.business.object_kinds import HOLD_THINGS, WITH_ITEM
from synthesis.procedural.business.pattern_choice import (
    OF_PASSENGERS,
    is_brief,
    is_charge,
    is_hourly,
    is_monthly,
    is_taken_along,
    occasion_of,
    pattern_of_clause,
    pattern_of_record,
    subject_of_record,
)
from synthesis.procedural.business.patterns import Pattern, patterns
from synthesis.procedural.business.planned import PlannedProcess, kind_of
from synthesis.procedural.business.qualification import WORK_NAMES, trade_of
from synthesis.procedural.business.resources import ResourcePlanner
from synthesis.procedural.business.senses import (
    ENTERING,
    HAD_FROM_OTHERS,
    admitted_to,
    given_away,
    is_for_one_client,
    is_in_rooms,
    is_means,
    is_of_admission,
    is_of_the_body,
    is_taking,
    room_of,
)
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.inflection import gerund, is_mass, singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_listed, kinds_of, nouns, verbs
from synthesis.procedural.sentence.limits import DAYS_OF
from synthesis.procedural.sentence.modifiers import is_of_condition, is_quality_of_things
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.stated_prices import prices_of

_RAISED = frozenset(("charge", "credit", "deposit"))
"""What a charge of any business may be called."""
_CHARGED = {
    **dict.fromkeys(("charge for", "charge"), "charge"),
    **dict.fromkeys(("bill for", "bill", "invoice"), "bill"),
    "refund": "refund",
    "reimburse": "reimbursement",
    "pay": "payment",
}
"""Verb to what is opened where money is asked or given for something: "refunds meals"."""
_CONDITIONS = frozenset(("when", "if", "because", "unless", "while", "whenever", "once"))
"""Roles of what happens, to which nobody comes: "cancels when the wind is over force six"."""
_ATTENDED = ("work", "slot")
"""Shapes of what is done to things, or what people come to see."""
_ALONE = frozenset(("lesson", "session", "sitting", "consultation"))
_COLUMN_WORDS = frozenset(("result", "status", "name", "number"))
"""What columns of every record are called; a table of that name could not be told from them."""


def _is_thing_in_a_state(quality: str, plain: str, noun: str) -> bool:
    """Whether a noun is a thing that is known, in a state that things may be in: "used phones"."""
    named = (is_listed(plain) or is_mass(plain)) and noun not in nouns()
    known = named and kind_of(plain, "stock") in ("thing", "stock")
    return known and is_quality_of_things(quality)


class ProcessPlanner(ResourcePlanner):
    """A plan to which processes are added."""

    def _timed(self, clause: Clause, name: str, noun: str, kind: str) -> str:
        """The pattern by how long things are had: for months, for hours of a day, else as the verb has it."""
        if name == "event" and noun.rpartition(" ")[2] in _ALONE and trade_of(self.result.business):
            return "appointment"  # a tutor's lessons are for one at a time, a school's for many
        in_unit = kind == "record" and name == "appointment" and clause.verb != "take" and self._unit(clause)
        by_hours = any(limit.kind == "hours" for limit in self.result.limits)  # "for up to eight hours"
        if in_unit or is_hourly(clause, name, noun, kind, stated=by_hours):
            return "hours"
        if name == "letting" and (is_brief(clause, self.result.business) or self._is_brief()):
            return "hire"
        return "letting" if kind == "place" and name in ("rental", "hire") and self._is_long(clause) else name

    def _has_rooms(self) -> bool:
        """Whether what is booked can be a room: the business is one of rooms, or the sentence names some."""
        named = [
            *(phrase.text for phrase in self.parse.extras),
            *(
                phrase.text
                for each in self.parse.clauses
                for phrases in each.roles.values()
                for phrase in phrases
            ),
        ]
        return is_in_rooms(self.result.business) or any("place" in kinds_of(noun) for noun in named)

    def _is_brief(self) -> bool:
        """Whether the sentence states for how many days one has something, "for at least three nights"."""
        limits = [limit for limit in self.result.limits if limit.kind in ("longest", "shortest")]
        return any(limit.days < DAYS_OF["month"] for limit in limits)

    def _is_long(self, clause: Clause) -> bool:
        """Whether somebody has what is rented for months: "by the month", or there are tenants."""
        tenants = any(singular(token.word) == "tenant" for token in self.parse.tokens)
        priced = any(price.unit in ("month", "year") for price in prices_of(self.parse.tokens))
        return tenants or priced or is_monthly(clause)

    def _by_noun(self, clause: Clause, noun: str, kind: str, party: str) -> PlannedProcess | None:
        """The process that an object calls for whatever its verb means; None where the verb decides."""
        if (entered := self._entered(clause, noun, party)) is not None:
            return entered
        given = clause.agent is not None and clause.verb == "give" and kind in ("stock", "thing", "money")
        if given and party:
            return self._add(clause, patterns()["gift"], "gift", noun, party, f"{noun} donation", noun)
        if (meant := self._tickets(clause, noun, party) or self._donated(clause, noun, party)) is not None:
            return meant
        if named := pattern_of_record(clause.verb, noun):
            timed = named == "booking" and not self._unit(clause) and not self._has_rooms()
            named = "appointment" if timed else named
            subject = room_of(self.result.business) if named == "booking" else ""
            return self._add(clause, patterns()[named], named, noun, party, noun, subject)
        return self._attended(clause, noun, kind, party) or self._moving(clause, noun, kind, party)

    def _entered(self, clause: Clause, noun: str, party: str) -> PlannedProcess | None:
        """Who waits for what is let, and what is saved: "keeps a waiting list", "takes savings"."""
        name = pattern_of_clause(clause)
        held = next((each for each in self.result.processes if each.pattern.shape == "hold"), None)
        if name == "registration" and noun == "waiting list" and held is not None:
            about = held.party if party in ("", "person") else party  # who wants a plot waits for one
            return self._add(clause, patterns()[name], name, noun, about, f"{noun} entry", held.subject)
        if name == NEUTRAL and noun in ("saving", "savings"):
            return self._add(clause, patterns()[name], name, noun, party, "savings deposit", "account type")
        return None

    def _tickets(self, clause: Clause, noun: str, party: str) -> PlannedProcess | None:
        """ "sells tickets for plays", "runs trains and sells tickets": places in what people come to."""
        if event := admitted_to(clause, noun):
            return self._add(clause, patterns()["event"], "event", noun, party, f"{event} {noun}", event)
        seated = [each for each in self.result.processes if each.name == "event" and each.object != noun]
        if not seated or clause.pattern != "sale" or not is_of_admission(noun):
            return None
        seated[-1].record = f"{seated[-1].subject} {noun}"
        seated[-1].verbs.append(clause.verb)
        return seated[-1]

    def _donated(self, clause: Clause, noun: str, party: str) -> PlannedProcess | None:
        """ "takes in donated furniture": what is received from those who give it."""
        given = given_away(noun)
        if not given or not is_taking(clause):
            return None
        self._call(clause, noun, given)
        self.result.kinds[given] = self.result.kinds.pop(noun, "thing")
        record = f"{given} donation"
        return self._add(clause, patterns()[NEUTRAL], NEUTRAL, given, party or "donor", record, given)

    def _plain(self, clause: Clause, noun: str) -> str:
        """What something is called without that it is given: "donated clothes" are clothes."""
        given = given_away(noun)
        if given and not is_taking(clause):
            self._call(clause, noun, given)
        quality, _, plain = noun.partition(" ")
        again = any(plain == each.object for each in self.result.processes)
        if plain and ((again and is_of_condition(quality)) or _is_thing_in_a_state(quality, plain, noun)):
            clause.states.append(quality)  # "sells rugs and repairs old ones", "washes dirty linen"
            return plain
        return self.given.get(noun, noun)

    def _call(self, clause: Clause, noun: str, given: str) -> None:
        """Call "donated furniture" furniture from here on."""
        self.given[noun] = given
        named = [phrase for phrase in clause.roles.get(OBJECT, ()) if phrase.text == noun]
        self.parse.silent.extend(phrase.tokens[0] for phrase in named)

    def _attended(self, clause: Clause, noun: str, kind: str, party: str) -> PlannedProcess | None:
        """What people come for at an hour: "shows couples around", "shows flats", "cuts hair"."""
        name, record, subject = "appointment", "", ""
        if is_for_one_client(clause, noun) and kind == "event":
            return self._add(clause, patterns()["case"], "case", noun, party, noun, f"{noun} type")
        if clause.verb == "show" and kind == "party":
            self._add_party(noun)
            party, record = noun, "viewing"
        elif clause.verb == "show" and kind == "place" and party:
            record, subject = f"{noun} viewing", noun
        elif not (is_of_the_body(noun) and kind in ("thing", "stock")):
            return None
        return self._add(clause, patterns()[name], name, noun, party, record, subject)

    def _moving(self, clause: Clause, noun: str, kind: str, party: str) -> PlannedProcess | None:
        """What is taken along on trips, or is shown or driven for people."""
        if is_taken_along(clause.verb, noun, self.result.business):
            subject = self._event(clause) or "trip"
            return self._add(
                clause, patterns()["enrolment"], "enrolment", noun, party, f"{noun} booking", subject
            )
        shown = kind == "thing" or (kind == "event" and not is_listed(noun))
        shown = shown and pattern_of_clause(clause) != "rental"
        if shown and (occasion := occasion_of(clause.verb, noun)):
            return self._occasion(clause, occasion, party)
        return None

    def _occasion(self, clause: Clause, occasion: str, party: str) -> PlannedProcess | None:
        """What people come to, or, where it is a trip, travel with: those have booked, and are passengers."""
        driven = clause.verb == "drive"
        if driven and party in ("", "person"):
            party = next((each for each in self.result.parties if each != "person"), "passenger")
        record = f"{occasion} booking" if driven else ""
        return self._add(clause, patterns()["event"], "event", occasion, party, record, occasion)

    def _with_people(self, clause: Clause, pattern: Pattern, name: str, noun: str) -> PlannedProcess | None:
        """What is done to people: to those who are supplied goes what was made before."""
        self._add_party(noun)
        if name == "supply" and (goods := self._goods()) is not None:  # "bakes bread and supplies cafes"
            goods.party = noun
            goods.verbs.append(clause.verb)
            return None
        record, subject = self._entry(clause, noun) if name == "registration" else ("", "")
        if name == "inspection" and noun == clause.roles.get(OBJECT, [NounPhrase("", (), 0)])[0].text:
            kinds = nouns().get(clause.verb, ())
            done = clause.verb if "record" in kinds else WORK_NAMES.get(clause.verb, gerund(clause.verb))
            record, subject = f"{noun} {done}", f"{done} type"  # of people no site is inspected
        if name == "dispatch" and clause.verb == "move":
            record = "removal"
        if record:
            return self._add(clause, pattern, name, noun, noun, record, subject)
        if name == "event" and clause.pattern == "measurement":
            return self._add(clause, pattern, name, noun, noun, "", gerund(clause.verb))
        if name in ("billing", "registration", "appointment") and "record" in nouns().get(clause.verb, ()):
            if name == "registration":
                name, pattern = NEUTRAL, patterns()[NEUTRAL]
            if clause.verb not in _RAISED:
                return self._add(clause, pattern, name, noun, noun, clause.verb, "")  # "quotes customers"
        return self._add(clause, pattern, name, noun, noun, "", "")

    @staticmethod
    def _entry(clause: Clause, noun: str) -> tuple[str, str]:
        """What the records of those who are entered somewhere are called, and what for; "" where the verb
        does not say: "enters pupils for exams", "registers voters"."""
        entered = clause.roles.get("for", [])
        examined = bool(entered) and kind_of(entered[0].text, "") in ("event", "record")
        if entered and (examined or clause.verb not in ENTERING):
            return f"{entered[0].text} entry", entered[0].text
        return f"{noun} {ENTERING[clause.verb]}" if clause.verb in ENTERING else "", ""

    def _duty(self, clause: Clause) -> str:
        """What people are sent or assigned to: "hearings", "routes"; "" where that is not said."""
        for role in ("to", "for"):
            for phrase in clause.roles.get(role, ()):
                if kind_of(phrase.text, "") in ("event", "record"):
                    return phrase.text
        return ""

    def _goods(self) -> PlannedProcess | None:
        """What was made or stocked last and is for nobody yet."""
        goods = [p for p in self.result.processes if p.pattern.shape == "supply" and not p.party]
        return goods[-1] if goods else None

    def _with_object(  # noqa: PLR0911 - one answer per kind of object
        self, clause: Clause, pattern: Pattern, name: str, noun: str, kind: str, party: str
    ) -> PlannedProcess | None:
        itself = kind == "money" or is_charge(noun) or (kind == "record" and clause.verb == "pay")
        if name == "billing" and noun and not itself:
            charge = _CHARGED.get(clause.verb, "account")
            about = "" if kind == "record" else noun
            return self._add(clause, pattern, name, noun, party, f"{noun} {charge}", about)
        if pattern.shape == "hold":
            if kind == "record" and name not in HOLD_THINGS:
                unit = self._unit(clause) or pattern.subject
                return self._add(clause, pattern, name, noun, party, noun, unit)
            if name in WITH_ITEM and kind != "place":
                unit = self._unit(clause) or pattern.subject
                return self._add(clause, pattern, name, noun, party, "", unit, item=noun)
            return self._add(clause, pattern, name, noun, party, "", noun or pattern.subject)
        if pattern.shape == "slot" and kind == "record":
            return self._add(clause, pattern, name, noun, party, noun, self._unit(clause))
        if name == "award" and is_means(noun):  # "lends money"
            return self._add(clause, pattern, name, noun, party, "loan application", "loan type")
        if kind == "money" and name == "collection":
            return self._add(clause, pattern, name, noun, party, "", pattern.subject)
        own = kind == "record" or (kind == "money" and name not in ("award", "purchase"))
        if pattern.shape == "work" and own:
            about = (name == NEUTRAL and self._concerned()) or subject_of_record(name, noun)
            return self._add(clause, pattern, name, noun, party, noun, about)
        occasion = occasion_of(clause.verb, "") if pattern.shape == "seat" else ""
        had = HAD_FROM_OTHERS.get(clause.verb, "") if name == "purchase" and noun else ""
        record = f"{noun} {had}" if had else ""
        return self._add(clause, pattern, name, noun, party, record, noun or occasion or pattern.subject)

    def _concerned(self) -> str:
        """What papers are about of which nothing else is said: of offers the houses that are shown."""
        last = self.result.processes[-1] if self.result.processes else None
        named = last is not None and last.subject == last.object and last.pattern.shape in _ATTENDED
        return last.subject if last is not None and named and kind_of(last.object, "") == "place" else ""

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
        if name == "enrolment" and clause.verb in ("book", "reserve") and about and not record:
            record = f"{noun} booking"  # of flights and tours
        named = name == "cleaning" or (
            name == NEUTRAL and verbs().get(clause.verb.partition(" ")[0], "") != NEUTRAL
        )
        if named and about and not record:
            done = gerund(clause.verb.removesuffix(" for"))
            record = f"{noun} {WORK_NAMES.get(clause.verb, done)}"  # "keg filling", "lawn mowing"
        if name == "repair" and about and not record and clause.verb in WORK_NAMES:
            record = f"{noun} {WORK_NAMES[clause.verb]}"  # "suit alteration"
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
        process.monthly = pattern.shape == "hold" and (name == "letting" or is_monthly(clause))
        self.result.processes.append(process)
        return process

    def _event(self, clause: Clause) -> str:
        for role in ("in", "for", "to", "on", "with", "into", "at"):
            for phrase in clause.roles.get(role, ()):
                if kind_of(phrase.text, "") == "event":
                    return phrase.text
        for other in self.parse.clauses:
            for phrases in (named for role, named in other.roles.items() if role not in _CONDITIONS):
                for phrase in phrases:
                    if "event" in kinds_of(phrase.text)[:1] and phrase.text not in ("storm", "fire", "flood"):
                        return phrase.text
        return ""
