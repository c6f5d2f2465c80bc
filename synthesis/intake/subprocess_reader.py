"""Apart: a text from a stranger, read in a process of its own that cannot take more than it is given.

A parser can spend minutes or gigabytes on a text that was made for it; a server that reads uploads itself
would stand still meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import orjson

from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput
from synthesis.intake.import_options import ImportOptions
from synthesis.intake.reader import read_text

SECONDS = 30.0
"""Wall time that one text may take."""
MEMORY = 2 * 2**30
"""Bytes of address space that one text may take."""
_REFUSED = 3


def read_in_subprocess(
    text: str, *, source: str, import_options: ImportOptions, seconds: float = SECONDS, memory: int = MEMORY
) -> Intake:
    """Read a DDL script or an OpenAPI file in a process of its own.

    Args:
        text: What it says.
        source: What it is called, for messages and the proposed name.
        import_options: Which tables, how many rows, which dialect.
        seconds: Wall time after which it is given up.
        memory: Bytes of address space it may use.

    Raises:
        InvalidInput: It cannot be read, or not within these limits.
    """
    asked = orjson.dumps(
        {"text": text, "source": source, "import_options": asdict(import_options), "memory": memory}
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "synthesis.intake.subprocess_reader"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        answer, _ = process.communicate(asked, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise InvalidInput(
            f"{source}: reading was aborted after {seconds:.0f} s. Provide the schema without its rows, for "
            "example from pg_dump --schema-only or mysqldump --no-data, or fewer tables."
        ) from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if process.returncode == _REFUSED:
        raise InvalidInput(answer.decode())
    if process.returncode != 0:
        raise InvalidInput(
            f"{source} cannot be read within {memory / 2**30:.1f} GiB of memory. Provide the schema without "
            "its rows, or fewer tables."
        )
    return Intake.model_validate_json(answer)


def _main() -> int:
    asked = orjson.loads(sys.stdin.buffer.read())
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        intake = read_text(
            asked["text"], source=asked["source"], import_options=ImportOptions(**asked["import_options"])
        )
    except InvalidInput as error:
        sys.stdout.write(str(error))
        return _REFUSED
    sys.stdout.write(intake.model_dump_json(by_alias=True))
    return 0


if __name__ == "__main__":
    sys.exit(_main())
