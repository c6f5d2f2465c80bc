"""How near texts are."""

import pytest

from synthesis.errors import InvalidInput
from synthesis.llm.embeddings import OpenAIEmbedder
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.pipeline.expansion import by_letters
from synthesis.pipeline.expansion.by_letters import character_similarity
from synthesis.pipeline.expansion.character_similarity import CharacterSimilarity
from synthesis.pipeline.expansion.similarity import EmbeddingSimilarity
from tests.openai_server import OpenAIServer

LIBRARY = "A municipal library lends books, games and tools to its members and collects fines for late ones."
NEARLY = "A municipal library lends books, toys and tools to its members and collects fines for late ones."
CLINIC = "An outpatient clinic keeps appointments, referrals and invoices of patients in four departments."


@pytest.fixture(params=["characters", "embeddings"])
def similarity(request):
    if request.param == "characters":
        yield CharacterSimilarity()
        return
    with OpenAIServer() as server:
        endpoint = OpenAICompatible("m", "key-123456", base_url=server.base_url)
        yield EmbeddingSimilarity(OpenAIEmbedder(endpoint, "embedder"))
        endpoint.close()


def test_nothing_is_near_when_there_is_nothing(similarity):
    assert similarity.nearest(LIBRARY) is None


def test_the_same_is_nearest_and_another_is_far(similarity):
    similarity.add(CLINIC)
    similarity.add(LIBRARY)
    zoo = "Zoo keepers feed twelve giraffes."
    same, near, far = (similarity.nearest(text) for text in (LIBRARY, NEARLY, zoo))
    assert (same.place, round(same.similarity, 6)) == (1, 1.0)
    assert near.place == 1
    assert 0.8 < near.similarity < 1.0
    assert far.similarity < 0.5


def test_an_empty_text_is_near_to_nothing(similarity):
    similarity.add(LIBRARY)
    assert similarity.nearest("").similarity == 0.0


def test_without_the_extra_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(by_letters, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"worldwright\[expansion\]"):
        character_similarity()
