"""Names, rows, tool output and model text that attack: everything is shown as text, nothing runs."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from studio.services.review import comments, flags
from synthesis.documents.environment import Environment
from tests.browser.hostile import ODD, SCRIPT, stored

RAN = "window.pwned !== undefined"


@pytest.fixture
def attacked(people: dict[str, Any], clinic: Environment) -> tuple[Any, Any]:
    record, trajectory = stored(clinic)
    flags.raise_flag(
        record=record, user=people["rosa"], reason="other", severity="minor", comment=SCRIPT, where=SCRIPT
    )
    comments.add_comment(record=record, author=people["rosa"], body=f"{SCRIPT} [x](javascript:alert(1))")
    return record, trajectory


@pytest.mark.slow
def test_script_and_odd_names_render_as_text_on_every_page(page: Page, attacked, signed_in) -> None:
    record, trajectory = attacked
    signed_in("lena", view="expert")
    at = f"/environments/{record.name}/"
    task = trajectory.task_id
    shown = {
        "/environments/": SCRIPT[:20],
        at: SCRIPT,
        f"{at}schema/": ODD,
        f"{at}data/": ODD,
        f"{at}data/sql/?query=SELECT+*+FROM+%22select%22": SCRIPT,
        f"{at}tasks/{task}/": SCRIPT,
        f"{at}review/": SCRIPT,
        f"{at}history/": SCRIPT,
        f"{at}checks/": SCRIPT,
        f"{at}checks/every_statement_builds/": SCRIPT,
        f"/trajectories/{trajectory.pk}/step/1/": SCRIPT,
        f"/trajectories/{trajectory.pk}/step/2/": SCRIPT,
        f"/trajectories/{trajectory.pk}/beside/{trajectory.pk}/": SCRIPT[:20],
        "/trajectories/": SCRIPT[:20],
        "/jump/?q=hostile": SCRIPT[:20],
    }
    for address, text in shown.items():
        page.goto(address)
        expect(page.locator("main")).to_contain_text(text)
        assert not page.evaluate(RAN), address
        assert page.locator("main script, main img[src=x]").count() == 0, address
    signed_in("lena")
    for address in (
        f"{at}data/",
        f"{at}data/table/select/",
        f"{at}review/walk/{task}/",
        f"{at}dictionary/",
        f"/trajectories/{trajectory.pk}/step/1/",
    ):
        page.goto(address)
        expect(page.locator("main h1")).to_be_visible()
        assert not page.evaluate(RAN), address
        assert page.locator("main script, main img[src=x]").count() == 0, address


def test_a_table_with_an_odd_name_is_browsed_by_links_alone(page: Page, attacked, signed_in) -> None:
    record, _ = attacked
    signed_in("rosa", view="expert")
    page.goto(f"/environments/{record.name}/data/")
    page.get_by_role("link", name=ODD).click()
    expect(page.locator("h2#table")).to_contain_text(ODD)
    expect(page.get_by_role("region", name="Rows of")).to_contain_text(SCRIPT)
    page.get_by_role("link", name="order").click()
    expect(page.get_by_role("region", name="Rows of")).to_contain_text(SCRIPT)
    page.get_by_role("link", name="Open row 1").click()
    expect(page.get_by_role("region", name="Columns")).to_contain_text(SCRIPT)
    page.goto(f"/environments/{record.name}/data/table/select/")
    page.get_by_role("link", name="Open row 2").click()
    expect(page.get_by_role("region", name="Columns")).to_contain_text("a/b?c#d")
    assert not page.evaluate(RAN)


def test_a_cell_of_a_megabyte_is_cut_in_lists_and_whole_on_its_row(page: Page, attacked, signed_in) -> None:
    record, _ = attacked
    signed_in("rosa", view="expert")
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(answer.body())) if answer.ok else None)
    page.goto(f"/environments/{record.name}/data/table/notes/")
    expect(page.get_by_text("1000000 characters")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert max(sizes) < 500_000
    page.get_by_role("link", name="Open row 3").click()
    expect(page.get_by_role("region", name="Columns")).to_be_visible()
    assert len(page.get_by_role("region", name="Columns").inner_text()) > 1_000_000


def test_a_file_for_spreadsheets_computes_nothing(page: Page, attacked, signed_in, tmp_path) -> None:
    record, _ = attacked
    signed_in("rosa", view="expert")
    page.goto(f"/environments/{record.name}/data/table/notes/")
    with page.expect_download() as given:
        page.get_by_role("link", name="CSV").click()
    given.value.save_as(tmp_path / "notes.csv")
    with (tmp_path / "notes.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[:3] == [
        ["id", "note", "amount"],
        ["1", "'=HYPERLINK(1)", "'+1"],
        ["2", "'@SUM(A1)", "'-2"],
    ]
    page.goto("/environments/")
    with page.expect_download() as given:
        page.get_by_role("link", name="CSV").click()
    assert given.value.suggested_filename == "environments.csv"
