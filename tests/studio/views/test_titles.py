"""Titles, not raw ids: pages call tasks, tools and tables as the environment's dictionary does."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import CheckResultRecord, Element, EnvironmentRecord, TrajectoryRecord
from studio.services.environments import dictionaries
from studio.services.review import flags
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.dictionary import Dictionary, TableEntry
from synthesis.documents.environment import Environment
from tests.browser.desk import Desk, create_desk, create_people
from tests.browser.screens import FOR_ADMINISTRATORS, SCREENS

RECORDED = Path(__file__).parents[2] / "browser" / "clinic_trajectories.jsonl"
ABOUT_NAMES = {"edit-tools", "sql", "dictionary"}
"""Screens on which code, or the names in it, are what one works on."""
RECORDS = {"attempt", "audit", "components", "run", "runs"}
"""What programs wrote down word by word, and the specimens of the studio's parts."""
FOR_PROGRAMMERS = {
    "interface", "rollouts-new", "trajectories-export", "batch", "batch-failed-runs", "operations", "spend",
    "own-schema",
}  # fmt: skip
"""Screens of people who run agents or the studio, which may show code, but no name of a part of a world."""
CODE = re.compile(
    r"\b[a-z]+_\w+|\bNULL\b|\b(?:INTEGER|TEXT|REAL|DDL)\b|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b|[{}]|\bcents\b"
)
"""Names as code writes them (not the settings of operators), types, digests, JSON and money in cents."""
TERMS = re.compile(r"\b(?:claims?|trajector(?:y|ies)|verifiers?|schema|episodes?)\b", re.IGNORECASE)
"""What only people who build agents say."""
REVIEWERS = {
    "home", "catalogue", "overview", "schema", "data", "table", "row", "tools", "tool", "scratch",
    "tasks", "task", "checks", "check", "trajectories-of-one", "review", "walk", "questions",
    "send-back", "edit-task", "edit-row", "edit-sheet", "revision", "flag", "history", "replay",
    "verdict", "side-by-side", "trajectories", "queue",
}  # fmt: skip
"""Screens on which experts of a trade work."""
ABOUT_AGENTS = (
    "home", "runs", "run", "rollouts", "rollouts-new", "statistics", "statistics-compare", "spend",
    "judge-lab", "judge-lab-new", "judge", "trajectories", "trajectories-export", "replay", "queue",
    "dashboard", "side-by-side", "played-again", "conversation", "table-after-a-step", "new-environment",
    "batch-new", "bundles", "bundle", "export", "collections", "collection-new", "collection", "review",
)  # fmt: skip
"""Screens that name agents or what they did, whose words are everybody's too."""
AGENTS = re.compile(
    r"\b(?:no-op|explorer|faulty:\w+|chat:[\w:-]+)(?!\w)"
    r"|\breference(?:,| in\b| on\b)|\bpass[@^]|[Pp]rocedural"
)
"""The studio's agents as programs name them, and figures about them."""
TASK, TOOL, TABLE = "hand_freed_slot_to_waiting_list", "cancel_appointment", "waitlist_entries"


class _Shown(HTMLParser):
    """The text that people see: no attributes, no options' values, no code."""

    HIDDEN = ("script", "style", "pre", "svg", "textarea")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.HIDDEN:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.texts.append(data)


def shown(client: Client, address: str) -> str:
    """The words of a page, wherever it leads."""
    answer = client.get(address, follow=True)
    assert answer.status_code == 200, (address, answer.status_code)
    parser = _Shown()
    parser.feed(answer.content.decode().partition("<main")[2].partition("</main>")[0])
    return " ".join(" ".join(parser.texts).split())


@pytest.fixture
def people(db: None, settings: Any) -> dict[str, User]:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return create_people()


@pytest.fixture
def desk(people: dict[str, User], clinic: Environment) -> Desk:
    """The clinic with one of everything a screen shows, and a flag on a task."""
    lines = RECORDED.read_text().splitlines()
    desk = create_desk(clinic, [JudgedTrajectory.model_validate_json(line) for line in lines])
    flags.raise_flag(
        record=desk.record,
        user=people["rosa"],
        reason="task_unclear",
        part="tasks",
        where=TASK,
        comment="Why?",
    )
    return desk


@pytest.fixture
def renamed(desk: Desk) -> EnvironmentRecord:
    """The same, where people call a task, a tool and a table otherwise."""
    words = Dictionary(
        tasks={TASK: "Fill the gap"},
        tools={TOOL: "Strike out"},
        tables={TABLE: TableEntry(title="The queue")},
    )
    dictionaries.keep(desk.record, words)
    return desk.record


def claims(desk: Desk) -> list[str]:
    """The claims about the clinic whose cases can be read one by one."""
    results = CheckResultRecord.objects.filter(report__revision=desk.record.current)
    return [result.claim for result in results if result.trials]


@pytest.fixture
def reader(people: dict[str, User], client: Client) -> Client:
    client.force_login(people["lena"])
    return client


