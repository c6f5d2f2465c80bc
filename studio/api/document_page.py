"""The interface's document as a page of the studio: no script, and tested like every screen."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

from studio.presentation.interface_document import read_document


class DocumentPage(DocsBase):
    """Operations by noun with what they take and answer, in the studio's own frame."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        """The page; a browser also gets the token with which its own requests may change something."""
        request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
        document = read_document(api.get_openapi_schema(), request.build_absolute_uri("/").rstrip("/"))
        context = {"document": document, "schema": self.get_openapi_url(api, kwargs), "section": "interface"}
        return render(request, "interface/document.html", context)
