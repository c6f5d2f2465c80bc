# ruff: noqa: ARG002 - every kind of field is drawn through the same arguments
"""FieldValues: plausible values for one field, from its kind, its bounds and the world's clock."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from synthesis.procedural.composing.vocabulary import vocabulary
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.derived.identifiers import split_words
from synthesis.procedural.derived.relation import PEOPLE, Field, Relation, Value

_FIRMS = re.compile(
    r"\b(company|supplier|vendor|shipper|publisher|brand|organisation|organization|airline|manufacturer|partner|carrier"
    r"|merchant|store|shop|bank|agency|employer|account)$"
)
_WORDS = [
    "Amber",
    "Birch",
    "Copper",
    "Coral",
    "Crimson",
    "Dawn",
    "Ember",
    "Fern",
    "Golden",
    "Granite",
    "Hazel",
    "Indigo",
    "Ivory",
    "Jade",
    "Lunar",
    "Maple",
    "Misty",
    "Noble",
    "Olive",
    "Opal",
    "Pearl",
    "Quiet",
    "Rapid",
    "Royal",
    "Scarlet",
    "Silver",
    "Stone",
    "Swift",
    "Velvet",
    "Winter",
]
_NOUNS = [
    "Anchor",
    "Arrow",
    "Beacon",
    "Bridge",
    "Canyon",
    "Circle",
    "Cloud",
    "Compass",
    "Crown",
    "Falcon",
    "Feather",
    "Field",
    "Forest",
    "Garden",
    "Harbour",
    "Horizon",
    "Island",
    "Lantern",
    "Meadow",
    "Mirror",
    "Mountain",
    "Orchard",
    "River",
    "Shadow",
    "Summit",
    "Tower",
    "Valley",
    "Voyage",
    "Willow",
    "Window",
]
_KNOWN = {
    "genre": "Rock Jazz Blues Classical Folk Electronic Reggae Soul Opera Metal Pop Country Drama Comedy",
    "country": "Austria Belgium Brazil Canada Denmark Finland France Germany India Ireland Italy Japan"
    " Kenya Mexico Norway Peru Poland Portugal Spain Sweden",
    "language": "English French German Italian Japanese Mandarin Polish Portuguese Spanish Swedish",
    "department": "Accounting Engineering Facilities Legal Logistics Marketing Operations Purchasing Sales",
    "region": "Northland Eastmark Southshore Westfold Midlands Highlands Lakeside Coastland Uplands",
    "colour": "Black Blue Brown Green Grey Orange Pink Purple Red White Yellow",
    "tag": "urgent seasonal featured imported local vintage limited organic popular draft review",
    "currency": "Euro Dollar Pound Krone Franc Zloty Yen Rupee Peso Real",
    "tier": "basic silver gold platinum",
    "plan": "Basic Standard Plus Premium Student Family Weekend Evening Annual Starter Senior Junior",
    "condition": "new good fair worn damaged",
    "cover": "hardback paperback",
    "unit": "piece box litre kilogram metre pair dozen pallet roll sheet",
    "gender": "female male diverse",
    "courtesy": "Ms Mr Mx Dr Prof",
    "role": "editor viewer administrator auditor planner approver operator trainee",
}
_KNOWN["color"], _KNOWN["state"], _KNOWN["sex"] = _KNOWN["colour"], _KNOWN["region"], _KNOWN["gender"]
_KNOWN["salutation"] = _KNOWN["honorific"] = _KNOWN["courtesy"]
_POSITIONS = (
    "Sales Manager", "Accountant", "Office Assistant", "Buyer", "Team Lead", "Sales Representative",
    "Director", "Bookkeeper", "Technician", "Planner", "Marketing Manager", "Owner", "Order Administrator",
)  # fmt: skip
_POSITION = re.compile(r"\b(job|contact|position|employee|work) title$|\bjob$|^position name$")
_SENTENCES = (
    "Please handle with care", "Checked on arrival", "Asked for a call back", "Kept for later use",
    "As agreed by phone", "Second delivery of the season", "Replaces an older one", "To be looked at again",
    "Recommended by a friend", "Needs a signature", "Packed in two parts", "Usual arrangement",
    "First of its kind here", "Well received so far",
)  # fmt: skip
_SHAPES = {"EAN": "40###########", "IBAN": "DE##################", "ISBN": "97831########"}
"""How codes look that everybody knows, by a word of their column; # is a digit."""
LONGEST_GENERATED = 20_000
"""Characters of the longest text that is made; a column that demands more is a finding of the schema."""
_MINUTES = re.compile(r"\bminutes\b|^duration$")
_FOUNDED = re.compile(r"\b(founded|established|opened|built|launched|inaugurated)\b")
HOURS = (8, 9, 10, 11, 13, 14, 15, 16, 17)


