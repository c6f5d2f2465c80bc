"""What a judge quotes is looked for in what it was shown."""

import pytest

from synthesis.judging.quotes import missing_quotes, quotes_in

EVIDENCE = (
    '{"final_answer":"She owes 170.00;\\nthe oldest is of 12 January.","policy":"Say \\"sorry\\" first."}'
)


@pytest.mark.parametrize(
    "quote",
    [
        "She owes 170.00; the oldest is of 12 January",
        "she  OWES 170.00;",
        "She owes ... 12 January.",
        'Say "sorry" first',
        "Say \u201csorry\u201d first.",
        '"final_answer": "She owes',
    ],
)
def test_quotes_are_found_however_they_are_written(quote):
    assert missing_quotes([quote], EVIDENCE) == []


@pytest.mark.parametrize("quote", ["She owes 180.00", "She owes ... 13 January", "the fee was waived"])
def test_what_was_never_said_is_missing(quote):
    assert missing_quotes(["She owes 170.00", quote], EVIDENCE) == [quote]


def test_only_longer_texts_between_marks_are_quotes():
    text = 'It says "completed" and \u201cthe fee was waived\u201d, then "She owes 170.00".'
    assert quotes_in(text) == ["the fee was waived", "She owes 170.00"]
