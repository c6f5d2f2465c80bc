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
    assert '<option value="lending_desk">Lending desk</option>' in page
    assert '<option value="reference">the right solution</option>' in page
    assert re.search(r'<path class="chart-axis"', page)
    assert re.search(r'<path class="chart-interval"', page)
