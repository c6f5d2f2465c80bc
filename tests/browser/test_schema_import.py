"""An own schema in a browser: from a mistake to a queued run, accessible everywhere, also without script."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from studio.models import PartRecord, Run
from tests.browser.test_every_screen import console_errors

ADDRESS = "/environments/from-schema/"
SCHEMA = """CREATE TABLE customers (
  id serial PRIMARY KEY,
  name varchar(60) NOT NULL UNIQUE,
  joined timestamptz NOT NULL,
  search tsvector
);
CREATE TABLE hires (
  id serial PRIMARY KEY,
  customer_id int NOT NULL REFERENCES customers,
  due date NOT NULL,
  deposit numeric(8,2) NOT NULL
);
CREATE VIEW overdue AS SELECT * FROM hires WHERE due < now();
CREATE TRIGGER touch BEFORE UPDATE ON hires FOR EACH ROW EXECUTE FUNCTION touch();
"""
FILE = {"name": "tool_hire.sql", "mimeType": "application/sql", "buffer": SCHEMA.encode()}
BROKEN = "CREATE TABLE hires (\n  id serial PRIMARY KEY,\n  due date NOT NULL,\n  CHECK (due >)\n);"
PROVOKED = "the server responded with a status"


def everywhere(page: Page, context: BrowserContext, base_url: str, sizes, name: str) -> list[str]:
    """Complaints of the page as it stands, in both themes and sizes; photographed where a folder is named."""
    texts = []
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.bsTheme = theme", theme)
        page.wait_for_timeout(300)  # colours fade from one theme to the other
        for size, (width, height) in sizes.items():
            page.set_viewport_size({"width": width, "height": height})
            texts += [f"{name}, {theme}, {size}: {each}" for each in console_errors(page)]
            if folder := os.environ.get("OWN_SCHEMA_PICTURES"):
                page.screenshot(path=f"{folder}/{name}-{size}-{theme}.png", full_page=True)
    return texts


@pytest.mark.slow
def test_a_mistake_is_mended_the_schema_is_read_and_a_run_begins(
    page: Page, context: BrowserContext, base_url: str, sizes, desk, signed_in, watch
) -> None:
    watch.expected.append(PROVOKED)
    page.emulate_media(reduced_motion="reduce")
    signed_in("lena")
    page.goto("/environments/new/")
    page.get_by_role("link", name="from your own tables").click()
    problems = everywhere(page, context, base_url, sizes, "empty")
    page.get_by_label("Or paste its text").fill(BROKEN)
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_role("alert").get_by_text("4: CHECK (due >)")).to_be_visible()
    expect(page.get_by_label("Or paste its text")).to_have_value(BROKEN)
    problems += everywhere(page, context, base_url, sizes, "mistake")
    page.get_by_label("A file").set_input_files(FILE)
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_role("heading", name="Tool hire")).to_be_visible()
    page.get_by_text("elements converted with changes").click()
    page.locator("summary", has_text="customers").click()
    problems += everywhere(page, context, base_url, sizes, "read")
    page.get_by_role("button", name="Create environment").click()
    expect(page.get_by_text("The run is queued.")).to_be_visible()
    assert Run.objects.latest("pk").request["intake"]["source"] == "tool_hire.sql"
    assert problems == []


def test_an_environment_shows_what_it_lacks_of_its_source(
    page: Page, context: BrowserContext, base_url: str, sizes, desk, signed_in
) -> None:
    from synthesis.documents.environment import Origin, Provenance
    from synthesis.intake import read_text

    intake = read_text(SCHEMA, source="tool_hire.sql")
    provenance = Provenance(
        author="procedural", origin=Origin(source=intake.source, findings=intake.findings)
    )
    parts = PartRecord.objects.filter(environment=desk.record, part="schema")
    parts.update(provenance=provenance.model_dump(mode="json"))
    page.emulate_media(reduced_motion="reduce")
    signed_in("rosa")
    page.goto(desk.address)
    expect(page.get_by_role("heading", name="What could not be converted from the source")).to_be_visible()
    page.get_by_text("elements converted with changes").click()
    assert everywhere(page, context, base_url, sizes, "origin") == []


@pytest.mark.slow
def test_it_works_without_script(context: BrowserContext, plain: BrowserContext, desk, signed_in) -> None:
    signed_in("lena")
    plain.add_cookies(context.cookies())
    page = plain.new_page()
    page.goto(ADDRESS)
    page.get_by_label("A file").set_input_files(FILE)
    page.get_by_role("button", name="Read it").click()
    page.get_by_role("button", name="Create environment").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Tool hire")
