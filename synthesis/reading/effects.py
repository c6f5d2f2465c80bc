"""Effects: what the right end of a task consists of, as far as an answer may speak of it.

Which of the world's tools had to be called and how often, which names belong to what was done, and which
names and options belong to something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from synthesis.reading.computed import cached_property
from synthesis.reading.document import Phrase, PhraseIndex, parsed, phrase_index
from synthesis.reading.fact_values import values_of
from synthesis.reading.lexicon import STOP_WORDS
from synthesis.reading.mentions import Value
from synthesis.reading.pairings import Pairings
from synthesis.reading.words import atoms, key, keys, stem, word_set
from synthesis.reading.world_rows import WorldRows

_LIGHT = keys("mark set record make do process change update")
"""Verbs of tools that say less than the word after them: "mark_order_shipped"."""
_BROAD = keys("add create open enter record register insert set put make change update mark note raise")
"""Verbs that people use of any act: only with their object do they name one."""
_MOVING, BACK, RETURN = keys("take bring give hand send"), keys("back"), key("return")
_PARTICLES = word_set("in out off up over back down away")
_SHORTEST_NAME = 3
_SHORTEST_STEM = 4


@dataclass(frozen=True, slots=True)
class Deed:
    """What one writing tool does, by the words of its name."""

    verb: str
    """Stem of the word that names the act, synonyms apart; "" where none does."""
    key: str
    """Key of that word."""
    with_verb: frozenset[str]
    """Keys that belong to the verb: "back" of "take back"."""
    nouns: frozenset[str]
    words: frozenset[str]
    """The words of its name."""
    calls: int | None
    """How often it had to be called; None where one call may do several things."""
    name: str = ""
    """That of the tool."""

    @property
    def broad(self) -> bool:
        """Whether its verb names an act only together with its object."""
        return self.key in _BROAD

    @property
    def light(self) -> bool:
        """Whether its verb says little without its object: "take an order"."""
        return self.broad or (self.key in _MOVING and not self.with_verb)

    @property
    def returns(self) -> bool:
        """Whether what it does may be called a return: "take back"."""
        return self.key in _MOVING and not BACK.isdisjoint(self.with_verb)


@dataclass(frozen=True)
class Effects:
    """What the right end of a task consists of."""

    deeds: tuple[Deed, ...]
    names: PhraseIndex
    """Names and codes of the world's rows."""
    own: frozenset[Phrase]
    """Those of the rows that the task is about."""
    words: frozenset[str]
    """Stems of the names of the tools that had to be called and of what was given to them."""
    options: tuple[tuple[str, frozenset[str], frozenset[str]], ...]
    """Options that were chosen, each with those that could have been and the keys of what it is of."""
    dates: frozenset[Value]
    amounts: frozenset[Value]
    """Days and amounts of the rows that the task is about and of what was given to its calls."""
    own_keys: frozenset[str] = frozenset()
    other_keys: frozenset[str] = frozenset()
    """Digits of the keys of rows that the task is about, and of the others: tools make codes of them that
    no row holds."""
    kinds: frozenset[str] = frozenset()
    """What codes of the world's rows begin with."""
    numbered: frozenset[Phrase] = frozenset()
    """What names that end in a number begin with."""
    left: frozenset[str] = frozenset()
    """Names of tools that were not called for all there is of what the instruction names."""
    pairings: Pairings | None = None
    """Which calls had to be made for what."""
    rows: WorldRows | None = None
    """The world's rows, where they are known."""

    def is_others(self, code: Phrase) -> bool:
        """Whether a code of letters and digits is another row's, or nobody's: not that of a new row."""
        if len(code) != 2 or not code[1].isdigit() or code in self.own or code[1] in self.own_keys:
            return False
        known, number = self.own_keys | self.other_keys, int(code[1])
        is_new = any(str(number - step) in known for step in range(1, len(self.needed) + 2))
        return code[1] in self.other_keys or (code[0] in self.kinds and not is_new)

    def has(self, type: str, values: frozenset[Value]) -> bool:
        """Whether one of some days or amounts belongs to what was done; a day may lack its year."""
        if type == "money_cents":
            return bool(values & self.amounts)
        return any(str(day)[4:] == str(known)[4:] for day in values for known in self.dates)

    @cached_property
    def needed(self) -> tuple[Deed, ...]:
        """What had to be done."""
        return tuple(deed for deed in self.deeds if deed.calls != 0)

    @cached_property
    def called(self) -> frozenset[str]:
        """Keys of the acts that had to be done: what is taken back is returned."""
        returned = {RETURN for deed in self.needed if deed.returns}
        return frozenset(deed.key for deed in self.needed) | returned

    @cached_property
    def objects(self) -> frozenset[str]:
        """Keys of what the tools that had to be called are about."""
        return frozenset().union(*(deed.nouns for deed in self.needed))

    def explains(self, verb: str) -> bool:
        """Whether the stem of an act is another word for what was done: "handed over" of a handover."""
        if verb in self.words:
            return True
        stem = verb[:_SHORTEST_STEM]
        return len(stem) == _SHORTEST_STEM and any(word.startswith(stem) for word in self.words)


