"""Argument values: arguments that fit a tool's JSON Schema, drawn from a seeded generator and from what
was seen."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from synthesis.documents.tools import Tool
from synthesis.worlds.arguments import MAX_TEXT, validation_error

_MOST_SEEN = 60
_LONGEST_SEEN = 500
"""Longer texts are nobody's arguments, and each is matched against the patterns of authors."""
_MOST_ITEMS = 1_000
_WORDS = ("open", "first", "new", "a", "standard", "north", "quick", "blue")
_DAY = re.compile(r"date|day|(?:^|_)on$|(?:^|_)until$|(?:^|_)from$|birth|since|deadline|due")
_MOMENT = re.compile(r"(?:^|_)at$|moment|datetime|timestamp|starts|ends")
_ATTEMPTS = 8


class _Fitting(NamedTuple):
    """Seen values that fit a schema, and what had been learned when they were looked for."""

    schema: Mapping[str, Any]
    source: str | None
    learned: int
    values: list[JsonValue]


class ArgumentValues:
    """Makes arguments. What was seen under a parameter's name, as a key of an observation or a column, is
    preferred.

    Args:
        generator: Where choices come from; the same state gives the same arguments.
        clock: The world's time, for dates nobody has seen.
    """

    def __init__(self, generator: random.Random, *, clock: datetime) -> None:
        self._random, self._clock = generator, clock
        self._seen: dict[str, dict[JsonValue, None]] = {}
        self._learned: Counter[str] = Counter()
        self._sources: dict[str, tuple[int, str | None]] = {}
        self._fitting: dict[tuple[str, int], _Fitting] = {}

    def learn(self, name: str, values: Iterable[JsonValue]) -> None:
        """Remember values under a name; the latest stay when there are too many."""
        known = self._seen.setdefault(name, {})
        for value in values:
            if not _is_long(value) and value not in known:
                known[value] = None
                self._learned[name] += 1
        if len(known) > _MOST_SEEN:
            for value in list(known)[:-_MOST_SEEN]:
                del known[value]

    def learn_each(self, name: str, values: Iterable[JsonValue]) -> None:
        """As `learn` with one value after the other, of which many are the same."""
        known, learned = self._seen.setdefault(name, {}), 0
        for value in values:
            if _is_long(value) or value in known:
                continue
            known[value] = None
            learned += 1
            if len(known) > _MOST_SEEN:
                del known[next(iter(known))]
        if learned:
            self._learned[name] += learned

    def observe(self, observation: JsonValue, *, owner: str = "") -> None:
        """Learn every scalar of an observation under its key; a bare "id" also under its owner's name.

        Args:
            observation: What a tool returned.
            owner: What the values belong to, for example "patient".
        """
        if isinstance(observation, dict):
            for key, value in observation.items():
                self.observe(value, owner=key)
                if not isinstance(value, dict | list):
                    self.learn(key, [value])
                    if key == "id" and owner:
                        self.learn(f"{singular(owner)}_id", [value])
        elif isinstance(observation, list):
            for item in observation:
                self.observe(item, owner=owner)

    def seen(self, name: str) -> tuple[JsonValue, ...]:
        """What was seen under a parameter's name, or under a name that ends with it or that it ends with."""
        source = self._source(name)
        return () if source is None else tuple(self._seen[source])

    def _source(self, name: str) -> str | None:
        """The name under which was seen what counts for a parameter; looked up again when names are new."""
        if name in self._seen:
            return name
        known = self._sources.get(name)
        if known is None or known[0] != len(self._seen):
            stem = name.removeprefix("new_").removeprefix("from_").removeprefix("to_")
            fitting = (
                each
                for each in self._seen
                if each == stem or each.endswith(f"_{name}") or name.endswith(f"_{each}")
            )
            known = self._sources[name] = len(self._seen), next(fitting, None)
        return known[1]

    def arguments(self, tool: Tool, *, optional: float = 0.3) -> dict[str, JsonValue]:
        """Arguments of one call that fit the tool's schema.

        Args:
            tool: The tool to call.
            optional: Chance that an optional parameter is given.
        """
        schema: Mapping[str, Any] = tool.input_schema
        required = set(schema.get("required", ()))
        return {
            name: self.value(name, rule)
            for name, rule in schema.get("properties", {}).items()
            if name in required or self._random.random() < optional
        }

    def value(self, name: str, schema: Mapping[str, Any]) -> JsonValue:
        """One value that fits a schema; a seen one where there is one that fits."""
        fitting = self._seen_that_fit(name, schema)
        if fitting and self._random.random() < 0.85:
            return self._random.choice(fitting)
        for _ in range(_ATTEMPTS):
            result = self._value(name, schema)
            if not validation_error(schema, result):
                return result
        return self._random.choice(fitting) if fitting else self._value(name, schema)

    def _seen_that_fit(self, name: str, schema: Mapping[str, Any]) -> list[JsonValue]:
        """What was seen under a name and fits a schema; looked for again when more was seen."""
        source = self._source(name)
        learned = 0 if source is None else self._learned[source]
        known = self._fitting.get((name, id(schema)))
        if known is None or known.schema is not schema or (known.source, known.learned) != (source, learned):
            values = [value for value in self.seen(name) if not validation_error(schema, value)]
            known = self._fitting[name, id(schema)] = _Fitting(schema, source, learned, values)
        return known.values

    def _value(self, name: str, schema: Mapping[str, Any]) -> JsonValue:
        if "anyOf" in schema:
            options = [option for option in schema["anyOf"] if option.get("type") != "null"]
            return self._value(name, self._random.choice(options or schema["anyOf"]))
        if "enum" in schema or "const" in schema:
            allowed: list[JsonValue] = schema.get("enum") or [schema["const"]]
            return self._random.choice(allowed)
        makers: dict[str, Callable[[str, Mapping[str, Any]], JsonValue]] = {
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda _name, _schema: self._random.random() < 0.5,
            "array": self._array,
            "object": self._object,
            "null": lambda _name, _schema: None,
        }
        return makers.get(schema.get("type", "string"), self._text)(name, schema)

    def _array(self, name: str, schema: Mapping[str, Any]) -> JsonValue:
        fewest = min(schema.get("minItems", 1), _MOST_ITEMS)
        most = max(fewest, min(schema.get("maxItems", 3), 3))
        items = schema.get("items") or {"type": "string"}
        return [self.value(singular(name), items) for _ in range(self._random.randint(fewest, most))]

    def _object(self, _name: str, schema: Mapping[str, Any]) -> JsonValue:
        required = set(schema.get("required", ()))
        return {
            key: self.value(key, rule)
            for key, rule in schema.get("properties", {}).items()
            if key in required or self._random.random() < 0.5
        }

    def _integer(self, _name: str, schema: Mapping[str, Any]) -> JsonValue:
        low, high = _bounds(schema)
        return self._random.randint(int(low), int(high))

    def _number(self, _name: str, schema: Mapping[str, Any]) -> JsonValue:
        return round(self._random.uniform(*_bounds(schema)), 2)

    def _text(self, name: str, schema: Mapping[str, Any]) -> str:
        described = f"{name} {schema.get('description', '')}".lower()
        day = self._clock + timedelta(days=self._random.randint(-10, 20))
        kind = time_kind(name, schema)
        if kind == "moment":
            return day.replace(second=0, microsecond=0).isoformat()
        if kind == "day":
            return day.date().isoformat()
        if "hh:mm" in described or name.endswith("time"):
            return f"{self._random.randint(7, 18):02d}:{self._random.choice((0, 15, 30, 45)):02d}"
        if "email" in name or "e-mail" in described:
            return f"{self._random.choice(_WORDS)}@example.org"
        if "phone" in name:
            return f"555-01{self._random.randint(10, 99)}"
        text = " ".join(self._random.choices(_WORDS, k=self._random.randint(1, 2)))
        return text.ljust(min(schema.get("minLength", 0), MAX_TEXT), "x")[
            : schema.get("maxLength", len(text) + 1_000)
        ]


