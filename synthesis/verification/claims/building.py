"""Claims 1 and 5: the world builds, always the same."""

from __future__ import annotations

from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import PROOF, ProofContext
from synthesis.verification.sound_parts import mostly_in_vain, parent_of
from synthesis.worlds import database


def the_schema_builds(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every statement of the schema runs, every table has a primary key, every foreign key a target."""
    answer.takes(context.sound_parts.schema_findings)
    answer.counts(tables=len(context.environment.schema.tables))


def every_seed_row_loads(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every seed row loads with foreign keys on, and the actor is one of them."""
    environment = context.environment
    findings = context.sound_parts.seed_findings
    in_vain = mostly_in_vain(findings, environment.seed_data)
    for finding in findings:
        if (finding.where, parent_of(finding)) in in_vain:
            text = f"Most rows violate it, so the foreign key may be wrong. {finding.message}"
            answer.takes([finding.replace(part="schema", message=text)])
        else:
            answer.takes([finding])
    answer.counts(rows=environment.seed_data.count)


def every_tool_is_described(context: ProofContext, answer: ClaimOutcome) -> None:
    """The tools compile, import only what is allowed, keep no state, and have types and descriptions; so do
    declared invariants, as far as they have them."""
    answer.takes(context.sound_parts.tool_findings)
    answer.takes(context.sound_parts.invariants_findings)
    answer.counts(tools=len(context.environment.tools.tools))


def two_builds_are_equal(context: ProofContext, answer: ClaimOutcome) -> None:
    """The world built again, in another process, has the same rows."""
    environment, first = context.environment, context.world.base
    clock = environment.scenario.clock
    again = database.build(environment.schema, environment.seed_data, clock=clock, limits=PROOF)
    if again.hash != first.hash:
        with context.world.instance() as instance:
            instance.restore(again)
            changes = instance.diff(first).changes
        for change in changes[:5]:
            answer.finds(
                "seed_data" if change.columns else "schema",
                f"Table {change.table}, row {change.key}: built twice, {', '.join(change.columns)} differ.",
                where=change.table,
                evidence=change.model_dump(mode="json"),
            )
        if not changes:
            answer.finds("schema", "Two builds differ in the order or types of their rows.")
    answer.counts(hash=first.hash)
