"""Column kinds: what a column holds, told by its type, its name, its checks and sample values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synthesis.documents.schema import Column
from synthesis.procedural.derived.constraints import Constraints
from synthesis.procedural.derived.relation import Kind

_MONEY = re.compile(
    r"\b(price|amount|cost|total|subtotal|fee|salary|wage|balance|budget|payment|paid|freight|rate|tax|deposit|charge"
    r"|revenue|credit|debit|limit|value|bonus|discount amount|net|gross|fine|cents|tip)\b"
)
_RATIO = re.compile(r"\b(percent|percentage|pct|ratio|discount|share|probability|confidence|vat)\b")
_TEXT = re.compile(
    r"\b(description|notes?|comments?|bio|body|content|contents|summary|remarks?|message|details|text|about|reason"
    r"|instructions|abstract|resume|memo|review)\b"
)
_STATE = re.compile(r"\b(status|state|stage|phase|workflow state)\b")
_CHOICE = re.compile(
    r"\b(type|kind|category|priority|level|gender|sex|method|mode|class|rating|severity|role)\b"
)
_PERSON = re.compile(
    r"\b(contact|author|full|customer|employee|person|patient|student|owner|user|artist) name\b"
)
_COMPANY = re.compile(
    r"\b(company|company name|organisation|organization|manufacturer|vendor|brand|publisher|employer"
    r"|billing company)\b"
)
_NAME = re.compile(r"\b(name|title|label|subject|caption|headline|display name)\b")
_CODE = re.compile(
    r"\b(code|sku|isbn|ean|gtin|number|no|nr|reference|ref|slug|username|login|serial|barcode|iban|plate|handle"
    r"|identifier)\b"
)
_SECRET = re.compile(r"\b(password|passwd|hash|token|secret|salt|api key|digest|signature)\b")
_STAMPED = re.compile(
    r"^(created|updated|modified|changed|inserted|last update|last updated|last modified|timestamp"
    r"|date created|date modified|date updated|date added|date changed|row date|joined|registered"
    r"|create date|last seen|last login|added)\b"
)
_BOOKKEEPING = re.compile(r"^(lft|rgt|lock version|left key|right key|tree id)$")
"""Numbers that a library computes for itself."""
_FLAG = re.compile(
    r"^(is|has|can|was|allow|allows|should) |^(active|enabled|disabled|deleted|archived|verified"
    r"|discontinued|published|confirmed|approved|hidden|locked|paid|public|private|featured|default"
    r"|visible|activebool|staff|superuser)$"
)
_ISO_DAY = re.compile(r"^\d{4}-\d\d-\d\d$")
_ISO_MOMENT = re.compile(r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_SHAPES: dict[str, Kind] = {
    "____-__-__": "day",
    "____-__-__T__:__:__": "moment",
    "____-__-__T__:__": "moment",
    "__:__:__": "time",
    "__:__": "time",
    "________-____-____-____-____________": "uuid",
}
"""Kinds by the LIKE pattern that values must match."""
_DECLARED: tuple[tuple[str, Kind], ...] = (
    (r"BLOB|BINARY|BYTEA|IMAGE", "blob"),
    (r"BOOL", "flag"),
    (r"UUID|GUID", "uuid"),
    (r"JSON|ARRAY|XML|HSTORE|TSVECTOR|GEOMETRY", "json"),
    (r"TIMESTAMP|DATETIME", "moment"),
    (r"DATE", "day"),
    (r"^TIME", "time"),
)
"""Kinds by the declared type."""
MOST_CHOICES = 8


def affinity(declared: str) -> str:
    """What SQLite makes of a declared type."""
    kind = declared.upper()
    if "INT" in kind:
        return "INTEGER"
    if any(word in kind for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in kind or not kind:
        return "BLOB"
    return "REAL" if any(word in kind for word in ("REAL", "FLOA", "DOUB")) else "NUMERIC"


def is_stamped(words: str, kind: Kind) -> bool:
    """Whether the system fills a column in by itself: when a row was made or changed last, or its place in
    a tree.
    """
    if kind == "count" and _BOOKKEEPING.search(words):
        return True
    return kind in ("moment", "day", "epoch") and _STAMPED.search(words) is not None


def kind_of(
    column: Column, words: str, rules: Constraints, samples: Sequence[object], longest: int = 0
) -> tuple[Kind, tuple[str | int | float, ...]]:
    """The kind of a column that refers to nothing, and the values it chooses from."""
    declared, stored = column.type.upper(), affinity(column.type)
    if column.generated:
        return "computed", ()
    if members := rules.members.get(column.name.lower(), ()):
        return _of_members(words, members)
    kind = _checked_kind(column.name.lower(), rules) or _sampled_kind(samples) or _declared_kind(declared)
    if kind is None and _is_flag(words, samples):
        if stored == "TEXT" and _defaults_to_digit(column):
            return "choice", ("0", "1")
        kind = "flag" if stored in ("INTEGER", "NUMERIC") else None
    kind = kind or _time_kind(words, stored, samples)
    if kind is not None:
        return kind, ()
    if stored in ("INTEGER", "REAL", "NUMERIC") and not (stored == "NUMERIC" and _texts(samples)):
        return _number_kind(declared, words, stored), ()
    return _text_kind(words, samples, column.primary_key > 0, longest)


def _checked_kind(name: str, rules: Constraints) -> Kind | None:
    """The kind that a CHECK demands: JSON, or the shape of a day or a time."""
    return "json" if name in rules.json else _SHAPES.get(rules.patterns.get(name, "").replace(" ", "T"))


def _declared_kind(declared: str) -> Kind | None:
    """The kind that a type alone says."""
    for pattern, kind in _DECLARED:
        if re.search(pattern, declared):
            return kind
    return None


def _is_flag(words: str, samples: Sequence[object]) -> bool:
    return _FLAG.search(words) is not None and not _is_wide(samples)


def _defaults_to_digit(column: Column) -> bool:
    """Whether a text holds 0 or 1 where nothing is given, as flags do that were texts elsewhere."""
    return str(column.default or "").strip("'\"()") in ("0", "1")


def _is_wide(samples: Sequence[object]) -> bool:
    return any(sample not in (0, 1, None) for sample in samples)


def _texts(samples: Sequence[object]) -> bool:
    return any(isinstance(sample, str) for sample in samples)


def _of_members(
    words: str, members: tuple[str | int | float, ...]
) -> tuple[Kind, tuple[str | int | float, ...]]:
    if set(members) == {0, 1}:
        return "flag", ()
    if _STATE.search(words) and all(isinstance(member, str) for member in members) and len(members) > 1:
        return "state", members
    return "choice", members


def _sampled_kind(samples: Sequence[object]) -> Kind | None:
    """The kind of texts that are all days or all moments."""
    texts = [sample for sample in samples if isinstance(sample, str)]
    if texts and all(_ISO_MOMENT.match(text) for text in texts):
        return "moment"
    return "day" if texts and all(_ISO_DAY.match(text) for text in texts) else None


def _time_kind(words: str, stored: str, samples: Sequence[object]) -> Kind | None:
    """The kind of a column that its name says to hold a time; texts of another shape are none."""
    moment = re.search(r"\b(at|timestamp|datetime|last update|time stamp)$", words)
    if stored == "INTEGER" and moment:
        return "epoch"
    if stored != "TEXT" or _texts(samples):
        return None
    named = re.search(
        r"\b(date|day|birthday|dob|deadline|due)$|\b(on|until|since)$|^(date|dob|birth)\b", words
    )
    return "day" if named else "moment" if moment else None


def _number_kind(declared: str, words: str, stored: str) -> Kind:
    if stored == "INTEGER" or re.search(r"(?:DECIMAL|NUMERIC|NUMBER)\s*\(\s*\d+\s*(?:,\s*0\s*)?\)", declared):
        if re.search(r"\bcents\b", words):
            return "cents"
        return "year" if re.search(r"\byear$", words) or declared.startswith("YEAR") else "count"
    if declared.startswith("YEAR"):
        return "year"
    if _RATIO.search(words) and "amount" not in words:
        return "ratio"
    if "MONEY" in declared or _MONEY.search(words):
        return "money"
    return "decimal"


_TEXT_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"\be ?mail\b", "email"),
    (r"\b(file name|filename)$", "name"),
    (r"\b(phone|fax|mobile|telephone|cell|tel)\b", "phone"),
    (r"\b(url|website|homepage|link|uri|web|image|photo|picture|avatar|file)\b", "url"),
    (r"\b(first name|given name|forename|firstname|fname)\b", "first_name"),
    (r"\b(last name|family name|surname|lastname|lname)\b", "last_name"),
    (r"\b(postal code|postcode|post code|zip|zip code|zipcode|postalcode)\b", "postcode"),
    (r"\b(city|town)\b", "city"),
    (r"\b(country|nation)\b", "country"),
    (r"\b(region|province|county|district|territory)\b", "region"),
    (r"\b(address|street|address line|address2|address1)\b", "street"),
    (r"\b(uuid|guid)\b", "uuid"),
)


def _text_kind(
    words: str, samples: Sequence[object], key: bool, longest: int
) -> tuple[Kind, tuple[str | int | float, ...]]:
    if _SECRET.search(words):
        return "secret", ()
    known = tuple(dict.fromkeys(s for s in samples if isinstance(s, str) and s and len(s) <= 40))
    few = 2 <= len(known) <= MOST_CHOICES and len(samples) >= 3 * len(known)
    if (_STATE.search(words) or _CHOICE.search(words)) and few:
        return ("state" if _STATE.search(words) else "choice"), known
    if kind := next((kind for pattern, kind in _TEXT_KINDS if re.search(pattern, words)), None):
        return kind, ()
    if re.search(r"\b(status|stage|phase)\b", words) and not key and not known:
        return "state", ("open", "in progress", "closed")
    return _named_kind(words, key=key, longest=longest), ()


def _named_kind(words: str, *, key: bool, longest: int) -> Kind:
    if _COMPANY.search(words):
        return "company"
    if _PERSON.search(words):
        return "full_name"
    if _CODE.search(words) or (key and not _NAME.search(words)) or 0 < longest <= 3:
        return "code"
    if _NAME.search(words):
        return "name"
    return "text" if _TEXT.search(words) else "word"
