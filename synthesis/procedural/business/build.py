"""Build: a plan becomes the model of a business, with its tables, tools' names and words."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from synthesis.procedural.business.acts import acts_of, results_of
from synthesis.procedural.business.appointments import priced_services, stated_services
from synthesis.procedural.business.chasing import chased_of
from synthesis.procedural.business.columns import (
    charge_columns,
    choice_column,
    handover_columns,
    item_columns,
    notice_columns,
    party_columns,
    payment_columns,
    record_columns,
    service_columns,
    staff_columns,
    subject_columns,
    text_column,
)
from synthesis.procedural.business.deadlines import drop_target_days
from synthesis.procedural.business.deposits import currency_of
from synthesis.procedural.business.fees import amount_of, counted_in, fee_of, is_given, is_own
from synthesis.procedural.business.model import Business, BusinessColumn, BusinessTable, Process, Style
from synthesis.procedural.business.naming import name_tools
from synthesis.procedural.business.places import locate
from synthesis.procedural.business.plan import empty_reading
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess
from synthesis.procedural.business.proofs import add_flags
from synthesis.procedural.business.qualification import posts_of, reserve_results, skills_of, workers_of
from synthesis.procedural.business.record_costs import drop_second_prices
from synthesis.procedural.business.recurrence import MOST_CHAINS, drop_intervals
from synthesis.procedural.business.rules import rules_of
from synthesis.procedural.business.served import is_minor, usual_party
from synthesis.procedural.business.table_sizes import PEOPLE, grow
from synthesis.procedural.business.telling import NOTICE_OF
from synthesis.procedural.business.vocabulary import (
    books_for_others,
    is_company,
    title_of,
)
from synthesis.procedural.composing.days import DAYS
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import plural, singular
from synthesis.procedural.sentence.lexicon import kinds_of

_ANYBODY = frozenset(("person", "people", "individual", "everyone", "anyone"))
"""Words for those who are served that say nothing of what they are to a business."""
_CHARGES = ("charge", "fee", "bill", "invoice")
_PAYMENTS = ("payment", "receipt")
_NOTICES = ("notice", "message", "letter", "note")
_HANDOVERS = ("handover", "escalation", "referral")
_STAFF = ("staff member", "employee", "colleague", "team member")
_UNNAMED = "company"
_ALIKE = 6
"""Letters that two nouns have in common of which people mistake one for the other: employee, employer."""
_LONGEST_TRADE = 3
"""Words of what a business does that its name may have."""
_PLACES = ("site", "branch", "location", "area", "section")
_CLERKS = (
    ("clerk", "supervisor"),
    ("assistant", "manager"),
    ("desk officer", "duty manager"),
    ("agent", "team lead"),
)
_AMOUNTS = ("{}", "{}", "€{}", "£{}", "${}", "{} EUR", "{} CHF")
_SEARCHES: tuple[Literal["part", "start", "words", "whole"], ...] = ("part", "start", "words", "whole")
_TIERS = (
    ("standard", "plus"),
    ("regular", "priority"),
    ("basic", "gold"),
    ("ordinary", "preferred"),
    ("casual", "patron"),
)

_MOST_PLACES = 16
_ONE_EACH = frozenset(("contest", "membership"))
"""Patterns in which nobody takes a place for somebody else."""
_OF_TIERS = frozenset(("only", "exempt"))
"""Kinds of limits that say what those of the upper tier may, or need not."""


def build(plan: BusinessPlan, sentence: str, seed: int) -> Business:
    """The model of the business that a plan describes."""
    return _Builder(plan, sentence, seed).business()


class _Builder:
    def __init__(self, plan: BusinessPlan, sentence: str, seed: int) -> None:
        self.plan, self.sentence, self.seed = plan, sentence, seed
        self.rng = random.Random(f"{sentence}/{seed}/business")  # noqa: S311 - choices, not secrets
        self.tables: dict[str, BusinessTable] = {}
        self.taken: set[str] = set()

    def business(self) -> Business:
        """The whole model."""
        plan, rng = self.plan, self.rng
        self._set_fees()
        used = {n for p in plan.processes for n in (p.subject, p.record, p.item, p.party)} | set(plan.parties)
        main = self._main_party()
        self.party = self._party(main)
        staff_noun = _fresh(rng, _STAFF, used)
        clerk, supervisor = rng.choice([each for each in _CLERKS if used.isdisjoint(each)] or _CLERKS)
        self.workers, self.skills = workers_of(plan, clerk), skills_of(plan)
        roles = tuple(dict.fromkeys([clerk, supervisor, *self.workers.values(), *plan.roles]))
        skills = tuple(map(snake, dict.fromkeys(self.skills.values())))
        self.staff = self._table(
            staff_noun, "staff", staff_columns(tuple(map(snake, roles)), skills), label="name"
        )
        drawn = _fresh(rng, _PLACES, used)
        place_noun = next(iter([*plan.places, *(each for each in plan.resources if each not in used)]), drawn)
        rows = min(plan.resources.get(place_noun, 4), _MOST_PLACES)
        self.place = self._table(
            place_noun, "place", [text_column("name"), text_column("district")], label="name", rows=rows
        )
        processes = [self._process(each) for each in plan.processes]
        locate(self.tables, self.place, self.staff, plan)
        reserve_results(processes, self._drawn_alone("reserved results"))
        add_flags(plan.limits, processes)
        posts = posts_of(processes, roles[2:], clerk)
        self.staff.rows = 4 + len(posts)
        charge, payment, notice, handover = self._money_tables(used, processes)
        shapes = {each.subject.name: PEOPLE if each.staffed else each.shape for each in processes}
        miscounted = grow(self.tables.values(), plan.counts, shapes)
        self._order()
        business = Business(
            sentence=self.sentence,
            seed=self.seed,
            title=title_of(_trade_of(plan), rng),
            noun=plan.business,
            reading=empty_reading(plan.business),
            clock=self._clock(),
            tables=self.tables,
            processes=processes,
            party=self.party,
            staff=self.staff,
            place=self.place,
            charge=charge,
            payment=payment,
            notice=notice,
            handover=handover,
            style=self._style(),
            limits=plan.limits,
            priced=plan.priced,
            miscounted=tuple(miscounted),
            sites=tuple(dict.fromkeys(plan.sites)),
            clerk=clerk,
            supervisor=supervisor,
            posts=posts,
            charge_kinds=charge.column("kind").choices if charge.columns else (),
            notice_kinds=notice.column("kind").choices,
            reasons=tuple(map(snake, dict.fromkeys([*plan.reasons, "staff_shortage", "double_booking"]))),
            tiers=self.party.column("tier").choices[:2],  # type: ignore[arg-type]
        )
        business.chased = chased_of(business)
        drop_intervals(business)
        drop_target_days(business)
        drop_second_prices(business)
        business.rules = rules_of(business, rng)
        name_tools(business, self.plan)
        return business

    def _main_party(self) -> str:
        """Who is served and charged; never one from whom the business buys, nor one who only gives."""
        served = [each for each in self.plan.processes if each.name != "purchase"]
        served = sorted(
            served, key=lambda each: (not each.billed, each.free, is_given(each), is_minor(each.party))
        )
        named = [
            *(each.party for each in served),
            *self.plan.parties,
            *(usual_party(each, self.plan.business) for each in served),
        ]
        return next((noun for noun in named if noun and noun not in self.plan.suppliers), "customer")

    def _set_fees(self) -> None:
        """Note of each process whether it is free for those it is for."""
        for planned in self.plan.processes:
            fee = fee_of(planned, self.plan, self.sentence)
            planned.free, planned.billed = fee.free, fee.billed
            planned.own = is_own(planned, self.plan)

    def _clock(self) -> datetime:
        first = datetime(2026, 2, 2, 9, 0)
        return first + timedelta(days=self.rng.randrange(300), minutes=self.rng.randrange(12) * 10)

    def _style(self) -> Style:
        rng = self.rng
        return Style(
            find=rng.choice(("find", "search", "list", "browse", "look_up")),
            get=rng.choice(("get", "show", "read", "view")),
            order=rng.choice(("verb_noun", "verb_noun", "noun_verb")),
            limit=rng.choice((8, 10, 12)),
            pages=rng.choice(("offset", "page", "cursor")),
            wrapped=rng.random() < 0.35,
            refusal=rng.randrange(3),
            mood=rng.randrange(4),
            days=rng.randrange(len(DAYS)),
            amounts=self._amounts(rng.choice(_AMOUNTS)),
            search=self._drawn_alone("search").choice(_SEARCHES),
        )

    def _amounts(self, drawn: str) -> str:
        """How amounts are written: in the money that the sentence names, else as it was drawn."""
        return currency_of(self.sentence) or drawn

    def _drawn_alone(self, trait: str) -> random.Random:
        """A generator of one trait, so that another value of it leaves the rest of the world as it is."""
        return random.Random(f"{self.sentence}/{self.seed}/{trait}")  # noqa: S311 - choices, not secrets

    def _table(
        self, noun: str, role: str, columns: list[BusinessColumn], label: str = "", rows: int = 8
    ) -> BusinessTable:
        table = BusinessTable(noun, role, [BusinessColumn("id", "id"), *columns], label=label, rows=rows)
        if table.name in self.tables:
            known = self.tables[table.name]
            known.columns += [c for c in columns if not known.has(c.name)]
            known.columns = [_widened(c, columns) for c in known.columns]
            return known
        self.tables[table.name] = table
        return table

    def _party(self, noun: str) -> BusinessTable:
        noun = self._usual() if noun in _ANYBODY else noun
        table = BusinessTable(noun, "party", [])
        known = self.tables.get(table.name)
        if known is not None and known.role != "party":
            return self._party(f"{noun} contact")
        if known is not None:
            return known
        first = not any(t.role == "party" for t in self.tables.values())
        tiers = self._tiers(noun) if first else self.party.column("tier").choices[:2]
        used = {each.party for each in self.plan.processes}
        idle = [each for each in self.plan.parties if each not in used and each != noun]
        entitled = {snake(limit.noun) for limit in self.plan.limits if limit.kind in _OF_TIERS}
        others = tuple(
            kind for kind in dict.fromkeys(map(snake, [*self.plan.values, *idle])) if kind not in entitled
        )
        aged = any(limit.kind == "age" for limit in self.plan.limits) and not is_company(noun)
        columns = party_columns(tiers, others if first else (), aged=aged)
        return self._table(noun, "party", columns, label="name", rows=22 if first else 12)

    def _usual(self) -> str:
        """What those are called who are only "people" in the sentence."""
        served = [each for each in self.plan.processes if each.name != "purchase"]
        return next(
            (name for each in served if (name := usual_party(each, self.plan.business)) not in _ANYBODY),
            "customer",
        )

    def _tiers(self, noun: str) -> tuple[str, ...]:
        """The two tiers of those who are served; who alone may have something is the upper one."""
        tiers = self.rng.choice(_TIERS)
        only = next((limit.noun for limit in self.plan.limits if limit.kind in _OF_TIERS), "")
        if not only or only == noun or "staff" in kinds_of(only):
            return tiers
        return f"no_{snake(only)}", snake(only)

    def _subject(self, planned: PlannedProcess, party: BusinessTable) -> BusinessTable:
        noun, shape = planned.subject, planned.pattern.shape
        known = next(
            (
                t
                for t in self.tables.values()
                if t.noun == noun and t.role in ("party", "staff", "place", "record")
            ),
            None,
        )
        if known is not None:
            noun = (
                f"{noun} slot"
                if shape in ("hold", "slot")
                else f"{noun} group"
                if shape == "seat"
                else f"{noun} file"
            )
        columns = subject_columns(planned, noun, party, self.place, self.rng)
        rows = {"hold": 12, "slot": 8, "seat": 9, "supply": 11, "work": 7}[shape]
        recurs = any(limit.kind == "recur" for limit in self.plan.limits)
        if shape == "work" and recurs and any(column.name == party.key for column in columns):
            rows = MOST_CHAINS
        table = self._table(noun, "subject", columns, label="name", rows=rows)
        if not planned.item and not planned.staffed:
            kinds = choice_column("category", tuple(map(snake, planned.kinds)))
            table.columns = [_widened(column, [kinds], every=True) for column in table.columns]
        return table

    def _process(self, planned: PlannedProcess) -> Process:
        pattern = planned.pattern
        party = self._party(planned.party) if planned.party else self.party
        subject = self._subject(planned, party)
        item = None
        if planned.item:
            item = self._table(
                planned.item,
                "item",
                item_columns(planned, party, self.rng),
                label="name",
                rows=16,
            )
        service = self._service(planned)
        record = self._record(planned, party, subject, [each for each in (item, service) if each is not None])
        acts = acts_of(planned)
        return Process(
            verb=planned.verb,
            pattern=planned.name,
            shape=pattern.shape,
            record=record,
            subject=subject,
            party=party,
            states=pattern.states,
            acts=acts,
            results=results_of(planned),
            limited=pattern.limited and not planned.free,
            amount=amount_of(planned),
            counted=counted_in(planned),
            free=planned.free,
            billed=planned.billed,
            item=item,
            service=service,
            services=priced_services(self.plan.business, planned),
            service_cents=stated_services(planned),
            staffed=planned.staffed,
            no_show_cents=planned.no_show_cents,
            cancel_cents=planned.cancel_cents,
            monthly=planned.monthly,
            deposit=planned.deposit,
            packed=subject.has("pack_size"),
            single=planned.name in _ONE_EACH or not books_for_others(party.noun),
            object=planned.object,
            late=planned.late or pattern.late,
            late_cents=planned.late_cents,
            price_cents=planned.price_cents,
            category_cents=planned.category_cents,
            worker=self.workers.get(planned.record, ""),
            skill=self.skills.get(planned.record, ""),
        )

    def _service(self, planned: PlannedProcess) -> BusinessTable | None:
        """The table of what people come for."""
        if not planned.service:
            return None
        noun = f"{planned.record} type" if self._is_taken(planned.service) else planned.service
        rows = len(priced_services(self.plan.business, planned))
        return self._table(noun, "subject", service_columns(planned), label="name", rows=rows)

    def _is_taken(self, noun: str) -> bool:
        return any(table.noun == noun for table in self.tables.values())

    def _record(
        self,
        planned: PlannedProcess,
        party: BusinessTable,
        subject: BusinessTable,
        further: list[BusinessTable],
    ) -> BusinessTable:
        noun = planned.record
        if any(t.noun == noun for t in self.tables.values()):
            noun = f"{noun} record"
        columns = record_columns(planned, party, subject, further, self.staff)
        return self._table(noun, "record", columns, label="number", rows=30)

    def _money_tables(
        self, used: set[str], processes: list[Process]
    ) -> tuple[BusinessTable, BusinessTable, BusinessTable, BusinessTable]:
        used = used | {singular(name.replace("_", " ")) for name in self.tables}
        rng, party, staff = self.rng, self.party, self.staff
        drawn = _fresh(rng, _CHARGES, used)
        late = [
            each.late or each.pattern.late for each in self.plan.processes if each.pattern.shape == "hold"
        ]
        lost = any(each.is_losable for each in processes)
        columns = charge_columns(party, tuple(dict.fromkeys(map(snake, late))), lost=lost)
        charge = BusinessTable(self.plan.charge or drawn, "charge", [])
        payment = BusinessTable(_fresh(rng, _PAYMENTS, used), "payment", [])
        if any(each.billed and each.party is party for each in processes):
            charge = self._table(charge.noun, "charge", columns, label="number", rows=26)
            payment = self._table(payment.noun, "payment", payment_columns(charge, rng), rows=12)
        drawn = _fresh(rng, _NOTICES, used)
        named = next((NOTICE_OF[verb] for verb, _ in self.plan.notifications if verb in NOTICE_OF), drawn)
        occasions = tuple(snake(of) for _, of in self.plan.notifications if of)
        occasions = occasions if charge.columns else ("delay", *occasions)
        notice = self._table(
            drawn if named in used else named, "notice", notice_columns(party, occasions), rows=12
        )
        columns = handover_columns(staff, by_result=any(each.reserved for each in processes))
        handover = self._table(_fresh(rng, _HANDOVERS, used), "handover", columns, rows=5)
        return charge, payment, notice, handover

    def _order(self) -> None:
        """Keys of each table begin above a number of its own."""
        bases = self.rng.sample(range(11, 98), len(self.tables))
        order = [
            "place",
            "staff",
            "party",
            "subject",
            "item",
            "record",
            "charge",
            "payment",
            "notice",
            "handover",
        ]
        self.tables = dict(sorted(self.tables.items(), key=lambda entry: order.index(entry[1].role)))
        owners = {c.table for t in self.tables.values() for c in t.columns if c.kind == "ref"}
        assert owners <= set(self.tables), "every reference is to a table of the model"
        for base, table in zip(bases, self.tables.values(), strict=True):
            table.base = base * 100


def _widened(column: BusinessColumn, others: list[BusinessColumn], *, every: bool = False) -> BusinessColumn:
    """A column with the values that another process needs as well: of its condition, of `every` one."""
    more = [c for other in others if other.name == column.name for c in other.choices]
    if not more or not (every or column.name == "condition"):
        return column
    return replace(column, choices=tuple(dict.fromkeys([*column.choices, *more])))


def _fresh(rng: random.Random, nouns: tuple[str, ...], used: set[str]) -> str:
    beginnings = {word[:_ALIKE] for noun in used for word in noun.split()}
    fresh = [noun for noun in nouns if noun not in used and noun[:_ALIKE] not in beginnings]
    return rng.choice(fresh or [noun for noun in nouns if noun not in used] or [f"{nouns[0]} entry"])


def _trade_of(plan: BusinessPlan) -> str:
    """What a name of the business tells of it: its noun, or where the sentence has none, what it does."""
    first = plan.processes[0] if plan.processes else None
    if plan.business != _UNNAMED or first is None or not first.object or first.object not in first.record:
        return plan.business
    done = first.object if first.record.endswith("order") else first.record
    return plural(done) if done and len(done.split()) <= _LONGEST_TRADE else plan.business
