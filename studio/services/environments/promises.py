"""Promises: the claims in the five groups that people ask about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.models import CheckResultRecord

TITLES = {
    "builds": "It builds and its data makes sense",
    "can_be_done": "Its work can be done",
    "cheating_fails": "Cheating and carelessness fail",
    "right_answers_win": "Right answers win, however they are said",
    "repeats": "It comes out the same every time",
    "other": "Other checks",
}
"""Promise to its sentence, in the order in which they are shown."""

PROMISE_OF_CLAIM: dict[str, str] = {
    "the_schema_builds": "builds",
    "every_seed_row_loads": "builds",
    "every_tool_is_described": "builds",
    "two_builds_are_equal": "builds",
    "the_world_is_about_its_scenario": "builds",
    "moments_are_in_order": "builds",
    "amounts_add_up": "builds",
    "rows_obey_the_policy": "builds",
    "what_code_cannot_see_is_asked": "builds",
    "amounts_are_exact": "builds",
    "references_are_declared": "builds",
    "states_can_be_reached": "builds",
    "nothing_is_there_twice": "builds",
    "names_mean_one_row": "builds",
    "no_tool_fails": "can_be_done",
    "tools_refuse_wrong_arguments": "can_be_done",
    "every_tool_can_succeed": "can_be_done",
    "reading_tools_change_nothing": "can_be_done",
    "writing_tools_save": "can_be_done",
    "lists_are_bounded_and_ordered": "can_be_done",
    "first_rows_are_sorted": "can_be_done",
    "tools_keep_their_contract_later": "can_be_done",
    "lists_agree_with_each_other": "can_be_done",
    "changes_fit_their_calls": "can_be_done",
    "declared_invariants_hold": "can_be_done",
    "reference_solutions_run": "can_be_done",
    "reference_solutions_complete_their_tasks": "can_be_done",
    "tasks_change_what_they_say": "can_be_done",
    "solutions_use_what_was_revealed": "can_be_done",
    "idle_agents_complete_nothing": "cheating_fails",
    "right_words_alone_complete_nothing": "cheating_fails",
    "near_misses_are_refused": "cheating_fails",
    "weaker_verifiers_would_be_noticed": "cheating_fails",
    "wrong_answers_are_refused": "cheating_fails",
    "wrong_wordings_are_refused": "cheating_fails",
    "weak_agents_fail": "cheating_fails",
    "verifiers_look_at_the_world": "cheating_fails",
    "no_answer_is_in_the_instruction": "cheating_fails",
    "no_shortcut_is_found": "cheating_fails",
    "asked_facts_are_required": "cheating_fails",
    "averages_and_sums_are_right": "right_answers_win",
    "right_wordings_are_accepted": "right_answers_win",
    "equivalent_solutions_are_accepted": "right_answers_win",
    "repeated_looks_agree": "repeats",
    "replays_come_to_the_same": "repeats",
    "concurrent_calls_stay_apart": "repeats",
}
"""The promise that each claim is part of; a claim that no longer exists is among the others."""


@dataclass(frozen=True)
class Promise:
    """One promise with the claims behind it.

    Attributes:
        name: As in `TITLES`.
        title: In a sentence.
        results: Of its claims, those that fail first.
    """

    name: str
    title: str
    results: tuple[CheckResultRecord, ...]

    @property
    def passed(self) -> bool:
        """Whether every claim of it passes."""
        return all(result.passed for result in self.results)

    @property
    def passing(self) -> int:
        """How many of its claims pass."""
        return sum(result.passed for result in self.results)


def promises(results: Sequence[CheckResultRecord]) -> list[Promise]:
    """The results by promise; promises without a claim that was tried are left out."""
    ordered = sorted(results, key=lambda result: result.passed)
    groups = {
        name: tuple(each for each in ordered if PROMISE_OF_CLAIM.get(each.claim, "other") == name)
        for name in TITLES
    }
    return [Promise(name, TITLES[name], claims) for name, claims in groups.items() if claims]
