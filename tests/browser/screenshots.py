"""`make screenshots`: every screen wide and narrow, light and dark, into docs/screenshots.

Those that the manual shows, in docs/pictures, are renewed there too.

Not a test by name, so that the suite does not collect it; it runs on the same server and clinic as the tests.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.screens import FOR_ADMINISTRATORS

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER, PICTURES = DOCS / "screenshots", DOCS / "pictures"


def test_photograph(
    screen: str, address: str, sizes, page: Page, context: BrowserContext, base_url: str, signed_in, request
) -> None:
    if not request.config.getoption("--screenshots"):
        pytest.skip("run with --screenshots")
    FOLDER.mkdir(parents=True, exist_ok=True)
    signed_in("admin" if screen in FOR_ADMINISTRATORS else "lena")
    page.emulate_media(reduced_motion="reduce")
    for theme in ("light", "dark"):
        context.add_cookies([{"name": "theme", "value": theme, "url": base_url}])
        for size, (width, height) in sizes.items():
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address)
            page.wait_for_load_state("networkidle")
            name = f"{screen}-{size}-{theme}.png"
            page.screenshot(path=FOLDER / name)
            if (PICTURES / name).exists():
                shutil.copy(FOLDER / name, PICTURES / name)
