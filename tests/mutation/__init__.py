"""Mutation testing on demand: `make mutation`. Not part of the tests that run by themselves."""
