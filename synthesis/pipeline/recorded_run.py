"""Recorded run: all that a model was asked for one environment and all that it replied, to be replayed.

Replies are found by stage, attempt and pieces and not by the words of the prompt: a run recorded for an older
prompt is replayed all the same, and the attempt carries a warning.
"""

from __future__ import annotations

import json
import lzma
import threading
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from synthesis.documents.conversation import Message
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput, ProviderRefused
from synthesis.llm.provider import Completion, CompletionRequest, Provider
from synthesis.llm.structured import read_object
from synthesis.pipeline.request import SynthesisRequest

SHIPPED = Path(__file__).with_name("recordings") / "tool_library.json.xz"
"""The run that ships with the package."""


class Exchange(Document):
    """One request for some pieces of a part, and the reply."""

    stage: str
    attempt: int
    pieces: tuple[str, ...] = ()
    messages: tuple[Message, ...]
    completion: Completion


class RecordedRun(Document):
    """The whole of it, in the order in which it was asked."""

    request: SynthesisRequest
    model: str
    recorded_on: date
    exchanges: tuple[Exchange, ...]

    @classmethod
    def read(cls, path: Path = SHIPPED) -> RecordedRun:
        """The run in a file of compressed JSON.

        Raises:
            InvalidInput: There is no such file, or it holds no recorded run.
        """
        try:
            return cls.model_validate_json(lzma.decompress(path.read_bytes()))
        except OSError as error:
            reason = error.strerror or "it cannot be opened"
            raise InvalidInput(f"The recorded run {path.name} cannot be read: {reason}.") from None
        except (ValidationError, lzma.LZMAError):
            raise InvalidInput(f"The file {path.name} holds no recorded run. Record it again.") from None

    def write(self, path: Path) -> None:
        """Write the run as compressed JSON; the same run gives the same bytes."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(self.model_dump_json(exclude_defaults=True).encode()))


class RunRecorder:
    """A provider that notes what is asked of another one and what that replies.

    Args:
        provider: Who is asked.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.exchanges: list[Exchange] = []

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's reply; errors as the provider raises them."""
        completion = self._provider.complete(request)
        self.exchanges.append(
            Exchange(
                stage=request.stage,
                attempt=request.attempt,
                pieces=request.pieces,
                messages=request.messages,
                completion=completion,
            )
        )
        return completion


class ReplayedRun:
    """A provider that replies as a recorded run did; every reply is given once.

    Args:
        run: The recorded run.
    """

    def __init__(self, run: RecordedRun) -> None:
        self._run, self._remaining = run, list(run.exchanges)
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Name of the recorded model."""
        return self._run.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The recorded reply to the same request, or else to the one for the same pieces at that attempt.

        Raises:
            ProviderRefused: The recording has no further reply for this stage and attempt.
        """
        with self._lock:
            exchange = next(self._likely(request), None)
            if exchange is None:
                raise ProviderRefused(
                    f"The run recorded on {self._run.recorded_on} has no reply for attempt {request.attempt} "
                    f"at {request.stage!r}: what is checked has changed since. Record it again: record_run."
                )
            self._remaining.remove(exchange)
            if exchange.messages == request.messages:
                return exchange.completion
            exchanges = [exchange, *self._taken_for_the_rest(request, exchange)]
        return _joined([each.completion for each in exchanges]).replace(
            note=f"Recorded for an older prompt, on {self._run.recorded_on}; the reply is replayed as it is."
        )

    def _taken_for_the_rest(self, request: CompletionRequest, first: Exchange) -> list[Exchange]:
        """Further replies to what a request asks for at once today, and several asked for then."""
        missing, results = {*request.pieces} - {*first.pieces}, list[Exchange]()
        for each in [*self._remaining]:
            if (each.stage, each.attempt) == (request.stage, request.attempt) and missing & {*each.pieces}:
                missing -= {*each.pieces}
                results.append(each)
                self._remaining.remove(each)
        return results

    def _likely(self, request: CompletionRequest) -> Iterator[Exchange]:
        """Replies not given so far: to this very request, for its pieces, for some of them."""
        same = [each for each in self._remaining if each.stage == request.stage]
        yield from (each for each in same if each.messages == request.messages)
        same = [each for each in same if each.attempt == request.attempt]
        yield from (each for each in same if each.pieces == request.pieces)
        yield from (each for each in same if {*each.pieces} & {*request.pieces} or not request.pieces)


def _joined(completions: Sequence[Completion]) -> Completion:
    """Several replies as one: their lists and texts one after the other."""
    first, *others = completions
    if not others:
        return first
    joined: dict[str, Any] = {}
    for completion in completions:
        for name, value in read_object(completion).items():
            if name in joined and isinstance(value, list):
                joined[name] = [*joined[name], *value]
            elif name in joined and isinstance(value, str) and value not in joined[name]:
                joined[name] = f"{joined[name]}\n\n{value}"
            else:
                joined.setdefault(name, value)
    usage = sum((completion.usage for completion in others), first.usage)
    return first.replace(text=json.dumps(joined, ensure_ascii=False), usage=usage)