def deeds_of(calls: Mapping[str, int | None], tables: Iterable[str]) -> tuple[Deed, ...]:
    """What writing tools do.

    Args:
        calls: By name of a tool, how often it had to be called.
        tables: Names of the world's tables, whose words are the objects of tools.
    """
    nouns = stems(tables)
    return tuple(_deed(name, count, nouns) for name, count in calls.items())


def _deed(name: str, count: int | None, nouns: frozenset[str]) -> Deed:
    words = [word for word in atoms(name.replace("_", " ")) if word not in STOP_WORDS or word in _PARTICLES]
    objects = frozenset(key(word) for word in words if stem(word) in nouns)
    verbs = [word for word in words if stem(word) not in nouns]
    if len(verbs) > 1 and key(verbs[0]) in _LIGHT:
        verbs = verbs[1:]
    if not verbs and len(words) > 1:  # `book_course` beside a table of course bookings
        verbs, objects = words[:1], frozenset(key(word) for word in words[1:] if stem(word) in nouns)
    verb = verbs[0] if verbs else ""
    return Deed(
        stem(verb),
        key(verb),
        frozenset(map(key, verbs[1:])),
        objects,
        frozenset(words),
        count,
        name,
    )


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The stems of all words of some texts."""
    return frozenset(stem(word) for text in texts for word in atoms(text.replace("_", " ")))


def is_name(text: str) -> bool:
    """Whether a cell holds a name or a code by which people tell rows apart."""
    phrase = atoms(text)
    return (
        _SHORTEST_NAME <= len(text) <= 60
        and 1 <= len(phrase) <= 5
        and any(sign.isupper() for sign in text)
        and "@" not in text
        and not text[:4].isdigit()
    )


def _named(words: tuple[str, ...], names: PhraseIndex) -> Iterator[Phrase]:
    """All names that some words hold, those within others too."""
    for at, word in enumerate(words):
        second = words[at + 1] if at + 1 < len(words) else ""
        for phrase in (*names.get((word, second), ()), *names.get((word, ""), ())):
            if words[at : at + len(phrase)] == phrase:
                yield phrase


def spoken_operations(verb: str) -> frozenset[int]:
    """The kinds of operation that the key of a verb may mean."""
    return _OPERATIONS_OF.get(verb, frozenset())


_OPERATIONS = tuple(
    keys(line)
    for line in (
        "cancel annul withdraw drop call void",
        "delete remove erase discard",
        "refund reimburse repay",
        "waive",
        "extend renew prolong postpone",
        "restore reopen reinstate undo reverse",
        "close complete finish resolve release",
        "pay settle",
        "return",
        "archive deactivate disable suspend block",
        "merge split duplicate copy",
        "ship dispatch deliver fulfil",
        "exchange swap replace",
    )
)
_OPERATIONS_OF = {
    verb: frozenset(number for number, group in enumerate(_OPERATIONS) if verb in group)
    for verb in frozenset().union(*_OPERATIONS)
}
"""Operations that are no other word for each other, by the key of a verb."""


def _has_digit(word: str) -> bool:
    return any(sign.isdigit() for sign in word)


def _rows(tables: Any) -> WorldRows | None:
    return WorldRows(tables) if isinstance(tables, Mapping) else None


def effects_from(given: Mapping[str, Any]) -> Effects:
    """Effects from plain values.

    Args:
        given: `tools` (calls by name, null for several at once), `tables` (their names, or by name their
            rows), `names`, `own` (texts that name
            what the task is about), `words` (what was given to the calls), `options` (chosen ones, each
            with the others and what it is of), `amounts` (in cents) and, where they are known,
            `own_keys` and `other_keys` (whole numbers), `calls` (name of the tool, and by name or code of
            what it was called for, the kind of that), `distractors` (by kind, the others of it) and `left`
            (tools that could have been called for more of what was named).
    """
    names = phrase_index(tuple(given["names"]))
    called = [name for name, count in given["tools"].items() if count != 0]
    read = [parsed(text) for text in given["own"]]
    codes = frozenset(atoms(token.text) for text in read for token in text.tokens if token.kind == "code")
    return Effects(
        deeds=deeds_of(given["tools"], given["tables"]),
        names=names,
        own=codes | {phrase for text in given["own"] for phrase in _named(atoms(text), names)},
        words=stems((*called, *given["words"])),
        options=tuple(
            (chosen, frozenset(others), keys(about.replace("_", " ")))
            for chosen, others, about in given["options"]
        ),
        dates=frozenset().union(*(values_of(text, "date") for text in read)),
        amounts=frozenset().union(*(values_of(text, "money_cents") for text in read), given["amounts"]),
        own_keys=frozenset(map(str, given.get("own_keys", ()))),
        other_keys=frozenset(map(str, given.get("other_keys", ()))),
        numbered=frozenset(
            phrase[:-1]
            for listed in names.values()
            for phrase in listed
            if len(phrase) > 1 and _has_digit(phrase[-1])
        ),
        left=frozenset(given.get("left", ())),
        rows=given.get("rows") or _rows(given["tables"]),
        pairings=Pairings(given["calls"], given["distractors"]) if given.get("calls") else None,
        kinds=frozenset(first for first, second in names if second.isdigit() and not first.isdigit()),
    )
