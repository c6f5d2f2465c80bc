"""From seeds to scenarios: what is kept, what is rejected and why, and when it stops."""

import json
import random

import pytest

from synthesis.errors import Cancelled, InvalidInput
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.recorded import MemoryRecordings, Recorded
from synthesis.llm.scripted import Scripted
from synthesis.pipeline.expansion.candidate import Candidate, Suitability
from synthesis.pipeline.expansion.expansion import ExpansionSettings, expand
from synthesis.pipeline.expansion.similarity import Nearest
from tests.openai_server import OpenAIServer


def described(name):
    """A text that is like no other name's text."""
    letters = random.Random(name)
    return " ".join("".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(40))


def proposed(name, category="retail", description=None, seed=""):
    return {"name": name, "category": category, "description": description or described(name), "seed": seed}


class Model:
    """Proposes from a list of rounds, then the same for ever; classifies by what the name says."""

    def __init__(self, *rounds, score=9):
        self.rounds, self.score, self.proposals = list(rounds), score, []

    def __call__(self, request):
        prompt = request.messages[0].text
        if request.stage == "suitability":
            low = "Painting" in prompt
            return json.dumps({"score": 2 if low else self.score, "cannot": ["painting"] if low else []})
        self.proposals.append(prompt)
        text = self.rounds.pop(0) if len(self.rounds) > 1 else self.rounds[0]
        return text if isinstance(text, str) else json.dumps({"scenarios": text})


def run(model, count, seeds=("A shop",), **settings):
    provider = Scripted(model)
    return expand(seeds, ExpansionSettings(count=count, **settings), provider), provider


def decisions(result):
    return [(one.candidate.name, one.decision) for one in result.considered]


def test_every_kept_scenario_is_classified_and_told():
    model = Model([proposed("Tool Shop", seed="A shop"), proposed("Pet Hotel")])
    result, _ = run(model, 2)
    assert [one.candidate.name for one in result.accepted] == ["Tool Shop", "Pet Hotel"]
    assert all(one.suitability.level == "high" for one in result.accepted)
    assert "- A shop" in model.proposals[0]
    assert not result.stalled


def test_a_copy_is_rejected_with_its_nearest_neighbour():
    copy = proposed("Tool Shop", description=described("Tool Shop") + " again")
    result, provider = run(Model([proposed("Tool Shop"), copy], [proposed("Zoo")]), 2)
    assert decisions(result) == [("Tool Shop", "accepted"), ("Tool Shop", "duplicate"), ("Zoo", "accepted")]
    rejected = result.considered[1]
    assert (rejected.nearest, rejected.suitability) == ("Tool Shop", None)
    assert rejected.similarity > 0.85
    assert sum(request.stage == "suitability" for request in provider.requests) == 2


def test_what_cannot_be_simulated_is_dropped_with_the_reason():
    result, _ = run(Model([proposed("Painting Robot")], [proposed("Zoo")]), 1)
    assert decisions(result) == [("Painting Robot", "unsuitable"), ("Zoo", "accepted")]
    assert result.considered[0].reason == "painting"


class Told:
    """A similarity that is told what to say, by name."""

    def __init__(self, **answers):
        self.said, self.size = answers, 0

    def nearest(self, text):
        return Nearest(0, self.said.get(text.split("\n")[0], 0.0)) if self.size else None

    def add(self, text):
        self.size += 1


def run_told(model, count, similarity, **settings):
    return expand(["s"], ExpansionSettings(count=count, **settings), Scripted(model), similarity=similarity)


def test_a_full_category_takes_only_what_is_quite_different():
    near = {"Two": 0.8, "Three": 0.74}
    rounds = [[proposed("One"), proposed("Two"), proposed("Three")], [proposed("Four")]]
    full = run_told(Model(*rounds), 3, Told(**near), category_cap=1)
    assert [decision for _, decision in decisions(full)] == [
        "accepted",
        "category_full",
        "accepted",
        "accepted",
    ]
    roomy = run_told(Model(*rounds), 3, Told(**near), category_cap=2)
    assert [decision for _, decision in decisions(roomy)] == ["accepted"] * 3


