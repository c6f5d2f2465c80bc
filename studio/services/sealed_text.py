"""Sealed text: secrets that have to be read again, which the database alone does not give away."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from synthesis.errors import InvalidInput


def seal(text: str) -> str:
    """A text encrypted with a key that is derived from WORLDWRIGHT_SECRET_KEY."""
    return _cipher(settings.SECRET_KEY).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """The text that `seal` was given, under the present secret or one of its fallbacks.

    Raises:
        InvalidInput: It was sealed under another WORLDWRIGHT_SECRET_KEY, or changed since.
    """
    ciphers = MultiFernet([_cipher(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])
    try:
        return ciphers.decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise InvalidInput(
            "A stored secret cannot be read: WORLDWRIGHT_SECRET_KEY of this process is not the one under "
            "which it was stored. Use the same for all web and worker processes, name the earlier one in "
            "WORLDWRIGHT_SECRET_KEY_FALLBACKS, or enter the secret again."
        ) from None


def is_current(sealed: str) -> bool:
    """Whether it can be read without a fallback."""
    try:
        _cipher(settings.SECRET_KEY).decrypt(sealed.encode())
    except InvalidToken:
        return False
    return True


def _cipher(key: str) -> Fernet:
    derived = HKDF(SHA256(), length=32, salt=None, info=b"worldwright sealed text")
    return Fernet(base64.urlsafe_b64encode(derived.derive(key.encode())))
