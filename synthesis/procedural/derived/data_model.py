"""DataModel: what a schema's tables mean, inferred from names, types, keys, checks and sample rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from synthesis.documents.schema import Column, Schema, Table
from synthesis.documents.seed_data import SeedData
from synthesis.procedural.composing.wording import plural
from synthesis.procedural.derived.column_kinds import affinity, is_stamped, kind_of
from synthesis.procedural.derived.constraints import Constraints, read_constraints
from synthesis.procedural.derived.flow import flow_of, stamps_of
from synthesis.procedural.derived.identifiers import (
    ROLES,
    ascii_name,
    free_name,
    nouns_of,
    shown_words,
    split_words,
    words_in_a_sentence,
    words_of,
)
from synthesis.procedural.derived.pointers import pointers_of
from synthesis.procedural.derived.relation import NAMES, NUMBERS, PEOPLE, Field, Pointer, Relation
from synthesis.worlds.tables import load_order

_KEY_ENDINGS = ("_id", "_code", "_key", "_no", "_number", "_ref")
_BARE_KEYS = frozenset(
    {"id", "code", "key", "no", "nr", "number", "name", "uuid", "guid", "pk", "value", "ref"}
)
_PARTS = re.compile(r"\b(line|item|detail|entry|position|part|row|track|component)$")
_OWN_NAMES = frozenset({"name", "word", "city", "country", "region", "street", "company", "full_name"})
"""Kinds of a column called like its table that say what a row is called."""
_OPEN_ENDS = frozenset({"via", "by", "to", "from", "for", "with"})
"""Last words of a reference's name that lack the noun."""
_PLANNED = re.compile(r"^(starts?|begins?|departs?|departure)\b")
_CALLED_OFF = re.compile(r"\b(cancelled|canceled|called off)\b")
_FEWEST_OF_ANOTHER = 2
_MOST_SAMPLES = 200


@dataclass(frozen=True)
class DataModel:
    """All relations of a schema, in load order."""

    relations: dict[str, Relation]
    """By table."""

    def target(self, field: Field) -> Relation:
        """The relation that a reference leads to."""
        return self.relations[field.target]

    @cached_property
    def children(self) -> dict[str, tuple[tuple[Relation, tuple[str, ...], tuple[str, ...]], ...]]:
        """By table: the relations that refer to it, their columns and the columns referred to."""
        results: dict[str, list[tuple[Relation, tuple[str, ...], tuple[str, ...]]]] = {
            t: [] for t in self.relations
        }
        for relation in self.relations.values():
            for key in relation.foreign_keys:
                if key.table in results:
                    results[key.table].append((relation, key.columns, key.references))
        return {table: tuple(children) for table, children in results.items()}

    def parts_of(self, relation: Relation) -> tuple[tuple[Relation, Field], ...]:
        """Relations whose rows are parts of this one's, with the field that says of which."""
        return tuple(
            (child, child.field(child.owner))
            for child in self.relations.values()
            if child.owner and child.field(child.owner).target == relation.table and child is not relation
        )


def read_data_model(schema: Schema, samples: SeedData | None = None) -> DataModel:
    """What a schema means."""
    rules = read_constraints(schema.sql)
    names = {table.name.lower(): table.name for table in schema.tables}
    nouns = nouns_of([table.name for table in schema.tables])
    known = words_of([*names.values(), *(c.name for t in schema.tables for c in t.columns)])
    relations = {}
    for table in _load_order(schema.tables):
        rows = (samples.rows.get(table.name, ()) if samples else ())[:_MOST_SAMPLES]
        samples_of = {
            column.name: [row[column.name] for row in rows if row.get(column.name) is not None]
            for column in table.columns
        }
        own = rules.get(table.name.lower(), Constraints())
        pointers = pointers_of(table, schema.tables, nouns, own, samples_of)
        reading = _Reading(table, nouns, own, samples_of, names, known, pointers)
        relations[table.name] = reading.relation()
    model = DataModel(relations)
    return DataModel({name: _with_owner(model, relation) for name, relation in relations.items()})


