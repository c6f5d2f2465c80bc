"""Play: calls made while a task is composed, what they showed, and on what each depends."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from pydantic import JsonValue

from synthesis.documents.tasks import AnswerFact, Blocking, Temptation, Weakness
from synthesis.documents.tools import ToolCall
from synthesis.errors import BrokenEnvironment
from synthesis.procedural.business.entry_rules import all_allowed, entry_limits, verdict
from synthesis.procedural.business.model import Business, BusinessTable, Process, Row
from synthesis.procedural.business.request_grammar import worded
from synthesis.procedural.business.vocabulary import is_company
from synthesis.procedural.composing.days import DAYS
from synthesis.procedural.composing.playing import Abandoned, Playable

Kind = Literal["read", "write", "mixed", "refuse"]


_OUR = frozenset(("customer", "client", "guest", "tenant", "supplier"))
"""Those of whom a business speaks as its own: "our client Ada Lund"."""


class Seen(list[Row]):
    """Rows that a call showed, and the place of that call."""

    at: int = -1


@dataclass
class TaskDraft:
    """A task before it has its final words."""

    kind: Kind
    name: str
    text: str
    """What is asked, in whole sentences."""
    answer: str
    facts: list[AnswerFact] = field(default_factory=list)
    blocking: list[Blocking] = field(default_factory=list)
    temptations: list[Temptation] = field(default_factory=list)
    by_policy: bool = False
    """Whether its outcome rests on a rule that no tool enforces."""
    people: tuple[str, ...] = ()


class TaskBuilder:
    """One task in the making.

    Args:
        business: Whose task.
        instance: Where calls are made; fresh.
        rng: Where choices come from.
    """

    def __init__(self, business: Business, instance: Playable, rng: random.Random) -> None:
        self.business, self.instance, self.rng = business, instance, rng
        self.calls: list[ToolCall] = []
        self.seen: list[JsonValue] = []
        self.depths: list[int] = []
        self.temptations: list[Temptation] = []
        self._shown: dict[tuple[str, int], int] = {}
        self._tables: dict[str, list[Row]] = {}

    def call(self, tool: str, because: Sequence[int] = (), **arguments: Any) -> Any:
        """Make a call.

        Args:
            tool: Its name.
            because: Places of earlier calls on whose answers the decision to make it depends.
            arguments: What it is given.

        Raises:
            Abandoned: The tool refused.
            BrokenEnvironment: The tool failed.
        """
        result = self.instance.call(tool, arguments)
        if result.status == "refused":
            raise Abandoned(f"{tool}: {result.message}")
        if not result.ok:
            raise BrokenEnvironment(f"{tool}: {result.message}", part="tools", where=tool)
        fed = {self._shown[name, value] for name, value in arguments.items() if (name, value) in self._shown}
        needed = fed | {place for place in because if place >= 0}
        self.depths.append(1 + max(self.depths[place] for place in needed) if needed else 0)
        self.calls.append(ToolCall(name=tool, arguments=arguments))
        self.seen.append(result.value)
        self._learn(result.value, len(self.calls) - 1)
        if tool not in self._reading:
            self._tables = {}
        return result.value

    @property
    def _reading(self) -> set[str]:
        return {name for meaning, name in self.business.tool.items() if meaning.startswith(("find ", "get "))}

    @property
    def last(self) -> int:
        """Place of the latest call."""
        return len(self.calls) - 1

    def _learn(self, value: JsonValue, place: int) -> None:
        if isinstance(value, list):
            for part in value:
                self._learn(part, place)
        elif isinstance(value, dict):
            for name, part in value.items():
                if name.endswith("_id") and isinstance(part, int):
                    self._shown.setdefault((name, part), place)
                elif isinstance(part, dict | list):
                    self._learn(part, place)

    def find(self, table: BusinessTable, because: Sequence[int] = (), **filters: JsonValue) -> Seen:
        """All rows that a table's list tool shows with some filters, with flat names."""
        tool = self.business.tool[f"find {table.name}"]
        size = "page_size" if self.business.style.pages == "page" else "limit"
        value = self.instance.call(tool, dict(filters))
        more = value.ok and isinstance(value.value, dict) and value.value["total"] > self.business.style.limit  # type: ignore[operator]
        given = {**filters, size: 50} if more else filters
        answer = self.call(tool, because, **given)
        if answer["total"] > 50:
            raise Abandoned("more rows than one page shows")
        rows = Seen(self.row(table, self.key(table, item)) for item in answer["items"])
        rows.at = self.last
        return rows

    def get(self, table: BusinessTable, row: Row, because: Sequence[int] = ()) -> Row:
        """Everything about one row."""
        if f"get {table.name}" in self.business.tool:
            self.call(self.business.tool[f"get {table.name}"], because, **{table.key: row["id"]})
        return self.row(table, row["id"])

    def key(self, table: BusinessTable, shown: Row) -> int:
        """The key of a row that an observation shows."""
        return int(shown[table.key])

    def row(self, table: BusinessTable, key: int) -> Row:
        """A row as it is now."""
        return next(row for row in self.rows(table) if row["id"] == key)

    def rows(self, table: BusinessTable, **wanted: Any) -> list[Row]:
        """Rows as they are now, those with the wanted values."""
        if table.name not in self._tables:
            self._tables[table.name] = self.instance.query(f"SELECT * FROM {table.name} ORDER BY id")  # noqa: S608
        return [row for row in self._tables[table.name] if all(row[n] == v for n, v in wanted.items())]

    def pick(self, rows: Sequence[Any]) -> Any:
        """One of some things by chance.

        Raises:
            Abandoned: There are none.
        """
        if not rows:
            raise Abandoned("nothing fits")
        return self.rng.choice(list(rows))

    def may_enter(
        self, process: Process, party: Row, wanted: Mapping[str, Any], *, but: str = ""
    ) -> bool | None:
        """Whether what the sentence states of new records allows one; None where it can be read in two ways.

        Args:
            process: The process of the record.
            party: Who would get it.
            wanted: Its columns, as far as days go.
            but: One kind of limit; what it says does not count.
        """
        limits = [kind for kind in entry_limits(self.business, process) if kind != but]
        others = self.rows(process.record, **{process.party.key: party["id"]}) if limits else []
        return all_allowed(verdict(self.business, process, kind, party, others, wanted) for kind in limits)

    def say(self, goal: str, process: Process | None = None, *, rule: str = "say", **about: object) -> str:
        """What is asked, in words drawn for this task.

        Args:
            goal: A goal of the request grammar.
            process: What the goal is about, where it is about one.
            rule: Which of the goal's rules.
            about: Further fields by name; underscores are spoken as spaces.
        """
        fields = {name: str(value).replace("_", " ") for name, value in about.items()}
        name, noun = fields.get("who", ""), (process.party if process else self.business.party).noun
        if name:
            fields["who"] = self._addressed(noun, name)
        text = worded(goal, rule, {**self._words(process), **fields}, self.rng)
        return _named_in_full_once(text, name, noun) if name else text

    def _addressed(self, noun: str, who: str) -> str:
        """A name, at times with what the person is to the business, where one word says that."""
        named = noun.rpartition(" ")[2] in who.lower()
        if self.rng.random() < 0.6 or named or " " in noun:
            return who
        return f"{self.rng.choice(('our', 'the')) if noun in _OUR else 'the'} {noun} {who}"

    def _words(self, process: Process | None) -> dict[str, str]:
        b = self.business
        nouns = {
            "charge": b.charge,
            "payment": b.payment,
            "notice": b.notice,
            "staff": b.staff,
            "party": b.party,
        }
        if process is not None:
            nouns |= {"record": process.record, "unit": process.subject, "party": process.party}
        words = {name: table.noun for name, table in nouns.items()}
        words |= {f"{name}s": table.many for name, table in nouns.items() if name != "party"}
        words |= {
            "parties": nouns["party"].many,
            "zero": b.money(0),
            "title": b.title,
            "firm": _short(b.noun),
        }
        words |= {"clerk": b.clerk, "supervisor": b.supervisor}
        return (
            words
            if process is None
            else {
                **words,
                "amount": process.amount,
                "period": process.period,
                "rate": process.rate,
                **self._verbs(process),
            }
        )

    def _verbs(self, process: Process) -> dict[str, str]:
        """Words of a process's actions; what somebody decides is "closed" or "decided", not "serviced"."""
        ends = {"close": "decide" if process.states[2] == "decided" else "close"}
        return {**process.acts, **(ends if process.shape == "work" else {})}

    def party(self, table: BusinessTable, row: Row) -> int:
        """Look somebody up by name; the place of the call that showed who it is."""
        matches = self.find(table, name=row["name"])
        return matches.at

    def who(self, table: BusinessTable, row: Row) -> str:
        """How a request names somebody; with the city where the name alone is not enough."""
        same = [other for other in self.rows(table) if row["name"] in other["name"]]
        return row["name"] if len(same) == 1 else f"{row['name']} from {row['city']}"

    def day(self, value: str) -> str:
        """A day as this world's people write it."""
        b = self.business
        return DAYS[b.style.days](value, b.clock)

    def tempt(self, weakness: Weakness, calls: Sequence[tuple[str, dict[str, Any]]], answer: str) -> None:
        """Note what a weak agent would do instead of what is still to come; it did all the looking up."""
        wrong = [ToolCall(name=name, arguments=arguments) for name, arguments in calls]
        self.temptations.append(Temptation(weakness=weakness, calls=(*self.calls, *wrong), answer=answer))

    def answer(self, draft: TaskDraft) -> str:
        """The reference answer: every fact in a sentence of its own."""
        texts = [f"The {fact.name} is {self._spoken(fact)}." for fact in draft.facts]
        return " ".join(["Done.", *texts] if draft.kind != "read" else texts)

    def _spoken(self, fact: AnswerFact) -> str:
        if fact.type == "money_cents":
            return self.business.money(int(fact.value))
        return self.day(str(fact.value)) if fact.type == "date" else str(fact.value)

    def company(self, table: BusinessTable) -> bool:
        """Whether those of a table are organisations."""
        return is_company(table.noun)

    def days_until(self, day: str) -> int:
        """Days from today; negative for the past."""
        return (date.fromisoformat(day) - self.business.today).days


def _short(noun: str) -> str:
    """What people call a business with a long name: its last two words, or the last behind "and"."""
    words = noun.split()
    joined = {"and", "of", "for", "in", "with"} & set(words)
    return words[-1] if joined else " ".join(words[-2:])


def fact(name: str, type: Any, value: Any) -> AnswerFact:
    """One fact of an answer."""
    return AnswerFact(name=name[:120], type=type, value=value)


def _named_in_full_once(text: str, name: str, noun: str) -> str:
    """A request that says once what somebody is and where they are from, and only the name from then on."""
    short, _, city = name.partition(" from ")
    home = f"(?: from {re.escape(city)})?" if city else ""
    full = re.compile(rf"(?:\b(?:our|the) {re.escape(noun)} )?{re.escape(short)}{home}", re.IGNORECASE)
    first = full.search(text)
    return text if first is None else text[: first.end()] + full.sub(short, text[first.end() :])
