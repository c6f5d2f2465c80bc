"""Anonymise: values that stand in for personal ones, the same for the same value wherever it occurs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, Literal

from synthesis.errors import InvalidInput
from synthesis.intake.convert.kinds import KindName
from synthesis.intake.foreign import Cell
from synthesis.intake.names import words_of

if TYPE_CHECKING:
    from faker import Faker

Treatment = Literal[
    "keep", "secret", "email", "user_name", "first_name", "last_name", "name", "company", "phone", "street",
    "city", "postcode", "network", "link", "birth", "number", "place", "document", "text",
]  # fmt: skip
"""How a column's values are dealt with; `secret` ones are never read."""

_SECRETS = (
    r"\b(password|passwd|pwd|passphrase|secrets?|tokens?|api ?key|access key|private key|credentials?|salt|"
    r"otp|totp|pin|cvv|cvc|hash|hashed|encrypted|session (key|data)|cookie|"
    r"signature|certificate|cipher|nonce)\b"
)
_BY_NAME: Final[tuple[tuple[Treatment, str], ...]] = (
    ("email", r"\b(e ?mail|emails|mail)\b"),
    ("birth", r"\b(birth|born|dob|birthday|birthdate)\b"),
    ("phone", r"\b(phone|telephone|mobile|fax|cell|msisdn|tel)\b|phone\b"),
    ("network", r"\b(ip|ip address|ipv4|ipv6|remote addr|mac|mac address|host ?name|client address)\b"),
    ("number", r"\b(ssn|tax id|vat( id)?|iban|bic|passport|card|pan|(account|national) no)\b"),
    ("place", r"\b(lat|lng|lon|latitude|longitude|geo|coordinates)\b"),
    ("user_name", r"\b(user ?name|login|nick ?name|handle|screen name|display name)\b"),
    ("first_name", r"\b(first ?name|given ?name|fore ?name|middle ?name)\b"),
    ("last_name", r"\b(last ?name|sur ?name|family ?name|maiden name)\b"),
    ("name", r"\b(full ?name|person|contact|recipient|(customer|contact) name|author|owner|attention)\b"),
    ("company", r"\b(company|organi[sz]ation|employer|firm)\b"),
    ("street", r"\b(street|address|line ?\d|address ?\d|addr)\b|address\b"),
    ("city", r"\b(city|town|district|county|province|state|region|suburb)\b"),
    ("postcode", r"\b(post ?code|zip|zip ?code|postal ?code|postcode)\b"),
    ("link", r"\b(url|uri|link|website|homepage|avatar|image|picture|photo|file|filename|path)\b"),
)  # fmt: skip
_PEOPLE = re.compile(
    r"\b(users?|persons?|people|customers?|clients?|employees?|staff|contacts?|members?|patients?|students?|"
    r"guests?|authors?|actors?|profiles?|candidates?|doctors?|teachers?|drivers?|agents?|addresse?s?|accounts?)\b"
)
_WORDS = re.compile(
    r"\b(status|state|type|kind|category|currency|country|language|locale|unit|code|sku|slug|level|priority|"
    r"colou?r|size|role|gender|title|name|label|format|mode|method|version|rating|class|reason|channel|model)\b"
)
_LOOKS_PERSONAL = re.compile(
    r"[\w.+-]+@[\w-]+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\+?\d[\d ()/-]{7,}\d|\b[A-Z]{2}\d{2}[A-Z0-9]{10,}\b|://"
)
_TELLING = frozenset({"email", "phone", "birth", "first_name", "last_name"})
_NOT_TEXT = frozenset({"integer", "real", "money", "flag", "day", "moment", "time", "year", "choice", "uuid"})
_LONGEST_WORD = 60
_CODE = re.compile(r"(?=\S*\d)[\w./-]{2,40}\Z")
_NEUTRAL: Final = (
    "about", "again", "almost", "another", "answer", "around", "autumn", "basket", "before", "beside",
    "better", "bridge", "bright", "broad", "careful", "center", "close", "cloud", "common", "copper",
    "corner", "country", "daily", "early", "east", "enough", "evening", "every", "family", "field",
    "first", "floor", "follow", "forest", "free", "friend", "garden", "general", "gentle", "glass",
    "good", "green", "ground", "group", "half", "happy", "harbour", "hill", "house", "idea", "island",
    "kind", "lake", "large", "letter", "light", "line", "long", "market", "meadow", "middle", "morning",
    "mountain", "narrow", "new", "north", "open", "orange", "order", "outside", "paper", "path",
    "plain", "quick", "quiet", "rain", "ready", "river", "road", "round", "season", "second", "short",
    "side", "simple", "slow", "small", "soft", "south", "spring", "square", "stone", "street", "strong",
    "summer", "table", "tall", "today", "tower", "town", "tree", "under", "valley", "village", "warm",
    "water", "west", "window", "winter", "wood", "work", "yellow",
)  # fmt: skip
"""Words that free text is replaced by."""


def of_people(table: str, columns: Iterable[str]) -> bool:
    """Whether a table's rows are people, by its name, or by what is known of each row."""
    if _PEOPLE.search(words_of(table)):
        return True
    telling = "|".join(pattern for result, pattern in _BY_NAME if result in _TELLING)
    return any(re.search(telling, words_of(column)) for column in columns)


