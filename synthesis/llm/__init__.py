"""Providers: who answers a prompt, with usage and price."""
