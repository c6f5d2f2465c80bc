from __future__ import annotations

import time

import pytest

from synthesis.worlds.text_patterns import UnfitPattern, check_pattern, fits, written_out


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^[A-Z]{2}$", "AB", True),
        ("^[A-Z]{2}$", "ABC", False),
        ("b", "abc", True),
        (r"^\d{4}-\d\d$", "2026-11", True),
        (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "-1.50", True),
        (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "-.", False),
        (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "", False),
    ],
)
def test_a_pattern_is_found_anywhere_in_a_text(pattern: str, text: str, found: bool) -> None:
    assert fits(pattern, text) is found


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", r"^(\w+\s?)*$", "(.*)*b"])
def test_no_pattern_takes_for_ever(pattern: str) -> None:
    started = time.process_time()
    assert fits(pattern, "a" * 10_000 + "!") is False
    assert time.process_time() - started < 5, "Python's own engine takes longer than the universe is old"


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(?=a)a", "look-around"),
        (r"(a)\1", "backreferences"),
        (r"a\Z", "unrecognized escape"),
        ("a{", "repetition"),
        ("x" * 1_001, "1001 characters"),
        ("((a{1000}){1000}){9}", "9000000 parts"),
        ("(a" * 300, "unclosed group"),
    ],
)
def test_what_the_engine_does_not_take_is_said_and_found_nowhere(pattern: str, why: str) -> None:
    with pytest.raises(UnfitPattern, match=why):
        check_pattern(pattern)
    assert not fits(pattern, "aa")


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("abc", 3),
        ("^a{3}b$", 6),
        ("(ab){10}", 20),
        ("([ab]{2}c){10,20}", 60),
        (r"\d{4}-[^\]x]{2,}", 7),
        ("((a{10}){10}){10}", 1_000),
        ("a{99999999999999999999}", 999_999_999),
    ],
)
def test_repetitions_count_as_often_as_they_are_written_out(pattern: str, size: int) -> None:
    assert written_out(pattern) == size