def _load_order(tables: Sequence[Table]) -> list[Table]:
    by_name = {table.name: table for table in tables}
    return [by_name[name] for name in load_order(tables)]


class _Reading:
    """One table being understood."""

    def __init__(
        self,
        table: Table,
        nouns: dict[str, str],
        rules: Constraints,
        samples: dict[str, list[int | float | str | None]],
        names: dict[str, str],
        known: frozenset[str],
        pointers: tuple[Pointer, ...],
    ) -> None:
        self.known, self.pointers = known, pointers
        self.finding_texts: set[str] = set()
        self.table, self.noun, self.rules, self.samples = table, nouns[table.name], rules, samples
        self.nouns = nouns
        self.lead = ascii_name(self.noun) or "record"
        self.keys = tuple(
            key.model_copy(update={"table": names[key.table.lower()]})
            for key in table.foreign_keys
            if key.table.lower() in names
        )
        self.refs = {key.columns[0].lower(): key for key in reversed(self.keys) if len(key.columns) == 1}
        self.columns = {column.name.lower(): column.name for column in table.columns}

    def relation(self) -> Relation:
        taken: set[str] = set()
        fields: list[Field] = []
        for number, column in enumerate(self.table.columns, start=1):
            field = self._field(column, number, taken)
            taken.add(field.name)
            fields.append(field)
        order = {name: place for place, name in enumerate(self.table.primary_key)}
        keyed = iter(sorted((f for f in fields if f.key), key=lambda f: order.get(f.column, 0)))
        fields = [next(keyed) if f.key else f for f in fields]
        uniques = tuple(
            dict.fromkeys(
                tuple(self.columns[c] for c in columns)
                for columns in self.rules.uniques
                if columns and all(c in self.columns for c in columns)
            )
        )
        relation = Relation(
            table=self.table.name,
            noun=self.noun,
            many=plural(self.noun),
            fields=tuple(fields),
            foreign_keys=self.keys,
            uniques=uniques,
            before=tuple(self._ordered(fields)),
            auto=self.rules.auto and len(order) == 1,
            checked=frozenset(self.columns[c] for c in self.rules.checked if c in self.columns),
            pointers=self.pointers,
            literals={self.columns[c]: tuple(v) for c, v in self.rules.literals.items() if c in self.columns},
        )
        relation = replace(relation, label=_label(relation))
        return replace(relation, flow=flow_of(relation), stamps=stamps_of(relation))

    def _whole_name(self, field: Field) -> str:
        """A column's name with that of its table: the "date" of an order is its "order date"."""
        return " ".join(split_words(field.column, self.known))

    def _ordered(self, fields: Sequence[Field]) -> list[tuple[str, str]]:
        """Columns of which one comes before the other: by a CHECK, or by their names."""

        pairs = [
            (self.columns[one], self.columns[other])
            for one, other in self.rules.before
            if one in self.columns and other in self.columns
        ]
        timed = [f for f in fields if f.kind in ("day", "moment")]
        starts = [
            f
            for f in timed
            if re.search(
                r"\b(start|from|begin|order|rental|hire|issue|invoice|check in|arrival|lent|loan|borrowed"
                r"|opened|placed|requested|made|booked|created|scheduled|reported|raised|logged|submitted|filed)",
                self._whole_name(f),
            )
        ]
        ends = [
            f
            for f in timed
            if re.search(
                r"\b(ends?|to|until|due|required|shipped|return|returned|delivered|closed|paid|check out"
                r"|departure|departs|completed|resolved|finished|expir\w+|cancelled|received|refunded|approved)\b",
                self._whole_name(f),
            )
        ]
        given = [f for f in starts if not f.stamped][:1]
        noted = [f for f in starts if f.stamped][:1]  # a row is created before anything ends in it
        pairs += [
            (s.column, e.column) for s in given + noted for e in ends if s is not e and s.kind == e.kind
        ]
        planned = {f.column for f in given if _PLANNED.search(f.words)}
        pairs = [  # what people come to is called off before it begins
            (e, s) if s in planned and _CALLED_OFF.search(self._words_of(fields, e)) else (s, e)
            for s, e in pairs
        ]
        until = [f for f in ends if re.search(r"\buntil\b", f.words) and f.nullable]
        final = [f for f in ends if re.search(r"^ends?\b", f.words)]
        pairs += [(u.column, e.column) for u in until for e in final if u.kind == e.kind]
        return list(dict.fromkeys(pairs))

    @staticmethod
    def _words_of(fields: Sequence[Field], column: str) -> str:
        return next(f.words for f in fields if f.column == column)

    def _field(self, column: Column, number: int, taken: set[str]) -> Field:
        words = shown_words(column.name, number, self.known)
        low = column.name.lower()
        key = self.refs.get(low)
        samples = self.samples[column.name]
        stored = affinity(column.type)
        sized = re.search(r"(?:CHAR|TEXT)\w*\s*\(\s*(\d{1,9})\s*\)", column.type.upper())
        longest = self.rules.longest.get(low, int(sized[1]) if sized and stored == "TEXT" else 0)
        kind, values = kind_of(column, words, self.rules, samples, longest)
        if key is not None:
            kind, values = "ref", ()
        elif any(column.name in (one.type_column, one.key_column) for one in self.pointers):
            kind, values = "pointer", ()
        alone = self.table.primary_key == (column.name,)
        if key is None and column.primary_key and (kind == "epoch" or (alone and kind in NUMBERS)):
            kind = "count"
        unique = (low,) in self.rules.uniques or alone
        return Field(
            column=column.name,
            name=self._name(column, kind, number, taken),
            words=self._role(key.table, words) if key is not None else self._words(words, kind),
            kind=kind,
            affinity=stored,
            nullable=not column.not_null and not column.primary_key,
            default=column.default is not None and column.default.upper() != "NULL",
            key=bool(column.primary_key),
            unique=unique,
            values=values,
            low=self.rules.low.get(low),
            high=self.rules.high.get(low),
            shortest=self.rules.shortest.get(low, 0),
            longest=longest,
            target=key.table if key else "",
            target_column=key.references[0] if key else "",
            separator="T" if any("T" in str(s)[10:11] for s in samples) or self._has_t(low) else " ",
            stamped=is_stamped(words, kind)
            and (column.not_null or column.default is not None or kind != "day"),
            generated=alone
            and kind == "code"
            and low in ("id", "uid", "guid", "key")
            and not 0 < longest < 12,
            pattern=self.rules.patterns.get(low, ""),
        )

    def _has_t(self, low: str) -> bool:
        return "T" in self.rules.patterns.get(low, "")[9:12]

    def _words(self, words: str, kind: str) -> str:
        """Words for people, each once: "customer name" of a customer is its name."""
        short = words.removeprefix(f"{self.noun} ")
        if kind == "ref":
            short = re.sub(r" (id|fk)$", "", short)
        short = words_in_a_sentence(short, kind)
        if short == self.noun and kind in _OWN_NAMES:
            # "the city of the city Dunmore" is its name
            short = "street" if kind == "street" else "name"
        for text in (short, words, f"{words} {len(self.finding_texts) + 1}"):
            if text and text not in self.finding_texts:
                self.finding_texts.add(text)
                return text
        return words

    def _role(self, target: str, words: str) -> str:
        """What a row is to one that refers to it: "ship via" is the shipper, "manager staff" a manager."""
        text, noun = self._words(words, "ref"), self.nouns[target]
        person = text.removesuffix(f" {noun}")
        if person != text and PEOPLE.search(person):
            return person
        if text.rpartition(" ")[2] not in _OPEN_ENDS:
            return text
        alone = sum(key.table == target for key in self.keys) == 1 and noun != self.noun
        role = ROLES.get(text) or (noun if alone else text)
        return role if role not in self.finding_texts else text

    def _name(self, column: Column, kind: str, number: int, taken: set[str]) -> str:
        plain = ascii_name(shown_words(column.name, number, self.known))
        if column.primary_key and len(self.table.primary_key) == 1 and kind != "ref":
            bare = plain in _BARE_KEYS or not plain
            wanted = f"{self.lead}_{plain or 'id'}" if bare else plain
            if kind in ("count", "uuid") and not wanted.endswith("_id"):
                wanted = f"{self.lead}_id"
            return free_name(wanted, taken, lead=self.lead, number=number)
        if kind == "ref" and not plain.endswith(_KEY_ENDINGS):
            plain = f"{plain.removesuffix('id').rstrip('_') or self.lead}_id"
        return free_name(plain, taken, lead=self.lead, number=number)


