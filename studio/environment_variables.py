"""Every variable that configures the studio: its name, type, bounds, default and meaning, in one class.

`studio/settings.py` reads it once; everybody else asks `settings.WORLDWRIGHT`.
"""

from __future__ import annotations

import difflib
import os
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from studio.variable import (
    BadVariable,
    BeginsWith,
    Folder,
    Names,
    Queues,
    allowed,
    is_secret,
    variable_name,
)
from synthesis.documents.reading import LEAST_FIDELITY
from synthesis.worlds.sandbox.mode import SandboxMode

PREFIX = "WORLDWRIGHT_"
"""What names begin with that belong to nobody else."""


class EnvironmentVariables(BaseSettings):
    """The studio's variables. A field is set by WORLDWRIGHT_ and its name in capitals, or by its alias.

    An empty variable counts as unset.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        case_sensitive=True,
        validate_default=False,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        alias_generator=lambda field: f"{PREFIX}{field.upper()}",
    )

    # Where things are
    var_folder: Folder = Field(default=None, validation_alias="WORLDWRIGHT_VAR")
    """Folder for the database, bundles, the broker's messages and the generated secret; var/ beside
    manage.py in a checkout, else the user's data folder, when unset."""
    static_folder: Folder = None
    """Folder with the output of collectstatic, whose files are hashed and compressed; static files are
    served from where they lie when unset."""
    database_url: Annotated[SecretStr | None, BeginsWith("postgresql", "postgres", "sqlite")] = Field(
        default=None, validation_alias="DATABASE_URL"
    )
    """The database; an SQLite file under WORLDWRIGHT_VAR when unset."""
    celery_broker_url: Annotated[SecretStr | None, BeginsWith("redis", "rediss", "amqp", "amqps")] = Field(
        default=None, validation_alias="CELERY_BROKER_URL"
    )
    """The broker between pages and workers; files under WORLDWRIGHT_VAR when unset."""

    bucket: str = ""
    """Bucket of an S3-compatible server that keeps bundles, collections and exports; files under
    WORLDWRIGHT_VAR when unset. Needs the extra s3."""
    bucket_endpoint: Annotated[str | None, BeginsWith("http", "https")] = None
    """Address of that server; Amazon's when unset."""
    bucket_region: str | None = None
    """Region of the bucket."""
    bucket_folder: str = ""
    """Folder in the bucket, so that several studios can use one."""
    bucket_key_id: str | None = None
    """Id of the access key for the bucket; found the way Amazon's tools find it when unset."""
    bucket_secret: SecretStr | None = None
    """The access key's secret."""

    notification_days: int = Field(default=0, ge=0)
    """Days after which notifications are deleted; 0 keeps them for ever."""
    export_days: int = Field(default=0, ge=0)
    """Days after which bundles and archives of trajectory exports are deleted, but for what an approved
    revision, a collection or an open review refers to; 0 keeps them for ever."""

    # The web server
    debug: bool = False
    """Shows stack traces in the browser; for development only."""
    secret_key: SecretStr | None = None
    """Signs sessions; generated and kept in WORLDWRIGHT_VAR on a local host, required when
    WORLDWRIGHT_HOSTS names a public one."""
    secret_key_fallbacks: SecretStr | None = None
    """Earlier values of WORLDWRIGHT_SECRET_KEY, separated by commas, while they are replaced: sessions and
    stored keys of endpoints stay readable."""
    hosts: Names = ("localhost", "127.0.0.1", "[::1]")
    """Host names under which the studio answers."""
    https: bool = False
    """The studio is behind HTTPS: cookies are marked secure and browsers are told to use nothing else."""
    token_days: int = Field(default=90, ge=1, le=3_650)
    """Days after which a new token of a program expires."""
    sign_in_attempts: int = Field(default=10, ge=1)
    """Wrong passwords for one name from one address after which it has to wait."""
    sign_in_minutes: int = Field(default=15, ge=1)
    """Minutes it has to wait."""
    oidc_issuer: Annotated[str | None, BeginsWith("http", "https")] = None
    """Address of an OpenID Connect provider with which people can sign in; passwords alone when unset."""
    oidc_client_id: str = ""
    """Name under which the provider knows the studio."""
    oidc_client_secret: SecretStr | None = None
    """The secret that the provider gave it."""
    oidc_name: str = "single sign-on"
    """What the sign-in page calls the provider."""
    oidc_scopes: Names = ("openid", "profile", "email")
    """Scopes that the provider is asked for."""
    oidc_match: Literal["nothing", "email", "username"] = "nothing"
    """What makes an account somebody's who comes from the provider for the first time: the address of
    e-mail that the provider verified, the name, or nothing."""
    oidc_role: Literal["none", "viewer", "reviewer", "lead"] = "none"
    """Role of people whose claim gives them none; with none, they get no account and no access."""
    oidc_role_claim: str = ""
    """Claim whose values give roles at every sign-in, for example groups, or realm_access.roles for one in
    another; roles are given in the studio when unset."""
    oidc_admins: Names = ()
    """Values of that claim that make somebody an administrator."""
    oidc_leads: Names = ()
    """Values that make somebody a lead."""
    oidc_reviewers: Names = ()
    """Values that make somebody a reviewer."""
    oidc_viewers: Names = ()
    """Values that make somebody a viewer."""
    oidc_sign_out: bool = True
    """Signing out of the studio signs out of the provider, too, where it offers that."""
    proxies: int = Field(default=0, ge=0, le=10)
    """Reverse proxies in front of the studio that append to X-Forwarded-For; 0 ignores that header."""
    address: Annotated[str, BeginsWith("http", "https")] = "http://localhost:8000"
    """Where people open the studio; links in e-mails begin with it."""
    email_host: str = Field(default="", validation_alias="EMAIL_HOST")
    """Mail server that sends notifications; none are sent by e-mail when unset."""
    email_port: int = Field(default=587, ge=1, le=65_535, validation_alias="EMAIL_PORT")
    """Its port."""
    email_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", validation_alias="EMAIL_SECURITY"
    )
    """How the connection to it is encrypted."""
    email_user: str = Field(default="", validation_alias="EMAIL_USER")
    """Name to sign in to it with; nobody signs in when unset."""
    email_password: SecretStr | None = Field(default=None, validation_alias="EMAIL_PASSWORD")
    """Password for that."""
    email_from: str = Field(default="worldwright@localhost", validation_alias="EMAIL_FROM")
    """Sender of notifications."""
    time_zone: str = "UTC"
    """Time zone in which pages show moments."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    """Least severe message that is logged."""
    log_format: Literal["text", "json"] = "text"
    """Form of log lines; json has the ids of request and run in every line."""
    otel_endpoint: Annotated[str | None, BeginsWith("http", "https")] = None
    """Collector of OpenTelemetry that gets spans of requests and runs over HTTP; none when unset. Needs the
    extra otel."""
    sentry_dsn: SecretStr | None = None
    """Address of a project of Sentry that gets unexpected errors, with its key; nobody does when unset. Needs
    the extra sentry."""
    metrics_port: int = Field(default=0, ge=0, le=65_535)
    """Port at which a worker offers figures about itself to Prometheus, without a token; 0 for none."""
    metrics_host: str = "127.0.0.1"
    """Address that it listens on there."""
    sandbox: SandboxMode = SandboxMode.SEALED
    """How strictly generated code is kept in; trusted-code-only runs it without the sandbox."""

    # Synthesis
    attempts: int = Field(default=5, ge=1)
    """Attempts a stage has before its run fails."""
    tasks: int = Field(default=10, ge=1)
    """Tasks of one environment where no number is asked for; a world that offers fewer has fewer."""
    fidelity: float = Field(default=LEAST_FIDELITY, ge=0, le=1)
    """Share of a sentence's content words that the procedural author must represent; else it refuses."""
    rephrase: bool = False
    """Let the author's model put the procedural author's requests in other words; they are proved again."""
    openai_base_url: Annotated[str | None, BeginsWith("http", "https")] = Field(
        default=None, validation_alias="OPENAI_BASE_URL"
    )
    """Endpoint of the model author, the chat agent and the judge; OpenAI's own when unset."""
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    """Key for that endpoint."""
    model: str | None = None
    """Model that authors parts and judges."""
    endpoints: SecretStr | None = None
    """Other endpoints by name, as JSON, {"local": {"base_url": "http://host:8000/v1", "api_key": "key"}};
    each may also have concurrency, requests_per_minute, tokens_per_minute and seconds."""
    author_models: Names = ()
    """Models that write parts, WORLDWRIGHT_MODEL when unset; each further one stands in while those before
    it are down. A model of another endpoint is written model@name."""
    second_author_models: Names = ()
    """Models that are asked for a part when its first author has spent its attempts; nobody when unset."""
    judge_models: Names = ()
    """Models that judge trajectories and grade quality, as for authors."""
    user_models: Names = ()
    """Models that play the user of a chat agent, as for authors; the agent's own when unset."""
    agent_models: Names = ()
    """Models that act as chat agents, as for authors."""
    summary_model: str | None = None
    """Model at the same endpoint that condenses long findings for the author; they are only cut when
    unset."""
    endpoint_concurrency: int = Field(default=64, ge=1)
    """Calls in flight that the endpoint allows, over all runs and workers."""
    endpoint_requests: int | None = Field(default=None, ge=1)
    """Requests a minute that the endpoint allows, over all runs and workers; no limit when unset."""
    endpoint_tokens: int | None = Field(default=None, ge=1)
    """Tokens a minute that the endpoint allows, over all runs and workers; no limit when unset."""
    endpoint_seconds: float = Field(default=300.0, ge=1)
    """Seconds the endpoint may take for one whole answer."""
    reasoning_tokens: int = Field(default=16_384, ge=0)
    """Tokens a model that reasons may use for that in one reply, on top of the reply's own limit."""
    reasoning_effort: str | None = None
    """How much a model that reasons is to think, in its endpoint's words (minimal, low, medium, high):
    thoughts are paid for like replies. What the endpoint does by itself when unset."""
    prices: Folder = None
    """JSON file of prices in US dollars per million tokens, in place of those that genai-prices
    lists: {"models": {"name": {"input": 1.25, "output": 10}}}."""
    run_budget: float | None = Field(default=None, ge=0)
    """US dollars one run may spend on a model; no limit when unset."""
    run_tokens: int | None = Field(default=None, ge=1)
    """Tokens one run may use; no limit when unset."""
    month_budget: float | None = Field(default=None, ge=0)
    """US dollars all runs of a calendar month may spend; no limit when unset."""
    month_tokens: int | None = Field(default=None, ge=1)
    """Tokens all runs of a calendar month may use; no limit when unset."""

    # Rollouts and rewards
    max_steps: int | None = Field(default=None, ge=1)
    """Tool calls an agent may make in one episode; as many as each task allows when unset."""
    put_back_is_damage: bool = False
    """Whether rows that an agent changed and put back keep an episode from being Completed."""
    replay_share: float = Field(default=0.05, ge=0, le=1)
    """Share of a run's episodes that are replayed at its end; what differs becomes a flag."""
    context_tokens: int = Field(default=32_000, ge=256)
    """Tokens of context a chat agent may fill."""
    response_tokens: int = Field(default=2_048, ge=16)
    """Longest reply of a chat agent without its reasoning, in tokens."""
    agent_logprobs: bool = False
    """Whether chat agents ask for the tokens they sample with their log-probabilities; they are kept with the
    trajectory and exported for training."""
    history_window: int = Field(default=3, ge=1)
    """Latest turns a chat agent sees beside the first exchange."""
    reward_completed: float = 1.0
    """Reward for Completed."""
    reward_partial: float = 0.1
    """Reward for Partially Completed."""
    reward_agent_error: float = 0.0
    """Reward for Agent Error."""
    reward_environment_error: float = 0.0
    """Reward for Environment Error (never used for training)."""
    reward_format: float = -1.0
    """Reward when the agent violates the format rule."""

    # Judging
    judge_repeats: int = Field(default=5, ge=2)
    """Times a judge grades each trajectory when its reliability is measured."""
    judge_sample: int = Field(default=100, ge=1)
    """Trajectories drawn for one measurement of a judge."""
    quality_sample: int = Field(default=100, ge=1)
    """Environments drawn when a judge model grades quality."""

    # Expansion of seeds
    embedding_model: str = ""
    """Model of the same endpoint whose embeddings find duplicate scenarios; their letters are compared
    when unset."""
    similarity_limit: float = Field(default=0.85, ge=0.1, le=1)
    """Similarity to an earlier scenario above which one is a duplicate (AWM's limit)."""
    similarity_warning: float = Field(default=0.75, ge=0.1, le=1)
    """Similarity above which a scenario is dropped when its category is full (AWM's)."""
    category_cap: int = Field(default=80, ge=1)
    """Scenarios of one category after which it is full (AWM's cap)."""
    least_suitability: int = Field(default=5, ge=1, le=10)
    """Least suitability for simulation, from 1 to 10, of a scenario that is kept."""

    # Quality gates
    gate_tool_score: float = Field(default=0.85, ge=0, le=1)
    """Least share of tool calls that end as they should for an environment to count as executable;
    EnvScaler's limit, so that figures compare."""
    gate_soundness: float = Field(default=1.0, ge=0, le=1)
    """Least share of near-misses that verifiers reject for an environment to count as proved; each one that
    passes is a reward for the wrong thing."""
    gate_completeness: float = Field(default=1.0, ge=0, le=1)
    """Least share of equivalent solutions that verifiers accept for an environment to count as proved; each
    one rejected punishes an agent that was right."""
    gate_strength: float = Field(default=0.98, ge=0, le=1)
    """Least share of ways to weaken the verifiers that some near-miss notices for an environment to count as
    proved; what no near-miss notices could be missing from a verifier without anybody knowing."""
    gate_flags: Literal["blocking", "major", "minor"] = "blocking"
    """Least severity of an open flag that prevents approval."""
    gate_waivers: bool = True
    """A lead may export what is not approved, with a reason that travels in the bundle."""

    # Review
    review_coverage: float = Field(default=0.5, ge=0, le=1)
    """Share of tasks, tables and tools that a reviewer should have seen before approving; with less, the
    approval needs a reason."""
    reviewers: int = Field(default=1, ge=1)
    """Approvals by different people that an environment needs."""
    claim_minutes: int = Field(default=60, ge=1)
    """Minutes a reviewer holds an item taken from the queue."""

    # Runs and workers
    workers: int = Field(default=2, ge=1)
    """Runs the worker started by `serve` executes side by side."""
    queues: Queues = ()
    """Kinds of work that the worker of this machine takes: synthesis, rollouts, judging, transfers; all when
    unset. Some worker has to take each of them."""
    stage_limits: Names = ()
    """Runs a worker lets into one stage at a time, for example checks=2,tools=8; the proof (checks) takes
    as many as there are processors when not named."""
    stop_seconds: float = Field(default=6.0, ge=0)
    """Seconds a worker that is asked to end lets calls in flight finish before it hands its runs back."""
    heartbeat_seconds: float = Field(default=5.0, ge=0.1)
    """Seconds between two signs of life of a run."""
    lost_after_seconds: float = Field(default=60.0, ge=1)
    """Seconds without a sign of life after which a run counts as lost and is queued again."""
    run_claims: int = Field(default=5, ge=1)
    """Workers that may be lost with a run before it fails; those with others count in part."""

    # World servers
    world_server_heartbeat_seconds: float = Field(default=5.0, ge=0.1, le=300)
    """Seconds between two signs of life that registered world servers are asked for."""
    world_server_lost_after_seconds: float = Field(default=20.0, ge=1)
    """Seconds of silence after which a world server counts as lost and nobody is sent to it; at least two
    heartbeats."""
    studio_token: SecretStr | None = None
    """Token, of an administrator and with the scope serve, that `worldwright serve --register` sends; the
    studio's own processes do not use it."""

    @model_validator(mode="before")
    @classmethod
    def _without_empty_ones(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value.strip() for name, value in values.items() if value.strip()}

    @classmethod
    def read(cls) -> Self:
        """The variables of this process.

        Raises:
            BadVariable: One or more cannot be used, or begin with WORLDWRIGHT_ and mean nothing; the text has
                a line for each of them.
        """
        fields = {variable_name(field): field for field in cls.model_fields.values()}
        messages = [
            _unknown(name, list(fields))
            for name in sorted(os.environ)
            if name.startswith(PREFIX) and name not in fields
        ]
        try:
            variables = cls()
        except ValidationError as error:
            names = dict.fromkeys(str(each["loc"][0]) for each in error.errors())
            messages += [_unusable(name, is_secret(fields[name]), allowed(fields[name])) for name in names]
            raise BadVariable("\n".join(messages)) from None
        if messages:
            raise BadVariable("\n".join(messages))
        return variables


def _unusable(name: str, secret: bool, what: str) -> str:
    shown = "its value (not shown)" if secret else repr(os.environ[name])
    return f"{name}: {shown} cannot be used; set it to {what}, or unset it."


def _unknown(name: str, names: list[str]) -> str:
    # Compared without the beginning that all share, which would make any two names alike.
    own = {each.removeprefix(PREFIX): each for each in names}
    near = difflib.get_close_matches(name.removeprefix(PREFIX), own, n=1, cutoff=0.7)
    meant = f"did you mean {own[near[0]]}?" if near else "the documentation's page Settings lists all names."
    return f"{name}: there is no setting of this name; {meant} Correct or unset it."
