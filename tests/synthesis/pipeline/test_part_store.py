"""Parts by recipe, in memory and in a folder."""

import pytest

from synthesis.documents.environment import Draft, Provenance
from synthesis.errors import InvalidInput
from synthesis.pipeline.part_store import FolderPartStore, MemoryPartStore, StoredPart
from synthesis.pipeline.recipe import recipe_of, sent_back_with
from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import drafted


@pytest.fixture(params=["memory", "folder"])
def store(request, tmp_path):
    return MemoryPartStore() if request.param == "memory" else FolderPartStore(tmp_path / "parts")


@pytest.fixture
def author(endpoint):
    return endpoint()[2]


@pytest.mark.parametrize("name", sorted(STAGES))
def test_every_part_comes_back_as_it_was(name, store, clinic, author, request_for):
    part = drafted(clinic).part(name)
    recipe = recipe_of(STAGES[name], drafted(clinic), author, request_for())
    assert store.find(recipe) is None
    store.keep(StoredPart.of(recipe, part, Provenance(author="model", attempts=2)))
    result = store.find(recipe)
    assert result.read() == part
    assert result.read().fingerprint == part.fingerprint
    assert result.provenance.attempts == 2


def test_the_first_part_kept_under_a_recipe_stays(store, clinic, author, request_for):
    recipe = recipe_of(STAGES["scenario"], Draft(), author, request_for())
    for title in ("first", "second"):
        scenario = clinic.scenario.replace(title=title)
        store.keep(StoredPart.of(recipe, scenario, Provenance(author="model")))
    assert store.find(recipe).read().title == "first"


def test_a_damaged_file_is_named(tmp_path, clinic, author, request_for):
    store = FolderPartStore(tmp_path)
    recipe = recipe_of(STAGES["scenario"], Draft(), author, request_for())
    store.keep(StoredPart.of(recipe, clinic.scenario, Provenance(author="model")))
    next(tmp_path.iterdir()).write_text("{}")
    with pytest.raises(InvalidInput, match="delete it to have it regenerated"):
        store.find(recipe)


def test_a_recipe_changes_with_all_that_makes_a_part(clinic, author, request_for):
    draft, stage = drafted(clinic), STAGES["schema"]
    base = recipe_of(stage, draft, author, request_for()).fingerprint
    moved = draft.model_copy(
        update={"outlines": draft.outlines.replace(outlines=draft.outlines.outlines[:5])}
    )
    others = [
        recipe_of(stage, draft, author, request_for(seed=1)),
        recipe_of(stage, draft, author, request_for(sentence="Another clinic")),
        recipe_of(stage, moved, author, request_for()),
        recipe_of(STAGES["policy"], draft, author, request_for()),
        recipe_of(stage, draft, author, request_for(), sent_back_with(draft.schema, ())),
    ]
    prints = {base, *(other.fingerprint for other in others)}
    assert len(prints) == 6


def test_a_recipe_does_not_change_with_parts_it_does_not_read(clinic, author, request_for):
    draft = drafted(clinic)
    base = recipe_of(STAGES["schema"], draft, author, request_for())
    later = draft.model_copy(update={"tasks": None, "seed_data": None})
    assert recipe_of(STAGES["schema"], later, author, request_for()).fingerprint == base.fingerprint
