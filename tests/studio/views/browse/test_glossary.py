"""The glossary: docs/glossary.md as a page, and the links from words on other pages to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.template import Context, Template, TemplateSyntaxError
from django.test import Client

from studio.services.browse.glossary import anchors, sections

TEMPLATES = Path(__file__).resolve().parents[4] / "templates"
TERMS = {
    (match[1], path.relative_to(TEMPLATES).as_posix())
    for path in TEMPLATES.rglob("*.html")
    for match in re.finditer(r'{% term "([^"]+)"', path.read_text(encoding="utf-8"))
}


def test_every_entry_of_the_file_is_on_the_page(viewer: User, client: Client) -> None:
    source = (TEMPLATES.parent / "docs" / "glossary.md").read_text(encoding="utf-8")
    client.force_login(viewer)
    page = client.get("/glossary/").content.decode()
    assert [section.title for section in sections()] == re.findall(r"^## (.+)$", source, re.MULTILINE)
    written = re.findall(r"^\*\*(.+)\*\*$", source, re.MULTILINE)
    assert [
        ", ".join(name.text for name in entry.names) for each in sections() for entry in each.entries
    ] == (written)
    for section in sections():
        for entry in section.entries:
            assert entry.meaning
            for name in entry.names:
                assert re.search(rf'id="{re.escape(name.anchor)}">\s*<dfn>{re.escape(name.text)}</dfn>', page)


def test_no_two_terms_share_an_anchor() -> None:
    every = [name.anchor for section in sections() for entry in section.entries for name in entry.names]
    assert len(every) == len(anchors())


def test_the_page_renders_the_markdown_of_a_meaning(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = client.get("/glossary/").content.decode()
    assert "<em>refuse</em>" in page
    assert "**" not in page


def test_every_page_links_to_the_glossary(viewer: User, client: Client) -> None:
    client.force_login(viewer)
    footer = client.get("/").content.decode().partition("<footer")[2]
    assert 'href="/glossary/"' in footer


@pytest.mark.parametrize(
    "term",
    ["verifier", "claim", "quality gate", "soundness", "completeness", "near-miss", "reference solution",
     "episode", "trajectory"],
)  # fmt: skip
def test_pages_link_the_word_to_its_entry(term: str) -> None:
    assert term in {name.lower() for name, _ in TERMS}


@pytest.mark.parametrize(("term", "template"), sorted(TERMS))
def test_a_linked_word_is_in_the_glossary(term: str, template: str) -> None:
    link = Template(f'{{% load terms %}}{{% term "{term}" shown %}}').render(Context({"shown": "shown <b>"}))
    assert re.fullmatch(r'<a class="term" href="/glossary/#([\w-]+)">shown &lt;b&gt;</a>', link)


def test_a_word_without_an_entry_is_an_error_that_names_it() -> None:
    with pytest.raises(TemplateSyntaxError, match=r"'rubbish'.*docs/glossary\.md"):
        Template('{% load terms %}{% term "rubbish" %}').render(Context())
