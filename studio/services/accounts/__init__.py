"""Accounts: people, programs and their rights."""
