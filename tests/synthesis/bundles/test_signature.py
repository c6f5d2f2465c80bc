from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.bundles.signature import check_signer, sign_bundle, signer_of
from synthesis.cli import main
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidBundle, InvalidInput


def write_keys(folder: Path, name: str, key: Any = None) -> tuple[Path, Path]:
    key = key or Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    return write_keys(tmp_path, "mine")


@pytest.fixture
def plain(clinic: Environment, tmp_path: Path) -> Path:
    return NativeCodec().write(Bundle(environment=clinic), tmp_path / "plain")


def test_a_signed_bundle_opens_as_before_and_names_its_signer(
    plain: Path, keys: tuple[Path, Path], clinic: Environment, tmp_path: Path
) -> None:
    private, public = keys
    signature = sign_bundle(plain, private, tmp_path / "signed.zip")
    assert open_bundle(tmp_path / "signed.zip").environment.fingerprint == clinic.fingerprint
    assert signer_of(tmp_path / "signed.zip") == signature.key
    check_signer(tmp_path / "signed.zip", public)
    again = sign_bundle(tmp_path / "signed.zip", private, tmp_path / "again.zip")
    assert again == signature
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "signed.zip").read_bytes()
    assert signer_of(plain) is None


def test_another_key_or_none_is_not_the_signer(plain: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    signed = tmp_path / "signed"
    sign_bundle(plain, keys[0], signed)
    with pytest.raises(InvalidBundle, match="is signed with the key"):
        check_signer(signed, write_keys(tmp_path, "other")[1])
    with pytest.raises(InvalidBundle, match="is not signed"):
        check_signer(plain, keys[1])


def test_a_changed_file_manifest_or_signature_is_found(
    plain: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    def changed(name: str, change: Callable[[bytes], bytes]) -> Path:
        folder = tmp_path / f"changed-{name}"
        if not (tmp_path / "signed").exists():
            sign_bundle(plain, keys[0], tmp_path / "signed")
        shutil.copytree(tmp_path / "signed", folder)
        (folder / name).write_bytes(change((folder / name).read_bytes()))
        return folder

    with pytest.raises(InvalidBundle, match=r"policy\.md: was changed"):
        open_bundle(changed("policy.md", lambda content: content + b"\n"))
    with pytest.raises(InvalidBundle, match="is not a signature of its key"):
        signer_of(changed("manifest.json", lambda content: content + b"\n"))

    def flipped(content: bytes) -> bytes:
        values = orjson.loads(content)
        raw = bytearray(base64.b64decode(values["signature"]))
        raw[0] ^= 1
        return orjson.dumps({**values, "signature": base64.b64encode(raw).decode()})

    with pytest.raises(InvalidBundle, match="is not a signature of its key"):
        signer_of(changed("signature.json", flipped))


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"key": "x"}', b'{"key": "x", "signature": "!"}'])
def test_a_broken_signature_is_explained(plain: Path, content: bytes) -> None:
    (plain / "signature.json").write_bytes(content)
    with pytest.raises(InvalidBundle, match=r"signature\.json"):
        signer_of(plain)


def test_keys_of_another_kind_are_refused_with_the_remedy(plain: Path, tmp_path: Path) -> None:
    private, public = write_keys(tmp_path, "curve", generate_private_key(SECP256R1()))
    with pytest.raises(InvalidInput, match="Ed25519 is needed"):
        sign_bundle(plain, private, tmp_path / "signed")
    with pytest.raises(InvalidInput, match="Ed25519 is needed"):
        check_signer(plain, public)
    for path, words in ((tmp_path / "nowhere.pem", "cannot be read"), (public, "openssl genpkey")):
        with pytest.raises(InvalidInput, match=words):
            sign_bundle(plain, path, tmp_path / "signed")


def test_a_bundle_without_manifest_cannot_be_signed(
    plain: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    (plain / "manifest.json").unlink()
    with pytest.raises(InvalidBundle, match=r"contains no manifest\.json"):
        sign_bundle(plain, keys[0], tmp_path / "signed")


def test_the_commands_sign_and_check(
    plain: Path, keys: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    private, public = keys
    signed = tmp_path / "signed.zip"
    assert main(["sign", str(plain), "--key", str(private), "--out", str(signed)]) == 0
    task = ["--task", "read_total_owed", "--json"]
    capsys.readouterr()
    assert main(["verify", str(signed), "--signed-by", str(public), *task]) == 0
    assert orjson.loads(capsys.readouterr().out)["signed_by"] == signer_of(signed)
    assert main(["verify", str(plain), *task]) == 0
    assert orjson.loads(capsys.readouterr().out)["signed_by"] is None
    assert main(["verify", str(plain), "--signed-by", str(public)]) == 1
    assert "is not signed" in capsys.readouterr().err
