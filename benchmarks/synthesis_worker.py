"""A worker of the synthesis benchmark: makes environments side by side until all of a batch are there.

Killed at any moment and started again, it goes on: finished parts lie in a folder, answers in recordings, and
a finished environment is one file, made whole or not at all.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import SecretStr

from synthesis.errors import WorldwrightError
from synthesis.llm.limited import RateLimits
from synthesis.llm.recorded import FolderRecordings
from synthesis.llm.registry import ProviderSettings, make_provider
from synthesis.llm.retrying import RetryPolicy
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.part_store import FolderPartStore
from synthesis.pipeline.pipeline import synthesize
from synthesis.pipeline.request import SynthesisRequest


def make(number: int, folder: Path, author: ModelAuthor) -> None:
    """One environment of the batch, unless it is there."""
    done = folder / "done" / f"{number}.json"
    if done.exists():
        return
    request = SynthesisRequest(sentence=f"Clinic number {number}: the front desk of a clinic", author="model")
    outcome: dict[str, object]
    try:
        result = synthesize(
            request, authors={"model": author}, store=FolderPartStore(folder / "parts" / str(number))
        )
        outcome = {"fingerprint": result.environment.fingerprint, "proved": result.report.passed}
    except WorldwrightError as error:
        outcome = {"error": type(error).__name__, "message": str(error)[:300]}
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w") as file:
        json.dump(outcome, file)
    Path(temporary).replace(done)
    with (folder / "finished.log").open("a") as log:
        log.write(f"{number}\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--numbers", type=int, nargs=3, metavar=("FROM", "TO", "STEP"), required=True)
    arguments = parser.parse_args()
    (arguments.folder / "done").mkdir(parents=True, exist_ok=True)
    settings = ProviderSettings(
        model="bench",
        api_key=SecretStr("bench-key-123456"),
        base_url=arguments.url,
        limits=RateLimits(concurrency=arguments.slots),
    )
    provider = make_provider(
        settings,
        recordings=FolderRecordings(arguments.folder / "recordings"),
        retry=RetryPolicy(attempts=4, first_wait=0.2),
    )
    author = ModelAuthor(provider)
    # More environments than slots: while some are checked, others wait for their answers.
    with ThreadPoolExecutor(arguments.slots * 2) as pool:
        list(pool.map(lambda number: make(number, arguments.folder, author), range(*arguments.numbers)))


if __name__ == "__main__":
    main()