def _label(relation: Relation) -> tuple[str, ...]:
    """Columns that people know a row by, or none."""
    by_kind = {f.kind: f for f in reversed(relation.fields) if not _too_short(f)}
    if "first_name" in by_kind and "last_name" in by_kind:
        return by_kind["first_name"].column, by_kind["last_name"].column
    named = [
        f
        for f in relation.fields
        if f.kind in ("name", "company", "full_name")
        and not _too_short(f)
        and not _is_of_another(relation, f)
    ]
    noun = relation.noun
    ranked = sorted(
        named,
        key=lambda f: (
            not f.unique,
            f.words not in ("name", "title", noun, f"{noun} name", f"{noun} title"),
            f.kind != "company" and f.words != "company name",
            len(f.words),
        ),
    )
    if ranked and (ranked[0].unique or not ranked[0].nullable or not _codes(relation)):
        return (ranked[0].column,)
    for kind in ("last_name", "first_name"):
        if kind in by_kind:
            return (by_kind[kind].column,)
    emails = [f for f in relation.fields if f.kind == "email"]
    for fitting in (_codes(relation), emails, _words(relation), _numbers(relation)):
        if fitting:
            return (fitting[0].column,)
    return (ranked[0].column,) if ranked else ()


def _is_of_another(relation: Relation, field: Field) -> bool:
    """Whether a name is one of several columns about something else: ship name, ship city, ship address."""
    lead, _, rest = field.words.partition(" ")
    others = [f for f in relation.fields if f.words.startswith(f"{lead} ") and f.kind not in NAMES]
    return bool(rest) and lead not in relation.noun.split() and len(others) >= _FEWEST_OF_ANOTHER


