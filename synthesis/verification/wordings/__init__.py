"""Wordings: answers to a task in many words, half of them right and half wrong, to try the verdict with.

They share no code and no list of words with the reader (`synthesis.reading`), which they are to find out.
"""
