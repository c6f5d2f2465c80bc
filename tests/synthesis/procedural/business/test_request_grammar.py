"""The request grammar: every rule it names exists, every text it gives is whole, worlds seldom ask alike."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from synthesis.procedural.business import (
    goals_decide,
    goals_ends,
    goals_entry,
    goals_hold,
    goals_money,
    goals_open,
    goals_seat,
    goals_slot,
    goals_supply,
    goals_units,
    goals_work,
)
from synthesis.procedural.business.request_grammar import goals, worded

FIELDS = re.compile(r"\{(\w+)(?:\.(\w+))?\}")


class _AnyField(dict[str, str]):
    """Every field has a value of its own, so that no text lacks one."""

    def __missing__(self, name: str) -> str:
        return f"kept {name}"


def _texts(goal: str, count: int, rule: str = "say") -> list[str]:
    return [worded(goal, rule, _AnyField(), random.Random(seed)) for seed in range(count)]


@pytest.mark.parametrize("goal", sorted(goals()))
def test_every_alternative_of_a_goal_can_be_said(goal: str) -> None:
    rules = goals()[goal]
    named = {name for texts in rules.values() for text in texts for name in re.findall(r"<(\w+)>", text)}
    shared = set.intersection(*(set(rules) for rules in goals().values() if "policy" in rules))
    assert named - set(rules) <= {"q", "iq", "np"}, "only shared rules may ask for what a goal leaves out"
    assert not {"q", "iq", "np"} - set(rules) or not any("<answer>" in text for text in rules["say"])
    assert named | {"say", "premise", "notice"} | shared >= set(rules), "no rule is left unused"
    for text in _texts(goal, 60):
        assert not re.search(r"[\[\]<>{}|]|  | [.,;:?!]|[.?!,;:]{2}", text), text
        assert text[0] == text[0].upper(), text


def test_a_text_begins_each_sentence_with_a_capital_and_forms_its_fields() -> None:
    fields = _AnyField(
        record="hour", unit="box", extend="renew", who="ada", name="bay 4", days="3", state="out"
    )
    texts = _texts_of("extend_each", fields)
    assert all(not re.search(r"[.?!] [a-z]", text) for text in texts)
    assert any("renewed" in text for text in texts)
    fitted = " ".join(worded("choose", "need", fields, random.Random(seed)) for seed in range(20))
    assert re.search(r"\b[Aa] box\b", fitted)


def test_a_pronoun_comes_before_the_particle_of_a_verb() -> None:
    fields = _AnyField({"return": "send back", "assign": "hand over", "close": "mark as done"})
    returned = [worded("refuse_return", "say", fields, random.Random(seed)) for seed in range(40)]
    assigned = [worded("assign", "say", fields, random.Random(seed)) for seed in range(40)]
    assert any("end it all back" in text for text in returned)
    assert any("and it over" in text for text in assigned)
    assert not any(re.search(r"\b(back|over) it\b", text) for text in (*returned, *assigned))


def _texts_of(goal: str, fields: dict[str, str]) -> list[str]:
    return [worded(goal, "say", fields, random.Random(seed)) for seed in range(40)]


_SAYING = re.compile(r'\.say\(\s*"(\w+)"(?: if [\w.]+ else "(\w+)")?')


_OF_SHAPE = {
    *("choose_hours", "choose_free_hours", "choose_whose_day", "choose_priced_day"),
    *("earliest_hour", "earliest_service", "refuse_hours", "refuse_service"),
    *("clear_unit", "clear_free_unit", "clear_day", "clear_priced_day"),
    *("no_show_of_day", "call_off", "call_off_day"),
}
"""Goals whose words depend on whether somebody's day is booked, or a thing or place."""


def test_every_goal_that_the_tasks_name_has_rules() -> None:
    modules = (
        goals_decide,
        goals_ends,
        goals_entry,
        goals_hold,
        goals_slot,
        goals_units,
        goals_seat,
        goals_supply,
        goals_work,
        goals_money,
        goals_open,
    )
    named = {
        name
        for module in modules
        for found in _SAYING.findall(Path(module.__file__).read_text(encoding="utf-8"))
        for name in found
        if name
    }
    assert len(named) >= 30
    chosen = {"no_show", "voices", "as_long", "as_short", "as_early", *_OF_SHAPE}
    assert named | chosen == set(goals())


@pytest.mark.parametrize("goal", ["contact", "clear_unit", "stand_in", "choose", "waive_or_hand_over"])
def test_sixteen_requests_for_the_same_share_few_phrases(goal: str) -> None:
    """Fields are the same in all, so that what recurs is the grammar's fault or its fields'."""
    counts: Counter[tuple[str, ...]] = Counter()
    for text in _texts(goal, 16):
        words = re.findall(r"\w+", text.lower())
        counts.update({tuple(words[place : place + 4]) for place in range(len(words) - 3)})
    assert sum(count > 3 for count in counts.values()) / len(counts) < 0.1


def test_no_particle_of_a_choice_stands_before_its_pronoun() -> None:
    texts = [text for rules in goals().values() for alternatives in rules.values() for text in alternatives]
    choices = [match[1] for text in texts for match in re.finditer(r"\[([^\[\]]*)\] it\b", text)]
    assert choices
    assert [choice for choice in choices if re.search(r" (up|out|in|off|down|away)(\||$)", choice)] == []


def test_possessives_are_written_as_plurals_and_names_have_them() -> None:
    texts = [
        worded("postpone_first", "policy", {"firm": "shop", "title": title}, random.Random(seed))
        for seed in range(60)
        for title in ("Moorgate Rentals", "Silas")
    ]
    own = {text for text in texts if "'" in text and "shop" not in text}
    assert own == {"Moorgate Rentals' rules", "Moorgate Rentals' policy", "Silas's rules", "Silas's policy"}


def test_requests_name_kinds_of_messages_as_people_do() -> None:
    written = " ".join(text for rules in goals().values() for texts in rules.values() for text in texts)
    assert not re.search(r"\bkind(:|,)? (change|“?place_free)|\(change\)|place_free", written)
