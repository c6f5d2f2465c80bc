"""ServeSettings: what an operator decides about a server, with defaults that are safe on one machine."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.answer_form import AnswerForm
from synthesis.documents.document import Document

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class ServeSettings(Document):
    """Address, boundaries and limits of one server."""

    host: str = "127.0.0.1"
    port: int = Field(default=8848, ge=0, le=65_535)
    public_url: str = ""
    """How clients reach the server when that is not where it listens (behind a proxy); no trailing slash."""
    token: str | None = Field(default=None, min_length=8, repr=False)
    """Bearer token that every request but GET /health and those with an instance's credential must carry."""
    credential_seconds: float = Field(default=14_400, gt=0)
    """How long the credentials of an instance live; a trainer's is renewed by each answer that shows them."""
    allowed_hosts: tuple[str, ...] = ()
    """Host header values (without port) that are answered; empty: loopback names when bound to loopback,
    any otherwise."""
    allowed_origins: tuple[str, ...] = ()
    """Origin header values (browsers send them) that are answered besides the server's own loopback names."""

    max_instances: int = Field(default=1_024, ge=1)
    idle_seconds: float = Field(default=1_800, gt=0)
    """An instance nobody used for so long is closed."""
    max_connections: int = Field(default=2_048, ge=1)
    """Open connections; of more, those that wait longest without a request are cut."""
    max_head_bytes: int = Field(default=32_768, ge=1_024)
    max_headers: int = Field(default=100, ge=8)
    head_seconds: float = Field(default=20, gt=0)
    """How long a client may take to send a request's head, counted from its first byte."""
    write_seconds: float = Field(default=20, gt=0)
    """How often it is looked whether a client takes an answer at the least rate."""
    min_bytes_per_second: float = Field(default=1_024, gt=0)
    """Slower clients are cut, in sending a body (after a few seconds) and in taking an answer."""
    max_unsent_bytes: int = Field(default=64 * 2**20, ge=2**20)
    """Answers of all clients together that wait to be taken."""
    max_body_bytes: int = Field(default=1_048_576, ge=1_024)
    body_seconds: float = Field(default=30, gt=0)
    """How long a client may take to send a request's body, however large it is."""
    max_bodies_bytes: int = Field(default=32 * 2**20, ge=1_024)
    """Bodies of all requests together that are being read or served."""
    max_in_flight: int = Field(default=1_024, ge=1)
    """Requests served at once; more are answered 503 at once instead of waiting."""
    max_waiting: int = Field(default=64, ge=1)
    """Calls that may wait for their turn on one instance; more are answered 503."""
    rate: float | None = Field(default=None, gt=0)
    """Requests a second per client address, with bursts of ten seconds' worth; None: no limit."""
    threads: int = Field(default=32, ge=1)
    """Threads that talk to the worlds' processes."""
    drain_seconds: float = Field(default=10, gt=0)
    """How long a stopping server waits for calls in flight."""
    answer_form: AnswerForm = "both"
    """How agents give their final answer, and what of it is measured. But for "text", a tool takes it."""
    put_back_is_damage: bool = False
    """Whether rows changed and put back keep an episode from being Completed."""
    nemo_gym: bool = False
    """Whether the root of the address also answers as a NeMo Gym resources server."""
    trusted_proxy: bool = False
    """Whether X-Forwarded-For names the client; only behind a proxy that sets it."""

    @property
    def hosts(self) -> frozenset[str] | None:
        """Host header values that are answered, or None for any."""
        if self.allowed_hosts:
            return frozenset(self.allowed_hosts) | LOOPBACK
        return LOOPBACK if self.host in LOOPBACK else None
