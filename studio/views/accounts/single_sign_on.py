"""Signing in with an OpenID Connect provider, and out of it; django-allauth speaks with the provider."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import jwt
import requests
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from studio.identity_provider import PROVIDER_ID, link_of
from studio.services.accounts import identities
from studio.services.accounts.identities import Identity
from studio.services.audit.trail import Event, record
from studio.services.errors import Missing, ProviderDown, ServiceError
from studio.views.errors import problem
from studio.views.own_address import own_address

logger = logging.getLogger(__name__)

ID_TOKEN = "oidc_id_token"  # noqa: S105 - the key of a session
NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri")
CLOCKS_DIFFER_SECONDS = 30
CONFIGURATION_SECONDS = 600
"""How long what the provider says of itself is remembered: whoever loads the page asks it for nothing."""


class IdentityProvider(OpenIDConnectOAuth2Adapter):
    """The provider of the settings, asked as the specification wants it beyond what allauth checks.

    Attributes:
        id_token: What it signed about the person who came back; empty before.
    """

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, PROVIDER_ID)
        self.id_token = ""

    @property
    def openid_config(self) -> dict[str, Any]:
        """What it publishes of itself; only the issuer that was named is believed."""
        address = self.get_provider().server_url
        known: dict[str, Any] | None = cache.get(f"oidc:{address}")
        if known is not None:
            return known
        config: Any = super().openid_config
        if not isinstance(config, dict) or not all(isinstance(config.get(name), str) for name in NEEDED):
            raise OAuth2Error(f"The provider does not say all of this: {', '.join(NEEDED)}.")
        if config["issuer"].rstrip("/") != str(settings.WORLDWRIGHT.oidc_issuer).rstrip("/"):
            raise OAuth2Error(f"The provider calls itself {config['issuer']!r}.")
        if config["issuer"].startswith("https:") and not all(
            config[name].startswith("https:") for name in NEEDED
        ):
            raise OAuth2Error("The provider names addresses without https, where the secret would be seen.")
        cache.set(f"oidc:{address}", config, CONFIGURATION_SECONDS)
        return config

    def get_callback_url(self, request: HttpRequest, app: object) -> str:  # noqa: ARG002 - allauth's signature
        """Where the provider sends people back to."""
        return request.build_absolute_uri(reverse("single_sign_on_callback"))

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        """The claims of a token whose signature is checked, although it came from the provider itself."""
        config = self.openid_config
        with get_adapter().get_requests_session() as session:
            answer = session.get(config["jwks_uri"])
            answer.raise_for_status()
            published = answer.json()
        try:
            named = jwt.get_unverified_header(id_token).get("kid")
            keys = [key for key in jwt.PyJWKSet.from_dict(published).keys if named in (None, key.key_id)]
            if len(keys) != 1:
                raise OAuth2Error("The id_token does not name the key with which it was signed.")
            claims: dict[str, Any] = jwt.decode(
                id_token,
                keys[0],
                algorithms=[keys[0].algorithm_name],
                audience=app.client_id,
                issuer=config["issuer"],
                leeway=CLOCKS_DIFFER_SECONDS,
                options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )
        except (jwt.PyJWTError, AttributeError, TypeError) as error:
            raise OAuth2Error(f"The id_token cannot be used: {error}") from error
        return claims

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **more: Any) -> SocialLogin:
        """Who came back; their claims are used once and not stored."""
        self.id_token = str(more["response"].get("id_token") or "")
        if not self.id_token:
            raise OAuth2Error("The provider sent no id_token.")
        signed = self._decode_id_token(app, self.id_token)
        further = self._fetch_user_info(token.token)
        if not isinstance(further, dict) or further.get("sub") != signed["sub"]:
            raise OAuth2Error("The provider sent what it knows of somebody else.")
        login: SocialLogin = self.get_provider().sociallogin_from_response(
            request, {"id_token": {"sub": signed["sub"]}}
        )
        login.claims = signed | further
        login.account.extra_data = {}
        return login


class AccountRules(DefaultSocialAccountAdapter):
    """Whose account it is, and what people see when they cannot be signed in."""

    def authenticate_by_email(self, sociallogin: SocialLogin) -> None:
        """Nobody: the studio has rules of its own."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:  # noqa: ARG002
        """Choose the account by the studio's rules."""
        account = sociallogin.account
        try:
            provider = link_of(str(settings.WORLDWRIGHT.oidc_issuer))
            person = identities.account_of(Identity(provider, account.uid, sociallogin.claims))
        except ServiceError:
            name = str(sociallogin.claims.get("preferred_username", ""))
            record(Event.SIGN_IN_REFUSED, user=None, name=name)
            raise
        person.backend = settings.ROLE_BACKEND
        sociallogin.user = person

    def on_authentication_error(
        self, request: HttpRequest, provider: object, error: str = "", exception: object = None, **_: Any
    ) -> None:
        """A page of the studio in place of allauth's."""
        logger.warning("Nobody was signed in by %s: %s %s", provider, error, exception or "")
        name = settings.WORLDWRIGHT.oidc_name
        if isinstance(exception, requests.RequestException):
            status, message = ProviderDown.status, f"The provider of {name} does not answer."
        elif error == AuthError.CANCELLED:
            status, message = 403, f"You did not sign in with {name}."
        else:
            status, message = 403, f"The answer of {name} could not be used, or it was used before."
        raise ImmediateHttpResponse(
            problem(request, status=status, message=message, remedy="Begin again at the sign-in page.")
        )


