"""Implied: what a business does that only says what it is and has, "a bakery with a shop"."""

from __future__ import annotations

from itertools import dropwhile

from synthesis.procedural.business.pattern_choice import VERBS
from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.business.vocabulary import people_of
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import OBJECT, OFFERED, Clause
from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import is_business, is_listed, kinds_of, verbs
from synthesis.procedural.sentence.phrases import NounPhrase

_MARKETS = frozenset(("site", "website", "platform", "marketplace", "portal", "app"))
"""What brings those who have something together with those who want it."""
_TEACHING = ("school", "academy", "college", "club")
_TEACHERS = frozenset(("instructor", "tutor", "coach"))
_EVERYWHERE = frozenset(("mobile", "local", "small", "family", "community", "village", "little"))
"""What businesses are, and not what they deal with: "a mobile dog groomer"."""
_LENDING = ("building society", "lender", "pawnbroker", "loan company", "microfinance")
"""Businesses that lend nothing but money."""
_HAVING = frozenset(("take", "have", "get", "use", "choose"))
_OF_ANY_TRADE = frozenset(("clinic", "practice"))
"""Businesses that alone do not say who comes there, and what for."""
_GENERAL = frozenset(("grammar", "trade", "training", "boarding", "day", "night", "summer", "church"))
"""What schools are, and not what is learnt there."""
_WORK = dict(entry.split("=") for entry in word_list("work_of_trades"))
"""By the last word of a business: the verb of what such a one does, where its sentence does not say it."""
_ENROLLING = frozenset(("school", "college", "academy", "kindergarten", "creche", "playgroup"))
"""What people go to for a year or more, and are on the roll of."""
_SHOPS = frozenset(
    (
        "shop",
        "store",
        "dealer",
        "merchant",
        "stall",
        "maker",
        "producer",
        "grower",
        "seller",
        "wholesaler",
        "retailer",
    )
)
_BY_APPOINTMENT = frozenset(word_list("by_appointment"))
"""Trades whose clients come to a person at an hour."""


def is_school(business: str) -> bool:
    """Whether a business teaches, as its last word tells."""
    return business.rpartition(" ")[2] in _TEACHING[:-1]


def implied_clauses(business: str, extras: list[NounPhrase]) -> list[Clause]:
    """What a business does that only says what it is: "a tool rental", "a tuning workshop for pianos"."""
    words = business.split()
    taught = words[-1] in _TEACHING and (words[-2:][0].endswith("ing") or _is_taught(words))
    if len(words) > 1 and (taught or words[-1] in _TEACHERS):
        return [Clause("teach", {OBJECT: [NounPhrase(f"{words[-2]} lesson", (), 0)], "with": extras})]
    if clauses := _on_a_roll(business) or _in_a_shop(words):
        return clauses
    words = [*dropwhile(lambda word: word in _EVERYWHERE, words[:-1]), words[-1]]
    bare = len(words) == 1 and not extras and words[-1] in _OF_ANY_TRADE
    if words[-1] in _BY_APPOINTMENT and not bare:
        people = [NounPhrase(business, (), 0)] if "staff" in kinds_of(business) else []
        roles = {OBJECT: [NounPhrase("appointment", (), 0)], "by": people, "with": extras}
        return [Clause("take", {role: phrases for role, phrases in roles.items() if phrases})]
    if len(words) == 1 and not extras:
        return []
    for place, word in enumerate(words):
        verb_lemmas = [lemma for lemma in (word, *lemmas(word).get("VERB", ())) if lemma in verbs()]
        derived = {
            "rental": "rent",
            "delivery": "deliver",
            "storage": "store",
            "removal": "move",
            "catering": "cater",
        }
        of_trade = _verb_of_trade(word) if word == words[-1] else ""
        verb = derived.get(word) or (verb_lemmas[0] if verb_lemmas else of_trade)
        if verb and word not in ("shop", "house"):
            clause = Clause(verb)
            objects = [" ".join(words[:place])] if place else []
            phrases = [NounPhrase(text, (), 0) for text in objects] or [
                phrase for phrase in extras[:1] if not is_business(phrase.text)
            ]
            clause.roles[OBJECT] = phrases
            return [clause]
    return _with_extras(words[-1], extras)


