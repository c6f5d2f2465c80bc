"""Checks: the claims every environment must meet, in one visible table, and the report of trying them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment
from synthesis.documents.finding import PART_NAMES, Finding, PartName
from synthesis.errors import BrokenEnvironment, SandboxUnavailable, WorldError
from synthesis.verification.claims import (
    building,
    concurrency,
    declarations,
    invariants,
    knowledge,
    near_misses,
    questions,
    recomputation,
    rows,
    scenario,
    solutions,
    tool_relations,
    tools,
    verifiers,
    weak_agents,
    wordings,
)
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.sound_parts import Remainder
from synthesis.worlds.collector import seldom_collecting
from synthesis.worlds.world import World

_LAST_OF_BUILDING = building.every_tool_is_described.__name__
_OF_THE_WHOLE = frozenset(
    claim.__name__
    for claim in (
        scenario.the_world_is_about_its_scenario,
        declarations.amounts_are_exact,
        declarations.references_are_declared,
        declarations.states_can_be_reached,
        declarations.nothing_is_there_twice,
        declarations.asked_facts_are_required,
        declarations.names_mean_one_row,
    )
)
"""Claims that are read from the parts and run nothing: they concern all parts, whether they build or not."""

Claim = Callable[[ProofContext, ClaimOutcome], None]
Check = Callable[[ProofContext], CheckResult]

_CLAIMS: tuple[Claim, ...] = (
    building.the_schema_builds,
    building.every_seed_row_loads,
    building.every_tool_is_described,
    building.two_builds_are_equal,
    scenario.the_world_is_about_its_scenario,
    rows.moments_are_in_order,
    rows.amounts_add_up,
    rows.rows_obey_the_policy,
    declarations.amounts_are_exact,
    declarations.references_are_declared,
    declarations.states_can_be_reached,
    declarations.nothing_is_there_twice,
    tools.no_tool_fails,
    tools.tools_refuse_wrong_arguments,
    tools.every_tool_can_succeed,
    tools.reading_tools_change_nothing,
    tools.writing_tools_save,
    declarations.lists_are_bounded_and_ordered,
    declarations.first_rows_are_sorted,
    tool_relations.tools_keep_their_contract_later,
    tool_relations.lists_agree_with_each_other,
    tool_relations.changes_fit_their_calls,
    invariants.declared_invariants_hold,
    concurrency.repeated_looks_agree,
    solutions.reference_solutions_run,
    solutions.reference_solutions_complete_their_tasks,
    solutions.tasks_change_what_they_say,
    solutions.replays_come_to_the_same,
    concurrency.concurrent_calls_stay_apart,
    declarations.asked_facts_are_required,
    recomputation.averages_and_sums_are_right,
    declarations.names_mean_one_row,
    verifiers.idle_agents_complete_nothing,
    verifiers.right_words_alone_complete_nothing,
    verifiers.verifiers_look_at_the_world,
    near_misses.near_misses_are_refused,
    near_misses.weaker_verifiers_would_be_noticed,
    verifiers.wrong_answers_are_refused,
    wordings.right_wordings_are_accepted,
    wordings.wrong_wordings_are_refused,
    weak_agents.weak_agents_fail,
    verifiers.equivalent_solutions_are_accepted,
    knowledge.solutions_use_what_was_revealed,
    knowledge.no_answer_is_in_the_instruction,
    knowledge.no_shortcut_is_found,
    questions.what_code_cannot_see_is_asked,
)


def _check(claim: Claim) -> Check:
    def check(context: ProofContext) -> CheckResult:
        answer = ClaimOutcome(claim.__name__)
        try:
            claim(context, answer)
        except SandboxUnavailable:
            raise
        except WorldError as error:
            _blame(context, answer, error)
        answer.findings, earlier = context.causes.settle(answer.findings)
        if earlier and answer.holds:
            answer.follows_from(earlier)
        return CheckResult(
            claim=answer.claim,
            description=_sentence(claim),
            passed=answer.holds,
            findings=tuple(answer.findings),
            figures=answer.figures,
            scores=answer.all_scores,
            trials=tuple(answer.trials),
            questions=answer.questions,
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
        One result per claim, in the table's order. Where the world does not build, later claims are tried on
        what does, and a note says what was left out; where too little does, they do not hold, with a finding
        that names the part at fault.

    Raises:
        SandboxUnavailable: This host cannot run generated code, so nothing can be proved.
    """
    results = []
    with ExitStack() as stack:
        stack.enter_context(seldom_collecting())
        whole = context = stack.enter_context(ProofContext(environment, world=world))
        for name, check in CHECKS.items():
            result = check(whole if name in _OF_THE_WHOLE else context)
            goes_on = name == _LAST_OF_BUILDING and not stop_at_first
            if goes_on and (remainder := _remainder(whole)) is not None:
                context = stack.enter_context(whole.of_the_rest(remainder))
                result = _with_what_is_left_out(result, remainder)
            results.append(result)
            if on_result is not None:
                on_result(result)
            if stop_at_first and not result.passed:
                break
    return CheckReport(environment=environment.fingerprint, results=tuple(results))


def _remainder(context: ProofContext) -> Remainder | None:
    try:
        return context.sound_parts.remainder()
    except SandboxUnavailable:
        raise
    except WorldError:
        return None


def _with_what_is_left_out(result: CheckResult, remainder: Remainder) -> CheckResult:
    left_out = "; ".join(remainder.left_out) or "lines that nothing else needs"
    note = Finding(
        part="tools",
        check=result.claim,
        message=f"What does not build was left out so that the rest could be tried: {left_out}.",
        severity="note",
    )
    return result.replace(findings=(*result.findings, note))


def _blame(context: ProofContext, answer: ClaimOutcome, error: WorldError) -> None:
    """Say why a claim could not be tried, unless that was said before."""
    part: PartName = "tools"
    where = ""
    if isinstance(error, BrokenEnvironment):
        where = error.where
        part = next((name for name in PART_NAMES if name == error.part), "tools")
    if earlier := context.causes.untried(part, str(error)):
        answer.follows_from(earlier)
    else:
        context.causes.not_tried(answer.claim, str(error))
        answer.finds(part, f"This could not be checked: {error}", where=where)


def _sentence(claim: Claim) -> str:
    return " ".join((inspect.getdoc(claim) or "").split("\n\n")[0].split())
