"""Hostile code: each piece is one attack, written as its author would, below every lint.

An attack in EXPRESSIONS answers a text that tells how it was stopped; anything else it answers is what it
got out of the sandbox. An exception or a death counts as stopped. test_attacks.py looks from the outside too:
at the secret file, the listening socket, the canary folder, the siblings.
"""
