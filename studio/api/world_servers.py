"""World servers for programs: servers register and give signs of life, trainers ask which one to use."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status
from ninja.pagination import paginate
from pydantic import StringConstraints

from studio.api.authentication import caller, needs
from studio.models import Act, WorldServer
from studio.services.world_servers import placement, registry
from studio.services.world_servers.placement import Placement
from studio.services.world_servers.registry import Description
from synthesis.documents.document import Slug

router = Router()

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,79}$")]
Fingerprint = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}$")]
"""Text of a server that pages show."""
MOST = 1_000_000


class SandboxIn(Schema):
    """What surrounds generated code at a server."""

    mode: Word
    layers: dict[Word, bool] = Field(default_factory=dict, max_length=40)
    """Name of each layer to whether it is in force."""


class WorldServerIn(Schema):
    """What a server says of itself."""

    name: ServerName
    address: str = Field(max_length=200)
    """URL under which trainers and agents reach it: http or https, without credentials."""
    release: Word
    capacity: int = Field(ge=0, le=MOST)
    bundles: dict[Slug, Fingerprint] = Field(min_length=1, max_length=1_000)
    """Name of each environment to its fingerprint."""
    sandbox: SandboxIn | None = None

    def description(self) -> Description:
        """As the service takes it."""
        return Description(**{**self.dict(), "sandbox": self.sandbox.dict() if self.sandbox else {}})


class RegistrationOut(Schema):
    """What a server needs for its signs of life."""

    id: int
    session: str
    heartbeat_seconds: float


class SessionIn(Schema):
    """Which registration of a server this is about."""

    session: str = Field(max_length=32)


class HeartbeatIn(SessionIn):
    """A sign of life with the load."""

    instances: int = Field(ge=0, le=MOST)
    capacity: int = Field(ge=0, le=MOST)
    healthy: bool


class ServedBundleOut(Schema):
    """An environment that a server serves."""

    environment: str
    fingerprint: str


class WorldServerOut(Schema):
    """A server; `state` is "ready", "full", "unhealthy", "lost" or "left"."""

    id: int
    name: str
    address: str
    state: str
    release: str
    capacity: int
    instances: int
    sandbox: dict[str, Any]
    bundles: list[ServedBundleOut]
    registered_by: str = Field(alias="registered_by.username")
    registered_at: datetime
    heartbeat_at: datetime


class PlacementIn(Schema):
    """What an instance is wanted of."""

    environment: str = Field(max_length=80)
    fingerprint: Fingerprint | None = None
    """Of one of its revisions; the current one when left out."""
    avoid: list[int] = Field(default_factory=list, max_length=1_000)
    """Numbers of servers that did not answer."""


class PlacementOut(Schema):
    """Where to open it: `POST {address}/instances` with `environment`."""

    server: int = Field(alias="server.id")
    name: str = Field(alias="server.name")
    address: str = Field(alias="server.address")
    environment: str
    fingerprint: str
    """The answer of the server has to name the same."""


@router.get("", response=list[WorldServerOut], summary="List world servers by name")
@paginate
def list_world_servers(request: HttpRequest) -> QuerySet[WorldServer]:
    """Those that left or were lost are listed for a day."""
    return registry.listed()


@router.post("", response={201: RegistrationOut}, summary="Register a world server", auth=needs(Act.HOST))
def register_world_server(request: HttpRequest, body: WorldServerIn) -> Status[Any]:
    """A server that is started again takes the place of its earlier registration."""
    return Status(201, registry.register(description=body.description(), registered_by=caller(request)))


@router.post("/placements", response=PlacementOut, summary="Choose a world server", auth=needs(Act.TRY))
def place_instance(request: HttpRequest, body: PlacementIn) -> Placement:
    """The least loaded one with exactly this revision; 503 while all of them are busy. The instance is opened
    at the server itself, with the server's own token if it has one."""
    return placement.place(environment=body.environment, fingerprint=body.fingerprint or "", avoid=body.avoid)


@router.post(
    "/{int:server_id}/heartbeat", response={204: None}, summary="Give a sign of life", auth=needs(Act.HOST)
)
def send_server_heartbeat(request: HttpRequest, server_id: int, body: HeartbeatIn) -> Status[None]:
    """404: register again; 409: another process has the server's name now."""
    registry.heartbeat(server_id=server_id, sent_by=caller(request), **body.dict())
    return Status(204, None)


@router.post("/{int:server_id}/leave", response={204: None}, summary="Leave", auth=needs(Act.HOST))
def leave_registry(request: HttpRequest, server_id: int, body: SessionIn) -> Status[None]:
    """Nobody is sent to the server from now on."""
    registry.leave(server_id=server_id, session=body.session, sent_by=caller(request))
    return Status(204, None)
