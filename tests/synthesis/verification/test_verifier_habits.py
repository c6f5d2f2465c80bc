"""What a verifier's source shows of its habits."""

import pytest

from synthesis.verification.verifier_habits import habits_of

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
        ("def apply(): pass\n" + HEAD + "yield check('x', True)", False, False),
        (HEAD + "yield check('x', True)\ndef zebra(): pass", False, False),
        (HEAD + "yield check('x', True)\n" + HEAD + "yield check('y', True)", True, False),
        ("async " + HEAD + "yield check('x', True)", True, False),
        ("def verify(before, after, changes, answer, *more): yield 1", True, False),
        ("def verify(before, after, changes, answer, *, more=1): yield 1", True, False),
        ("def verify(before, after, changes, answer, **more): yield 1", True, False),
        ("def verify(more, /, before, after, changes, answer): yield 1", True, False),
        ("def verify(): yield 1", True, False),
        ("def other(before, after, changes, answer): yield 1", True, False),
        (HEAD + "before.rows['x'].append(1)\n    yield check('x', True)", False, False),
        (HEAD + "re.purge()\n    yield check('x', True)", False, True),
        ("from collections.abc import Mapping\n" + HEAD + "yield check('x', True)", False, False),
        ("from . import other\n" + HEAD + "yield check('x', True)", False, True),
        ("import re, decimal\n" + HEAD + "yield check('x', True)", False, True),
        (HEAD + "global seen\n    yield check('x', True)", False, True),
    ],
)
def test_habits(source: str, reads_answer: bool, may_remember: bool) -> None:
    habits = habits_of(source)
    assert (habits.reads_answer, habits.may_remember) == (reads_answer, may_remember)
    assert bool(habits.place) <= may_remember
