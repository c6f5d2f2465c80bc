"""Trajectories as a table."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.models import TrajectoryRecord
from studio.services.environments.titles import titles_of
from studio.tables.columns import AgoColumn, EnvironmentColumn, NumberColumn, StateColumn
from studio.templatetags.plain import agent_title, called
from studio.templatetags.shell import shows_code


class TrajectoryTable(tables.Table):
    """One row per trajectory."""

    task_id = tables.Column(verbose_name="Task", linkify=True, attrs={"td": {"class": "name"}})
    environment = EnvironmentColumn(linkify=True)
    agent = tables.Column(attrs={"td": {"class": "agent"}})
    label = StateColumn(verbose_name="Verdict", attrs={"td": {"class": "fit"}})
    reward = tables.Column(attrs={"td": {"class": "number"}, "th": {"class": "number"}})
    step_count = NumberColumn(verbose_name="Steps")
    changed_rows = NumberColumn(verbose_name="Rows changed")
    stop_reason = tables.Column(verbose_name="Ended by")
    created_at = AgoColumn(verbose_name="Recorded")

    class Meta:
        """Newest first."""

        model = TrajectoryRecord
        fields = (
            "task_id", "environment", "agent", "label", "reward", "step_count", "changed_rows",
            "stop_reason", "created_at",
        )  # fmt: skip
        order_by = "-created_at"
        template_name = "tables/table.html"
        empty_text = ""

    def before_render(self, request: HttpRequest) -> None:
        """A reward is a figure for those who train models."""
        if not shows_code(request):
            self.columns.hide("reward")

    def render_task_id(self, record: Any) -> SafeString:
        """The task by its title, marked where the verdicts disagree."""
        expert = shows_code(self.request)
        task = called(titles_of(record.environment).task(record.task_id), record.task_id, expert=expert)
        if record.disputed:
            return format_html('<strong>{}</strong> <span class="tag">verdicts disagree</span>', task)
        return format_html("<strong>{}</strong>", task)

    def render_agent(self, record: Any) -> SafeString:
        """The agent and the model behind it."""
        agent = agent_title(record.agent, expert=shows_code(self.request))
        if record.model:
            return format_html('{}<br><span class="muted small">{}</span>', agent, record.model)
        return format_html("{}", agent)

    def render_reward(self, value: Any) -> str:
        """With a sign where it is negative."""
        return f"{value:g}"
