"""Module: the whole of tools.py, fragment by fragment."""

from __future__ import annotations

import re

from synthesis.procedural.archetype import archetypes
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.phrases import with_nouns
from synthesis.procedural.tool_source.actions import action_source
from synthesis.procedural.tool_source.browse import get_source, list_source, view_source
from synthesis.procedural.tool_source.helper_source import imports, used_helpers
from synthesis.procedural.tool_source.reports import report_source
from synthesis.procedural.wording import plural, sentence


def tools_source(made: Blueprint) -> str:
    """The source of every tool of a blueprint, in the style a person would write it."""
    sections = []
    for fragment in made.fragments:
        functions = _functions(made, fragment)
        if functions:
            title = sentence(with_nouns(archetypes()[fragment].title, made.noun))
            sections.append("\n\n\n".join([f"# {title}", *(text.rstrip() for text in functions)]))
    body = "\n\n\n".join(sections)
    views = [view_source(made, e) for e in made.entities.values() if re.search(rf"\b{e.view}\b", body)]
    helpers = "\n\n".join(text for text in used_helpers(body))
    constants = [
        f"{rule.constant} = {rule.value}" for rule in made.rules if re.search(rf"\b{rule.constant}\b", body)
    ]
    limits = ["MAX_LIMIT = 50", "LARGEST_ID = 2**63 - 1"]
    rest = "\n".join([*views]) + "\n\n" + body + "\n\n\n# Helpers\n\n\n" + helpers
    title = f"Tools of {made.organisation}: what {plural(made.actor.noun)} may look up and change."
    head = f'"""{title}"""\n\n{imports(rest)}\n\n'
    return head + "\n".join(limits) + "\n\n" + "\n".join(constants) + ("\n\n" if constants else "") + rest


def _functions(made: Blueprint, fragment: str) -> list[str]:
    found = []
    for entity in made.entities.values():
        if entity.fragment != fragment:
            continue
        if "list" in entity.spec.tools:
            found.append(list_source(made, entity))
        if entity.key in made.shown:
            found.append(get_source(made, entity))
        found += [action_source(made, a) for a in made.actions if a.entity.key == entity.key]
    found += [report_source(made, r) for r in made.reports if r.entity.fragment == fragment]
    return found
