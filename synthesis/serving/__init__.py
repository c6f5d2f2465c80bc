"""Worlds over the wire: one ASGI application, MCP and plain JSON, instances addressed by path."""
