"""Which action of a process a verb of the sentence names, and in what words requests are."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.acts import acts_of, results_of
from synthesis.procedural.business.build import build
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.play import _short
from synthesis.procedural.business.request_grammar import goals
from synthesis.procedural.sentence.reader import parse


@pytest.mark.parametrize(
    ("verbs", "named"),
    [
        (("lend", "return"), {"create": "lend", "finish": "return"}),
        (("lend", "cancel", "renew"), {"create": "lend", "cancel": "cancel", "extend": "renew"}),
        (("lend", "reserve"), {"create": "lend", "start": "reserve"}),
    ],
)
def test_a_further_verb_names_the_action_that_it_means(verbs: tuple[str, ...], named: dict[str, str]) -> None:
    (process,) = plan(parse("A library lends tools to members")).processes
    process.verbs = list(verbs)
    assert named.items() <= acts_of(process).items()


def test_nothing_is_assigned_or_put_off_by_a_verb_that_means_something_else() -> None:
    (process,) = plan(parse("A shop repairs radios")).processes
    process.verbs = ["repair", "collect", "sell back", "cancel", "postpone"]
    acts = acts_of(process)
    assert (acts["assign"], acts["cancel"], acts["postpone"]) == ("assign", "cancel", "postpone")
    assert acts["create"] == "collect"
    assert results_of(process)[-1] == "sold_back"
    model = build(plan(parse("A shop repairs radios")), "A shop repairs radios", 1)
    assert set(model.processes[0].record.column("result").choices) == set(model.processes[0].results)


def test_requests_are_in_plain_words() -> None:
    texts = [text for rules in goals().values() for each in rules.values() for text in each]
    assert not [text for text in texts if "{state} {record" in text]
    shared = " ".join(goals()["choose"]["by_policy"])
    assert all(
        words not in shared
        for words in ("within", "going by", "in keeping", "puts it", "following", "by <policy>")
    )
    assert [_short(noun) for noun in ("bakery", "mobile sheep-shearing gang", "sperm and egg bank")] == [
        "bakery",
        "sheep-shearing gang",
        "bank",
    ]
