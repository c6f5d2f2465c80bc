"""The judge lab: figures beside the published ones, labels beside labels, people's words kept."""

from __future__ import annotations

import pytest

from studio.models import Run, RunKind, RunState, TrajectoryRecord, VerdictRecord


def test_the_list_shows_each_judge_with_its_figures(as_, viewer, judged_run):
    run = judged_run("completed", "completed")
    page = as_(viewer).get("/judging/").content.decode()
    assert f'href="/judging/{run.pk}/"' in page
    assert "100.0 %" in page
    assert "1.000" in page
    assert "/judging/new/" not in page


def test_an_empty_lab_tells_leads_what_to_do(as_, lead, stored):
    page = as_(lead).get("/judging/").content.decode()
    assert "No judge has been measured yet" in page
    assert page.count("/judging/new/") == 2


def test_the_figures_stand_beside_the_published_ones_as_bars_and_as_a_table(as_, viewer, judged_run):
    run = judged_run("completed", "agent_error", "completed")
    page = as_(viewer).get(f"/judging/{run.pk}/").content.decode()
    assert "Pairwise agreement: 0.333" in page
    for published in ("0.955", "0.092", "0.891"):
        assert page.count(f"AWM {published}") == 1
    assert 'class="chart-bar" x="0" y="4" width="100"' in " ".join(page.split())
    assert "1.000 to 1.000" in " ".join(page.split())
    assert "style=" not in page
    assert "<script>" not in page


def test_disagreements_lead_to_the_trajectory(as_, viewer, trajectory, judged_run):
    run = judged_run("agent_error", "agent_error")
    page = " ".join(as_(viewer).get(f"/judging/{run.pk}/").content.decode().split())
    assert f'href="/trajectories/{trajectory.pk}/"' in page
    assert "1 attempt on which" in page
    assert "Same label on 0 of 1 (0.0 %)" in page
    assert "/label/" not in page, "viewers give no labels"
    agreeing = judged_run("completed", "completed")
    assert "None: every judgement" in as_(viewer).get(f"/judging/{agreeing.pk}/").content.decode()


def test_a_reviewer_labels_changes_and_takes_back(as_, reviewer, trajectory, judged_run):
    run = judged_run("agent_error", "agent_error")
    client = as_(reviewer)
    address = f"/judging/{run.pk}/label/{trajectory.pk}/"
    hostile = "<script>alert(1)</script>"
    answer = client.post(address, {"label": "completed", "comment": hostile})
    assert answer["Location"] == f"/judging/{run.pk}/#trajectory-{trajectory.pk}"
    page = client.get(f"/judging/{run.pk}/").content.decode()
    assert '<option value="completed" selected>' in " ".join(page.split())
    assert hostile not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    trajectory.refresh_from_db()
    assert not trajectory.disputed
    client.post(address, {"label": "agent_error"})
    assert [v.label for v in VerdictRecord.objects.filter(author=reviewer)] == ["agent_error"]
    client.post(address, {"label": ""})
    assert not VerdictRecord.objects.filter(author=reviewer).exists()
    assert TrajectoryRecord.objects.get().disputed


def test_trajectories_without_dispute_can_be_labelled_too(as_, reviewer, trajectory, judged_run):
    run = judged_run("completed", "completed")
    client = as_(reviewer)
    assert "/label/" not in client.get(f"/judging/{run.pk}/").content.decode()
    assert f"/label/{trajectory.pk}/" in client.get(f"/judging/{run.pk}/?show=all").content.decode()
    address = f"/judging/{run.pk}/label/{trajectory.pk}/"
    answer = client.post(address, {"label": "completed", "show": "all"})
    assert answer["Location"] == f"/judging/{run.pk}/?show=all#trajectory-{trajectory.pk}"
    assert "Same label on 1 of 1 (100.0 %)" in " ".join(
        client.get(answer["Location"]).content.decode().split()
    )


def test_a_label_that_is_none_is_not_kept(as_, reviewer, trajectory, judged_run):
    run = judged_run("completed", "completed")
    client = as_(reviewer)
    answer = client.post(f"/judging/{run.pk}/label/{trajectory.pk}/", {"label": "unscored"}, follow=True)
    assert "The label was not saved." in answer.content.decode()
    assert not VerdictRecord.objects.filter(author=reviewer).exists()
    assert client.post(f"/judging/{run.pk}/label/0/", {"label": "completed"}).status_code == 404


def test_a_lead_starts_a_measurement(as_, lead, trajectory):
    client = as_(lead)
    assert 'value="Lending desk"' in client.get("/judging/new/?environment=lending_desk").content.decode()
    body = {"strategy": "rules", "environment": "lending_desk", "sample": 5, "repeats": 3, "seed": 0}
    answer = client.post("/judging/new/", body)
    run = Run.objects.get(kind=RunKind.JUDGING)
    assert answer["Location"] == f"/runs/{run.pk}/"
    assert (run.requested_by, run.total) == (lead, 3)
    assert f'href="/judging/{run.pk}/"' in client.get(f"/runs/{run.pk}/").content.decode()
    waiting = client.get(f"/judging/{run.pk}/").content.decode()
    assert "The figures appear when the run has finished." in waiting


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"repeats": 1}, "greater than or equal to 2"),
        ({"strategy": "dice"}, "Select a valid choice"),
        ({"environment": "nowhere"}, "no environment named"),
        ({"strategy": "model_only"}, "OPENAI_API_KEY"),
        ({"sample": 20_000}, "20,000 trajectories"),
    ],
)
def test_a_refusal_says_why_and_keeps_what_was_typed(as_, lead, trajectory, settings, changed, message):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"openai_api_key": None})
    body = {"strategy": "rules", "environment": "", "sample": 17, "repeats": 3, "seed": 0, **changed}
    answer = as_(lead).post("/judging/new/", body)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert message in page
    assert f'value="{body["sample"]}"' in page
    assert not Run.objects.exists()


def test_a_run_that_was_stopped_has_no_figures(as_, viewer, judged_run):
    run = judged_run("completed", "completed")
    Run.objects.filter(pk=run.pk).update(state=RunState.CANCELLED, result=None)
    assert "did not finish" in as_(viewer).get(f"/judging/{run.pk}/").content.decode()


def test_runs_of_other_kinds_are_not_found_here(as_, viewer, shelf):
    assert as_(viewer).get(f"/judging/{shelf.run.pk}/").status_code == 404


def test_the_trajectory_shows_each_opinion_once(as_, viewer, trajectory, judged_run):
    judged_run("agent_error", "agent_error", "completed")
    page = as_(viewer).get(f"/trajectories/{trajectory.pk}/step/2/").content.decode()
    assert page.count('aria-label="Verdict by rules"') == 2
