"""awm: an environment as a folder that the Agent World Model's launchers, agents and verifiers take."""

from __future__ import annotations

from pathlib import Path

from synthesis.bundles.archive import write_folder, write_zip
from synthesis.bundles.awm.exporting import awm_files
from synthesis.documents.bundle import Bundle
from synthesis.errors import InvalidInput


class AwmCodec:
    """The eight JSONL files of the format, the database and the recorded runs."""

    name = "awm"
    title = "Agent World Model: JSONL files, databases and runs"
    loss: tuple[str, ...] = (
        "how we read answers: verifiers of this format compare values and look for a denial",
        "tasks whose verifier asks for the calls or the conversation",
        "proof, reviews, splits and limits of calls",
    )
    reads = False
    suffix = ".zip"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip where the path ends in .zip.

        Raises:
            InvalidInput: The path cannot be written, or the environment cannot be said in this format.
            SandboxUnavailable: This host cannot build a world.
        """
        files, _ = awm_files(bundle)
        if path.suffix == ".zip":
            return write_zip(files, path, folder=f"{bundle.environment.name}-awm")
        return write_folder(files, path)

    def read(self, path: Path) -> Bundle:
        """Refuses: a folder is imported, which says what is wrong with it.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: import it with 'worldwright import-awm {path} --out FOLDER'.")
