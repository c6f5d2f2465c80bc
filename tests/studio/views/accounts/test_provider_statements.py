"""What a provider says of itself and of somebody is used only where it is whole, private and signed."""

from __future__ import annotations

import json
from typing import Any, Self

import jwt
import pytest
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from cryptography.hazmat.primitives.asymmetric import rsa

from studio.views.accounts import single_sign_on

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CLAIMS = {"sub": "x", "aud": "studio", "iss": "ISSUER", "iat": 0, "exp": 4_000_000_000}
PUBLIC = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())) | {"alg": "RS256", "kid": "a"}


def signed(claims: dict[str, Any], key: Any = KEY, algorithm: str = "RS256", kid: str = "a") -> str:
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


@pytest.mark.parametrize(
    ("token", "fits"),
    [
        (signed(CLAIMS), True),
        (signed(CLAIMS, OTHER_KEY), False),
        (signed(CLAIMS, kid="b"), False),
        (signed(CLAIMS | {"aud": "another studio"}), False),
        (signed(CLAIMS | {"iss": "https://e.example"}), False),
        (signed(CLAIMS | {"exp": 1}), False),
        (signed({name: value for name, value in CLAIMS.items() if name != "exp"}), False),
        (signed(CLAIMS | {"sub": 7}), False),
        (signed(CLAIMS, "", "none"), False),
        (signed(CLAIMS, PUBLIC["n"], "HS256"), False),
        (signed(CLAIMS).rpartition(".")[0] + ".", False),
        ("no token", False),
    ],
    ids=[
        "right",
        "signed with another key",
        "a key that is not published",
        "for another studio",
        "of another provider",
        "expired",
        "never expires",
        "of a subject that is no text",
        "not signed",
        "signed with the public key as a secret",
        "its signature left out",
        "no token",
    ],
)
def test_only_what_the_provider_signed_for_this_studio_counts(
    token, fits, provider, offered, monkeypatch, rf
):
    adapter = single_sign_on.IdentityProvider(rf.get("/"))
    known = dict.fromkeys(single_sign_on.NEEDED, "http://127.0.0.1:9/") | {"issuer": "ISSUER"}
    monkeypatch.setattr(type(adapter), "openid_config", known)
    monkeypatch.setattr(single_sign_on.AccountRules, "get_requests_session", lambda self: Keys())
    application = adapter.get_provider().app
    if fits:
        assert adapter._decode_id_token(application, token)["sub"] == "x"
    else:
        with pytest.raises(OAuth2Error):
            adapter._decode_id_token(application, token)


class Keys:
    """A session with a server that publishes one key."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""

    def get(self, _: str) -> Self:
        return self

    def raise_for_status(self) -> None:
        """It is there."""

    def json(self) -> dict[str, Any]:
        return {"keys": [PUBLIC]}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, ""),
        ({"token_endpoint": "http://login.example/token"}, "without https"),
        ({"jwks_uri": "http://127.0.0.1/keys"}, "without https"),
        ({"issuer": "https://other.example"}, "calls itself"),
        ({"userinfo_endpoint": None}, "does not say"),
        ({"authorization_endpoint": 7}, "does not say"),
        ([], "does not say"),
    ],
)
def test_only_a_whole_and_private_description_of_the_provider_is_used(
    change, reason, offered, monkeypatch, rf
):
    offered(issuer="https://login.example/")
    known: Any = dict.fromkeys(single_sign_on.NEEDED, "https://login.example/x")
    known |= {"issuer": "https://login.example"}
    published = change if isinstance(change, list) else known | change
    monkeypatch.setattr(single_sign_on.OpenIDConnectOAuth2Adapter, "openid_config", published)
    adapter = single_sign_on.IdentityProvider(rf.get("/"))
    if not reason:
        assert adapter.openid_config == known
        return
    with pytest.raises(OAuth2Error, match=reason):
        _ = adapter.openid_config
