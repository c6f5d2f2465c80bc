"""Signature: whose a bundle is, an Ed25519 signature over its manifest, which names the digest of every file.

    worldwright sign BUNDLE --key studio.pem --out SIGNED.zip
    worldwright verify SIGNED.zip --signed-by studio.pub.pem

The signature lies in the bundle as signature.json and changes nothing else. It is checked where the key is
known from elsewhere: the one inside a bundle only tells that the bundle is whole.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from synthesis.bundles.archive import read_files, write_folder, write_zip
from synthesis.bundles.native import MANIFEST, SIGNATURE, bundle_of
from synthesis.bundles.reading import as_type, json_value
from synthesis.documents.bundle import BundleSignature
from synthesis.errors import InvalidBundle, InvalidInput

_CONTEXT = b"worldwright bundle manifest v1\n"
"""Goes before what is signed, so that a signature of ours is one of nothing else."""


def sign_bundle(path: Path, key: Path, out: Path) -> BundleSignature:
    """Write a bundle again with a signature, in place of one it had.

    Args:
        path: A native bundle with its manifest, folder or zip.
        key: File with an Ed25519 private key in PEM, without a password.
        out: Where to write; a zip where it ends in .zip, else a folder.

    Raises:
        InvalidBundle: The bundle is not whole, or has no manifest.
        InvalidInput: The key cannot be used, or the path cannot be written.
    """
    files = read_files(path)
    if MANIFEST not in files:
        raise InvalidBundle(f"{path}: contains no {MANIFEST}; export it again, then sign it.")
    environment = bundle_of(files).environment
    private = _private_key(key)
    signature = BundleSignature(
        key=_text(private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)),
        signature=_text(private.sign(_CONTEXT + files[MANIFEST])),
    )
    signed = {**files, SIGNATURE: signature.model_dump_json(indent=2).encode() + b"\n"}
    if out.suffix.lower() == ".zip":
        write_zip(signed, out, folder=environment.name)
    else:
        write_folder(signed, out)
    return signature


def signer_of(path: Path) -> str | None:
    """The public key in a bundle's signature, in base64, after the check; None for a bundle without one.

    Raises:
        InvalidBundle: The signature is not that of this key over this manifest.
    """
    files = read_files(path)
    if SIGNATURE not in files:
        return None
    signature = as_type(SIGNATURE, BundleSignature, json_value(SIGNATURE, files[SIGNATURE]))
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(signature.key, validate=True))
        key.verify(base64.b64decode(signature.signature, validate=True), _CONTEXT + files.get(MANIFEST, b""))
    except (InvalidSignature, ValueError, binascii.Error) as error:
        raise InvalidBundle(
            f"{SIGNATURE}: is not a signature of its key over {MANIFEST}; get the bundle again."
        ) from error
    return signature.key


def check_signer(path: Path, key: Path) -> None:
    """Check that a bundle is signed with a key.

    Args:
        path: The bundle.
        key: File with the Ed25519 public key in PEM.

    Raises:
        InvalidBundle: It has no signature, a wrong one, or that of another key.
        InvalidInput: The file holds no such key.
    """
    expected = _text(_public_key(key).public_bytes(Encoding.Raw, PublicFormat.Raw))
    signer = signer_of(path)
    if signer is None:
        raise InvalidBundle(f"{path}: is not signed; --signed-by asks for a signature.")
    if signer != expected:
        raise InvalidBundle(f"{path}: is signed with the key {signer}, not with {expected} of {key}.")


def _private_key(path: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(_content(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InvalidInput(
            f"{path}: holds no private key in PEM without a password: {error}. Make one: "
            "openssl genpkey -algorithm ed25519 -out KEY.pem"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidInput(f"{path}: holds a private key of another kind; Ed25519 is needed.")
    return key


def _public_key(path: Path) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(_content(path))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InvalidInput(
            f"{path}: holds no public key in PEM: {error}. Make it: openssl pkey -in KEY.pem -pubout"
        ) from error
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidInput(f"{path}: holds a public key of another kind; Ed25519 is needed.")
    return key


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}.") from error


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
