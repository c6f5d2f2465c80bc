"""What a verifier's source shows of its habits."""

import pytest

from synthesis.verification.verifier_habits import Habits, habits_of

HEAD = "def verify(before, after, changes, answer):\n    "


@pytest.mark.parametrize(
    ("source", "reads_answer", "may_remember"),
    [
        (HEAD + "yield check('x', bool(changes))", False, False),
        (HEAD + "yield check('x', 3 in numbers(answer))", True, False),
        (HEAD + "row = dict(a=1)\n    row['b'] = 2\n    yield check('x', True)", False, False),
        ("import re\n" + HEAD + "yield check('x', bool(re.search('a', 'b')))", False, False),
        (HEAD + "yield check('x', bool(locals()))", True, True),
        (HEAD + "check.seen = 1\n    yield check('x', True)", False, True),
        (HEAD + "before.cache['x'] = 1\n    yield check('x', True)", False, True),
        (HEAD + "yield check('x', bool(before._connection))", False, True),
        ("import decimal\n" + HEAD + "yield check('x', True)", False, True),
        ("from decimal import getcontext\n" + HEAD + "yield check('x', True)", False, True),
        ("class Kept:\n    seen = []\n" + HEAD + "yield check('x', True)", False, True),
        ("def verify(*given):\n    yield check('x', given[3] == 'yes')", True, False),
        ("def verify(before, after, changes, words):\n    yield check('x', words == '')", True, False),
        (
            "if True:\n    def verify(before, after, changes, answer):\n        yield check('x', 1)",
            True,
            False,
        ),
        ("def verify(before, after, changes, answer", True, True),
    ],
)
def test_habits(source: str, reads_answer: bool, may_remember: bool) -> None:
    assert habits_of(source) == Habits(reads_answer=reads_answer, may_remember=may_remember)