class FieldValues:
    """Draws values.

    Args:
        clock: The world's time.
        rng: Where chance comes from.
    """

    def __init__(self, clock: datetime, rng: random.Random) -> None:
        self.clock, self.rng, self.words = clock, rng, vocabulary()

    def draw(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        """One value for a field that refers to nothing; `row` holds what is known by column."""
        maker: Callable[[Relation, Field, Mapping[str, Value]], Value] = getattr(self, f"_{field.kind}")
        return self.fitted(field, maker(relation, field, row))

    def fitted(self, field: Field, value: Value) -> Value:
        """The value in the form in which the column stores it, within its length."""
        if isinstance(value, str):
            if field.kind in ("moment", "time") and field.pattern:
                return value[: len(field.pattern)]
            if (
                field.pattern
                and not field.pattern.strip("_%")
                and LONGEST_GENERATED >= len(field.pattern) > len(value)
            ):
                value = value.ljust(len(field.pattern), "x")
            value = value.ljust(min(field.shortest, LONGEST_GENERATED), "x")
            if not field.longest or len(value) <= field.longest:
                return value
            fitting = [word for word in value.split(" ") if field.shortest <= len(word) <= field.longest]
            return fitting[-1] if fitting else value[: field.longest].rstrip()
        if isinstance(value, int | float) and field.affinity == "TEXT" and field.kind not in ("flag", "ref"):
            return f"{value:.2f}" if isinstance(value, float) else str(value)
        return value

    def _state(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        weights = [3 if place < 2 else 2 for place in range(len(field.values))]
        return self.rng.choices(field.values, weights)[0]

    def _choice(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.rng.choice(field.values)

    def _flag(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        likely = re.search(r"active|enabled|visible|public|approved|verified", field.words)
        return int(self.rng.random() < (0.8 if likely else 0.3))

    def _bounded(self, field: Field, low: int, high: int) -> int:
        least = low if field.low is None else max(int(field.low), low if field.low < low else int(field.low))
        most = high if field.high is None else min(int(field.high), high)
        if field.high is not None and least > field.high:
            least = int(field.low if field.low is not None else field.high - (high - low))
        return self.rng.randint(min(least, most), max(least, most))

    def _count(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        spans = (
            (r"\b(renewals|retries|attempts|failures|reminders|level|depth|version)\b", 0, 4),
            (r"^(status|role|state|type|kind|mode|visibility)$", 0, 3),
            (r"\bper week\b", 1, 7),
            (r"\bmax(imum)?\b", 2, 12),
            (r"\bpages\b", 80, 620),
            (r"\b(rental|loan|hire|trial) (duration|period)\b|\bdays\b", 2, 14),
            (r"\bhours\b", 1, 12),
            (r"milliseconds|bytes|population|size|views|followers", 10_000, 900_000),
            (r"\b(capacity|seats|places)$", 6, 40),
            (r"length|weight|width|height|stock|points|mileage|capacity", 20, 240),
            (r"quantity|qty|guests|people|seats|copies|items|count|units", 1, 12),
            (r"age$", 18, 80),
            (r"^(line|position|seat|row|item|step) number$|^(position|sort order|sequence|ordinal)$", 1, 20),
            (r"rating|stars|score|priority|level|rank", 1, 5),
        )
        if _MINUTES.search(field.words):
            return self._bounded(field, 2, 8) * 15 if field.high is None else self._bounded(field, 15, 120)
        for pattern, low, high in spans:
            if re.search(pattern, field.words):
                return self._bounded(field, low, high)
        return self._bounded(field, 2, 60)

    def _year(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self._bounded(field, self.clock.year - 20, self.clock.year)

    def _real(self, field: Field, low: float, high: float, step: float) -> float:
        least = low if field.low is None else max(field.low, low) if field.low <= high else field.low
        most = high if field.high is None else min(field.high, high)
        most = max(least, most)
        steps = int((most - least) / step)
        return round(least + self.rng.randint(0, max(steps, 0)) * step, 2)

    def _money(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        if re.search(r"salary|wage|budget|limit|balance|revenue", field.words):
            return self._real(field, 1_500.0, 6_000.0, 50.0)
        return self._real(field, 2.5, 180.0, 0.25)

    def _cents(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        if field.high is not None:
            return self._bounded(field, 100, 9_000)
        if re.search(r"salary|wage|budget|revenue", field.words):
            return self._bounded(field, 30, 120) * 5_000
        return self._bounded(field, 5, 300) * 50

    def _ratio(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        whole = (field.high is not None and field.high > 1) or re.search(r"percent|pct", field.words)
        return self._real(field, 5.0, 40.0, 2.5) if whole else self._real(field, 0.0, 0.4, 0.05)

    def _decimal(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        if re.search(r"\b(lat|latitude)\b", field.words):
            return self._real(field, -60.0, 60.0, 0.25)
        if re.search(r"\b(lng|lon|long|longitude)\b", field.words):
            return self._real(field, -170.0, 170.0, 0.25)
        if re.search(r"\bhours\b", field.words):
            return self._real(field, 0.5, 8.0, 0.25)
        return self._real(field, 1.5, 95.0, 0.25)

    def _moment_of(self, field: Field) -> datetime:
        words = field.words
        if re.search(r"birth|dob|\bborn\b", words):
            return self.clock - timedelta(days=self.rng.randint(19 * 365, 70 * 365))
        if _FOUNDED.search(words) and not field.nullable:
            day = self.clock - timedelta(days=self.rng.randint(3_100, 9_000))
        elif re.search(r"hire|hired|join|since|registered", words):
            day = self.clock - timedelta(days=self.rng.randint(200, 3_000))
        elif re.search(
            r"\b(due|required|expiry|expires|end|until|deadline|expected|planned|scheduled)\b", words
        ):
            day = self.clock + timedelta(days=self.rng.randint(-12, 40))
        elif field.stamped:
            day = self.clock - timedelta(days=self.rng.randint(2, 400))
        else:
            day = self.clock - timedelta(days=self.rng.randint(1, 75))
        hour, minute = self.rng.choice(HOURS), self.rng.choice((0, 15, 30, 45))
        return day.replace(hour=hour, minute=minute, second=0)

    def _day(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.later(relation, field, row, self._moment_of(field)).date().isoformat()

    def _moment(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        when = self.later(relation, field, row, self._moment_of(field))
        if field.at_midnight:
            when = self.later(relation, field, row, when.replace(hour=0, minute=0)).replace(hour=0, minute=0)
        return when.isoformat(sep=field.separator)

    def later(self, relation: Relation, field: Field, row: Mapping[str, Value], when: datetime) -> datetime:
        """The moment, moved behind those of the row that it has to follow."""
        for one, other in relation.before:
            start = row.get(one)
            if other == field.column and isinstance(start, str) and _is_moment(start):
                begun = datetime.fromisoformat(start)
                if when <= begun:
                    moved = begun + timedelta(days=self.rng.randint(1, 9), hours=self.rng.randint(0, 3))
                    if when <= self.clock < moved and begun < self.clock:
                        moved = self._before_now(field, begun) or moved
                    when = moved
        return when

    def _before_now(self, field: Field, begun: datetime) -> datetime | None:
        """A moment between another and the clock, for what has ended; None where a day is too coarse."""
        past = self.clock - begun
        if past.days:
            return begun + timedelta(days=self.rng.randint(1, past.days))
        if field.kind != "moment" or field.at_midnight:
            return None
        return begun + timedelta(minutes=past // timedelta(minutes=2))

    def _time(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return f"{self.rng.choice(HOURS):02d}:{self.rng.choice((0, 15, 30, 45)):02d}:00"

    def _epoch(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        day = self.clock - timedelta(days=self.rng.randint(2, 400), minutes=self.rng.randint(0, 900))
        return int((day - datetime(1970, 1, 1)).total_seconds())

    def _first_name(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.rng.choice(self.words["first_names"])

    def _last_name(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.rng.choice(self.words["last_names"])

    def _full_name(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return f"{self.rng.choice(self.words['first_names'])} {self.rng.choice(self.words['last_names'])}"

    def _company(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return (
            f"{self.rng.choice(self.words['company_stems'])} {self.rng.choice(self.words['company_kinds'])}"
        )

    def _name(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        if known := self._known_name(relation, field):
            return self.rng.choice(known)
        if relation.noun.endswith(("city", "town")):
            return self.rng.choice(self.words["cities"])
        if "category" in relation.noun or relation.noun.endswith(("type", "group", "class")):
            return f"{self.rng.choice(_WORDS)} {self.rng.choice(('Range', 'Line', 'Class', 'Series'))}"
        if PEOPLE.search(relation.noun):
            return self._full_name(relation, field, row)
        if _FIRMS.search(relation.noun):
            return self._company(relation, field, row)
        return f"{self.rng.choice(_WORDS)} {self.rng.choice(_NOUNS)}"

    def _known_name(self, relation: Relation, field: Field) -> Sequence[str]:
        """Names that such things have; titles say how people are addressed or what they work as."""
        if field.words.endswith(("file name", "filename")):
            stem = f"{self.rng.choice(_WORDS)}-{self.rng.choice(_NOUNS)}".lower()
            return [f"{stem}.{ending}" for ending in ("pdf", "png", "txt", "csv")]
        if re.search(r"\b(courtesy|salutation|honorific)\b", field.words):
            return _KNOWN["courtesy"].split()
        is_theirs = field.words == "title" and PEOPLE.search(relation.noun) is not None
        if is_theirs or _POSITION.search(field.words):
            return _POSITIONS
        last = split_words(relation.noun)[-1:]
        return _KNOWN.get(last[0] if last else "", "").split()

    def _email(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        texts = {relation.field(c).kind: v for c, v in row.items() if c in relation.by_column}
        whole = next((v for c, v in row.items() if _is_full_name(relation, c) and v and " " in str(v)), "")
        messages = str(whole).split(" ")
        first = texts.get("first_name") or (
            messages[0] if whole else self.rng.choice(self.words["first_names"])
        )
        last = texts.get("last_name") or (
            messages[-1] if whole else self.rng.choice(self.words["last_names"])
        )
        host = self.rng.choice(("mail", "post", "inbox"))
        number = self.rng.choice(("", "", str(self.rng.randint(2, 99))))
        return f"{snake(str(first))}.{snake(str(last))}{number}@{host}.example"

    def _phone(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return f"555-{self.rng.randint(1000, 9999)}"

    def _url(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        end = "example/" if re.search(r"url|web|home|link|uri", field.words) else "example/file/"
        return f"https://{self.rng.choice(_WORDS).lower()}-{self.rng.choice(_NOUNS).lower()}.{end}"

    def _city(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.rng.choice(self.words["cities"])

    def _country(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        if 0 < field.longest <= 3:
            return "".join(self.rng.sample("ABCDEFGHILMNOPRSTU", field.longest))
        return self.rng.choice(_KNOWN["country"].split())

    def _region(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.rng.choice(_KNOWN["region"].split())

    def _postcode(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return f"{self.rng.randint(10000, 98999)}"

    def _street(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        kind = self.rng.choice(("Street", "Road", "Lane"))
        return f"{self.rng.randint(2, 98)} {self.rng.choice(_NOUNS)} {kind}"

    def _code(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        known = self._known_code(relation, field, row)
        return self._new_code(relation, field) if known is None else known

    def _known_code(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> str | None:
        """A code that people know by its form; None for one that only its table knows."""
        if "language" in field.words and 2 <= field.longest <= 5:
            return self.rng.choice(("de", "en", "es", "fr", "it", "nl", "pl", "sv"))
        if re.search(r"\b(username|login|user name)\b", field.words) and not 0 < field.longest < 12:
            return str(self._email(relation, field, row)).partition("@")[0]
        if (shape := next((s for word, s in _SHAPES.items() if word in field.words.split()), "")) and (
            not field.longest or len(shape) <= field.longest
        ):
            return re.sub("#", lambda _: str(self.rng.randint(0, 9)), shape)
        if "slug" in field.words.split():
            return f"{self.rng.choice(_WORDS)}-{self.rng.choice(_NOUNS)}".lower()
        if "currency" in field.words and (not field.longest or field.longest >= 3):
            return self.rng.choice(("EUR", "USD", "GBP", "CHF", "NOK"))
        return None

    def _new_code(self, relation: Relation, field: Field) -> str:
        longest = field.longest or 8
        if longest < 6:
            return "".join(self.rng.choice("ABCDEFGHKLMNPRSTVW") for _ in range(longest))
        lead = "".join(word[:1] for word in split_words(relation.noun))[:2].upper() or "K"
        return f"{lead}-{self.rng.randint(1000, 9999)}"

    def _uuid(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        text = f"{self.rng.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def _word(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        if "IP address" in field.words:
            return f"192.0.2.{self.rng.randint(1, 254)}"
        if PEOPLE.search(field.words):
            return self._full_name(relation, field, row)
        known = _KNOWN.get(field.words.rpartition(" ")[2])
        if known:
            return self.rng.choice(known.split())
        return f"{self.rng.choice(_WORDS)} {self.rng.choice(_NOUNS)}"

    def _text(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return self.rng.choice(_SENTENCES)

    def _json(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return "{}"

    def _secret(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return f"{self.rng.getrandbits(96):024x}"

    def _blob(self, relation: Relation, field: Field, row: Mapping[str, Value]) -> Value:
        return ""


def _is_full_name(relation: Relation, column: str) -> bool:
    field = relation.by_column.get(column)
    people = PEOPLE.search(relation.noun) is not None
    return field is not None and (field.kind == "full_name" or (field.kind == "name" and people))


def _is_moment(text: str) -> bool:
    return re.match(r"^\d{4}-\d\d-\d\d", text) is not None
