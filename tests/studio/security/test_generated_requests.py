"""Generated requests over the whole interface, as every role: no answer is a defect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok

from studio.api.interface import api as interface
from studio.models import Role
from studio.services.accounts.accounts import issue_token

EXAMPLES = 12


def operations() -> list[tuple[str, str]]:
    """Method and path of every documented operation."""
    paths = interface.get_openapi_schema()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


@pytest.mark.at_length
@pytest.mark.parametrize("role", [None, *Role], ids=str)
@pytest.mark.usefixtures("stored", "trajectory", "open_connections")
def test_no_generated_request_meets_a_defect(role, person, settings_of_examples):
    import json

    document = json.loads(json.dumps(interface.get_openapi_schema()))
    headers = {}
    if role is not None:
        _, token = issue_token(user=person("somebody", role), name="test")
        headers = {"Authorization": f"Bearer {token}"}
    schema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    tried = 0
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()

        @settings_of_examples
        @given(case=operation.as_strategy())
        def ask(case):
            nonlocal tried
            tried += 1
            case.call_and_validate(headers=headers, checks=[not_a_server_error])

        ask()
    assert tried >= len(operations())


@pytest.fixture
def open_connections() -> Iterator[None]:
    """The test's transaction stays open between requests, as with Django's own test client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def settings_of_examples():
    """Few examples, the same at every run."""
    return settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