def _too_short(field: Field) -> bool:
    return 0 < field.longest < 6


def _codes(relation: Relation) -> list[Field]:
    single = len(relation.key) == 1
    return [f for f in relation.fields if f.kind == "code" and f.unique and (single or not f.key)]


def _numbers(relation: Relation) -> list[Field]:
    """Codes by which rows are known although nothing says that they are unique."""
    return [
        f
        for f in relation.fields
        if f.kind == "code" and f.words in ("code", "number", "reference") and not f.nullable and not f.key
    ]


def _words(relation: Relation) -> list[Field]:
    """The one plain text of a small table, such as the word of a tag."""
    texts = [f for f in relation.fields if f.kind in _OWN_NAMES and not _too_short(f)]
    unique = [f for f in texts if f.unique]
    own = [f for f in texts if not f.nullable]
    same = [f for f in texts if " ".join(split_words(f.column)) == relation.noun]
    return unique or same or (own[:1] if len([f for f in relation.fields if f.asked]) <= 4 else [])


def _with_owner(model: DataModel, relation: Relation) -> Relation:
    """The relation with the reference that says whose part a row is, where there is one."""
    fitting = [f for f in relation.refs if f.target != relation.table and not f.nullable]
    if relation.label or not fitting:
        return relation
    for field in fitting:
        if relation.noun.startswith(f"{model.target(field).noun} "):
            return relation.with_owner(field.column)
    several = len(fitting) > 1 and all(f.kind == "ref" for f in relation.key)
    if _PARTS.search(relation.noun) or several:
        return relation.with_owner(fitting[0].column)
    return relation
