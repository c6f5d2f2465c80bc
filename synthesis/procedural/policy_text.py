"""PolicyText: the written rules of one environment: what may be done, and when to decline."""

from __future__ import annotations

from synthesis.procedural.action import Action, Rule
from synthesis.procedural.archetype import archetypes
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.phrases import with_nouns, with_rules
from synthesis.procedural.wording import article, listing, participle, plural, sentence, words

MARKS = ("confidential", "lost", "missing", "paid")
"""Ends of tools' names that say what a row is marked as: without them the rule would say nothing."""


def policy_text(made: Blueprint) -> str:
    """The whole of policy.md."""
    noun = made.actor.noun
    party = made.noun("party")
    task = (
        f"You work for {article(noun)} of {made.organisation}, who passes on what people ask for; these "
        "rules decide what may be done. Money is in euro, written as 12.50. "
        '"Today" is the day the clock shows.'
    )
    born = " and, where two share a name, by date of birth" if made.entity("party").has("birth_date") else ""
    whom = (
        f"1. **Whom it is about.** {sentence(article(party))} is meant by full name{born}. Never act on the "
        "records of anybody else."
    )
    only = (
        "2. **Only what was asked.** Change what was asked for and nothing else. If a rule forbids it, "
        "change nothing and say which rule; do not look for a way around it."
    )
    lines = [f"# {made.organisation}: policy", "", task, "", whom, only]
    for number, fragment in enumerate(_sections(made), 3):
        lines.append(f"{number}. {fragment}")
    return "\n".join(lines) + "\n"


def _sections(made: Blueprint) -> list[str]:
    found = []
    for fragment in made.fragments:
        archetype = archetypes()[fragment]
        actions = [action for action in made.actions if action.entity.fragment == fragment]
        constants = {rule.constant for action in actions for rule in action.rules.values()}
        rules = [rule.policy for rule in made.rules if rule.constant in constants and rule.policy]
        extra = [with_rules(with_nouns(text, made.noun), _rules_of(actions)) for text in archetype.policy]
        sentences = [sentence(text) for text in (*rules, *extra, *_states(actions))]
        if sentences:
            found.append(f"**{sentence(with_nouns(archetype.title, made.noun))}.** {' '.join(sentences)}")
    return found


def _rules_of(actions: list[Action]) -> dict[str, Rule]:
    return {name: rule for action in actions for name, rule in action.rules.items()}


def _states(actions: list[Action]) -> list[str]:
    """Which states an action needs, one sentence each."""
    told = []
    for action in actions:
        if action.spec.from_ and not action.spec.object:
            states = listing([words(state).replace(" ", "-") for state in action.spec.from_], "or")
            done = participle(action.verb)
            if action.spec.suffix in MARKS:
                done = f"{done} as {action.spec.suffix}"
            told.append(f"Only {states} {plural(action.entity.noun)} are {done}.")
    return told
