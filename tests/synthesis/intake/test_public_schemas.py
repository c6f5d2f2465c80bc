"""Schemas that were not made here; each folder's SOURCE says whose it is and under which licence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synthesis.documents.intake import Intake
from synthesis.intake import read

SCHEMAS = Path(__file__).parents[2] / "data" / "schemas"
NAMES = sorted(folder.name for folder in SCHEMAS.iterdir() if folder.is_dir())
EXPECTED = {
    "chinook": {"money_is_kept_in_cents"},
    "helpdesk": {"time_zones_are_left_out"},
    "jupyterhub": {"columns_are_not_converted"},
    "keystone": set(),
    "machina": {"time_zones_are_left_out"},
    "medusa_order": {"sequences_are_not_converted", "foreign_keys_form_no_cycle"},
    "medusa_store": {"time_zones_are_left_out"},
    "northwind": {"columns_are_not_converted", "money_is_kept_in_cents"},
    "oscar": {"foreign_keys_are_not_converted", "money_is_kept_in_cents"},
    "quartz": {"columns_are_not_converted"},
    "redmine": {"sequences_are_not_converted"},
    "sakila": {"views_are_not_converted", "foreign_keys_form_no_cycle", "money_is_kept_in_cents"},
    "wagtail": {"collations_are_not_converted", "foreign_keys_form_no_cycle"},
}
"""Some of the findings of each."""


def test_each_names_its_source_and_licence() -> None:
    assert sorted(EXPECTED) == NAMES
    for name in NAMES:
        source = (SCHEMAS / name / "SOURCE").read_text()
        assert "Licence: " in source
        assert "Version: " in source
        assert (SCHEMAS / name / f"{name}.sql").stat().st_size <= 60_000


def places(made: Intake, check: str) -> list[str]:
    """Everything one claim speaks of, also where it is told in one finding."""
    texts: list[str] = []
    for finding in made.findings:
        if finding.check == check:
            several = finding.evidence.get("places") if isinstance(finding.evidence, dict) else None
            texts += map(str, several) if isinstance(several, list) else [finding.where]
    return texts


def references(script: str, table: str) -> int:
    """How many foreign keys a script declares for one table."""
    own = re.compile(rf'\s*(?:CREATE|ALTER) TABLE (?:ONLY )?(?:public\.)?"?{table}"?\s')
    return sum(text.count("REFERENCES ") for text in script.split(";") if own.match(text))


@pytest.mark.parametrize("name", NAMES)
def test_a_public_schema_is_read_whole(name: str) -> None:
    path = SCHEMAS / name / f"{name}.sql"
    intake = read(str(path))
    script = path.read_text()
    left = [finding for finding in intake.findings if finding.check == "foreign_keys_are_not_converted"]
    kept_out, implied = (
        places(intake, "bookkeeping_is_left_out"),
        places(intake, "references_are_taken_from_names"),
    )
    assert len(intake.schema.tables) + len(kept_out) == script.count("CREATE TABLE")
    number = sum(len(table.foreign_keys) for table in intake.schema.tables)
    gone = sum(references(script, table) for table in kept_out)
    assert number + len(left) - len(implied) == script.count("REFERENCES ") - gone
    assert {finding.check for finding in intake.findings} >= EXPECTED[name]
    assert all(table.primary_key for table in intake.schema.tables)
    assert intake.scenario.name == name
