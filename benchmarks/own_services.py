"""Brokers and databases of one's own, which may be killed: nobody else's are touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PATIENCE = 120.0
"""Seconds; a busy machine takes its time."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class ProgramMissing(Exception):
    """The server is not installed."""


class OwnService(ABC):
    """A server as a process of its own that is killed and started again with what it has stored.

    Args:
        folder: Where it keeps everything.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    @abstractmethod
    def url(self) -> str:
        """What a studio is told."""

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """What is started."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it can be used."""

    def environ(self) -> Mapping[str, str]:
        """Further variables of its environment."""
        return {}

    def user(self) -> str | None:
        """As whom it is started."""
        return None

    def home(self) -> Path:
        """Where it is started."""
        return self.folder

    def remove(self) -> None:
        """End it and delete what lies outside its folder."""
        self.kill()

    def start(self) -> None:
        """Start it and wait until it can be used."""
        with (self.folder / "service.log").open("ab") as log:
            self._process = subprocess.Popen(
                self.command(), env={**os.environ, **self.environ()}, cwd=self.home(), user=self.user(),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + PATIENCE
        while not self.answers():
            assert self._process.poll() is None, (self.folder / "service.log").read_text()[-2000:]
            assert time.monotonic() < until, "it does not answer"
            time.sleep(0.1)

    def kill(self) -> None:
        """End it and its processes as a power cut would."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _listens(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class OwnRedis(OwnService):
    """Redis that stores nothing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._program = _program("redis-server")

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> Sequence[str | Path]:
        where = ("--bind", "127.0.0.1", "--port", str(self.port), "--dir", self.folder)
        return self._program, *where, "--save", ""

    def answers(self) -> bool:
        return self._listens()


class OwnRabbitMQ(OwnService):
    """RabbitMQ with a node, a name server of nodes and a cookie of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        # The script in /usr/sbin changes to the user of the machine's own broker.
        self._program = _program("rabbitmq-server", "/usr/lib/rabbitmq/bin")
        self._control = _program("rabbitmqctl", "/usr/lib/rabbitmq/bin")
        self._names = _program("epmd", *map(str, Path("/usr/lib/erlang").glob("erts-*/bin")))
        self._names_port, self._nodes_port = free_port(), free_port()

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def command(self) -> Sequence[str | Path]:
        return (self._program,)

    def answers(self) -> bool:
        return self._listens()

    def environ(self) -> Mapping[str, str]:
        folder = self.folder
        return {
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(self._names_port),
            "RABBITMQ_NODENAME": "own@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._nodes_port),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
            "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        }

    def close_connections(self) -> None:
        """Cut all clients off, as an administrator would."""
        subprocess.run(
            [self._control, "close_all_connections", "on purpose"],
            env={**os.environ, **self.environ()}, check=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip

    def kill(self) -> None:
        super().kill()
        # It went to the background by itself when the broker was started.
        subprocess.run(
            [self._names, "-port", str(self._names_port), "-kill"], check=False, capture_output=True
        )


class OwnPostgreSQL(OwnService):
    """A cluster of PostgreSQL with one empty database."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        places = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
        self._program = _program("postgres", *places)
        # Not below pytest's folder, which every session of pytest closes to all others.
        self._home = Path(tempfile.mkdtemp(prefix="worldwright-"))
        if (user := self.user()) is not None:
            shutil.chown(self._home, user)
        initialise: list[str | Path] = [
            Path(self._program).with_name("initdb"),
            "-D",
            self._home / "data",
            "-U",
            "worldwright",
        ]
        subprocess.run(
            [*initialise, "--auth", "trust", "--no-sync", "--encoding", "UTF8"],
            check=True, capture_output=True, user=user, cwd=self._home,
        )  # fmt: skip

    @property
    def url(self) -> str:
        return f"postgresql://worldwright@127.0.0.1:{self.port}/postgres"

    def user(self) -> str | None:
        # It refuses to run as root.
        return "postgres" if os.getuid() == 0 else None

    def home(self) -> Path:
        return self._home

    def remove(self) -> None:
        super().remove()
        shutil.rmtree(self._home, ignore_errors=True)

    def command(self) -> Sequence[str | Path]:
        where = ("-D", self._home / "data", "-p", str(self.port), "-k", self._home)
        return self._program, *where, "-c", "listen_addresses=127.0.0.1"

    def answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextlib.contextmanager
def running(kind: type[OwnService], folder: Path) -> Iterator[OwnService]:
    """A service for the time of a block, killed afterwards.

    Args:
        kind: Which.
        folder: A folder that is made for it.

    Raises:
        ProgramMissing: It is not installed.
    """
    folder.mkdir()
    service = kind(folder)
    try:
        service.start()
        yield service
    finally:
        service.remove()


def _program(name: str, *places: str) -> str:
    program = shutil.which(name, path=os.pathsep.join((*places, os.environ.get("PATH", ""))))
    if program is None:
        raise ProgramMissing(f"{name} is not installed")
    return program
