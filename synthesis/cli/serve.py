"""`worldwright serve`: bundles as live worlds over the wire."""

from __future__ import annotations

import argparse
import os
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from synthesis.cli.console import complain, console
from synthesis.cli.doctor import sandbox_report
from synthesis.errors import InvalidInput

if TYPE_CHECKING:
    from synthesis.documents.bundle import Bundle
    from synthesis.serving.announcer import Announcer
    from synthesis.serving.settings import ServeSettings

TOKEN_VARIABLE = "WORLDWRIGHT_STUDIO_TOKEN"  # noqa: S105 - the name of the variable
EVERY_ADDRESS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - recognised, not bound


def add_serve_options(command: argparse.ArgumentParser) -> None:
    """The options of `serve`; their defaults are those of `ServeSettings`."""
    where = command.add_argument_group("address")
    where.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    where.add_argument(
        "--port", type=int, default=8848, help="port; 0 picks a free one (default: %(default)s)"
    )
    where.add_argument(
        "--public-url",
        default="",
        metavar="URL",
        help="URL under which clients reach the server, if behind a proxy",
    )
    where.add_argument(
        "--trusted-proxy", action="store_true", help="trust the last X-Forwarded-For as the client's address"
    )
    where.add_argument("--nemo-gym", action="store_true", help="also answer as a NeMo Gym resources server")
    where.add_argument(
        "--register",
        default="",
        metavar="URL",
        help="announce the server to the studio at this URL, with the token in WORLDWRIGHT_STUDIO_TOKEN",
    )
    where.add_argument(
        "--register-name",
        default="",
        metavar="NAME",
        help="what the studio calls the server (default: host and port)",
    )
    measured = command.add_argument_group("measurement")
    measured.add_argument(
        "--answer-form",
        choices=("text", "structured", "both"),
        default="both",
        help="how agents give their final answer; but for text, a tool takes it (default: %(default)s)",
    )
    measured.add_argument(
        "--put-back-is-damage",
        action="store_true",
        help="rows changed and put back keep an episode from being Completed",
    )
    guards = command.add_argument_group("boundaries")
    guards.add_argument(
        "--token-file", type=Path, metavar="FILE", help="file with the bearer token that clients must send"
    )
    guards.add_argument(
        "--credential-seconds",
        type=float,
        default=14_400,
        metavar="SECONDS",
        help="how long an instance's credentials live (default: %(default)s)",
    )
    guards.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="Host header to accept"
    )
    guards.add_argument(
        "--allow-origin", action="append", default=[], metavar="URL", help="web page's origin to accept"
    )
    guards.add_argument(
        "--isolation",
        choices=("process", "shared"),
        default="process",
        help="process: one sealed process per instance; shared: many instances per process, only for code "
        "you trust (default: %(default)s)",
    )
    limits = command.add_argument_group("limits")
    limits.add_argument(
        "--workers", type=int, default=1, metavar="N", help="server processes (default: %(default)s)"
    )
    limits.add_argument("--max-instances", type=int, default=1024, metavar="N", help="(default: %(default)s)")
    limits.add_argument(
        "--idle", type=float, default=1800, metavar="SECONDS", help="close instances unused for this long"
    )
    limits.add_argument(
        "--max-body", type=int, default=1_048_576, metavar="BYTES", help="(default: %(default)s)"
    )
    limits.add_argument(
        "--rate", type=float, metavar="N", help="requests a second per client (default: no limit)"
    )
    limits.add_argument("--call-seconds", type=float, metavar="SECONDS", help="time limit of one tool call")


def serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM."""
    from synthesis.serving import server, supervisor
    from synthesis.worlds.limits import Limits

    settings = settings_of(arguments)
    limits = Limits(max_instances=settings.max_instances)
    if arguments.call_seconds is not None:
        limits = replace(limits, call_seconds=arguments.call_seconds)
    if arguments.isolation == "shared":
        complain("instances share processes (--isolation shared): serve only code that you trust this way.")
    if settings.hosts is None and settings.token is None:
        complain(f"anyone who can reach {settings.host} can use this server; --token-file sets a token.")
    sandbox = sandbox_report()
    announcer = _announcer(arguments, settings, sandbox)
    options: dict[str, Any] = {
        "isolation": arguments.isolation,
        "limits": limits,
        "sandbox": sandbox,
        "announcer": announcer,
        "ready": _say,
    }
    workers = supervisor.check_workers(arguments.workers)
    with closing(announcer) if announcer else nullcontext():
        if workers > 1:
            supervisor.serve_with_workers(arguments.bundles, settings, workers, **options)
        else:
            server.serve(arguments.bundles, settings, **options)
    return 0


def _announcer(
    arguments: argparse.Namespace, settings: ServeSettings, sandbox: dict[str, Any]
) -> Announcer | None:
    """What tells a studio of the server, where one is named.

    Raises:
        InvalidInput: An option or the token is missing or cannot be used.
    """
    from synthesis.serving.announcer import Announcer
    from synthesis.serving.settings import LOOPBACK

    name: str = arguments.register_name
    if not arguments.register:
        if name:
            raise InvalidInput("--register-name needs --register.")
        return None
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise InvalidInput(
            f"--register needs a token of the studio in {TOKEN_VARIABLE}: an administrator's, with the scope "
            "serve."
        )
    if not settings.public_url and settings.host in EVERY_ADDRESS:
        raise InvalidInput(
            f"--register needs --public-url, because trainers cannot be sent to {settings.host}."
        )
    announcer = Announcer(
        arguments.register, token, name=name, capacity=settings.max_instances, sandbox=sandbox
    )
    if arguments.register.startswith("http://") and urlsplit(arguments.register).hostname not in LOOPBACK:
        complain("the studio's token is sent without encryption; name the studio with https://.")
    return announcer


def settings_of(arguments: argparse.Namespace) -> ServeSettings:
    """The options as settings.

    Raises:
        InvalidInput: One has a value that cannot be used.
    """
    from synthesis.serving.settings import ServeSettings

    values: dict[str, Any] = {
        "host": arguments.host,
        "port": arguments.port,
        "public_url": arguments.public_url.rstrip("/"),
        "trusted_proxy": arguments.trusted_proxy,
        "token": _token(arguments.token_file),
        "credential_seconds": arguments.credential_seconds,
        "allowed_hosts": arguments.allow_host,
        "allowed_origins": arguments.allow_origin,
        "max_instances": arguments.max_instances,
        "idle_seconds": arguments.idle,
        "max_body_bytes": arguments.max_body,
        "rate": arguments.rate,
        "nemo_gym": arguments.nemo_gym,
        "answer_form": arguments.answer_form,
        "put_back_is_damage": arguments.put_back_is_damage,
    }
    try:
        return ServeSettings.model_validate(values)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise InvalidInput(
            f"--{_OPTION.get(str(problem['loc'][0]), problem['loc'][0])}: {problem['msg']}."
        ) from error


_OPTION = {
    "credential_seconds": "credential-seconds",
    "token": "token-file",
    "max_instances": "max-instances",
    "idle_seconds": "idle",
    "max_body_bytes": "max-body",
    "allowed_hosts": "allow-host",
    "allowed_origins": "allow-origin",
}


def _token(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"--token-file {path}: cannot be read: {error}.") from error


def _say(url: str, bundles: dict[str, Bundle]) -> None:
    out = console()
    for name, bundle in bundles.items():
        counts = bundle.environment.counts
        out.print(
            f"{name} {bundle.environment.fingerprint[:12]}: {counts['tools']} tools, {counts['tasks']} tasks"
        )
    out.print(f"Listening on {url}   (POST /instances creates an instance; Ctrl-C stops)")
