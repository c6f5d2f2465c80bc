"""Bundle: what ships. Manifest: what is in it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from synthesis.documents.check_report import CheckReport
from synthesis.documents.dictionary import Dictionary
from synthesis.documents.document import Document
from synthesis.documents.environment import FORMAT_VERSION, Environment
from synthesis.documents.review import ReviewDocument
from synthesis.documents.trajectory import Trajectory
from synthesis.documents.verdict import Verdict


class Manifest(Document):
    """The digest of every file and the fingerprint of the whole."""

    format_version: int = FORMAT_VERSION
    environment: str
    """The environment's fingerprint."""
    files: dict[str, str]
    """Relative path with forward slashes to SHA-256; every file but the manifest itself and its signature."""


class BundleSignature(Document):
    """Whose a bundle is: a signature over its manifest. Both texts are base64."""

    algorithm: Literal["ed25519"] = "ed25519"
    key: str
    """The public key, 32 bytes."""
    signature: str
    """64 bytes."""


class JudgedTrajectory(Document):
    """A trajectory with its verdicts."""

    trajectory: Trajectory
    verdicts: tuple[Verdict, ...] = ()


class Bundle(Document):
    """One environment with what was proved, decided and tried in it."""

    environment: Environment
    report: CheckReport | None = None
    reviews: tuple[ReviewDocument, ...] = ()
    trajectories: tuple[JudgedTrajectory, ...] = ()
    dictionary: Dictionary | None = None
    """What people call things, where they corrected what is derived from the names of the design."""
    manifest: Manifest | None = Field(default=None, exclude=True)
    """As read; None for a bundle that was never written."""
