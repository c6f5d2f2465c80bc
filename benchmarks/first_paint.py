"""First paint of a long replay and of a large table, in chromium over a real server in this process."""

from __future__ import annotations

import os
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.sample import rounded

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from studio.models import EnvironmentRecord, TrajectoryRecord

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
TIMES = 5
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def measure(*, user: User, heavy: TrajectoryRecord, large: EnvironmentRecord) -> dict[str, Any]:
    """First paints in milliseconds, largest answers in kB; or the reason why there are none.

    Args:
        user: Who looks.
        heavy: A trajectory of 400 steps with a result of 20 MB at step 200.
        large: An environment with a table of a million rows.
    """
    if not Path(CHROMIUM).exists():
        return {"not_measured": "chromium is not installed"}
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {"not_measured": "playwright is not installed"}
    from benchmarks.studio_singles import HEAVY_STEP, LARGE_TABLE

    replay = f"/trajectories/{heavy.pk}/step"
    table = f"/environments/{large.name}/data/table/{LARGE_TABLE}/"
    session = _session(user)
    with _server() as origin, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            first, first_kb = _paint(browser, origin, session, f"{replay}/1/")
            heavy_step, heavy_kb = _paint(browser, origin, session, f"{replay}/{HEAVY_STEP}/")
            began = time.perf_counter()
            text = _until_open(browser, origin, session, table)
            prepared = time.perf_counter() - began
            rows, rows_kb = _paint(browser, origin, session, table)
        finally:
            browser.close()
    return {
        "replay_400_first_paint_ms": rounded(first),
        "replay_400_at_20_mb_first_paint_ms": rounded(heavy_step),
        "replay_400_largest_answer_kb": rounded(max(first_kb, heavy_kb)),
        "table_1m_first_paint_ms": rounded(rows),
        "table_1m_largest_answer_kb": rounded(rows_kb),
        "table_1m_prepared_s": rounded(prepared),
        "table_1m_meanwhile": text,
    }


@contextmanager
def _server() -> Iterator[str]:
    """The studio on a free port, served by threads of this process; gives its origin."""
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing: the benchmark's last line is JSON."""

    server = ThreadedWSGIServer(("localhost", 0), Quiet)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _session(user: User) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return str(client.cookies["sessionid"].value)


def _paint(browser: Any, origin: str, session: str, path: str) -> tuple[float, float]:
    """Median first contentful paint in milliseconds and the largest answer in kB, with nothing cached."""
    paints, largest = [], 0.0
    for _ in range(TIMES):
        context = browser.new_context()
        context.add_cookies([{"name": "sessionid", "value": session, "url": origin}])
        page = context.new_page()
        answers: list[Any] = []
        page.on("response", lambda answer, remaining=answers: remaining.append(answer))
        page.goto(origin + path)
        while (painted := page.evaluate(_PAINT)) is None:  # waiting in the page is what its policy forbids
            page.wait_for_timeout(20)
        paints.append(float(painted))
        largest = max(largest, *(len(answer.body()) / 1000 for answer in answers if answer.ok))
        context.close()
    return statistics.median(paints), largest


def _until_open(browser: Any, origin: str, session: str, path: str) -> str:
    """Open a page again until it is there; gives what it said the first time it was not."""
    context = browser.new_context()
    context.add_cookies([{"name": "sessionid", "value": session, "url": origin}])
    page = context.new_page()
    text = ""
    while (answer := page.goto(origin + path)).status == 503:
        text = text or page.get_by_text("are being loaded").inner_text()
        page.wait_for_timeout(500)
    context.close()
    return text if answer.ok else f"it answered {answer.status}"
