"""What people read: pages, messages, help and manual keep to the words of the glossary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
COINED = re.compile(
    r"\b(doublets?|anew|rungs?|ladders?|wrong ends?|other (right )?ways|that stand|stands? in the way|"
    r"does not lease|(do|does) not hold|(checks?|claims?) holds?|every check holds|carried over|[Tt]ries|"
    r"(?<!here )is no (JSON|number|tool|part|month|YAML|text)|held back|workbench|"
    r"portraits?|rivals?|made again)\b"
)
"""Words that the glossary replaced; a reader of the field does not know them."""


def sources(folder: str, ending: str) -> Iterator[Path]:
    for path in sorted((ROOT / folder).rglob(f"*{ending}")):
        if "migrations" not in path.parts:
            yield path


def texts_of_module(path: Path) -> Iterator[tuple[int, str]]:
    """String literals that are neither docstrings nor single words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(getattr(node, "body", None), list)
        for statement in node.body  # type: ignore[attr-defined]
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documented:
            continue
        if " " in node.value.strip():
            yield node.lineno, node.value


TAGS = re.compile(r"{[%#].*?[%#]}|{{.*?}}|<[^>]*>", re.DOTALL)
TEXTS_IN_TAGS = re.compile(r"""(?:label|title|placeholder|with \w+)=["']([^"']* [^"']*)["']""")


def shown(text: str) -> str:
    """What people read of a page: what is between its tags, and the texts that tags have."""
    return " ".join([TAGS.sub(" ", text), *TEXTS_IN_TAGS.findall(text)])


def test_what_people_read_of_a_page_includes_the_texts_of_its_tags() -> None:
    page = (
        """{% include "a.html" with label="What could not be carried over" %}<p title='made again'>Seen</p>"""
    )
    assert {match[0] for match in COINED.finditer(shown(page))} == {"carried over", "made again"}
    assert not COINED.search(shown("{# made again #}<i>Seen</i>"))


def test_no_text_of_the_code_has_a_coined_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {match[0]}"
        for folder in ("studio", "synthesis")
        for path in sources(folder, ".py")
        for line, text in texts_of_module(path)
        for match in COINED.finditer(text)
    ]
    assert found == []


def test_no_page_and_no_chapter_of_the_manual_has_a_coined_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in (*sources("templates", ".html"), *sources("docs", ".md"), ROOT / "README.md")
        if path.name != "acceptance.md"  # it lists names of tests
        for match in COINED.finditer(shown(path.read_text(encoding="utf-8")))
    ]
    assert found == []