def treatment(column: str, kind: KindName, *, people: bool) -> Treatment:
    """How a column's values are dealt with, by its name and kind, and whether its table's rows are people."""
    name = words_of(column)
    if re.search(_SECRETS, name):
        return "secret" if kind in ("text", "json", "uuid", "integer") else "keep"
    if kind == "json":
        return "document"
    named = next((result for result, pattern in _BY_NAME if re.search(pattern, name)), None)
    if kind in _NOT_TEXT:
        return _of_values(named, kind)
    if named is not None and not (named == "city" and name in ("state", "status")):
        return named
    if people and re.search(r"\bname\b", name):
        return "name"
    return "keep" if _WORDS.search(name) else "text"


def _of_values(named: Treatment | None, kind: KindName) -> Treatment:
    if named == "birth" and kind in ("day", "moment"):
        return "birth"
    if named == "place" and kind == "real":
        return "place"
    if named in ("phone", "number") and kind == "integer":
        return "number"
    return "keep"


class Anonymiser:
    """Replaces values; one value of one treatment always becomes the same other one.

    Args:
        seed: Seed of what is drawn.

    Raises:
        InvalidInput: The library that draws names and addresses is not installed.
    """

    def __init__(self, *, seed: int) -> None:
        try:
            from faker import Faker
        except ImportError as error:
            raise InvalidInput("Sample rows need faker: pip install 'worldwright[intake]'.") from error
        self._seed = seed
        self._faker = Faker("en_GB")
        self._given: dict[tuple[Treatment, str], Cell] = {}
        self._used: set[tuple[Treatment, str]] = set()

    def replace(self, value: Cell, how: Treatment, *, longest: int | None = None) -> Cell:
        """What stands in for a value.

        Args:
            value: The value; NULL stays NULL.
            how: The treatment of its column.
            longest: Characters that its column holds at most.
        """
        if value is None:
            return None
        if how == "keep" and isinstance(value, str):
            if not _LOOKS_PERSONAL.search(value) and len(value) <= _LONGEST_WORD:
                return value
            how = "text"
        if how == "keep":
            return value
        key = (how, str(value))
        if key not in self._given:
            self._given[key] = self._fresh(how, value, longest)
        return self._given[key]

    def _fresh(self, how: Treatment, value: Cell, longest: int | None) -> Cell:
        digest = hashlib.sha256(f"{self._seed}\0{how}\0{value}".encode()).digest()
        self._faker.seed_instance(int.from_bytes(digest[:8], "big"))
        result = _MAKERS[how](self._faker, value)
        if not isinstance(result, str) or how == "document":  # a number behind it would make it no JSON
            return result
        text, number = result[:longest] if longest else result, 1
        while (how, text) in self._used:
            number += 1
            text = _numbered(result, number, longest)
        self._used.add((how, text))
        return text


def _numbered(text: str, number: int, longest: int | None) -> str:
    if "@" in text:
        name, _, host = text.partition("@")
        text, tail = name, f"{number}@{host}"
    else:
        tail = f" {number}"
    room = None if longest is None else max(longest - len(tail), 0)
    return text[:room] + tail


def _sentence(faker: Faker, value: Cell) -> str:
    if _CODE.match(str(value)):
        return _shaped(faker, str(value))
    words = max(1, min(len(str(value).split()), 40))
    text = faker.sentence(nb_words=words, variable_nb_words=False, ext_word_list=_NEUTRAL)
    return text if words > 2 else text.rstrip(".")


def _birth(faker: Faker, value: Cell) -> str:
    day = date(1940, 1, 1) + timedelta(days=faker.random_int(0, 23_000))
    return day.isoformat() + str(value)[10:]


def _digits(faker: Faker, value: Cell) -> Cell:
    return faker.random_int(10**6, 10**7) if isinstance(value, int) else _shaped(faker, str(value))


def _shaped(faker: Faker, value: str) -> str:
    """Other letters and digits in the same places."""
    texts = []
    for sign in value:
        if sign.isdigit():
            texts.append(str(faker.random_digit()))
        elif sign.isalpha():
            texts.append(
                faker.random_uppercase_letter() if sign.isupper() else faker.random_lowercase_letter()
            )
        else:
            texts.append(sign)
    return "".join(texts)


_MAKERS: Final[dict[Treatment, Callable[[Faker, Cell], Cell]]] = {
    "email": lambda faker, _value: f"{faker.user_name()}@example.org",
    "user_name": lambda faker, _value: faker.user_name(),
    "first_name": lambda faker, _value: faker.first_name(),
    "last_name": lambda faker, _value: faker.last_name(),
    "name": lambda faker, _value: faker.name(),
    "company": lambda faker, _value: faker.company(),
    "phone": lambda faker, _value: f"+44 20 7946 {faker.random_int(0, 9999):04d}",
    "street": lambda faker, _value: faker.street_address().replace("\n", ", "),
    "city": lambda faker, _value: faker.city(),
    "postcode": lambda faker, _value: faker.postcode(),
    "network": lambda faker, _value: f"192.0.2.{faker.random_int(1, 254)}",
    "link": lambda faker, _value: f"https://example.org/{faker.slug()}",
    "birth": _birth,
    "number": _digits,
    "place": lambda faker, value: round(float(value or 0)) + faker.random_int(0, 99) / 100,
    "document": lambda _faker, value: "[]" if str(value).lstrip().startswith("[") else "{}",
    "text": _sentence,
    "secret": lambda _faker, _value: "withheld",
}
