"""Statistics: intervals on an axis, and filters that offer what there is by its title."""

from __future__ import annotations

import re

from django.test import Client

from studio.views.rollouts.statistics import _interval
from synthesis.judging.reliability import Interval


def test_an_interval_is_drawn_where_it_is_on_the_axis() -> None:
    drawn = _interval(Interval(value=0.5, low=0.25, high=0.75))
    assert (drawn["x1"], drawn["x"], drawn["x2"], drawn["width"]) == (25.0, 50.0, 75.0, 50.0)


def test_filters_offer_environments_and_agents_by_their_titles(trajectory, viewer, client: Client) -> None:
    client.force_login(viewer)
    page = client.get("/statistics/").content.decode()
    assert '<option value="Lending desk"></option>' in page
    assert '<option value="the right solution"></option>' in page
    assert re.search(r'<path class="chart-axis"', page)
    assert re.search(r'<path class="chart-interval"', page)


def test_two_sets_are_chosen_by_titles(trajectory, viewer, client: Client) -> None:
    client.force_login(viewer)
    page = client.get("/statistics/compare/").content.decode()
    assert page.count('<option value="the right solution"></option>') == 2
    by_title = "first_agent=the+right+solution&second_environment=Lending+desk&format=json"
    by_name = "first_agent=reference&second_environment=lending_desk&format=json"
    assert (
        client.get(f"/statistics/compare/?{by_title}").json()
        == client.get(f"/statistics/compare/?{by_name}").json()
    )
    page = client.get("/statistics/?environment=lending_desk").content.decode()
    assert 'value="Lending desk"' in page
