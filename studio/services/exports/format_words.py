"""Formats in words: what an exported environment can be used for, by the name of its format."""

from __future__ import annotations

FORMAT_MEANINGS = {
    "native": "The whole environment in one file: to keep, to share, to check again or to run elsewhere.",
    "nemo_gym": "Its tasks as lines for NVIDIA NeMo Gym: to train a model in it.",
    "awm": "A folder for the programs of the Agent World Model: to train or test a model in it.",
    "chat_jsonl": "What agents said and did, a conversation a line: to train a model on (TRL, ms-swift).",
    "chat_two_roles": "The same for models that know only two speakers (Gemma, Cohere).",
    "training_samples": "What agents said and did, turn by turn: to train a model on the turns that count.",
    "preference_pairs": "A better and a worse attempt at one task: to train a model to prefer the better.",
    "atif": "What agents did, a file for each attempt: to read or score it with Harbor.",
    "inspect_eval": "What agents did, as logs: to read it in Inspect.",
}
"""Name of a format to what it is for."""


def format_title(name: str) -> str:
    """A format's name without marks of code."""
    return name.replace("_", " ")


def format_meaning(name: str) -> str:
    """What a format is for; "" for one that is not known here."""
    return FORMAT_MEANINGS.get(name, "")
