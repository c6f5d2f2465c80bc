"""`worldwright sign`: a bundle written again with a signature."""

from __future__ import annotations

import argparse

from synthesis.bundles.signature import sign_bundle
from synthesis.cli.console import console


def sign(arguments: argparse.Namespace) -> int:
    """Sign and say with which key."""
    signature = sign_bundle(arguments.bundle, arguments.key, arguments.out)
    console().print(f"{arguments.out}: signed with the Ed25519 key {signature.key}", markup=False)
    return 0
