"""Hostile text made visible and harmless."""

from __future__ import annotations

import pytest

from studio.templatetags.icons import STROKES, icon
from studio.templatetags.states import STATE_STYLES, state_pill
from studio.templatetags.texts import cell, code, markdown, numbered, words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, '<span class="value-null">NULL</span>'),
        ("", '<span class="value-empty">empty text</span>'),
        ("  ", '<span class="value-empty">2 blank characters</span>'),
        (0, "0"),
        (0.5, "0.5"),
        ("0", "0"),
        ("<b>", "&lt;b&gt;"),
        (b"abc", '<span class="value-cut">blob, 3 bytes</span>'),
    ],
)
def test_a_cell_tells_its_kind_in_words(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_a_long_cell_says_how_long_it_is() -> None:
    assert cell("<" * 1_000) == "&lt;" * 300 + '… <span class="value-cut">1,000 characters</span>'


@pytest.mark.parametrize("language", ["python", "sql", "json", "text", "klingon"])
def test_code_is_escaped_in_every_language(language: str) -> None:
    shown = code("</pre><script>alert(1)</script>", language)
    assert "<script" not in shown
    assert 'style="' not in shown


def test_numbered_lines_can_be_linked() -> None:
    assert 'href="#L-2"' in numbered("a = 1\nb = 2\n")


def test_very_long_code_is_shown_plain() -> None:
    assert "<span class=" not in code("x = 1\n" * 40_000).replace("<span></span>", "")


@pytest.mark.parametrize(
    "hostile",
    ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))",
     "![x](//evil.example/x.png)",
     "<a href='data:text/html,x'>x</a>", "<style>body{display:none}</style>"],
)  # fmt: skip
def test_markdown_lets_nothing_active_through(hostile: str) -> None:
    shown = markdown(hostile)
    for bad in ("<script", "<img", "<style", 'href="javascript', 'href="data'):
        assert bad not in shown


def test_markdown_headings_stand_below_the_page_s_own() -> None:
    assert markdown("# One\n\n## Two") == "<h3>One</h3>\n<h4>Two</h4>\n"


def test_every_state_has_a_sign_that_exists() -> None:
    assert {look.icon for look in STATE_STYLES.values()} <= set(STROKES)


def test_an_unknown_state_shows_its_own_name_escaped() -> None:
    assert "<b>" not in state_pill("<b>odd_state")


def test_an_icon_with_a_label_is_an_image_and_without_is_hidden() -> None:
    assert 'aria-label="Done"' in icon("check", "Done")
    assert 'aria-hidden="true"' in icon("check")


def test_identifiers_read_as_words() -> None:
    assert words("no_row_dangles") == "No row dangles"
