"""Claims as sentences for people who look at no code."""

from __future__ import annotations

CLAIMS_IN_WORDS = {
    "the_schema_builds": "The tables can be created, and every link between them leads somewhere.",
    "every_seed_row_loads": "All the data fits into its tables.",
    "every_tool_is_described": "Every tool says what it does and what it needs.",
    "two_builds_are_equal": "Built twice, the world holds the same data.",
    "the_world_is_about_its_scenario": "The description is found in the data, the tools and the rules.",
    "moments_are_in_order": "Dates are in order: nothing ends before it begins.",
    "amounts_add_up": "Quantity times price is the total, wherever all three are shown.",
    "rows_obey_the_policy": "Nothing in the data breaks the rules.",
    "amounts_are_exact": "Money is kept to the cent.",
    "references_are_declared": "What names something else names something that exists.",
    "states_can_be_reached": "Every status occurs or can be reached.",
    "nothing_is_there_twice": "No two tools do the same, and no two tasks ask for the same.",
    "no_tool_fails": "Tools answer or refuse whatever they are asked; none breaks down.",
    "tools_refuse_wrong_arguments": "Tools refuse when something is missing, too much or of a wrong kind.",
    "every_tool_can_succeed": "Every tool can be used with success.",
    "reading_tools_change_nothing": "Tools that only look something up change nothing.",
    "writing_tools_save": "Tools that change something keep what they changed.",
    "lists_are_bounded_and_ordered": "Lists are sorted and do not grow without end.",
    "first_rows_are_sorted": "Where a tool takes the first of several, it is clear which one comes first.",
    "tools_keep_their_contract_later": "Tools still work after the tasks have changed things.",
    "lists_agree_with_each_other": "Searches leave nothing out and show nothing twice.",
    "changes_fit_their_calls": "A tool changes what it was asked to change and nothing else.",
    "declared_invariants_hold": "What should always hold does, whatever is done.",
    "repeated_looks_agree": "Asked twice, a tool answers the same.",
    "reference_solutions_run": "Every step of every right solution works.",
    "reference_solutions_complete_their_tasks": "Done the right way, every task counts as done.",
    "tasks_change_what_they_say": "Questions change nothing, and work changes something.",
    "replays_come_to_the_same": "Done again, every solution comes to the same.",
    "concurrent_calls_stay_apart": "Two people working at once do not get in each other's way.",
    "asked_facts_are_required": "An answer that leaves out what was asked does not count.",
    "averages_and_sums_are_right": "Averages and sums in right answers are what the data comes to.",
    "names_mean_one_row": "Where two share a name, the request says which one is meant.",
    "idle_agents_complete_nothing": "Doing nothing completes no task.",
    "right_words_alone_complete_nothing": "Saying the right words without doing the work completes no task.",
    "verifiers_look_at_the_world": "Success is judged by what happened, not by words alone.",
    "near_misses_are_refused": "Work that is almost right does not count.",
    "weaker_verifiers_would_be_noticed": "Every condition of a success check is needed.",
    "wrong_answers_are_refused": "Wrong, empty or evasive answers do not count.",
    "right_wordings_are_accepted": "A right answer counts in whatever words it is said.",
    "wrong_wordings_are_refused": "Answers that mix things up, deny or invent something do not count.",
    "weak_agents_fail": "Careless agents fail: those that take the first they find, or ignore a rule.",
    "equivalent_solutions_are_accepted": "Other right ways to do a task count as well.",
    "solutions_use_what_was_revealed": "Everything a solution uses can be known by then.",
    "no_answer_is_in_the_instruction": "No question contains its own answer.",
    "no_shortcut_is_found": "No task can be done in fewer steps than it says.",
    "what_code_cannot_see_is_asked": "What only people can judge is asked in the review.",
}
"""Claim to what it says to people who look at no code."""


def claim_in_words(claim: str, title: str) -> str:
    """What a claim says to people; one that is no longer tried keeps its title."""
    return CLAIMS_IN_WORDS.get(claim, title)
