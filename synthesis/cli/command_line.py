"""The command line: one parser, one function per command, errors as one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias, cast

from synthesis.cli.console import complain
from synthesis.cli.serve import add_serve_options
from synthesis.errors import WorldwrightError
from synthesis.serving.release import VERSION

Command = Callable[[argparse.Namespace], int]

EXTRAS = {
    **dict.fromkeys(("mcp", "mcp_types", "starlette", "uvicorn", "anyio"), "serve"),
    "cryptography": "sign",
    "fastapi": "awm",
    "huggingface_hub": "hub",
    **dict.fromkeys(("celery", "django", "dj_database_url", "platformdirs"), "studio"),
    **dict.fromkeys(("sqlglot", "sqlalchemy", "yaml", "faker", "psycopg", "pymysql"), "intake"),
}
"""Library to the extra that installs it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the program's name; None takes the process's own.

    Returns:
        0: fine; 1: something is wrong, said in one line on standard error or in the command's own report.

    Raises:
        SystemExit: With 2 for wrong usage, with 0 after --help and --version.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        if given and (installed := _installed(given[0])):
            return installed(given[1:])
        arguments = parser().parse_args(given)
        return _named(arguments.name)(arguments)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRAS:
            raise
        complain(f"this command needs {missing}: pip install 'worldwright[{EXTRAS[missing]}]'")
    except WorldwrightError as error:
        complain(str(error))
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`); point it elsewhere, or Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        complain("stopped")
        return 130
    return 1


def _installed(name: str) -> Callable[[Sequence[str]], int] | None:
    """A command that another package brings, for example the studio; it reads its own options."""
    points = entry_points(group="worldwright.commands", name=name)
    return next((cast("Callable[[Sequence[str]], int]", each.load()) for each in points), None)


def _named(name: str) -> Command:
    """The function of a command, imported only now: --help is quick, and a missing extra is explained."""
    name = name.replace("-", "_")
    command: Command = getattr(import_module(f"synthesis.cli.{name}"), name)
    return command


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="worldwright",
        description="Open, prove, replay and serve bundles: database-backed worlds for tool-using agents.",
        epilog="Exit status: 0 success, 1 a problem was found, 2 wrong usage.",
    )
    top.add_argument("--version", action="version", version=f"worldwright {VERSION}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_inspect(commands)
    _add_verify(commands)
    _add_replay(commands)
    _add_serve(commands)
    _add_export(commands)
    _add_sign(commands)
    _add_push(commands)
    _add_inspect_awm(commands)
    _add_import_awm(commands)
    _add_export_awm(commands)
    _add_intake(commands)
    _add_doctor(commands)
    commands.add_parser(
        "studio",
        help="serve the studio, or run one of its commands (worldwright studio help)",
        add_help=False,
    )
    return top


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse gives it no other name


def _command(commands: Commands, name: str, help: str, text: str) -> argparse.ArgumentParser:
    argument_parser = commands.add_parser(name, help=help, description=text)
    argument_parser.set_defaults(name=name)
    return argument_parser


def _add_bundle(command: argparse.ArgumentParser) -> None:
    command.add_argument("bundle", type=Path, metavar="BUNDLE", help="a bundle: a folder or a .zip")


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def _add_inspect(commands: Commands) -> None:
    command = _command(
        commands,
        "inspect",
        "show what a bundle contains",
        "Show an environment's parts, its fingerprint, its proof and its reviews.",
    )
    _add_bundle(command)
    _add_json(command)


def _add_verify(commands: Commands) -> None:
    command = _command(
        commands,
        "verify",
        "prove that every task's reference solution is accepted",
        "Play every task's reference solution on a fresh instance and run its verifier. "
        "With --prove, check every claim about the environment instead. Of a collection, check the digests "
        "and open every bundle.",
    )
    _add_bundle(command)
    command.add_argument("--task", action="append", metavar="ID", help="only this task (may be given again)")
    command.add_argument(
        "--prove", action="store_true", help="check every claim, not only the reference solutions"
    )
    command.add_argument(
        "--signed-by", type=Path, metavar="FILE", help="also require a signature by this public key (PEM)"
    )
    _add_json(command)


def _add_replay(commands: Commands) -> None:
    command = _command(
        commands,
        "replay",
        "replay a recorded trajectory and compare",
        "Replay the calls of a trajectory on a fresh instance; observations and states must equal the "
        "recorded ones.",
    )
    _add_bundle(command)
    command.add_argument(
        "trajectory",
        metavar="TRAJECTORY",
        help="number of a trajectory in the bundle (from 1), or a .json file of one",
    )
    _add_json(command)


def _add_serve(commands: Commands) -> None:
    command = _command(
        commands,
        "serve",
        "serve worlds over MCP and plain JSON",
        "Serve bundles: POST /instances creates an instance, /i/{id}/mcp is its MCP endpoint (streamable "
        "HTTP), "
        "/i/{id}/call, /reset and /verify are plain JSON, DELETE /i/{id} ends it.",
    )
    command.add_argument(
        "bundles", type=Path, nargs="+", metavar="BUNDLE", help="bundles: folders or .zip files"
    )
    add_serve_options(command)


def _add_export(commands: Commands) -> None:
    command = _command(
        commands,
        "export",
        "write a bundle in another format",
        "Write a bundle in another format and say what the format cannot express.",
    )
    _add_bundle(command)
    command.add_argument(
        "--to", required=True, metavar="FORMAT", help="name of the format; 'list' shows them"
    )
    command.add_argument("--out", type=Path, metavar="PATH", help="file or folder to write")


def _add_sign(commands: Commands) -> None:
    command = _command(
        commands,
        "sign",
        "sign a bundle or a collection",
        "Write a bundle or a collection again with an Ed25519 signature over its manifest; "
        "'verify --signed-by' checks it. Make a key: openssl genpkey -algorithm ed25519 -out KEY.pem; "
        "its public half: openssl pkey -in KEY.pem -pubout -out KEY.pub.pem",
    )
    _add_bundle(command)
    command.add_argument("--key", type=Path, required=True, metavar="FILE", help="the private key (PEM)")
    command.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="where to write; a zip where it ends in .zip"
    )


def _add_push(commands: Commands) -> None:
    command = _command(
        commands,
        "push",
        "upload data or a bundle to a dataset hub",
        "Show which files a push to a dataset repository of the Hugging Face Hub would send; --send sends "
        "them. HF_TOKEN, or a sign-in with 'hf auth login', says who you are; HF_ENDPOINT names another hub. "
        "Hidden files stay, and a file with a private key or a token stops the push. Needs the extra hub.",
    )
    command.add_argument("path", type=Path, metavar="PATH", help="a bundle, an archive or an exported folder")
    command.add_argument("repository", metavar="OWNER/NAME", help="the dataset repository")
    command.add_argument(
        "--send", action="store_true", help="send it; without this nothing leaves the machine"
    )
    command.add_argument("--public", action="store_true", help="make a repository that everybody can read")
    command.add_argument("--branch", default="main", metavar="NAME", help="branch of the commit (main)")
    command.add_argument("--message", default="Upload from Worldwright", help="message of the commit")
    _add_json(command)


def _add_inspect_awm(commands: Commands) -> None:
    command = _command(
        commands,
        "inspect-awm",
        "report on a folder in the Agent World Model's format",
        "Read the tools, build the databases and run the verifiers of every environment in a folder of "
        "gen_*.jsonl files: lost routes, failing inserts, databases that differ by loader or by the second, "
        "verifiers that pass an agent that did nothing.",
    )
    command.add_argument(
        "folder", type=Path, metavar="FOLDER", help="folder with gen_envs.jsonl and its siblings"
    )
    command.add_argument(
        "--findings",
        type=int,
        default=10,
        metavar="N",
        help="maximum number of findings to print per environment",
    )
    _add_json(command)


def _add_import_awm(commands: Commands) -> None:
    command = _command(
        commands,
        "import-awm",
        "import environments of the Agent World Model as bundles",
        "Build every environment in a folder of gen_*.jsonl files, host its FastAPI application in the "
        "sandbox without a server, prove it and write it as a bundle. A second run continues where the first "
        "was stopped; report.jsonl has one line per environment. Needs the extra awm.",
    )
    command.add_argument(
        "folder", type=Path, metavar="FOLDER", help="folder with gen_envs.jsonl and its siblings"
    )
    command.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="where bundles are written"
    )
    command.add_argument(
        "--jobs", type=int, choices=range(1, 65), default=1, metavar="N", help="processes at the same time"
    )
    command.add_argument(
        "--repair", action="store_true", help="give routes that repeat another one's path a path of their own"
    )
    command.add_argument(
        "--no-proof", action="store_true", help="do not try the claims, which takes seconds each"
    )
    _add_json(command)


def _add_export_awm(commands: Commands) -> None:
    command = _command(
        commands,
        "export-awm",
        "write bundles as one folder of the Agent World Model's format",
        "Write every bundle into one new folder of gen_*.jsonl files, with its database and recorded runs; "
        "the format's own launcher, agent and verifier take it as it is. An environment or task that the "
        "format cannot express is left out, with the reason.",
    )
    command.add_argument(
        "bundles", type=Path, nargs="+", metavar="BUNDLE", help="bundles: folders or .zip files"
    )
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to write")
    _add_json(command)


def _add_intake(commands: Commands) -> None:
    command = _command(
        commands,
        "intake",
        "show how your own data model is converted",
        "Read a DDL script (PostgreSQL, MySQL or SQLite), a live database by its address or an OpenAPI file; "
        "show the proposed schema and everything that could not be converted.",
    )
    command.add_argument(
        "source", metavar="PATH_OR_URL", help="a file, or postgresql://, mysql:// or sqlite://"
    )
    command.add_argument("--dialect", default="", help="dialect of a script: postgres, mysql or sqlite")
    command.add_argument(
        "--tables", default="", help="tables to import, separated by commas; as many as fit if not given"
    )
    command.add_argument(
        "--sample-rows", type=int, default=0, metavar="N", help="sample rows per table, anonymised"
    )
    command.add_argument("--seed", type=int, default=0, help="seed of the values that replace personal ones")
    command.add_argument("--out", type=Path, metavar="DIR", help="folder for schema.sql and intake.json")
    _add_json(command)


def _add_doctor(commands: Commands) -> None:
    command = _command(
        commands,
        "doctor",
        "report what protects this host from generated code",
        "Probe the layers of the sandbox on this host and report which are in force.",
    )
    _add_json(command)
