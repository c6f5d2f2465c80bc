"""Pool: which models play which part, at which endpoint, and who stands in for one that is down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Literal

from django.conf import settings
from pydantic import Field, SecretStr, ValidationError

from studio.variable import shown
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.limited import RateLimits
from synthesis.llm.openai_compatible import DEFAULT_BASE_URL
from synthesis.llm.registry import ProviderSettings

Role = Literal["author", "second_author", "judge", "user", "agent"]
"""What a model is asked as."""

MOST_MODELS = 8
"""Models that a person may name for one part."""

LONGEST_NAME = 120

_VARIABLES: dict[Role, str] = {
    "author": "WORLDWRIGHT_AUTHOR_MODELS",
    "second_author": "WORLDWRIGHT_SECOND_AUTHOR_MODELS",
    "judge": "WORLDWRIGHT_JUDGE_MODELS",
    "user": "WORLDWRIGHT_USER_MODELS",
    "agent": "WORLDWRIGHT_AGENT_MODELS",
}


class Endpoint(Document):
    """One endpoint of WORLDWRIGHT_ENDPOINTS; limits that are left out are those of the settings."""

    base_url: str = Field(pattern=r"^https?://")
    api_key: SecretStr = Field(default=SecretStr("none"), exclude=True)
    concurrency: int | None = Field(default=None, ge=1)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, ge=1)


def split_models(text: str) -> tuple[str, ...]:
    """Models from a line with commas between them, each once and in order.

    Raises:
        InvalidInput: There are too many, or one has too long a name.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if len(names) > MOST_MODELS:
        raise InvalidInput(f"{len(names)} models are named; at most {MOST_MODELS} can stand in for another.")
    if long := [name for name in names if len(name) > LONGEST_NAME]:
        raise InvalidInput(f"{long[0][:40]!r}... is no model: names have at most {LONGEST_NAME} characters.")
    return names


def models_for(role: Role, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of the models to ask, the first one first; empty where none is set.

    Args:
        role: What they are asked as; a second author is nobody unless one is named.
        chosen: What a request names instead.
    """
    variables = settings.WORLDWRIGHT
    own = {
        "author": variables.author_models,
        "second_author": variables.second_author_models,
        "judge": variables.judge_models,
        "user": variables.user_models,
        "agent": variables.agent_models,
    }[role]
    default = (variables.model,) if variables.model and role != "second_author" else ()
    return tuple(chosen) or tuple(own) or default


def endpoint_names() -> tuple[str, ...]:
    """The endpoints of the settings; the empty name is that of OPENAI_BASE_URL."""
    return ("", *_endpoints(shown(settings.WORLDWRIGHT.endpoints)))


def pool(
    role: Role = "author",
    chosen: Sequence[str] = (),
    *,
    keys: Mapping[str, SecretStr] = MappingProxyType({}),
    asking: str = "",
    otherwise: str = "choose the procedural author",
) -> tuple[ProviderSettings, ...]:
    """The models to ask with their endpoints, the first one first.

    Args:
        role: What they are asked as.
        chosen: What a request names instead of the settings: "gpt-5", "qwen3:32b@local".
        keys: Keys to use in place of those of the settings, by the endpoint's name.
        asking: Who wants to ask, for the text of an error: "Agent 'chat'".
        otherwise: What a person can do instead, for the same text.

    Raises:
        InvalidInput: No key or no model is set; the text names the variable.
        UnknownName: A model is at an endpoint that WORLDWRIGHT_ENDPOINTS lacks.
    """
    names = models_for(role, chosen)
    placed = [_placed(name) for name in names]
    default_needed = "" not in keys and (not names or any(endpoint is None for _, endpoint, _ in placed))
    missing = [] if names else [_VARIABLES[role] if role == "second_author" else "WORLDWRIGHT_MODEL"]
    if default_needed and not shown(settings.WORLDWRIGHT.openai_api_key):
        missing.insert(0, "OPENAI_API_KEY")
    if missing:
        message = f"{asking} asks a model. " if asking else ""
        raise InvalidInput(
            f"{message}A model needs {' and '.join(missing)} in the environment of the studio and its "
            f"workers; set it, or {otherwise}."
        )
    return tuple(_settings(model, endpoint, keys.get(place)) for model, endpoint, place in placed)


def _placed(name: str) -> tuple[str, Endpoint | None, str]:
    """A model, its endpoint and that one's name; None and no name for the endpoint of OPENAI_BASE_URL."""
    model, at, place = name.rpartition("@")
    if not at:
        return name, None, ""
    endpoints = _endpoints(shown(settings.WORLDWRIGHT.endpoints))
    if place not in endpoints:
        raise UnknownName("endpoint of WORLDWRIGHT_ENDPOINTS", place, list(endpoints))
    return model, endpoints[place], place


@cache
def _endpoints(text: str) -> dict[str, Endpoint]:
    """The endpoints by name.

    Raises:
        InvalidInput: The variable cannot be read; its value, which holds keys, is not in the text.
    """
    if not text:
        return {}
    try:
        return {str(name): Endpoint.model_validate(value) for name, value in json.loads(text).items()}
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"WORLDWRIGHT_ENDPOINTS cannot be used: {where}: {first['msg']}.") from None
    except (ValueError, AttributeError):
        raise InvalidInput(
            "WORLDWRIGHT_ENDPOINTS cannot be read; write "
            '{"name": {"base_url": "https://...", "api_key": "..."}}.'
        ) from None


def _settings(model: str, endpoint: Endpoint | None, key: SecretStr | None) -> ProviderSettings:
    variables = settings.WORLDWRIGHT
    given = endpoint or Endpoint(
        base_url=variables.openai_base_url or DEFAULT_BASE_URL,
        api_key=SecretStr(shown(variables.openai_api_key)),
    )
    return ProviderSettings(
        model=model,
        api_key=key or given.api_key,
        base_url=given.base_url,
        timeout=given.seconds or variables.endpoint_seconds,
        reasoning_tokens=variables.reasoning_tokens,
        reasoning_effort=variables.reasoning_effort or "",
        remembered_in=settings.VAR_DIR / "endpoints",
        limits=RateLimits(
            concurrency=given.concurrency or variables.endpoint_concurrency,
            requests_per_minute=given.requests_per_minute or variables.endpoint_requests,
            tokens_per_minute=given.tokens_per_minute or variables.endpoint_tokens,
        ),
    )
