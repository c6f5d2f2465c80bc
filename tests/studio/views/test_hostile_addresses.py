"""Whatever value stands in the address of a page or in a form, the answer is never a defect."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

WORST = (
    ("1", "lending_desk", "?page=99999999999999999999&sort=-nothing&run=" + "9" * 30),
    ("1", "lending_desk", "?q=a%00b"),
    (str(2**63), "lending_desk", "?page=-1&revision=" + "9" * 30),
    (str(10**40), "a%00b", ""),
    (
        "1",
        "lending_desk",
        "?" + "&".join(f"{name}={'9' * 5_000}" for name in ("trajectory", "step", "revision")),
    ),
    ("1", "a" * 3_000, "?at=" + "9" * 30 + "&offset=" + "9" * 9),
)
"""Numbers, names and queries of addresses."""


def addresses(resolver: URLResolver, before: str = "") -> Any:
    """Every address of the studio's pages as Django writes it."""
    for pattern in resolver.url_patterns:
        here = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if not here.startswith(("api/", "admin/")):
                yield from addresses(pattern, here)
        elif isinstance(pattern, URLPattern):
            yield here


@pytest.mark.parametrize("page", list(addresses(get_resolver())))
def test_no_page_has_a_defect_over_a_value(page, administrator, stored, trajectory):
    client = Client(raise_request_exception=False)
    client.force_login(administrator)
    for number, text, query in WORST:
        address = "/" + re.sub(r"<int:\w+>", number, re.sub(r"<(slug|path|str):\w+>", text, page)) + query
        answer = client.get(address)
        assert answer.status_code < 500, address
        if "%00" in address:
            assert answer.status_code == 400, address


def test_a_form_with_nul_is_turned_away(as_, reviewer, stored):
    form = {"reason": "other", "severity": "minor", "comment": "a\0b"}
    answer = as_(reviewer).post("/environments/lending_desk/flags/new/", form)
    assert answer.status_code == 400
    assert "NUL" in answer.content.decode()


@pytest.mark.parametrize("evidence", ["[1]", "7", '{"trajectory": 1%s}' % ("0" * 30), "1" + "0" * 5_000])
def test_evidence_that_no_flag_can_keep_is_refused(as_, reviewer, stored, evidence):
    form = {"reason": "other", "severity": "minor", "comment": "odd", "evidence": evidence}
    answer = as_(reviewer).post("/environments/lending_desk/flags/new/", form)
    assert answer.status_code == 422
    assert not stored.flags.exists()


OWN = "/environments/lending_desk/"


@pytest.mark.parametrize(
    "address",
    ["1_0", "2026-13-45", "lending_desk", "a.b", "?q=1", "#x", "//evil.example/", "https://evil.example/",
     "javascript:alert(1)", "\\\\evil.example", "http:evil.example", "/x\r\nSet-Cookie: a=b"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["comments/", "flags/new/", "/theme/"])
def test_where_a_form_goes_back_to_is_an_address_of_ours(as_, reviewer, stored, address, form):
    fields = {"next": address, "body": "", "reason": "other", "severity": "minor", "comment": "odd"}
    answer = as_(reviewer).post(form if form.startswith("/") else OWN + form, fields)
    assert answer.status_code == 302
    assert urlsplit(answer["Location"]).netloc in ("", "testserver")
    assert answer["Location"].startswith("/")
    assert "Set-Cookie: a" not in answer["Location"]


@pytest.mark.parametrize("rows", ["0", "-1", "-" + "9" * 19, "9" * 30, "100000", "nan"])
@pytest.mark.parametrize("page", ["1", "-1", "9" * 30, "x", ""])
def test_an_address_does_not_say_how_much_a_page_holds(as_, reviewer, stored, rows, page):
    user = as_(reviewer)
    for address in ("/environments/", "/trajectories/", "/bundles/", "/judging/"):
        answer = user.get(address, {"per_page": rows, "page": page})
        assert answer.status_code == 200
        assert answer.context["table"].paginator.per_page == 25
