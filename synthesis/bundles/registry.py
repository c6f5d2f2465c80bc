"""Registry: the formats there are."""

from __future__ import annotations

import importlib.util

from synthesis.bundles.atif import AtifCodec
from synthesis.bundles.awm.codec import AwmCodec
from synthesis.bundles.chat_jsonl import ChatJsonlCodec, ChatTwoRolesCodec
from synthesis.bundles.codec import Codec
from synthesis.bundles.inspect_eval import LIBRARY, InspectEvalCodec
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.nemo_gym import NemoGymCodec
from synthesis.bundles.training_data import PreferencePairsCodec, TrainingSamplesCodec
from synthesis.errors import UnknownName

_ALL: tuple[Codec, ...] = (
    NativeCodec(),
    ChatJsonlCodec(),
    ChatTwoRolesCodec(),
    TrainingSamplesCodec(),
    PreferencePairsCodec(),
    AtifCodec(),
    InspectEvalCodec(),
    NemoGymCodec(),
    AwmCodec(),
)

CODECS: dict[str, Codec] = {codec.name: codec for codec in _ALL}
"""Every format by the name it is asked for."""


def usable() -> list[str]:
    """The formats that can be written here, sorted; one whose library is missing is left out."""
    here = importlib.util.find_spec(LIBRARY) is not None
    return sorted(name for name in CODECS if here or name != InspectEvalCodec.name)


def codec(name: str) -> Codec:
    """The codec of that name.

    Raises:
        UnknownName: There is none.
    """
    if name not in CODECS:
        raise UnknownName("codec", name, list(CODECS))
    return CODECS[name]
