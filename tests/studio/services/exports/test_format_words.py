"""Formats in words: every one there is has them."""

from __future__ import annotations

from studio.services.exports.format_words import FORMAT_MEANINGS
from synthesis.bundles.registry import CODECS


def test_every_format_says_what_it_is_for() -> None:
    assert set(FORMAT_MEANINGS) == set(CODECS)
