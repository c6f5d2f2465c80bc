"""What pages say: the figures, the links, the next step, and hostile text as text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from studio.jobs import execute_run
from studio.models import AuthorKind, EnvironmentRecord, Run, RunEvent, RunKind, RunState
from studio.services.environments import environments as environment_services
from studio.services.exports import stored_archives
from studio.services.exports.format_words import FORMAT_MEANINGS
from studio.services.rollouts.trajectories import store_trajectory
from studio.templatetags.keyed import KEYS
from synthesis.bundles.registry import usable
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step

HOSTILE = "<script>alert('x')</script>\"]/💥\u202etfel"


def text(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return answer.content.decode()


def test_home_tells_a_stranger_what_this_is(client: Client, db: None) -> None:
    page = text(client, "/")
    assert "Worlds that agents can learn in" in page
    assert 'href="/sign-in/"' in page


def test_home_without_environments_says_what_to_do_next(viewer: User, lead: User, client: Client) -> None:
    client.force_login(viewer)
    assert "Ask a lead to create one" in text(client, "/")
    client.force_login(lead)
    assert 'href="/environments/new/"' in text(client, "/")


def test_home_leads_to_the_sample_its_replay_and_the_queue(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, "/")
    assert f'href="{shelf.environment.get_absolute_url()}"' in page
    assert f'href="{shelf.trajectory.get_absolute_url()}"' in page
    assert 'href="/review/"' in page


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/environments/", "No environments yet"),
        ("/runs/", "No runs yet"),
        ("/trajectories/", "No attempts yet"),
        ("/bundles/", "No bundle yet"),
        ("/review/", "Nothing to review"),
        ("/dashboard/", "Nothing to count yet"),
    ],
)
def test_an_empty_list_says_what_to_do_next(address: str, words: str, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert words in text(client, address)


def test_filters_without_a_match_can_be_cleared(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, "/environments/?q=zeppelin")
    assert "Nothing matches" in page
    assert "Words: <strong>zeppelin</strong>" in page


def test_facets_count_what_each_choice_would_leave(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.get("/environments/?category=lending")
    facets = {facet.name: facet for facet in answer.context["facets"]}
    (lending,) = facets["category"].choices
    assert (lending.value, lending.count, lending.chosen, lending.address) == ("lending", 1, True, "?")
    assert {choice.count for choice in facets["state"].choices} == {1}


def test_sorting_and_paging_live_in_the_address(db: None, environment, viewer: User, client: Client) -> None:
    for number in range(30):
        scenario = environment.scenario.replace(name=f"desk_{number:02}", title=f"Desk {number:02}")
        environment_services.store_environment(
            environment=environment.replace(scenario=scenario),
            author_kind=AuthorKind.PROCEDURAL,
            reason="Synthesised.",
        )
    client.force_login(viewer)
    first = text(client, "/environments/?sort=title")
    second = text(client, "/environments/?sort=title&page=2")
    assert "Desk 00" in first
    assert "Desk 25" not in first
    assert "Desk 25" in second
    assert "1–25 of 30" in first
    assert "sort=title&amp;page=2" in first


def test_the_catalogue_as_a_file_holds_exactly_what_is_listed(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    (one,) = client.get("/environments/?format=json").json()
    assert (one["name"], one["tools"], one["open_flags"]) == ("lending_desk", 2, 1)
    lines = client.get("/environments/?format=csv&state=proved").content.decode().splitlines()
    assert lines[0].startswith("name,title,category,state,revision")
    assert len(client.get("/environments/?format=csv&q=zeppelin").content.decode().splitlines()) == 1


@pytest.fixture
def hostile(db: None, environment: Environment) -> EnvironmentRecord:
    """An environment whose every text would like to be a script."""
    scenario = environment.scenario.replace(title=HOSTILE[:100], category=HOSTILE[:60], description=HOSTILE)
    seeds = SeedData(rows={"members": ({"id": 1, "name": HOSTILE},), "loans": ()})
    tools = environment.tools.replace(
        source=environment.tools.source + f"\nTEXT = {HOSTILE!r}\n",
        tools=tuple(tool.replace(description=HOSTILE) for tool in environment.tools.tools),
    )
    tasks = environment.tasks.replace(
        tasks=tuple(
            task.replace(instruction=HOSTILE, reference_answer=HOSTILE) for task in environment.tasks.tasks
        )
    )
    changed = environment.replace(
        scenario=scenario,
        seed_data=seeds,
        tools=tools,
        tasks=tasks,
        policy=environment.policy.replace(text=HOSTILE),
    )
    revision = environment_services.store_environment(
        environment=changed, author_kind=AuthorKind.MODEL, reason=HOSTILE
    )
    return revision.environment


@pytest.mark.parametrize(
    "tab",
    ["", "schema/", "data/", "data/table/members/", "data/row/members/?id=1", "tools/", "tools/list_loans/",
     "tasks/", "tasks/count_the_loans/", "checks/", "trajectories/", "review/", "history/", "export/"],
)  # fmt: skip
def test_hostile_text_stays_text_in_every_tab(tab: str, hostile, lead: User, client: Client) -> None:
    client.force_login(lead)
    page = text(client, f"/environments/{hostile.name}/{tab}")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_hostile_replies_and_errors_stay_text(shelf, viewer: User, client: Client) -> None:
    shelf.attempt.reply = shelf.attempt.prompt = HOSTILE
    shelf.attempt.save()
    Run.objects.filter(pk=shelf.run.pk).update(error=HOSTILE, title=HOSTILE, state=RunState.FAILED)
    RunEvent.objects.create(run=shelf.run, kind="failed", stage="tools", text=HOSTILE)
    client.force_login(viewer)
    for address in ("/runs/", f"/runs/{shelf.run.pk}/", f"/runs/{shelf.run.pk}/attempts/{shelf.attempt.pk}/"):
        page = text(client, address)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_hostile_observations_stay_text(shelf, environment, viewer: User, client: Client, played) -> None:
    judged = played(environment, agent="chat")
    step = judged.trajectory.steps[0].replace(observation={"note": HOSTILE}, thought=HOSTILE)
    judged = judged.replace(trajectory=judged.trajectory.replace(steps=(step,)))
    record = store_trajectory(revision=shelf.environment.current, judged=judged)
    client.force_login(viewer)
    page = text(client, f"/trajectories/{record.pk}/step/1/")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


@pytest.fixture
def played() -> Callable[..., object]:
    import importlib.util
    from pathlib import Path

    path = Path(__file__).parents[1] / "conftest.py"
    spec = importlib.util.spec_from_file_location("studio_conftest", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.played


def test_a_step_shows_its_call_result_and_changed_rows(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, f"/trajectories/{shelf.trajectory.pk}/step/1/")
    assert "Step 1 of 2" in page
    assert "Loan changed:" in page
    client.cookies["view"] = "expert"
    page = text(client, f"/trajectories/{shelf.trajectory.pk}/step/1/")
    assert "return_item" in page
    assert "1 of 4 columns" in page
    assert "How it ended" in page


def test_a_step_that_changed_nothing_says_so(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert "This step changed nothing in the database." in text(
        client, f"/trajectories/{shelf.trajectory.pk}/step/2/"
    )


def test_changes_since_the_beginning_are_net(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, f"/trajectories/{shelf.trajectory.pk}/step/2/?since=0")
    assert "Changed since the beginning" in page
    assert "1 row in all" in page


def test_the_last_step_shows_the_verdict_and_its_evidence(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, f"/trajectories/{shelf.trajectory.pk}/step/2/")
    assert "The drill is back" in page
    assert "by verifier" in page


def test_a_step_that_does_not_exist_says_how_many_there_are(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert "This trajectory has 2 steps" in text(client, f"/trajectories/{shelf.trajectory.pk}/step/37/", 404)


def test_search_in_a_trajectory_looks_into_arguments_and_results(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert "1 of 2 steps match" in text(client, f"/trajectories/{shelf.trajectory.pk}/step/1/?q=loan_id")


def test_a_large_result_is_cut_and_one_click_away(
    shelf, environment, viewer: User, client: Client, played
) -> None:
    judged = played(environment, agent="chat")
    step = judged.trajectory.steps[0].replace(observation="x" * 2_000_000)
    judged = judged.replace(trajectory=judged.trajectory.replace(steps=(step,)))
    record = store_trajectory(revision=shelf.environment.current, judged=judged)
    client.force_login(viewer)
    page = text(client, f"/trajectories/{record.pk}/step/1/")
    assert len(page) < 100_000
    assert "whole=1" in page
    assert len(text(client, f"/trajectories/{record.pk}/step/1/?whole=1")) > 2_000_000


def test_two_tries_stand_side_by_side(shelf, environment, viewer: User, client: Client, played) -> None:
    judged = played(environment, agent="chat", label="agent_error")
    other = Step(index=1, action=ToolCall(name="list_loans"), status="ok", observation={"items": []})
    judged = judged.replace(trajectory=judged.trajectory.replace(steps=(other,)))
    record = store_trajectory(revision=shelf.environment.current, judged=judged)
    client.force_login(viewer)
    page = text(client, f"/trajectories/{shelf.trajectory.pk}/beside/{record.pk}/")
    assert page.count("only here") == 3
    assert "Nothing changed in the database." in page


def test_a_running_run_asks_for_its_progress_and_a_finished_one_does_not(
    shelf, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    assert 'hx-trigger="every 2s"' in text(client, f"/runs/{shelf.run.pk}/")
    Run.objects.filter(pk=shelf.run.pk).update(state=RunState.FINISHED)
    fragment = text(client, f"/runs/{shelf.run.pk}/progress/")
    assert "hx-trigger" not in fragment
    assert "<html" not in fragment


def test_an_attempt_shows_prompt_reply_and_findings(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, f"/runs/{shelf.run.pk}/attempts/{shelf.attempt.pk}/")
    assert "Write the tools." in page
    assert "def a(db): ..." in page
    assert "The docstring is missing." in page


def test_a_second_attempt_shows_what_changed(shelf, viewer: User, client: Client) -> None:
    second = shelf.run.attempts.create(
        stage="tools", number=2, prompt="Again.", reply='def a(db):\n    """Now."""', accepted=True
    )
    client.force_login(viewer)
    page = text(client, f"/runs/{shelf.run.pk}/attempts/{second.pk}/")
    assert '<li class="removed">' in page
    assert '<li class="added">' in page


def test_a_lead_cancels_and_retries_a_run(shelf, lead: User, client: Client) -> None:
    client.force_login(lead)
    Run.objects.filter(pk=shelf.run.pk).update(state=RunState.FAILED)
    answer = client.post(f"/runs/{shelf.run.pk}/retry/")
    newer = Run.objects.get(retry_of=shelf.run)
    assert answer["Location"] == f"/runs/{newer.pk}/"
    client.post(f"/runs/{newer.pk}/cancel/")
    newer.refresh_from_db()
    assert newer.state == RunState.CANCELLED


def test_a_row_shows_what_it_refers_to_and_what_refers_to_it(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    base = f"/environments/{shelf.environment.name}/data/row"
    assert 'data/row/members/?id=1"' in text(client, f"{base}/loans/?id=7")
    assert 'data/row/loans/?id=7"' in text(client, f"{base}/members/?id=1")


def test_a_table_can_be_searched_and_sorted(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    base = f"/environments/{shelf.environment.name}/data/table/members/"
    assert "Ada" in text(client, f"{base}?q=ada")
    assert "No row matches" in text(client, f"{base}?q=zeppelin")
    page = text(client, f"{base}?sort=-id")
    assert page.index("Zoë") < page.index("Ada")


def test_a_bundle_can_be_downloaded(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.get(f"/bundles/{shelf.bundle.pk}/download/")
    assert b"".join(answer.streaming_content) == b"PK-content"
    assert answer["Content-Disposition"] == 'attachment; filename="lending_desk.zip"'


def test_the_format_that_is_chosen_until_somebody_says_otherwise_holds_any_environment(
    stored, lead: User, client: Client
) -> None:
    client.force_login(lead)
    page = client.get("/environments/lending_desk/export/").content.decode()
    (option,) = [tag for tag in re.findall(r'<input type="radio"[^>]*>', page) if "checked" in tag]
    chosen = re.findall(r'value="([a-z_]+)"', option)[0]
    assert chosen == "native"
    assert "to keep, to share, to check again or to run elsewhere" in page
    assert all(FORMAT_MEANINGS[name].partition(":")[0] in page for name in usable())
    refused = client.post("/environments/lending_desk/export/", {"codec": chosen, "waiver": " "})
    assert refused.status_code == 422
    assert "give a reason for exporting it without approval" in refused.content.decode()
    (label,) = re.findall(r'<label[^>]*for="id_waiver"[^>]*>(.*?)</label>', page, re.DOTALL)
    assert "optional" not in label
    client.post("/environments/lending_desk/export/", {"codec": chosen, "waiver": "For a trial."})
    ended = execute_run(Run.objects.get().pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error


def test_a_missing_archive_is_told(shelf, viewer: User, client: Client) -> None:
    stored_archives.remove(shelf.bundle.path)
    client.force_login(viewer)
    assert "is not in the storage any more" in text(client, f"/bundles/{shelf.bundle.pk}/download/", 404)


def test_what_is_not_approved_leaves_only_with_a_reason(shelf, lead: User, client: Client) -> None:
    client.force_login(lead)
    address = f"/environments/{shelf.environment.name}/export/"
    refused = client.post(address, {"codec": "native", "with_trajectories": "on", "waiver": ""})
    assert refused.status_code == 422
    assert b"is not approved" in refused.content
    client.post(address, {"codec": "native", "with_trajectories": "on", "waiver": "A rehearsal."})
    asked = Run.objects.filter(kind=RunKind.EXPORT, environment=shelf.environment).latest("id")
    assert asked.request["waiver"] == "A rehearsal."


def test_the_jump_box_finds_environments_tables_tools_tasks_and_runs(
    shelf, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    fragment = client.get("/jump/?q=l", headers={"hx-request": "true"}).content.decode()
    assert "Lending desk" in fragment
    page = text(client, "/jump/?q=loan")
    assert "/tools/list_loans/" in page
    assert "/data/table/loans/" in page
    assert "/tasks/count_the_loans/" in page
    assert f"/runs/{shelf.run.pk}/" in text(client, f"/jump/?q={shelf.run.pk}")
    assert "Nothing matches" in text(client, "/jump/?q=zeppelin")


def test_the_jump_box_finds_what_people_call_otherwise(shelf, viewer: User, client: Client) -> None:
    words = {
        "tools": {"list_loans": "Show what is out"},
        "tasks": {"count_the_loans": "Tally Tuesday"},
        "tables": {"loans": {"title": "Lent things"}},
    }
    EnvironmentRecord.objects.filter(name="lending_desk").update(dictionary=words)
    client.force_login(viewer)
    for words_of, found in (("OUT what", "tools/list_loans"), ("tally", "tasks/count_the_loans")):
        page = text(client, f"/jump/?q={words_of}")
        assert [each for each in ("tools/list_loans", "tasks/count_the_loans") if each in page] == [found]
    assert "/data/table/loans/" in text(client, "/jump/?q=lent+lending")
    assert "Nothing matches" in text(client, "/jump/?q=tally+lent")


def test_the_theme_is_rendered_by_the_server(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert 'data-bs-theme="auto"' in text(client, "/")
    answer = client.post("/theme/", {"theme": "dark", "next": "/runs/"})
    assert answer["Location"] == "/runs/"
    assert 'data-bs-theme="dark"' in text(client, "/")
    client.cookies["theme"] = '"><script>'
    assert 'data-bs-theme="auto"' in text(client, "/")


def test_the_theme_form_does_not_lead_elsewhere(client: Client) -> None:
    assert client.post("/theme/", {"theme": "dark", "next": "https://elsewhere.example/"})["Location"] == "/"


def test_every_key_of_the_table_presses_something() -> None:
    from pathlib import Path

    templates = Path(__file__).resolve().parents[3] / "templates"
    everything = "".join(path.read_text() for path in templates.rglob("*.html"))
    built_in = {"jump", "help"}
    assert {name for name in KEYS if f'{{% keyed "{name}" %}}' not in everything} == built_in
    assert len({(key.key, key.place) for key in KEYS.values()}) == len(KEYS)


def test_the_keys_page_lists_every_key(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, "/keys/")
    for key in KEYS.values():
        assert f"<kbd>{key.key}</kbd>" in page
        assert key.does in page


def test_the_component_page_shows_both_themes(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = text(client, "/components/")
    assert re.findall(r'class="swatch"\s+data-bs-theme="(\w+)"', page) == ["light", "dark"]


def test_every_answer_forbids_inline_code_and_foreign_origins(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    policy = client.get("/")["Content-Security-Policy"]
    assert "unsafe" not in policy
    for rule in ("default-src 'self'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
                 "base-uri 'none'", "form-action 'self'", "object-src 'none'"):  # fmt: skip
        assert rule in policy


PAGES = ["/", "/environments/", "/runs/", "/trajectories/", "/bundles/", "/dashboard/", "/review/",
         *[f"/environments/lending_desk/{tab}" for tab in
           ("", "schema/", "data/", "data/table/loans/", "tools/", "tools/list_loans/", "tasks/",
            "tasks/return_the_drill/", "checks/", "trajectories/", "history/", "export/")]]  # fmt: skip


@pytest.mark.parametrize("address", PAGES)
def test_a_page_needs_few_queries_and_few_bytes(address: str, shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address)
    assert len(queries) <= 15, [query["sql"][:120] for query in queries]
    assert len(answer.content) < 500_000
