"""Signature: whose a bundle or a collection is, by Ed25519 over what names the digest of every file in it.

    worldwright sign BUNDLE --key studio.pem --out SIGNED.zip
    worldwright verify SIGNED.zip --signed-by studio.pub.pem

The signature lies in the bundle as signature.json and changes nothing else. It is checked where the key is
known from elsewhere: the one inside a bundle only tells that the bundle is whole.
"""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from synthesis.bundles.archive import pack, read_files, write_folder, write_zip
from synthesis.bundles.collection import INDEX, OpenCollection, is_collection, open_collection
from synthesis.bundles.native import MANIFEST, SIGNATURE, bundle_of
from synthesis.bundles.reading import as_type, json_value
from synthesis.documents.bundle import BundleSignature
from synthesis.errors import InvalidBundle, InvalidInput

_CONTEXT = b"worldwright bundle manifest v1\n"
_COLLECTION_CONTEXT = b"worldwright collection index v1\n"
"""Go before what is signed, so that a signature of ours is one of nothing else."""


def sign_bundle(path: Path, key: Path, out: Path) -> BundleSignature:
    """Write a bundle or a collection again with a signature, in place of one it had.

    Args:
        path: A native bundle with its manifest, or a collection; folder or zip.
        key: File with an Ed25519 private key in PEM, without a password.
        out: Where to write; a zip where it ends in .zip, else a folder. A collection is always a zip.

    Raises:
        InvalidBundle: It is not whole, or has no manifest.
        InvalidInput: The key cannot be used, or the path cannot be written.
    """
    if is_collection(path):
        return _sign_collection(path, key, out)
    files = read_files(path)
    if MANIFEST not in files:
        raise InvalidBundle(f"{path}: contains no {MANIFEST}; export it again, then sign it.")
    environment = bundle_of(files).environment
    signature = _signed(_CONTEXT + files[MANIFEST], key)
    signed = {**files, SIGNATURE: _content_of(signature)}
    if out.suffix.lower() == ".zip":
        write_zip(signed, out, folder=environment.name)
    else:
        write_folder(signed, out)
    return signature


def _sign_collection(path: Path, key: Path, out: Path) -> BundleSignature:
    if out.suffix.lower() != ".zip":
        raise InvalidInput(f"{out}: a signed collection is an archive; name a file that ends in .zip.")
    with open_collection(path) as collection, tempfile.TemporaryDirectory() as folder:
        signature = _signed(_COLLECTION_CONTEXT + collection.document, key)
        files: dict[str, bytes | Path] = {**collection.copied_to(Path(folder))}
        files[SIGNATURE] = _content_of(signature)
        pack({f"{out.stem}/{name}": content for name, content in files.items()}, out)
    return signature


def signer_of(path: Path) -> str | None:
    """The public key in a signature, in base64, after the check; None for what has none.

    Raises:
        InvalidBundle: The signature is not that of this key over this manifest or index.
    """
    if is_collection(path):
        with open_collection(path) as collection:
            return signer_of_collection(collection)
    return signer_of_files(read_files(path))


def signer_of_collection(collection: OpenCollection) -> str | None:
    """As `signer_of`, of a collection that is open: what is checked besides is then what was signed."""
    return _signer(collection.signature, _COLLECTION_CONTEXT + collection.document, INDEX)


def signer_of_files(files: Mapping[str, bytes]) -> str | None:
    """As `signer_of`, of a bundle that was read."""
    return _signer(files.get(SIGNATURE), _CONTEXT + files.get(MANIFEST, b""), MANIFEST)


def _signer(content: bytes | None, signed: bytes, name: str) -> str | None:
    if content is None:
        return None
    signature = as_type(SIGNATURE, BundleSignature, json_value(SIGNATURE, content))
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(signature.key, validate=True))
        key.verify(base64.b64decode(signature.signature, validate=True), signed)
    except (InvalidSignature, ValueError, binascii.Error) as error:
        raise InvalidBundle(
            f"{SIGNATURE}: is not a signature of its key over {name}; get it again."
        ) from error
    return signature.key


def _signed(content: bytes, key: Path) -> BundleSignature:
    private = _private_key(key)
    return BundleSignature(
        key=_text(private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)),
        signature=_text(private.sign(content)),
    )


def _content_of(signature: BundleSignature) -> bytes:
    return signature.model_dump_json(indent=2).encode() + b"\n"


def check_signer(path: Path, key: Path) -> None:
    """Check that a bundle or a collection is signed with a key.

    Args:
        path: Where it is.
        key: File with the Ed25519 public key in PEM.

    Raises:
        InvalidBundle: It has no signature, a wrong one, or that of another key.
        InvalidInput: The file holds no such key.
    """
    refuse_other_signer(signer_of(path), path, key)


def refuse_other_signer(signer: str | None, path: Path, key: Path) -> None:
    """As `check_signer`, where it is known who signed what is at the path."""
    expected = _text(_public_key(key).public_bytes(Encoding.Raw, PublicFormat.Raw))
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
