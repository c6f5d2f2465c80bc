"""Screens: the addresses that the browser tests open and `make screenshots` photographs."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.desk import Desk

SCREENS: dict[str, Callable[[Desk], str]] = {
    "home": lambda desk: "/",
    "catalogue": lambda desk: "/environments/",
    "catalogue-filtered": lambda desk: "/environments/?state=proved&q=clinic",
    "catalogue-empty": lambda desk: "/environments/?q=zeppelin",
    "new-environment": lambda desk: "/environments/new/",
    "own-schema": lambda desk: "/environments/from-schema/",
    "overview": lambda desk: desk.address,
    "schema": lambda desk: f"{desk.address}schema/",
    "data": lambda desk: f"{desk.address}data/",
    "table": lambda desk: f"{desk.address}data/table/appointments/",
    "table-after-a-step": lambda desk: f"{desk.address}data/table/appointments/?at={desk.replay.pk}/3",
    "sql": lambda desk: f"{desk.address}data/sql/?query=SELECT+*+FROM+patients",
    "row": lambda desk: f"{desk.address}data/row/appointments/?id=18",
    "tools": lambda desk: f"{desk.address}tools/",
    "tool": lambda desk: f"{desk.address}tools/cancel_appointment/",
    "scratch": lambda desk: f"{desk.address}scratch/?tool=find_patients",
    "tasks": lambda desk: f"{desk.address}tasks/",
    "task": lambda desk: f"{desk.address}tasks/hand_freed_slot_to_waiting_list/",
    "checks": lambda desk: f"{desk.address}checks/",
    "check": lambda desk: f"{desk.address}checks/near_misses_are_refused/?kind=reverted",
    "trajectories-of-one": lambda desk: f"{desk.address}trajectories/",
    "review": lambda desk: f"{desk.address}review/",
    "walk": lambda desk: f"{desk.address}review/walk/hand_freed_slot_to_waiting_list/?table=appointments",
    "questions": lambda desk: f"{desk.address}review/questions/",
    "dictionary": lambda desk: f"{desk.address}dictionary/?section=table.appointments",
    "send-back": lambda desk: f"{desk.address}review/send-back/",
    "conflicts": lambda desk: "/review/conflicts/",
    "edit-tools": lambda desk: f"{desk.address}edit/tools/?tool=cancel_appointment",
    "edit-task": lambda desk: f"{desk.address}edit/task/hand_freed_slot_to_waiting_list/",
    "edit-row": lambda desk: f"{desk.address}edit/row/appointments/?id=18",
    "edit-sheet": lambda desk: f"{desk.address}edit/sheet/appointments/",
    "revision": lambda desk: f"{desk.address}history/1/",
    "flag": lambda desk: f"{desk.address}flags/new/?trajectory={desk.replay.pk}&step=3",
    "history": lambda desk: f"{desk.address}history/",
    "export": lambda desk: f"{desk.address}export/",
    "replay": lambda desk: f"/trajectories/{desk.replay.pk}/step/3/?since=0",
    "verdict": lambda desk: f"/trajectories/{desk.replay.pk}/step/{desk.replay.step_count}/",
    "side-by-side": lambda desk: f"/trajectories/{desk.replay.pk}/beside/{desk.idle.pk}/",
    "trajectories": lambda desk: "/trajectories/",
    "trajectories-export": lambda desk: (
        "/trajectories/export/?label=completed&format=chat_jsonl&train=90&validation=5&test=5&seed=0&waiver=Trial"
    ),
    "queue": lambda desk: "/review/",
    "runs": lambda desk: "/runs/",
    "run": lambda desk: f"/runs/{desk.run.pk}/",
    "batch": lambda desk: f"/batches/{desk.batch.pk}/",
    "batch-failed-runs": lambda desk: (
        f"/batches/{desk.batch.pk}/?state=failed&error=AttemptsExhausted&stage=tools"
    ),
    "batch-candidates": lambda desk: f"/batches/{desk.batch.pk}/candidates/?decision=rejected",
    "batch-new": lambda desk: "/batches/new/",
    "spend": lambda desk: "/spend/",
    "attempt": lambda desk: f"/runs/{desk.run.pk}/attempts/{desk.attempt.pk}/",
    "rollouts-new": lambda desk: "/rollouts/new/",
    "rollouts": lambda desk: f"/rollouts/{desk.rollouts.pk}/",
    "statistics": lambda desk: "/statistics/?by=difficulty",
    "statistics-compare": lambda desk: "/statistics/compare/?first_agent=no-op&second_agent=reference",
    "played-again": lambda desk: f"/trajectories/{desk.replay.pk}/drift/",
    "quality": lambda desk: "/quality/",
    "quality-new": lambda desk: "/quality/new/",
    "quality-of-one": lambda desk: f"{desk.address}quality/",
    "diversity": lambda desk: "/diversity/",
    "tool-graph": lambda desk: f"{desk.address}tool-graph/",
    "conversation": lambda desk: f"/trajectories/{desk.idle.pk}/conversation/",
    "judge-lab": lambda desk: "/judging/",
    "judge-lab-new": lambda desk: "/judging/new/",
    "judge": lambda desk: f"/judging/{desk.judging.pk}/",
    "act-on-many": lambda desk: "/catalogue/act/?action=assign",
    "bundles": lambda desk: "/bundles/",
    "bundle-import": lambda desk: "/bundles/import/",
    "collections": lambda desk: "/bundles/collections/",
    "collection-new": lambda desk: "/bundles/collections/new/?author_kind=hand",
    "collection": lambda desk: f"/bundles/collections/{desk.collection.pk}/",
    "replay-of-a-range": lambda desk: f"/trajectories/{desk.replay.pk}/step/3/?since=1&through=4&q=a",
    "catalogue-columns": lambda desk: "/environments/?columns=tools&columns=reviewed&sort=title",
    "bundle": lambda desk: f"/bundles/{desk.bundle.pk}/",
    "dashboard": lambda desk: "/dashboard/",
    "operations": lambda desk: "/operations/",
    "account": lambda desk: "/account/",
    "notifications": lambda desk: "/notifications/",
    "account-password": lambda desk: "/account/password/",
    "audit": lambda desk: "/audit/",
    "people": lambda desk: "/people/",
    "keys": lambda desk: "/keys/",
    "glossary": lambda desk: "/glossary/",
    "jump": lambda desk: "/jump/?q=appointment",
    "interface": lambda desk: "/api/docs",
    "components": lambda desk: "/components/",
}
"""Name to address; `make screenshots` photographs the same."""

FOR_ADMINISTRATORS = {"audit", "people"}
"""Screens that others may not see."""

SIZES = {"wide": (1280, 900), "narrow": (360, 780)}

MOST_SEEN = {
    "home", "catalogue", "overview", "table", "tool", "task", "checks", "review", "walk", "questions",
    "replay", "queue", "new-environment", "send-back", "edit-sheet", "scratch", "statistics", "components",
}  # fmt: skip
"""Where reviewers spend their time, and every component; the other screens are tried by the slow tests."""
