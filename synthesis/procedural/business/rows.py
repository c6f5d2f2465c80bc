"""Rows: what the tables of a business hold at the start; moments in order, sums that add up, rules obeyed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from itertools import cycle

from synthesis.documents.seed_data import Actor, SeedData
from synthesis.procedural.business.amounts import (
    in_steps,
    job_range,
    price_range,
    replacement_of,
    value_range,
)
from synthesis.procedural.business.appointments import hourly_range
from synthesis.procedural.business.categories import is_ordered
from synthesis.procedural.business.labels import labels, rank_of
from synthesis.procedural.business.measures import measured
from synthesis.procedural.business.model import Business, BusinessTable, Process, Row
from synthesis.procedural.business.money_rows import MoneyRows
from synthesis.procedural.business.proofs import flags_of
from synthesis.procedural.business.record_rows import Booked
from synthesis.procedural.business.slot_rows import hours_booked
from synthesis.procedural.business.vocabulary import (
    CITIES,
    PLACES,
    companies,
    is_company,
    people,
)

_NEVER = "9999-12-31"
_LONGEST_BEFORE = 90
"""Days by which somebody joined at most before the first thing that is recorded of them."""


def seed_data(business: Business, salt: int = 0) -> SeedData:
    """All rows by table, in the schema's order; the actor is a member of staff, not a supervisor."""
    return _BusinessRows(business, salt).seed_data()


