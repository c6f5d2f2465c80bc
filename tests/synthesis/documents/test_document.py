"""Documents: frozen, closed, fingerprinted."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from synthesis.documents.scenario import Scenario
from synthesis.documents.tools import ToolCall, Toolset

SCENARIO = {
    "name": "city_library",
    "title": "City library",
    "category": "libraries",
    "description": "Lends books, games and tools.",
    "clock": "2026-03-11T08:30:00",
}


def test_a_document_cannot_be_changed() -> None:
    scenario = Scenario.model_validate(SCENARIO)
    with pytest.raises(ValidationError, match="frozen"):
        scenario.title = "Other"  # type: ignore[misc]


def test_unknown_fields_are_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="colour"):
        Scenario.model_validate({**SCENARIO, "colour": "red"})


def test_equal_content_has_equal_fingerprints_whatever_the_order_of_keys() -> None:
    one = ToolCall(name="lend", arguments={"book": 1, "days": 14})
    other = ToolCall(name="lend", arguments={"days": 14, "book": 1})
    assert one.fingerprint == other.fingerprint
    assert one.fingerprint != ToolCall(name="lend", arguments={"book": 2, "days": 14}).fingerprint


def test_a_fingerprint_is_the_same_in_another_process_with_another_hash_seed() -> None:
    script = (
        "from synthesis.documents.tools import ToolCall;"
        "print(ToolCall(name='lend', arguments={'a': {'x': 1, 'y': [1, 2]}, 'b': 'é'}).fingerprint)"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert prints == {ToolCall(name="lend", arguments={"a": {"x": 1, "y": [1, 2]}, "b": "é"}).fingerprint}


def test_derived_tools_are_no_part_of_a_toolsets_fingerprint() -> None:
    bare = Toolset(source="def lend(db): ...")
    assert bare.fingerprint == Toolset.model_validate(bare.model_dump()).fingerprint
    assert bare.fingerprint != Toolset(source="def lend(db): return 1").fingerprint


def test_replace_validates_like_a_new_document() -> None:
    scenario = Scenario.model_validate(SCENARIO)
    assert scenario.replace(title="Town library").title == "Town library"
    with pytest.raises(ValidationError):
        scenario.replace(name="Not A Slug")


@pytest.mark.parametrize("clock", [datetime(2026, 3, 11, tzinfo=UTC), datetime(2026, 3, 11, 0, 0, 0, 5)])
def test_a_worlds_clock_is_a_local_time_in_whole_seconds(clock: datetime) -> None:
    with pytest.raises(ValidationError, match="local time without zone"):
        Scenario.model_validate({**SCENARIO, "clock": clock})


def test_a_copy_with_other_content_has_a_fingerprint_of_its_own() -> None:
    lend = ToolCall(name="lend", arguments={"book": 1})
    before = lend.fingerprint
    renewed = lend.model_copy(update={"name": "renew"})
    assert renewed.fingerprint == ToolCall(name="renew", arguments={"book": 1}).fingerprint != before
    assert lend.model_copy().fingerprint == before


def test_a_document_of_valid_parts_is_the_validated_one() -> None:
    parts = {"name": "lend", "arguments": {"book": 1}}
    one, validated = ToolCall.of_valid_parts(**parts), ToolCall.model_validate(parts)
    assert list(parts) == list(ToolCall.model_fields)
    assert one == validated
    assert one.model_fields_set == validated.model_fields_set
    assert one.model_dump_json() == validated.model_dump_json()
    assert pickle.loads(pickle.dumps(one)) == one
    assert one.replace(name="return").name == "return"
    with pytest.raises(ValidationError, match="frozen"):
        one.name = "other"  # type: ignore[misc]
