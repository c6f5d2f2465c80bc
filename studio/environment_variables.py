"""Every variable that configures the studio: its name, kind, default and meaning, in one table.

`studio/settings.py` is the only caller that hands in the process environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.variable import BadVariable, Variable

__all__ = ["VARIABLES", "BadVariable", "Variable", "read"]

VARIABLES: tuple[Variable, ...] = (
    # Where things are
    Variable(
        name="WORLDWRIGHT_VAR",
        kind="folder",
        default=None,
        meaning="Folder for the database, bundles, the broker's messages and the generated secret; "
        "var/ beside manage.py when unset.",
    ),
    Variable(
        name="DATABASE_URL",
        kind="address",
        default=None,
        schemes=("postgresql", "postgres", "sqlite"),
        meaning="The database; an SQLite file under WORLDWRIGHT_VAR when unset.",
        secret=True,
    ),
    Variable(
        name="CELERY_BROKER_URL",
        kind="address",
        default=None,
        schemes=("redis", "rediss", "amqp", "amqps"),
        meaning="The broker between pages and workers; files under WORLDWRIGHT_VAR when unset.",
        secret=True,
    ),
    # The web server
    Variable(
        name="WORLDWRIGHT_DEBUG",
        kind="yes or no",
        default=False,
        meaning="Shows stack traces in the browser; for development only.",
    ),
    Variable(
        name="WORLDWRIGHT_SECRET_KEY",
        kind="text",
        default=None,
        meaning="Signs sessions; generated and kept in WORLDWRIGHT_VAR on a local host, "
        "required when WORLDWRIGHT_HOSTS names a public one.",
        secret=True,
    ),
    Variable(
        name="WORLDWRIGHT_HOSTS",
        kind="list",
        default=["localhost", "127.0.0.1", "[::1]"],
        meaning="Host names under which the studio answers.",
    ),
    Variable(
        name="WORLDWRIGHT_HTTPS",
        kind="yes or no",
        default=False,
        meaning="The studio stands behind HTTPS: cookies are marked secure and browsers are told to stay.",
    ),
    Variable(
        name="WORLDWRIGHT_TIME_ZONE",
        kind="text",
        default="UTC",
        meaning="Time zone in which pages show moments.",
    ),
    Variable(
        name="WORLDWRIGHT_LOG_LEVEL",
        kind="text",
        default="WARNING",
        choices=("DEBUG", "INFO", "WARNING", "ERROR"),
        meaning="Least severe message that is logged.",
    ),
    # Synthesis
    Variable(
        name="WORLDWRIGHT_ATTEMPTS",
        kind="whole number",
        default=5,
        lowest=1,
        meaning="Attempts a stage has before its run fails.",
    ),
    Variable(
        name="WORLDWRIGHT_TASKS",
        kind="whole number",
        default=10,
        lowest=1,
        meaning="Tasks asked for in one environment.",
    ),
    Variable(
        name="OPENAI_BASE_URL",
        kind="address",
        default=None,
        schemes=("http", "https"),
        meaning="Endpoint of the model author, the chat agent and the judge; OpenAI's own when unset.",
    ),
    Variable(name="OPENAI_API_KEY", kind="text", default=None, secret=True, meaning="Key for that endpoint."),
    Variable(
        name="WORLDWRIGHT_MODEL", kind="text", default=None, meaning="Model that authors parts and judges."
    ),
    Variable(
        name="WORLDWRIGHT_SUMMARY_MODEL",
        kind="text",
        default=None,
        meaning="Model at the same endpoint that condenses long findings for the author; "
        "they are only cut when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_ENDPOINT_CONCURRENCY",
        kind="whole number",
        default=64,
        lowest=1,
        meaning="Calls in flight that the endpoint allows, over all runs and workers.",
    ),
    Variable(
        name="WORLDWRIGHT_ENDPOINT_REQUESTS",
        kind="whole number",
        default=None,
        lowest=1,
        meaning="Requests a minute that the endpoint allows, over all runs and workers; no limit when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_ENDPOINT_TOKENS",
        kind="whole number",
        default=None,
        lowest=1,
        meaning="Tokens a minute that the endpoint allows, over all runs and workers; no limit when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_ENDPOINT_SECONDS",
        kind="number",
        default=300.0,
        lowest=1,
        meaning="Seconds the endpoint may take for one whole answer.",
    ),
    Variable(
        name="WORLDWRIGHT_RUN_BUDGET",
        kind="number",
        default=None,
        lowest=0,
        meaning="US dollars one run may spend on a model; no limit when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_RUN_TOKENS",
        kind="whole number",
        default=None,
        lowest=1,
        meaning="Tokens one run may use; no limit when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_MONTH_BUDGET",
        kind="number",
        default=None,
        lowest=0,
        meaning="US dollars all runs of a calendar month may spend; no limit when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_MONTH_TOKENS",
        kind="whole number",
        default=None,
        lowest=1,
        meaning="Tokens all runs of a calendar month may use; no limit when unset.",
    ),
    # Rollouts and rewards
    Variable(
        name="WORLDWRIGHT_MAX_STEPS",
        kind="whole number",
        default=20,
        lowest=1,
        meaning="Steps an agent has in one episode.",
    ),
    Variable(
        name="WORLDWRIGHT_CONTEXT_TOKENS",
        kind="whole number",
        default=32_000,
        lowest=256,
        meaning="Tokens of context a chat agent may fill.",
    ),
    Variable(
        name="WORLDWRIGHT_RESPONSE_TOKENS",
        kind="whole number",
        default=2_048,
        lowest=16,
        meaning="Longest reply of a chat agent, in tokens.",
    ),
    Variable(
        name="WORLDWRIGHT_HISTORY_WINDOW",
        kind="whole number",
        default=3,
        lowest=1,
        meaning="Latest turns a chat agent sees beside the first exchange.",
    ),
    Variable(
        name="WORLDWRIGHT_REWARD_COMPLETED", kind="number", default=1.0, meaning="Reward for Completed."
    ),
    Variable(
        name="WORLDWRIGHT_REWARD_PARTIAL",
        kind="number",
        default=0.1,
        meaning="Reward for Partially Completed.",
    ),
    Variable(
        name="WORLDWRIGHT_REWARD_AGENT_ERROR", kind="number", default=0.0, meaning="Reward for Agent Error."
    ),
    Variable(
        name="WORLDWRIGHT_REWARD_ENVIRONMENT_ERROR",
        kind="number",
        default=0.0,
        meaning="Reward for Environment Error (never used for training).",
    ),
    Variable(
        name="WORLDWRIGHT_REWARD_FORMAT",
        kind="number",
        default=-1.0,
        meaning="Reward when the agent breaks the format rule.",
    ),
    # Judging
    Variable(
        name="WORLDWRIGHT_JUDGE_REPEATS",
        kind="whole number",
        default=5,
        lowest=2,
        meaning="Times a judge looks at each trajectory when its reliability is measured.",
    ),
    Variable(
        name="WORLDWRIGHT_JUDGE_SAMPLE",
        kind="whole number",
        default=100,
        lowest=1,
        meaning="Trajectories drawn for one measurement of a judge.",
    ),
    Variable(
        name="WORLDWRIGHT_QUALITY_SAMPLE",
        kind="whole number",
        default=100,
        lowest=1,
        meaning="Environments drawn when a judge model grades quality.",
    ),
    # Expansion of seeds
    Variable(
        name="WORLDWRIGHT_EMBEDDING_MODEL",
        kind="text",
        default="",
        meaning="Model of the same endpoint whose embeddings find duplicate scenarios; their letters are "
        "compared when unset.",
    ),
    Variable(
        name="WORLDWRIGHT_SIMILARITY_LIMIT",
        kind="number",
        default=0.85,
        lowest=0.1,
        highest=1,
        meaning="Similarity to an earlier scenario above which one is a duplicate (AWM's limit).",
    ),
    Variable(
        name="WORLDWRIGHT_SIMILARITY_WARNING",
        kind="number",
        default=0.75,
        lowest=0.1,
        highest=1,
        meaning="Similarity above which a scenario is dropped when its category is full (AWM's).",
    ),
    Variable(
        name="WORLDWRIGHT_CATEGORY_CAP",
        kind="whole number",
        default=80,
        lowest=1,
        meaning="Scenarios of one category after which it is full (AWM's cap).",
    ),
    Variable(
        name="WORLDWRIGHT_LEAST_SUITABILITY",
        kind="whole number",
        default=5,
        lowest=1,
        highest=10,
        meaning="Least suitability for simulation, from 1 to 10, of a scenario that is kept.",
    ),
    # Gates of the quality ladder
    Variable(
        name="WORLDWRIGHT_GATE_TOOL_SCORE",
        kind="number",
        default=0.85,
        lowest=0,
        highest=1,
        meaning="Least share of tool calls that end as they should for an environment to count as "
        "executable; EnvScaler's limit, so that figures compare.",
    ),
    Variable(
        name="WORLDWRIGHT_GATE_SOUNDNESS",
        kind="number",
        default=1.0,
        lowest=0,
        highest=1,
        meaning="Least share of wrong ends that verifiers refuse for an environment to count as proved; "
        "each one that passes is a reward for the wrong thing.",
    ),
    Variable(
        name="WORLDWRIGHT_GATE_COMPLETENESS",
        kind="number",
        default=1.0,
        lowest=0,
        highest=1,
        meaning="Least share of other right ways that verifiers accept for an environment to count as "
        "proved; each one refused punishes an agent that was right.",
    ),
    Variable(
        name="WORLDWRIGHT_GATE_FLAGS",
        kind="text",
        default="blocking",
        choices=("blocking", "major", "minor"),
        meaning="Least severity of an open flag that stands in the way of approval.",
    ),
    Variable(
        name="WORLDWRIGHT_GATE_WAIVERS",
        kind="yes or no",
        default=True,
        meaning="A lead may export what is not approved, with a reason that travels in the bundle.",
    ),
    # Review
    Variable(
        name="WORLDWRIGHT_REVIEWERS",
        kind="whole number",
        default=1,
        lowest=1,
        meaning="Approvals by different people that an environment needs.",
    ),
    Variable(
        name="WORLDWRIGHT_CLAIM_MINUTES",
        kind="whole number",
        default=60,
        lowest=1,
        meaning="Minutes a reviewer holds an item taken from the queue.",
    ),
    # Runs and workers
    Variable(
        name="WORLDWRIGHT_WORKERS",
        kind="whole number",
        default=2,
        lowest=1,
        meaning="Runs the worker started by `serve` executes side by side.",
    ),
    Variable(
        name="WORLDWRIGHT_STAGE_LIMITS",
        kind="list",
        default=[],
        meaning="Runs a worker lets into one stage at a time, for example checks=2,tools=8; "
        "the proof (checks) takes as many as there are processors when not named.",
    ),
    Variable(
        name="WORLDWRIGHT_STOP_SECONDS",
        kind="number",
        default=6.0,
        lowest=0,
        meaning="Seconds a worker that is asked to end lets calls in flight finish "
        "before it hands its runs back.",
    ),
    Variable(
        name="WORLDWRIGHT_HEARTBEAT_SECONDS",
        kind="number",
        default=5.0,
        lowest=0.1,
        meaning="Seconds between two signs of life of a run.",
    ),
    Variable(
        name="WORLDWRIGHT_LOST_AFTER_SECONDS",
        kind="number",
        default=60.0,
        lowest=1,
        meaning="Seconds without a sign of life after which a run counts as lost and is queued again.",
    ),
    Variable(
        name="WORLDWRIGHT_RUN_CLAIMS",
        kind="whole number",
        default=5,
        lowest=1,
        meaning="Workers that may be lost with a run before it fails; those with others count in part.",
    ),
)


def read(environ: Mapping[str, str]) -> dict[str, Any]:
    """The value of every variable in the table.

    Args:
        environ: The process environment.

    Raises:
        BadVariable: One or more cannot be used; the text has a line for each of them.
    """
    values, refusals = {}, []
    for variable in VARIABLES:
        try:
            values[variable.name] = variable.read(environ.get(variable.name))
        except BadVariable as refusal:
            refusals.append(str(refusal))
    if refusals:
        raise BadVariable("\n".join(refusals))
    return values
