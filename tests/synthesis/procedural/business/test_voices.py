"""What is said around a request: it speaks of the request, or of something else altogether."""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import Any

from synthesis.procedural.business.voices import spoken

TEXT = "Extend the rental of Bike G7 until Friday."


def _process(record: str, subject: str) -> Any:
    return SimpleNamespace(noun=record, subject=SimpleNamespace(noun=subject, many=f"{subject}s"))


SHOP: Any = SimpleNamespace(
    title="Halcyon Bicycle Workshop",
    clerk="agent",
    supervisor="team lead",
    processes=[_process("rental", "bike"), _process("part order", "part"), _process("storage", "bay")],
)


def test_a_subject_line_names_what_the_request_is_about() -> None:
    texts = [spoken(SHOP, random.Random(seed), TEXT, ()) for seed in range(300)]
    topics = {match[1] for text in texts for match in re.finditer(r"(?:Subject|FW): ([a-z ]*[a-z])", text)}
    assert topics == {"rental", "bike"}


def test_a_request_about_no_record_has_a_subject_line_without_one() -> None:
    texts = [spoken(SHOP, random.Random(seed), "What is the e-mail of Ana Lund?", ()) for seed in range(300)]
    topics = {match[1] for text in texts for match in re.finditer(r"(?:Subject|FW): ([a-z ]*[a-z])", text)}
    assert topics
    assert not any(word in topic for topic in topics for word in ("rental", "part", "storage", "bike", "bay"))


def test_what_is_chatted_about_is_not_what_is_asked_for() -> None:
    for seed in range(300):
        around = spoken(SHOP, random.Random(seed), TEXT, ()).replace(TEXT, "")
        assert "bikes" not in around
