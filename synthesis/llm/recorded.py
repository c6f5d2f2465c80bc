"""Recorded: ask once, replay for ever; keyed on the request, so it is also the cache of a resumed run."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from synthesis.documents.document import Document, canonical_json, digest
from synthesis.errors import InvalidInput, ProviderRefused
from synthesis.llm.provider import Completion, CompletionRequest, Provider


class Recording(Document):
    """One question with its answer, as it lies on disk."""

    model: str
    request: CompletionRequest
    completion: Completion


class Recordings(Protocol):
    """Where recordings are kept; safe to use from several threads."""

    def find(self, key: str) -> Recording | None:
        """The recording under a key, or None."""
        ...

    def keep(self, key: str, recording: Recording) -> None:
        """Keep a recording under a key."""
        ...


class MemoryRecordings:
    """Recordings that live as long as the process."""

    def __init__(self) -> None:
        self._recordings: dict[str, Recording] = {}

    def find(self, key: str) -> Recording | None:
        """The recording under a key, or None."""
        return self._recordings.get(key)

    def keep(self, key: str, recording: Recording) -> None:
        """Keep a recording under a key."""
        self._recordings[key] = recording


class FolderRecordings:
    """One JSON file per recording, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str) -> Recording | None:
        """The recording under a key, or None.

        Raises:
            InvalidInput: The file is there and is no recording.
        """
        path = self._folder / f"{key}.json"
        if not path.exists():
            return None
        try:
            return Recording.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise InvalidInput(
                f"The recording {path.name} cannot be read ({error.error_count()} problems); "
                "delete it to ask again."
            ) from None

    def keep(self, key: str, recording: Recording) -> None:
        """Keep a recording under a key; a reader sees the old file or the new one, never half of it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self._folder, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(recording.model_dump_json(indent=1).encode())
        Path(temporary).replace(self._folder / f"{key}.json")


class Recorded:
    """Replays what was recorded and records what was not.

    Args:
        provider: Who is asked when there is no recording; None replays only.
        recordings: Where they are kept. The key of the endpoint is no part of them.
        scope: Recordings of another scope are not found, for example another run that should ask afresh.
        model: Name of the recorded model, needed only when there is no provider.
    """

    def __init__(
        self, provider: Provider | None, recordings: Recordings, *, scope: str = "", model: str = "recorded"
    ) -> None:
        self._provider, self._recordings, self._scope = provider, recordings, scope
        self._model = provider.model if provider else model
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}

    @property
    def model(self) -> str:
        """Name of the model that is asked or was recorded."""
        return self._model

    def key(self, request: CompletionRequest) -> str:
        """The name of a request's recording: model, scope and question, nothing of the endpoint's key."""
        return digest(canonical_json([self._model, self._scope, request.fingerprint]))

    def complete(self, request: CompletionRequest) -> Completion:
        """The recorded answer, or the provider's, which is recorded; two equal questions are asked once.

        Raises:
            ProviderRefused: There is no recording and nobody to ask.
        """
        key = self.key(request)
        with self._lock:
            asking = self._asking.setdefault(key, threading.Lock())
        try:
            with asking:
                return self._replay_or_ask(key, request)
        finally:
            with self._lock:
                self._asking.pop(key, None)

    def _replay_or_ask(self, key: str, request: CompletionRequest) -> Completion:
        recording = self._recordings.find(key)
        if recording is not None:
            return recording.completion
        if self._provider is None:
            raise ProviderRefused(
                f"There is no recording of this request ({request.stage or 'no stage'}, {key[:12]}) "
                "and no provider to ask."
            )
        completion = self._provider.complete(request)
        self._recordings.keep(key, Recording(model=self._model, request=request, completion=completion))
        return completion
