"""Composer: a scenario sentence and a seed choose fragments, vocabulary and rules: a blueprint."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

from synthesis.errors import InvalidInput
from synthesis.matching import likeness
from synthesis.procedural.action import Action, Report, Rule
from synthesis.procedural.archetype import (
    GENERAL,
    ActionSpec,
    Archetype,
    EntitySpec,
    GuardSpec,
    Industry,
    archetypes,
    industries,
    vocabulary,
)
from synthesis.procedural.blueprint import Blueprint, Size, Style, seeded
from synthesis.procedural.entity import Entity
from synthesis.procedural.naming import Names, columns_of, tool_name
from synthesis.procedural.phrases import of_one, with_nouns, with_rules
from synthesis.procedural.wording import plural, snake

BASE_ROLES = {
    "staff": "staff",
    "place": "places",
    "item": "catalogue",
    "category": "catalogue",
    "service": "services",
    "resource": "resources",
}
"""Roles that a register of the catalogue offers, so that any fragment may need them."""


TOOLS = (32, 44)
"""Fewest and most tools to aim at."""

POLICY_ALONE = 0.7
"""Share of environments with a rule that no tool enforces."""

LEAST_ACTIONS = 3
"""Tools that change state which every fragment keeps."""


@lru_cache(maxsize=64)
def blueprint(sentence: str, seed: int, size: Size | None = None, salt: int = 0) -> Blueprint:
    """The blueprint of a sentence and a seed; `salt` makes another one of the same pair.

    Raises:
        InvalidInput: The sentence is empty.
    """
    if not sentence.strip():
        raise InvalidInput("The scenario sentence is empty; say in a few words what the application does.")
    wanted = size or Size()
    rng = seeded(sentence, seed, f"blueprint/{salt}")
    industry = _industry(sentence, rng)
    chosen, roles = _fragments(sentence, industry, wanted, rng)
    entities = _entities(chosen, roles, industry, rng)
    style = Style(
        find=rng.choice(("find", "search", "look up")),
        list=rng.choice(("list", "browse", "show")),
        get=rng.choice(("get", "view", "read", "open record of")) if rng.random() < 0.6 else "get",
        update=rng.choice(("update", "change", "edit", "amend")),
        create=rng.choice(("register", "add", "create", "record")),
    )
    style = Style(
        style.find, style.list, style.get.replace("open record of", "get"), style.update, style.create
    )
    return _assembled(sentence, seed, salt, wanted, industry, chosen, roles, entities, style, rng)


def _industry(sentence: str, rng: random.Random) -> Industry:
    """The industry whose words come nearest; among near equals the seed decides."""
    known = industries()
    scores = likeness(sentence, {n: f"{i.title} {i.category} {i.words} {i.words}" for n, i in known.items()})
    best = max(scores.values())
    if not best:
        return GENERAL
    near = sorted(name for name, score in scores.items() if score >= best * 0.9)
    return known[rng.choice(near)]


def _fragments(
    sentence: str, industry: Industry, size: Size, rng: random.Random
) -> tuple[list[Archetype], dict[str, str]]:
    """The archetypes that join, and which entity plays each role."""
    known = archetypes()
    scores = likeness(sentence, {name: f"{a.title} {a.words}" for name, a in known.items()})
    liked = {name: 0.35 - 0.03 * place for place, name in enumerate(industry.prefers)}
    free = sorted(name for name, archetype in known.items() if not archetype.base)
    weight = {name: scores[name] * 1.5 + liked.get(name, 0.0) + rng.random() * 0.3 for name in free}
    for name in free:
        if not known[name].general and name not in liked and not scores[name]:
            weight[name] -= 1.0  # a restaurant books tables, an animal shelter does not
    ranked = sorted(free, key=lambda name: -weight[name])
    party = "companies" if industry.party == "company" else "people"
    chosen = {party, "staff"}
    wanted_tables = size.tables + rng.randint(-2, 4)
    joined = 0
    for name in ranked:
        enough = joined >= size.fragments[0] and _tables(chosen) >= wanted_tables
        if enough or joined >= size.fragments[1]:
            break
        before = len(chosen)
        _join(name, chosen, weight)
        joined += 1 if len(chosen) > before else 0
    found = [known[name] for name in sorted(chosen)]
    return found, _roles(found, rng)


def _tables(chosen: set[str]) -> int:
    known = archetypes()
    return sum(len(known[name].entities) for name in chosen)


def _join(name: str, chosen: set[str], weight: dict[str, float]) -> None:
    """Add a fragment and whatever offers what it needs."""
    known = archetypes()
    if name in chosen:
        return
    chosen.add(name)
    for role in known[name].needs:
        if any(role in known[other].offers for other in chosen if other != name):
            continue
        if role in BASE_ROLES:
            _join(BASE_ROLES[role], chosen, weight)
        else:
            offering = [n for n in sorted(weight) if role in known[n].offers and n != name]
            if offering:
                _join(max(offering, key=lambda n: weight[n]), chosen, weight)


def _roles(found: list[Archetype], rng: random.Random) -> dict[str, str]:
    offered: dict[str, list[str]] = {}
    for archetype in found:
        for role, entity in archetype.offers.items():
            offered.setdefault(role, []).append(entity)
    return {role: rng.choice(sorted(entities)) for role, entities in sorted(offered.items())}


def _entities(
    chosen: list[Archetype], roles: dict[str, str], industry: Industry, rng: random.Random
) -> dict[str, Entity]:
    """Entities with their nouns, ordered so that a table only refers to tables above it."""
    specs = {key: (spec, archetype.name) for archetype in chosen for key, spec in archetype.entities.items()}
    names = Names(industry, rng)
    nouns = {key: names.noun(key, spec) for key, (spec, _) in specs.items()}
    made = {
        key: Entity(key, nouns[key], spec, columns_of(key, spec, nouns, roles, rng), fragment)
        for key, (spec, fragment) in specs.items()
    }
    ordered: dict[str, Entity] = {}

    def place(key: str, above: tuple[str, ...]) -> None:
        if key in ordered or key in above:
            return
        for column in made[key].refs:
            place(column.entity, (*above, key))
        ordered[key] = made[key]

    for key in made:
        place(key, ())
    return ordered


def _assembled(  # noqa: PLR0917 - what a blueprint is assembled from
    sentence: str,
    seed: int,
    salt: int,
    size: Size,
    industry: Industry,
    chosen: list[Archetype],
    roles: dict[str, str],
    entities: dict[str, Entity],
    style: Style,
    rng: random.Random,
) -> Blueprint:
    def noun(name: str) -> str:
        return entities[roles.get(name, name)].noun

    words = {**vocabulary()}
    for archetype in chosen:
        words.update(archetype.vocabulary)
    words.update(industry.vocabulary)
    taken: set[str] = set()
    constants: set[str] = set()
    actions: list[Action] = []
    rules: list[Rule] = []
    for archetype in chosen:
        local = _rules(archetype, noun, constants, rng)
        rules += local.values()
        for spec in (*archetype.actions, *_plain_actions(archetype, style, entities)):
            action = _action(spec, entities, roles, noun, local, taken, rng)
            if action is not None:
                taken.add(action.name)
                actions.append(action)
    actions = _one_by_policy(actions, seeded(sentence, seed, f"policy/{salt}"))
    reports = []
    for archetype in chosen:
        for report in archetype.reports:
            options = [snake(with_nouns(name, noun)) for name in report.names]
            name = next((o for o in rng.sample(options, len(options)) if o not in taken), "")
            if name:
                taken.add(name)
                reports.append(Report(name, report, entities[report.entity]))
    actions, reports, shown = trimmed(actions, reports, entities, rng)
    day = datetime(2026, 1, 5) + timedelta(days=rng.randrange(0, 340))
    if day.weekday() > 4:
        day += timedelta(days=7 - day.weekday())
    clock = day.replace(hour=rng.randint(8, 15), minute=rng.choice((0, 5, 10, 15, 20, 30, 40, 45)))
    organisation = (
        f"{rng.choice(words['place_stems'])} {rng.choice(industry.organisations or (industry.title,))}"
    )
    return Blueprint(
        sentence=sentence,
        seed=seed,
        salt=salt,
        size=size,
        industry=industry,
        organisation=organisation,
        fragments=tuple(archetype.name for archetype in chosen),
        roles=roles,
        entities=entities,
        actions=tuple(actions),
        reports=tuple(reports),
        rules=tuple(rules),
        style=style,
        clock=clock,
        shown=shown,
        vocabulary=words,
    )


def _one_by_policy(actions: list[Action], rng: random.Random) -> list[Action]:
    """In most environments one rule stands in the policy alone: the tool would do what it forbids."""
    fitting = [place for place, action in enumerate(actions) if action.could_rely_on_policy]
    if fitting and rng.random() < POLICY_ALONE:
        place = rng.choice(fitting)
        actions[place] = actions[place].in_policy_alone()
    return actions


def trimmed(
    actions: list[Action], reports: list[Report], entities: dict[str, Entity], rng: random.Random
) -> tuple[list[Action], list[Report], frozenset[str]]:
    """Leave out tools that nothing depends on until the toolset has a size an agent can take in."""
    shown = {key for key, entity in entities.items() if "get" in entity.spec.tools}
    parents = {entity.spec.per for entity in entities.values() if entity.spec.per and not entity.spec.tools}
    listed = sum("list" in entity.spec.tools for entity in entities.values())
    wanted = rng.randint(*TOOLS)
    spare: list[Action | Report | str] = [*sorted(shown - parents), *reports, *actions, *actions]
    rng.shuffle(spare)
    kept_actions, kept_reports = list(actions), list(reports)
    while spare and listed + len(shown) + len(kept_actions) + len(kept_reports) > wanted:
        least = spare.pop()
        if isinstance(least, str):
            shown.discard(least)
        elif isinstance(least, Report):
            kept_reports = [report for report in kept_reports if report is not least]
        elif sum(a.entity.fragment == least.entity.fragment for a in kept_actions) > LEAST_ACTIONS:
            kept_actions = [action for action in kept_actions if action is not least]
    return kept_actions, kept_reports, frozenset(shown)


def _rules(
    archetype: Archetype, noun: Callable[[str], str], constants: set[str], rng: random.Random
) -> dict[str, Rule]:
    made: dict[str, Rule] = {}
    for name, spec in archetype.rules.items():
        constant = name.upper() if name.upper() not in constants else f"{archetype.name}_{name}".upper()
        constants.add(constant)
        made[name] = Rule(constant, rng.choice(spec.values), spec.money, spec.policy)
    return {
        name: Rule(rule.constant, rule.value, rule.money, _stated(rule.policy, noun, made))
        for name, rule in made.items()
    }


def _stated(policy: str, noun: Callable[[str], str], rules: dict[str, Rule]) -> str:
    return with_rules(with_nouns(of_one(policy, rules), noun), rules)


def _plain_actions(archetype: Archetype, style: Style, entities: dict[str, Entity]) -> list[ActionSpec]:
    """The create and update tools that entities ask for by their `tools`."""
    made = []
    for key, spec in archetype.entities.items():
        entity = entities[key]
        if "create" in spec.tools:
            made.append(_creation(entity, style))
        if "update" in spec.tools and any(c.spec.edit for c in entity.columns):
            made.append(_update(entity, style))
    return made


def _creation(entity: Entity, style: Style) -> ActionSpec:
    given = [
        c for c in entity.columns if not c.spec.when and c.kind not in ("day", "number") and c.key != "status"
    ]
    once = next(iter(entity.spec.once), ())
    guard = GuardSpec(
        kind="once",
        of=entity.key,
        per=once,
        says=f"There is already such {entity.noun}: {entity.noun} {{=taken.id}}.".replace("such", "such a"),
        tempting=False,
    )
    return ActionSpec(
        creates=entity.key,
        verbs=(style.create, "register", "add", "enter"),
        does=f"Add a new {entity.noun} to the register.",
        takes=tuple(c.key for c in given),
        sets={c.key: "=today" for c in entity.columns if c.kind == "day"},
        guards=(guard,) if once else (),
        asks=(f"register a new {entity.noun}: {{facts}}", f"add {{facts}} as a new {entity.noun}"),
        done=f"the new {entity.noun}",
        weight=2,
    )


def _update(entity: Entity, style: Style) -> ActionSpec:
    return ActionSpec(
        changes=entity.key,
        verbs=(style.update, "update", "change"),
        does=f"Change what is recorded about {_a(entity.noun)}; what is left out stays as it is.",
        takes=tuple(c.key for c in entity.columns if c.spec.edit),
        asks=("{changes}",),
        weight=3,
    )


def _a(noun: str) -> str:
    return with_nouns("{a ~x}", lambda _: noun)


def _action(
    spec: ActionSpec,
    entities: dict[str, Entity],
    roles: dict[str, str],
    noun: Callable[[str], str],
    rules: dict[str, Rule],
    taken: set[str],
    rng: random.Random,
) -> Action | None:
    entity = entities[spec.creates or spec.changes]
    verbs = list(spec.verbs)
    if spec.asks and not spec.asks[0].startswith("{changes}"):
        rng.shuffle(verbs)
    object_ = with_nouns(spec.object, noun) or entity.noun
    options = [(verb, tool_name(verb, object_, with_nouns(spec.suffix, noun))) for verb in verbs]
    verb, name = next(((v, n) for v, n in options if n not in taken), ("", ""))
    if not name:
        return None
    takes = tuple(entity.column(key) for key in spec.takes if entity.has(key))
    nouns = {key: entity.noun for key, entity in entities.items()}
    extra_spec = EntitySpec(nouns=("x",), columns=spec.params)
    extra = columns_of("", extra_spec, nouns, roles, rng) if spec.params else ()
    update = spec.asks == ("{changes}",)
    return Action(name, verb, spec, entity, (*extra, *takes), rules, plain_update=update)


def scenario_words(made: Blueprint) -> str:
    """What the environment is about, in one sentence."""
    known = archetypes()
    parts = [with_nouns(known[name].title, made.noun) for name in made.fragments if not known[name].base]
    return (
        f"{made.organisation} is {_a(made.industry.title.lower())}. The agent acts for {_a(made.actor.noun)}"
        f", finds and changes records of {plural(made.noun('party'))}, and keeps these up to date "
        f"within a written policy: {'; '.join(parts)}."
    )