class _BusinessRows:
    def __init__(self, business: Business, salt: int) -> None:
        self.business = business
        self.rng = business.random("rows", salt)
        self.rows: dict[str, list[Row]] = {name: [] for name in business.tables}

    def seed_data(self) -> SeedData:
        b = self.business
        self._places()
        self._staff()
        for table in b.tables.values():
            if table.role == "party":
                self._parties(table)
        for process in b.processes:
            self._subjects(process)
            self._services(process)
            self._items(process)
        self._fill_gaps()
        booked = Booked(b, self.rows, self.rng)
        for process in b.processes:
            _RECORD_ROWS[process.shape](booked, process)
        MoneyRows(b, self.rows, self.rng).fill()
        for table in b.tables.values():
            if table.role == "party":
                self._join_in_time(table)
        ordered = {name: [_ordered(row, b.tables[name]) for row in rows] for name, rows in self.rows.items()}
        return SeedData(rows=ordered, actor=Actor(table=b.staff.name, key=self.rows[b.staff.name][0]["id"]))

    def _add(self, table: BusinessTable, **values: object) -> Row:
        row: Row = {"id": table.base + len(self.rows[table.name]) + 1, **values}
        self.rows[table.name].append(row)
        return row

    def _staff(self) -> None:
        b, rng = self.business, self.rng
        names = people(b.staff.rows, rng, twins=False)
        roles = b.staff.column("role").choices
        places = self.rows.get(b.place.name, [])
        posts = [(roles[0], ""), *((roles[1], "") for _ in range(3)), *b.posts]
        # one supervisor, and of each role and skill somebody who is neither the actor nor a supervisor
        away = {2, *(4 + b.posts.index(post) for post in b.posts if b.posts.count(post) > 1)}
        for number, (name, (role, skill)) in enumerate(zip(names, posts, strict=True)):
            on_duty = int(number not in away)
            there = {b.place.key: places[number % len(places)]["id"]} if b.staff.has(b.place.key) else {}
            self._add(b.staff, name=name, role=role, skill=skill or None, on_duty=on_duty, **there)

    def _places(self) -> None:
        table = self.business.place
        if table.name not in self.business.tables:
            return
        names = labels(table.noun, "lookup", table.rows, self.rng)
        sites = [noun.title() for _, noun in self.business.sites]
        others = [name.replace("-", " ") for name in self.rng.sample(PLACES, len(PLACES))]
        districts = [*sites, *(name for name in others if name not in sites)]
        for name, district in zip(names, cycle(districts), strict=False):
            self._add(table, name=name, district=district)

    def _parties(self, table: BusinessTable) -> None:
        b, rng = self.business, self.rng
        company = is_company(table.noun)
        names = companies(table.rows, rng, table.noun) if company else people(table.rows, rng)
        cities = rng.sample(CITIES, len(CITIES))
        for number, name in enumerate(names):
            handle = name.lower().replace(" ", ".").encode("ascii", "ignore").decode()
            tier = b.tiers[1] if number % 3 == 1 else b.tiers[0]
            row = self._add(
                table,
                name=name,
                email=f"{handle}{number + 1}@example.org",
                phone=f"555-0{rng.randint(100, 999)}",
                city=cities[number % len(cities)],
                joined_on=b.day(-rng.randint(200, 1500)),
                tier=tier,
                standing="suspended" if number in (5, 9) else "good",
            )
            if table.has("kind"):
                row["kind"] = rng.choice(table.column("kind").choices)
            row |= flags_of(table, number)
            if table.has("born_on"):
                row["born_on"] = self._birthday(table, number)

    def _join_in_time(self, table: BusinessTable) -> None:
        """Nobody joined after the first thing recorded of them: what is let for years began long ago."""
        first: dict[object, str] = {}
        for other in self.business.tables.values():
            days = [column.name for column in other.columns if column.kind == "day"]
            for row in self.rows[other.name] if other.has(table.key) else ():
                known = [str(row[day]) for day in days if row.get(day)]
                first[row.get(table.key)] = min([*known, first.get(row.get(table.key), _NEVER)])
        for row in self.rows[table.name]:
            earliest = first.get(row["id"], _NEVER)
            if earliest < row["joined_on"]:
                before = timedelta(days=_LONGEST_BEFORE - row["id"] % _LONGEST_BEFORE)
                row["joined_on"] = (date.fromisoformat(earliest) - before).isoformat()

    def _birthday(self, table: BusinessTable, number: int) -> str:
        """Every fourth is too young for what the sentence states; nobody's birthday is near."""
        b = self.business
        rng = b.random("birthday", table.name, number)
        age = next(limit.number for limit in b.limits if limit.kind == "age")
        age = rng.randint(max(age - 4, 1), age - 1) if number % 4 == 2 else rng.randint(age, age + 45)
        return b.day(-round(365.25 * age) - rng.randint(30, 330))

    def _subjects(self, process: Process) -> None:
        table, rng = process.subject, self.rng
        if self.rows[table.name]:
            self._complete(process)
            return
        is_lookup = process.shape == "work" and not table.has(process.party.key)
        shape = "lookup" if is_lookup else process.shape
        named = people(table.rows, rng, twins=False) if process.staffed else None
        names = named or labels(table.noun, shape, table.rows, rng)
        categories = table.column("category").choices
        seated = process.shape == "seat"
        if seated:  # of each there are several, so that one can take another's place
            categories = categories[:_MOST_SEATED]
        for number, name in enumerate(names):
            # every third event has places left; shifted, these are of different categories
            place = number + number // _MOST_SEATED if seated else number
            self._add(table, name=name, category=categories[place % len(categories)])
        if is_ordered(categories):
            self._sort_by_name(table, shape, categories)
        self._complete(process)

    def _sort_by_name(self, table: BusinessTable, shape: str, categories: Sequence[str]) -> None:
        """Put things into the categories that their names promise: a full service is not simple."""
        ranks = [(rank_of(table.noun, shape, row["name"]), row) for row in self.rows[table.name]]
        known = sorted(
            ((rank, row["id"], row) for rank, row in ranks if rank is not None), key=lambda e: e[:2]
        )
        for place, (_, _, row) in enumerate(known):
            row["category"] = categories[place * len(categories) // len(known)]

    def _complete(self, process: Process) -> None:
        """Give every row of a subject the columns that the process's shape needs."""
        table, b, rng = process.subject, self.business, self.rng
        places = self.rows.get(b.place.name, [])
        owners = self.rows[process.party.name]
        prices = job_range(process) if process.shape == "work" else price_range(table.noun, process.shape)
        if process.staffed:
            low, high = hourly_range(b.noun)
            prices = _HOURS_OF_PRICES * low, _HOURS_OF_PRICES * high
        for number, row in enumerate(self.rows[table.name]):
            low, high = _of_category(table, row, *prices)
            values: Row = {
                b.place.key: places[number % len(places)]["id"] if places else None,
                process.rank: _stated(process, row) or _price(process, rng.randint(low, high), rng),
                "active": 0 if number == 7 else 1,
                "starts_on": b.day(_EVENT_DAYS[number % len(_EVENT_DAYS)]),
                "capacity": rng.choice((4, 5, 6, 8) if process.single else (6, 8, 10, 12)),
                "price_cents": process.price_cents or _rounded(rng.randint(low, high)),
                "status": "scheduled",
                "unit_price_cents": _stated(process, row) or _rounded(rng.randint(low, high), 10),
                "pack_size": rng.choice((2, 4, 5, 6, 10)),
                "stock": 0,
                process.party.key: owners[(number * 5) % len(owners)]["id"],
                "value_cents": in_steps(rng.randint(*value_range(table.noun))),
                "standard_cents": in_steps(rng.randint(low, high)),
                "target_days": _target_days(table, row, rng),
            }
            values |= measured(table, rng) if process.shape == "hold" else {}
            values |= flags_of(table, number)
            values["deposit_cents"] = process.deposit or _rounded(3 * values[process.rank], 1000)
            values["replacement_cents"] = in_steps(replacement_of(table.noun, values[process.rank], rng))
            values["stock"] = values["pack_size"] * rng.randint(3, 14) + rng.randint(0, 3)
            if not process.packed:
                values["stock"] = rng.randint(3, 14)
            for name, value in values.items():
                if table.has(name) and name not in row:
                    row[name] = value

    def _services(self, process: Process) -> None:
        """What people come for; a service costs what the sentence or the trade says."""
        table = process.service
        if table is None or self.rows[table.name]:
            return
        for name, hours, cents in process.services:
            price = {"price_cents": cents or _rounded(self.rng.randint(*_SERVICE_CENTS), 500)}
            self._add(table, name=name, hours=hours, **({} if process.free else price))

    def _items(self, process: Process) -> None:
        table, rng = process.item, self.rng
        if table is None or self.rows[table.name]:
            return
        owners = self.rows[process.party.name]
        names = labels(table.noun, "item", table.rows, rng)
        categories = table.column("category").choices
        for number, name in enumerate(names):
            self._add(
                table,
                **{
                    "name": name,
                    "category": categories[number % len(categories)],
                    process.party.key: owners[(number * 3) % len(owners)]["id"],
                    **flags_of(table, number),
                    **measured(table, rng),
                },
            )

    def _fill_gaps(self) -> None:
        """Values for columns that another process has of a thing which several processes share."""
        b, rng = self.business, self.rng
        plain = {"choice": "", "flag": 1, "count": 4, "money": 5_000, "day": b.day(20), "text": "-"}
        for table in b.tables.values():
            for number, row in enumerate(self.rows[table.name]):
                for column in table.columns:
                    if column.kind in ("id", "number") or column.null or row.get(column.name) is not None:
                        continue
                    if column.kind == "ref":
                        targets = self.rows[column.table]
                        row[column.name] = targets[(number * 5) % len(targets)]["id"]
                    elif column.kind == "choice":
                        row[column.name] = rng.choice(column.choices)
                    else:
                        row[column.name] = plain[column.kind]


def _target_days(table: BusinessTable, row: Row, rng: random.Random) -> int:
    """In how many days work of a kind is to be done: what is simple sooner than what is not."""
    categories = table.column("category").choices
    if is_ordered(categories):
        return rng.choice(_TARGETS[categories.index(row["category"]) % len(_TARGETS)])
    return rng.choice((3, 5, 7, 10, 14))


_TARGETS = ((3, 5), (7, 10), (14, 21))


def _of_category(table: BusinessTable, row: Row, low: int, high: int) -> tuple[int, int]:
    """The part of a range of prices that is a category's, where each costs more than the one before."""
    categories = table.column("category").choices
    if not is_ordered(categories):
        return low, high
    part = (high - low) // len(categories)
    least = low + part * categories.index(row["category"])
    return least, least + part


_RECORD_ROWS: dict[str, Callable[[Booked, Process], None]] = {
    "hold": Booked.hold,
    "slot": hours_booked,
    "seat": Booked.seat,
    "supply": Booked.supply,
    "work": Booked.work,
}
"""By shape: what fills its records."""
_MOST_SEATED = 3
"""Categories in which there are events."""
_EVENT_DAYS = (12, 19, 26, -9, 33, 15, 40, 22, -16)


def _stated(process: Process, row: Row) -> int:
    """What a unit costs by the sentence, which is the price of the plainest category; 0 without one."""
    if process.category_cents:
        return process.category_cents[row["category"]]
    categories = process.subject.column("category").choices
    return process.price_cents * (5 + categories.index(row["category"])) // 5


def _price(process: Process, cents: int, rng: random.Random) -> int:
    """What a unit costs: by the hour, the day or the month, in amounts of which a day is a thirtieth.

    Where all cost the same it is how often it was had.
    """
    if process.by_turns:
        return rng.randint(*_TIMES_USED)
    if process.shape == "slot":
        return _rounded(cents // _HOURS_OF_PRICES, 50)
    return _rounded(12 * cents, 3000) if process.monthly else _rounded(cents)


_HOURS_OF_PRICES = 3
"""Hours that cost as much as a day."""
_TIMES_USED = (3, 48)
_SERVICE_CENTS = (3000, 9000)
"""What something costs for which the trade has no usual price."""


def _rounded(cents: int, unit: int = 100) -> int:
    return max(unit, round(cents / unit) * unit)


def _ordered(row: Row, table: BusinessTable) -> Row:
    """The row's values in the order of the columns, generated ones left out."""
    return {column.name: row.get(column.name) for column in table.columns if column.kind != "number"}


def weighted(rows: list[Row], rng: random.Random) -> Row:
    """One row by chance; the first few come up most often, as a few customers have much and many little."""
    return rows[min(int(rng.expovariate(1 / (len(rows) / 4))), len(rows) - 1)]