def _is_long(value: JsonValue) -> bool:
    """Whether a value is nothing to remember: none, one with parts, or a long text."""
    if isinstance(value, str):
        return len(value) > _LONGEST_SEEN
    return value is None or isinstance(value, dict | list)


def _bounds(schema: Mapping[str, Any]) -> tuple[float, float]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 51) - 1)
    return low, max(low, min(high, low + 1_000))


def time_kind(name: str, schema: Mapping[str, Any]) -> Literal["day", "moment", ""]:
    """Whether a text parameter takes a day or a moment, by its description and its name; "" for neither."""
    described = f"{name} {schema.get('description', '')}".lower()
    if "yyyy-mm-ddthh" in described:
        return "moment"
    if "yyyy-mm-dd" in described or name.endswith("_on"):
        return "day"
    if _MOMENT.search(name):
        return "moment"
    return "day" if _DAY.search(name) else ""


_IRREGULAR = {
    "children": "child",
    "cookies": "cookie",
    "monies": "money",
    "movies": "movie",
    "people": "person",
    "pies": "pie",
    "ties": "tie",
}
"""Plurals of which no ending says what one of them is called."""


@lru_cache(maxsize=4_096)
def singular(name: str) -> str:
    """A table's or list's name for one of it: patients -> patient, entries -> entry, boxes -> box."""
    head, joint, last = name.rpartition("_")
    if last in _IRREGULAR:
        return f"{head}{joint}{_IRREGULAR[last]}"
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if name.endswith(ending) and not name.endswith("ss"):
            return name.removesuffix(ending) + replacement
    return name
