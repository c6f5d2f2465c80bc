"""A server's log under clients that send rubbish."""

from __future__ import annotations

import logging

import pytest

from synthesis.serving.repeated_lines import MOST_MESSAGES, RepeatedLines


class Clock:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        """The seconds."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(clock: Clock, caplog: pytest.LogCaptureFixture) -> logging.Logger:
    logger = logging.getLogger("tests.repeated_lines")
    lines = RepeatedLines(seconds=60, clock=clock)
    logger.addFilter(lines)
    caplog.set_level(logging.INFO)
    yield logger
    logger.removeFilter(lines)


def test_a_message_is_logged_once_in_a_while_and_says_how_often_it_was_left_out(log, clock, caplog) -> None:
    for _ in range(1_000):
        log.warning("Invalid HTTP request received.")
    log.warning("Something else: %s", "a")
    assert caplog.messages == ["Invalid HTTP request received.", "Something else: a"]
    clock.now = 61
    log.warning("Invalid HTTP request received.")
    assert caplog.messages[-1] == "Invalid HTTP request received. (999 more like it were not logged.)"
    clock.now = 122
    log.warning("Invalid HTTP request received.")
    assert caplog.messages[-1] == "Invalid HTTP request received."


def test_what_a_client_sent_makes_no_new_message_and_errors_are_always_logged(log, caplog) -> None:
    for number in range(100):
        log.warning("Refused %s", number)
        log.error("Failed %s", number)
    assert len(caplog.messages) == 101


def test_memory_is_bounded(log, caplog) -> None:
    lines = log.filters[0]
    for number in range(3 * MOST_MESSAGES):
        log.warning("message " + str(number))  # noqa: G003
    assert len(lines._last) <= MOST_MESSAGES
