"""Record rows: what happened before the world's first day, process by process."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date

from synthesis.procedural.business.amounts import drawn_amount
from synthesis.procedural.business.deadlines import due_after
from synthesis.procedural.business.entry_rules import entry_limits
from synthesis.procedural.business.labels import labels
from synthesis.procedural.business.measures import measured
from synthesis.procedural.business.model import Business, BusinessTable, Process, Row
from synthesis.procedural.business.proofs import lacking
from synthesis.procedural.business.qualification import is_qualified
from synthesis.procedural.business.record_costs import costs_of, deposit_of, price_of
from synthesis.procedural.business.recurrence import chain, chains_of, recurrence_of
from synthesis.procedural.business.terms import MEANING


class Booked:
    """Fills the tables of records; everything it writes obeys the rules of the policy.

    Args:
        business: Whose.
        rows: All rows so far, by table; records are added.
        rng: Where choices come from.
    """

    def __init__(self, business: Business, rows: dict[str, list[Row]], rng: random.Random) -> None:
        self.business, self.rows, self.rng = business, rows, rng

    def add(self, table: BusinessTable, **values: object) -> Row:
        """One more row with the next key."""
        row: Row = {"id": table.base + len(self.rows[table.name]) + 1, **values}
        for name in MEANING:
            if table.has(name):
                row[name] = self.rng.choice(table.column(name).choices)
        self.rows[table.name].append(row)
        return row

    def party(self, process: Process, most: int | None = None, taken: Counter[int] | None = None) -> Row:
        """Somebody in good standing; a few have much and many little. Nobody gets more than `most`."""
        rows = self._in_good_standing(process)
        if self.rng.random() < (_OFTEN_SEEN if process.staffed else 0.55):
            rows = rows[:4]
        for _ in range(60):
            row = rows[min(int(self.rng.expovariate(4 / len(rows))), len(rows) - 1)]
            if most is None or taken is None or taken[row["id"]] < most:
                return row
        assert taken is not None
        return min(self._in_good_standing(process), key=lambda row: taken[row["id"]])

    def _in_good_standing(self, process: Process) -> list[Row]:
        limits = entry_limits(self.business, process).values()
        good = [row for row in self.rows[process.party.name] if row["standing"] == "good"]
        return [row for row in good if not lacking(process, limits, process.party, row)]

    def _fitting(self, process: Process, table: BusinessTable, rows: list[Row]) -> list[Row]:
        """Those of what people bring that have what the sentence requires."""
        limits = entry_limits(self.business, process).values()
        return [row for row in rows if not lacking(process, limits, table, row)]

    def hold(self, process: Process) -> None:
        """For each unit one thing after the other: past, under way or overdue, and to come."""
        rng, b = self.rng, self.business
        most, renewals = b.value(f"{process.record.name}.most"), b.value(f"{process.record.name}.renew")
        limits = entry_limits(b, process)
        longest = limits["longest"].days if "longest" in limits else 400
        shortest = limits["shortest"].days if "shortest" in limits else 1
        opened: Counter[int] = Counter()
        for number, unit in enumerate(self.rows[process.subject.name]):
            day = -rng.randint(100, 400) if process.monthly else -rng.randint(16, 34)
            late = number % 4 == 2 and unit["active"]
            while day < (150 if process.monthly else 24):
                day += rng.randint(4, 9) if day > 0 else rng.randint(1, 7)  # most can be extended
                length = 30 * rng.randint(2, 9) if process.monthly else rng.randint(3, 12)
                length = min(max(length, shortest), longest)
                end = day + length
                if end >= 0 and day < 1 and late:
                    end = -rng.randint(2, 9)
                    least = min(max(60 if process.monthly else 3, shortest), longest)
                    day = max(min(day, end - least), end - longest)
                if end < 0 and not (late and end > -11):
                    self._past(process, unit, day, end)
                elif unit["active"]:
                    if all(opened[row["id"]] >= most for row in self._in_good_standing(process)):
                        break  # nobody may have one more
                    party = self._holder(process, number, day, most, opened)
                    opened[party["id"]] += 1
                    is_awaited = "no_show" in process.states and -2 < day <= 0  # who has not come yet
                    status = process.states[1] if day <= 0 and not is_awaited else process.states[0]
                    used = renewals if day <= 0 and number % 4 in (1, 2) else 0
                    used = 0 if is_awaited else used
                    self._held(process, unit, party, day, end, status, used)
                    if end < 0:
                        late, end = False, rng.randint(9, 14)
                day = end + 1
                if number % 2 == 1 and day > 4:
                    break
            if process.is_losable and not unit["active"]:
                self._lose(process, unit)

    def _holder(self, process: Process, number: int, day: int, most: int, opened: Counter[int]) -> Row:
        """Who has a unit: some have two, of which one may be extended and one may not."""
        today, states = self.business.day(0), process.states
        rows = [row for row in self.rows[process.record.name] if row["status"] == states[1]]
        last = next((row[process.party.key] for row in rows[::-1] if row["ends_on"] >= today), 0)
        if number % 4 == 1 and day <= 0 and last and opened[last] < most:
            return next(row for row in self.rows[process.party.name] if row["id"] == last)
        return self.party(process, most, opened)

    def _past(self, process: Process, unit: Row, day: int, end: int) -> None:
        rng = self.rng
        party = self.party(process)
        ending = rng.choices(process.states[2:], (8, 2, 0 if process.is_losable else 1))[0]
        over = rng.choice((0, 0, 0, 1, 2)) if ending == process.states[2] else 0
        closed = {process.states[2]: end + over, process.states[3]: day - rng.randint(4, 9)}.get(ending, day)
        self._held(process, unit, party, day, end, ending, 0, min(closed, -1))

    def _lose(self, process: Process, unit: Row) -> None:
        """What is out of use was lost by whoever had it last: nobody had it after that."""
        status, rows = process.states[4], self.rows[process.record.name]
        own = [row for row in rows if row[process.subject.key] == unit["id"]]
        for last in sorted(own, key=lambda row: str(row["starts_on"]))[-1:]:
            last |= {"status": status, "closed_on": last["ends_on"], **deposit_of(process, unit, status)}

    def _held(
        self,
        process: Process,
        unit: Row,
        party: Row,
        start: int,
        end: int,
        status: str,
        used: int,
        closed: int | None = None,
    ) -> None:
        b, table = self.business, process.record
        limits = entry_limits(b, process)
        booked = min(start, 0) - self.rng.randint(1, 14)  # what is still ahead was booked on several days
        booked = min(booked, start - limits["ahead"].days - 1) if "ahead" in limits else booked
        booked = booked if closed is None else min(booked, closed)
        row = self.add(
            table,
            **{
                process.party.key: party["id"],
                process.subject.key: unit["id"],
                "status": status,
                "booked_on": b.day(booked),
                "starts_on": b.day(start),
                "ends_on": b.day(end),
                "extensions": used,
                **price_of(process, unit),
                **deposit_of(process, unit, status),
                "closed_on": None if closed is None else b.day(closed),
            },
        )
        if process.item is not None:
            row[process.item.key] = None
            own = [i for i in self.rows[process.item.name] if i[process.party.key] == party["id"]]
            own = self._fitting(process, process.item, own)
            free = [item for item in own if not self._is_elsewhere(process, item, row)]
            item = self.rng.choice(free) if free else self._item(process, party)
            row[process.item.key] = item["id"]

    def _is_elsewhere(self, process: Process, item: Row, record: Row) -> bool:
        """Whether an item is at some place already in the period of a record."""
        assert process.item is not None
        there = self.rows[process.record.name]
        same = [row for row in there if row[process.item.key] == item["id"]]
        today = self.business.day(0)
        ends = {row["id"]: row["closed_on"] or max(row["ends_on"], today) for row in (*same, record)}
        return any(
            row["starts_on"] <= ends[record["id"]] and record["starts_on"] <= ends[row["id"]] for row in same
        )

    def _item(self, process: Process, party: Row) -> Row:
        table = process.item
        assert table is not None
        taken = {row["name"] for row in self.rows[table.name]}
        ends = {name[-2:] for name in taken}  # "Box 32" would find "Box T32"
        names = [name for name in labels(table.noun, "item", 50, self.rng) if name not in taken]
        categories = table.column("category").choices
        return self.add(
            table,
            **{
                **{name: value for name, value in self.rows[table.name][0].items() if name != "id"},
                "name": min(names, key=lambda name: name[-2:] in ends),
                "category": self.rng.choice(categories),
                process.party.key: party["id"],
                **measured(table, self.rng),
            },
        )

    def seat(self, process: Process) -> None:
        """Events that took place, events with places left, and full ones with people waiting."""
        rng, b = self.rng, self.business
        most = b.value(f"{process.record.name}.places")
        for number, event in enumerate(self.rows[process.subject.name]):
            start = (date.fromisoformat(event["starts_on"]) - b.today).days
            left, used = event["capacity"], set[int]()
            full = start > 0 and number % 3 != 2
            target = 0 if full else min(rng.randint(2, 4), left - 2) if start > 0 else rng.randint(0, 1)
            there = self._alike(process, event)
            while left > target:
                party = self.party(process)
                if party["id"] in used or (party["id"] in there and rng.random() < 0.97):
                    good = self._in_good_standing(process)  # few have places in two of a kind
                    others = [row for row in good if row["id"] not in used | there]
                    if not others:
                        break
                    party = rng.choice(others)
                used.add(party["id"])
                places = min(rng.choice((1, 1, 2, 2, 3)), most, left - target)
                status = process.states[1] if start > 0 else process.states[3]
                self._registered(process, event, party, places, status, start)
                left -= places
            if full and left == 0:
                self._waiting(process, event, used, start, most)
            elif start > 0:
                self._given_up(process, event, used, start)

    def _left(self, process: Process, event: Row) -> int:
        rows = (row for row in self.rows[process.record.name] if row[process.subject.key] == event["id"])
        taken = sum(int(row["places"]) for row in rows if row["status"] == process.states[1])
        return int(event["capacity"]) - taken

    def _alike(self, process: Process, event: Row) -> set[int]:
        """Who has places in other events of the category of one."""
        key = process.subject.key
        alike = {row["id"] for row in self.rows[process.subject.name] if row["category"] == event["category"]}
        return {row[process.party.key] for row in self.rows[process.record.name] if row[key] in alike}

    def _given_up(self, process: Process, event: Row, used: set[int], start: int) -> None:
        """Somebody withdrew, and somebody waits who needs more places than are free."""
        free = [row for row in self._in_good_standing(process) if row["id"] not in used]
        left = self._left(process, event)
        withdrawn, waiting = self.rng.sample(free, 2) if len(free) > 1 else (None, None)
        if waiting and left < self.business.value(f"{process.record.name}.places"):
            self._registered(process, event, waiting, left + 1, process.states[0], start, ago=20)
        if withdrawn:
            self._registered(process, event, withdrawn, 1, process.states[2], start, ago=21)

    def _waiting(self, process: Process, event: Row, used: set[int], start: int, most: int) -> None:
        others = [row for row in self._in_good_standing(process) if row["id"] not in used]
        for number, party in enumerate(self.rng.sample(others, min(4, len(others)))):
            places = 1 if number else min(3, most)
            self._registered(process, event, party, places, process.states[0], start, ago=20 - 4 * number)

    def _registered(
        self,
        process: Process,
        event: Row,
        party: Row,
        places: int,
        status: str,
        start: int,
        ago: int | None = None,
    ) -> None:
        b, rng = self.business, self.rng
        on = -ago if ago else min(start, 0) - rng.randint(21, 50)
        closed = {process.states[2]: on + rng.randint(1, 15), process.states[3]: start}.get(status)
        self.add(
            process.record,
            **{
                process.party.key: party["id"],
                process.subject.key: event["id"],
                "status": status,
                "registered_on": b.day(on),
                "places": places,
                "closed_on": None if closed is None else b.day(closed),
            },
        )

    def supply(self, process: Process) -> None:
        """Orders of the last two months, the latest still to be fulfilled."""
        rng, b, states = self.rng, self.business, process.states
        items = [item for item in self.rows[process.subject.name] if item["active"]]
        ahead = entry_limits(b, process).get("ahead")
        spans = [days for days in _SOON if ahead is None or days >= ahead.days]
        for number in range(process.record.rows):
            item = items[(number * 3) % len(items)]
            placed = -rng.randint(1, 12) if number % 2 == 0 else -rng.randint(16, 50)
            status = states[0] if number % 2 == 0 else rng.choices(states[1:], (6, 1, 1))[0]
            quantity = process.pack_of(item) * rng.randint(1, 4)
            closed = None if status == states[0] else min(placed + rng.randint(2, 14), -1)
            self.add(
                process.record,
                **{
                    process.party.key: self.party(process)["id"],
                    process.subject.key: item["id"],
                    "status": status,
                    "quantity": quantity,
                    **costs_of(process, item, quantity),
                    "placed_on": b.day(placed),
                    "due_on": b.day(placed + rng.choice(spans if process is b.chased else (14, 21))),
                    "closed_on": None if closed is None else b.day(closed),
                },
            )

    def work(self, process: Process) -> None:
        """Matters that are open, assigned or closed; who has them is qualified and not overloaded."""
        rng, b, states = self.rng, self.business, process.states
        name = process.record.name
        load = b.value(f"{name}.assign")
        able = [worker for worker in self.rows[b.staff.name] if is_qualified(process, worker)]
        desks = self._desks(able, load)
        subjects = self._fitting(process, process.subject, self.rows[process.subject.name])
        results = (process.results[0], *process.results)  # mostly as everybody hopes
        owner = process.party.key if process.subject.has(process.party.key) else ""
        if recurrence_of(b, process) is not None:
            shared = any(each.shape != "work" and each.subject is process.subject for each in b.processes)
            people = self._in_good_standing(process)
            self._recurring(process, able, desks, chains_of(people, subjects, owner, each=shared))
            return
        for number in range(process.record.rows):
            subject = subjects[number % len(subjects)]
            party_id = subject[owner] if owner else self.party(process)["id"]
            status = (states[0], states[1], states[2], states[1], states[2], states[3])[number % 6]
            earliest = 22 if process is b.chased else 9
            opened = -rng.randint(1, earliest) if status in states[:2] else -rng.randint(14, 60)
            priority = "urgent" if number % 4 == 0 else "normal"
            days = due_after(b, process, subject, priority)
            worker = None
            if status == states[1]:
                if desks:
                    worker = desks.pop()
                else:
                    status = states[0]
            elif status == states[2]:
                worker = rng.choice(able)
            closed = None if status in states[:2] else b.day(min(opened + rng.randint(1, 12), -1))
            self.add(
                process.record,
                **{
                    process.party.key: party_id,
                    process.subject.key: subject["id"],
                    "status": status,
                    b.staff.key: worker["id"] if worker else None,
                    "priority": priority,
                    process.amount_column: drawn_amount(process, subject, rng),
                    "opened_on": b.day(opened),
                    "due_on": b.day(opened + days),
                    "result": rng.choice(results) if status == states[2] else None,
                    "closed_on": closed,
                },
            )

    def _recurring(
        self, process: Process, able: list[Row], desks: list[Row], chains: list[tuple[int, Row]]
    ) -> None:
        """What recurs: of each thing what was closed, and the next one, which is open or assigned."""
        limit, results = recurrence_of(self.business, process), (process.results[0], *process.results)
        assert limit is not None
        for number, (party_id, subject) in enumerate(chains):
            amount = drawn_amount(process, subject, self.rng)
            for each in chain(limit.days, number, self.rng):
                given = bool(desks) and number % 5 != 4  # every fifth waits for somebody
                status = process.states[2 if each.closed is not None else int(given)]
                worker = self.rng.choice(able) if each.closed is not None else desks.pop() if given else None
                self.add(
                    process.record,
                    **{
                        process.party.key: party_id,
                        process.subject.key: subject["id"],
                        "status": status,
                        self.business.staff.key: worker["id"] if worker else None,
                        "priority": "normal",
                        process.amount_column: amount,
                        "opened_on": self.business.day(each.opened),
                        "due_on": self.business.day(each.due),
                        "result": self.rng.choice(results) if each.closed is not None else None,
                        "closed_on": None if each.closed is None else self.business.day(each.closed),
                    },
                )

    def _desks(self, able: list[Row], load: int) -> list[Row]:
        """Who has the next matter, to be taken from the end: everybody as often as they have matters.

        Loads differ, so that it is seldom the alphabet that decides who gets the next one. Whoever is off
        duty was given two before, which wait for somebody else.
        """
        on_duty = [worker for worker in able if worker["on_duty"]]
        loads = [number % load for number in range(len(on_duty))]
        self.rng.shuffle(loads)
        away = [worker for worker in able if not worker["on_duty"]]
        desks = [worker for worker, count in zip(on_duty, loads, strict=True) for _ in range(count)]
        self.rng.shuffle(desks)
        return desks + 2 * away[:1]


_OFTEN_SEEN = 0.2
"""Share of appointments of the few who come most often."""
_SOON = (3, 5, 14, 21)
"""Days after which orders are due where those that are late are followed up."""
