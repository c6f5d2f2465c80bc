"""Environments without a model, composed from a catalogue of business fragments."""
