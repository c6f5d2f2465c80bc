"""Checks: the claims every environment must meet, in one visible table, and the report of trying them."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment
from synthesis.documents.finding import PART_NAMES, PartName
from synthesis.errors import BrokenEnvironment, SandboxUnavailable, WorldError
from synthesis.verification.claims import building, concurrency, knowledge, solutions, tools, verifiers
from synthesis.verification.claims.claim import Answer
from synthesis.verification.proving import Proving
from synthesis.worlds.world import World

Claim = Callable[[Proving, Answer], None]
Check = Callable[[Proving], CheckResult]

_CLAIMS: tuple[Claim, ...] = (
    building.the_schema_builds,
    building.every_seed_row_loads,
    building.every_tool_is_described,
    building.two_builds_are_equal,
    tools.no_tool_fails,
    tools.tools_refuse_wrong_arguments,
    tools.every_tool_can_succeed,
    tools.reading_tools_change_nothing,
    tools.writing_tools_save,
    concurrency.repeated_looks_agree,
    solutions.reference_solutions_run,
    solutions.reference_solutions_complete_their_tasks,
    solutions.tasks_change_what_they_say,
    solutions.replays_come_to_the_same,
    concurrency.concurrent_calls_stay_apart,
    verifiers.idle_agents_complete_nothing,
    verifiers.right_words_alone_complete_nothing,
    verifiers.near_misses_are_refused,
    verifiers.wrong_answers_are_refused,
    verifiers.equivalent_solutions_are_accepted,
    verifiers.verifiers_look_at_the_world,
    knowledge.solutions_use_what_was_revealed,
    knowledge.no_answer_stands_in_the_instruction,
    knowledge.no_shortcut_is_found,
)


def _check(claim: Claim) -> Check:
    def check(proving: Proving) -> CheckResult:
        answer = Answer(claim.__name__)
        try:
            claim(proving, answer)
        except SandboxUnavailable:
            raise
        except WorldError as error:
            _blame(answer, error)
        return CheckResult(
            claim=answer.claim,
            description=_sentence(claim),
            passed=answer.holds,
            findings=tuple(answer.findings),
            figures=answer.figures,
            scores=answer.all_scores,
            trials=tuple(answer.trials),
        )

    check.__name__, check.__doc__ = claim.__name__, claim.__doc__
    return check


CHECKS: dict[str, Check] = {claim.__name__: _check(claim) for claim in _CLAIMS}
"""Name of the claim to the check that tries it, in the order in which they are tried."""


def check_environment(
    environment: Environment,
    *,
    world: World | None = None,
    on_result: Callable[[CheckResult], None] | None = None,
    stop_at_first: bool = False,
) -> CheckReport:
    """Try every claim on an environment.

    Args:
        environment: The complete design.
        world: A world of it, if there is one already.
        on_result: Told each result as soon as it is there.
        stop_at_first: Whether to try nothing more after the first claim that does not hold.

    Returns:
        One result per claim, in the table's order. Claims that cannot be tried since the world does not
        build do
        not hold, with a finding that names the part at fault.

    Raises:
        SandboxUnavailable: This host cannot run generated code, so nothing can be proved.
    """
    results = []
    with Proving(environment, world=world) as proving:
        for check in CHECKS.values():
            result = check(proving)
            results.append(result)
            if on_result is not None:
                on_result(result)
            if stop_at_first and not result.passed:
                break
    return CheckReport(environment=environment.fingerprint, results=tuple(results))


def _blame(answer: Answer, error: WorldError) -> None:
    part: PartName = "tools"
    where = ""
    if isinstance(error, BrokenEnvironment):
        where = error.where
        part = next((name for name in PART_NAMES if name == error.part), "tools")
    answer.finds(part, f"This could not be tried: {error}", where=where)


def _sentence(claim: Claim) -> str:
    return " ".join((inspect.getdoc(claim) or "").split("\n\n")[0].split())
