"""The toy world of the fork server plays, or the fork server does not start."""

from __future__ import annotations

import pytest

from synthesis.worlds.worker import warm_up as toy


def test_the_toy_world_plays() -> None:
    toy.warm_up()


def test_a_toy_that_fails_its_verifier_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toy, "_TOOLS", toy._TOOLS.replace("n = n + 1", "n = n + 2"))
    with pytest.raises(RuntimeError, match="does not play"):
        toy.warm_up()


def test_a_toy_that_breaks_its_verifier_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toy, "_VERIFIER", "x = 1")
    with pytest.raises(RuntimeError, match="defines no verify"):
        toy.warm_up()
