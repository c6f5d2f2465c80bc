"""The frame of a page: theme, who is signed in, fields of forms, addresses with one parameter changed."""

from __future__ import annotations

from typing import Any

from django import template
from django.forms import BoundField
from django.http import HttpRequest, QueryDict

from studio.models.roles import Act

register = template.Library()

THEMES = ("auto", "light", "dark")