def _with_extras(trade: str, extras: list[NounPhrase]) -> list[Clause]:
    """What a business does with what its sentence only says that it has."""
    if trade in _MARKETS and extras:  # "a site for campervans"
        kind = kind_of(extras[0].text, "thing")
        return [Clause("sell" if kind == "stock" else "rent", {OBJECT: extras[:1], "for": extras[1:]})]
    extras = [each for each in extras if each.text not in verbs() or is_listed(each.text)]
    kinds = [kind_of(phrase.text, "record") for phrase in extras]
    if "place" in kinds:  # "a campsite with pitches, where dogs are allowed"
        extras = [phrase for phrase, kind in zip(extras, kinds, strict=True) if kind != "thing"]
    return [
        Clause(VERBS[kind], {OBJECT: [phrase]})
        for phrase in extras[:3]
        if (kind := kind_of(phrase.text, "record")) in VERBS
    ]


def _on_a_roll(business: str) -> list[Clause]:
    """What a school does that only says that it is one: it enrols children."""
    if singular(business.rpartition(" ")[2]) not in _ENROLLING:
        return []
    return [Clause("enrol", {OBJECT: [NounPhrase(people_of(business) or "child", (), 0, many=True)]})]


def _in_a_shop(words: list[str]) -> list[Clause]:
    """What a shop sells that is called after it, "a tyre shop"; [] of other businesses."""
    goods = goods_of(" ".join(words))
    return [Clause("sell", {OBJECT: [goods]})] if goods is not None else []


def goods_of(business: str) -> NounPhrase | None:
    """What is sold or lent by a business that is called after it: wine by a wine merchant, money by a credit
    union; None of others."""
    words = business.split()
    if "credit" in words or "savings" in words or business.endswith(_LENDING) or business == "bank":
        return NounPhrase("money", (), 0)
    goods = " ".join(words[:-1])
    sells = words[-1] in _SHOPS and kind_of(goods, "") in ("thing", "stock")
    return NounPhrase(goods, (), 0, many=True) if sells else None


def _is_taught(words: list[str]) -> bool:
    """ "ski school", "language school": whether a school is called after what is learnt there; a primary
    or village school is not."""
    if len(words) == 1:
        return False
    noun = "NOUN" in lemmas(words[-2]) and "ADJ" not in lemmas(words[-2])
    others = {"place", "party", "business", "staff", "time"} & set(kinds_of(words[-2]))
    return words[-1] != "club" and noun and not others and words[-2] not in _GENERAL


def offered_clauses(offers: list[NounPhrase]) -> list[Clause]:
    """What a business does that lists what it has: it sells goods, and people come for anything else."""
    goods = [each for each in offers if kind_of(each.text, "record") in ("stock", "thing")]
    goods = [each for each in offers if each in goods or not kinds_of(each.text)] if goods else []
    clauses = [Clause("sell", {OBJECT: goods})] if goods else []
    services = [each for each in offers if each not in goods]
    if services:
        roles = {OBJECT: [NounPhrase("appointment", (), 0)], OFFERED: services}
        clauses.insert(0, Clause("take", roles))
    return clauses


def trade_verb_for(business: str, agent: str, verb: str) -> str:
    """What "readers can take six books" means at a library, which lends them; "" elsewhere."""
    words = (_WORK.get(singular(word), "") for word in business.split())
    served = "party" in kinds_of(agent)[:1] and "staff" not in kinds_of(agent)
    return next(filter(None, words), "") if served and verb in _HAVING else ""


def work_of_trade(business: str, things: list[NounPhrase]) -> list[Clause]:
    """What a trade does with things that are brought there: a kennel boards dogs; [] of other trades."""
    verb = _WORK.get(singular(business.rpartition(" ")[2]), "")
    return [Clause(verb, {OBJECT: things[:2]})] if verb else []


def _verb_of_trade(word: str) -> str:
    """What a trade is named after, "bake" of "bakery"; "" where that is no known verb."""
    if not word.endswith(("ery", "er", "or")):
        return ""
    return next((stem for end in (1, 2, 3) if (stem := word[:-end]) in verbs()), "")
