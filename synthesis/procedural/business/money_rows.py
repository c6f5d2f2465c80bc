"""Money rows: charges that follow from records by the rules, their payments, notices and handovers."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta

from synthesis.procedural.business.amounts import in_steps, is_worth, job_range
from synthesis.procedural.business.chasing import chased_in, doubled_in
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.exempt import is_exempt
from synthesis.procedural.business.model import Business, BusinessTable, Process, Row
from synthesis.procedural.business.patterns import patterns
from synthesis.procedural.composing.wording import snake

_ENTERED = ("raised_on", "booked_on", "opened_on", "placed_on", "registered_on")
"""Columns with the day on which something was entered."""
_DOUBLED = 2


class MoneyRows:
    """Fills charges, payments, notices and handovers.

    Args:
        business: Whose.
        rows: All rows so far, by table.
        rng: Where choices come from.
    """

    def __init__(self, business: Business, rows: dict[str, list[Row]], rng: random.Random) -> None:
        self.business, self.rows, self.rng = business, rows, rng

    def fill(self) -> None:
        """Write them all."""
        for process in self.business.processes:
            if self.business.bills(process):
                for row in self.rows[process.record.name]:
                    self._charge_for(process, row)
        self._settle()
        if self.business.has_charges:
            self._paid_twice()
        self._entered_twice()
        self._notices()
        self._handovers()

    def _add(self, table: BusinessTable, **values: object) -> Row:
        row: Row = {"id": table.base + len(self.rows[table.name]) + 1, **values}
        self.rows[table.name].append(row)
        return row

    def _charge_for(self, process: Process, row: Row) -> None:
        if len(self.rows[self.business.charge.name]) >= 48 or row["closed_on"] is None:
            return
        kind, amount = "service", 0
        if process.shape == "hold":
            kind, amount = self._held(process, row)
        elif process.shape == "slot":
            kind, amount = self._booked(process, row)
        elif process.shape == "seat" and row["status"] == process.states[3]:
            events = self.rows[process.subject.name]
            price = next(e["price_cents"] for e in events if e["id"] == row[process.subject.key])
            amount = row["places"] * price
        elif process.shape == "work" and _is_billed(process, row):
            amount = row["amount_cents"]
            if is_worth(process):  # what is declared of a car is not what its delivery costs
                amount = self._price_of_job(process, row)
        elif process.shape == "supply" and row["status"] == process.states[1]:
            amount = row["total_cents"]
        if not amount:
            return
        party = next(each for each in self.rows[process.party.name] if each["id"] == row[process.party.key])
        if not is_exempt(self.business, process, party, kind):
            self._charge(process, row, kind, amount)

    def _price_of_job(self, process: Process, row: Row) -> int:
        """What is charged for a job whose record has another amount: the price of its kind, if it has one."""
        kinds = self.rows[process.subject.name]
        kind = next(each for each in kinds if each["id"] == row[process.subject.key])
        low, high = job_range(process)
        return int(kind.get("standard_cents") or in_steps(low + (high - low) * (row["id"] % 10) // 10))

    def _held(self, process: Process, row: Row) -> tuple[str, int]:
        b, name = self.business, process.record.name
        if row["status"] == process.states[2]:
            late = _days(row["ends_on"], row["closed_on"])
            if late > 0:
                return snake(process.late), b.late_cents(process, row, late)
            return "service", process.day_cents(row) * max(1, _days(row["starts_on"], row["ends_on"]))
        if row["status"] == process.states[3]:
            if _days(row["closed_on"], row["starts_on"]) < b.value(f"{name}.notice", "days"):
                return "cancellation", b.value(f"{name}.notice", "fee") * row[process.price]
            return "", 0
        if not process.is_losable:
            return "cancellation", row[process.price]
        unit = next(u for u in self.rows[process.subject.name] if u["id"] == row[process.subject.key])
        return "replacement", unit["replacement_cents"]

    def _booked(self, process: Process, row: Row) -> tuple[str, int]:
        b, rule = self.business, f"{process.record.name}.notice"
        if row["status"] == process.states[2]:
            return "service", process.cents(row)
        if row["status"] == process.states[4]:
            return "cancellation", process.missed_cents(row)
        late = _days(row["closed_on"], row["starts_on"]) < b.value(rule, "days")
        return "cancellation", process.called_off_cents(row, b.value(rule, "fee")) if late else 0

    def _charge(self, process: Process, row: Row, kind: str, amount: int) -> None:
        b = self.business
        number = len(self.rows[b.charge.name])
        raised = date.fromisoformat(row["closed_on"])
        waived = number % 9 == 4 and kind == snake(process.late)
        self._add(
            b.charge,
            **{
                b.party.key: row[b.party.key],
                "reference": number_of(process.record, row),
                "kind": kind,
                "amount_cents": amount,
                "status": "waived" if waived else "open",
                "raised_on": raised.isoformat(),
                "due_on": (raised + timedelta(days=14)).isoformat(),
            },
        )

    def _settle(self) -> None:
        """Payments of some charges: the dear ones are paid first, so that what is open is mostly small."""
        charges = self.rows[self.business.charge.name] if self.business.has_charges else []
        opened = [charge for charge in charges if charge["status"] == "open"]
        dear = sorted(charge["amount_cents"] for charge in opened)[len(opened) // 2 :]
        for number, charge in enumerate(opened):
            is_paid = number % 4 == 1 if charge["amount_cents"] < dear[0] else number % 3 != 1
            if is_paid:
                charge["status"] = "paid"
                raised = date.fromisoformat(charge["raised_on"])
                self._payment(charge, raised + timedelta(days=self.rng.randint(0, 10)))

    def _payment(self, charge: Row, day: date) -> Row:
        b = self.business
        day = min(day, b.today - timedelta(days=1))
        methods = b.payment.column("method").choices
        return self._add(
            b.payment,
            **{
                b.charge.key: charge["id"],
                "amount_cents": charge["amount_cents"],
                "method": self.rng.choice(methods),
                "paid_on": max(day.isoformat(), charge["raised_on"]),
                "status": "received",
            },
        )

    def _paid_twice(self) -> None:
        """Two charges were paid twice: a mistake on record that a task puts right."""
        b = self.business
        paid = [c for c in self.rows[b.charge.name] if c["status"] == "paid"]
        first = {p[b.charge.key]: p for p in self.rows[b.payment.name]}
        fitting = [c for c in paid if first[c["id"]]["paid_on"] < b.day(-3)]
        for charge in fitting[:2]:
            later = date.fromisoformat(first[charge["id"]]["paid_on"]) + timedelta(days=2)
            self._payment(charge, later)

    def _entered_twice(self) -> None:
        """Two records were entered twice: a mistake on record that a task puts right."""
        b = self.business
        if (process := doubled_in(b)) is None:
            return
        table, day = process.record, next(name for name in _ENTERED if process.record.has(name))
        rows = self.rows[table.name]
        waiting = [row for row in rows if row["status"] == process.states[0] and row[day] < b.day(-3)]
        of = Counter(row[process.party.key] for row in waiting)
        single = [row for row in waiting if of[row[process.party.key]] <= 3]
        for row in single[:_DOUBLED]:
            later = date.fromisoformat(row[day]) + timedelta(days=self.rng.randint(1, 2))
            values = {name: value for name, value in row.items() if name != "id"}
            self._add(table, **{**values, day: later.isoformat()})

    def _notices(self) -> None:
        b, rng = self.business, self.rng
        if (chased := chased_in(b)) is None:
            self._confirm(next(p.record for p in b.processes if p.party is b.party))
            return
        table, due, gap = chased.table, chased.due, b.value("remind", "gap")
        late = [
            row
            for row in self.rows[table.name]
            if row["status"] in chased.states and row[due] < b.day(-b.value("remind", "late"))
        ]
        for number, row in enumerate(late):
            if number % 3 == 0:
                self._notice(table, row, chased.notice, -rng.randint(1, gap - 2))
            elif number % 3 == 1 and row[due] < b.day(-gap - 5):
                self._notice(table, row, chased.notice, -gap - rng.randint(2, 4))
        self._confirm(table)

    def _confirm(self, table: BusinessTable) -> None:
        """Notices of what was entered, on the day on which it was."""
        b, rows = self.business, self.rows[table.name]
        for row in self.rng.sample(rows, min(6, len(rows))):
            day = next(row[name] for name in _ENTERED if table.has(name))
            self._notice(table, row, "confirmation", min(_days(b.day(0), day), 0))

    def _notice(self, table: BusinessTable, row: Row, kind: str, day: int) -> None:
        b = self.business
        self._add(
            b.notice,
            **{
                b.party.key: row[b.party.key],
                "reference": number_of(table, row),
                "kind": kind,
                "sent_on": b.day(day),
            },
        )

    def _handovers(self) -> None:
        b = self.business
        leaders = [s for s in self.rows[b.staff.name] if s["role"] == b.staff.column("role").choices[1]]
        table = b.charge if b.has_charges else b.processes[0].record
        for number, row in enumerate(self.rows[table.name][:4]):
            day = next(row[name] for name in ("due_on", *_ENTERED) if table.has(name))
            self._add(
                b.handover,
                **{
                    "reference": number_of(table, row),
                    b.staff.key: leaders[number % len(leaders)]["id"],
                    "reason": ("complaint", "unclear")[number % 2],
                    "opened_on": min(day, b.day(-1)),
                },
            )


def _is_billed(process: Process, row: Row) -> bool:
    """work: whether a record was closed with a result for which somebody pays."""
    closed = row["status"] == process.states[2]
    return closed and row["result"] not in patterns()[process.pattern].unbilled


def _days(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
