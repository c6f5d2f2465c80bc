"""Claims 1 and 5: the world builds, always the same."""

from __future__ import annotations

from collections import Counter

from synthesis.documents.finding import Finding
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds import database
from synthesis.worlds.toolset import toolset_findings


def the_schema_builds(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every statement of the schema runs, every table has a primary key, every foreign key a target."""
    schema = context.environment.schema
    answer.takes(database.schema_findings(schema.sql))
    answer.counts(tables=len(schema.tables))


def every_seed_row_loads(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every seed row loads with foreign keys on, and the actor is one of them."""
    environment = context.environment
    findings = database.seed_findings(environment.schema, environment.seed_data)
    broken = Counter((f.where, _parent(f)) for f in findings if _parent(f))
    for finding in findings:
        rows = environment.seed_data.rows.get(finding.where, ())
        in_vain = broken[(finding.where, _parent(finding))]
        if in_vain >= 3 and in_vain * 2 > len(rows):
            text = f"Most rows violate it, so the foreign key may be wrong. {finding.message}"
            answer.takes([finding.replace(part="schema", message=text)])
        else:
            answer.takes([finding])
    answer.counts(rows=environment.seed_data.count)


def _parent(finding: Finding) -> str:
    """The table that a row refers to in vain, "" for another finding."""
    evidence = finding.evidence
    parent = evidence.get("parent") if isinstance(evidence, dict) else None
    return parent if isinstance(parent, str) else ""


def every_tool_is_described(context: ProofContext, answer: ClaimOutcome) -> None:
    """The tools compile, import only what is allowed, keep no state, and have types and descriptions."""
    tools = context.environment.tools
    answer.takes(toolset_findings(tools.source))
    answer.counts(tools=len(tools.tools))


def two_builds_are_equal(context: ProofContext, answer: ClaimOutcome) -> None:
    """The world built again, in another process, has the same rows."""
    environment, first = context.environment, context.world.base
    again = database.build(environment.schema, environment.seed_data, clock=environment.scenario.clock)
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
