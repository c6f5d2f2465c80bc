"""The report over many environments: sizes, difficulty, overlap and duplicates."""

from itertools import combinations

import pytest

from synthesis.diversity import AWM, diversity, diversity_profile
from synthesis.procedural.business.author import compose


@pytest.fixture(scope="module")
def made():
    sentences = ("A library lends books", "A hotel takes bookings", "A workshop repairs bicycles")
    return [compose(sentence, seed=seed) for seed, sentence in enumerate(sentences)]


def test_a_profile_counts_what_is_there(clinic):
    profile = diversity_profile(clinic)
    assert (profile.tables, profile.rows, profile.tools, profile.tasks) == (16, 149, 28, 10)
    assert profile.calls == tuple(len(task.reference_solution) for task in clinic.tasks.tasks)
    assert sum(profile.kinds.values()) == 10
    assert len(profile.functions) == 28
    assert "patients.id" in profile.columns


def test_overlap_is_the_mean_jaccard_index_of_all_pairs(made):
    result = diversity([diversity_profile(each) for each in made])
    names = [{tool.name for tool in each.tools.tools} for each in made]
    expected = [len(one & other) / len(one | other) for one, other in combinations(names, 2)]
    assert result.tool_jaccard == pytest.approx(sum(expected) / len(expected))
    assert [pair.tools for pair in result.nearest] == sorted(
        [round(value, 4) for value in expected if value], reverse=True
    )


def test_an_environment_made_twice_shows_in_every_measure_of_sameness(made):
    one = diversity_profile(made[0])
    result = diversity([one, one.replace(name="twin")])
    assert (result.tool_jaccard, result.column_jaccard, result.duplicate_schemas) == (1.0, 1.0, 2)
    assert result.duplicate_functions == result.functions == 2 * len(one.functions)
    assert (result.nearest[0].first, result.nearest[0].second) == (one.name, "twin")


def test_a_function_is_the_same_under_another_name_and_docstring_and_not_with_other_code(clinic):
    source = clinic.tools.source
    renamed = clinic.replace(
        tools=clinic.tools.replace(source=source.replace("def get_patient(", "def read_patient(", 1))
    )
    before, after = diversity_profile(clinic), diversity_profile(renamed)
    assert len(set(before.functions) - set(after.functions)) == 1
    other = clinic.replace(tools=clinic.tools.replace(source=source.replace("LIMIT", "LIMIT 1 --", 1)))
    assert diversity_profile(other).functions != before.functions


def test_sizes_are_spread_over_environments_and_difficulty_over_tasks(made):
    result = diversity([diversity_profile(each) for each in made])
    calls = [len(task.reference_solution) for each in made for task in each.tasks.tasks]
    spread = result.sizes["calls"]
    assert spread.mean == pytest.approx(sum(calls) / len(calls), abs=0.01)
    assert (spread.lowest, spread.highest) == (min(calls), max(calls))
    assert sum(count for _, count in spread.bins) == len(calls)
    assert sum(count for _, count in result.sizes["tables"].bins) == 3
    assert set(AWM) <= set(result.sizes)


def test_nothing_and_one_are_reports_too(made):
    assert diversity([]).environments == 0
    alone = diversity([diversity_profile(made[0])])
    assert (alone.tool_jaccard, alone.nearest, alone.duplicate_schemas) == (0.0, (), 0)