def offered() -> str:
    """What the provider is called that people can sign in with; empty without one."""
    variables = settings.WORLDWRIGHT
    return str(variables.oidc_name) if variables.oidc_issuer is not None else ""


def _require_offered() -> None:
    if not offered():
        raise Missing("This studio has no single sign-on.", remedy="Sign in with name and password.")


@contextmanager
def _speaking_with_the_provider() -> Iterator[None]:
    try:
        yield
    except (requests.RequestException, OAuth2Error) as error:
        logger.warning("The provider cannot be used: %s", error)
        raise ProviderDown(
            f"The provider of {settings.WORLDWRIGHT.oidc_name} does not answer as it should.",
            remedy="Try again in a moment, or sign in with a password if you have one.",
        ) from error


@never_cache
@require_GET
def begin(request: HttpRequest) -> HttpResponseBase:
    """Send somebody to the provider.

    A link and no form: browsers would not follow a form from a page whose policy is `form-action 'self'` to
    another host. It only ever signs people in as themselves.
    """
    _require_offered()
    adapter = IdentityProvider(request)
    provider = adapter.get_provider()
    provider.get_oauth2_adapter = lambda _: adapter
    following = own_address(request, request.GET.get("next", ""))
    with _speaking_with_the_provider():
        response: HttpResponseBase = provider.redirect(request, process=AuthProcess.LOGIN, next_url=following)
    return response


@never_cache
@require_GET
def callback(request: HttpRequest) -> HttpResponseBase:
    """Where somebody comes back to from the provider."""
    _require_offered()
    adapter = IdentityProvider(request)
    with _speaking_with_the_provider():
        response: HttpResponseBase = OAuth2CallbackView.adapter_view(adapter)(request)
    if adapter.id_token and request.user.is_authenticated:
        request.session[ID_TOKEN] = adapter.id_token
    return response


def place_to_sign_out(request: HttpRequest) -> str:
    """Where the session at the provider ends, for whoever came from there; empty where it does not."""
    id_token = request.session.get(ID_TOKEN)
    if not id_token or not offered() or not settings.WORLDWRIGHT.oidc_sign_out:
        return ""
    try:
        address = IdentityProvider(request).openid_config.get("end_session_endpoint")
    except (requests.RequestException, OAuth2Error) as error:
        logger.warning("The session at the provider goes on: %s", error)
        return ""
    back = request.build_absolute_uri(reverse("login"))
    asked = {"id_token_hint": id_token, "post_logout_redirect_uri": back}
    return f"{address}?{urlencode(asked)}" if address else ""
