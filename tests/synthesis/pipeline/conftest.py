"""A scripted endpoint that knows the clinic, and what is asked of it."""

from __future__ import annotations

import pytest

from synthesis.documents.check_report import CheckReport
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.pipeline import assembly
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.request import SynthesisRequest
from tests.openai_server import OpenAIServer
from tests.scripted_model import ScriptedModel


@pytest.fixture
def request_for():
    def make(**changes):
        return SynthesisRequest(**{"sentence": "The front desk of a clinic", "author": "model", **changes})

    return make


@pytest.fixture
def endpoint(clinic):
    """Starts a server that answers with the clinic's parts; gives its model, the server and an author."""
    opened = []

    def start(spoilt=None, *, in_full=False):
        model = ScriptedModel(clinic, spoilt, in_full=in_full)
        server = OpenAIServer(model)
        server.__enter__()
        provider = OpenAICompatible("clinic-model", "sk-secret-123456", base_url=server.base_url, timeout=20)
        opened.append((server, provider))
        return model, server, ModelAuthor(provider)

    yield start
    for server, provider in opened:
        provider.close()
        server.__exit__(None, None, None)


@pytest.fixture
def unproved(monkeypatch):
    """Leaves out the proof of the whole, which has its own tests, where only the way there matters."""

    def accept(environment, on_result=None):
        return CheckReport(environment=environment.fingerprint, results=())

    monkeypatch.setattr(assembly, "check_environment", accept)
