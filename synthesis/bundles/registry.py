"""Registry: the formats there are."""

from __future__ import annotations

from synthesis.bundles.atif import AtifCodec
from synthesis.bundles.chat_jsonl import ChatJsonlCodec
from synthesis.bundles.codec import Codec
from synthesis.bundles.inspect_eval import InspectEvalCodec
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.nemo_gym import NemoGymCodec
from synthesis.bundles.training_data import PreferencePairsCodec, TrainingSamplesCodec
from synthesis.errors import UnknownName

_ALL: tuple[Codec, ...] = (
    NativeCodec(),
    ChatJsonlCodec(),
    TrainingSamplesCodec(),
    PreferencePairsCodec(),
    AtifCodec(),
    InspectEvalCodec(),
    NemoGymCodec(),
)

CODECS: dict[str, Codec] = {codec.name: codec for codec in _ALL}
"""Every format by the name it is asked for."""


def codec(name: str) -> Codec:
    """The codec of that name.

    Raises:
        UnknownName: There is none.
    """
    if name not in CODECS:
        raise UnknownName("codec", name, list(CODECS))
    return CODECS[name]
