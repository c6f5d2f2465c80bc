"""Which modules decide something, by room, and the tests that are to find a fault in each."""

from __future__ import annotations

Room = dict[str, tuple[str, ...]]
"""Module to the tests that are run for it, both relative to the repository."""

_VERIFICATION = "tests/synthesis/verification"
_WORLDS = "tests/synthesis/worlds"

ROOMS: dict[str, Room] = {
    "verification": {
        "synthesis/verification/rewards.py": (f"{_VERIFICATION}/test_rewards.py",),
        "synthesis/verification/verifier.py": (f"{_VERIFICATION}/test_verifier.py",),
        "synthesis/verification/verifier_habits.py": (f"{_VERIFICATION}/test_verifier_habits.py",),
        "synthesis/verification/row_edits.py": (f"{_VERIFICATION}/test_row_edits.py",),
        "synthesis/verification/revealed.py": (f"{_VERIFICATION}/test_revealed.py",),
        "synthesis/verification/wrong_answers.py": (f"{_VERIFICATION}/test_wrong_answers.py",),
        "synthesis/verification/measurements.py": (f"{_VERIFICATION}/test_measurements.py",),
        "synthesis/verification/replayer.py": (f"{_VERIFICATION}/test_replayer.py",),
        "synthesis/verification/checks.py": (f"{_VERIFICATION}/test_checks.py",),
        "synthesis/verification/claims/end_states.py": (
            f"{_VERIFICATION}/test_claims_of_verifiers.py",
            f"{_VERIFICATION}/test_checks.py",
        ),
        "synthesis/verification/claims/solutions.py": (
            f"{_VERIFICATION}/test_claims_of_solutions.py",
            f"{_VERIFICATION}/test_checks.py",
        ),
        "synthesis/verification/claims/verifiers.py": (
            f"{_VERIFICATION}/test_claims_of_verifiers.py",
            f"{_VERIFICATION}/test_checks.py",
        ),
    },
    "sandbox": {
        "synthesis/worlds/answers.py": (f"{_WORLDS}/test_answers.py",),
        "synthesis/worlds/schema_bounds.py": (f"{_WORLDS}/test_schema_bounds.py",),
        "synthesis/worlds/text_patterns.py": (f"{_WORLDS}/test_text_patterns.py",),
        "synthesis/worlds/sandbox/protocol.py": (f"{_WORLDS}/sandbox/test_protocol.py",),
        "synthesis/worlds/sandbox/idle_watch.py": (f"{_WORLDS}/sandbox/test_idle_watch.py",),
        "synthesis/worlds/worker/forbidden.py": (f"{_WORLDS}/test_toolset.py",),
        "synthesis/worlds/worker/tool_source.py": (
            f"{_WORLDS}/test_tool_source.py",
            f"{_WORLDS}/test_toolset.py",
        ),
        "synthesis/serving/bodies.py": ("tests/synthesis/serving/test_guards.py",),
        "synthesis/serving/fair_slots.py": ("tests/synthesis/serving/test_fair_slots.py",),
        "synthesis/serving/guards.py": ("tests/synthesis/serving/test_guards.py",),
    },
    "gates": {
        "studio/services/environments/quality_gates.py": (
            "tests/studio/services/environments/test_gates.py",
            "tests/studio/services/environments/test_blocking_flags.py",
            "tests/studio/services/review/test_reviews.py",
        ),
        "studio/models/reviews.py": (
            "tests/studio/services/environments/test_gates.py",
            "tests/studio/services/environments/test_blocking_flags.py",
            "tests/studio/services/review",
        ),
    },
    "money": {
        "synthesis/llm/budget.py": ("tests/synthesis/llm/test_budget.py",),
        "synthesis/llm/prices.py": (
            "tests/synthesis/llm/test_metered.py",
            "tests/synthesis/llm/test_budget.py",
        ),
        "synthesis/llm/metered.py": ("tests/synthesis/llm/test_metered.py",),
        "studio/services/llm/batch_budget.py": (
            "tests/studio/services/llm/test_batch_limits.py",
            "tests/studio/services/synthesis/test_batch_budget.py",
        ),
    },
}
