"""The one loop: ask, read, check; show what is wrong; never keep the least bad."""

import pytest

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding
from synthesis.documents.policy import Policy
from synthesis.errors import AttemptsExhausted, Cancelled, EarlierPartAtFault, ProviderRefused
from synthesis.pipeline.author import Written
from synthesis.pipeline.self_correction import self_correct
from synthesis.pipeline.stages.policy import PolicyStage

GOOD = Policy(text="One rule is enough when it has at least these ten words.")
SHORT = Policy(text="Too short.")


class Listed:
    """An author that hands in a list of things."""

    name = "listed"

    def __init__(self, *written, corrects=True):
        self.written, self.corrects, self.asks = list(written), corrects, []

    def write(self, ask):
        self.asks.append(ask)
        written = self.written.pop(0)
        if isinstance(written, Exception):
            raise written
        return written


def run(author, request_for, **changes):
    return self_correct(PolicyStage(), Draft(), author, request=request_for(), **changes)


def test_a_part_that_passes_is_kept_at_once(request_for):
    made = run(Listed(Written(part=GOOD, prompt="p", reply="r", calls=1)), request_for)
    assert made.part == GOOD
    assert [(attempt.number, attempt.passed, attempt.reply) for attempt in made.attempts] == [(1, True, "r")]


def test_the_author_is_shown_its_own_words_and_the_findings(request_for):
    author = Listed(Written(part=SHORT, reply="mine"), Written(part=GOOD))
    made = run(author, request_for)
    assert len(made.attempts) == 2
    assert author.asks[1].last.reply == "mine"
    assert [finding.check for finding in author.asks[1].findings] == ["the_policy_says_something"]
    assert [attempt.passed for attempt in made.attempts] == [False, True]


def test_attempts_spent_raise_with_every_attempt_and_keep_nothing(request_for):
    heard = []
    with pytest.raises(
        AttemptsExhausted, match="failed 3 times; the last attempt: The policy has fewer"
    ) as raised:
        run(Listed(*[Written(part=SHORT)] * 9), request_for, attempts=3, on_attempt=heard.append)
    assert [attempt.number for attempt in raised.value.made] == [1, 2, 3]
    assert list(raised.value.made) == heard


def test_an_author_that_does_not_correct_is_asked_once(request_for):
    author = Listed(*[Written(part=SHORT)] * 9, corrects=False)
    with pytest.raises(AttemptsExhausted, match="failed once"):
        run(author, request_for)
    assert len(author.asks) == 1


def test_a_reply_that_could_not_be_read_is_not_checked(request_for):
    unreadable = Finding(part="policy", check="the_reply_can_be_read", message="prose")
    author = Listed(Written(part=None, findings=(unreadable,)), Written(part=GOOD))
    run(author, request_for)
    assert author.asks[1].findings == (unreadable,)


def test_an_earlier_part_at_fault_ends_the_loop(request_for):
    elsewhere = Finding(part="schema", check="every_task_can_be_done", message="no table for it")
    author = Listed(Written(part=GOOD, findings=(elsewhere,)))
    with pytest.raises(EarlierPartAtFault, match="schema: no table for it"):
        run(author, request_for)


def test_a_stop_is_heard_before_the_next_attempt(request_for):
    author = Listed(*[Written(part=SHORT)] * 9)
    with pytest.raises(Cancelled):
        run(author, request_for, cancelled=lambda: len(author.asks) == 2)
    assert len(author.asks) == 2


def test_a_failing_endpoint_is_no_attempt(request_for):
    heard = []
    with pytest.raises(ProviderRefused):
        run(Listed(ProviderRefused("no key")), request_for, on_attempt=heard.append)
    assert heard == []


def test_findings_of_a_part_sent_back_are_shown_first(request_for):
    sent = (Finding(part="policy", check="proved", message="rule 2 is missing"),)
    author = Listed(Written(part=GOOD))
    run(author, request_for, findings=sent)
    assert author.asks[0].findings == sent
