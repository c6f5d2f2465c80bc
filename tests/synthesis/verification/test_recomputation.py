"""Averages and sums in a reference answer are recomputed from the rows that its solution listed."""

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.documents.tools import ToolCall
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext
from tests.synthesis.worlds.conftest import make_environment

TOOLS = '''
def list_folders(db, limit: int = 20) -> dict:
    """List folders.

    Args:
        limit: Most folders to return.
    """
    weights = [200, 301, 502]
    return {"total": 3, "items": [{"folder": n, "weight": weight} for n, weight in enumerate(weights)]}
'''


def result_for(value, instruction="What is the average weight of all folders?"):
    environment = make_environment(TOOLS)
    (task,) = environment.tasks.tasks
    task = task.replace(
        instruction=instruction,
        kind="read",
        reference_solution=(ToolCall(name="list_folders", arguments={}),),
        reference_answer=f"It is {value}.",
        answer_facts=(AnswerFact(name="weight", type="number", value=value),),
    )
    with ProofContext(environment.replace(tasks=environment.tasks.replace(tasks=(task,)))) as context:
        return CHECKS["averages_and_sums_are_right"](context)


@pytest.mark.parametrize("value", [334.33, 334, 1003, 301, 77])
def test_a_figure_that_the_rows_come_to_or_that_is_another_one_is_right(value):
    assert result_for(value).findings == ()


@pytest.mark.parametrize(("value", "words"), [(336, "the average of weight"), (1002, "the sum of weight")])
def test_a_figure_that_is_missed_by_little_is_named_with_the_right_one(value, words):
    (finding,) = result_for(value).findings
    assert (finding.part, finding.where, finding.severity) == ("tasks", "add_one", "warning")
    assert words in finding.message
    assert "3 rows that list_folders lists" in finding.message


def test_a_number_that_is_no_average_and_no_sum_is_not_recomputed():
    assert result_for(336, "Which weight is right?").figures["facts"] == 0
