"""Homes: where each content word of the sentence is represented in what was built, and which have none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from synthesis.documents.reading import ScenarioReading
from synthesis.procedural.business.deposits import CURRENCIES, is_of_deposit
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.business.stated_limits import limits_in_rules
from synthesis.procedural.sentence.clauses import Parse
from synthesis.procedural.sentence.inflection import gerund, lemmas, participle, singular
from synthesis.procedural.sentence.stated_rules import rules_of
from synthesis.procedural.sentence.tokens import CLOSED, SentenceToken


def with_reading(business: Business, parse: Parse, plan: BusinessPlan) -> Business:
    """The business with what was read from its sentence, measured on what was built."""
    places = _places(business, plan)
    homes: dict[str, str] = {}
    unread: list[str] = []
    for token in parse.content:
        word = token.word
        if word in homes or word in unread:
            continue
        home = _home_of(token, places)
        if home:
            homes[word] = home
        else:
            unread.append(word)
    business.reading = ScenarioReading(
        business=plan.business,
        processes=tuple(plan.read),
        nouns=dict(sorted(plan.kinds.items())),
        homes=homes,
        unread=tuple(unread),
        names=tuple(dict.fromkeys(token.text for token in parse.names)),
        unkept=tuple(_unkept(business, parse)),
        statements=tuple(_statements(parse)),
        miscounted=tuple(" ".join(token.text for token in count.tokens) for count in business.miscounted),
    )
    return business


def _unkept(business: Business, parse: Parse) -> Iterator[str]:
    """The rules of the sentence that no process has, in its words."""
    ruled = {token for limit in limits_in_rules(business) for token in limit.tokens}
    ruled |= {token for price in business.priced for token in price.tokens}
    secured = any(process.deposit is not None for process in business.processes)
    for tokens in rules_of(parse.tokens):
        if ruled.isdisjoint(tokens) and not (secured and is_of_deposit(parse.tokens, tokens)):
            yield " ".join(token.text for token in tokens)


def _statements(parse: Parse) -> Iterator[str]:
    """What the sentence says besides and no record keeps, in its words; rules are reported as such."""
    ruled = {token.place for tokens in rules_of(parse.tokens) for token in tokens}
    apart = [{token.place for token in tokens} for tokens in parse.statements]
    stated = {place for places in apart if ruled.isdisjoint(places) for place in places}
    for _, near in groupby(enumerate(sorted(stated)), lambda pair: pair[1] - pair[0]):
        places = {place for _, place in near}
        yield " ".join(token.text for token in parse.tokens if token.place in places).strip(" ,")


def _forms(token: SentenceToken) -> list[str]:
    word = token.word
    forms = [word, singular(word), token.verb]
    forms += [lemma for part in ("ADJ", "ADV", "NOUN") for lemma in lemmas(word).get(part, ())]
    forms += [form.replace("-", "") for form in forms if "-" in form]
    forms += [gerund(token.verb), participle(token.verb)] if token.verb else []
    return [form for form in dict.fromkeys(forms) if form]


def _home_of(token: SentenceToken, places: dict[str, str]) -> str:
    """Where a word is represented; one with hyphens where all its parts are. "" where it is not."""
    home = next((places[form] for form in _forms(token) if form in places), "")
    if home or "-" not in token.word:
        return home
    parts = [part for part in token.word.split("-") if part not in CLOSED]
    homes = [places.get(part) or places.get(singular(part), "") for part in parts]
    return homes[0] if parts and all(homes) else ""


def _places(business: Business, plan: BusinessPlan) -> dict[str, str]:  # noqa: C901, PLR0912 - one loop per kind of place
    """Word to where it stands, tables before tools before values before the title."""
    places: dict[str, str] = {}

    def put(text: str, where: str) -> None:
        for word in text.lower().replace("_", " ").split():
            places.setdefault(word, where)
            for part in word.split("-"):
                places.setdefault(part, where)
            places.setdefault(word.replace("-", ""), where)

    for table in sorted(business.tables.values(), key=lambda each: len(each.noun.split())):
        put(table.noun, f"table {table.name}")
        put(singular(table.noun), f"table {table.name}")
    for process in business.processes:
        if process.shape == "hold" and business.has_charges:
            put("late", f"value of {business.charge.name}.kind")
        if process.deposit is not None:
            put("deposit bond caution", f"column {process.record.name}.deposit_cents")
        if process.shape == "slot":
            hours = "hours" if process.by_turns else process.price
            put(process.period, f"column {process.record.name}.{hours}")
        if process.service is not None:
            for name, *_ in process.services:
                put(name, f"value of {process.service.name}.name")
        for meaning, words in process.acts.items():
            put(words, f"tool {process.names[meaning]}")
    for process in business.processes:
        if not process.names_its_verb:
            put(process.verb, "what the policy says is done")
    for meaning, name in business.tool.items():
        if not meaning.startswith(("find ", "get ")):
            put(name, f"tool {name}")
    for verb, _ in plan.notifications:
        put(verb, f"tool {business.tool['notify']}")
    for table in business.tables.values():
        for column in table.columns:
            for choice in column.choices:
                put(choice, f"value of {table.name}.{column.name}")
    for limit in limits_in_rules(business):
        put(" ".join(token.word for token in limit.tokens), f"rule: {limit.kind}")
    for _, noun in business.sites:
        put(noun, f"value of {business.place.name}.district")
    put("person people individual", f"table {business.party.name}")
    for word, written in CURRENCIES.items():
        if written == business.style.amounts:
            put(word, "how amounts are written")
    for reason in business.reasons:
        put(reason, "reason for calling off")
    put(business.noun, "title")
    return places
