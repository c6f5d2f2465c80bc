"""The storage of archives as a bucket of an S3-compatible server; needs the extra s3."""

from __future__ import annotations

from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

IN_MEMORY_BYTES = 16 * 2**20
"""A longer object is read by way of a temporary file."""
PATIENCE = {
    "connect_timeout": 3,
    "read_timeout": 30,
    "retries": {"mode": "standard", "total_max_attempts": 3},
}


class ArchiveBucket(S3Storage):
    """Objects of one bucket, the newest content of a name counts."""

    failures: tuple[type[Exception], ...] = (OSError, Boto3Error, BotoCoreError, ClientError)
    """What is raised when the bucket cannot be used."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            file_overwrite=True,
            max_memory_size=IN_MEMORY_BYTES,
            client_config=Config(signature_version="s3v4", **PATIENCE),
            **options,
        )

    def address(self, name: str) -> str:
        """Where an object is, for people."""
        return f"s3://{'/'.join(filter(None, (self.bucket_name, self.location.strip('/'), name)))}"

    def require_usable(self) -> None:
        """Pass when the bucket answers.

        Raises:
            ClientError, BotoCoreError: It does not, or there is none of that name.
        """
        self.bucket.meta.client.head_bucket(Bucket=self.bucket_name)
