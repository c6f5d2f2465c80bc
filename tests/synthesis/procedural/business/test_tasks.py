"""The tasks of a composed world differ in what they change."""

from __future__ import annotations

from synthesis.procedural.business.author import compose

SENTENCE = "A translation agency assigns documents to certified translators by language and deadline."


def test_no_two_tasks_change_the_same() -> None:
    environment = compose(SENTENCE, seed=5)  # whose first ten tasks had two that pass on the same work
    writing = {tool.name for tool in environment.tools.tools if tool.mutates_state}
    changes = [
        [(call.name, call.arguments) for call in task.reference_solution if call.name in writing]
        for task in environment.tasks.tasks
    ]
    changing = [each for each in changes if each]
    assert len(changing) > 1
    assert all(each not in changing[:number] for number, each in enumerate(changing))
