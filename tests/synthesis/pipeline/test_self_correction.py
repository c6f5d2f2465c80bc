"""The one loop: ask, read, check; show what is wrong; never keep the least bad."""

from types import SimpleNamespace

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
    result = run(Listed(Written(part=GOOD, prompt="p", reply="r", calls=1)), request_for)
    assert result.part == GOOD
    assert [(attempt.number, attempt.passed, attempt.reply) for attempt in result.attempts] == [
        (1, True, "r")
    ]


def test_the_author_is_shown_its_own_words_and_the_findings(request_for):
    author = Listed(Written(part=SHORT, reply="mine"), Written(part=GOOD))
    result = run(author, request_for)
    assert len(result.attempts) == 2
    assert author.asks[1].last.reply == "mine"
    assert [finding.check for finding in author.asks[1].findings] == ["the_policy_says_something"]
    assert [attempt.passed for attempt in result.attempts] == [False, True]


def test_attempts_spent_raise_with_every_attempt_and_keep_nothing(request_for):
    heard = []
    with pytest.raises(
        AttemptsExhausted, match="failed 3 times; the last attempt: The policy has fewer"
    ) as raised:
        run(Listed(*[Written(part=SHORT)] * 9), request_for, attempts=3, on_attempt=heard.append)
    assert [attempt.number for attempt in raised.value.attempt_history] == [1, 2, 3]
    assert list(raised.value.attempt_history) == heard


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


def test_what_was_made_is_handed_on_when_an_earlier_part_is_at_fault(request_for):
    elsewhere = Finding(part="schema", check="every_task_can_be_done", message="no table for it")
    with pytest.raises(EarlierPartAtFault) as raised:
        run(Listed(Written(part=GOOD, findings=(elsewhere,))), request_for)
    assert raised.value.part == GOOD


WISH = Finding(part="policy", check="every_rule_has_an_example", message="No example.", severity="warning")
BETTER = Policy(text="One rule is enough when it has at least these ten words and an example.")


@pytest.mark.parametrize(
    ("second", "kept"),
    [
        (Written(part=BETTER), BETTER),
        (Written(part=SHORT), GOOD),
        (Written(part=GOOD, findings=(WISH,)), GOOD),
        (Written(part=None, findings=(WISH.replace(severity="error"),)), GOOD),
    ],
)
def test_for_a_wish_the_author_is_asked_once_more_and_nothing_is_lost(second, kept, request_for, monkeypatch):
    monkeypatch.setattr(PolicyStage, "optional_checks", frozenset([WISH.check]))
    author = Listed(Written(part=GOOD, findings=(WISH,)), second, Written(part=SHORT))
    result = run(author, request_for)
    assert result.part == kept
    assert len(result.attempts) == len(author.asks) == 2
    assert author.asks[1].findings == (WISH.replace(severity="error"),)


def test_of_what_is_optional_the_author_hears_once(request_for, monkeypatch):
    monkeypatch.setattr(PolicyStage, "optional_checks", frozenset([WISH.check]))
    wrong = Finding(part="policy", check="the_reply_can_be_read", message="prose")
    author = Listed(Written(part=None, findings=(wrong, WISH)), Written(part=GOOD, findings=(WISH,)))
    assert run(author, request_for).part == GOOD
    assert len(author.asks) == 2


class RulesAsPieces(PolicyStage):
    """A policy whose rules are pieces named by their first word."""

    optional_checks = frozenset([WISH.check])

    def reply_of(self, part):
        return SimpleNamespace(pieces={rule.split()[0]: rule for rule in part.text.splitlines()})

    def check(self, part, draft, request):
        return tuple(WISH.replace(where=rule.split()[0]) for rule in part.text.splitlines())


def test_of_a_piece_that_is_as_it_was_the_author_does_not_hear_again_when_another_is_sent_back(request_for):
    before = Policy(text="First, return what you borrow.\nSecond, pay what you owe.")
    after = Policy(text="First, return what you borrow.\nSecond, pay what you owe before you borrow.")
    sent = (Finding(part="policy", check="proved", message="too vague", where="Second,"),)
    author = Listed(Written(part=after), Written(part=after))
    draft = Draft().with_part("policy", before)
    self_correct(RulesAsPieces(), draft, author, request=request_for(), findings=sent)
    assert [[finding.where for finding in ask.findings] for ask in author.asks] == [["Second,"], ["Second,"]]
    assert author.asks[1].findings[0].check == WISH.check


def test_an_author_that_cannot_correct_is_asked_for_no_wish(request_for, monkeypatch):
    monkeypatch.setattr(PolicyStage, "optional_checks", frozenset([WISH.check]))
    author = Listed(Written(part=GOOD, findings=(WISH,)), corrects=False)
    result = run(author, request_for)
    assert result.part == GOOD
    assert result.attempts[0].findings == ()


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


def test_a_wish_that_an_earlier_part_stands_against_is_sent_to_that_part(request_for):
    class Wishing(PolicyStage):
        optional_checks = frozenset(["wish"])

        def check(self, part, draft, request):
            return (Finding(part="policy", check="wish", message="Could be.", severity="warning"),)

    blamed = Finding(part="scenario", check="wish", message="It needs a rule.")
    author = Listed(Written(part=GOOD), Written(part=GOOD, findings=(blamed,)))
    with pytest.raises(EarlierPartAtFault) as raised:
        self_correct(Wishing(), Draft(), author, request=request_for())
    assert raised.value.findings == (blamed,)
    assert raised.value.part == GOOD