@pytest.mark.parametrize("half", [0, 1])
def test_no_page_shows_a_raw_id_outside_the_expert_view(
    half: int, desk: Desk, people, client: Client
) -> None:
    client.force_login(people["admin"])
    names = Element.objects.filter(environment=desk.record, name__contains="_").values_list("name", flat=True)
    raw = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    addresses = {name: at(desk) for name, at in SCREENS.items() if name not in ABOUT_NAMES | RECORDS}
    addresses |= {claim: f"{desk.address}checks/{claim}/" for claim in claims(desk)}
    shown_raw = {
        screen: sorted({found[0] for found in raw.finditer(shown(client, address))})
        for screen, address in list(addresses.items())[half::2]
    }
    assert {screen: found for screen, found in shown_raw.items() if found} == {}


@pytest.mark.parametrize("half", [0, 1])
def test_no_page_shows_code_or_terms_of_the_field_outside_the_expert_view(
    half: int, desk: Desk, people, client: Client
) -> None:
    client.force_login(people["lena"])
    left_out = ABOUT_NAMES | RECORDS | FOR_PROGRAMMERS | FOR_ADMINISTRATORS
    addresses = {name: at(desk) for name, at in SCREENS.items() if name not in left_out}
    addresses |= {claim: f"{desk.address}checks/{claim}/" for claim in claims(desk)}
    found = {}
    for screen, address in list(addresses.items())[half::2]:
        text = shown(client, address)
        patterns = (CODE, TERMS) if screen in REVIEWERS or "checks/" in address else (CODE,)
        matches = [match for pattern in patterns for match in pattern.finditer(text)]
        found[screen] = [text[max(0, match.start() - 30) : match.end() + 15] for match in matches]
    assert {screen: places for screen, places in found.items() if places} == {}


def test_pages_about_agents_name_them_by_what_they_do_and_say_attempts(
    desk: Desk, people, client: Client
) -> None:
    client.force_login(people["lena"])
    found = {}
    for screen in ABOUT_AGENTS:
        text = shown(client, SCREENS[screen](desk))
        matches = [match for pattern in (TERMS, AGENTS) for match in pattern.finditer(text)]
        found[screen] = [text[max(0, match.start() - 30) : match.end() + 15] for match in matches]
    assert {screen: places for screen, places in found.items() if places} == {}
    runs = shown(client, SCREENS["runs"](desk))
    assert "The right solution, an agent that does nothing in Clinic front desk" in runs
    assert "An agent that takes the wrong record" in shown(client, "/rollouts/new/")
    client.cookies["view"] = "expert"
    assert "reference, no-op in Clinic front desk" in shown(client, SCREENS["runs"](desk))
    assert "faulty:wrong_row" in shown(client, "/rollouts/new/")


def test_titles_that_people_wrote_stand_wherever_the_part_is_named(
    renamed: EnvironmentRecord, desk: Desk, reader: Client
) -> None:
    at = f"/environments/{renamed.name}/"
    waived = {"reason": "task_unclear", "severity": "minor", "part": "tasks", "where": TASK}
    desk.collection.manifest["environments"][0]["waivers"] = [waived]
    desk.collection.save()
    by_task = f"{at}trajectories/?task_id={TASK}"
    places = {
        "Fill the gap": [
            f"/trajectories/{desk.replay.pk}/step/1/", f"/trajectories/{desk.idle.pk}/conversation/",
            f"/trajectories/{desk.replay.pk}/beside/{desk.idle.pk}/", "/trajectories/?q=fill+gap", by_task,
            f"{at}review/", f"{at}review/send-back/", f"{at}checks/near_misses_are_refused/",
            "/statistics/?by=task", "/statistics/compare/?first_agent=no-op&second_agent=reference",
            f"/rollouts/{desk.rollouts.pk}/?environment={renamed.name}",
            f"/bundles/collections/{desk.collection.pk}/", "/jump/?q=hand_freed", f"{at}review/walk/{TASK}/",
        ],
        "Strike out": [
            f"{at}tools/", f"{at}tasks/{TASK}/", f"{at}tool-graph/", "/jump/?q=cancel_app",
            f"/trajectories/{desk.replay.pk}/beside/{desk.idle.pk}/",
        ],
        "The queue": [f"{at}schema/", f"{at}data/", f"{at}tool-graph/", "/jump/?q=waitlist_entries"],
    }  # fmt: skip
    missing = [
        (title, address)
        for title, addresses in places.items()
        for address in addresses
        if title not in shown(reader, address)
    ]
    assert missing == []
    reader.cookies["view"] = "expert"
    for address in (by_task, f"{at}checks/near_misses_are_refused/", *places["Fill the gap"][8:10]):
        assert TASK in shown(reader, address)
        # What blocks approval is said in words in either view: "task is unclear (Fill the gap)".
        assert "Fill the gap" not in shown(reader, address).replace("(Fill the gap)", "")


def test_episodes_are_found_by_the_words_of_the_title_that_stands(renamed: EnvironmentRecord) -> None:
    def tasks(words: str) -> set[str]:
        narrowed = TrajectorySelection(q=words).narrow(TrajectoryRecord.objects.all())
        return set(narrowed.values_list("task_id", flat=True))

    assert tasks("GAP fill") == {TASK}
    assert tasks("freed slot waiting") == {TASK}
    assert tasks("gap") == {TASK}
    assert tasks("gap nowhere") == set()