def test_it_stops_after_stalled_rounds():
    result, _ = run(Model([proposed("Tool Shop")]), 5, stalled_rounds=4)
    assert result.stalled
    assert decisions(result) == [("Tool Shop", "accepted")] + [("Tool Shop", "duplicate")] * 4


def test_a_stall_loosens_the_limit_up_to_its_bound():
    rounds = [[proposed("One")], [proposed("Near")]]
    loose = run_told(Model(*rounds), 2, Told(Near=0.93), stalled_rounds=6)
    assert decisions(loose) == [("One", "accepted"), *[("Near", "duplicate")] * 2, ("Near", "accepted")]
    bound = run_told(Model(*rounds), 2, Told(Near=0.96), stalled_rounds=6)
    assert bound.stalled


def test_later_rounds_see_examples_names_to_avoid_and_empty_categories():
    model = Model([proposed("Tool Shop", "hardware")], [proposed("Pet Hotel")])
    run(model, 2, categories=("hardware", "farming"))
    assert "Tool Shop (hardware)" in model.proposals[1]
    assert "done: Tool Shop." in model.proposals[1]
    assert "fewest so far: farming, hardware" in model.proposals[1]


def test_seeds_come_first_a_round_at_a_time_and_unused_ones_are_told():
    rounds = [[proposed(f"App {r}{n}", seed=f"s{r}{n}") for n in range(2)] for r in range(3)]
    model = Model(*rounds)
    result, _ = run(model, 4, seeds=[f"s{r}{n}" for r in range(3) for n in range(2)], per_round=2)
    assert "- s10\n- s11" in model.proposals[1]
    assert result.unused == ("s20", "s21")


@pytest.mark.parametrize("reply", ["I would rather not.", '{"scenarios": [{"name": "x"}]}', ""])
def test_a_round_that_cannot_be_read_is_a_record_and_not_the_end(reply):
    result, _ = run(Model(reply, [proposed("Zoo")]), 1)
    assert [one.decision for one in result.considered] == ["unreadable", "accepted"]


def test_what_cannot_be_classified_is_not_kept():
    result, _ = run(Model([proposed("Zoo")], score=77), 1, stalled_rounds=2)
    assert {one.decision for one in result.considered} == {"unreadable"}
    assert result.stalled


def test_a_resumed_expansion_pays_for_nothing_twice():
    recordings = MemoryRecordings()
    rounds = [[proposed("Tool Shop")], [proposed("Pet Hotel")], [proposed("Zoo")]]
    first = Scripted(Model(*rounds))
    settings = ExpansionSettings(count=3)
    seen = []
    stop = {"on_considered": seen.append, "cancelled": lambda: len(seen) == 2}
    with pytest.raises(Cancelled):
        expand(["s"], settings, Recorded(first, recordings), **stop)
    second = Scripted(Model(rounds[2]))
    result = expand(["s"], settings, Recorded(second, recordings))
    assert [one.candidate.name for one in result.accepted] == ["Tool Shop", "Pet Hotel", "Zoo"]
    assert len(second.requests) == 2


def test_without_a_seed_there_is_nothing_to_expand():
    with pytest.raises(InvalidInput, match="No seed was given"):
        run(Model([]), 1, seeds=())


def test_examples_of_ones_own_are_shown_at_once():
    model = Model([proposed("Zoo")])
    example = Candidate(name="Old Mill", category="museums", description="It grinds corn on Sundays.")
    expand(["s"], ExpansionSettings(count=1), Scripted(model), examples=[example])
    assert "Old Mill (museums)" in model.proposals[0]


LEVELS = [(10, "high"), (8, "high"), (7, "medium"), (5, "medium"), (4, "low")]


@pytest.mark.parametrize(("score", "level"), LEVELS)
def test_a_score_has_its_level(score, level):
    assert Suitability(score=score).level == level


def test_it_expands_over_http():
    def answer(body):
        if "Can this be simulated" in body["messages"][0]["content"]:
            return '{"score": 8}'
        return json.dumps({"scenarios": [proposed("Tool Shop")]})

    with OpenAIServer(answer) as server:
        provider = OpenAICompatible("m", "key-123456", base_url=server.base_url)
        result = expand(["A shop"], ExpansionSettings(count=1), provider)
        provider.close()
    assert [one.candidate.name for one in result.accepted] == ["Tool Shop"]
