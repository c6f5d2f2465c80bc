"""What the stages find in the clinic's parts."""

import pytest

from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import drafted


@pytest.fixture
def found(clinic, request_for):
    """What a stage finds in the clinic's part, or in a changed one."""

    def check(name, change=None, **targets):
        draft = drafted(clinic)
        part = draft.part(name)
        part = change(part) if change else part
        findings = STAGES[name].check(part, draft, request_for(targets=targets))
        return [finding for finding in findings if finding.blocks]

    return check
