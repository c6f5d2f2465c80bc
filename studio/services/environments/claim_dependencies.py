"""Which parts a claim is about: after an edit exactly the claims that depend on the part are tried again."""

from __future__ import annotations

from collections.abc import Iterable

from synthesis.documents.environment import DESIGN_PARTS, Environment
from synthesis.documents.finding import PartName

Parts = frozenset[PartName]

_ROWS: Parts = frozenset({"schema", "seed_data"})
_TOOLS: Parts = _ROWS | {"tools", "scenario"}
_TASKS: Parts = _TOOLS | {"tasks"}
_VERIFIERS: Parts = _TASKS | {"verifiers"}

PARTS_OF_CLAIM: dict[str, Parts] = {
    "the_schema_builds": frozenset({"schema"}),
    "every_seed_row_loads": _ROWS,
    "every_tool_is_described": frozenset({"tools"}),
    "two_builds_are_equal": _ROWS | {"scenario"},
    "no_tool_fails": _TOOLS,
    "tools_refuse_wrong_arguments": _TOOLS,
    "every_tool_can_succeed": _TASKS,
    "reading_tools_change_nothing": _TOOLS,
    "writing_tools_save": _TASKS,
    "tools_keep_their_contract_later": _TASKS,
    "lists_agree_with_each_other": _TASKS,
    "changes_fit_their_calls": _TASKS,
    "amounts_are_exact": frozenset({"schema"}),
    "references_are_declared": _ROWS,
    "states_can_be_reached": _ROWS | {"tools"},
    "nothing_is_there_twice": frozenset({"tools", "tasks"}),
    "lists_are_bounded_and_ordered": _TOOLS,
    "first_rows_are_sorted": _ROWS | {"tools"},
    "asked_facts_are_required": frozenset({"tasks"}),
    "averages_and_sums_are_right": _TASKS,
    "names_mean_one_row": _ROWS | {"tasks"},
    "declared_invariants_hold": _TASKS | {"invariants"},
    "repeated_looks_agree": _TOOLS,
    "reference_solutions_run": _TASKS,
    "reference_solutions_complete_their_tasks": _VERIFIERS,
    "tasks_change_what_they_say": _TASKS,
    "replays_come_to_the_same": _TASKS,
    "concurrent_calls_stay_apart": _TASKS,
    "idle_agents_complete_nothing": _VERIFIERS,
    "right_words_alone_complete_nothing": _VERIFIERS,
    "near_misses_are_refused": _VERIFIERS,
    "wrong_answers_are_refused": _VERIFIERS,
    "right_wordings_are_accepted": _VERIFIERS,
    "wrong_wordings_are_refused": _VERIFIERS,
    "verifiers_look_at_the_world": _VERIFIERS,
    "equivalent_solutions_are_accepted": _VERIFIERS,
    "solutions_use_what_was_revealed": _TASKS | {"policy"},
    "no_answer_is_in_the_instruction": frozenset({"tasks"}),
    "no_shortcut_is_found": _VERIFIERS | {"policy"},
    "weaker_verifiers_would_be_noticed": _VERIFIERS,
    "weak_agents_fail": _VERIFIERS,
    "the_world_is_about_its_scenario": _TASKS | {"scenario", "policy"},
    "moments_are_in_order": _ROWS,
    "amounts_add_up": _ROWS,
    "rows_obey_the_policy": _ROWS | {"policy"},
    "what_code_cannot_see_is_asked": _TASKS | {"policy"},
}
"""A claim that does not stand here depends on every part. The scenario matters by its clock."""


def changed_parts(before: Environment, after: Environment) -> frozenset[PartName]:
    """The parts whose content differs."""
    old, new = before.parts(), after.parts()
    return frozenset(
        name for name in DESIGN_PARTS if _fingerprint(old.get(name)) != _fingerprint(new.get(name))
    )


def claims_about(parts: Iterable[PartName], claims: Iterable[str]) -> tuple[str, ...]:
    """Which of some claims depend on any of the parts."""
    touched = frozenset(parts)
    everything: Parts = frozenset(DESIGN_PARTS)
    return tuple(claim for claim in claims if PARTS_OF_CLAIM.get(claim, everything) & touched)


def _fingerprint(part: object) -> str | None:
    return getattr(part, "fingerprint", None)
