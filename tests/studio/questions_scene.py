"""A proof with questions, stored."""

from __future__ import annotations

from studio.models import CheckResultRecord, EnvironmentRecord
from synthesis.documents.question import Question, RowInQuestion

QUESTIONS = (
    Question(
        id="internal_column:loans.item",
        kind="internal_column",
        text="“list loans” shows the item of loans. May everybody for whom the agent works see that?",
        because="The name item suggests that it is for internal use.",
        part="tools",
        where="list_loans",
        rows=(RowInQuestion(table="loans", key=7, cells={"item": "drill"}),),
        doubt=0.9,
    ),
    Question(
        id="untried_rule:1",
        kind="untried_rule",
        text="The policy says: “Be kind.” <b>Is that how it is done in practice?</b>",
        because="No tool refuses what goes against this rule and no task comes near it.",
        part="policy",
        where="rule 1",
        doubt=0.6,
    ),
)


def ask(record: EnvironmentRecord, *questions: Question) -> EnvironmentRecord:
    """Have the proof of the current revision ask these questions, or `QUESTIONS`."""
    result = CheckResultRecord.objects.filter(report__revision=record.current).last()
    assert result is not None
    result.questions = [each.model_dump(mode="json") for each in questions or QUESTIONS]
    result.save()
    return record
